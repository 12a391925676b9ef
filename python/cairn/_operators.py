"""Pooling."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any, Dict, Optional, Sequence, Tuple, TypeVar, Union

from . import _again as again
from ._arrays import CPU, FLOAT, INT32, INT64, View, kind_of, reinterpret, scratch, type_code
from ._call import _PRODUCT, Operator, Plan, _environment, call
from ._library import CairnError
from ._values import flag, per_axis

Ints = Union[int, Sequence[int]]
Array = TypeVar("Array")

_POOL_BACKWARD = {
    2: Operator("aclnnMaxPool2dWithIndicesBackward", "tttaaaabt"),
    3: Operator("aclnnMaxPool3dWithArgmaxBackward", "tttaaaabt"),
}
_POOL = {
    2: Operator("aclnnMaxPool2dWithIndices", "taaaabtt", searches=True),
    3: Operator("aclnnMaxPool3dWithArgmax", "taaaabtt", searches=True),
}


def _read(array: Array, name: str, code: Optional[int] = None) -> View:
    view = kind_of(array).view(array, name, False)
    return view if code is None else reinterpret(view, name, code)


def _result(
    out: Optional[Array],
    name: str,
    like: Array,
    like_view: View,
    shape: Sequence[int],
    code: int,
    dtype: Optional[int],
    contiguous: bool = False,
) -> Tuple[Array, View]:
    """The array to write into, made like ``like`` unless it is given."""
    if out is None:
        try:
            return kind_of(like).new(like, like_view, tuple(shape), code, contiguous)
        except (OverflowError, RuntimeError) as error:
            if math.prod(shape) < 2**60:  # torch's way to say that there is no memory
                raise
            raise ValueError(f"a result of the shape {tuple(shape)} is more than an array can hold") from error
    return out, reinterpret(kind_of(out).view(out, name, True), name, dtype)


def _bfloat16(dtype: Any) -> Optional[int]:
    return None if dtype is None else type_code(dtype)


def _window(spatial: int, kernel_size: Ints, stride: Optional[Ints], padding: Ints, dilation: Ints) -> tuple:
    # An empty list means the kernel size, to the library as to PyTorch.
    strides = () if stride is None else per_axis(stride, spatial, "stride", may_be_empty=True)
    return (
        per_axis(kernel_size, spatial, "kernel_size"),
        strides,
        per_axis(padding, spatial, "padding"),
        per_axis(dilation, spatial, "dilation"),
    )


@lru_cache(maxsize=1024)
def pooled_shape(shape: Sequence[int], spatial: int, window: tuple, ceil_mode: bool) -> Tuple[int, ...]:
    """The forward's output shape. What makes no sense gives some shape, and the library then says what is wrong."""
    kernel, stride, padding, dilation = window

    def along(size: int, k: int, s: int, p: int, d: int) -> int:
        if s <= 0 or p < 0 or d <= 0 or 2 * p > k:
            return 1
        count = (size + 2 * p - d * (k - 1) - 1 + (s - 1 if ceil_mode else 0)) // s + 1
        if ceil_mode and (count - 1) * s >= size + p:  # a window may not start in the right padding
            count -= 1
        return max(count, 0)

    head = len(shape) - spatial
    if head < 0:
        return tuple(shape)
    return (*shape[:head], *map(along, shape[head:], kernel, stride or kernel, padding, dilation))


def _pair(out: Any) -> Tuple[Any, Any]:
    if not isinstance(out, (tuple, list)):
        raise TypeError(f"out is a {type(out).__name__}, expected a pair of arrays")
    if len(out) != 2:
        raise ValueError(f"out has {len(out)} values, expected a pair of arrays")
    return tuple(out)  # type: ignore[return-value]


_SMALL = 4096


def values_alone(
    operator: Operator, self: Any, source: View, shape: Sequence[int], index_code: int, values: tuple, asked: tuple
) -> Any:
    """What a max pooling gives without its indices. Memory for a few of them is had quicker than an array. ``asked``:
    under which name and with which arguments, where the next call may be the same."""
    out, out_view = _result(None, "out", self, source, shape, source.signature[0], None)
    is_small = source.device == CPU and math.prod(shape) <= _SMALL
    if is_small:
        indices = scratch(shape, index_code)
    else:
        indices = _result(None, "indices", self, source, shape, index_code, None)[1]
    views = (source, out_view, indices)
    call(operator, views, values)
    if is_small:
        again.remember(asked[0], self, asked[1], operator, views, values)
    return out


