"""cairn.torch on the CPU: values and gradients beside torch.nn's, layouts, second derivatives."""

import itertools
import unittest

import torch
import torch.nn.functional as F
from test_operators import needs

import cairn
import cairn.torch

FLOATS = [torch.float32, torch.float16, torch.bfloat16]
LAST = {4: torch.channels_last, 5: torch.channels_last_3d}
POOLS = {2: (cairn.torch.max_pool2d, F.max_pool2d), 3: (cairn.torch.max_pool3d, F.max_pool3d)}
UNPOOLS = {2: (cairn.torch.max_unpool2d, F.max_unpool2d), 3: (cairn.torch.max_unpool3d, F.max_unpool3d)}
WINDOWS = [  # kernel, stride, padding, dilation, ceil_mode
    (2, None, 0, 1, False),
    (3, 2, 1, 1, False),
    (3, 1, 1, 1, False),
    (2, 3, 1, 1, True),
    (2, 2, 0, 2, True),
]

needs_pool = needs("aclnnMaxPool3dWithArgmax", "aclnnMaxPool2dWithIndices")
needs_unpool = needs("aclnnMaxUnpool3d", "aclnnMaxUnpool2d")
needs_upsample = needs("aclnnUpsampleNearest3d")


def input_of(spatial, dtype=torch.float32, seed=0):
    shape = {2: (2, 3, 9, 8), 3: (2, 3, 6, 7, 8)}[spatial]
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed)).to(dtype)


def value_and_gradient(function, x, seed=7):
    """What a function gives, and the gradient of its input for a random one of its output."""
    x = x.detach().clone(memory_format=torch.preserve_format).requires_grad_()
    y = function(x)
    generator = torch.Generator().manual_seed(seed)
    y.backward(torch.randn(y.shape, generator=generator).to(y.device, y.dtype))
    return y.detach(), x.grad


