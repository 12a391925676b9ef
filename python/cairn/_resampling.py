"""Upsampling by weighted sums: linear, cubic and antialiased, in one, two and three dimensions."""

from __future__ import annotations

from typing import Any, Optional, Sequence

from ._call import NCHW, NCL, ND, Operator, call
from ._operators import Array, Ints, _bfloat16, _read, _result
from ._upsampling import Scales, upsampled_size
from ._values import flag, per_axis, scales, sizes

# By the number of axes and the filter, with and without antialiasing.
_FORWARD = {
    (1, "linear"): Operator("aclnnUpsampleLinear1d", "tabdt", flag=NCL),
    (2, "linear"): Operator("aclnnUpsampleBilinear2d", "tabddt", flag=NCHW),
    (3, "linear"): Operator("aclnnUpsampleTrilinear3d", "tabdddt", flag=ND),
    (2, "cubic"): Operator("aclnnUpsampleBicubic2d", "tabddt", flag=NCHW),
    (2, "linear_aa"): Operator("aclnnUpsampleBilinear2dAA", "tabddt", flag=NCHW),
    (2, "cubic_aa"): Operator("aclnnUpsampleBicubic2dAA", "tabddt", flag=NCHW),
}
_BACKWARD = {
    (1, "linear"): Operator("aclnnUpsampleLinear1dBackward", "taabdt", flag=NCL),
    (2, "linear"): Operator("aclnnUpsampleBilinear2dBackwardV2", "taabddt", flag=NCHW),
    (3, "linear"): Operator("aclnnUpsampleTrilinear3dBackward", "taabdddt", flag=ND),
    (2, "cubic"): Operator("aclnnUpsampleBicubic2dBackward", "taabddt", flag=NCHW),
    (2, "linear_aa"): Operator("aclnnUpsampleBilinear2dAABackward", "taabddt", flag=NCHW),
    (2, "cubic_aa"): Operator("aclnnUpsampleBicubic2dAAGrad", "taabddt", flag=NCHW),
}


