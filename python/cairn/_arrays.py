"""Reads where an array lies, whoever made it, and makes new ones of the same kind. Nothing is ever copied."""

from __future__ import annotations

import ctypes
import math
import operator
import sys
import threading
from functools import lru_cache, partial
from typing import Any, NamedTuple, Optional, Sequence, Tuple

CPU = -1  # a device number of ours; CUDA devices count from 0

FLOAT, FLOAT16, INT8, INT32, UINT8, INT16, UINT16, INT64, DOUBLE, BOOL, BF16 = 0, 1, 2, 3, 4, 6, 7, 9, 11, 12, 27
_SIZES = {FLOAT: 4, FLOAT16: 2, INT8: 1, INT32: 4, UINT8: 1, INT16: 2, UINT16: 2, INT64: 8, DOUBLE: 8, BOOL: 1, BF16: 2}
_NAMES = {
    "float32": FLOAT, "float16": FLOAT16, "int8": INT8, "int32": INT32, "uint8": UINT8, "int16": INT16,
    "uint16": UINT16, "int64": INT64, "float64": DOUBLE, "bool": BOOL,
    "bfloat16": BF16,
}  # fmt: skip
_TYPE_NAMES = {code: name for name, code in _NAMES.items()}
_TYPESTRS = {
    "f4": FLOAT, "f2": FLOAT16, "i1": INT8, "i4": INT32, "u1": UINT8, "i2": INT16, "u2": UINT16, "i8": INT64,
    "f8": DOUBLE, "b1": BOOL,
}  # fmt: skip
_DLPACK_TYPES = {
    (0, 8): INT8, (0, 16): INT16, (0, 32): INT32, (0, 64): INT64, (1, 8): UINT8, (1, 16): UINT16,
    (2, 16): FLOAT16, (2, 32): FLOAT, (2, 64): DOUBLE, (4, 16): BF16, (6, 8): BOOL,
}  # fmt: skip


class View(NamedTuple):
    """An array as the C API sees it. ``signature`` is all of it but the address: (type, shape, strides, unit);
    the strides count elements when the unit is 1, else bytes. ``stream`` is where a CUDA array's maker works,
    ``owner`` what keeps the memory alive."""

    address: int
    signature: tuple
    device: int = CPU
    stream: Optional[int] = None
    owner: Any = None

    @property
    def shape(self) -> Tuple[int, ...]:
        return tuple(self.signature[1])


# A view made of all its fields in order; View(...) takes twice as long.
_new_view: Any = partial(tuple.__new__, View)