def _values_of_max_pool(
    spatial: int, self: Any, window: tuple, ceil_mode: bool, index_code: int, given: tuple
) -> Any:
    source = _read(self, "self")
    shape = pooled_shape(source.shape, spatial, window, flag(ceil_mode, "ceil_mode"))
    values = (*window, ceil_mode)
    return values_alone(_POOL[spatial], self, source, shape, index_code, values, (spatial, given))


_index_types: Dict[tuple, int] = {}


def index_type(forward: Operator, values: tuple, backward: Optional[Operator], back_values: tuple, wanted: int) -> int:
    """INT32 or INT64: the wanted one, unless the product takes only the other. ``values`` are those for one cell. A
    ``backward`` that will get the indices must take them too: on some products it does not take all that its forward
    makes."""
    key = (forward, backward, wanted, _environment.get(_PRODUCT))
    found = _index_types.get(key)
    if found is None:
        found = _index_types[key] = _index_type(forward, values, backward, back_values, wanted)
    return found


def _index_type(forward: Operator, values: tuple, backward: Optional[Operator], back_values: tuple, wanted: int) -> int:
    ones = (1,) * (2 + len(values[0]))
    cell = (FLOAT, ones, ones, 1)
    for code in (wanted, INT32 if wanted == INT64 else INT64):
        index = (code, ones, ones, 1)
        try:
            Plan(forward, (cell, cell, index), values)
            if backward is not None:
                Plan(backward, (cell, cell, index, cell), back_values)
            return code
        except CairnError:
            pass
    # The product takes neither, and the call will say what it has against it.
    return wanted if backward is None else index_type(forward, values, None, (), wanted)


_ONE_CELL = {spatial: ((1,) * spatial, (), (0,) * spatial, (1,) * spatial, False) for spatial in (2, 3)}


def index_type_of_max_pool(spatial: int, wanted: int, has_backward: bool) -> int:
    backward = _POOL_BACKWARD[spatial] if has_backward else None
    return index_type(_POOL[spatial], _ONE_CELL[spatial], backward, _ONE_CELL[spatial], wanted)


def _max_pool(
    spatial: int,
    self: Array,
    window: tuple,
    ceil_mode: bool,
    index_code: int,
    dtype: Any,
    out: Any,
    given: Optional[tuple] = None,
) -> Tuple[Array, Array]:
    """``given``: the arguments as the caller had them, where the next call may be the same."""
    code = _bfloat16(dtype)
    source = _read(self, "self", code)
    out, indices = (None, None) if out is None else _pair(out)
    ceil_mode = flag(ceil_mode, "ceil_mode")
    shape = pooled_shape(source.shape, spatial, window, ceil_mode)
    out, out_view = _result(out, "out", self, source, shape, source.signature[0], code)
    indices, index_view = _result(indices, "indices", self, source, shape, index_code, None)
    views, values = (source, out_view, index_view), (*window, ceil_mode)
    call(_POOL[spatial], views, values)
    if given is not None:
        again.remember(spatial, self, given, _POOL[spatial], views, values)
    return out, indices


def _max_pool_or_again(spatial: int, self: Any, given: tuple, out: Any) -> Tuple[Any, Any]:
    if out is None:
        found = again.results(spatial, self, given)
        if found is not None:
            return found
    kernel_size, stride, padding, dilation, ceil_mode, indices_dtype, dtype = given
    window = _window(spatial, kernel_size, stride, padding, dilation)
    code = type_code(indices_dtype, "indices_dtype")
    return _max_pool(spatial, self, window, ceil_mode, code, dtype, out, given if out is None else None)


def max_pool3d_with_argmax(
    self: Array,
    kernel_size: Ints,
    stride: Optional[Ints] = None,
    padding: Ints = 0,
    dilation: Ints = 1,
    ceil_mode: bool = False,
    *,
    indices_dtype: Any = "int64",
    dtype: Any = None,
    out: Optional[Tuple[Array, Array]] = None,
) -> Tuple[Array, Array]:
    """The largest element of every window, and where it lies: ``(output, indices)``.

    ``self`` is (N, C, D, H, W) or (C, D, H, W) in float32, float16 or bfloat16. An index counts positions in the
    D x H x W plane of ``self``; the first of equal elements wins, and NaN wins over all. A window that lies wholly
    in padding has the value -inf and the index -1.

    indices_dtype: "int64" as PyTorch has it, or "int32", which is faster and what most Ascend products want.
    dtype: "bfloat16" when a numpy array of uint16 holds bfloat16.
    out: a pair of arrays to write into.

    >>> x = numpy.arange(64, dtype=numpy.float32).reshape(1, 1, 4, 4, 4)
    >>> y, where = cairn.max_pool3d_with_argmax(x, kernel_size=2)
    >>> y[0, 0, 0]
    array([[21., 23.],
           [29., 31.]], dtype=float32)
    """
    given = (kernel_size, stride, padding, dilation, ceil_mode, indices_dtype, dtype)
    return _max_pool_or_again(3, self, given, out)


