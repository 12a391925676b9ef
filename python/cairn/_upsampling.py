"""Nearest upsampling in one, two and three dimensions, by corners and by centres."""

from __future__ import annotations

from typing import Any, Optional, Sequence, Tuple, Union

from ._call import NCHW, NCL, ND, Operator, call
from ._operators import Array, Ints, _bfloat16, _read, _result
from ._values import integer, per_axis, scales, sizes

Scales = Union[None, float, Sequence[float]]

# By the number of axes, and whether cells are taken by their centres. Lines and images have an operator of their own for
# calls without scales.
_FORWARD = {
    (1, False): Operator("aclnnUpsampleNearest1dV2", "taft", flag=NCL),
    (2, False): Operator("aclnnUpsampleNearest2dV2", "tafft", flag=NCHW),
    (3, False): Operator("aclnnUpsampleNearest3d", "tadddt", flag=ND),
    (1, True): Operator("aclnnUpsampleNearestExact1d", "tadt", flag=NCL),
    (2, True): Operator("aclnnUpsampleNearestExact2d", "taddt", flag=NCHW),
    (3, True): Operator("aclnnUpsampleNearestExact3d", "tadddt", flag=ND),
}
_BACKWARD = {
    (1, False): Operator("aclnnUpsampleNearest1dBackward", "taadt", flag=NCL),
    (2, False): Operator("aclnnUpsampleNearest2dBackward", "taaddt", flag=NCHW),
    (3, False): Operator("aclnnUpsampleNearest3dBackward", "taadddt", flag=ND),
    (1, True): Operator("aclnnUpsampleNearestExact1dBackward", "taadt", flag=NCL),
    (2, True): Operator("aclnnUpsampleNearestExact2dBackward", "taaddt", flag=NCHW),
    (3, True): Operator("aclnnUpsampleNearestExact3dBackward", "taadddt", flag=ND),
}
_PLAIN = {
    1: Operator("aclnnUpsampleNearest1d", "tat", flag=NCL),
    2: Operator("aclnnUpsampleNearest2d", "tat", flag=NCHW),
}


def upsampled_size(shape: Sequence[int], factors: Sequence[float]) -> Tuple[int, ...]:
    plane = shape[-len(factors) :]
    return tuple(integer(int(size * factor), "the upsampled size") for size, factor in zip(plane, factors))


def upsample(
    spatial: int,
    exact: bool,
    self: Array,
    output_size: Optional[Ints],
    scale_factor: Scales,
    dtype: Any = None,
    out: Optional[Array] = None,
) -> Array:
    code = _bfloat16(dtype)
    source = _read(self, "self", code)
    factors = scales(scale_factor, spatial)
    if output_size is not None:
        plane = per_axis(output_size, spatial, "output_size")
    elif scale_factor is not None:
        plane = upsampled_size(source.shape, factors)
    else:
        raise ValueError("neither output_size nor scale_factor is given")
    shape = (*source.shape[:-spatial], *(max(size, 0) for size in plane))
    result, out_view = _result(out, "out", self, source, shape, source.signature[0], code)
    if scale_factor is None and not exact and spatial < 3:
        call(_PLAIN[spatial], (source, out_view), (plane,))
    else:
        call(_FORWARD[spatial, exact], (source, out_view), (plane, *factors))
    return result


def upsample_backward(
    spatial: int,
    exact: bool,
    grad_output: Array,
    output_size: Optional[Ints],
    input_size: Sequence[int],
    scale_factor: Scales,
    dtype: Any = None,
    out: Optional[Array] = None,
) -> Array:
    code = _bfloat16(dtype)
    gradient = _read(grad_output, "grad_output", code)
    plane = gradient.shape[-spatial:] if output_size is None else per_axis(output_size, spatial, "output_size")
    size = sizes(input_size, (spatial + 2,), "input_size")
    shape = tuple(max(extent, 0) for extent in size)
    result, out_view = _result(out, "out", grad_output, gradient, shape, gradient.signature[0], code)
    call(_BACKWARD[spatial, exact], (gradient, out_view), (plane, size, *scales(scale_factor, spatial)))
    return result


