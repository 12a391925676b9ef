"""Every operator, type and layout on numpy arrays, bit for bit against plain loops."""

import itertools
import unittest

import numpy as np
import support as s

import cairn
from cairn import _library

POOLS = {
    2: (cairn.max_pool2d_with_indices, cairn.max_pool2d_with_indices_backward),
    3: (cairn.max_pool3d_with_argmax, cairn.max_pool3d_with_argmax_backward),
}
ADAPTIVE_POOLS = {
    2: (cairn.adaptive_max_pool2d, cairn.adaptive_max_pool2d_backward),
    3: (cairn.adaptive_max_pool3d, cairn.adaptive_max_pool3d_backward),
}
ADAPTIVE_SIZES = {2: [(1, 1), (3, 4), (7, 2), (9, 6)], 3: [(1, 1, 1), (2, 3, 4), (4, 5, 7), (3, 1, 2)]}
UNPOOLS = {
    2: (cairn.max_unpool2d, cairn.max_unpool2d_backward),
    3: (cairn.max_unpool3d, cairn.max_unpool3d_backward),
}
WINDOWS = {  # kernel, stride, padding, dilation, ceil_mode
    2: [(2, 2, 0, 1, False), (3, 2, 1, 1, False), ((3, 2), (2, 1), (1, 0), (1, 2), True), (2, 3, 1, 1, True)],
    3: [(2, 2, 0, 1, False), (3, 1, 1, 1, False), ((1, 3, 2), (1, 2, 2), (0, 1, 1), (1, 1, 2), True)],
}
SHAPES = {2: (2, 3, 7, 6), 3: (2, 2, 4, 5, 6)}


def per_axis(values, spatial):
    return (values,) * spatial if isinstance(values, int) else values


def window_of(case, spatial):
    return tuple(per_axis(values, spatial) for values in case[:4])


def pooled(spatial, type_, case, seed=0):
    """An input, and the oracle's pooling of it."""
    x = type_.random(np.random.default_rng(seed), SHAPES[spatial])
    return x, *s.max_pool(x, type_, window_of(case, spatial), case[4])


def needs(*names):
    missing = [name for name in names if not _library.has(name)]
    return unittest.skipIf(missing, f"the library has no {', '.join(missing)}")


needs_unpool = needs("aclnnMaxUnpool3d", "aclnnMaxUnpool2d")


class BitsTest(unittest.TestCase):
    def assertBits(self, result, expected):
        self.assertEqual(result.dtype, expected.dtype)
        self.assertEqual(result.shape, expected.shape)
        size = f"u{result.dtype.itemsize}"
        same = np.ascontiguousarray(result).view(size) == np.ascontiguousarray(expected).view(size)
        self.assertTrue(same.all(), f"{result[~same][:4]} instead of {expected[~same][:4]}")


