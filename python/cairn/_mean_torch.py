"""Mean pooling as torch.nn.functional has it."""

from __future__ import annotations

from typing import Any, Optional, Sequence, Union

import torch
import torch.nn.functional as F

from . import _again as again
from ._arrays import Torch
from ._autograd import Like, check_tensor, in_place_of, is_followed
from ._call import shape_only
from ._mean_pooling import AdaptiveMeans, Means
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
        if grad_output.numel() == 0 and out.numel():  # of an output_size with a 0; Ascend's operators refuse it
            return out.zero_()
        return method.backward(grad_output, shape_only(Torch.codes[like.dtype], like.shape), None, out)

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> Any:
        return _Pool.apply(grad, ctx.method), None, None


def _pooled(name: str, method: Any, spatial: int, input: Tensor, given: tuple) -> Tensor:
    """``name`` is that of PyTorch's function, which takes ``given`` too."""
    check_tensor(input)
    follows = is_followed(input)
    if type(input) is Tensor and not follows:
        found = again.values(name, input, given)
        if found is not None:
            return found
    if input.dtype not in TYPES:  # Ascend's operators have no float64: that stays PyTorch's, as does what it refuses
        return getattr(F, name)(input, *given)
    if follows:
        return _Pool.apply(input, method(spatial, *given))
    return method(spatial, *given).forward(input, asked=(name, given))


@in_place_of(F.avg_pool2d)
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

    Other types are PyTorch's.

    >>> y = cairn.torch.avg_pool2d(x, 3, stride=2, padding=1)
    """
    given = (kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override)
    return _pooled("avg_pool2d", Means, 2, input, given)


@in_place_of(F.avg_pool3d)
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

    Other types are PyTorch's.

    >>> y = cairn.torch.avg_pool3d(x, 2)
    """
    given = (kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override)
    return _pooled("avg_pool3d", Means, 3, input, given)


@in_place_of(F.adaptive_avg_pool2d)
def adaptive_avg_pool2d(input: Tensor, output_size: Sizes) -> Tensor:
    """torch.nn.functional.adaptive_avg_pool2d through Cairn, for float32, float16 and bfloat16.

    Other types are PyTorch's.

    >>> y = cairn.torch.adaptive_avg_pool2d(x, (7, 7))
    """
    return _pooled("adaptive_avg_pool2d", AdaptiveMeans, 2, input, (output_size,))


@in_place_of(F.adaptive_avg_pool3d)
def adaptive_avg_pool3d(input: Tensor, output_size: Sizes) -> Tensor:
    """torch.nn.functional.adaptive_avg_pool3d through Cairn, for float32, float16 and bfloat16.

    Other types are PyTorch's.

    >>> y = cairn.torch.adaptive_avg_pool3d(x, 1)
    """
    return _pooled("adaptive_avg_pool3d", AdaptiveMeans, 3, input, (output_size,))


class AvgPool2d(torch.nn.AvgPool2d):
    """torch.nn.AvgPool2d through Cairn."""

    def forward(self, input: Tensor) -> Tensor:
        window = (self.kernel_size, self.stride, self.padding, self.ceil_mode)
        return avg_pool2d(input, *window, self.count_include_pad, self.divisor_override)


class AvgPool3d(torch.nn.AvgPool3d):
    """torch.nn.AvgPool3d through Cairn."""

    def forward(self, input: Tensor) -> Tensor:
        window = (self.kernel_size, self.stride, self.padding, self.ceil_mode)
        return avg_pool3d(input, *window, self.count_include_pad, self.divisor_override)


class AdaptiveAvgPool2d(torch.nn.AdaptiveAvgPool2d):
    """torch.nn.AdaptiveAvgPool2d through Cairn."""

    def forward(self, input: Tensor) -> Tensor:
        return adaptive_avg_pool2d(input, self.output_size)


class AdaptiveAvgPool3d(torch.nn.AdaptiveAvgPool3d):
    """torch.nn.AdaptiveAvgPool3d through Cairn."""

    def forward(self, input: Tensor) -> Tensor:
        return adaptive_avg_pool3d(input, self.output_size)
