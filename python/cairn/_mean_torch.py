"""Mean pooling as torch.nn.functional has it."""

from __future__ import annotations

from typing import Any, Optional, Sequence, Union

import torch

from . import _mean_pooling as means
from ._arrays import Torch
from ._autograd import Like, check_tensor, is_followed, opaque
from ._call import shape_only
from ._operators import Ints

Tensor = torch.Tensor
Sizes = Union[None, int, Sequence[Optional[int]]]
TYPES = (torch.float32, torch.float16, torch.bfloat16)


class _Pool(torch.autograd.Function):
    """``method`` has forward(input) and backward(gradient, shape and type of the input, out). It is linear, so that the
    derivative of either is the other."""

    @staticmethod
    def forward(ctx: Any, input: Tensor, method: Any) -> Tensor:
        ctx.call = (method, Like.of(input))
        return method.forward(input)

    @staticmethod
    def backward(ctx: Any, grad_output: Tensor) -> Any:
        return _PoolBackward.apply(grad_output, *ctx.call), None


class _PoolBackward(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, grad_output: Tensor, method: Any, like: Like) -> Tensor:
        ctx.method = method
        out = torch.empty(like.shape, dtype=like.dtype, device=grad_output.device, memory_format=like.memory_format)
        return method.backward(grad_output, shape_only(Torch.codes[like.dtype], like.shape), None, out)

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> Any:
        return _Pool.apply(grad, ctx.method), None, None


class _Adaptive:
    def __init__(self, spatial: int, output_size: Any):
        self.spatial, self.output_size = spatial, output_size

    def forward(self, input: Tensor) -> Tensor:
        return means.adaptive_pool(self.spatial, input, self.output_size, None, None)

    def backward(self, gradient: Tensor, source: Any, dtype: Any, out: Tensor) -> Tensor:
        return means.adaptive_pool_backward(self.spatial, gradient, source, dtype, out)


@opaque
def _pooled(input: Tensor, method: Any) -> Tensor:
    check_tensor(input)
    return _Pool.apply(input, method) if is_followed(input) else method.forward(input)


def avg_pool2d(
    input: Tensor,
    kernel_size: Ints,
    stride: Optional[Ints] = None,
    padding: Ints = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
    divisor_override: Optional[int] = None,
) -> Tensor:
    """torch.nn.functional.avg_pool2d through Cairn, for float32, float16 and bfloat16.

    >>> y = cairn.torch.avg_pool2d(x, 3, stride=2, padding=1)
    """
    given = (kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override)
    return _pooled(input, means.Means(2, *given))


def avg_pool3d(
    input: Tensor,
    kernel_size: Ints,
    stride: Optional[Ints] = None,
    padding: Ints = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
    divisor_override: Optional[int] = None,
) -> Tensor:
    """torch.nn.functional.avg_pool3d through Cairn, for float32, float16 and bfloat16.

    >>> y = cairn.torch.avg_pool3d(x, 2)
    """
    given = (kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override)
    return _pooled(input, means.Means(3, *given))


def adaptive_avg_pool2d(input: Tensor, output_size: Sizes) -> Tensor:
    """torch.nn.functional.adaptive_avg_pool2d through Cairn, for float32, float16 and bfloat16.

    >>> y = cairn.torch.adaptive_avg_pool2d(x, (7, 7))
    """
    return _pooled(input, _Adaptive(2, output_size))


def adaptive_avg_pool3d(input: Tensor, output_size: Sizes) -> Tensor:
    """torch.nn.functional.adaptive_avg_pool3d through Cairn, for float32, float16 and bfloat16.

    >>> y = cairn.torch.adaptive_avg_pool3d(x, 1)
    """
    return _pooled(input, _Adaptive(3, output_size))


def _takes(input: Any) -> bool:
    """Ascend's operators have no float64: that stays PyTorch's, as does what it refuses."""
    return isinstance(input, Tensor) and input.dtype in TYPES


class AvgPool2d(torch.nn.AvgPool2d):
    """torch.nn.AvgPool2d through Cairn."""

    def forward(self, input: Tensor) -> Tensor:
        if not _takes(input):
            return torch.nn.AvgPool2d.forward(self, input)
        window = (self.kernel_size, self.stride, self.padding, self.ceil_mode)
        return avg_pool2d(input, *window, self.count_include_pad, self.divisor_override)


class AvgPool3d(torch.nn.AvgPool3d):
    """torch.nn.AvgPool3d through Cairn."""

    def forward(self, input: Tensor) -> Tensor:
        if not _takes(input):
            return torch.nn.AvgPool3d.forward(self, input)
        window = (self.kernel_size, self.stride, self.padding, self.ceil_mode)
        return avg_pool3d(input, *window, self.count_include_pad, self.divisor_override)


class AdaptiveAvgPool2d(torch.nn.AdaptiveAvgPool2d):
    """torch.nn.AdaptiveAvgPool2d through Cairn."""

    def forward(self, input: Tensor) -> Tensor:
        if not _takes(input):
            return torch.nn.AdaptiveAvgPool2d.forward(self, input)
        return adaptive_avg_pool2d(input, self.output_size)


class AdaptiveAvgPool3d(torch.nn.AdaptiveAvgPool3d):
    """torch.nn.AdaptiveAvgPool3d through Cairn."""

    def forward(self, input: Tensor) -> Tensor:
        if not _takes(input):
            return torch.nn.AdaptiveAvgPool3d.forward(self, input)
        return adaptive_avg_pool3d(input, self.output_size)
