"""cairn.torch's nearest upsampling beside torch.nn.functional.interpolate, and where the two differ on purpose."""

import unittest

import torch
import torch.nn.functional as F
from test_operators import needs
from test_torch import FLOATS, LAST, value_and_gradient

import cairn
import cairn.torch

MODES = ("nearest", "nearest-exact")
SHAPES = {1: (2, 3, 9), 2: (2, 3, 9, 8), 3: (2, 3, 6, 7, 8)}
CASES = [{"scale_factor": 2}, {"scale_factor": 1.5}, {"size": 12}, {"size": 5}, {"size": 16}]

needs_family = needs("aclnnUpsampleNearest1d", "aclnnUpsampleNearestExact3d")


def input_of(spatial, dtype=torch.float32):
    return torch.randn(SHAPES[spatial], generator=torch.Generator().manual_seed(0)).to(dtype)


class UpsampleTest(unittest.TestCase):
    @needs_family
    def test_values_are_pytorchs(self):
        for spatial in SHAPES:
            for mode in MODES:
                for case in CASES:
                    for dtype in (torch.float32, torch.float64, torch.uint8):
                        with self.subTest(spatial=spatial, mode=mode, case=case, dtype=dtype):
                            x = (100 * input_of(spatial)).abs().to(dtype)
                            ours = cairn.torch.interpolate(x, mode=mode, **case)
                            self.assertTrue(torch.equal(ours, F.interpolate(x, mode=mode, **case)))

    @needs_family
    def test_gradients_are_pytorchs(self):
        for spatial in SHAPES:
            for mode in MODES:
                for case in CASES:
                    with self.subTest(spatial=spatial, mode=mode, case=case):
                        x = input_of(spatial, torch.float64)
                        _, ours = value_and_gradient(lambda t: cairn.torch.interpolate(t, mode=mode, **case), x)
                        _, theirs = value_and_gradient(lambda t: F.interpolate(t, mode=mode, **case), x)
                        torch.testing.assert_close(ours, theirs)

    @needs_family
    def test_half_types_and_channels_last(self):
        for spatial in (2, 3):
            for dtype in FLOATS:
                last = LAST[spatial + 2]
                x = input_of(spatial, dtype).to(memory_format=last)
                function = lambda t: cairn.torch.interpolate(t, scale_factor=2, mode="nearest-exact")  # noqa: E731
                for tensor in value_and_gradient(function, x):
                    self.assertEqual(tensor.dtype, dtype)
                    self.assertTrue(tensor.is_contiguous(memory_format=last))

    @needs_family
    def test_gradcheck(self):
        for spatial in SHAPES:
            for mode in MODES:
                x = torch.randn(1, 2, *(3, 2, 4)[-spatial:], dtype=torch.float64, requires_grad=True)
                function = lambda t: cairn.torch.interpolate(t, scale_factor=2, mode=mode)  # noqa: B023, E731
                self.assertTrue(torch.autograd.gradcheck(function, (x,)))
                self.assertTrue(torch.autograd.gradgradcheck(function, (x,)))

    @needs_family
    def test_where_pytorch_differs(self):
        # Positions of float64 are floats here, doubles in PyTorch's CPU kernels.
        x = torch.tensor([[[0.0, 1.0]]], dtype=torch.float64)
        self.assertEqual(cairn.torch.interpolate(x, 82)[0, 0, 41], 0)
        self.assertEqual(F.interpolate(x, 82)[0, 0, 41], 1)
        # The gradient goes by ranges of cells, in PyTorch's CPU kernels to the cell that the forward copied.
        ones = torch.arange(1.0, 42.0).reshape(1, 1, 41)
        ours = cairn.upsample_nearest_exact1d_backward(ones, None, (1, 1, 2))
        self.assertEqual(ours.flatten().tolist(), [210, 651])
        y = torch.zeros(1, 1, 2, requires_grad=True)
        F.interpolate(y, 41, mode="nearest-exact").backward(ones)
        self.assertEqual(y.grad.flatten().tolist(), [231, 630])
        # The scale of lines and images is a float to the library, a double to PyTorch.
        x = torch.arange(87.0).reshape(1, 1, 87)
        ours, theirs = cairn.torch.interpolate(x, scale_factor=2.2), F.interpolate(x, scale_factor=2.2)
        self.assertEqual((ours != theirs).flatten().nonzero().flatten().tolist(), [33, 66, 121, 132])

    @needs_family
    def test_what_is_refused(self):
        with self.assertRaisesRegex(ValueError, "mode is 'near'"):
            cairn.torch.interpolate(input_of(1), 4, mode="near")
        with self.assertRaisesRegex(ValueError, "input has 2 dimensions"):
            cairn.torch.interpolate(torch.zeros(2, 2), 4)
        with self.assertRaisesRegex(ValueError, "either size or scale_factor"):
            cairn.torch.interpolate(input_of(1))


if __name__ == "__main__":
    unittest.main()
