"""Mean pooling, with windows and adaptive."""

from __future__ import annotations

from typing import Any, Callable, Optional, Sequence, Union

from . import _again as again
from ._arrays import FLOAT, View
from ._call import NCHW, NCL, ND, Operator, call
from ._operators import Array, Ints, _bfloat16, _read, _result, _window, pooled_shape
from ._values import adaptive_size, flag, integer


def _operators(name: str, layout: str, spatial: int, searches: bool = False) -> dict:
    """By rank: images without N have a flag of their own, which some products ask for."""
    flags = {3: NCL, 4: NCHW} if spatial == 2 else {}
    return {rank: Operator(name, layout, searches, flags.get(rank, ND)) for rank in (spatial + 1, spatial + 2)}


_POOL = {
    2: _operators("aclnnAvgPool2d", "taaabbict", 2, True),
    3: _operators("aclnnAvgPool3d", "taaabbit", 3, True),
}
_POOL_BACKWARD = {
    2: _operators("aclnnAvgPool2dBackward", "ttaaabbict", 2, True),
    3: _operators("aclnnAvgPool3dBackward", "ttaaabbit", 3, True),
}
_ADAPTIVE = {
    2: _operators("aclnnAdaptiveAvgPool2d", "tat", 2),
    3: _operators("aclnnAdaptiveAvgPool3d", "tat", 3),
}
_ADAPTIVE_BACKWARD = {
    2: _operators("aclnnAdaptiveAvgPool2dBackward", "ttt", 2),
    3: _operators("aclnnAdaptiveAvgPool3dBackward", "ttt", 3),
}


def _pooled(
    operators: dict,
    source_array: Array,
    source: View,
    shape: Sequence[int],
    values: tuple,
    code: Optional[int],
    out: Optional[Array],
    asked: Optional[tuple],
) -> Array:
    """``operators`` by rank. ``asked``: under which name and with which arguments, where the next call may be the
    same."""
    result, view = _result(out, "out", source_array, source, shape, source.signature[0], code)
    operator = _of_rank(operators, source)
    call(operator, (source, view), values)
    if asked is not None and out is None:
        again.remember(asked[0], source_array, asked[1], operator, (source, view), values)
    return result


def _gradient(
    operators: dict,
    grad_output: Array,
    self_array: Union[Array, View],
    values_for: Callable[[int], tuple],
    dtype: Any,
    out: Optional[Array],
) -> Array:
    code = _bfloat16(dtype)
    gradient = _read(grad_output, "grad_output", code)
    source = self_array if isinstance(self_array, View) else _read(self_array, "self", code)
    result, view = _result(out, "out", self_array, source, source.shape, source.signature[0], code)
    call(_of_rank(operators, source), (gradient, source, view), values_for(source.signature[0]))
    return result


def _of_rank(operators: dict, view: View) -> Operator:
    return operators.get(len(view.shape), operators[max(operators)])


class Means:
    """What a mean pooling has besides its arrays, as the library takes it."""

    def __init__(
        self,
        spatial: int,
        kernel_size: Ints,
        stride: Optional[Ints],
        padding: Ints,
        ceil_mode: bool,
        count_include_pad: bool,
        divisor_override: Optional[int],
    ):
        self.spatial = spatial
        self.window = _window(spatial, kernel_size, stride, padding, 1)
        self.ceil_mode = flag(ceil_mode, "ceil_mode")
        divisor = 0 if divisor_override is None else integer(divisor_override, "divisor_override")
        if divisor == 0 and divisor_override is not None:
            raise ValueError("divisor_override is 0, expected None or another integer")
        self.values = (*self.window[:3], self.ceil_mode, flag(count_include_pad, "count_include_pad"), divisor)

    def given(self, code: int) -> tuple:
        """Images also have a cubeMathType: this one every product takes, and it changes nothing."""
        return self.values if self.spatial == 3 else (*self.values, 2 if code == FLOAT else 1)

    def forward(
        self, source_array: Array, dtype: Any = None, out: Optional[Array] = None, asked: Optional[tuple] = None
    ) -> Array:
        code = _bfloat16(dtype)
        source = _read(source_array, "self", code)
        shape = pooled_shape(source.shape, self.spatial, self.window, self.ceil_mode)
        values = self.given(source.signature[0])
        return _pooled(_POOL[self.spatial], source_array, source, shape, values, code, out, asked)

    def backward(
        self, grad_output: Array, self_array: Union[Array, View], dtype: Any = None, out: Optional[Array] = None
    ) -> Array:
        return _gradient(_POOL_BACKWARD[self.spatial], grad_output, self_array, self.given, dtype, out)


