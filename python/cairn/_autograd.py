"""What the functions of cairn.torch share: how they look to compilers and to autograd."""

from __future__ import annotations

import functools
from typing import Any, Callable

import torch
from torch.autograd import forward_ad

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
