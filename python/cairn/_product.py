from __future__ import annotations

import os
from contextlib import ContextDecorator
from typing import Any, List, Optional

from ._call import refusal_of_product

_VARIABLE = "CAIRN_PRODUCT"


def _set(name: Optional[str]) -> None:
    if name is None:
        os.environ.pop(_VARIABLE, None)
    else:
        os.environ[_VARIABLE] = name


class product(ContextDecorator):
    """Within the block, calls are held to the rules of one Ascend product, and refuse what it would refuse.

    The names are those of ``cairn products``: "portable", "atlas-a2", "Ascend910B1", "ascend950", ... An unknown
    one is a ValueError with the list, on entering the block. The product is the process's, in the environment
    variable CAIRN_PRODUCT: threads that compute meanwhile see it too.

    >>> with cairn.product("Ascend910B1"):
    ...     cairn.max_pool3d_with_argmax(x, 2, indices_dtype="int32")
    """

    def __init__(self, name: str):
        if not isinstance(name, str):
            raise TypeError(f"the product is {name!r}, expected its name, such as 'atlas-a2'")
        if "\0" in name:
            raise ValueError(f"the product is {name!r}, expected a name without a null character")
        self._name = name
        self._before: List[Optional[str]] = []

    def __enter__(self) -> None:
        before = os.environ.get(_VARIABLE)
        _set(self._name)
        refusal = refusal_of_product()
        if refusal:
            _set(before)
            raise ValueError(refusal)
        self._before.append(before)

    def __exit__(self, *_: Any) -> None:
        _set(self._before.pop())
