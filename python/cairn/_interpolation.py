"""Upsampling as torch.nn.functional.interpolate has it, in all of its modes but "area"."""

from __future__ import annotations

from typing import Any, NamedTuple, Optional, Sequence, Tuple, Union

import torch
import torch.nn.functional as F

from . import _resampling as resampling
from . import _upsampling as upsampling
from ._autograd import check_tensor, in_place_of, is_followed
from ._operators import Ints
from ._values import flag, per_axis, scales

Tensor = torch.Tensor
Factors = Union[None, float, Sequence[float]]

_NEAREST = {"nearest": False, "nearest-exact": True}
# How many spatial axes each of the others has, and its filter.
_FILTERS = {
    "linear": (1, "linear"),
    "bilinear": (2, "linear"),
    "trilinear": (3, "linear"),
    "bicubic": (2, "cubic"),
}
MODES = (*_NEAREST, *_FILTERS)


class Method(NamedTuple):
    """How cells become others: what all calls with a mode and its settings have in common."""

    spatial: int
    mode: str
    filter: Optional[str] = None  # None: the nearest
    align_corners: bool = False
    factors: Optional[Tuple[float, ...]] = None

    def forward(self, input: Tensor, size: Tuple[int, ...]) -> Tensor:
        if self.filter is None:
            return upsampling.upsample(self.spatial, _NEAREST[self.mode], input, size, self.factors)
        return resampling.resample(self.spatial, self.filter, input, size, self.align_corners, self.factors)

    def backward(self, gradient: Tensor, shape: Tuple[int, ...]) -> Tensor:
        if self.filter is None:
            exact = _NEAREST[self.mode]
            return upsampling.upsample_backward(self.spatial, exact, gradient, None, shape, self.factors)
        corners, factors = self.align_corners, self.factors
        return resampling.resample_backward(self.spatial, self.filter, gradient, None, shape, corners, factors)


class _Upsample(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, input: Tensor, method: Method, size: Tuple[int, ...]) -> Tensor:
        ctx.call = (method, tuple(input.shape))
        return method.forward(input, size)

    @staticmethod
    def backward(ctx: Any, grad_output: Tensor) -> Any:
        return _UpsampleBackward.apply(grad_output, *ctx.call), None, None


class _UpsampleBackward(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, grad_output: Tensor, method: Method, shape: Tuple[int, ...]) -> Tensor:
        ctx.call = (method, tuple(grad_output.shape[2:]))
        return method.backward(grad_output, shape)

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> Any:
        return _Upsample.apply(grad, *ctx.call), None, None


def _interpolate(
    method: Method, input: Tensor, size: Any, scale_factor: Any, recompute_scale_factor: Optional[bool]
) -> Tensor:
    if (size is None) == (scale_factor is None):
        raise ValueError("expected either size or scale_factor")
    if size is not None:
        plane = per_axis(size, method.spatial, "size")
    else:
        factors = scales(scale_factor, method.spatial)
        plane = upsampling.upsampled_size(input.shape, factors)
        if not recompute_scale_factor:
            method = method._replace(factors=factors)
    if is_followed(input):
        return _Upsample.apply(input, method, plane)
    return method.forward(input, plane)


def _method(mode: str, dims: int, align_corners: Optional[bool], antialias: bool) -> Method:
    if mode not in MODES:
        raise ValueError(f"mode is {mode!r}, expected one of {', '.join(map(repr, MODES))}")
    if mode in _NEAREST:
        if dims not in (3, 4, 5):
            raise ValueError(f"input has {dims} dimensions, expected 3, 4 or 5")
        if align_corners is not None:
            raise ValueError(f"align_corners is {align_corners!r}, which mode {mode!r} does not have")
        if antialias:
            raise ValueError(f"antialias is True, which mode {mode!r} does not have")
        return Method(dims - 2, mode)
    spatial, filter = _FILTERS[mode]
    if dims != spatial + 2:
        raise ValueError(f"input has {dims} dimensions, expected {spatial + 2} for mode {mode!r}")
    if antialias and spatial != 2:
        raise ValueError(f"antialias is True, which mode {mode!r} does not have")
    corners = align_corners is not None and flag(align_corners, "align_corners")
    return Method(spatial, mode, f"{filter}_aa" if antialias else filter, corners)


@in_place_of(F.interpolate)
def interpolate(
    input: Tensor,
    size: Optional[Ints] = None,
    scale_factor: Factors = None,
    mode: str = "nearest",
    align_corners: Optional[bool] = None,
    recompute_scale_factor: Optional[bool] = None,
    antialias: bool = False,
) -> Tensor:
    """torch.nn.functional.interpolate through Cairn, in every mode but "area".

    >>> y = cairn.torch.interpolate(x, scale_factor=2, mode="trilinear")
    """
    check_tensor(input)
    method = _method(mode, input.dim(), align_corners, antialias)
    return _interpolate(method, input, size, scale_factor, recompute_scale_factor)


def _nearest(input: Tensor, size: Any = None, scale_factor: Any = None, recompute_scale_factor: Any = None) -> Tensor:
    """PyTorch's upsample_nearest3d."""
    return F.interpolate(input, size, scale_factor, "nearest", None, recompute_scale_factor)


@in_place_of(_nearest)
def upsample_nearest3d(
    input: Tensor,
    size: Optional[Ints] = None,
    scale_factor: Factors = None,
    recompute_scale_factor: Optional[bool] = None,
) -> Tensor:
    """torch.nn.functional.interpolate(mode="nearest") through Cairn, for (N, C, D, H, W).

    >>> y = cairn.torch.upsample_nearest3d(x, scale_factor=2)
    """
    check_tensor(input)
    return _interpolate(Method(3, "nearest"), input, size, scale_factor, recompute_scale_factor)


def takes(mode: str, input: Any) -> bool:
    """Of what is no tensor but stands for one, the mode is all that can be asked."""
    if mode not in MODES or not isinstance(input, Tensor):
        return mode in MODES
    return input.dim() in (3, 4, 5) if mode in _NEAREST else input.dim() == _FILTERS[mode][0] + 2