def upsample_nearest3d(
    self: Array,
    output_size: Optional[Ints] = None,
    scale_factor: Scales = None,
    *,
    dtype: Any = None,
    out: Optional[Array] = None,
) -> Array:
    """Every cell of the result is the nearest of ``self``, (N, C, D, H, W).

    With ``scale_factor`` alone the sizes follow from it, and it also chooses the cells; with ``output_size`` alone
    the ratio of the sizes does.

    >>> x = numpy.array([1.0, 2.0], numpy.float32).reshape(1, 1, 1, 1, 2)
    >>> cairn.upsample_nearest3d(x, scale_factor=(1, 1, 2)).ravel()
    array([1., 1., 2., 2.], dtype=float32)
    """
    return upsample(3, False, self, output_size, scale_factor, dtype, out)


def upsample_nearest3d_backward(
    grad_output: Array,
    output_size: Optional[Ints],
    input_size: Sequence[int],
    scale_factor: Scales = None,
    *,
    dtype: Any = None,
    out: Optional[Array] = None,
) -> Array:
    """The gradient of upsample_nearest3d: every cell is the sum of those that were copied from it.

    ``input_size`` is the shape of the forward's input, all five values. ``output_size`` of None is taken from
    ``grad_output``; ``scale_factor`` is what the forward was given.

    >>> g = numpy.ones((1, 1, 2, 2, 2), numpy.float32)
    >>> cairn.upsample_nearest3d_backward(g, None, (1, 1, 1, 1, 1)).ravel()
    array([8.], dtype=float32)
    """
    return upsample_backward(3, False, grad_output, output_size, input_size, scale_factor, dtype, out)


def upsample_nearest2d(
    self: Array,
    output_size: Optional[Ints] = None,
    scale_factor: Scales = None,
    *,
    dtype: Any = None,
    out: Optional[Array] = None,
) -> Array:
    """upsample_nearest3d for (N, C, H, W). The library takes ``scale_factor`` as a float here.

    >>> x = numpy.array([1.0, 2.0, 3.0], numpy.float32).reshape((1, 1, 1, 3))
    >>> cairn.upsample_nearest2d(x, (1, 5)).ravel()
    array([1., 1., 2., 2., 3.], dtype=float32)
    """
    return upsample(2, False, self, output_size, scale_factor, dtype, out)


def upsample_nearest2d_backward(
    grad_output: Array,
    output_size: Optional[Ints],
    input_size: Sequence[int],
    scale_factor: Scales = None,
    *,
    dtype: Any = None,
    out: Optional[Array] = None,
) -> Array:
    """The gradient of upsample_nearest2d. See upsample_nearest3d_backward.

    >>> g = numpy.ones((1, 1, 1, 5), numpy.float32)
    >>> cairn.upsample_nearest2d_backward(g, None, (1, 1, 1, 3)).ravel()
    array([2., 2., 1.], dtype=float32)
    """
    return upsample_backward(2, False, grad_output, output_size, input_size, scale_factor, dtype, out)


def upsample_nearest1d(
    self: Array,
    output_size: Optional[Ints] = None,
    scale_factor: Scales = None,
    *,
    dtype: Any = None,
    out: Optional[Array] = None,
) -> Array:
    """upsample_nearest3d for (N, C, L). The library takes ``scale_factor`` as a float here.

    >>> x = numpy.array([1.0, 2.0, 3.0], numpy.float32).reshape((1, 1, 3))
    >>> cairn.upsample_nearest1d(x, 5).ravel()
    array([1., 1., 2., 2., 3.], dtype=float32)
    """
    return upsample(1, False, self, output_size, scale_factor, dtype, out)


def upsample_nearest1d_backward(
    grad_output: Array,
    output_size: Optional[Ints],
    input_size: Sequence[int],
    scale_factor: Scales = None,
    *,
    dtype: Any = None,
    out: Optional[Array] = None,
) -> Array:
    """The gradient of upsample_nearest1d. See upsample_nearest3d_backward. A ``scale_factor`` that does not give
    the size is ignored.

    >>> g = numpy.ones((1, 1, 5), numpy.float32)
    >>> cairn.upsample_nearest1d_backward(g, None, (1, 1, 3)).ravel()
    array([2., 2., 1.], dtype=float32)
    """
    return upsample_backward(1, False, grad_output, output_size, input_size, scale_factor, dtype, out)


