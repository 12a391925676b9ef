"""Adaptive max pooling inside PyTorch."""

from __future__ import annotations

from typing import Any, Optional, Tuple

import torch
import torch.nn.functional as F

from . import _again as again
from ._adaptive_max import (
    Sizes,
    adaptive_max_pool,
    adaptive_max_pool_backward,
    index_type_of_adaptive_max_pool,
    values_of_adaptive_max_pool,
)
from ._arrays import INT64, Torch
from ._autograd import Like, check_tensor, gathered, in_place_of, is_followed, smallest_index_type
from ._call import shape_only
from ._values import adaptive_size

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


def _adaptive_max_pool(name: str, spatial: int, input: Tensor, output_size: Sizes, return_indices: bool) -> Any:
    check_tensor(input)
    follows, given = is_followed(input), (output_size,)
    if not (return_indices or follows) and type(input) is Tensor:
        found = again.values(name, input, given)
        if found is not None:
            return found
    wanted = INT64 if return_indices else smallest_index_type(input, spatial)
    index_code = index_type_of_adaptive_max_pool(spatial, wanted, follows)
    if follows:
        plane = adaptive_size(output_size, input.shape, spatial)
        output, indices = _AdaptiveMaxPool.apply(input, plane, index_code)
    elif return_indices:
        output, indices = adaptive_max_pool(spatial, input, output_size, index_code)
    else:
        return values_of_adaptive_max_pool(spatial, input, output_size, index_code, (name, given))
    if index_code != INT64 and return_indices:
        indices = indices.long()
    return (output, indices) if return_indices else output


@in_place_of(F.adaptive_max_pool2d)
def adaptive_max_pool2d(input: Tensor, output_size: Sizes, return_indices: bool = False) -> Any:
    """torch.nn.functional.adaptive_max_pool2d through Cairn.

    >>> y = cairn.torch.adaptive_max_pool2d(x, (7, 7))
    """
    return _adaptive_max_pool("adaptive_max_pool2d", 2, input, output_size, return_indices)


@in_place_of(F.adaptive_max_pool3d)
def adaptive_max_pool3d(input: Tensor, output_size: Sizes, return_indices: bool = False) -> Any:
    """torch.nn.functional.adaptive_max_pool3d through Cairn.

    >>> y, where = cairn.torch.adaptive_max_pool3d(x, 4, return_indices=True)
    """
    return _adaptive_max_pool("adaptive_max_pool3d", 3, input, output_size, return_indices)