def element_strides(signature: tuple) -> Tuple[int, ...]:
    code, shape, strides, unit = signature
    if unit == 1:
        return tuple(strides)
    size = _SIZES[code]
    # Along an axis without neighbours a stride means nothing.
    if any(stride % size and dim > 1 for dim, stride in zip(shape, strides)):
        raise ValueError(
            f"an array has strides of {tuple(strides)} bytes, which are not multiples of its {size}-byte elements"
        )
    return tuple(stride // size for stride in strides)


def type_code(dtype: Any, argument: str = "dtype") -> int:
    """The aclDataType of a torch or numpy dtype, a type such as numpy.int32, or a name."""
    name = dtype if isinstance(dtype, str) else getattr(dtype, "name", None) or getattr(dtype, "__name__", None)
    if not isinstance(name, str):
        name = str(dtype)
        if not name.startswith("torch."):
            raise TypeError(f"{argument} is {dtype!r}, expected a dtype or its name")
        name = name[len("torch.") :]
    if name not in _NAMES:
        raise ValueError(f"{argument} is {dtype}, expected one of {', '.join(_NAMES)}")
    return _NAMES[name]


def _unknown_type(name: str, dtype: Any) -> TypeError:
    return TypeError(f"the dtype of {name} is {dtype}, expected one of {', '.join(_NAMES)}")


def reinterpret(view: View, name: str, dtype: Optional[int]) -> View:
    """The view with its 16-bit integers read as ``dtype``: numpy has no bfloat16 of its own."""
    code = view.signature[0]
    if dtype is None or code == dtype:
        return view
    if dtype != BF16 or code != UINT16:
        raise ValueError(
            f"{name} holds {_TYPE_NAMES[code]}, which cannot be read as {_TYPE_NAMES[dtype]}; dtype is for bfloat16 "
            "kept in uint16"
        )
    return view._replace(signature=(dtype, *view.signature[1:]))


def dense_strides(shape: Sequence[int], like: Sequence[int]) -> Tuple[int, ...]:
    """Strides of a dense array of this shape whose axes lie in memory in the order that ``like``'s do."""
    order = sorted(range(len(shape)), key=lambda axis: (like[axis], -axis))
    strides, step = [0] * len(shape), 1
    for axis in order:
        strides[axis] = step
        step *= max(shape[axis], 1)
    return tuple(strides)


_byte_at, _address_of = ctypes.c_char.from_buffer, ctypes.addressof


class Numpy:
    """numpy arrays."""

    codes: dict = {}
    types: dict = {}  # all but bfloat16, which numpy has not
    make: Any  # numpy.empty, once there is an array

    @classmethod
    def set_up(cls, numpy: Any) -> None:
        cls.make = numpy.empty
        cls.types = {code: numpy.dtype(name) for name, code in _NAMES.items() if code != BF16}

    @staticmethod
    def address(array: Any) -> int:
        try:
            return _address_of(_byte_at(array))  # a third of the time that the general way takes
        except (TypeError, ValueError, BufferError):  # it is empty, read-only, in pieces, or of a type of its own
            return array.ctypes.data

    @classmethod
    def view(cls, array: Any, name: str, written: bool) -> View:
        dtype = array.dtype
        code = cls.codes.get(dtype.num)
        if code is None:
            if dtype.name not in _NAMES:
                raise _unknown_type(name, dtype)
            code = cls.codes[dtype.num] = _NAMES[dtype.name]
        if not dtype.isnative:
            raise TypeError(f"{name} has the foreign byte order {dtype.str}, expected this machine's")
        if written and not array.flags.writeable:
            raise ValueError(f"{name} is read-only")
        return _new_view((cls.address(array), (code, array.shape, array.strides, 0), CPU, None, array))

    @classmethod
    def new(cls, like: Any, view: View, shape: Tuple[int, ...], code: int, contiguous: bool) -> Tuple[Any, View]:
        dtype = like.dtype if code == view.signature[0] else cls.types.get(code)
        if dtype is None or not (contiguous or like.flags.c_contiguous):
            array = cls.empty(like, view, shape, code, contiguous)
        else:
            array = cls.make(shape, dtype)
        return array, _new_view((cls.address(array), (code, array.shape, array.strides, 0), CPU, None, array))

    @staticmethod
    def empty(like: Any, view: View, shape: Tuple[int, ...], code: int, contiguous: bool = False) -> Any:
        import numpy

        of_numpy = isinstance(like, numpy.ndarray)
        contiguous = contiguous or (of_numpy and like.flags.c_contiguous)
        if of_numpy and code == view.signature[0]:
            dtype = like.dtype  # a view read as bfloat16 holds uint16, and so does what is made like it
        elif code == BF16:
            dtype = getattr(sys.modules.get("ml_dtypes"), "bfloat16", "uint16")
        else:
            dtype = _TYPE_NAMES[code]
        if contiguous or len(shape) != len(view.shape):
            return numpy.empty(shape, dtype)
        strides = element_strides(view.signature)
        dense = dense_strides(shape, strides)
        order = sorted(range(len(shape)), key=lambda axis: -dense[axis])
        whole = numpy.empty([shape[axis] for axis in order], dtype)
        return whole.transpose([order.index(axis) for axis in range(len(shape))])


@lru_cache(maxsize=256)
def _dense_signature(shape: Tuple[int, ...], code: int) -> Tuple[tuple, int]:
    return (code, shape, dense_strides(shape, [0] * len(shape)), 1), max(math.prod(shape), 1) * _SIZES[code]


class _Scratch(threading.local):
    size = 0
    memory: Any = None
    address = 0


_scratch = _Scratch()


def scratch(shape: Tuple[int, ...], code: int) -> View:
    """A small dense array in memory of the CPU for what nobody reads: every call of this thread has the same."""
    signature, size = _dense_signature(shape, code)
    if size > _scratch.size:
        _scratch.memory = bytearray(size)
        _scratch.address = _address_of(_byte_at(_scratch.memory))
        _scratch.size = size
    return _new_view((_scratch.address, signature, CPU, None, _scratch.memory))


class Masked:
    """numpy arrays with elements that do not count."""

    @staticmethod
    def view(_: Any, name: str, __: bool) -> View:
        raise TypeError(f"{name} is masked, which is not supported")


class Torch:
    """torch tensors, on the CPU or a CUDA device."""

    torch: Any  # the module, once there is a tensor
    codes: dict = {}
    types: dict = {}
    last_formats: dict = {}
    current_stream: Any
    increment_version: Any
    empty_like: Any
    is_tracing: Any

    @classmethod
    def set_up(cls, torch: Any) -> None:
        cls.torch = torch
        cls.empty_like = torch.empty_like
        cls.is_tracing = getattr(torch._C, "_is_tracing", torch.jit.is_tracing)  # the former is quicker
        for name, code in _NAMES.items():
            dtype = getattr(torch, name, None)  # uint16 came late
            if dtype is not None:
                cls.codes[dtype], cls.types[code] = code, dtype
        cls.current_stream = getattr(torch._C, "_cuda_getCurrentRawStream", None) or (
            lambda device: torch.cuda.current_stream(device).cuda_stream
        )
        cls.increment_version = getattr(torch.autograd.graph, "increment_version", None)
        cls.last_formats = {4: torch.channels_last, 5: torch.channels_last_3d}

    @classmethod
    def view(cls, tensor: Any, name: str, written: bool) -> View:
        code = cls.codes.get(tensor.dtype)
        if code is None:
            raise _unknown_type(name, tensor.dtype)
        if cls.is_tracing():
            raise ValueError(f"{name} is traced by torch.jit, which would not see the call; see cairn.torch")
        if tensor.layout is not cls.torch.strided:
            raise TypeError(f"{name} has the layout {tensor.layout}, expected torch.strided")
        if tensor.is_cpu:
            device, stream = CPU, None
        elif tensor.is_cuda:
            device = tensor.get_device()
            stream = cls.current_stream(device)
        else:
            raise ValueError(f"{name} is on the device {tensor.device}, expected cpu or cuda")
        if tensor.is_neg():
            raise ValueError(f"{name} is a lazily negated view; call resolve_neg() first")
        if written:
            if tensor.requires_grad and cls.torch.is_grad_enabled():
                raise ValueError(f"{name} requires grad, which writing into it would bypass; see cairn.torch")
            if cls.increment_version is not None:
                cls.increment_version(tensor)
        address = tensor.data_ptr()
        if address == 0 and tensor.numel() != 0:
            raise ValueError(f"{name} has no memory: it is not an ordinary tensor")
        return _new_view((address, (code, tensor.shape, tensor.stride(), 1), device, stream, tensor))

    @classmethod
    def new(cls, like: Any, view: View, shape: Tuple[int, ...], code: int, contiguous: bool) -> Tuple[Any, View]:
        dtype = cls.types.get(code)
        if dtype is None:
            raise ValueError(f"this torch has no {_TYPE_NAMES[code]}")
        last = None
        if not (contiguous or like.is_contiguous()) and len(shape) == like.dim():
            last = cls.last_formats.get(len(shape))
        if last is not None and like.is_contiguous(memory_format=last):
            tensor = cls.torch.empty(shape, dtype=dtype, device=like.device, memory_format=last)
        elif type(like) is not cls.torch.Tensor:
            tensor = cls.torch.empty(shape, dtype=dtype, device=like.device)
        elif code == view.signature[0]:  # new_empty is quicker, but makes a tensor of the other's class
            tensor = like.new_empty(shape)
        else:
            tensor = like.new_empty(shape, dtype=dtype)
        signature = (code, shape, tensor.stride(), 1)
        return tensor, _new_view((tensor.data_ptr(), signature, view.device, view.stream, tensor))


class _DLTensor(ctypes.Structure):
    _fields_ = [
        ("data", ctypes.c_void_p),
        ("device_type", ctypes.c_int32),
        ("device_id", ctypes.c_int32),
        ("ndim", ctypes.c_int32),
        ("code", ctypes.c_uint8),
        ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64),
    ]


