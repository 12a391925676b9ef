"""Runs operators: phase 1 once for each geometry, phase 2 at every call."""

from __future__ import annotations

import ctypes
import math
import os
import re
import struct
import threading
from operator import itemgetter
from typing import Any, Dict, List, NamedTuple, Optional, Sequence, Set, Tuple

from ._arrays import CPU, FLOAT, View, element_strides
from ._library import CairnError, check, error, function
from ._workspace import Workspace

NCHW, ND, NCDHW, NCL = 0, 2, 30, 47  # aclFormat
_MOST_PLANS = 512

# A call of at least so many elements, each counted as often as windows look at it, may take a second and more.
_LONG_WORK = 2**31
_SLICE_MS = 100
_STREAM_SYNC_TIMEOUT = 507046

# Of a view; as quick as a field can be had.
_address, _signature = itemgetter(0), itemgetter(1)

_C_TYPES = {
    "t": ctypes.c_void_p, "a": ctypes.c_void_p, "b": ctypes.c_bool, "d": ctypes.c_double, "f": ctypes.c_float,
    "i": ctypes.c_int64, "c": ctypes.c_int8,
}


# os.environ decodes and encodes at every question, which takes a tenth of a small call.
_environment: Any = getattr(os.environ, "_data", os.environ)
_PRODUCT: Any = "CAIRN_PRODUCT" if _environment is os.environ else os.fsencode("CAIRN_PRODUCT")


class Operator:
    """An operator of the C API. ``layout`` spells its phase-1 arguments in order: t a tensor, a an array of
    integers, b a bool, d a double, f a float, i an integer, c one of 8 bits. Where ``searches``, the first value is a window, all of
    which is looked at. ``flag`` is the format of its tensors, which some products name."""

    def __init__(self, name: str, layout: str, searches: bool = False, flag: int = ND):
        self.name = name
        self.layout = layout
        self.searches = searches
        self.flag = flag

    def is_long(self, signatures: Sequence[tuple], values: Sequence[Any]) -> bool:
        work = max(math.prod(signature[1]) for signature in signatures)
        return work * (math.prod(values[0]) if self.searches else 1) >= _LONG_WORK

    def phase1(self) -> Any:
        types = [_C_TYPES[letter] for letter in self.layout]
        types += [ctypes.POINTER(ctypes.c_uint64), ctypes.POINTER(ctypes.c_void_p)]
        return function(f"{self.name}GetWorkspaceSize", tuple(types))


def _int64s(values: Sequence[int]) -> Any:
    return (ctypes.c_int64 * len(values))(*values)


def _described(signature: tuple, flag: int) -> int:
    code, shape, _, _ = signature
    rank = len(shape)
    tensor = function("aclCreateTensor")(
        _int64s(shape), rank, code, _int64s(element_strides(signature)), 0, flag, None, 0, None
    )
    if not tensor:
        raise error(0, "aclCreateTensor")
    return tensor


class Plan:
    """A repeatable executor. It keeps no address from one call to the next, so threads share it."""

    __slots__ = ("executor", "tensor_count", "packed", "is_long", "workspace_size")

    def __init__(self, operator: Operator, signatures: Sequence[tuple], values: Sequence[Any]):
        self.executor = None
        tensors: List[int] = []
        arrays: List[int] = []
        signature, value = iter(signatures), iter(values)
        try:
            arguments: List[Any] = []
            for letter in operator.layout:
                if letter == "t":
                    tensors.append(_described(next(signature), operator.flag))
                    arguments.append(tensors[-1])
                elif letter == "a":
                    numbers = next(value)
                    arrays.append(function("aclCreateIntArray")(_int64s(numbers), len(numbers)))
                    arguments.append(arrays[-1])
                else:
                    arguments.append(next(value))
            size, executor = ctypes.c_uint64(), ctypes.c_void_p()
            check(operator.phase1()(*arguments, ctypes.byref(size), ctypes.byref(executor)), operator.name)
            self.executor = executor.value
            self.workspace_size = size.value
            check(function("aclSetAclOpExecutorRepeatable")(executor), "aclSetAclOpExecutorRepeatable")
            self.tensor_count = len(tensors)
            self.packed = struct.Struct(f"{len(tensors)}Q").pack  # a third of the time that a ctypes array takes
            self.is_long = operator.is_long(signatures, values)
        finally:
            for array in arrays:
                function("aclDestroyIntArray")(array)
            for tensor in tensors:
                function("aclDestroyTensor")(tensor)

    def run(self, how: str, views: Sequence[View], stream: int, workspace: Optional[Workspace]) -> int:
        place, size = (None, 0) if workspace is None else (workspace.address, workspace.size)
        return function(how)(self.executor, self.packed(*map(_address, views)), self.tensor_count, place, size, stream)

    def __del__(self) -> None:
        try:
            if self.executor is not None:
                function("aclDestroyAclOpExecutor")(self.executor)
        except Exception:  # the interpreter is going down, and the process's memory with it
            pass


