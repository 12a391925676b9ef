from __future__ import annotations

import os
from contextlib import contextmanager
from typing import Iterator


@contextmanager
def product(name: str) -> Iterator[None]:
    """Within the block, calls are held to the rules of one Ascend product, and refuse what it would refuse.

    The names are those of ``cairn products``: "portable", "atlas-a2", "Ascend910B1", "ascend950", ... An unknown
    one is refused by the first call, with the list. The product is the process's, in the environment variable
    CAIRN_PRODUCT: threads that compute meanwhile see it too.

    >>> with cairn.product("Ascend910B1"):
    ...     cairn.max_pool3d_with_argmax(x, 2, indices_dtype="int32")
    """
    before = os.environ.get("CAIRN_PRODUCT")
    os.environ["CAIRN_PRODUCT"] = name
    try:
        yield
    finally:
        if before is None:
            os.environ.pop("CAIRN_PRODUCT", None)
        else:
            os.environ["CAIRN_PRODUCT"] = before
