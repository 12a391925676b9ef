"""Pooling on the CPU that was asked for before, with the same arguments on arrays of the same geometry: the shortest way
to the library. What the first call checked and made holds for the next: only the memory is new."""

from __future__ import annotations

import math
import os
from operator import is_
from typing import Any, Dict, List, Optional, Tuple

from . import _call
from ._arrays import CPU, INT64, Numpy, Torch, View, _scratch, kind_of, scratch
from ._call import _PRODUCT, _environment
from ._library import error, function

_MOST = 256
_LARGEST = 4096  # elements of a result: for more of them the time does not count


class _Known:
    """A call as it was made. ``given`` holds the caller's own objects: what is equal to them may still be of a type that
    is refused, as True and 2.0 are."""

    __slots__ = (
        "given", "operator", "plan", "compute", "executor", "packed", "shape", "index_code", "index_bytes", "models"
    )  # fmt: skip

    def __init__(self, given: tuple, operator: Any, plan: Any, shape: Tuple[int, ...], index_code: int):
        self.given, self.operator, self.plan, self.shape = given, operator, plan, shape
        self.compute, self.executor, self.packed = function("cairnCompute"), plan.executor, plan.packed
        self.index_code, self.index_bytes = index_code, 8 * math.prod(shape)
        self.models: Any = None  # tensors like the results, of which new ones are made quicker than of a shape

    def run(self, self_at: int, out_at: int, indices_at: int) -> None:
        addresses = self.packed(self_at, out_at, indices_at)
        status = self.compute(self.executor, addresses, 3, None, 0, _call._stream(CPU, None))
        if status:
            raise error(status, self.operator.name)


_known: Dict[tuple, _Known] = {}
_inherited: List[dict] = []


def _start_afresh() -> None:
    global _known
    _inherited.append(_known)
    _known = {}


os.register_at_fork(after_in_child=_start_afresh)


def _key(spatial: int, array: Any, strides: Any, given: tuple) -> tuple:
    return spatial, array.dtype, array.shape, strides, given, _environment.get(_PRODUCT)


def remember(spatial: int, array: Any, given: tuple, operator: Any, views: Tuple[View, View, View], values: tuple) -> None:
    """Of a call that succeeded: source, values and indices."""
    kind = kind_of(array)
    if kind is Torch and type(array) is Torch.torch.Tensor:
        plain, strides = array.is_contiguous(), array.stride()
    elif kind is Numpy and type(array).__module__ == "numpy" and views[0].signature[0] == views[1].signature[0]:
        plain, strides = array.flags.c_contiguous and array.dtype.isnative, array.strides
    else:
        return
    if not plain or views[0].device != CPU or not math.prod(views[0].shape) or math.prod(views[1].shape) > _LARGEST:
        return
    key = _key(spatial, array, strides, given)
    try:
        if key in _known:  # with equal arguments that are other objects
            return
    except TypeError:  # a list, say
        return
    plan = _call.plan_of(operator, views, values)
    if plan.is_long or plan.workspace_size:
        return
    if len(_known) >= _MOST:
        _known.clear()
    known = _Known(given, operator, plan, tuple(views[1].shape), views[2].signature[0])
    if kind is Torch:
        known.models = (
            array.new_empty(known.shape, requires_grad=False),
            array.new_empty(known.shape, dtype=Torch.types[known.index_code], requires_grad=False),
        )
    _known[key] = known


def values(spatial: int, tensor: Any, given: tuple) -> Any:
    """The values alone, of a plain tensor; None where the call is new."""
    try:
        known = _known.get(_key(spatial, tensor, tensor.stride(), given))
    except (TypeError, RuntimeError):  # a list; a tensor without strides
        return None
    if known is None or not all(map(is_, given, known.given)) or not tensor.is_cpu or tensor.is_neg():
        return None
    address = tensor.data_ptr()
    if address == 0:
        return None
    if _scratch.size < known.index_bytes:
        scratch(known.shape, INT64)
    out = Torch.empty_like(known.models[0])
    known.run(address, out.data_ptr(), _scratch.address)
    return out


def _numpy_pair(spatial: int, array: Any, given: tuple) -> Any:
    known = _known.get(_key(spatial, array, array.strides, given))
    if known is None or not all(map(is_, given, known.given)) or type(array).__module__ != "numpy":
        return None
    out, indices = Numpy.make(known.shape, array.dtype), Numpy.make(known.shape, Numpy.types[known.index_code])
    known.run(Numpy.address(array), Numpy.address(out), Numpy.address(indices))
    return out, indices


def _torch_pair(spatial: int, tensor: Any, given: tuple) -> Any:
    known = _known.get(_key(spatial, tensor, tensor.stride(), given))
    if known is None or not all(map(is_, given, known.given)) or not tensor.is_cpu or tensor.is_neg():
        return None
    address = tensor.data_ptr()
    if address == 0 or type(tensor) is not Torch.torch.Tensor:
        return None
    out, indices = Torch.empty_like(known.models[0]), Torch.empty_like(known.models[1])
    known.run(address, out.data_ptr(), indices.data_ptr())
    return out, indices


def pair(spatial: int, array: Any, given: tuple) -> Any:
    """Values and indices; None where the call is new."""
    kind = kind_of(array)
    try:
        if kind is Numpy:
            return _numpy_pair(spatial, array, given)
        return _torch_pair(spatial, array, given) if kind is Torch else None
    except TypeError:  # a list, say
        return None
    except RuntimeError:
        if kind is Torch and array.layout is not Torch.torch.strided:  # no strides
            return None
        raise
