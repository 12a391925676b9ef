"""Mean pooling with windows and adaptive: numpy against a plain loop, torch against PyTorch's own."""

import unittest

import numpy as np
import torch
import torch.nn.functional as F

import cairn
import cairn.torch


def plain_mean(x, kernel, stride, padding, include):
    """One window after the other, along the last two axes, summed in float32."""
    sizes = [(n + 2 * padding - kernel) // stride + 1 for n in x.shape[-2:]]
    out = np.zeros((*x.shape[:-2], *sizes), np.float32)
    for h in range(sizes[0]):
        for w in range(sizes[1]):
            rows = slice(max(h * stride - padding, 0), min(h * stride - padding + kernel, x.shape[-2]))
            columns = slice(max(w * stride - padding, 0), min(w * stride - padding + kernel, x.shape[-1]))
            box = x[..., rows, columns]
            total = np.zeros(box.shape[:-2], np.float32)
            for i in range(box.shape[-2]):
                for j in range(box.shape[-1]):
                    total = total + box[..., i, j]
            out[..., h, w] = total / np.float32(kernel * kernel if include else box.shape[-2] * box.shape[-1])
    return out


class Arrays(unittest.TestCase):
    def test_windows_are_summed_in_order(self):
        x = np.random.default_rng(1).standard_normal((2, 3, 9, 11)).astype(np.float32)
        for kernel, stride, padding in ((2, 2, 0), (3, 2, 1), (3, 1, 1), (4, 3, 2)):
            for include in (True, False):
                found = cairn.avg_pool2d(x, kernel, stride, padding, count_include_pad=include)
                expected = plain_mean(x, kernel, stride, padding, include)
                np.testing.assert_array_equal(found, expected, f"{kernel} {stride} {padding} {include}")
                np.testing.assert_array_equal(found[0], cairn.avg_pool2d(x[0], kernel, stride, padding, False, include))

    def test_adaptive_sizes(self):
        x = np.arange(1, 10, dtype=np.float32).reshape(1, 1, 3, 3)
        np.testing.assert_array_equal(cairn.adaptive_avg_pool2d(x, 2).ravel(), [3, 4, 6, 7])
        self.assertEqual(cairn.adaptive_avg_pool2d(x, (None, 2)).shape, (1, 1, 3, 2))
        self.assertEqual(cairn.adaptive_avg_pool2d(x, (0, 2)).shape, (1, 1, 0, 2))
        volume = np.arange(24, dtype=np.float16).reshape(1, 2, 3, 4)
        self.assertEqual(cairn.adaptive_avg_pool3d(volume, (1, None, 2)).shape, (1, 1, 3, 2))

    def test_gradients(self):
        g = np.ones((1, 1, 1, 2), np.float32)
        x = np.zeros((1, 1, 1, 5), np.float32)
        third = np.float32(1) / np.float32(3)
        shares = [third, third, third + third, third, third]
        np.testing.assert_array_equal(cairn.adaptive_avg_pool2d_backward(g, x).ravel(), shares)
        wide = cairn.adaptive_avg_pool3d_backward(np.ones((1, 1, 1, 1, 1)), np.zeros((1, 1, 1, 1, 3)))
        np.testing.assert_array_equal(wide.ravel(), [1 / 3] * 3)
        halves = cairn.avg_pool3d_backward(np.ones((1, 1, 1, 1), np.float16), np.zeros((1, 2, 2, 2), np.float16), 2)
        np.testing.assert_array_equal(halves.ravel(), [0.125] * 8)

    def test_every_product_takes_a_plain_call(self):
        x = np.ones((1, 1, 4, 4), np.float32)
        for product in ("portable", "atlas-a2", "atlas-a3", "ascend950", "atlas-training", "atlas-inference"):
            with cairn.product(product):
                for array in (x, x[0], x.astype(np.float16)):
                    y = cairn.avg_pool2d(array, 2)
                    cairn.avg_pool2d_backward(y, array, 2)
                    cairn.adaptive_avg_pool2d_backward(cairn.adaptive_avg_pool2d(array, 2), array)

    def test_refusals(self):
        x = np.ones((1, 1, 4, 4), np.float32)
        with self.assertRaisesRegex(ValueError, "divisor_override is 0"):
            cairn.avg_pool2d(x, 2, divisor_override=0)
        with self.assertRaisesRegex(cairn.CairnError, "padding"):
            cairn.avg_pool2d(x, 2, padding=2)
        with self.assertRaisesRegex(cairn.CairnError, "data type DOUBLE"):
            cairn.avg_pool2d(x.astype(np.float64), 2)
        with self.assertRaisesRegex(TypeError, "output_size"):
            cairn.adaptive_avg_pool2d(x, 1.5)


class Tensors(unittest.TestCase):
    PAIRS = (
        (lambda x: cairn.torch.avg_pool2d(x, 3, 2, 1), lambda x: F.avg_pool2d(x, 3, 2, 1)),
        (lambda x: cairn.torch.avg_pool2d(x, 2, 2, 0, True), lambda x: F.avg_pool2d(x, 2, 2, 0, True)),
        (
            lambda x: cairn.torch.avg_pool2d(x, (3, 2), 1, 1, True, False, 5),
            lambda x: F.avg_pool2d(x, (3, 2), 1, 1, True, False, 5),
        ),
        (lambda x: cairn.torch.adaptive_avg_pool2d(x, (4, 5)), lambda x: F.adaptive_avg_pool2d(x, (4, 5))),
        (lambda x: cairn.torch.adaptive_avg_pool2d(x, (None, 1)), lambda x: F.adaptive_avg_pool2d(x, (None, 1))),
    )
    VOLUMES = (
        (lambda x: cairn.torch.avg_pool3d(x, 2), lambda x: F.avg_pool3d(x, 2)),
        (lambda x: cairn.torch.avg_pool3d(x, 3, 2, 1), lambda x: F.avg_pool3d(x, 3, 2, 1)),
        (lambda x: cairn.torch.adaptive_avg_pool3d(x, (2, 3, 4)), lambda x: F.adaptive_avg_pool3d(x, (2, 3, 4))),
    )

    def compare(self, ours, theirs, x):
        mine, other = (x.detach().clone(memory_format=torch.preserve_format).requires_grad_() for _ in range(2))
        y, z = ours(mine), theirs(other)
        torch.testing.assert_close(y, z, rtol=0, atol=1e-6)
        gradient = torch.randn_like(z)
        y.backward(gradient)
        z.backward(gradient)
        torch.testing.assert_close(mine.grad, other.grad, rtol=0, atol=2e-6)
        return y, mine.grad

    def test_images_meet_pytorch(self):
        torch.manual_seed(1)
        for memory_format in (torch.contiguous_format, torch.channels_last):
            x = torch.randn(2, 8, 15, 17).to(memory_format=memory_format)
            for ours, theirs in self.PAIRS:
                y, gradient = self.compare(ours, theirs, x)
                self.assertTrue(y.is_contiguous(memory_format=memory_format))
                self.assertTrue(gradient.is_contiguous(memory_format=memory_format))

    def test_volumes_meet_pytorch(self):
        torch.manual_seed(2)
        for ours, theirs in self.VOLUMES:
            self.compare(ours, theirs, torch.randn(2, 3, 6, 7, 8))

    def test_second_derivatives(self):
        x = torch.randn(1, 1, 5, 5, requires_grad=True)
        results = []
        for pool in (lambda t: cairn.torch.avg_pool2d(t, 2), lambda t: F.avg_pool2d(t, 2)):
            (first,) = torch.autograd.grad((pool(x) ** 3).sum(), x, create_graph=True)
            results.append(torch.autograd.grad((first**2).sum(), x)[0])
        torch.testing.assert_close(*results, rtol=1e-5, atol=1e-6)

    def test_other_types_are_pytorchs(self):
        calls = [
            ("avg_pool2d", (3, 2, 1, True, False, 7)),
            ("adaptive_avg_pool2d", ((3, None),)),
            ("avg_pool3d", (2, 1, 1)),
            ("adaptive_avg_pool3d", (2,)),
        ]
        for seed, (name, arguments) in enumerate(calls):
            torch.manual_seed(seed)
            ours, theirs = getattr(cairn.torch, name), getattr(F, name)
            x = torch.randn((2, 3, 4, 5, 6)[: 5 if "3d" in name else 4], dtype=torch.float64)
            results = []
            for function in (ours, theirs):
                leaf = x.clone().requires_grad_()
                y = function(leaf, *arguments)
                y.square().sum().backward()
                results.append((y.detach(), leaf.grad, function(x, *arguments)))
            for mine, other in zip(*results):
                self.assertEqual(mine.dtype, torch.float64)
                self.assertTrue(torch.equal(mine, other))
            with self.assertRaises(RuntimeError) as caught:
                ours(torch.ones(x.shape, dtype=torch.bool), *arguments)
            self.assertNotIsInstance(caught.exception, cairn.CairnError)  # PyTorch's own sentence

    def test_an_empty_result_has_a_gradient_of_zeros(self):
        for function, shape, size in (
            (cairn.torch.adaptive_avg_pool2d, (2, 3, 4, 5), (0, 2)),
            (cairn.torch.adaptive_avg_pool3d, (3, 4, 5, 6), (2, 0, 2)),
        ):
            for last in (False, True):
                leaf = torch.ones(shape).to(memory_format=torch.channels_last) if last else torch.ones(shape)
                leaf.requires_grad_()
                y = function(leaf, size)
                self.assertEqual(tuple(y.shape), (*shape[: -len(size)], *size))
                (gradient,) = torch.autograd.grad(y.sum(), leaf, create_graph=True)
                self.assertTrue(torch.equal(gradient, torch.zeros(shape)))
                self.assertEqual(gradient.stride(), leaf.stride())
        nothing = torch.ones(0, 3, 4, 4, requires_grad=True)
        cairn.torch.avg_pool2d(nothing, 2).sum().backward()
        self.assertEqual(nothing.grad.shape, nothing.shape)

    def test_replace(self):
        modules = (
            torch.nn.AvgPool2d(3, 2, 1, count_include_pad=False),
            torch.nn.AdaptiveAvgPool2d((5, None)),
            torch.nn.AvgPool2d(2, divisor_override=3),
        )
        model = torch.nn.Sequential(*modules)
        x = torch.randn(2, 3, 40, 30)
        before, wide = model(x), model(x.double())
        self.assertIs(cairn.torch.replace(model), model)
        self.assertIs(type(model[1]), cairn.torch.AdaptiveAvgPool2d)
        torch.testing.assert_close(model(x), before, rtol=0, atol=1e-6)
        torch.testing.assert_close(model(x.double()), wide, rtol=0, atol=0)  # PyTorch's own
        volumes = torch.nn.Sequential(torch.nn.AvgPool3d(2), torch.nn.AdaptiveAvgPool3d(2))
        v = torch.randn(1, 2, 8, 8, 8)
        before = volumes(v)
        cairn.torch.replace(volumes)
        self.assertIs(type(volumes[0]), cairn.torch.AvgPool3d)
        torch.testing.assert_close(volumes(v), before, rtol=0, atol=1e-6)


if __name__ == "__main__":
    unittest.main()