class AdaptiveMeans:
    """The same of an adaptive mean pooling. The gradient needs no size but that of its arrays."""

    def __init__(self, spatial: int, output_size: Any = None):
        self.spatial, self.output_size = spatial, output_size

    def forward(
        self, source_array: Array, dtype: Any = None, out: Optional[Array] = None, asked: Optional[tuple] = None
    ) -> Array:
        code = _bfloat16(dtype)
        source = _read(source_array, "self", code)
        plane = adaptive_size(self.output_size, source.shape, self.spatial)
        shape = (*source.shape[: -self.spatial], *(max(size, 0) for size in plane))
        return _pooled(_ADAPTIVE[self.spatial], source_array, source, shape, (plane,), code, out, asked)

    def backward(
        self, grad_output: Array, self_array: Union[Array, View], dtype: Any = None, out: Optional[Array] = None
    ) -> Array:
        return _gradient(_ADAPTIVE_BACKWARD[self.spatial], grad_output, self_array, lambda code: (), dtype, out)


def _forward(
    name: str, method: Any, spatial: int, self: Array, given: tuple, dtype: Any, out: Optional[Array]
) -> Array:
    asked = (*given, dtype)
    if out is None:
        found = again.results(name, self, asked)
        if found is not None:
            return found
    return method(spatial, *given).forward(self, dtype, out, (name, asked))


def avg_pool2d(
    self: Array,
    kernel_size: Ints,
    stride: Optional[Ints] = None,
    padding: Ints = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
    divisor_override: Optional[int] = None,
    *,
    dtype: Any = None,
    out: Optional[Array] = None,
) -> Array:
    """The mean of every window.

    ``self`` is (N, C, H, W) or (C, H, W). ``stride`` is ``kernel_size`` unless it is given. A window is divided by its
    cells and padding, without ``count_include_pad`` by its cells alone, or by ``divisor_override``.

    >>> x = numpy.arange(16, dtype=numpy.float32).reshape(1, 1, 4, 4)
    >>> cairn.avg_pool2d(x, 2)
    array([[[[ 2.5,  4.5],
             [10.5, 12.5]]]], dtype=float32)
    """
    given = (kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override)
    return _forward("avg_pool2d", Means, 2, self, given, dtype, out)


def avg_pool3d(
    self: Array,
    kernel_size: Ints,
    stride: Optional[Ints] = None,
    padding: Ints = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
    divisor_override: Optional[int] = None,
    *,
    dtype: Any = None,
    out: Optional[Array] = None,
) -> Array:
    """The mean of every window of (N, C, D, H, W) or (C, D, H, W). See avg_pool2d.

    >>> x = numpy.arange(8, dtype=numpy.float32).reshape(1, 1, 2, 2, 2)
    >>> cairn.avg_pool3d(x, 2).item()
    3.5
    """
    given = (kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override)
    return _forward("avg_pool3d", Means, 3, self, given, dtype, out)


