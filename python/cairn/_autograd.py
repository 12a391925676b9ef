"""What the functions of cairn.torch share: how they look to tracers, compilers and autograd."""

from __future__ import annotations

import functools
import math
from typing import Any, Callable, NamedTuple, TypeVar

import torch
from torch.autograd import forward_ad
from torch.overrides import handle_torch_function, has_torch_function

from ._arrays import INT32, INT64, Torch

Tensor = torch.Tensor

Function = TypeVar("Function", bound=Callable)

_compiler = getattr(torch, "compiler", None)
_opaque: Callable = getattr(_compiler, "disable", lambda function: function)
_is_compiling: Callable[[], bool] = getattr(_compiler, "is_compiling", lambda: _compiler is not None)
_is_exporting: Callable[[], bool] = getattr(_compiler, "is_exporting", lambda: False)
Torch.set_up(torch)


def in_place_of(twin: Callable) -> Callable[[Function], Function]:
    """The door to every function of cairn.torch. Nobody can look into a call of the C API: a trace and an exported
    program get PyTorch's ``twin`` instead, to torch.compile it stays a call, and arguments with __torch_function__,
    such as those of torch.fx, are told of it."""

    def decorate(function: Function) -> Function:
        @_opaque
        def watched(*arguments: Any, **keywords: Any) -> Any:
            given = (*arguments, *keywords.values())
            if has_torch_function(given):
                return handle_torch_function(called, given, *arguments, **keywords)
            return (twin if Torch.is_tracing() or _is_exporting() else function)(*arguments, **keywords)

        @functools.wraps(function)
        def called(*arguments: Any, **keywords: Any) -> Any:
            # To enter what is opaque takes microseconds, so a call that nobody watches does not.
            if _is_compiling() or Torch.is_tracing() or has_torch_function(arguments):
                return watched(*arguments, **keywords)
            if keywords and has_torch_function(tuple(keywords.values())):
                return watched(*arguments, **keywords)
            return function(*arguments, **keywords)

        return called  # type: ignore[return-value]

    return decorate


def check_tensor(input: Any) -> None:
    if not isinstance(input, Tensor):
        raise TypeError(f"input is a {type(input).__name__}, expected a tensor")


def is_followed(input: Tensor) -> bool:
    """Whether autograd wants to hear of what is computed from the tensor; telling it takes as long as a small call."""
    return (input.requires_grad and torch.is_grad_enabled()) or forward_ad._current_level >= 0


def smallest_index_type(input: Tensor, spatial: int) -> int:
    """For indices that only our own backward reads: the smaller, the less memory to move."""
    return INT32 if input.numel() < 2**31 or math.prod(input.shape[-spatial:]) < 2**31 else INT64


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
