"""Reads arguments that are not arrays: TypeError for what is not a number, ValueError for one that makes no sense."""

from __future__ import annotations

import math
import numbers
import operator
from collections.abc import Mapping, Set
from typing import Any, Optional, Sequence, Tuple

_LEAST, _MOST = -(2**63), 2**63 - 1


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."


def members(values: Any) -> Optional[tuple]:
    """The members of a sequence; None for anything else, and for a text, whose members are not numbers."""
    if isinstance(values, (tuple, list)):
        return tuple(values)
    kind = type(values)
    if isinstance(values, (str, bytes, bytearray, Mapping, Set)) or not hasattr(kind, "__getitem__"):
        return None
    try:
        count = len(values)
    except TypeError:  # an array without axes is a number
        return None
    return tuple(values[i] for i in range(count))


def _is_bool(value: Any) -> bool:
    """Python's or numpy's, which only a newer numpy keeps from being an integer."""
    kind = type(value)
    return kind is bool or (kind.__module__ == "numpy" and kind.__name__ in ("bool_", "bool"))


def integer(value: Any, name: str, expected: str = "an integer") -> int:
    if type(value) is not int:
        try:
            if _is_bool(value):
                raise TypeError
            value = int(operator.index(value))
        except TypeError:
            raise TypeError(f"{name} is {_shown(value)}, expected {expected}") from None
    if not _LEAST <= value <= _MOST:
        raise ValueError(f"{name} is {_shown(value)}, which does not fit into 64 bits")
    return value


def integers(values: tuple, name: str) -> Tuple[int, ...]:
    result = []
    for value in values:
        if type(value) is not int or not _LEAST <= value <= _MOST:
            value = integer(value, f"{name}[{len(result)}]")
        result.append(value)
    return tuple(result)


def per_axis(values: Any, count: int, name: str, may_be_empty: bool = False) -> Tuple[int, ...]:
    """One integer for all axes, or one for each."""
    if type(values) is int and _LEAST <= values <= _MOST:
        return (values,) * count
    given = values if type(values) is tuple else members(values)
    if given is None:
        return (integer(values, name, f"an integer or {count} of them"),) * count
    numbers_given = integers(given, name)
    if len(numbers_given) == count or (may_be_empty and not numbers_given):
        return numbers_given
    if len(numbers_given) == 1:
        return numbers_given * count
    raise ValueError(f"{name} has {len(given)} values, expected one or {count}")


def adaptive_size(values: Any, shape: Sequence[int], count: int) -> Tuple[int, ...]:
    """The output_size of an adaptive pooling of ``shape``: as per_axis, and None keeps the size of an axis."""
    given = (None,) * count if values is None else members(values)
    if given is not None and any(value is None for value in given):
        given = given * count if len(given) == 1 else given
        own = dict(enumerate(shape[-count:]))  # an axis too many is per_axis's to refuse
        values = [own.get(axis, 1) if value is None else value for axis, value in enumerate(given)]
    return per_axis(values, count, "output_size")


def sizes(values: Any, counts: Tuple[int, ...], name: str) -> Tuple[int, ...]:
    """As many integers as one of ``counts`` says."""
    given = members(values)
    expected = " or ".join(str(count) for count in counts)
    if given is None:
        raise TypeError(f"{name} is {_shown(values)}, expected {expected} integers")
    if len(given) not in counts:
        raise ValueError(f"{name} has {len(given)} values, expected {expected}")
    return integers(given, name)


def _real(value: Any, name: str) -> float:
    kind = type(value)
    is_number = hasattr(kind, "__float__") or hasattr(kind, "__index__")
    complex_one = isinstance(value, numbers.Complex) and not isinstance(value, numbers.Real)
    try:
        if not is_number or complex_one or _is_bool(value) or isinstance(value, (str, bytes)):
            raise TypeError
        number = float(value)
    except TypeError:
        raise TypeError(f"{name} is {_shown(value)}, expected a number") from None
    except OverflowError:
        number = math.inf
    if not 0 <= number < math.inf:
        raise ValueError(f"{name} is {_shown(value)}, expected a finite number that is not negative")
    return number


def scales(values: Any, count: int, name: str = "scale_factor") -> Tuple[float, ...]:
    """One for each axis; 0.0 leaves it to the sizes."""
    if values is None:
        return (0.0,) * count
    given = members(values)
    if given is None:
        return (_real(values, name),) * count
    if len(given) != count:
        raise ValueError(f"{name} has {len(given)} values, expected one{f' or {count}' if count > 1 else ''}")
    return tuple(0.0 if value is None else _real(value, f"{name}[{i}]") for i, value in enumerate(given))


def flag(value: Any, name: str) -> bool:
    if _is_bool(value):
        return bool(value)
    raise TypeError(f"{name} is {_shown(value)}, expected True or False")