class MaxPoolTest(BitsTest):
    @needs("aclnnMaxPool3dWithArgmax", "aclnnMaxPool2dWithIndices")
    def test_forward_is_the_definition(self):
        for spatial, (forward, _) in POOLS.items():
            for type_ in s.POOL_TYPES:
                for case in WINDOWS[spatial]:
                    for index_type in ("int32", "int64"):
                        with self.subTest(spatial=spatial, type=type_, case=case, indices=index_type):
                            x, y, where = pooled(spatial, type_, case)
                            result, indices = forward(x, *case, indices_dtype=index_type, **type_.keywords)
                            self.assertBits(result, y)
                            self.assertBits(indices, where.astype(index_type))

    @needs("aclnnAdaptiveMaxPool2d", "aclnnAdaptiveMaxPool3d")
    def test_adaptive_pooling_is_the_definition(self):
        for spatial, (forward, backward) in ADAPTIVE_POOLS.items():
            for type_ in s.POOL_TYPES:
                for size in ADAPTIVE_SIZES[spatial]:
                    with self.subTest(spatial=spatial, type=type_, size=size):
                        x = type_.random(np.random.default_rng(1), SHAPES[spatial])
                        y, where = s.adaptive_max_pool(x, type_, size)
                        result, indices = forward(x, size, indices_dtype="int32", **type_.keywords)
                        self.assertBits(result, y)
                        self.assertBits(indices, where.astype("int32"))
                        g = type_.random(np.random.default_rng(2), y.shape)
                        gradient = backward(g, x, where, **type_.keywords)
                        self.assertBits(gradient, s.max_pool_backward(g, type_, where, x.shape, spatial))

    @needs("aclnnAdaptiveMaxPool2d", "aclnnAdaptiveMaxPool3d", "aclnnAdaptiveAvgPool2d", "aclnnAdaptiveAvgPool3d")
    def test_none_keeps_the_size_of_an_axis(self):
        means = {2: cairn.adaptive_avg_pool2d, 3: cairn.adaptive_avg_pool3d}
        for spatial, (forward, _) in ADAPTIVE_POOLS.items():
            x = s.POOL_TYPES[0].random(np.random.default_rng(3), SHAPES[spatial])
            own, twos = x.shape[-spatial:], (2,) * (spatial - 1)
            sizes = [(size, own) for size in (None, (None,), [None] * spatial)]
            sizes += [((None, *twos), (own[0], *twos)), (np.array([*twos, None]), (*twos, own[-1]))]
            for (size, same), array in itertools.product(sizes, (x, x[0])):
                with self.subTest(spatial=spatial, size=size, axes=array.ndim):
                    for result, expected in zip(forward(array, size), forward(array, same)):
                        self.assertBits(result, expected)
                    self.assertBits(means[spatial](array, size), means[spatial](array, same))
            for wrong, function in itertools.product(((None,) * (spatial + 1), ()), (forward, means[spatial])):
                with self.assertRaisesRegex(ValueError, "output_size has"):
                    function(x, wrong)

    @needs("aclnnMaxPool3dWithArgmax")
    def test_forward_reads_and_writes_any_layout(self):
        x, y, where = pooled(3, s.POOL_TYPES[0], WINDOWS[3][1])
        for name, laid_out in s.layouts(x):
            for out_name, out in s.layouts(np.zeros_like(y)):
                with self.subTest(source=name, out=out_name):
                    indices = np.zeros_like(where, order="F")
                    result = cairn.max_pool3d_with_argmax(laid_out, 3, 1, 1, out=(out, indices))
                    self.assertIs(result[0], out)
                    self.assertIs(result[1], indices)
                    self.assertBits(out, y)
                    self.assertBits(indices, where)

    @needs("aclnnMaxPool3dWithArgmax")
    def test_last_nan_wins_and_padding_has_no_index(self):
        x = np.zeros((1, 1, 1, 1, 4), np.float32)
        x[..., 1:3] = np.nan
        y, where = cairn.max_pool3d_with_argmax(x, (1, 1, 4))
        self.assertTrue(np.isnan(y).all())
        self.assertEqual(where.item(), 2)
        y, where = cairn.max_pool3d_with_argmax(x, (1, 1, 2), padding=(0, 0, 1), dilation=(1, 1, 5))
        self.assertEqual((y.item(), where.item()), (-np.inf, -1))

    def test_backward_is_the_definition(self):
        for spatial, (_, backward) in POOLS.items():
            for type_ in s.POOL_TYPES:
                for case in WINDOWS[spatial]:
                    for index_type in (np.int32, np.int64):
                        with self.subTest(spatial=spatial, type=type_, case=case, indices=index_type):
                            x, y, where = pooled(spatial, type_, case)
                            g = type_.random(np.random.default_rng(1), y.shape)
                            result = backward(g, x, where.astype(index_type), *case, **type_.keywords)
                            self.assertBits(result, s.max_pool_backward(g, type_, where, x.shape, spatial))

    def test_backward_reads_and_writes_any_layout(self):
        type_, case = s.POOL_TYPES[0], WINDOWS[3][1]
        x, y, where = pooled(3, type_, case)
        g = type_.random(np.random.default_rng(1), y.shape)
        expected = s.max_pool_backward(g, type_, where, x.shape, 3)
        for (name, laid_out), (_, indices) in zip(s.layouts(g), reversed(list(s.layouts(where)))):
            for out_name, out in s.layouts(np.full_like(x, 7)):
                with self.subTest(grad_output=name, out=out_name):
                    self.assertIs(cairn.max_pool3d_with_argmax_backward(laid_out, x, indices, *case, out=out), out)
                    self.assertBits(out, expected)

    def test_gradients_that_repeat_one_element(self):
        x, y, where = pooled(3, s.POOL_TYPES[0], WINDOWS[3][0])
        g = np.broadcast_to(np.float32(0.5), y.shape)
        expected = s.max_pool_backward(g, s.POOL_TYPES[0], where, x.shape, 3)
        self.assertBits(cairn.max_pool3d_with_argmax_backward(g, x, where, 2), expected)

    def test_without_batch(self):
        for spatial, (_, backward) in POOLS.items():
            x, y, where = pooled(spatial, s.POOL_TYPES[0], WINDOWS[spatial][0])
            expected = s.max_pool_backward(y[0], s.POOL_TYPES[0], where[0], x[0].shape, spatial)
            self.assertBits(backward(y[0], x[0], where[0], 2), expected)

    def test_empty_batch(self):
        x = np.zeros((0, 3, 4, 4, 4), np.float32)
        y = np.zeros((0, 3, 2, 2, 2), np.float32)
        self.assertEqual(cairn.max_pool3d_with_argmax_backward(y, x, y.astype(np.int64), 2).shape, x.shape)


