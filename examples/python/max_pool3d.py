"""Pools a volume and sends a gradient back, with numpy arrays.

    ./cairn python examples/python/max_pool3d.py
"""

import numpy as np

import cairn

x = np.arange(64, dtype=np.float32).reshape(1, 1, 4, 4, 4)
y, where = cairn.max_pool3d_with_argmax(x, kernel_size=2)
gradient = cairn.max_pool3d_with_argmax_backward(np.ones_like(y), x, where, kernel_size=2)
print("largest of each window:", y.ravel())
print("where they lie:", where.ravel())
print("cells that get a gradient:", np.flatnonzero(gradient))

try:
    with cairn.product("Ascend910B1"):
        cairn.max_pool3d_with_argmax(x, kernel_size=2)
except cairn.CairnError as error:
    print(f"an Atlas A2 refuses that with {error.status}: {error}")
