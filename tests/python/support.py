"""Plain-loop definitions of the operators, and arrays in every layout to try them on."""

import itertools
import math

import numpy as np

from cairn import _call

f32 = np.float32


def to_bfloat16(values):
    """Rounds float32 to bfloat16, to nearest even, kept in uint16."""
    bits = np.ascontiguousarray(values, f32).view(np.uint32).astype(np.uint64)
    return ((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16).astype(np.uint16)


def from_bfloat16(bits):
    return (bits.astype(np.uint32) << 16).view(f32)


class Type:
    """A type of elements: how numpy keeps it, what Cairn is told, and how sums in float become it."""

    def __init__(self, name):
        self.name = name
        self.bfloat16 = name == "bfloat16"
        self.storage = np.dtype("uint16" if self.bfloat16 else name)
        self.keywords = {"dtype": "bfloat16"} if self.bfloat16 else {}

    def __repr__(self):
        return self.name

    def of(self, values):
        return to_bfloat16(values) if self.bfloat16 else np.asarray(values).astype(self.storage)

    def wide(self, stored):
        """The same values where sums are made: double for double, float for the others."""
        if self.bfloat16:
            return from_bfloat16(stored)
        return stored if stored.dtype == np.float64 else stored.astype(f32)

    def random(self, generator, shape):
        if self.storage.kind in "iu" and not self.bfloat16:
            return generator.integers(0, 100, shape).astype(self.storage)
        return self.of(generator.standard_normal(shape).astype(f32))


POOL_TYPES = [Type(name) for name in ("float32", "float16", "bfloat16", "float64")]
UPSAMPLE_TYPES = POOL_TYPES
UNPOOL_TYPES = [*UPSAMPLE_TYPES, *(Type(name) for name in ("int8", "uint8", "int16", "int32", "int64"))]


def windows(size, kernel, stride, padding, dilation, ceil_mode):
    """The positions inside the axis that each window along it covers."""
    reach = dilation * (kernel - 1) + 1
    room = size + 2 * padding - reach
    count = (-(-room // stride) if ceil_mode else room // stride) + 1
    if ceil_mode and (count - 1) * stride >= size + padding:
        count -= 1
    starts = [i * stride - padding for i in range(count)]
    return [[p for p in range(s, s + reach, dilation) if 0 <= p < size] for s in starts]


def planes(array, spatial):
    return array.reshape(-1, *array.shape[array.ndim - spatial :])


def max_pool(x, type_, window, ceil_mode=False):
    """window: (kernel, stride, padding, dilation), each with a value an axis."""
    spatial = len(window[0])
    return largest(x, type_, [windows(n, *v, ceil_mode) for n, v in zip(x.shape[-spatial:], zip(*window))])


def adaptive_max_pool(x, type_, output_size):
    def along(size, out):
        return [list(range(i * size // out, -(-(i + 1) * size // out))) for i in range(out)]

    return largest(x, type_, [along(*sizes) for sizes in zip(x.shape[-len(output_size) :], output_size)])


def largest(x, type_, axes):
    """axes: for each the positions that each window along it covers."""
    spatial = len(axes)
    shape = tuple(len(axis) for axis in axes)
    stored, wide = planes(x, spatial), type_.wide(planes(x, spatial))
    out = np.empty((len(stored), *shape), x.dtype)
    indices = np.empty(out.shape, np.int64)
    for plane in range(len(stored)):
        for at in itertools.product(*(range(n) for n in shape)):
            best, where = -math.inf, None
            for tap in itertools.product(*(axis[i] for axis, i in zip(axes, at))):
                value = wide[(plane, *tap)]
                if where is None or value > best or value != value:
                    best, where = value, tap
            if where is None:
                out[(plane, *at)] = type_.of(np.array([-np.inf], f32))[0]
                indices[(plane, *at)] = -1
            else:
                out[(plane, *at)] = stored[(plane, *where)]
                indices[(plane, *at)] = np.ravel_multi_index(where, x.shape[-spatial:])
    head = x.shape[: x.ndim - spatial]
    return out.reshape(*head, *shape), indices.reshape(*head, *shape)


def max_pool_backward(g, type_, indices, shape, spatial):
    wide, where = type_.wide(planes(g, spatial)), planes(indices, spatial)
    sums = np.zeros((len(wide), math.prod(shape[-spatial:])), wide.dtype)
    for plane in range(len(wide)):
        for value, index in zip(wide[plane].ravel(), where[plane].ravel()):
            if index >= 0:
                sums[plane, index] += value
    return type_.of(sums).reshape(shape)


def max_unpool(y, indices, output_size):
    spatial = len(output_size)
    values, where = planes(y, spatial), planes(indices, spatial)
    out = np.zeros((len(values), math.prod(output_size)), y.dtype)
    for plane in range(len(values)):
        for value, index in zip(values[plane].ravel(), where[plane].ravel()):
            if index >= 0:
                out[plane, index] = value
    return out.reshape(*y.shape[:-spatial], *output_size)


def max_unpool_backward(g, indices, spatial):
    flat, where = planes(g, spatial).reshape(-1, math.prod(g.shape[-spatial:])), planes(indices, spatial)
    out = np.zeros(where.shape, g.dtype)
    for plane in range(len(flat)):
        named = where[plane]
        out[plane] = np.where(named >= 0, flat[plane][np.maximum(named, 0)], 0)
    return out.reshape(indices.shape)


def sources(size, out, scale, shift=0.0):
    """For each cell of an upsampled axis, the cell it is copied from. ``shift``: 0.5 where centres count."""
    step = f32(1.0 / scale) if scale else f32(size) / f32(out)
    return [min(int(math.floor((f32(i) + f32(shift)) * step)), size - 1) for i in range(out)]


def upsample(x, output_size, scales=(0.0, 0.0, 0.0), shift=0.0):
    for axis, (out, scale) in enumerate(zip(output_size, scales)):
        x = np.take(x, sources(x.shape[2 + axis], out, scale, shift), 2 + axis)
    return x


def ranges(size, out, scale, shift=0.0):
    """For each cell of an axis, the cells of the upsampled one whose gradients it gets."""
    step = f32(scale) if scale else f32(out) / f32(size)
    edges = [min(int(math.ceil(f32(i) * step - f32(shift))), out) for i in range(size + 1)]
    return [range(low, high) for low, high in zip(edges, edges[1:])]


def upsample_backward(g, type_, input_size, scales=(0.0, 0.0, 0.0), shift=0.0):
    wide = type_.wide(g)
    axes = [ranges(n, o, s, shift) for n, o, s in zip(input_size[2:], g.shape[2:], scales)]
    sums = np.zeros(input_size, wide.dtype)
    for at in itertools.product(*(range(n) for n in input_size[2:])):
        for cell in itertools.product(*(axis[i] for axis, i in zip(axes, at))):
            sums[(..., *at)] += wide[(..., *cell)]
    return type_.of(sums)


def layouts(array):
    """The same elements, laid out in memory in different ways."""
    yield "contiguous", np.ascontiguousarray(array)
    yield "channels last", np.moveaxis(np.ascontiguousarray(np.moveaxis(array, 1, -1)), -1, 1)
    wider = np.zeros([2 * size for size in array.shape], array.dtype)
    every_second = wider[tuple(slice(None, None, 2) for _ in array.shape)]
    every_second[...] = array
    yield "every second", every_second
    larger = np.zeros([size + 3 for size in array.shape], array.dtype)
    inside = larger[tuple(slice(1, size + 1) for size in array.shape)]
    inside[...] = array
    yield "inside a larger one", inside
    yield "reversed axes", np.ascontiguousarray(array.T).T


def make_all_calls_long(test):
    """For one test: the library's threads compute what the main thread asks for, and signals may interrupt it."""
    limit, _call._LONG_WORK = _call._LONG_WORK, 0
    _call._plans.clear()

    def undo():
        _call._LONG_WORK = limit
        _call._plans.clear()

    test.addCleanup(undo)
