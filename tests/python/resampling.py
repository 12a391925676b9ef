"""Upsampling by weighted sums as its definition reads: exact positions, passes along W, H and D, one rounding each."""

from fractions import Fraction
from math import floor

import numpy as np


def _position(n, m, align_corners, scale, o):
    """The cell before a position, how far the position is past it, and how much is left to the next."""
    if scale > 0:
        f = min((o + 0.5) * (1.0 / scale) - 0.5, n + 2.0)
        return floor(f), f - floor(f), 1.0 - (f - floor(f))
    at = Fraction((2 * o + 1) * n - m, 2 * m)
    if align_corners:
        at = Fraction(o * (n - 1), m - 1) if m > 1 else Fraction(0)
    cell = floor(at)
    return cell, float(at - cell), float(1 - (at - cell))


def _cubic(a, x):
    if x < 1:
        return (((a + 2) * x - (a + 3)) * x) * x + 1
    return ((a * x - 5 * a) * x + 8 * a) * x - 4 * a


def _linear(n, m, align_corners, scale, o):
    if n == m:
        return {o: 1.0}
    cell, t, s = _position(n, m, align_corners, scale, o)
    if cell < 0 or cell >= n - 1:
        return {max(0, min(cell, n - 1)): 1.0}
    return {cell: s, cell + 1: t}


def _four(n, m, align_corners, scale, o):
    cell, t, s = _position(n, m, align_corners, scale, o)
    taps = {}
    for i, weight in enumerate((_cubic(-0.75, t + 1), _cubic(-0.75, t), _cubic(-0.75, s), _cubic(-0.75, s + 1))):
        k = max(0, min(cell - 1 + i, n - 1))
        taps[k] = taps[k] + weight if k in taps else weight
    return taps


def _spread(n, m, align_corners, scale, o, cubic):
    half = 2 if cubic else 1
    if scale > 0:
        ratio = 1.0 / scale
        center, support = (o + 0.5) * ratio, half * max(ratio, 1.0)
        squeeze = 1.0 / ratio if ratio >= 1 else 1.0
        cells = range(max(floor(center - support + 0.5), 0), min(floor(center + support + 0.5), n))
        distances = {k: abs((k - center + 0.5) * squeeze) for k in cells}
        weights = {k: (_cubic(-0.5, x) if cubic else 1.0 - x) if x < half else 0.0 for k, x in distances.items()}
    else:
        p, q = (n, m) if not align_corners else (n - 1, m - 1) if m > 1 else (0, 1)
        unit = 2 * max(p, q)
        distances = {k: abs((2 * k + 1) * q - (2 * o + 1) * p) for k in range(n)}
        near = {k: x for k, x in distances.items() if x < half * unit}
        weights = {k: _cubic(-0.5, x / unit) if cubic else float(unit - x) for k, x in near.items()}
    total = 0.0
    for weight in weights.values():
        total += weight
    if not weights or total == 0:
        return {n - 1: 1.0}
    return {k: weight / total for k, weight in weights.items()}


FILTERS = {
    "linear": _linear,
    "cubic": _four,
    "linear_aa": lambda *axis: _spread(*axis, cubic=False),
    "cubic_aa": lambda *axis: _spread(*axis, cubic=True),
}


def matrix(filter, n, m, align_corners, scale, dtype):
    """What each of m positions takes of each of n cells."""
    result = np.zeros((m, n), dtype)
    for o in range(m):
        for k, weight in FILTERS[filter](n, m, align_corners, scale, o).items():
            result[o, k] = weight
    return result


def _pass(values, weights, axis, start):
    """Sums along an axis, a product and an addition at a time; a weight of 0 is none."""
    values = np.moveaxis(values, axis, -1)
    out = np.full((*values.shape[:-1], len(weights)), start, values.dtype)
    for target, row in enumerate(weights):
        for source in np.flatnonzero(row):
            out[..., target] = out[..., target] + row[source] * values[..., source]
    return np.moveaxis(out, -1, axis)


def resample(x, type_, filter, size, align_corners=False, scales=(0, 0, 0), backward=False):
    """x is (N, C, …); `size` that of the result's plane."""
    values = type_.wide(x)
    spatial = len(size)
    scales = tuple(scales[-spatial:])
    if align_corners or (spatial == 3 and not all(scale > 0 for scale in scales)):
        scales = (0,) * spatial
    for i in reversed(range(spatial)):
        small, large = (size[i], x.shape[2 + i]) if backward else (x.shape[2 + i], size[i])
        weights = matrix(filter, small, large, align_corners, scales[i], values.dtype)
        values = _pass(values, weights.T if backward else weights, 2 + i, 0.0 if backward else -0.0)
    return type_.of(values)