def resample(
    spatial: int,
    filter: str,
    self: Array,
    output_size: Optional[Ints],
    align_corners: bool,
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
    if spatial == 1:  # where some products know 0 as a scale like any other
        factors = tuple(factor or -1.0 for factor in factors)
    shape = (*source.shape[:-spatial], *(max(size, 0) for size in plane))
    result, out_view = _result(out, "out", self, source, shape, source.signature[0], code)
    call(_FORWARD[spatial, filter], (source, out_view), (plane, flag(align_corners, "align_corners"), *factors))
    return result


def resample_backward(
    spatial: int,
    filter: str,
    grad_output: Array,
    output_size: Optional[Ints],
    input_size: Sequence[int],
    align_corners: bool,
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
    settings = (flag(align_corners, "align_corners"), *scales(scale_factor, spatial))
    call(_BACKWARD[spatial, filter], (gradient, out_view), (plane, size, *settings))
    return result


def upsample_trilinear3d(
    self: Array,
    output_size: Optional[Ints] = None,
    align_corners: bool = False,
    scale_factor: Scales = None,
    *,
    dtype: Any = None,
    out: Optional[Array] = None,
) -> Array:
    """Interpolates linearly between the cells of ``self``, (N, C, D, H, W).

    With ``scale_factor`` alone the sizes follow from it, and it also gives the positions, unless ``align_corners``: then,
    and with ``output_size`` alone, the sizes do. Positions are exact, so a border or a whole position is the cell itself.

    >>> x = numpy.array([1.0, 2.0], numpy.float32).reshape((1, 1, 1, 1, 2))
    >>> cairn.upsample_trilinear3d(x, (1, 1, 4)).ravel()
    array([1.  , 1.25, 1.75, 2.  ], dtype=float32)
    """
    return resample(3, "linear", self, output_size, align_corners, scale_factor, dtype, out)


def upsample_trilinear3d_backward(
    grad_output: Array,
    output_size: Optional[Ints],
    input_size: Sequence[int],
    align_corners: bool = False,
    scale_factor: Scales = None,
    *,
    dtype: Any = None,
    out: Optional[Array] = None,
) -> Array:
    """The gradient of upsample_trilinear3d: one sum for each cell, always in the same order.

    ``input_size`` is the shape of the forward's input, all five values. ``output_size`` of None is taken from
    ``grad_output``; ``align_corners`` and ``scale_factor`` are what the forward was given.

    >>> g = numpy.ones((1, 1, 1, 1, 4), numpy.float32)
    >>> cairn.upsample_trilinear3d_backward(g, None, (1, 1, 1, 1, 2)).ravel()
    array([2., 2.], dtype=float32)
    """
    return resample_backward(
        3, "linear", grad_output, output_size, input_size, align_corners, scale_factor, dtype, out
    )


def upsample_bilinear2d(
    self: Array,
    output_size: Optional[Ints] = None,
    align_corners: bool = False,
    scale_factor: Scales = None,
    *,
    dtype: Any = None,
    out: Optional[Array] = None,
) -> Array:
    """upsample_trilinear3d for (N, C, H, W).

    >>> x = numpy.array([1.0, 2.0], numpy.float32).reshape((1, 1, 1, 2))
    >>> cairn.upsample_bilinear2d(x, (1, 4)).ravel()
    array([1.  , 1.25, 1.75, 2.  ], dtype=float32)
    """
    return resample(2, "linear", self, output_size, align_corners, scale_factor, dtype, out)


def upsample_bilinear2d_backward(
    grad_output: Array,
    output_size: Optional[Ints],
    input_size: Sequence[int],
    align_corners: bool = False,
    scale_factor: Scales = None,
    *,
    dtype: Any = None,
    out: Optional[Array] = None,
) -> Array:
    """The gradient of upsample_bilinear2d. See upsample_trilinear3d_backward.

    >>> g = numpy.ones((1, 1, 1, 4), numpy.float32)
    >>> cairn.upsample_bilinear2d_backward(g, None, (1, 1, 1, 2)).ravel()
    array([2., 2.], dtype=float32)
    """
    return resample_backward(
        2, "linear", grad_output, output_size, input_size, align_corners, scale_factor, dtype, out
    )


def upsample_linear1d(
    self: Array,
    output_size: Optional[Ints] = None,
    align_corners: bool = False,
    scale_factor: Scales = None,
    *,
    dtype: Any = None,
    out: Optional[Array] = None,
) -> Array:
    """upsample_trilinear3d for (N, C, L).

    >>> x = numpy.array([1.0, 2.0], numpy.float32).reshape((1, 1, 2))
    >>> cairn.upsample_linear1d(x, 4).ravel()
    array([1.  , 1.25, 1.75, 2.  ], dtype=float32)
    """
    return resample(1, "linear", self, output_size, align_corners, scale_factor, dtype, out)


def upsample_linear1d_backward(
    grad_output: Array,
    output_size: Optional[Ints],
    input_size: Sequence[int],
    align_corners: bool = False,
    scale_factor: Scales = None,
    *,
    dtype: Any = None,
    out: Optional[Array] = None,
) -> Array:
    """The gradient of upsample_linear1d. See upsample_trilinear3d_backward.

    >>> g = numpy.ones((1, 1, 4), numpy.float32)
    >>> cairn.upsample_linear1d_backward(g, None, (1, 1, 2)).ravel()
    array([2., 2.], dtype=float32)
    """
    return resample_backward(
        1, "linear", grad_output, output_size, input_size, align_corners, scale_factor, dtype, out
    )


def upsample_bicubic2d(
    self: Array,
    output_size: Optional[Ints] = None,
    align_corners: bool = False,
    scale_factor: Scales = None,
    *,
    dtype: Any = None,
    out: Optional[Array] = None,
) -> Array:
    """Cubic polynomials through four neighbouring cells of ``self``, (N, C, H, W), along each axis; a = -0.75. See
    upsample_trilinear3d.

    >>> x = numpy.array([0.0, 64.0], numpy.float32).reshape((1, 1, 1, 2))
    >>> cairn.upsample_bicubic2d(x, (1, 4)).ravel()
    array([-6.75, 14.5 , 49.5 , 70.75], dtype=float32)
    """
    return resample(2, "cubic", self, output_size, align_corners, scale_factor, dtype, out)


def upsample_bicubic2d_backward(
    grad_output: Array,
    output_size: Optional[Ints],
    input_size: Sequence[int],
    align_corners: bool = False,
    scale_factor: Scales = None,
    *,
    dtype: Any = None,
    out: Optional[Array] = None,
) -> Array:
    """The gradient of upsample_bicubic2d. See upsample_trilinear3d_backward.

    >>> g = numpy.ones((1, 1, 1, 4), numpy.float32)
    >>> cairn.upsample_bicubic2d_backward(g, None, (1, 1, 1, 2)).ravel()
    array([2., 2.], dtype=float32)
    """
    return resample_backward(
        2, "cubic", grad_output, output_size, input_size, align_corners, scale_factor, dtype, out
    )


def upsample_bilinear2d_aa(
    self: Array,
    output_size: Optional[Ints] = None,
    align_corners: bool = False,
    scale_factor: Scales = None,
    *,
    dtype: Any = None,
    out: Optional[Array] = None,
) -> Array:
    """Averages the cells of ``self``, (N, C, H, W), around each position, further away the smaller the result is: PyTorch's
    mode "bilinear" with ``antialias``. ``align_corners`` changes the ratio of the sizes alone. See upsample_trilinear3d.

    >>> x = numpy.array([0.0, 7.0, 7.0, 0.0], numpy.float32).reshape((1, 1, 1, 4))
    >>> cairn.upsample_bilinear2d_aa(x, (1, 2)).ravel()
    array([4., 4.], dtype=float32)
    """
    return resample(2, "linear_aa", self, output_size, align_corners, scale_factor, dtype, out)


def upsample_bilinear2d_aa_backward(
    grad_output: Array,
    output_size: Optional[Ints],
    input_size: Sequence[int],
    align_corners: bool = False,
    scale_factor: Scales = None,
    *,
    dtype: Any = None,
    out: Optional[Array] = None,
) -> Array:
    """The gradient of upsample_bilinear2d_aa. See upsample_trilinear3d_backward.

    >>> g = numpy.ones((1, 1, 1, 2), numpy.float32)
    >>> cairn.upsample_bilinear2d_aa_backward(g, None, (1, 1, 1, 4)).ravel()
    array([0.42857143, 0.5714286 , 0.5714286 , 0.42857143], dtype=float32)
    """
    return resample_backward(
        2, "linear_aa", grad_output, output_size, input_size, align_corners, scale_factor, dtype, out
    )


def upsample_bicubic2d_aa(
    self: Array,
    output_size: Optional[Ints] = None,
    align_corners: bool = False,
    scale_factor: Scales = None,
    *,
    dtype: Any = None,
    out: Optional[Array] = None,
) -> Array:
    """upsample_bilinear2d_aa with cubic weights, a = -0.5.

    >>> x = numpy.array([0.0, 64.0], numpy.float32).reshape((1, 1, 1, 2))
    >>> cairn.upsample_bicubic2d_aa(x, (1, 2)).ravel()
    array([ 0., 64.], dtype=float32)
    """
    return resample(2, "cubic_aa", self, output_size, align_corners, scale_factor, dtype, out)


def upsample_bicubic2d_aa_backward(
    grad_output: Array,
    output_size: Optional[Ints],
    input_size: Sequence[int],
    align_corners: bool = False,
    scale_factor: Scales = None,
    *,
    dtype: Any = None,
    out: Optional[Array] = None,
) -> Array:
    """The gradient of upsample_bicubic2d_aa. See upsample_trilinear3d_backward.

    >>> g = numpy.ones((1, 1, 1, 2), numpy.float32)
    >>> cairn.upsample_bicubic2d_aa_backward(g, None, (1, 1, 1, 2)).ravel()
    array([1., 1.], dtype=float32)
    """
    return resample_backward(
        2, "cubic_aa", grad_output, output_size, input_size, align_corners, scale_factor, dtype, out
    )
