"""Finds Cairn's libraries and declares what the package calls in them."""

from __future__ import annotations

import ctypes
import os
import re
from functools import lru_cache
from pathlib import Path
from typing import Callable, Iterator, Optional

_STAMP = re.compile(r"^\[PID: \d+\] \S+ \w+\(\w+\): ", re.MULTILINE)

# Phase 2 has one status for whatever the runtime had against it, and names the runtime's own in its sentence.
_REASON = re.compile(r"could not be queued \(aclError (\d+)\)")


class CairnError(RuntimeError):
    """A call that the library refused, or that met a faulty index. What Python itself can tell is wrong is a TypeError
    or a ValueError.

    ``status`` is the code that the C API returned (161002 for an invalid argument, 507035 for an index outside
    its plane, ...), or None when no call was made: no library, or one that lacks the function.
    """

    def __init__(self, message: str, status: Optional[int] = None):
        super().__init__(message)
        self.status = status


def _homes() -> Iterator[Path]:
    """The folders that may hold lib64, the likeliest first."""
    package = Path(__file__).absolute().parent
    yield package / "_home"  # a wheel that has the libraries inside
    yield from tuple(package.parents)[2:3]  # PREFIX/python/site-packages/cairn
    source = package.resolve().parents[1]  # TREE/python/cairn
    yield source / "build" / "release"
    recorded = package / "_tree.txt"  # written by pip install ./python
    if recorded.is_file():
        yield Path(recorded.read_text(encoding="utf-8").strip()) / "build" / "release"


def _holds_libraries(home: Path) -> bool:
    return (home / "lib64" / "libopapi.so").is_file()


@lru_cache(maxsize=None)
def home() -> Path:
    """The install or build tree whose libraries this package uses; CAIRN_HOME names another one."""
    wanted = os.environ.get("CAIRN_HOME")
    if wanted:
        for place in (Path(wanted), Path(wanted) / "build" / "release"):
            if _holds_libraries(place):
                return place
        raise CairnError(f"CAIRN_HOME is {wanted}, which holds no lib64/libopapi.so")
    places = list(_homes())
    for place in places:
        if _holds_libraries(place):
            return place
    raise CairnError(
        "Cairn's libraries were not found in "
        + ", ".join(str(place / "lib64") for place in places)
        + "; build them with ./cairn python, or set CAIRN_HOME to where cairn install --prefix put them"
    )


# A call that may wait lets other threads run meanwhile; for the short ones that would cost more than the call.
_WAITING = {
    "aclrtSynchronizeStream", "aclrtSynchronizeStreamWithTimeout", "aclrtDestroyStream", "cairnLaunch", "cairnCompute",
}  # fmt: skip

_int, _size, _pointer = ctypes.c_int, ctypes.c_uint64, ctypes.c_void_p
_out = ctypes.POINTER(ctypes.c_void_p)
# Executor, addresses as bytes, their count, workspace and its size, stream.
_run = [_pointer, ctypes.c_char_p, _size, _pointer, _size, _pointer]
_PROTOTYPES = {
    "aclrtDestroyStream": (_int, [_pointer]),
    "aclrtSynchronizeStream": (_int, [_pointer]),
    "aclrtSynchronizeStreamWithTimeout": (_int, [_pointer, ctypes.c_int32]),
    "aclrtGetSocName": (ctypes.c_char_p, []),
    "aclrtSetDevice": (_int, [ctypes.c_int32]),
    "aclrtGetCurrentContext": (_int, [_out]),
    "aclrtSetCurrentContext": (_int, [_pointer]),
    "aclrtMalloc": (_int, [_out, _size, _int]),
    "aclrtFree": (_int, [_pointer]),
    "aclGetRecentErrMsg": (ctypes.c_char_p, []),
    "aclCreateTensor": (
        _pointer,
        [_pointer, _size, _int, _pointer, ctypes.c_int64, _int, _pointer, _size, _pointer],
    ),
    "aclDestroyTensor": (_int, [_pointer]),
    "aclCreateIntArray": (_pointer, [_pointer, _size]),
    "aclDestroyIntArray": (_int, [_pointer]),
    "aclSetAclOpExecutorRepeatable": (_int, [_pointer]),
    "aclDestroyAclOpExecutor": (_int, [_pointer]),
    "cairnLaunch": (_int, _run),
    "cairnCompute": (_int, _run),
    "cairnCreateCpuStream": (_int, [_out]),
    "cairnCreateInlineCpuStream": (_int, [_out]),
    "cairnWrapCudaStream": (_int, [_pointer, ctypes.c_int32, _out]),
    "cairnGetBackendName": (ctypes.c_char_p, []),
    "cairnGetLastCall": (_int, [_pointer]),
}


@lru_cache(maxsize=None)
def _opened(name: str, waiting: bool) -> ctypes.CDLL:
    opener = ctypes.CDLL if waiting else ctypes.PyDLL
    path = home() / "lib64" / f"lib{name}.so"
    try:
        return opener(str(path))
    except OSError as error:
        raise CairnError(f"{path} could not be loaded: {error}") from error


@lru_cache(maxsize=None)
def function(name: str, argument_types: Optional[tuple] = None) -> Callable:
    """A function of the libraries, ready to call. One that is not in the table above is an operator's phase 1."""
    result, arguments = _PROTOTYPES[name] if argument_types is None else (_int, list(argument_types))
    # libopapi needs the other two, so a search in it finds their functions as well.
    try:
        found = getattr(_opened("opapi", name in _WAITING), name)
    except AttributeError:
        raise CairnError(
            f"{home() / 'lib64'} holds a Cairn without {name}: it is older than this package; build it again"
        ) from None
    found.restype, found.argtypes = result, arguments
    return found


def has(name: str) -> bool:
    """Whether the libraries have the function ``name``."""
    return hasattr(_opened("opapi", False), name)


def error(status: int, doing: str) -> CairnError:
    """What the library says about the call of this thread that has just failed."""
    text = (function("aclGetRecentErrMsg")() or b"").decode("utf-8", "replace")
    reason = _REASON.search(text)
    status = int(reason.group(1)) if reason else status
    return CairnError(_STAMP.sub("", text).strip() or f"{doing} returned {status}", status)


def check(status: int, doing: str) -> None:
    if status != 0:
        raise error(status, doing)
