"""Linear, cubic and antialiased upsampling on numpy arrays, bit for bit against the definition."""

import unittest

import numpy as np
import resampling as r
import support as s
from test_operators import BitsTest, needs

import cairn

FUNCTIONS = {
    (1, "linear"): (cairn.upsample_linear1d, cairn.upsample_linear1d_backward),
    (2, "linear"): (cairn.upsample_bilinear2d, cairn.upsample_bilinear2d_backward),
    (3, "linear"): (cairn.upsample_trilinear3d, cairn.upsample_trilinear3d_backward),
    (2, "cubic"): (cairn.upsample_bicubic2d, cairn.upsample_bicubic2d_backward),
    (2, "linear_aa"): (cairn.upsample_bilinear2d_aa, cairn.upsample_bilinear2d_aa_backward),
    (2, "cubic_aa"): (cairn.upsample_bicubic2d_aa, cairn.upsample_bicubic2d_aa_backward),
}
INPUT = (2, 3, 2, 3, 4)
SIZES = [(4, 6, 8), (2, 3, 4), (5, 7, 9), (1, 2, 3)]
SCALES = [(2.0, 2.0, 2.0), (1.0, 2.0, 1.5), (2.5, 2.5, 2.5)]

needs_family = needs("aclnnUpsampleLinear1d", "aclnnUpsampleBicubic2dAAGrad")


def shape_of(spatial):
    return (*INPUT[:2], *INPUT[-spatial:])


class ResampleTest(BitsTest):
    @needs_family
    def test_forward_is_the_definition(self):
        for (spatial, filter), (function, _) in FUNCTIONS.items():
            for type_ in s.UPSAMPLE_TYPES:
                x = type_.random(np.random.default_rng(4), shape_of(spatial))
                for align_corners in (False, True):
                    for size in SIZES:
                        size = size[-spatial:]
                        with self.subTest(function.__name__, type=type_, size=size, corners=align_corners):
                            expected = r.resample(x, type_, filter, size, align_corners)
                            self.assertBits(function(x, size, align_corners, **type_.keywords), expected)
                for scales in SCALES:
                    scales = scales[-spatial:]
                    size = tuple(int(n * f) for n, f in zip(x.shape[2:], scales))
                    with self.subTest(function.__name__, type=type_, scales=scales):
                        expected = r.resample(x, type_, filter, size, False, scales)
                        self.assertBits(function(x, scale_factor=scales, **type_.keywords), expected)

    @needs_family
    def test_backward_is_the_definition(self):
        for (spatial, filter), (_, function) in FUNCTIONS.items():
            shape = shape_of(spatial)
            for type_ in s.UPSAMPLE_TYPES:
                for align_corners in (False, True):
                    for size in SIZES:
                        size = size[-spatial:]
                        with self.subTest(function.__name__, type=type_, size=size, corners=align_corners):
                            g = type_.random(np.random.default_rng(5), (*INPUT[:2], *size))
                            expected = r.resample(g, type_, filter, shape[2:], align_corners, backward=True)
                            self.assertBits(function(g, None, shape, align_corners, **type_.keywords), expected)
                for scales in SCALES:
                    scales = scales[-spatial:]
                    size = tuple(int(n * f) for n, f in zip(shape[2:], scales))
                    with self.subTest(function.__name__, type=type_, scales=scales):
                        g = type_.random(np.random.default_rng(5), (*INPUT[:2], *size))
                        expected = r.resample(g, type_, filter, shape[2:], False, scales, backward=True)
                        self.assertBits(function(g, None, shape, False, scales, **type_.keywords), expected)

    @needs_family
    def test_lines_that_double(self):
        for (spatial, filter), (function, backward) in FUNCTIONS.items():
            for type_ in s.UPSAMPLE_TYPES:
                for width in (2, 17, 18, 33, 64, 67):
                    shape = (1, 2, *(3, 5, width)[-spatial:])
                    size = tuple(2 * n for n in shape[2:])
                    with self.subTest(function.__name__, type=type_, width=width):
                        x = type_.random(np.random.default_rng(6), shape)
                        y = function(x, size, **type_.keywords)
                        self.assertBits(y, r.resample(x, type_, filter, size))
                        self.assertBits(function(x, scale_factor=2, **type_.keywords), y)
                        expected = r.resample(y, type_, filter, shape[2:], backward=True)
                        self.assertBits(backward(y, None, shape, **type_.keywords), expected)

    @needs_family
    def test_reads_and_writes_any_layout(self):
        type_ = s.UPSAMPLE_TYPES[0]
        for (spatial, filter), (function, _) in FUNCTIONS.items():
            x = type_.random(np.random.default_rng(4), shape_of(spatial))
            size = SIZES[2][-spatial:]
            expected = r.resample(x, type_, filter, size)
            for name, laid_out in s.layouts(x):
                for out_name, out in s.layouts(np.zeros_like(expected)):
                    with self.subTest(function.__name__, source=name, out=out_name):
                        self.assertIs(function(laid_out, size, out=out), out)
                        self.assertBits(out, expected)

    @needs_family
    def test_products_that_name_formats(self):
        with cairn.product("atlas-a2"):
            for (spatial, _), (function, backward) in FUNCTIONS.items():
                x = np.zeros(shape_of(spatial), np.float32)
                y = function(x, SIZES[0][-spatial:])  # without a scale, which 0 would be to some
                self.assertEqual(backward(y, None, x.shape).shape, x.shape)
                self.assertEqual(function(x, scale_factor=2).shape, y.shape)

    @needs_family
    def test_what_is_refused(self):
        x = np.zeros((1, 1, 4), np.float32)
        with self.assertRaisesRegex(TypeError, "align_corners is 1, expected True or False"):
            cairn.upsample_linear1d(x, 8, 1)
        with self.assertRaisesRegex(ValueError, "neither output_size nor scale_factor"):
            cairn.upsample_linear1d(x)
        with self.assertRaisesRegex(cairn.CairnError, "ranks_allowed"):
            cairn.upsample_bilinear2d(x, 8)


if __name__ == "__main__":
    unittest.main()