class MaxPool2dSiblingsTest(BitsTest):
    INTEGERS = [s.Type(name) for name in ("int8", "uint8", "int16", "uint16", "int32", "int64")]

    @needs("aclnnMaxPool")
    def test_values_are_the_definition(self):
        for type_ in s.POOL_TYPES:
            for case in WINDOWS[2]:
                with self.subTest(type=type_, case=case):
                    x, y, _ = pooled(2, type_, case)
                    self.assertBits(cairn.max_pool2d(x, *case, **type_.keywords), y)

    @needs("aclnnMaxPool")
    def test_integers(self):
        for type_ in self.INTEGERS:
            with self.subTest(type=type_):
                x = type_.random(np.random.default_rng(5), (2, 3, 6, 8)) - type_.storage.type(50)
                expected = x.reshape(2, 3, 3, 2, 4, 2).max(axis=(3, 5))
                self.assertBits(cairn.max_pool2d(x, 2), expected)

    @needs("aclnnMaxPool")
    def test_padding_on_each_side(self):
        x = np.array([[[1, 2, 3, 4, 5]]], np.float32)
        self.assertEqual(cairn.max_pool2d(x, (1, 3), (1, 2), (0, 2, 0, 1)).ravel().tolist(), [1, 3, 5])
        self.assertEqual(cairn.max_pool2d(x, (1, 3), (1, 2), (0, 2, 0, 1), ceil_mode=True).ravel().tolist(), [1, 3, 5, 5])
        self.assertEqual(cairn.max_pool2d(x[..., :2], (1, 2), 1, (0, 2, 0, 0)).ravel().tolist(), [-np.inf, 1, 2])

    @needs("aclnnMaxPool2dWithMask")
    def test_mask_and_its_gradient_are_those_of_indices(self):
        for type_ in s.POOL_TYPES:
            for case in WINDOWS[2]:
                with self.subTest(type=type_, case=case):
                    x, y, where = pooled(2, type_, case)
                    out, mask = cairn.max_pool2d_with_mask(x, *case, **type_.keywords)
                    self.assertBits(out, y)
                    self.assertBits(mask.ravel()[: 4 * y.size].view(np.int32).reshape(y.shape), where.astype(np.int32))
                    g = type_.random(np.random.default_rng(1), y.shape)
                    result = cairn.max_pool2d_with_mask_backward(g, x, mask, *case, **type_.keywords)
                    self.assertBits(result, s.max_pool_backward(g, type_, where, x.shape, 2))


