"""Adaptive max pooling inside PyTorch."""

from __future__ import annotations

import math
from typing import Any, Optional, Tuple

import torch

from ._adaptive_max import adaptive_max_pool, adaptive_max_pool_backward
from ._arrays import INT32, INT64, Torch
from ._autograd import Like, check_tensor, gathered, is_followed, opaque
from ._call import shape_only
from ._values import members, per_axis

Tensor = torch.Tensor


class _AdaptiveMaxPool(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, input: Tensor, plane: Tuple[int, ...], index_code: int) -> Any:
        output, indices = adaptive_max_pool(len(plane), input, plane, index_code)
        ctx.mark_non_differentiable(indices)
        ctx.set_materialize_grads(False)
        ctx.save_for_backward(indices)
        ctx.call = (len(plane), Like.of(input))
        return output, indices

    @staticmethod
    def backward(ctx: Any, grad_output: Optional[Tensor], _: Any) -> Any:
        if grad_output is None:
            return None, None, None
        (indices,) = ctx.saved_tensors
        return _AdaptiveMaxPoolBackward.apply(grad_output, indices, *ctx.call), None, None


class _AdaptiveMaxPoolBackward(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, grad_output: Tensor, indices: Tensor, spatial: int, like: Like) -> Tensor:
        ctx.save_for_backward(indices)
        ctx.spatial = spatial
        out = torch.empty(like.shape, dtype=like.dtype, device=grad_output.device, memory_format=like.memory_format)
        source = shape_only(Torch.codes[like.dtype], like.shape)
        return adaptive_max_pool_backward(spatial, grad_output, source, indices, None, out)

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> Any:
        (indices,) = ctx.saved_tensors
        return gathered(grad, indices, ctx.spatial), None, None, None


@opaque
def _adaptive_max_pool(spatial: int, input: Tensor, output_size: Any, return_indices: bool) -> Any:
    check_tensor(input)
    given = members(output_size)
    if given is not None and len(given) == spatial:  # None: the size stays
        output_size = tuple(n if size is None else size for size, n in zip(given, input.shape[-spatial:]))
    plane = per_axis(output_size, spatial, "output_size")
    # Without return_indices only our own backward reads them: the smaller, the less memory to move.
    is_small = input.numel() < 2**31 or math.prod(input.shape[-spatial:]) < 2**31
    index_code = INT32 if is_small and not return_indices else INT64
    if is_followed(input):
        output, indices = _AdaptiveMaxPool.apply(input, plane, index_code)
    else:
        output, indices = adaptive_max_pool(spatial, input, plane, index_code)
    return (output, indices) if return_indices else output


def adaptive_max_pool2d(input: Tensor, output_size: Any, return_indices: bool = False) -> Any:
    """torch.nn.functional.adaptive_max_pool2d through Cairn.

    >>> y = cairn.torch.adaptive_max_pool2d(x, (7, 7))
    """
    return _adaptive_max_pool(2, input, output_size, return_indices)


def adaptive_max_pool3d(input: Tensor, output_size: Any, return_indices: bool = False) -> Any:
    """torch.nn.functional.adaptive_max_pool3d through Cairn.

    >>> y, where = cairn.torch.adaptive_max_pool3d(x, 4, return_indices=True)
    """
    return _adaptive_max_pool(3, input, output_size, return_indices)