_capsule_pointer = ctypes.pythonapi.PyCapsule_GetPointer
_capsule_pointer.restype, _capsule_pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]

_DLPACK_CPU = (1, 3, 11)  # plain, pinned by CUDA, pinned by ROCm
_DLPACK_CUDA = (2, 13)  # plain, managed


_MOST_AXES = 64


def _checked(view: View, name: str) -> View:
    """The view, unless it cannot be one of an array, as numpy's and torch's always can."""
    _, shape, strides, _ = view.signature
    if any(not 0 <= size < 2**63 for size in shape):
        raise ValueError(f"{name} has the shape {shape}")
    if len(strides) != len(shape) or any(not -(2**63) <= stride < 2**63 for stride in strides):
        raise ValueError(f"{name} has the shape {shape} and the strides {strides}")
    if not 0 <= view.address < 2**64 or (view.address == 0 and math.prod(shape) != 0):
        raise ValueError(f"{name} has elements, but its address is {view.address:#x}")
    return view


class Foreign:
    """Anything with __cuda_array_interface__, __array_interface__ or __dlpack__."""

    @classmethod
    def view(cls, array: Any, name: str, written: bool) -> View:
        interface = getattr(array, "__cuda_array_interface__", None)
        if interface is not None:
            view = cls._from_interface(array, interface, name, written)
            device = getattr(getattr(array, "device", None), "id", 0)
            return view._replace(device=device, stream=interface.get("stream") or 0)
        interface = getattr(array, "__array_interface__", None)
        if interface is not None:
            return cls._from_interface(array, interface, name, written)
        if hasattr(array, "__dlpack__"):
            return cls._from_dlpack(array, name)
        raise TypeError(
            f"{name} is a {type(array).__name__}, expected a numpy array, a torch tensor, or an object with "
            "__dlpack__, __array_interface__ or __cuda_array_interface__"
        )

    @staticmethod
    def _from_interface(array: Any, interface: dict, name: str, written: bool) -> View:
        try:
            address, read_only = interface["data"]
            address = operator.index(address or 0)
            typestr, strides, mask = interface["typestr"], interface.get("strides"), interface.get("mask")
            code = _TYPESTRS.get(typestr[1:])
            foreign_order = typestr[0] == (">" if sys.byteorder == "little" else "<")
            shape = tuple(operator.index(size) for size in interface["shape"])
            if strides is not None:
                strides = tuple(operator.index(stride) for stride in strides)
        except (AttributeError, LookupError, TypeError, ValueError) as error:
            raise TypeError(f"{name} is a {type(array).__name__} with a faulty array interface: {error!r}") from error
        if code is None or foreign_order:
            raise _unknown_type(name, typestr)
        if mask is not None:
            return Masked.view(array, name, written)
        if written and read_only:
            raise ValueError(f"{name} is read-only")
        if strides is None:
            strides, unit = dense_strides(shape, [0] * len(shape)), 1
        else:
            unit = 0
        return _checked(View(address, (code, shape, strides, unit), owner=array), name)

    @staticmethod
    def _from_dlpack(array: Any, name: str) -> View:
        try:
            device = array.__dlpack_device__()[0]
            if device not in (*_DLPACK_CPU, *_DLPACK_CUDA):
                raise ValueError(f"it is on the device {device}, expected the CPU or CUDA")
            on_cuda = device in _DLPACK_CUDA
            # The maker is asked to have its work done before CUDA's default stream goes on, where we then compute.
            capsule = array.__dlpack__(stream=1) if on_cuda else array.__dlpack__()
            tensor = _DLTensor.from_address(_capsule_pointer(capsule, b"dltensor"))
        except Exception as error:  # whatever its maker raises
            raise ValueError(f"{name} is a {type(array).__name__} whose DLPack fails: {error!r}") from error
        code = _DLPACK_TYPES.get((tensor.code, tensor.bits))
        if code is None or tensor.lanes != 1:
            raise TypeError(f"{name} has elements of a type that is none of {', '.join(_NAMES)}")
        if tensor.device_type not in (_DLPACK_CUDA if on_cuda else _DLPACK_CPU):
            raise ValueError(f"{name} is on the DLPack device {tensor.device_type}, and said {device}")
        if not 0 <= tensor.ndim <= _MOST_AXES or (tensor.ndim and not tensor.shape):
            raise ValueError(f"{name} has {tensor.ndim} axes in its DLPack")
        shape = tuple(tensor.shape[: tensor.ndim])
        strides = tuple(tensor.strides[: tensor.ndim]) if tensor.strides else dense_strides(shape, [0] * len(shape))
        address = (tensor.data or 0) + tensor.byte_offset
        view = View(address, (code, shape, strides, 1), owner=capsule)
        return _checked(view._replace(device=tensor.device_id, stream=0) if on_cuda else view, name)

    @classmethod
    def new(cls, like: Any, view: View, shape: Tuple[int, ...], code: int, contiguous: bool) -> Tuple[Any, View]:
        if view.device == CPU:
            array = Numpy.empty(like, view, shape, code, contiguous)
            return array, Numpy.view(array, "out", True)._replace(signature=(code, array.shape, array.strides, 0))
        cupy = sys.modules.get("cupy")
        if cupy is None or not isinstance(like, cupy.ndarray):
            raise TypeError(f"a new array like a {type(like).__name__} cannot be made: give one as out=")
        array = cupy.empty(shape, like.dtype if code == view.signature[0] else _TYPE_NAMES[code])
        return array, cls.view(array, "out", True)


_kinds: dict = {}


def kind_of(array: Any) -> Any:
    """The class above that knows this array."""
    kind = _kinds.get(type(array))
    if kind is not None:
        return kind
    numpy, torch = sys.modules.get("numpy"), sys.modules.get("torch")
    if torch is not None and isinstance(array, torch.Tensor):
        Torch.set_up(torch)
        kind = Torch
    elif numpy is not None and isinstance(array, numpy.ndarray):
        Numpy.set_up(numpy)
        kind = Masked if isinstance(array, numpy.ma.MaskedArray) else Numpy
    else:
        kind = Foreign
    _kinds[type(array)] = kind
    return kind