class MaxPoolTest(unittest.TestCase):
    @needs_pool
    def test_float_and_double_bits_are_pytorchs(self):
        for spatial, (ours, theirs) in POOLS.items():
            for window, dtype in itertools.product(WINDOWS, [torch.float32, torch.float64]):
                with self.subTest(spatial=spatial, window=window, dtype=dtype):
                    x = input_of(spatial, dtype) * 1.1
                    y, gradient = value_and_gradient(lambda t: ours(t, *window), x)
                    expected, expected_gradient = value_and_gradient(lambda t: theirs(t, *window), x)
                    self.assertTrue(torch.equal(y, expected))
                    self.assertTrue(torch.equal(gradient, expected_gradient))

    @needs_pool
    def test_half_types_are_sums_in_float_rounded_once(self):
        for dtype in FLOATS[1:]:
            with self.subTest(dtype=dtype):
                x = input_of(3, dtype)
                y, gradient = value_and_gradient(lambda t: cairn.torch.max_pool3d(t, 3, 1, 1), x)
                y32, gradient32 = value_and_gradient(lambda t: F.max_pool3d(t, 3, 1, 1), x.float())
                self.assertEqual((y.dtype, gradient.dtype), (dtype, dtype))
                self.assertTrue(torch.equal(y, y32.to(dtype)))
                g = torch.randn(y.shape, generator=torch.Generator().manual_seed(7)).to(dtype).float()
                x32 = x.float().requires_grad_()
                F.max_pool3d(x32, 3, 1, 1).backward(g)
                self.assertTrue(torch.equal(gradient, x32.grad.to(dtype)))

    @needs("aclnnAdaptiveMaxPool2d", "aclnnAdaptiveMaxPool3d")
    def test_adaptive_pooling_is_pytorchs(self):
        pools = {
            2: (cairn.torch.adaptive_max_pool2d, F.adaptive_max_pool2d),
            3: (cairn.torch.adaptive_max_pool3d, F.adaptive_max_pool3d),
        }
        for spatial, (ours, theirs) in pools.items():
            x = input_of(spatial)
            for size in (1, 3, (None,) * (spatial - 1) + (5,), (2,) * spatial):
                for input in (x, x[0], x.to(memory_format=LAST[spatial + 2])):
                    y, gradient = value_and_gradient(lambda t: ours(t, size), input)
                    expected, expected_gradient = value_and_gradient(lambda t: theirs(t, size), input.contiguous())
                    self.assertTrue(torch.equal(y, expected))
                    self.assertTrue(torch.equal(gradient, expected_gradient))
                    self.assertTrue(torch.equal(ours(input, size, True)[1], theirs(input, size, True)[1]))
            grads = []
            for function in (ours, theirs):
                leaf = input_of(spatial).requires_grad_()
                (first,) = torch.autograd.grad(function(leaf, 3).pow(3).sum(), leaf, create_graph=True)
                grads.append(torch.autograd.grad(first.square().sum(), leaf)[0])
            torch.testing.assert_close(*grads)

    @needs_pool
    def test_indices_are_pytorchs(self):
        for spatial, (ours, theirs) in POOLS.items():
            for window in WINDOWS:
                x = input_of(spatial)
                _, indices = ours(x, *window, return_indices=True)
                _, expected = theirs(x, *window, return_indices=True)
                self.assertEqual(indices.dtype, torch.int64)
                self.assertTrue(torch.equal(indices, expected))
                self.assertFalse(indices.requires_grad)

    @needs_pool
    def test_channels_last_stays_channels_last(self):
        for spatial, (ours, theirs) in POOLS.items():
            last = LAST[spatial + 2]
            x = input_of(spatial)
            y, gradient = value_and_gradient(lambda t: ours(t, 3, 2, 1), x.to(memory_format=last))
            expected, expected_gradient = value_and_gradient(lambda t: theirs(t, 3, 2, 1), x)
            self.assertTrue(y.is_contiguous(memory_format=last))
            self.assertTrue(gradient.is_contiguous(memory_format=last))
            self.assertTrue(torch.equal(y, expected))
            self.assertTrue(torch.equal(gradient, expected_gradient))

    @needs_pool
    def test_views_and_repeated_gradients(self):
        x = torch.randn(2, 3, 12, 14, 16)[:, :, ::2, 1::2, 3:11].requires_grad_()
        cairn.torch.max_pool3d(x, 2).sum().backward()  # its gradient is one element, repeated
        expected = x.detach().clone().requires_grad_()
        F.max_pool3d(expected, 2).sum().backward()
        self.assertTrue(torch.equal(x.grad, expected.grad))

    @needs_pool
    def test_without_batch(self):
        x = input_of(3)[0]
        self.assertTrue(torch.equal(cairn.torch.max_pool3d(x, 2), F.max_pool3d(x, 2)))

    @needs_pool
    def test_keeps_only_the_indices(self):
        x = input_of(3).requires_grad_()
        y = cairn.torch.max_pool3d(x, 2)
        (saved,) = y.grad_fn.saved_tensors
        self.assertEqual(saved.dtype, torch.int32)
        self.assertEqual(saved.shape, y.shape)

    @needs_pool
    def test_second_derivative_is_pytorchs(self):
        grads = []
        for function in (cairn.torch.max_pool3d, F.max_pool3d):
            x = input_of(3).requires_grad_()
            (first,) = torch.autograd.grad(function(x, 3, 2, 1).pow(3).sum(), x, create_graph=True)
            grads.append(torch.autograd.grad(first.square().sum(), x)[0])
        torch.testing.assert_close(*grads)

    @needs_pool
    def test_integers_are_refused_with_a_sentence(self):
        with self.assertRaisesRegex(cairn.CairnError, "INT32") as caught:
            cairn.torch.max_pool3d(input_of(3, torch.int32), 2)
        self.assertEqual(caught.exception.status, 161002)

    @needs_pool
    def test_gradcheck(self):
        for spatial, (ours, _) in POOLS.items():
            for window in WINDOWS:
                with self.subTest(spatial=spatial, window=window):
                    x = torch.randperm(input_of(spatial)[:1, :1].numel()).double() / 8  # no two alike
                    x = x.reshape(input_of(spatial)[:1, :1].shape).requires_grad_()
                    function = lambda t: ours(t, *window)
                    self.assertTrue(torch.autograd.gradcheck(function, (x,)))
                    self.assertTrue(torch.autograd.gradgradcheck(function, (x,)))


