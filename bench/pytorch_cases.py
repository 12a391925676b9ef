"""The workloads that bench/pytorch.py times, and for each the calls of Cairn and of PyTorch."""

import ctypes
import math
import re
import struct
from dataclasses import dataclass
from typing import Any, Callable, List, Optional, Tuple

import torch

from cairn import _call, _library
from cairn._arrays import kind_of

Shape = Tuple[int, ...]
TYPES = {
    "FLOAT": torch.float32, "FLOAT16": torch.float16, "BF16": torch.bfloat16, "DOUBLE": torch.float64,
    "INT8": torch.int8, "INT64": torch.int64, "INT32": torch.int32,
}  # fmt: skip
SECTOR = {"cuda": 32, "cpu": 64}  # bytes that are read when one of them is


@dataclass
class Workload:
    id: str
    operator: str
    goal: str
    batch: Shape  # N, C
    size: Shape  # of self, D H W or H W
    window: Tuple[Shape, Shape, Shape] = ((), (), ())  # kernel, stride, padding
    out: Shape = ()  # of unpooling and upsampling
    both_layouts: bool = False

    def is_upsample(self) -> bool:
        return self.operator.startswith("Upsample")

    def is_filtered(self) -> bool:
        return self.operator in FILTERED

    def is_adaptive(self) -> bool:
        return self.operator.startswith("Adaptive")

    def is_mean(self) -> bool:
        return "AvgPool" in self.operator

    def pooled(self) -> Shape:
        return tuple((n + 2 * p - k) // s + 1 for n, k, s, p in zip(self.size, *self.window))


POOL3, POOL2, VALUES, UPSAMPLE = "MaxPool3dWithArgmax", "MaxPool2dWithIndices", "MaxPool", "UpsampleNearest3d"
UNPOOL = "MaxUnpool3d"
UNPOOLS = (UNPOOL, "MaxUnpool2d")
MEAN3, MEAN2, ADAPTIVE = "AvgPool3d", "AvgPool2d", "AdaptiveAvgPool2d"


# Upsampling by weighted sums, and what PyTorch calls it.
FILTERED = {
    "UpsampleTrilinear3d": "upsample_trilinear3d",
    "UpsampleBilinear2d": "upsample_bilinear2d",
    "UpsampleLinear1d": "upsample_linear1d",
    "UpsampleBicubic2d": "upsample_bicubic2d",
    "UpsampleBilinear2dAA": "_upsample_bilinear2d_aa",
    "UpsampleBicubic2dAA": "_upsample_bicubic2d_aa",
}


def window(kernel: Shape, stride: Shape, padding: Shape) -> Tuple[Shape, Shape, Shape]:
    return kernel, stride, padding


HALVES = window((2,) * 3, (2,) * 3, (0,) * 3)
WORKLOADS = [
    Workload("p3-unet", POOL3, "streaming", (2, 32), (128,) * 3, HALVES),
    Workload("p3-video", POOL3, "overlap", (8, 64), (16, 112, 112), window((1, 3, 3), (1, 2, 2), (0, 1, 1))),
    Workload("p3-i3d", POOL3, "heavy", (8, 192), (8, 28, 28), window((3,) * 3, (1,) * 3, (1,) * 3)),
    Workload("p3-k3s2", POOL3, "overlap", (4, 64), (32, 112, 112), window((3,) * 3, (2,) * 3, (1,) * 3)),
    Workload("p2-resnet", POOL2, "overlap", (64, 64), (112, 112), window((3, 3), (2, 2), (1, 1)), both_layouts=True),
    Workload("p2-vgg", POOL2, "streaming", (32, 64), (224, 224), window((2, 2), (2, 2), (0, 0))),
    Workload("p2-sppf", POOL2, "heavy", (32, 256), (40, 40), window((5, 5), (1, 1), (2, 2))),
    Workload("am2-56to7", "AdaptiveMaxPool2d", "streaming", (64, 256), (56, 56), out=(7, 7), both_layouts=True),
    Workload("am2-50to7", "AdaptiveMaxPool2d", "streaming", (64, 256), (50, 50), out=(7, 7)),
    Workload("am3-32to4", "AdaptiveMaxPool3d", "streaming", (8, 256), (32,) * 3, out=(4,) * 3),
    Workload("am3-32to5", "AdaptiveMaxPool3d", "streaming", (8, 256), (32,) * 3, out=(5,) * 3),
    Workload("m2-resnet", VALUES, "overlap", (64, 64), (112, 112), window((3, 3), (2, 2), (1, 1)), both_layouts=True),
    Workload("m2-vgg", VALUES, "streaming", (32, 64), (224, 224), window((2, 2), (2, 2), (0, 0))),
    Workload("m2-sppf", VALUES, "heavy", (32, 256), (40, 40), window((5, 5), (1, 1), (2, 2))),
    Workload("u3-segnet", UNPOOL, "unpool", (2, 32), (64,) * 3, HALVES, out=(128,) * 3),
    Workload(
        "u2-segnet", "MaxUnpool2d", "unpool", (16, 64), (112,) * 2, window((2, 2), (2, 2), (0, 0)), out=(224,) * 2,
        both_layouts=True,
    ),  # fmt: skip
    Workload("a3-unet", MEAN3, "streaming", (1, 64), (128,) * 3, HALVES),
    Workload("a3-k3s2", MEAN3, "overlap", (1, 64), (128,) * 3, window((3,) * 3, (2,) * 3, (1,) * 3)),
    Workload("a2-vgg", MEAN2, "streaming", (32, 128), (128, 256), window((2, 2), (2, 2), (0, 0)), both_layouts=True),
    Workload("a2-k3s2", MEAN2, "overlap", (32, 128), (128, 256), window((3, 3), (2, 2), (1, 1))),
    Workload("a2-k3s1", MEAN2, "heavy", (32, 128), (128, 256), window((3, 3), (1, 1), (1, 1)), both_layouts=True),
    Workload("g2-global7", ADAPTIVE, "streaming", (256, 2048), (7, 7), out=(1, 1), both_layouts=True),
    Workload("g2-56to7", ADAPTIVE, "streaming", (64, 256), (56, 56), out=(7, 7)),
    Workload("g2-50to7", ADAPTIVE, "streaming", (64, 256), (50, 50), out=(7, 7)),
    Workload("g3-32to4", "AdaptiveAvgPool3d", "streaming", (8, 256), (32,) * 3, out=(4,) * 3),
    Workload("g2-16384", ADAPTIVE, "streaming", (1, 1), (16384,) * 2, out=(1, 1)),
    Workload("g2-2million", ADAPTIVE, "streaming", (1, 2000000), (7, 7), out=(1, 1)),
    Workload("n3-unet", UPSAMPLE, "streaming", (2, 64), (64,) * 3, out=(128,) * 3, both_layouts=True),
    Workload("n3-vae", UPSAMPLE, "streaming", (1, 512), (8, 64, 64), out=(8, 128, 128)),
    Workload("n3-odd", UPSAMPLE, "streaming", (2, 32), (50, 60, 70), out=(128,) * 3),
    Workload("n3-exact", "UpsampleNearestExact3d", "streaming", (2, 64), (64,) * 3, out=(128,) * 3),
    Workload("n2-fpn", "UpsampleNearest2d", "streaming", (16, 128), (128,) * 2, out=(256,) * 2, both_layouts=True),
    Workload(
        "n2-fpn-exact", "UpsampleNearestExact2d", "streaming", (16, 128), (128,) * 2, out=(256,) * 2, both_layouts=True
    ),
    Workload("n2-odd", "UpsampleNearest2d", "streaming", (16, 128), (100, 120), out=(224, 256), both_layouts=True),
    Workload("n1-audio", "UpsampleNearest1d", "streaming", (32, 256), (8192,), out=(32768,)),
    Workload("t3-unet", "UpsampleTrilinear3d", "doubling", (2, 64), (64,) * 3, out=(128,) * 3, both_layouts=True),
    Workload("t3-deep", "UpsampleTrilinear3d", "doubling", (1, 384), (16,) * 3, out=(32,) * 3),
    Workload("t3-odd", "UpsampleTrilinear3d", "filtering", (2, 32), (50, 60, 70), out=(128,) * 3),
    Workload("b2-fpn", "UpsampleBilinear2d", "doubling", (16, 256), (64,) * 2, out=(128,) * 2, both_layouts=True),
    Workload("b2-seg", "UpsampleBilinear2d", "filtering", (16, 19), (128, 256), out=(512, 1024)),
    Workload("l1-audio", "UpsampleLinear1d", "filtering", (32, 256), (8192,), out=(32768,)),
    Workload("c2-x2", "UpsampleBicubic2d", "doubling", (8, 64), (128,) * 2, out=(256,) * 2),
    Workload("aa-224", "UpsampleBilinear2dAA", "filtering", (32, 3), (1024,) * 2, out=(224,) * 2),
    Workload("ca-224", "UpsampleBicubic2dAA", "filtering", (32, 3), (1024,) * 2, out=(224,) * 2),
]


@dataclass
class Case:
    work: Workload
    direction: str
    dtype: str
    index_dtype: str  # "-" where the operator has none
    layout: str

    def label(self) -> str:
        parts = (self.work.id, self.dtype, self.layout, self.index_dtype, self.direction)  # as `cairn bench` has them
        return " ".join(part for part in parts if part != "-")

    def shape(self) -> str:
        def text(size: Shape) -> str:
            return "x".join(map(str, size))

        out = self.work.out or self.work.pooled()
        words = f"{self.work.batch[0]} x {self.work.batch[1]} planes, {text(self.work.size)} -> {text(out)}"
        if self.work.window[0] and self.work.operator not in UNPOOLS:
            kernel, stride, padding = self.work.window
            words += f", kernel {text(kernel)}, stride {text(stride)}"
            words += f", padding {text(padding)}" if any(padding) else ""
        return words


def dtypes(work: Workload, index: str) -> List[str]:
    if work.operator == UNPOOL:
        return ["FLOAT", "FLOAT16", "INT8", "DOUBLE", "INT64"]
    # Models in double are rare: one row a direction says enough, as in `cairn bench`.
    double = ["DOUBLE"] if work.id in ("p3-unet", "p2-vgg") and index == "INT32" else []
    return ["FLOAT", "FLOAT16", "BF16", *double]


def cases(pattern: str, quick: bool, fraction: float) -> List[Case]:
    rows = []
    for work in WORKLOADS:
        share = fraction / 8 if quick else fraction
        n = max(1, round(work.batch[0] * share))
        c = max(1, round(work.batch[1] * min(1.0, share * work.batch[0] / n)))
        work = Workload(**{**work.__dict__, "batch": (n, c)})
        indices = ["INT32"] if quick else ["INT32", "INT64"]
        if work.operator in UNPOOLS:
            indices = ["INT64"]
        if work.is_upsample() or work.is_mean() or work.operator == VALUES:
            indices = ["-"]
        names = {1: ["NCL"], 2: ["NCHW", "NHWC"], 3: ["NCDHW", "NDHWC"]}[len(work.size)]
        for direction in ("forward",) if work.operator == VALUES else ("backward", "forward"):
            for layout in names[: 2 if work.both_layouts else 1]:
                for index in indices:
                    rows += [Case(work, direction, dtype, index, layout) for dtype in dtypes(work, index)]
    return [row for row in rows if re.search(pattern, row.label(), re.IGNORECASE)]


class Ours:
    """One call of the C API over fixed tensors: descriptors made once, both phases at every run."""

    def __init__(self, name: str, layout: str, tensors: List[torch.Tensor], values: tuple):
        operator = _call.Operator(name, layout)
        self.phase1 = operator.phase1()
        self.name = name
        self.tensors = tensors  # kept alive
        self.addresses = struct.pack(f"{len(tensors)}Q", *(t.data_ptr() for t in tensors))
        tensor, value = iter(tensors), iter(values)
        self.arguments = []
        for letter in layout:
            if letter == "t":
                t = next(tensor)
                self.arguments.append(_call._described(kind_of(t).view(t, name, False).signature, operator.flag))
            elif letter == "a":
                numbers = _call._int64s(next(value))
                self.arguments.append(_library.function("aclCreateIntArray")(numbers, len(numbers)))
            else:
                self.arguments.append(next(value))
        self.size, self.executor = ctypes.c_uint64(), ctypes.c_void_p()
        self.arguments += [ctypes.byref(self.size), ctypes.byref(self.executor)]
        view = kind_of(tensors[0]).view(tensors[0], name, False)
        self.stream = _call._stream(view.device, view.stream)
        self.phase2 = _library.function("cairnCompute" if view.device < 0 else "cairnLaunch")

    def __call__(self) -> None:
        status = self.phase1(*self.arguments)
        if not status:
            count = len(self.tensors)
            status = self.phase2(self.executor, self.addresses, count, None, self.size, self.stream)
        if status:
            raise _library.error(status, self.name)


@dataclass
class Contest:
    ours: Callable[[], None]
    theirs: Optional[Callable[[], Any]]
    results: Callable[[], List[Tuple[torch.Tensor, torch.Tensor]]]  # ours and PyTorch's, once both have run
    bytes: int


def bytes_of(*tensors: torch.Tensor) -> int:
    return sum(tensor.numel() * tensor.element_size() for tensor in tensors)


def sector_bytes(indices: torch.Tensor, plane: int, element: int, sector: int, channels_last: bool) -> int:
    """What reading these positions of each plane must at least fetch."""
    n, c = indices.shape[:2]
    image = torch.arange(n, device=indices.device).view(n, 1, 1) * c
    channel = torch.arange(c, device=indices.device).view(1, c, 1)
    flat = indices.flatten(2)
    places = image * plane + flat * c + channel if channels_last else (image + channel) * plane + flat
    return torch.unique(places.mul_(element).div_(sector, rounding_mode="floor")).numel() * sector


def prepare_adaptive(row: Case, x: torch.Tensor, g: torch.Tensor) -> Contest:
    work, aten = row.work, torch.ops.aten
    spatial = len(work.size)
    forward = getattr(aten, f"adaptive_max_pool{spatial}d")
    back = getattr(aten, f"adaptive_max_pool{spatial}d_backward")
    name, index_dtype = f"aclnn{work.operator}", TYPES[row.index_dtype]
    where = torch.empty_like(g, dtype=torch.int64).copy_(forward(x, work.out)[1])
    if row.direction == "forward":
        out, indices, theirs = torch.empty_like(g), torch.empty_like(g, dtype=index_dtype), torch.empty_like(g)
        ours = Ours(name, "tatt", [x, out, indices], (work.out,))
        peer = lambda: forward.out(x, work.out, out=theirs, indices=where)  # noqa: E731
        return Contest(ours, peer, lambda: [(out, theirs), (indices, where)], bytes_of(x, out, indices))
    narrow, out, theirs = where.to(index_dtype), torch.empty_like(x), torch.empty_like(x)
    ours = Ours(f"{name}Backward", "tttt", [g, x, narrow, out], ())
    peer = lambda: back.grad_input(g, x, where, grad_input=theirs)  # noqa: E731
    return Contest(ours, peer, lambda: [(out, theirs)], bytes_of(g, narrow, out))


def prepare_mean(row: Case, x: torch.Tensor, g: torch.Tensor) -> Contest:
    work, aten = row.work, torch.ops.aten
    name, their_name = f"aclnn{work.operator}", f"{'adaptive_' * work.is_adaptive()}avg_pool{len(work.size)}d"
    window = () if work.is_adaptive() else (*work.window, False, True)
    images = not work.is_adaptive() and len(work.size) == 2  # which have a cubeMathType
    values = (*window, 0, 1)[: 7 if images else 6] if window else ()
    letters = f"aaabbi{'c' * images}" if window else ""
    one_cell = work.is_adaptive() and math.prod(work.out) == 1  # to PyTorch a mean, not a pooling
    if row.direction == "forward":
        out, theirs = torch.empty_like(g), torch.empty_like(g)
        call = getattr(aten, their_name)

        def forward() -> None:
            if one_cell:
                torch.mean(x, tuple(range(2, x.dim())), keepdim=True, out=theirs)
            elif window:
                call.out(x, *window, None, out=theirs)
            else:
                call.out(x, work.out, out=theirs)

        ours = Ours(name, f"t{letters or 'a'}t", [x, out], values or (work.out,))
        return Contest(ours, forward, lambda: [(out, theirs)], bytes_of(x, out))
    out, theirs = torch.empty_like(x), torch.empty_like(x)
    plane, spread = math.prod(work.size), g.expand(x.shape) if one_cell else g

    def backward() -> None:
        nonlocal theirs
        if one_cell:
            torch.div(spread, plane, out=theirs)
        elif window:
            getattr(aten, f"{their_name}_backward").grad_input(g, x, *window, None, grad_input=theirs)
        else:  # it has no form that is given its result
            theirs = getattr(aten, f"_{their_name}_backward")(g, x)

    def pairs() -> List[Tuple[torch.Tensor, torch.Tensor]]:
        if not window or x.is_contiguous():
            return [(out, theirs)]
        # PyTorch 2.11 gives other gradients of windows that overlap with channels last, on CUDA.
        plain = getattr(aten, f"{their_name}_backward")(g.contiguous(), x.contiguous(), *window, None)
        return [(out, plain)]

    ours = Ours(f"{name}Backward", f"tt{letters}t", [g, x, out], values)
    return Contest(ours, backward, pairs, bytes_of(g, out))


def prepare(row: Case, device: str) -> Contest:
    work, aten = row.work, torch.ops.aten
    dtype = TYPES[row.dtype]
    last = {"NHWC": torch.channels_last, "NDHWC": torch.channels_last_3d}.get(row.layout, torch.contiguous_format)
    torch.manual_seed(0)

    def random(*shape: int) -> torch.Tensor:
        values = torch.randn(shape, device=device)
        return (values * 20 if not dtype.is_floating_point else values).to(dtype).contiguous(memory_format=last)

    def empty(like: torch.Tensor, kind: torch.dtype = dtype) -> torch.Tensor:
        return torch.empty_like(like, dtype=kind)

    backward = row.direction == "backward"
    if work.is_mean():
        return prepare_mean(row, random(*work.batch, *work.size), random(*work.batch, *(work.out or work.pooled())))
    if work.is_adaptive():
        return prepare_adaptive(row, random(*work.batch, *work.size), random(*work.batch, *work.out))
    if work.operator in (POOL2, POOL3):
        x = random(*work.batch, *work.size)
        w = (*work.window, (1,) * len(work.size), False)
        forward, back = (
            (aten.max_pool3d_with_indices, aten.max_pool3d_with_indices_backward)
            if work.operator == POOL3
            else (aten.max_pool2d_with_indices, aten.max_pool2d_with_indices_backward)
        )
        y, where = (t.contiguous(memory_format=last) for t in forward(x.float(), *w))
        narrow = where.to(TYPES[row.index_dtype])
        name = f"aclnn{work.operator}"
        if not backward:
            out, indices, theirs, their_indices = empty(y), empty(y, narrow.dtype), empty(y), empty(where, torch.int64)
            ours = Ours(name, "taaaabtt", [x, out, indices], w)
            peer = lambda: forward.out(x, *w, out=theirs, indices=their_indices)  # noqa: E731
            return Contest(ours, peer, lambda: [(out, theirs), (indices, their_indices)], bytes_of(x, out, indices))
        g, out, theirs = random(*y.shape), empty(x), empty(x)
        ours = Ours(f"{name}Backward", "tttaaaabt", [g, x, narrow, out], w)
        peer = lambda: back.grad_input(g, x, *w, where, grad_input=theirs)  # noqa: E731
        return Contest(ours, peer, lambda: [(out, theirs)], bytes_of(g, narrow, out))
    if work.operator == VALUES:
        x, w = random(*work.batch, *work.size), (*work.window, (1, 1), False)
        out = empty(aten.max_pool2d_with_indices(x.float(), *w)[0].contiguous(memory_format=last))
        kernel, stride, padding = work.window
        # PyTorch makes its own result. aclnnMaxPool: auto_pad 0 is none, and channels last are a format of their own.
        theirs = torch.empty(0)

        def pool() -> None:
            nonlocal theirs
            theirs = aten.max_pool2d(x, *w)

        ours = Ours("aclnnMaxPool", "taaiaait", [x, out], (kernel, stride, 0, padding, (1, 1), 0))
        return Contest(ours, pool, lambda: [(out, theirs)], bytes_of(x, out))
    if work.operator in UNPOOLS:
        volume = work.operator == UNPOOL
        source = torch.randn(*work.batch, *work.out, device=device)
        pool = aten.max_pool3d_with_indices if volume else aten.max_pool2d_with_indices
        where = pool(source, *work.window)[1].contiguous(memory_format=last)
        del source
        y, plane = random(*where.shape), (work.out, (1, 1, 1), (0, 0, 0)) if volume else (work.out,)
        if not backward:
            out = empty(random(*work.batch, *work.out))
            theirs, unpool = empty(out), aten.max_unpool3d if volume else aten.max_unpool2d
            ours = Ours(f"aclnn{work.operator}", f"tt{'a' * len(plane)}t", [y, where, out], plane)
            peer = lambda: unpool.out(y, where, *plane, out=theirs)  # noqa: E731
            return Contest(ours, peer, lambda: [(out, theirs)], bytes_of(y, where, out))
        g, out = random(*work.batch, *work.out), empty(y)
        theirs = empty(y)
        ours = Ours(f"aclnn{work.operator}Backward", f"ttt{'a' * len(plane)}t", [g, y, where, out], plane)
        flat, flat_where, flat_theirs = g.flatten(2), where.flatten(2), theirs.flatten(2)
        peer = lambda: torch.gather(flat, 2, flat_where, out=flat_theirs)  # noqa: E731
        channels_last = row.layout == "NHWC"
        touched = sector_bytes(where, math.prod(work.out), g.element_size(), SECTOR[device], channels_last)
        return Contest(ours, peer, lambda: [(out, theirs)], touched + bytes_of(where, out))
    x, g = random(*work.batch, *work.size), random(*work.batch, *work.out)
    spatial, exact = len(work.size), "Exact" in work.operator
    # Lines and images have an operator without scales, but no such gradient.
    filtered = work.is_filtered()
    scales = (0.0,) * (spatial if backward or exact or filtered or spatial == 3 else 0)
    name = f"_upsample_nearest_exact{spatial}d" if exact else f"upsample_nearest{spatial}d"
    name, corners = FILTERED.get(work.operator, name), (False,) if filtered else ()
    size, theirs = tuple(x.shape), torch.empty(0)

    def peer() -> None:
        # Given a channels-last result to write into, PyTorch on CUDA mistakes its layout: there it makes its own.
        nonlocal theirs
        call = getattr(aten, f"{name}_backward" if backward else name)
        words = (g, work.out, size, *corners) if backward else (x, work.out, *corners)
        if row.layout in ("NDHWC", "NHWC"):
            theirs = call(*words)
        elif backward:
            call.grad_input(*words, grad_input=theirs)
        else:
            call.out(*words, out=theirs)

    if backward:
        out, theirs = empty(x), empty(x)
        gradient = "Grad" if work.operator == "UpsampleBicubic2dAA" else "Backward"
        letters = f"taa{'b' * filtered}{'d' * spatial}t"
        ours = Ours(f"aclnn{work.operator}{gradient}", letters, [g, out], (work.out, size, *corners, *scales))
        return Contest(ours, peer, lambda: [(out, theirs)], bytes_of(g, out))
    out, theirs = empty(g), empty(g)
    letters = f"ta{'b' * filtered}{'d' * len(scales)}t"
    ours = Ours(f"aclnn{work.operator}", letters, [x, out], (work.out, *corners, *scales))
    return Contest(ours, peer, lambda: [(out, theirs)], bytes_of(x, out))
