"""Memory that an operator asks for besides its arrays."""

from __future__ import annotations

import ctypes
from typing import Any

from ._arrays import CPU
from ._library import check, function

_ALIGNMENT = 16  # what phase 2 insists on


class Workspace:
    """``size`` bytes on ``device`` for one call. On the CPU they live as long as this object, which is kept until the
    work is done. On CUDA the library keeps memory that is given back until the work queued before has ended."""

    def __init__(self, size: int, device: int):
        self.size = size
        self._on_cuda = device != CPU
        self._memory: Any = None
        if self._on_cuda:
            self.address = _allocated(size, device)
        else:
            self._memory = bytearray(size + _ALIGNMENT - 1)
            start = ctypes.addressof(ctypes.c_char.from_buffer(self._memory))
            self.address = -(-start // _ALIGNMENT) * _ALIGNMENT

    def __del__(self) -> None:
        try:
            if self._on_cuda:
                function("aclrtFree")(self.address)
        except Exception:  # there was none to allocate, or the interpreter is going down
            pass


def _allocated(size: int, device: int) -> int:
    """Memory of the CUDA device, whoever made the arrays. A context that the thread had stays its current one."""
    before, memory = ctypes.c_void_p(), ctypes.c_void_p()
    if function("aclrtGetCurrentContext")(ctypes.byref(before)) != 0:
        function("aclGetRecentErrMsg")()  # takes the sentence about it away
    check(function("aclrtSetDevice")(device), "aclrtSetDevice")
    try:
        check(function("aclrtMalloc")(ctypes.byref(memory), size, 0), "aclrtMalloc")
    finally:
        if before.value is not None:
            function("aclrtSetCurrentContext")(before)
    return memory.value  # type: ignore[return-value]