class IndexTypeTest(unittest.TestCase):
    """An Atlas A2 takes int32 indices alone in one operator and int64 ones alone in another; PyTorch's are int64."""

    CALLS = [
        (cairn.torch.max_pool2d, cairn.max_pool2d_with_indices, 2),
        (cairn.torch.max_pool3d, cairn.max_pool3d_with_argmax, 3),
        (cairn.torch.adaptive_max_pool2d, cairn.adaptive_max_pool2d, 2),
        (cairn.torch.adaptive_max_pool3d, cairn.adaptive_max_pool3d, 3),
    ]

    def all_of(self, function, spatial):
        """Values alone, twice, with a gradient, and with indices."""
        x = input_of(spatial)
        values = [function(x, 2) for _ in range(2)]
        leaf = x.clone().requires_grad_()
        followed, where = function(leaf, 2, return_indices=True)
        followed.square().sum().backward()
        gradient = value_and_gradient(lambda t: function(t, 2), x)[1]
        return [*values, gradient, followed, leaf.grad, where, *function(x, 2, return_indices=True)]

    @needs_pool
    @needs("aclnnAdaptiveMaxPool2d", "aclnnAdaptiveMaxPool3d")
    def test_every_product_gives_the_same(self):
        for function, _, spatial in self.CALLS:
            expected = self.all_of(function, spatial)
            self.assertEqual(expected[-1].dtype, torch.int64)
            for product in ("portable", "atlas-a2", "atlas-a3", "ascend950"):
                with self.subTest(function=function.__name__, product=product), cairn.product(product):
                    for found, one in zip(self.all_of(function, spatial), expected):
                        self.assertEqual(found.dtype, one.dtype)
                        self.assertTrue(torch.equal(found, one))

    @needs_pool
    @needs("aclnnAdaptiveMaxPool2d", "aclnnAdaptiveMaxPool3d")
    def test_the_product_takes_one_type_alone(self):
        """Else the test above would say nothing."""
        refused = set()
        with cairn.product("atlas-a2"):
            for _, plain, spatial in self.CALLS:
                for name in ("int32", "int64"):
                    try:
                        plain(input_of(spatial), 2, indices_dtype=name)
                    except cairn.CairnError:
                        refused.add((plain.__name__, name))
        self.assertIn(("max_pool3d_with_argmax", "int64"), refused)
        self.assertTrue({name for _, name in refused} == {"int32", "int64"}, refused)

    @needs("aclnnMaxPool2dWithIndices")
    def test_a_product_that_has_no_such_operator_refuses(self):
        for product in ("atlas-training", "atlas-inference"):
            for x in (input_of(2), input_of(2).requires_grad_()):
                with self.subTest(product), cairn.product(product), self.assertRaises(cairn.CairnError) as caught:
                    cairn.torch.max_pool2d(x, 2)
                self.assertIsNotNone(caught.exception.status)
        self.assertEqual(cairn.torch.max_pool2d(input_of(2), 2).shape, (2, 3, 4, 4))

    @needs("aclnnAdaptiveMaxPool2d")
    def test_a_product_that_has_no_backward_has_its_forward(self):
        x = input_of(2).requires_grad_()
        with cairn.product("atlas-training"):
            y, where = cairn.torch.adaptive_max_pool2d(x, 2, return_indices=True)
            self.assertTrue(torch.equal(where, F.adaptive_max_pool2d(x, 2, return_indices=True)[1]))
            self.assertTrue(torch.equal(cairn.torch.adaptive_max_pool2d(x, 2), y))
            with self.assertRaises(cairn.CairnError):
                y.sum().backward()


