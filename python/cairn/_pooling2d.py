"""2D pooling that gives values alone, or with a mask."""

from __future__ import annotations

from typing import Any, Optional, Tuple, Union

from ._arrays import INT8, View
from ._call import Operator, call
from ._operators import Array, Ints, _bfloat16, _pair, _read, _result, _window, pooled_shape
from ._values import flag, integers, members, per_axis

_VALUES = Operator("aclnnMaxPool", "taaiaait", searches=True)
_MASK = Operator("aclnnMaxPool2dWithMask", "taaaabtt", searches=True)
_MASK_BACKWARD = Operator("aclnnMaxPool2dWithMaskBackward", "tttaaaabt")


def _pads(padding: Ints) -> Tuple[int, ...]:
    """Top, left, bottom and right."""
    values = members(padding)
    if values is not None and len(values) == 4:
        return integers(values, "padding")
    return per_axis(padding, 2, "padding") * 2


def _pooled(size: int, k: int, s: int, begin: int, end: int, d: int, ceil_mode: bool) -> int:
    if s <= 0 or d <= 0 or begin < 0 or end < 0 or begin + end > k:
        return 1  # the library says what is wrong
    count = (size + begin + end - d * (k - 1) - 1 + (s - 1 if ceil_mode else 0)) // s + 1
    return max(count - 1 if ceil_mode and (count - 1) * s >= size + begin else count, 0)


def max_pool2d(
    self: Array,
    kernel_size: Ints,
    stride: Optional[Ints] = None,
    padding: Ints = 0,
    dilation: Ints = 1,
    ceil_mode: bool = False,
    *,
    dtype: Any = None,
    out: Optional[Array] = None,
) -> Array:
    """The largest element of every window, without its position.

    ``self`` is (N, C, H, W) or (C, H, W) of any type but bool. ``stride`` is ``kernel_size`` unless it is given.
    ``padding`` may have four values, too: top, left, bottom, right; together no more than the kernel on either axis. A
    window that lies wholly in padding has the least value of the type.

    >>> x = numpy.arange(16, dtype=numpy.int8).reshape(1, 1, 4, 4)
    >>> cairn.max_pool2d(x, 2)
    array([[[[ 5,  7],
             [13, 15]]]], dtype=int8)
    """
    code = _bfloat16(dtype)
    source = _read(self, "self", code)
    kernel, strides, _, dilations = _window(2, kernel_size, stride, 0, dilation)
    strides = strides or kernel
    pads = _pads(padding)
    ceil_mode = flag(ceil_mode, "ceil_mode")
    plane = zip(source.shape[-2:], kernel, strides, pads[:2], pads[2:], dilations)
    shape = (*source.shape[:-2], *(_pooled(*axis, ceil_mode) for axis in plane))
    result, out_view = _result(out, "out", self, source, shape, source.signature[0], code)
    call(_VALUES, (source, out_view), (kernel, strides, 0, pads, dilations, int(ceil_mode)))
    return result


def max_pool2d_with_mask(
    self: Array,
    kernel_size: Ints,
    stride: Optional[Ints] = None,
    padding: Ints = 0,
    dilation: Ints = 1,
    ceil_mode: bool = False,
    *,
    dtype: Any = None,
    out: Optional[Tuple[Array, Array]] = None,
) -> Tuple[Array, Array]:
    """The largest element of every window, and a mask for max_pool2d_with_mask_backward: ``(output, mask)``.

    The mask is int8, (N, C, kH * kW, bytes), as the operator of Ascend has it: the positions as int32, one after the
    other, at its front; what lies behind them is not written.

    >>> x = numpy.arange(16, dtype=numpy.float32).reshape(1, 1, 4, 4)
    >>> y, mask = cairn.max_pool2d_with_mask(x, 2)
    >>> mask.shape, mask.ravel()[:16].view(numpy.int32)
    ((1, 1, 4, 64), array([ 5,  7, 13, 15], dtype=int32))
    """
    code = _bfloat16(dtype)
    source = _read(self, "self", code)
    window = _window(2, kernel_size, stride, padding, dilation)
    ceil_mode = flag(ceil_mode, "ceil_mode")
    shape = pooled_shape(source.shape, 2, window, ceil_mode)
    (kernel_h, kernel_w), windows = window[0], shape[-1] * shape[-2] if len(shape) > 1 else 1
    mask_shape = (*shape[:-2], max(kernel_h * kernel_w, 0), ((windows + 15) // 16 + 1) * 32)
    result, mask = (None, None) if out is None else _pair(out)
    result, out_view = _result(result, "out", self, source, shape, source.signature[0], code)
    mask, mask_view = _result(mask, "mask", self, source, mask_shape, INT8, None, contiguous=True)
    call(_MASK, (source, out_view, mask_view), (*window, ceil_mode))
    return result, mask


def max_pool2d_with_mask_backward(
    grad_output: Array,
    self: Union[Array, View],
    mask: Array,
    kernel_size: Ints,
    stride: Optional[Ints] = None,
    padding: Ints = 0,
    dilation: Ints = 1,
    ceil_mode: bool = False,
    *,
    dtype: Any = None,
    out: Optional[Array] = None,
) -> Array:
    """The gradient of max_pool2d_with_mask with respect to ``self``. See max_pool3d_with_argmax_backward.

    >>> x = numpy.arange(4, dtype=numpy.float32).reshape(1, 1, 2, 2)
    >>> y, mask = cairn.max_pool2d_with_mask(x, 2)
    >>> cairn.max_pool2d_with_mask_backward(y, x, mask, 2)
    array([[[[0., 0.],
             [0., 3.]]]], dtype=float32)
    """
    code = _bfloat16(dtype)
    window = _window(2, kernel_size, stride, padding, dilation)
    gradient, mask_view = _read(grad_output, "grad_output", code), _read(mask, "mask")
    source = _read(self, "self", code)
    result, out_view = _result(out, "out", self, source, source.shape, source.signature[0], code)
    views = (gradient, source, mask_view, out_view)
    call(_MASK_BACKWARD, views, (*window, flag(ceil_mode, "ceil_mode")))
    return result