def avg_pool2d_backward(
    grad_output: Array,
    self: Union[Array, View],
    kernel_size: Ints,
    stride: Optional[Ints] = None,
    padding: Ints = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
    divisor_override: Optional[int] = None,
    *,
    dtype: Any = None,
    out: Optional[Array] = None,
) -> Array:
    """The gradient of avg_pool2d with respect to ``self``, of which only shape and type are looked at.

    >>> x = numpy.zeros((1, 1, 2, 2), numpy.float32)
    >>> cairn.avg_pool2d_backward(numpy.ones((1, 1, 1, 1), numpy.float32), x, 2)
    array([[[[0.25, 0.25],
             [0.25, 0.25]]]], dtype=float32)
    """
    means = Means(2, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override)
    return means.backward(grad_output, self, dtype, out)


def avg_pool3d_backward(
    grad_output: Array,
    self: Union[Array, View],
    kernel_size: Ints,
    stride: Optional[Ints] = None,
    padding: Ints = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
    divisor_override: Optional[int] = None,
    *,
    dtype: Any = None,
    out: Optional[Array] = None,
) -> Array:
    """The gradient of avg_pool3d with respect to ``self``. See avg_pool2d_backward.

    >>> x = numpy.zeros((1, 1, 2, 2, 2), numpy.float32)
    >>> cairn.avg_pool3d_backward(numpy.ones((1, 1, 1, 1, 1), numpy.float32), x, 2).ravel()[0].item()
    0.125
    """
    means = Means(3, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override)
    return means.backward(grad_output, self, dtype, out)


def adaptive_avg_pool2d(
    self: Array, output_size: Union[int, Sequence[Optional[int]]], *, dtype: Any = None, out: Optional[Array] = None
) -> Array:
    """The means of as many windows as ``output_size`` says, which cover each plane; None keeps the size of an axis.

    >>> x = numpy.arange(1, 10, dtype=numpy.float32).reshape(1, 1, 3, 3)
    >>> cairn.adaptive_avg_pool2d(x, 2)
    array([[[[3., 4.],
             [6., 7.]]]], dtype=float32)
    """
    return _forward("adaptive_avg_pool2d", AdaptiveMeans, 2, self, (output_size,), dtype, out)


def adaptive_avg_pool3d(
    self: Array, output_size: Union[int, Sequence[Optional[int]]], *, dtype: Any = None, out: Optional[Array] = None
) -> Array:
    """The same of (N, C, D, H, W) or (C, D, H, W). See adaptive_avg_pool2d.

    >>> x = numpy.arange(8, dtype=numpy.float32).reshape(1, 1, 2, 2, 2)
    >>> cairn.adaptive_avg_pool3d(x, 1).item()
    3.5
    """
    return _forward("adaptive_avg_pool3d", AdaptiveMeans, 3, self, (output_size,), dtype, out)


def adaptive_avg_pool2d_backward(
    grad_output: Array, self: Union[Array, View], *, dtype: Any = None, out: Optional[Array] = None
) -> Array:
    """The gradient of adaptive_avg_pool2d with respect to ``self``, of which only shape and type are looked at.

    >>> x = numpy.zeros((1, 1, 1, 5), numpy.float32)
    >>> cairn.adaptive_avg_pool2d_backward(numpy.ones((1, 1, 1, 2), numpy.float32), x)
    array([[[[0.33333334, 0.33333334, 0.6666667 , 0.33333334, 0.33333334]]]],
          dtype=float32)
    """
    return AdaptiveMeans(2).backward(grad_output, self, dtype, out)


def adaptive_avg_pool3d_backward(
    grad_output: Array, self: Union[Array, View], *, dtype: Any = None, out: Optional[Array] = None
) -> Array:
    """The gradient of adaptive_avg_pool3d with respect to ``self``; of float64, too.

    >>> x = numpy.zeros((1, 1, 1, 1, 4))
    >>> cairn.adaptive_avg_pool3d_backward(numpy.ones((1, 1, 1, 1, 1)), x).ravel()
    array([0.25, 0.25, 0.25, 0.25])
    """
    return AdaptiveMeans(3).backward(grad_output, self, dtype, out)
