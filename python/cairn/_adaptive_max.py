"""Adaptive max pooling in two and three dimensions."""

from __future__ import annotations

from typing import Any, Optional, Sequence, Tuple, Union

from . import _again as again
from ._arrays import View, type_code
from ._call import NCDHW, NCHW, ND, Operator, call
from ._operators import Array, _bfloat16, _pair, _read, _result, index_type, values_alone
from ._values import adaptive_size

Sizes = Union[None, int, Sequence[Optional[int]]]

_POOL = {
    2: Operator("aclnnAdaptiveMaxPool2d", "tatt", flag=NCHW),
    3: Operator("aclnnAdaptiveMaxPool3d", "tatt", flag=NCDHW),
}
_POOL_BACKWARD = {
    2: Operator("aclnnAdaptiveMaxPool2dBackward", "tttt", flag=ND),
    3: Operator("aclnnAdaptiveMaxPool3dBackward", "tttt", flag=ND),
}


def _sizes(view: View, spatial: int, output_size: Sizes) -> Tuple[tuple, tuple]:
    """Of the plane, and of the whole result."""
    plane = adaptive_size(output_size, view.shape, spatial)
    return plane, (*view.shape[:-spatial], *(max(size, 0) for size in plane))


def adaptive_max_pool(
    spatial: int,
    self: Array,
    output_size: Sizes,
    index_code: int,
    dtype: Any = None,
    out: Any = None,
    asked: Optional[tuple] = None,
) -> Tuple[Array, Array]:
    """``asked``: under which name and with which arguments, where the next call may be the same."""
    code = _bfloat16(dtype)
    source = _read(self, "self", code)
    given = out
    out, indices = (None, None) if given is None else _pair(given)
    plane, shape = _sizes(source, spatial, output_size)
    out, out_view = _result(out, "out", self, source, shape, source.signature[0], code)
    indices, index_view = _result(indices, "indices", self, source, shape, index_code, None)
    views = (source, out_view, index_view)
    call(_POOL[spatial], views, (plane,))
    if asked is not None and given is None:
        again.remember(asked[0], self, asked[1], _POOL[spatial], views, (plane,))
    return out, indices


def values_of_adaptive_max_pool(spatial: int, self: Any, output_size: Sizes, index_code: int, asked: tuple) -> Any:
    source = _read(self, "self")
    plane, shape = _sizes(source, spatial, output_size)
    return values_alone(_POOL[spatial], self, source, shape, index_code, (plane,), asked)


def index_type_of_adaptive_max_pool(spatial: int, wanted: int, has_backward: bool) -> int:
    return index_type(_POOL[spatial], ((1,) * spatial,), _POOL_BACKWARD[spatial] if has_backward else None, (), wanted)


def _forward(
    name: str, spatial: int, self: Array, output_size: Sizes, indices_dtype: Any, dtype: Any, out: Any
) -> Tuple[Array, Array]:
    asked = (output_size, indices_dtype, dtype)
    if out is None:
        found = again.results(name, self, asked)
        if found is not None:
            return found
    code = type_code(indices_dtype, "indices_dtype")
    return adaptive_max_pool(spatial, self, output_size, code, dtype, out, (name, asked))


def adaptive_max_pool_backward(
    spatial: int,
    grad_output: Array,
    self: Union[Array, View],
    indices: Array,
    dtype: Any = None,
    out: Optional[Array] = None,
) -> Array:
    code = _bfloat16(dtype)
    gradient, index_view = _read(grad_output, "grad_output", code), _read(indices, "indices")
    like, source = (grad_output, self) if isinstance(self, View) else (self, _read(self, "self", code))
    result, out_view = _result(out, "out", like, source, source.shape, source.signature[0], code)
    call(_POOL_BACKWARD[spatial], (gradient, source, index_view, out_view), ())
    return result


def adaptive_max_pool3d(
    self: Array,
    output_size: Sizes,
    *,
    indices_dtype: Any = "int64",
    dtype: Any = None,
    out: Optional[Tuple[Array, Array]] = None,
) -> Tuple[Array, Array]:
    """The largest element of each of ``output_size`` windows that cover a plane, and where it lies: ``(output,
    indices)``.

    ``self`` is (N, C, D, H, W) or (C, D, H, W). Along an axis window i has the cells from floor(i * in / out) to before
    ceil((i + 1) * in / out); None keeps the size of an axis. Indices, ties and NaN, and the other arguments, are as in
    max_pool3d_with_argmax.

    >>> x = numpy.arange(10, dtype=numpy.float32).reshape(1, 1, 1, 2, 5)
    >>> y, where = cairn.adaptive_max_pool3d(x, (1, 1, 3))
    >>> y.ravel(), where.ravel()
    (array([6., 8., 9.], dtype=float32), array([6, 8, 9]))
    """
    return _forward("adaptive_max_pool3d", 3, self, output_size, indices_dtype, dtype, out)


def adaptive_max_pool2d(
    self: Array,
    output_size: Sizes,
    *,
    indices_dtype: Any = "int64",
    dtype: Any = None,
    out: Optional[Tuple[Array, Array]] = None,
) -> Tuple[Array, Array]:
    """The same in two dimensions: ``self`` is (N, C, H, W) or (C, H, W). See adaptive_max_pool3d.

    >>> x = numpy.array([[[[1, 7, 3, 2, 5]]]], numpy.float32)
    >>> cairn.adaptive_max_pool2d(x, (1, 3))[1]
    array([[[[1, 1, 4]]]])
    """
    return _forward("adaptive_max_pool2d", 2, self, output_size, indices_dtype, dtype, out)


def adaptive_max_pool3d_backward(
    grad_output: Array, self: Array, indices: Array, *, dtype: Any = None, out: Optional[Array] = None
) -> Array:
    """The gradient of adaptive_max_pool3d with respect to ``self``: sums and errors are those of
    max_pool3d_with_argmax_backward.

    >>> x = numpy.zeros((1, 1, 1, 1, 5), numpy.float32)
    >>> where = numpy.array([1, 1, 4]).reshape(1, 1, 1, 1, 3)
    >>> cairn.adaptive_max_pool3d_backward(numpy.ones(where.shape, numpy.float32), x, where).ravel()
    array([0., 2., 0., 0., 1.], dtype=float32)
    """
    return adaptive_max_pool_backward(3, grad_output, self, indices, dtype, out)


def adaptive_max_pool2d_backward(
    grad_output: Array, self: Array, indices: Array, *, dtype: Any = None, out: Optional[Array] = None
) -> Array:
    """The gradient of adaptive_max_pool2d with respect to ``self``. See adaptive_max_pool3d_backward.

    >>> x = numpy.zeros((1, 1, 2, 2), numpy.float32)
    >>> cairn.adaptive_max_pool2d_backward(numpy.ones((1, 1, 1, 1), numpy.float32), x, numpy.array([[[[3]]]]))
    array([[[[0., 0.],
             [0., 1.]]]], dtype=float32)
    """
    return adaptive_max_pool_backward(2, grad_output, self, indices, dtype, out)
