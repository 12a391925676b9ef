"""Nearest upsampling in one, two and three dimensions on numpy arrays, bit for bit against plain loops."""

import unittest

import numpy as np
import support as s
from test_operators import BitsTest, needs

import cairn

FORWARD = {
    (1, False): cairn.upsample_nearest1d,
    (2, False): cairn.upsample_nearest2d,
    (3, False): cairn.upsample_nearest3d,
    (1, True): cairn.upsample_nearest_exact1d,
    (2, True): cairn.upsample_nearest_exact2d,
    (3, True): cairn.upsample_nearest_exact3d,
}
BACKWARD = {
    (1, False): cairn.upsample_nearest1d_backward,
    (2, False): cairn.upsample_nearest2d_backward,
    (3, False): cairn.upsample_nearest3d_backward,
    (1, True): cairn.upsample_nearest_exact1d_backward,
    (2, True): cairn.upsample_nearest_exact2d_backward,
    (3, True): cairn.upsample_nearest_exact3d_backward,
}
INPUT = (2, 3, 2, 3, 4)
SIZES = [(4, 6, 8), (2, 3, 4), (5, 7, 9), (1, 2, 3)]
SCALES = [(2.0, 2.0, 2.0), (1.0, 2.0, 1.5), (2.5, 2.5, 2.5)]

needs_family = needs("aclnnUpsampleNearest1d", "aclnnUpsampleNearestExact3d")


def shape_of(spatial):
    return (*INPUT[:2], *INPUT[-spatial:])


def scaled_size(spatial, scales):
    return tuple(int(n * f) for n, f in zip(INPUT[-spatial:], scales))


class UpsampleTest(BitsTest):
    @needs_family
    def test_forward_is_the_definition(self):
        for (spatial, exact), function in FORWARD.items():
            for type_ in [*s.UPSAMPLE_TYPES, s.Type("uint8")]:
                x = type_.random(np.random.default_rng(4), shape_of(spatial))
                for size in SIZES:
                    size = size[-spatial:]
                    with self.subTest(function.__name__, type=type_, size=size):
                        expected = s.upsample(x, size, shift=0.5 * exact)
                        self.assertBits(function(x, size, **type_.keywords), expected)
                for scales in SCALES:
                    scales = scales[-spatial:]
                    with self.subTest(function.__name__, type=type_, scales=scales):
                        expected = s.upsample(x, scaled_size(spatial, scales), scales, 0.5 * exact)
                        self.assertBits(function(x, scale_factor=scales, **type_.keywords), expected)

    @needs_family
    def test_backward_is_the_definition(self):
        for (spatial, exact), function in BACKWARD.items():
            for type_ in s.UPSAMPLE_TYPES:
                for size in SIZES:
                    size, shape = size[-spatial:], shape_of(spatial)
                    with self.subTest(function.__name__, type=type_, size=size):
                        g = type_.random(np.random.default_rng(5), (*INPUT[:2], *size))
                        expected = s.upsample_backward(g, type_, shape, shift=0.5 * exact)
                        self.assertBits(function(g, None, shape, **type_.keywords), expected)
                for scales in SCALES:
                    scales = scales[-spatial:]
                    with self.subTest(function.__name__, type=type_, scales=scales):
                        g = type_.random(np.random.default_rng(5), (*INPUT[:2], *scaled_size(spatial, scales)))
                        expected = s.upsample_backward(g, type_, shape, scales, 0.5 * exact)
                        self.assertBits(function(g, None, shape, scales, **type_.keywords), expected)

    @needs_family
    def test_reads_and_writes_any_layout(self):
        for (spatial, exact), function in FORWARD.items():
            x = s.UPSAMPLE_TYPES[0].random(np.random.default_rng(4), shape_of(spatial))
            size = SIZES[2][-spatial:]
            expected = s.upsample(x, size, shift=0.5 * exact)
            for name, laid_out in s.layouts(x):
                for out_name, out in s.layouts(np.zeros_like(expected)):
                    with self.subTest(function.__name__, source=name, out=out_name):
                        self.assertIs(function(laid_out, size, out=out), out)
                        self.assertBits(out, expected)

    @needs_family
    def test_which_operator_runs(self):
        x = np.zeros((1, 1, 2, 2), np.float32)
        cairn.upsample_nearest2d(x, 4)
        self.assertEqual(cairn.last_call().operator, "aclnnUpsampleNearest2d")
        cairn.upsample_nearest2d(x, scale_factor=2)
        self.assertEqual(cairn.last_call().operator, "aclnnUpsampleNearest2dV2")
        cairn.upsample_nearest_exact2d(x, 4)
        self.assertEqual(cairn.last_call().operator, "aclnnUpsampleNearestExact2d")

    @needs_family
    def test_products_that_name_formats(self):
        with cairn.product("atlas-a2"):
            for (spatial, _), function in FORWARD.items():
                x = np.zeros(shape_of(spatial), np.float32)
                self.assertEqual(function(x, scale_factor=2).shape, (*INPUT[:2], *(2 * n for n in INPUT[-spatial:])))
            for (spatial, _), function in BACKWARD.items():
                g = np.zeros((*INPUT[:2], *SIZES[0][-spatial:]), np.float32)
                self.assertEqual(function(g, None, shape_of(spatial)).shape, shape_of(spatial))


if __name__ == "__main__":
    unittest.main()