class MaxUnpoolTest(BitsTest):
    def case(self, type_, spatial=3):
        generator = np.random.default_rng(2)
        small, size = {2: ((4, 3), (8, 10)), 3: ((2, 3, 2), (4, 5, 4))}[spatial]
        y = type_.random(generator, (2, 3, *small))
        where = np.stack([generator.permutation(80)[:12] for _ in range(6)]).reshape(y.shape)
        where.flat[3] = -1
        return y, where, size

    @needs_unpool
    def test_forward_is_the_definition(self):
        for spatial, (forward, _) in UNPOOLS.items():
            for type_ in s.UNPOOL_TYPES:
                for index_type in (np.int32, np.int64):
                    with self.subTest(spatial=spatial, type=type_, indices=index_type):
                        y, where, size = self.case(type_, spatial)
                        result = forward(y, where.astype(index_type), output_size=size, **type_.keywords)
                        self.assertBits(result, s.max_unpool(y, where, size))

    @needs_unpool
    def test_forward_size_follows_from_the_window(self):
        y, where, _ = self.case(s.UNPOOL_TYPES[0])
        self.assertEqual(cairn.max_unpool3d(y, where, 2, (2, 3, 2)).shape, (2, 3, 4, 8, 4))
        self.assertEqual(cairn.max_unpool3d(y, where, 3, 4, 1).shape, (2, 3, 5, 9, 5))
        y2, where2, _ = self.case(s.UNPOOL_TYPES[0], 2)
        self.assertEqual(cairn.max_unpool2d(y2, where2, 4, (4, 5)).shape, (2, 3, 16, 14))
        self.assertEqual(cairn.max_unpool2d(y2[0], where2[0], (5, 4), 4, (1, 0)).shape, (3, 15, 12))
        for forward, arrays in ((cairn.max_unpool3d, (y, where)), (cairn.max_unpool2d, (y2, where2))):
            with self.assertRaisesRegex(ValueError, "kernel_size nor output_size"):
                forward(*arrays)

    @needs_unpool
    def test_forward_reads_any_layout(self):
        y, where, size = self.case(s.UNPOOL_TYPES[0])
        expected = s.max_unpool(y, where, size)
        for (name, laid_out), (_, indices) in zip(s.layouts(y), reversed(list(s.layouts(where)))):
            with self.subTest(source=name):
                out = np.full((2, 3, *size), 7, np.float32)
                self.assertIs(cairn.max_unpool3d(laid_out, indices, output_size=size, out=out), out)
                self.assertBits(out, expected)

    @needs_unpool
    def test_2d_reads_and_writes_any_layout(self):
        y, where, size = self.case(s.UNPOOL_TYPES[0], 2)
        g = s.UNPOOL_TYPES[0].random(np.random.default_rng(3), (2, 3, *size))
        for name, laid_out in s.layouts(y):
            for out_name, out in s.layouts(np.full(g.shape, 7, np.float32)):
                with self.subTest(source=name, out=out_name):
                    self.assertIs(cairn.max_unpool2d(laid_out, where, output_size=size, out=out), out)
                    self.assertBits(out, s.max_unpool(y, where, size))
        for name, laid_out in s.layouts(g):
            for out_name, out in s.layouts(np.full_like(y, 7)):
                with self.subTest(grad_output=name, out=out_name):
                    self.assertIs(cairn.max_unpool2d_backward(laid_out, y, where, out=out), out)
                    self.assertBits(out, s.max_unpool_backward(g, where, 2))

    @needs_unpool
    def test_2d_results_have_the_layout_of_what_they_are_made_like(self):
        y, where, size = self.case(s.UNPOOL_TYPES[0], 2)
        last = dict(s.layouts(y))["channels last"]
        x = cairn.max_unpool2d(last, where, output_size=size)
        self.assertEqual(x.strides[1], x.itemsize)
        self.assertEqual(cairn.max_unpool2d_backward(x, y, where).strides[1], x.itemsize)

    @needs_unpool
    def test_backward_is_the_definition(self):
        for spatial, (_, backward) in UNPOOLS.items():
            for type_ in s.UNPOOL_TYPES:
                for index_type in (np.int32, np.int64):
                    with self.subTest(spatial=spatial, type=type_, indices=index_type):
                        y, where, size = self.case(type_, spatial)
                        g = type_.random(np.random.default_rng(3), (2, 3, *size))
                        result = backward(g, y, where.astype(index_type), size, **type_.keywords)
                        self.assertBits(result, s.max_unpool_backward(g, where, spatial))

    def test_backward_reads_any_layout(self):
        y, where, size = self.case(s.UNPOOL_TYPES[0])
        g = s.UNPOOL_TYPES[0].random(np.random.default_rng(3), (2, 3, *size))
        for (name, laid_out), (_, indices) in zip(s.layouts(g), reversed(list(s.layouts(where)))):
            with self.subTest(grad_output=name):
                out = np.full_like(y, 7)
                self.assertIs(cairn.max_unpool3d_backward(laid_out, y, indices, out=out), out)
                self.assertBits(out, s.max_unpool_backward(g, where, 3))

    @needs_unpool
    def test_2d_backward_converts(self):
        where = np.arange(4).reshape(1, 2, 2)
        bits = [1.0, 70000.0, -0.0, 1 + 2**-11]
        for values, source, target, expected in (
            (bits, "float32", "float16", np.array([1, np.inf, -0.0, 1], np.float16)),
            (bits, "float32", "bfloat16", s.to_bfloat16(np.array(bits, s.f32))),
            (bits, "float64", "float32", np.array(bits, s.f32)),
            ([300, -1, 127, 128], "int32", "int8", np.array([44, -1, 127, -128], np.int8)),
            ([2**24 + 1, -3, 0, 7], "int64", "float32", np.array([2**24, -3, 0, 7], s.f32)),
            ([0, 1, 1, 0], "bool", "float32", np.array([0, 1, 1, 0], s.f32)),
            ([0, 1, 1, 0], "bool", "bool", np.array([0, 1, 1, 0], bool)),
        ):
            with self.subTest(source=source, target=target):
                g = np.array(values, source).reshape(1, 2, 2)
                expected = expected.reshape(1, 2, 2)
                self.assertBits(cairn.max_unpool2d_backward(g, g, where, out_dtype=target), expected)
                out = np.full_like(expected, 1)
                keywords = {"out_dtype": target} if target == "bfloat16" else {}
                self.assertIs(cairn.max_unpool2d_backward(g, g, where, out=out, **keywords), out)
                self.assertBits(out, expected)
        stored = s.to_bfloat16(np.array(bits, s.f32)).reshape(1, 2, 2)
        result = cairn.max_unpool2d_backward(stored, stored, where, dtype="bfloat16", out_dtype="float32")
        self.assertBits(result, s.from_bfloat16(stored))

    @needs_unpool
    def test_2d_backward_converts_no_float_to_integer_and_nothing_to_bool(self):
        where = np.zeros((1, 2, 2), np.int64)
        for source, target in (("float32", "int32"), ("int32", "bool"), ("float32", "bool")):
            with self.subTest(source=source, target=target), self.assertRaisesRegex(cairn.CairnError, "out_type"):
                g = np.zeros((1, 2, 2), source)
                cairn.max_unpool2d_backward(g, g, where, out_dtype=target)
        with self.assertRaisesRegex(ValueError, "out holds float16"):
            g = np.zeros((1, 2, 2), np.float32)
            cairn.max_unpool2d_backward(g, g, where, out_dtype="float32", out=np.zeros((1, 2, 2), np.float16))


