"""Unpooling in two and three dimensions."""

from __future__ import annotations

from typing import Any, Optional, Sequence, Tuple, Union

from ._arrays import View, type_code
from ._call import Operator, call
from ._operators import Array, Ints, _bfloat16, _read, _result
from ._values import integer, per_axis, sizes

_UNPOOL_BACKWARD = {
    2: Operator("aclnnMaxUnpool2dBackward", "tttat"),
    3: Operator("aclnnMaxUnpool3dBackward", "tttaaat"),
}
_UNPOOL = {2: Operator("aclnnMaxUnpool2d", "ttat"), 3: Operator("aclnnMaxUnpool3d", "ttaaat")}
# The window that the 3D operators are told, and do not look at.
_WINDOW: dict = {2: (), 3: ((1, 1, 1), (0, 0, 0))}


def unpooled_size(
    shape: Sequence[int], spatial: int, kernel_size: Ints, stride: Optional[Ints], padding: Ints
) -> Tuple[int, ...]:
    """The plane whose pooling with this window gives ``shape``, the smallest of those."""
    kernel = per_axis(kernel_size, spatial, "kernel_size")
    steps = unpooling_steps(spatial, kernel, stride)
    window = zip(shape[-spatial:], steps, per_axis(padding, spatial, "padding"), kernel)
    return tuple(integer((size - 1) * s - 2 * p + k, "the unpooled size") for size, s, p, k in window)


def unpooling_steps(spatial: int, kernel_size: Ints, stride: Optional[Ints]) -> Tuple[int, ...]:
    """The stride of an unpooling along each axis."""
    given = () if stride is None else per_axis(stride, spatial, "stride", may_be_empty=True)
    return given or per_axis(kernel_size, spatial, "kernel_size")


def _plane(output_size: Any, shape: Sequence[int], spatial: int) -> Tuple[int, ...]:
    """A plane's sizes, given alone or at the end of a whole shape's."""
    return sizes(output_size, (spatial, max(len(shape), spatial + 1)), "output_size")[-spatial:]


def _max_unpool(
    spatial: int,
    self: Array,
    indices: Array,
    kernel_size: Optional[Ints],
    stride: Optional[Ints],
    padding: Ints,
    output_size: Optional[Sequence[int]],
    dtype: Any,
    out: Optional[Array],
) -> Array:
    code = _bfloat16(dtype)
    source, index_view = _read(self, "self", code), _read(indices, "indices")
    if output_size is not None:
        plane = _plane(output_size, source.shape, spatial)
    elif kernel_size is not None:
        plane = unpooled_size(source.shape, spatial, kernel_size, stride, padding)
    else:
        raise ValueError("neither kernel_size nor output_size is given")
    shape = (*source.shape[:-spatial], *(max(size, 0) for size in plane))
    result, out_view = _result(out, "out", self, source, shape, source.signature[0], code, contiguous=spatial == 3)
    call(_UNPOOL[spatial], (source, index_view, out_view), (plane, *_WINDOW[spatial]))
    return result


def max_unpool3d(
    self: Array,
    indices: Array,
    kernel_size: Optional[Ints] = None,
    stride: Optional[Ints] = None,
    padding: Ints = 0,
    output_size: Optional[Sequence[int]] = None,
    *,
    dtype: Any = None,
    out: Optional[Array] = None,
) -> Array:
    """Puts every element of ``self`` where ``indices`` says, in a plane of zeros; of several for one place the last
    wins.

    The plane is ``output_size``, whose last three values count, or follows from the window. Any type that Cairn
    knows but bool; the result is contiguous. An index of -1 is skipped, any other outside the plane is an error as
    in max_pool3d_with_argmax_backward.

    >>> y = numpy.array([3.0, 4.0], numpy.float32).reshape(1, 1, 1, 1, 2)
    >>> cairn.max_unpool3d(y, numpy.array([1, 2]).reshape(y.shape), output_size=(1, 1, 4)).ravel()
    array([0., 3., 4., 0.], dtype=float32)
    """
    return _max_unpool(3, self, indices, kernel_size, stride, padding, output_size, dtype, out)