def max_pool2d_with_indices(
    self: Array,
    kernel_size: Ints,
    stride: Optional[Ints] = None,
    padding: Ints = 0,
    dilation: Ints = 1,
    ceil_mode: bool = False,
    *,
    indices_dtype: Any = "int64",
    dtype: Any = None,
    out: Optional[Tuple[Array, Array]] = None,
) -> Tuple[Array, Array]:
    """The same in two dimensions: ``self`` is (N, C, H, W) or (C, H, W). See max_pool3d_with_argmax.

    >>> x = numpy.arange(16, dtype=numpy.float32).reshape(1, 1, 4, 4)
    >>> cairn.max_pool2d_with_indices(x, 2)[1]
    array([[[[ 5,  7],
             [13, 15]]]])
    """
    given = (kernel_size, stride, padding, dilation, ceil_mode, indices_dtype, dtype)
    return _max_pool_or_again(2, self, given, out)


def _max_pool_backward(
    spatial: int,
    grad_output: Array,
    self: Union[Array, View],
    indices: Array,
    window: tuple,
    ceil_mode: bool,
    dtype: Any,
    out: Optional[Array],
) -> Array:
    code = _bfloat16(dtype)
    gradient, index_view = _read(grad_output, "grad_output", code), _read(indices, "indices")
    like, source = (grad_output, self) if isinstance(self, View) else (self, _read(self, "self", code))
    result, out_view = _result(out, "out", like, source, source.shape, source.signature[0], code)
    call(_POOL_BACKWARD[spatial], (gradient, source, index_view, out_view), (*window, flag(ceil_mode, "ceil_mode")))
    return result


def max_pool3d_with_argmax_backward(
    grad_output: Array,
    self: Array,
    indices: Array,
    kernel_size: Ints,
    stride: Optional[Ints] = None,
    padding: Ints = 0,
    dilation: Ints = 1,
    ceil_mode: bool = False,
    *,
    dtype: Any = None,
    out: Optional[Array] = None,
) -> Array:
    """The gradient of max_pool3d_with_argmax with respect to ``self``.

    Every element of ``grad_output`` is added to the cell of its plane that ``indices`` (int32 or int64) names, in the
    order of their positions, in float, rounded once: the same bits at every run and on every device. ``self`` gives
    only its shape and type. An index outside the plane adds nothing and raises CairnError with status 507035: on the
    CPU now, on CUDA at the next call on that stream or in cairn.synchronize().

    >>> x = numpy.zeros((1, 1, 2, 2, 2), numpy.float32)
    >>> where = numpy.full((1, 1, 1, 1, 1), 6)
    >>> cairn.max_pool3d_with_argmax_backward(numpy.ones((1, 1, 1, 1, 1), numpy.float32), x, where, 2).ravel()
    array([0., 0., 0., 0., 0., 0., 1., 0.], dtype=float32)
    """
    window = _window(3, kernel_size, stride, padding, dilation)
    return _max_pool_backward(3, grad_output, self, indices, window, ceil_mode, dtype, out)


def max_pool2d_with_indices_backward(
    grad_output: Array,
    self: Array,
    indices: Array,
    kernel_size: Ints,
    stride: Optional[Ints] = None,
    padding: Ints = 0,
    dilation: Ints = 1,
    ceil_mode: bool = False,
    *,
    dtype: Any = None,
    out: Optional[Array] = None,
) -> Array:
    """The gradient of max_pool2d_with_indices with respect to ``self``. See max_pool3d_with_argmax_backward.

    >>> x = numpy.zeros((1, 1, 2, 2), numpy.float32)
    >>> where = numpy.array([[[[3]]]], numpy.int32)
    >>> cairn.max_pool2d_with_indices_backward(numpy.ones((1, 1, 1, 1), numpy.float32), x, where, 2)
    array([[[[0., 0.],
             [0., 1.]]]], dtype=float32)
    """
    window = _window(2, kernel_size, stride, padding, dilation)
    return _max_pool_backward(2, grad_output, self, indices, window, ceil_mode, dtype, out)