class UpsampleTest(BitsTest):
    INPUT = (2, 3, 2, 3, 4)
    SIZES = [(4, 6, 8), (2, 3, 4), (5, 7, 9), (1, 2, 3)]
    SCALES = [2.0, (1.0, 2.0, 1.5), 2.5]

    def planes_of(self, scale):
        scales = (scale,) * 3 if isinstance(scale, float) else scale
        return scales, tuple(int(n * f) for n, f in zip(self.INPUT[2:], scales))

    @needs("aclnnUpsampleNearest3d")
    def test_forward_is_the_definition(self):
        for type_ in [*s.UPSAMPLE_TYPES, s.Type("uint8")]:
            x = type_.random(np.random.default_rng(4), self.INPUT)
            for size in self.SIZES:
                with self.subTest(type=type_, size=size):
                    self.assertBits(cairn.upsample_nearest3d(x, size, **type_.keywords), s.upsample(x, size))
            for scale in self.SCALES:
                with self.subTest(type=type_, scale=scale):
                    scales, size = self.planes_of(scale)
                    result = cairn.upsample_nearest3d(x, scale_factor=scale, **type_.keywords)
                    self.assertBits(result, s.upsample(x, size, scales))

    @needs("aclnnUpsampleNearest3d")
    def test_forward_reads_and_writes_any_layout(self):
        x = s.UPSAMPLE_TYPES[0].random(np.random.default_rng(4), self.INPUT)
        expected = s.upsample(x, (4, 6, 8))
        for name, laid_out in s.layouts(x):
            for out_name, out in s.layouts(np.zeros_like(expected)):
                with self.subTest(source=name, out=out_name):
                    self.assertIs(cairn.upsample_nearest3d(laid_out, (4, 6, 8), out=out), out)
                    self.assertBits(out, expected)

    @needs("aclnnUpsampleNearest3d")
    def test_forward_needs_a_size(self):
        with self.assertRaisesRegex(ValueError, "output_size nor scale_factor"):
            cairn.upsample_nearest3d(np.zeros(self.INPUT, np.float32))

    def test_backward_is_the_definition(self):
        for type_ in s.UPSAMPLE_TYPES:
            for size in self.SIZES:
                with self.subTest(type=type_, size=size):
                    g = type_.random(np.random.default_rng(5), (*self.INPUT[:2], *size))
                    result = cairn.upsample_nearest3d_backward(g, size, self.INPUT, **type_.keywords)
                    self.assertBits(result, s.upsample_backward(g, type_, self.INPUT))
            for scale in self.SCALES:
                with self.subTest(type=type_, scale=scale):
                    scales, size = self.planes_of(scale)
                    g = type_.random(np.random.default_rng(5), (*self.INPUT[:2], *size))
                    result = cairn.upsample_nearest3d_backward(g, None, self.INPUT, scale, **type_.keywords)
                    self.assertBits(result, s.upsample_backward(g, type_, self.INPUT, scales))

    def test_backward_reads_and_writes_any_layout(self):
        type_ = s.UPSAMPLE_TYPES[0]
        g = type_.random(np.random.default_rng(5), (2, 3, 5, 7, 9))
        expected = s.upsample_backward(g, type_, self.INPUT)
        for name, laid_out in s.layouts(g):
            for out_name, out in s.layouts(np.full(self.INPUT, 7, np.float32)):
                with self.subTest(grad_output=name, out=out_name):
                    self.assertIs(cairn.upsample_nearest3d_backward(laid_out, None, self.INPUT, out=out), out)
                    self.assertBits(out, expected)