class MaxUnpoolTest(unittest.TestCase):
    def pooled(self, dtype=torch.float32, spatial=3):
        x = input_of(spatial)
        y, where = POOLS[spatial][1](x[..., :8, :] if spatial == 2 else x[..., :6, :], 2, return_indices=True)
        return y.to(dtype), where

    @needs_unpool
    def test_bits_are_pytorchs(self):
        sizes = {2: ((9, 8), torch.Size((2, 3, 8, 9))), 3: ((7, 6, 8), torch.Size((2, 3, 6, 7, 9)))}
        for spatial, functions in UNPOOLS.items():
            y, where = self.pooled(spatial=spatial)
            for keywords in ({}, *({"output_size": size} for size in sizes[spatial])):
                with self.subTest(spatial=spatial, **keywords):
                    results = [value_and_gradient(lambda t: f(t, where, 2, **keywords), y) for f in functions]
                    for ours, theirs in zip(*results):
                        self.assertTrue(torch.equal(ours, theirs))

    @needs_unpool
    def test_channels_last_gives_contiguous_results(self):
        y, where = self.pooled()
        last = [t.contiguous(memory_format=torch.channels_last_3d) for t in (y, where)]
        x, gradient = value_and_gradient(lambda t: cairn.torch.max_unpool3d(t, last[1], 2), last[0])
        expected, expected_gradient = value_and_gradient(lambda t: F.max_unpool3d(t, where, 2), y)
        self.assertTrue(x.is_contiguous())
        self.assertTrue(torch.equal(x, expected))
        self.assertTrue(torch.equal(gradient, expected_gradient))

    @needs_unpool
    def test_channels_last_stays_channels_last_in_2d(self):
        y, where = self.pooled(spatial=2)
        last = [t.contiguous(memory_format=torch.channels_last) for t in (y, where)]
        x, gradient = value_and_gradient(lambda t: cairn.torch.max_unpool2d(t, last[1], 2), last[0])
        expected, expected_gradient = value_and_gradient(lambda t: F.max_unpool2d(t, where, 2), y)
        self.assertTrue(x.is_contiguous(memory_format=torch.channels_last))
        self.assertTrue(torch.equal(x, expected))
        self.assertTrue(torch.equal(gradient, expected_gradient))

    @needs_unpool
    def test_half_types_go_there_and_back(self):
        for spatial, (ours, _) in UNPOOLS.items():
            for dtype in FLOATS[1:]:
                with self.subTest(spatial=spatial, dtype=dtype):
                    y, where = self.pooled(dtype, spatial)
                    x, gradient = value_and_gradient(lambda t: ours(t, where, 2), y)
                    g = torch.randn(x.shape, generator=torch.Generator().manual_seed(7)).to(dtype)
                    self.assertEqual((x.dtype, gradient.dtype), (dtype, dtype))
                    self.assertTrue(torch.equal(x.flatten(-spatial).gather(-1, where.flatten(-spatial)),
                                                y.flatten(-spatial)))
                    self.assertTrue(torch.equal(g.flatten(-spatial).gather(-1, where.flatten(-spatial)),
                                                gradient.flatten(-spatial)))

    @needs_unpool
    def test_without_batch(self):
        for spatial, functions in UNPOOLS.items():
            y, where = self.pooled(spatial=spatial)
            ours, theirs = (f(y[0], where[0], 2) for f in functions)
            self.assertTrue(torch.equal(ours, theirs))

    @needs_unpool
    def test_sizes_no_pooling_could_have_come_from(self):
        for spatial, wrong in ((3, ((6, 7, 9, 9), (6, 7, 11), (2, 6, 8))), (2, ((8, 8, 8), (8, 11), (2, 8)))):
            y, where = self.pooled(spatial=spatial)
            for size in wrong:
                with self.subTest(size), self.assertRaisesRegex(ValueError, "output_size"):
                    UNPOOLS[spatial][0](y, where, 2, output_size=size)

    @needs_unpool
    def test_gradcheck(self):
        for spatial, (ours, _) in UNPOOLS.items():
            y, where = self.pooled(torch.float64, spatial)
            y.requires_grad_()
            function = lambda t: ours(t, where, 2)  # noqa: E731
            self.assertTrue(torch.autograd.gradcheck(function, (y,)))
            self.assertTrue(torch.autograd.gradgradcheck(function, (y,)))

    @needs_unpool
    def test_gradients_of_another_type(self):
        """Autograd converts what it is given before it asks for the gradient; the function alone converts itself."""
        y, where = self.pooled(torch.float16, 2)
        y.requires_grad_()
        x = cairn.torch.max_unpool2d(y, where, 2)
        g = torch.randn(x.shape, dtype=torch.float32)
        (gradient,) = torch.autograd.grad(x, y, g)
        self.assertEqual(gradient.dtype, torch.float16)
        converted = cairn.max_unpool2d_backward(g, torch.empty_like(y, dtype=torch.float32), where, out_dtype="float16")
        self.assertTrue(torch.equal(gradient, converted))

    @needs_unpool
    def test_faulty_index(self):
        for spatial, (ours, _) in UNPOOLS.items():
            y, where = self.pooled(spatial=spatial)
            where.view(-1)[5] = 10**6
            with self.assertRaisesRegex(cairn.CairnError, r"indices\[5\] is 1000000") as caught:
                ours(y, where, 2)
            self.assertEqual(caught.exception.status, 507035)