def upsample_nearest_exact3d(
    self: Array,
    output_size: Optional[Ints] = None,
    scale_factor: Scales = None,
    *,
    dtype: Any = None,
    out: Optional[Array] = None,
) -> Array:
    """Every cell of the result is that of ``self``, (N, C, D, H, W), in which its centre lies: PyTorch's mode
    "nearest-exact". See upsample_nearest3d.

    >>> x = numpy.array([1.0, 2.0, 3.0], numpy.float32).reshape((1, 1, 1, 1, 3))
    >>> cairn.upsample_nearest_exact3d(x, (1, 1, 5)).ravel()
    array([1., 1., 2., 3., 3.], dtype=float32)
    """
    return upsample(3, True, self, output_size, scale_factor, dtype, out)


def upsample_nearest_exact3d_backward(
    grad_output: Array,
    output_size: Optional[Ints],
    input_size: Sequence[int],
    scale_factor: Scales = None,
    *,
    dtype: Any = None,
    out: Optional[Array] = None,
) -> Array:
    """The gradient of upsample_nearest_exact3d. See upsample_nearest3d_backward.

    >>> g = numpy.ones((1, 1, 1, 1, 5), numpy.float32)
    >>> cairn.upsample_nearest_exact3d_backward(g, None, (1, 1, 1, 1, 3)).ravel()
    array([2., 1., 2.], dtype=float32)
    """
    return upsample_backward(3, True, grad_output, output_size, input_size, scale_factor, dtype, out)


def upsample_nearest_exact2d(
    self: Array,
    output_size: Optional[Ints] = None,
    scale_factor: Scales = None,
    *,
    dtype: Any = None,
    out: Optional[Array] = None,
) -> Array:
    """upsample_nearest_exact3d for (N, C, H, W).

    >>> x = numpy.array([1.0, 2.0, 3.0], numpy.float32).reshape((1, 1, 1, 3))
    >>> cairn.upsample_nearest_exact2d(x, (1, 5)).ravel()
    array([1., 1., 2., 3., 3.], dtype=float32)
    """
    return upsample(2, True, self, output_size, scale_factor, dtype, out)


def upsample_nearest_exact2d_backward(
    grad_output: Array,
    output_size: Optional[Ints],
    input_size: Sequence[int],
    scale_factor: Scales = None,
    *,
    dtype: Any = None,
    out: Optional[Array] = None,
) -> Array:
    """The gradient of upsample_nearest_exact2d. See upsample_nearest3d_backward.

    >>> g = numpy.ones((1, 1, 1, 5), numpy.float32)
    >>> cairn.upsample_nearest_exact2d_backward(g, None, (1, 1, 1, 3)).ravel()
    array([2., 1., 2.], dtype=float32)
    """
    return upsample_backward(2, True, grad_output, output_size, input_size, scale_factor, dtype, out)


def upsample_nearest_exact1d(
    self: Array,
    output_size: Optional[Ints] = None,
    scale_factor: Scales = None,
    *,
    dtype: Any = None,
    out: Optional[Array] = None,
) -> Array:
    """upsample_nearest_exact3d for (N, C, L).

    >>> x = numpy.array([1.0, 2.0, 3.0], numpy.float32).reshape((1, 1, 3))
    >>> cairn.upsample_nearest_exact1d(x, 5).ravel()
    array([1., 1., 2., 3., 3.], dtype=float32)
    """
    return upsample(1, True, self, output_size, scale_factor, dtype, out)


def upsample_nearest_exact1d_backward(
    grad_output: Array,
    output_size: Optional[Ints],
    input_size: Sequence[int],
    scale_factor: Scales = None,
    *,
    dtype: Any = None,
    out: Optional[Array] = None,
) -> Array:
    """The gradient of upsample_nearest_exact1d. See upsample_nearest3d_backward.

    >>> g = numpy.ones((1, 1, 5), numpy.float32)
    >>> cairn.upsample_nearest_exact1d_backward(g, None, (1, 1, 3)).ravel()
    array([2., 1., 2.], dtype=float32)
    """
    return upsample_backward(1, True, grad_output, output_size, input_size, scale_factor, dtype, out)