class RefusalTest(unittest.TestCase):
    """The library's status and sentence arrive in the exception."""

    X = np.zeros((1, 1, 4, 4, 4), np.float32)
    Y = np.zeros((1, 1, 2, 2, 2), np.float32)
    WHERE = np.zeros((1, 1, 2, 2, 2), np.int64)

    def refused(self, pattern, function, *arguments, status=161002, **keywords):
        with self.assertRaisesRegex(cairn.CairnError, pattern) as caught:
            function(*arguments, **keywords)
        self.assertEqual(caught.exception.status, status)

    def test_wrong_shape(self):
        backward = cairn.max_pool3d_with_argmax_backward
        self.refused("gradOutput has shape", backward, self.X, self.X, self.X.astype(np.int64), 2)
        self.refused("indices has shape", backward, self.Y, self.X, self.WHERE[..., :1], 2)
        self.refused("padding is", backward, self.Y, self.X, self.WHERE, 2, padding=2)
        self.refused("inputSize", cairn.upsample_nearest3d_backward, self.X, None, (1, 1, 0, 4, 4))

    def test_wrong_type(self):
        backward = cairn.max_pool3d_with_argmax_backward
        whole = [array.astype(np.int32) for array in (self.Y, self.X)]
        self.refused("INT32", backward, *whole, self.WHERE, 2)
        self.refused("BOOL", cairn.upsample_nearest3d, self.X > 0, (4, 4, 4))
        self.refused("indices", backward, self.Y, self.X, self.WHERE.astype(np.int16), 2)

    @needs("aclnnMaxPool3dWithArgmax", "aclnnMaxUnpool3d", "aclnnUpsampleNearest3d")
    def test_wrong_arguments_of_a_forward(self):
        pool = cairn.max_pool3d_with_argmax
        self.refused("kernelSize", pool, self.X, 9)
        self.refused("kernelSize", pool, self.X, 0)
        self.refused("stride", pool, self.X, 2, stride=0)
        self.refused("dilation", pool, self.X, 2, dilation=0)
        self.refused("self", pool, self.X[0, 0], 2)
        self.refused("outputSize", cairn.max_unpool3d, self.Y, self.WHERE, output_size=(1, 1, 1))
        self.refused("outputSize", cairn.upsample_nearest3d, self.X, (0, 4, 4))

    def test_negative_strides(self):
        backward = cairn.max_pool3d_with_argmax_backward
        self.refused("stride", backward, self.Y[..., ::-1], self.X, self.WHERE, 2)

    def test_output_that_overlaps_an_input(self):
        g = np.zeros((1, 1, 4, 4, 4), np.float32)
        self.refused("overlaps", cairn.upsample_nearest3d_backward, g, None, g.shape, out=g)

    def test_index_outside_its_plane(self):
        where = self.WHERE.copy()
        where[0, 0, 1, 1, 0] = 64
        pattern = r"indices\[6\] is 64, expected 0 to 63"
        for _ in range(2):  # the stream stays usable
            self.refused(pattern, cairn.max_pool3d_with_argmax_backward, self.Y, self.X, where, 2, status=507035)
            cairn.max_pool3d_with_argmax_backward(self.Y, self.X, self.WHERE, 2)
        self.refused("-2", cairn.max_unpool3d_backward, self.X, self.Y, self.WHERE - 2, status=507035)


class ProductTest(unittest.TestCase):
    def test_rules_of_a_product_hold_within_the_block(self):
        x, y = np.zeros((1, 1, 4, 4, 4), np.float32), np.zeros((1, 1, 2, 2, 2), np.float32)
        where = y.astype(np.int64)
        cairn.max_pool3d_with_argmax_backward(y, x, where, 2)  # its plan is kept, and must not be used below
        with cairn.product("Ascend910B1"):
            cairn.max_pool3d_with_argmax_backward(y, x, where.astype(np.int32), 2)
            self.assertEqual(cairn.last_call().product, "atlas-a2")
            with cairn.product("portable"):
                cairn.max_pool3d_with_argmax_backward(y, x, where, 2)
            with self.assertRaisesRegex(cairn.CairnError, "INT64"):
                cairn.max_pool3d_with_argmax_backward(y, x, where, 2)
        cairn.max_pool3d_with_argmax_backward(y, x, where, 2)
        self.assertEqual(cairn.last_call().product, "portable")


if __name__ == "__main__":
    unittest.main()