class UpsampleTest(unittest.TestCase):
    CASES = [
        {"scale_factor": 2},
        {"scale_factor": (1.0, 2.0, 3.0)},
        {"size": (9, 7, 16)},
        {"size": 12},
        {"size": (3, 4, 5)},
    ]

    @needs_upsample
    def test_values_are_pytorchs(self):
        for case in self.CASES:
            for dtype in [torch.float32, torch.float64]:
                with self.subTest(case=case, dtype=dtype):
                    x = input_of(3, dtype)
                    self.assertTrue(torch.equal(cairn.torch.upsample_nearest3d(x, **case), F.interpolate(x, **case)))

    @needs_upsample
    def test_gradients_are_pytorchs(self):
        for case in self.CASES:
            with self.subTest(case):
                x = input_of(3, torch.float64)
                _, ours = value_and_gradient(lambda t: cairn.torch.upsample_nearest3d(t, **case), x)
                _, theirs = value_and_gradient(lambda t: F.interpolate(t, **case), x)
                torch.testing.assert_close(ours, theirs)

    @needs_upsample
    def test_half_types_and_channels_last(self):
        for dtype in FLOATS:
            x = input_of(3, dtype).to(memory_format=torch.channels_last_3d)
            y, gradient = value_and_gradient(lambda t: cairn.torch.upsample_nearest3d(t, scale_factor=2), x)
            for tensor in (y, gradient):
                self.assertEqual(tensor.dtype, dtype)
                self.assertTrue(tensor.is_contiguous(memory_format=torch.channels_last_3d))
            self.assertTrue(torch.equal(y.float(), F.interpolate(x.float(), scale_factor=2)))

    @needs_upsample
    def test_gradcheck(self):
        for case in self.CASES[:4]:
            with self.subTest(case):
                x = torch.randn(1, 2, 3, 2, 4, dtype=torch.float64, requires_grad=True)
                function = lambda t: cairn.torch.upsample_nearest3d(t, **case)  # noqa: E731
                self.assertTrue(torch.autograd.gradcheck(function, (x,)))
                self.assertTrue(torch.autograd.gradgradcheck(function, (x,)))

    @needs_upsample
    def test_either_size_or_scale(self):
        for case in ({}, {"size": 4, "scale_factor": 2}):
            with self.assertRaisesRegex(ValueError, "either size or scale_factor"):
                cairn.torch.upsample_nearest3d(input_of(3), **case)


