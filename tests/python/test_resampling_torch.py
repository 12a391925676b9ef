"""cairn.torch's linear, cubic and antialiased upsampling beside torch.nn.functional.interpolate, and where the two
differ on purpose."""

import math
import unittest

import torch
import torch.nn.functional as F
from test_operators import needs
from test_torch import FLOATS, LAST, value_and_gradient

import cairn
import cairn.torch

SHAPES = {"linear": (2, 3, 9), "bilinear": (2, 3, 9, 8), "trilinear": (2, 3, 6, 7, 8), "bicubic": (2, 3, 9, 8)}
METHODS = [
    *({"mode": mode, "align_corners": corners} for mode in SHAPES for corners in (None, False, True)),
    *({"mode": mode, "antialias": True} for mode in ("bilinear", "bicubic")),
]
CASES = [{"scale_factor": 2}, {"scale_factor": 1.5}, {"size": 12}, {"size": 5}, {"size": 16}]

needs_family = needs("aclnnUpsampleLinear1d", "aclnnUpsampleBicubic2dAAGrad")


def input_of(mode, dtype=torch.float32):
    return torch.randn(SHAPES[mode], generator=torch.Generator().manual_seed(0)).to(dtype)


class ResampleTest(unittest.TestCase):
    @needs_family
    def test_values_and_gradients_are_pytorchs(self):
        for method in METHODS:
            for case in CASES:
                for dtype, close in ((torch.float64, 1e-12), (torch.float32, 2e-5)):
                    with self.subTest(**method, case=case, dtype=dtype):
                        x = input_of(method["mode"], dtype)
                        ours = value_and_gradient(lambda t: cairn.torch.interpolate(t, **method, **case), x)
                        theirs = value_and_gradient(lambda t: F.interpolate(t, **method, **case), x)
                        for a, b in zip(ours, theirs):
                            torch.testing.assert_close(a, b, rtol=0, atol=close * b.abs().max().item())

    @needs_family
    def test_half_types_and_channels_last(self):
        for mode in ("bilinear", "trilinear"):
            for dtype in FLOATS:
                last = LAST[len(SHAPES[mode])]
                x = input_of(mode, dtype).to(memory_format=last)
                function = lambda t: cairn.torch.interpolate(t, scale_factor=2, mode=mode)  # noqa: B023, E731
                for tensor in value_and_gradient(function, x):
                    self.assertEqual(tensor.dtype, dtype)
                    self.assertTrue(tensor.is_contiguous(memory_format=last))

    @needs_family
    def test_gradcheck(self):
        for method in METHODS:
            spatial = len(SHAPES[method["mode"]]) - 2
            x = torch.randn(1, 2, *(3, 2, 4)[-spatial:], dtype=torch.float64, requires_grad=True)
            function = lambda t: cairn.torch.interpolate(t, scale_factor=2, **method)  # noqa: B023, E731
            self.assertTrue(torch.autograd.gradcheck(function, (x,)))
            self.assertTrue(torch.autograd.gradgradcheck(function, (x,)))

    @needs_family
    def test_modules(self):
        for mode, shape in SHAPES.items():
            for corners in (None, True):
                theirs = torch.nn.Upsample(scale_factor=2, mode=mode, align_corners=corners)
                ours = cairn.torch.Upsample(scale_factor=2, mode=mode, align_corners=corners)
                self.assertEqual(repr(ours), repr(theirs))
                x = torch.randn(shape, dtype=torch.float64)
                torch.testing.assert_close(ours(x), theirs(x))
                self.assertEqual(cairn.last_call().operator.count("Upsample"), 1)
                self.assertIs(type(cairn.torch.replace(theirs)), cairn.torch.Upsample)
                self.assertTrue(torch.equal(theirs(x), ours(x)))
        x = torch.randn(SHAPES["bilinear"], dtype=torch.float64)
        for name in ("UpsamplingBilinear2d", "UpsamplingNearest2d"):
            module = getattr(torch.nn, name)(scale_factor=2)
            expected = module(x)
            self.assertIs(cairn.torch.replace(module), module)
            self.assertIs(type(module), getattr(cairn.torch, name))
            torch.testing.assert_close(module(x), expected)

    @needs_family
    def test_where_pytorch_differs(self):
        # Positions are exact; PyTorch's are floats, off by some 1e-4 of a cell along a line like this.
        x = torch.arange(4000.0).reshape(1, 1, 4000)
        ours = cairn.torch.interpolate(x, 6000, mode="linear")[0, 0]
        self.assertEqual(ours[[1, 4000, 5999]].tolist(), [0.5, 2666.5, 3999])
        # Infinity beside a whole position stays where it is; 0 times it would be NaN.
        x = torch.tensor([[[math.inf, 1.0, 2.0]]])
        self.assertEqual(cairn.torch.interpolate(x, 3, mode="linear").flatten().tolist(), [math.inf, 1, 2])
        # In three dimensions all scales count or none: 0 leaves it to the sizes.
        x = torch.tensor([1.0, 2, 3, 4, 5], dtype=torch.float64).reshape(1, 1, 5, 1, 1)
        by_sizes = cairn.torch.interpolate(x, (12, 1, 1), mode="trilinear")
        some = cairn.upsample_trilinear3d(x, (12, 1, 1), scale_factor=(2.5, None, None))
        self.assertTrue(torch.equal(some, by_sizes))

    @needs_family
    def test_what_is_refused(self):
        with self.assertRaisesRegex(ValueError, "mode is 'area'"):
            cairn.torch.interpolate(input_of("linear"), 4, mode="area")
        with self.assertRaisesRegex(ValueError, "input has 4 dimensions, expected 3 for mode 'linear'"):
            cairn.torch.interpolate(input_of("bilinear"), 4, mode="linear")
        with self.assertRaisesRegex(ValueError, "align_corners is False, which mode 'nearest' does not have"):
            cairn.torch.interpolate(input_of("bilinear"), 4, align_corners=False)
        with self.assertRaisesRegex(ValueError, "antialias is True, which mode 'trilinear'"):
            cairn.torch.interpolate(input_of("trilinear"), 4, mode="trilinear", antialias=True)


if __name__ == "__main__":
    unittest.main()