def max_unpool2d(
    self: Array,
    indices: Array,
    kernel_size: Optional[Ints] = None,
    stride: Optional[Ints] = None,
    padding: Ints = 0,
    output_size: Optional[Sequence[int]] = None,
    *,
    dtype: Any = None,
    out: Optional[Array] = None,
) -> Array:
    """The same in two dimensions: ``self`` is (N, C, H, W) or (C, H, W), and the result may have any strides. See
    max_unpool3d.

    >>> y = numpy.array([[[[1, 2], [3, 4]]]], numpy.float32)
    >>> cairn.max_unpool2d(y, numpy.array([[[[0, 3], [4, 7]]]]), output_size=(2, 4))
    array([[[[1., 0., 0., 2.],
             [3., 0., 0., 4.]]]], dtype=float32)
    """
    return _max_unpool(2, self, indices, kernel_size, stride, padding, output_size, dtype, out)


def _max_unpool_backward(
    spatial: int,
    grad_output: Array,
    self: Union[Array, View],
    indices: Array,
    output_size: Optional[Sequence[int]],
    dtype: Any,
    out_dtype: Any,
    out: Optional[Array],
) -> Array:
    code = _bfloat16(dtype)
    gradient, index_view = _read(grad_output, "grad_output", code), _read(indices, "indices")
    source = self if isinstance(self, View) else _read(self, "self", code)
    plane = gradient.shape[-spatial:] if output_size is None else _plane(output_size, gradient.shape, spatial)
    element = gradient.signature[0]
    if out_dtype is not None:
        code = element = type_code(out_dtype, "out_dtype")
    result, out_view = _result(
        out, "out", grad_output, gradient, source.shape, element, code, contiguous=spatial == 3
    )
    call(_UNPOOL_BACKWARD[spatial], (gradient, source, index_view, out_view), (plane, *_WINDOW[spatial]))
    return result


def max_unpool3d_backward(
    grad_output: Array,
    self: Union[Array, View],
    indices: Array,
    output_size: Optional[Sequence[int]] = None,
    *,
    dtype: Any = None,
    out: Optional[Array] = None,
) -> Array:
    """The gradient of max_unpool3d with respect to ``self``: takes from ``grad_output`` what ``indices`` names.

    ``self`` gives only its shape. An index of -1 gives 0; any other outside the plane gives 0 and is an error as in
    max_pool3d_with_argmax_backward.

    >>> g = numpy.arange(8, dtype=numpy.float32).reshape(1, 1, 2, 2, 2)
    >>> y = numpy.zeros((1, 1, 1, 1, 2), numpy.float32)
    >>> cairn.max_unpool3d_backward(g, y, numpy.array([5, 2]).reshape(y.shape)).ravel()
    array([5., 2.], dtype=float32)
    """
    return _max_unpool_backward(3, grad_output, self, indices, output_size, dtype, None, out)


def max_unpool2d_backward(
    grad_output: Array,
    self: Union[Array, View],
    indices: Array,
    output_size: Optional[Sequence[int]] = None,
    *,
    dtype: Any = None,
    out_dtype: Any = None,
    out: Optional[Array] = None,
) -> Array:
    """The gradient of max_unpool2d with respect to ``self``. See max_unpool3d_backward.

    The result may have another type than ``grad_output``, that of ``out`` or ``out_dtype``: floats become other
    floats, rounded once; integers become integers, of which the low bits stay, or floats; bool becomes anything.

    >>> g = numpy.array([[[[1, 70000, 3]]]], numpy.float32)
    >>> y = numpy.zeros((1, 1, 1, 2), numpy.float32)
    >>> cairn.max_unpool2d_backward(g, y, numpy.array([[[[2, 1]]]]), out_dtype="float16").ravel()
    array([ 3., inf], dtype=float16)
    """
    return _max_unpool_backward(2, grad_output, self, indices, output_size, dtype, out_dtype, out)