class FunctionTest(unittest.TestCase):
    """The functions of cairn itself on torch tensors, without autograd."""

    def test_backward_on_tensors_of_every_type(self):
        for dtype in FLOATS:
            x = input_of(3)
            y, where = F.max_pool3d(x, 3, 2, 1, return_indices=True)
            expected = x.requires_grad_()
            g = torch.randn_like(y).to(dtype)
            F.max_pool3d(expected, 3, 2, 1).backward(g.float())
            result = cairn.max_pool3d_with_argmax_backward(g, x.detach().to(dtype), where, 3, 2, 1)
            self.assertEqual(result.dtype, dtype)
            self.assertTrue(torch.equal(result, expected.grad.to(dtype)))

    def test_writes_into_out(self):
        g = torch.randn(1, 2, 4, 4, 4)
        out = torch.empty(1, 2, 2, 2, 2)
        before = out._version
        self.assertIs(cairn.upsample_nearest3d_backward(g, None, out.shape, out=out), out)
        torch.testing.assert_close(out, F.avg_pool3d(g, 2) * 8)
        if hasattr(torch.autograd.graph, "increment_version"):
            self.assertGreater(out._version, before)

    def test_tensors_that_cannot_be_used(self):
        g = torch.randn(1, 2, 4, 4, 4)
        cases = [
            (ValueError, "device meta", g.to("meta"), None),
            (TypeError, "complex64", g.to(torch.complex64), None),
            (TypeError, "layout torch.sparse_coo", g.to_sparse(), None),
            (TypeError, "qint8", torch.quantize_per_tensor(g, 0.1, 0, torch.qint8), None),
            (ValueError, "requires grad", g, torch.empty(1, 2, 2, 2, 2, requires_grad=True)),
            (ValueError, "negated view", torch.imag(g.to(torch.complex64).conj()), None),
        ]
        for exception, pattern, tensor, out in cases:
            with self.subTest(pattern), self.assertRaisesRegex(exception, pattern):
                cairn.upsample_nearest3d_backward(tensor, None, (1, 2, 2, 2, 2), out=out)

    def test_integers_and_numbers_in_tensors(self):
        x = torch.randn(1, 1, 4, 4, 4)
        y, where = cairn.max_pool3d_with_argmax(x, 2)
        for kernel in (torch.tensor(2), torch.tensor([2, 2, 2]), x.shape[-1] // 2, torch.Size([2, 2, 2])):
            self.assertTrue(torch.equal(cairn.max_pool3d_with_argmax(x, kernel)[0], y))
        for kernel in (torch.tensor(2.0), torch.tensor([2.0, 2.0, 2.0]), "222", 2.0, None):
            for function in (cairn.max_pool3d_with_argmax, cairn.torch.max_pool3d):
                with self.subTest(kernel=kernel), self.assertRaisesRegex(TypeError, "kernel_size"):
                    function(x, kernel)
        up = cairn.torch.upsample_nearest3d(x, scale_factor=2.0)
        self.assertTrue(torch.equal(cairn.upsample_nearest3d(x, scale_factor=torch.tensor(2.0)), up))
        for size, scale in ((8.7, None), ("8", None), (None, "2"), (None, 2j)):
            with self.subTest(size=size, scale=scale), self.assertRaises(TypeError):
                cairn.torch.upsample_nearest3d(x, size, scale)
        with self.assertRaisesRegex(TypeError, r"output_size\[0\] is 4.5"):
            cairn.torch.max_unpool3d(y, where, 2, output_size=(4.5, 4, 4))

    def test_results_larger_than_a_tensor(self):
        x = torch.randn(1, 1, 4, 4, 4)
        with self.assertRaisesRegex(ValueError, "more than an array can hold"):
            cairn.upsample_nearest3d(x, 2**62)

    def test_what_is_no_tensor_or_module(self):
        for wrong in (None, [1.0], "x"):
            sentence = "input is a .*expected a tensor"
            for function in (cairn.torch.max_pool3d, cairn.torch.max_pool2d, cairn.torch.upsample_nearest3d):
                with self.subTest(function=function), self.assertRaisesRegex(TypeError, sentence):
                    function(wrong, 2)
            with self.assertRaisesRegex(TypeError, sentence):
                cairn.torch.max_unpool3d(wrong, wrong, 2)
            with self.assertRaisesRegex(TypeError, sentence):
                cairn.torch.max_unpool2d(wrong, wrong, 2)
            with self.assertRaisesRegex(TypeError, "model is a .*expected a torch.nn.Module"):
                cairn.torch.replace(wrong)


if __name__ == "__main__":
    unittest.main()