# By what they were made for.
_plans: Dict[tuple, Plan] = {}


def _new_plan(key: tuple, operator: Operator, views: Sequence[View], values: tuple) -> Plan:
    if len(_plans) >= _MOST_PLANS:
        for oldest in list(_plans)[: _MOST_PLANS // 4]:
            _plans.pop(oldest, None)
    plan = _plans[key] = Plan(operator, [view.signature for view in views], values)
    return plan


class _CpuStream:
    def __init__(self, maker: str) -> None:
        self.handle = _made_by(maker)

    def __del__(self) -> None:
        try:
            function("aclrtDestroyStream")(self.handle)
        except Exception:  # the interpreter is going down
            pass


def _made_by(name: str, *arguments: Any) -> int:
    """The handle that a function of the C API writes through its last argument."""
    handle = ctypes.c_void_p()
    check(function(name)(*arguments, ctypes.byref(handle)), name)
    return handle.value  # type: ignore[return-value]


# A thread computes on the CPU through streams of its own: an inline one, and one whose calls go on when the thread is
# interrupted. On CUDA it does so through wrappers that all threads share.
_thread = threading.local()
_wrapped: Dict[Tuple[int, int], int] = {}


# Threads that wait for what was interrupted.
_unfinished: Set[threading.Thread] = set()


def _stream_that_goes_on() -> int:
    stream = getattr(_thread, "stream", None)
    if stream is None:
        stream = _thread.stream = _CpuStream("cairnCreateCpuStream")
    return stream.handle


def _stream(device: int, raw: Any) -> int:
    if device == CPU:
        try:
            return _thread.inline.handle
        except AttributeError:
            _thread.inline = _CpuStream("cairnCreateInlineCpuStream")
            return _thread.inline.handle
    handle = _wrapped.get((raw, device))
    if handle is None:
        # Another thread may be faster; both wrappers stand for the same stream.
        handle = _wrapped.setdefault((raw, device), _made_by("cairnWrapCudaStream", raw, device))
    return handle


_inherited: List[tuple] = []


def _start_afresh() -> None:
    """A child of fork() has none of its parent's streams, and nothing to destroy."""
    global _thread, _plans, _wrapped, _unfinished
    _inherited.append((_thread, _plans, _wrapped, _unfinished))
    _thread, _plans, _wrapped, _unfinished = threading.local(), {}, {}, set()


os.register_at_fork(after_in_child=_start_afresh)


def _place(operator: Operator, views: Sequence[View]) -> Tuple[int, Any]:
    """The device of the arrays, and the CUDA stream on which the first of them is being made."""
    device = views[0].device
    for view in views:
        if view.device != device:
            break
    else:
        return device, views[0].stream
    first = None
    for view in views:
        if view.owner is _NOWHERE:
            continue
        if first is None:
            first = view
        elif view.device != first.device:
            places = ["the CPU" if d == CPU else f"CUDA device {d}" for d in (first.device, view.device)]
            raise ValueError(f"{operator.name}: the arrays lie on {places[0]} and on {places[1]}, expected one device")
    return first.device, first.stream  # type: ignore[union-attr]


_NOWHERE = object()


def shape_only(code: int, shape: Sequence[int]) -> View:
    """Stands for a tensor whose elements the operator never looks at."""
    shape = tuple(shape)
    strides = [1] * len(shape)
    for axis in range(len(shape) - 1, 0, -1):
        strides[axis - 1] = strides[axis] * max(shape[axis], 1)
    return View(0, (code, shape, tuple(strides), 1), owner=_NOWHERE)


def _wait(stream: int) -> int:
    """Waits for a stream of the CPU whose thread computes, and lets Python look for signals now and then."""
    while True:
        status = function("aclrtSynchronizeStreamWithTimeout")(stream, _SLICE_MS)
        if status != _STREAM_SYNC_TIMEOUT:
            return status
        function("aclGetRecentErrMsg")()  # takes the sentence about the time limit away


def _leave_unfinished(*used: Any) -> None:
    """Lets this thread's stream go on without it. ``used``, where the operator reads and writes, lives until it is
    done: also when the interpreter ends before."""
    stream, _thread.stream = _thread.stream, None
    held = ctypes.py_object((stream, used))
    ctypes.pythonapi.Py_IncRef(held)

    def finish() -> None:
        function("aclrtSynchronizeStream")(stream.handle)
        ctypes.pythonapi.Py_DecRef(held)
        _unfinished.discard(thread)

    thread = threading.Thread(target=finish, name="cairn-unfinished", daemon=True)
    _unfinished.add(thread)
    thread.start()


def _compute_on_a_thread(plan: Plan, views: Sequence[View], workspace: Optional[Workspace]) -> int:
    """A long call on the CPU: Python sees signals while a thread of the library computes it."""
    stream = _stream_that_goes_on()
    try:
        return plan.run("cairnLaunch", views, stream, workspace) or _wait(stream)
    except BaseException:  # a signal's handler raised, KeyboardInterrupt as a rule
        _leave_unfinished(views, plan, workspace)
        raise


def plan_of(operator: Operator, views: Sequence[View], values: tuple) -> Plan:
    key = (operator, values, _environment.get(_PRODUCT), *map(_signature, views))
    return _plans.get(key) or _new_plan(key, operator, views, values)


def call(operator: Operator, views: Sequence[View], values: tuple) -> None:
    """Computes. On the CPU it returns when the result is there, on CUDA when the work is queued."""
    device, raw = _place(operator, views)
    plan = plan_of(operator, views, values)
    workspace = Workspace(plan.workspace_size, device) if plan.workspace_size else None
    if device != CPU:
        status = plan.run("cairnLaunch", views, _stream(device, raw), workspace)
    elif plan.is_long and threading.get_ident() == threading.main_thread().ident:  # which alone gets signals
        status = _compute_on_a_thread(plan, views, workspace)
    else:
        status = plan.run("cairnCompute", views, _stream(CPU, None), workspace)
    if status:
        raise error(status, operator.name)


def synchronize() -> None:
    """Waits for what Cairn has been asked to do on CUDA streams, and raises CairnError when one of those calls met
    an index outside its plane. Calls on the CPU have returned with their result, and need no waiting, but for those
    that a signal interrupted (Ctrl-C): this waits for them too."""
    for handle in list(_wrapped.values()):
        check(function("aclrtSynchronizeStream")(handle), "aclrtSynchronizeStream")
    for thread in list(_unfinished):
        thread.join()


_ANY_OPERATOR = Operator("aclnnUpsampleNearest3dBackward", "taadddt")


def refusal_of_product() -> str:
    """What the library has against the value of CAIRN_PRODUCT, or nothing."""
    if function("aclrtGetSocName")() is not None:
        return ""
    signature = (FLOAT, (1,) * 5, (1,) * 5, 1)
    try:
        # Phase 1 asks for the product before anything else, and has a sentence with all names.
        Plan(_ANY_OPERATOR, (signature, signature), ((1,) * 3, (1,) * 5, 0.0, 0.0, 0.0))
    except CairnError as refused:
        return re.sub(r"^\w+: | \[\w+\]$", "", str(refused))
    return ""


def backend() -> str:
    """Whose devices a program of the C API sees in this process, "cpu" or "cuda"; CAIRN_DEVICE chooses. Arrays in the
    CPU's memory are computed on the CPU in both cases."""
    name = function("cairnGetBackendName")()
    if not name:
        raise error(0, "cairnGetBackendName")
    return name.decode()


class LastCall(NamedTuple):
    operator: str
    product: str
    backend: str
    device: int
    kernel: str


class _CallInfo(ctypes.Structure):
    _fields_ = [
        ("operator_name", ctypes.c_char_p),
        ("product", ctypes.c_char_p),
        ("backend", ctypes.c_char_p),
        ("device", ctypes.c_int32),
        ("kernel", ctypes.c_char * 128),
    ]


def last_call() -> LastCall:
    """About this thread's last call: operator, product whose rules held, backend, device and kernel."""
    info = _CallInfo()
    check(function("cairnGetLastCall")(ctypes.byref(info)), "cairnGetLastCall")
    texts = (info.operator_name.decode(), info.product.decode(), info.backend.decode())
    return LastCall(*texts, info.device, info.kernel.decode())
