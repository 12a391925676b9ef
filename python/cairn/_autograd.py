"""What the functions of cairn.torch share: how they look to compilers and to autograd."""

from __future__ import annotations

import functools
from typing import Any, Callable, NamedTuple

import torch
from torch.autograd import forward_ad

from ._arrays import Torch

Tensor = torch.Tensor

is_compiling: Callable[[], bool] = getattr(getattr(torch, "compiler", None), "is_compiling", lambda: False)


def opaque(function: Callable) -> Callable:
    """A call of the C API is nothing that torch.compile could look into: it stays a call. To enter what is opaque takes
    microseconds, so only a compiler does."""
    compiler = getattr(torch, "compiler", None)
    if compiler is None or not hasattr(compiler, "is_compiling"):
        return getattr(compiler, "disable", lambda function: function)(function)
    hidden = compiler.disable(function)

    @functools.wraps(function)
    def either(*arguments: Any, **keywords: Any) -> Any:
        return (hidden if is_compiling() else function)(*arguments, **keywords)

    return either


def check_tensor(input: Any) -> None:
    if not isinstance(input, Tensor):
        raise TypeError(f"input is a {type(input).__name__}, expected a tensor")


def is_followed(input: Tensor) -> bool:
    """Whether autograd wants to hear of what is computed from the tensor; telling it takes as long as a small call."""
    return (input.requires_grad and torch.is_grad_enabled()) or forward_ad._current_level >= 0


class Like(NamedTuple):
    """What a gradient needs to be made like a tensor; nothing that holds on to the elements."""

    shape: torch.Size
    dtype: torch.dtype
    memory_format: torch.memory_format

    @staticmethod
    def of(tensor: Tensor) -> Like:
        last = Torch.last_formats.get(tensor.dim())
        if last is None or tensor.is_contiguous() or not tensor.is_contiguous(memory_format=last):
            last = torch.contiguous_format
        return Like(tensor.shape, tensor.dtype, last)


def gathered(planes: Tensor, indices: Tensor, spatial: int) -> Tensor:
    """What indices name in each plane, 0 where it is -1, in operations that autograd can follow."""
    where = indices.flatten(-spatial).long()
    picked = planes.flatten(-spatial).gather(-1, where.clamp(min=0))
    return picked.masked_fill(where < 0, 0).reshape(indices.shape)
