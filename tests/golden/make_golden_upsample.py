#!/usr/bin/env python3
"""Computes the golden cases of nearest upsampling in one, two and three dimensions, by corners and by centres, and of
their gradients, with PyTorch on the CPU.

    python3 tests/golden/make_golden_upsample.py tests/golden/upsample.bin

The committed file comes from PyTorch 2.11; upsample_test.cpp checks it bit for bit. Cells are numbered with whole numbers,
and gradients are small ones, so that sums are exact in every type and order. Cases in which PyTorch's definition is
another than ours are kept on purpose and marked: positions of DOUBLE are doubles in its CPU kernels, and they send each
gradient to the cell that the forward copied, where we go by ranges.

File format: as make_golden.py has it, with these operators and tensors
  15 UpsampleNearest 1d, 2d, exact 1d, 2d, 3d     self; out
  16 their gradients                              gradOut; gradInput
The first array says which: the number of axes, and 1 for the exact ones. The other is outputSize.
"""
import sys

import torch
import torch.nn.functional as F

import make_golden as golden
from make_golden import DIFFERS, add_case, cases, pick, rng

FORWARD, BACKWARD = 15, 16
TYPES = [torch.float32, torch.float16, torch.bfloat16, torch.float64, torch.uint8]


def f32(value):
    return torch.tensor(value, dtype=torch.float32)


def sources(size, out, exact):
    """Our definition: the cell that each position takes."""
    step = f32(size) / f32(out)
    positions = torch.arange(out, dtype=torch.float32) + f32(0.5 * exact)
    return (positions * step).floor().long().clamp(max=size - 1)


def cells_of(size, out, exact):
    """Our definition: the cell that each position's gradient goes to, or -1."""
    scale = f32(out) / f32(size)
    edges = (torch.arange(size + 1, dtype=torch.float32) * scale - f32(0.5 * exact)).ceil().long().clamp(0, out)
    cells = torch.full((out,), -1)
    for cell in range(size):
        cells[edges[cell]:edges[cell + 1]] = cell
    return cells


def mode(exact):
    return "nearest-exact" if exact else "nearest"


def geometry():
    spatial = pick(1, 1, 2, 2, 3)
    exact = pick(True, False) or spatial == 3  # forward.bin and backward.bin have the other one
    most = {1: (40, 100), 2: (12, 20), 3: (5, 7)}[spatial]
    size = [int(rng.integers(1, most[0])) for _ in range(spatial)]
    out = [int(rng.integers(1, most[1])) for _ in range(spatial)]
    if rng.random() < 0.3:
        out = [2 * n for n in size]
    return spatial, exact, size, out


def forward_case(dtype=None, given=None):
    spatial, exact, size, out = given or geometry()
    dtype = dtype or pick(*TYPES)
    lead = [int(rng.integers(1, 3)), int(rng.integers(1, 3))]
    data = torch.from_numpy(rng.integers(0, 200, (*lead, *size))).to(dtype)
    whole = data if dtype in (torch.float64, torch.float32, torch.uint8) else data.float()
    theirs = F.interpolate(whole, out, mode=mode(exact)).to(dtype).contiguous()
    ours = data
    for axis in range(spatial):
        ours = ours.index_select(axis + 2, sources(size[axis], out[axis], exact))
    flags = 0 if torch.equal(ours, theirs) else DIFFERS
    name = f"upsample {len(cases)} {mode(exact)} {spatial}d {dtype}" + (": other positions" if flags else "")
    add_case(name, FORWARD, flags, [[spatial, int(exact)], out], [0, 0, 0], [data, theirs])


def backward_case(given=None):
    spatial, exact, size, out = given or geometry()
    dtype = pick(*TYPES[:4])
    lead = [int(rng.integers(1, 3)), int(rng.integers(1, 3))]
    gradient = torch.from_numpy(rng.integers(-4, 5, (*lead, *out))).to(torch.float32)  # exact sums in every type
    zeros = torch.zeros(*lead, *size, requires_grad=True)
    F.interpolate(zeros, out, mode=mode(exact)).backward(gradient)
    ours = gradient
    for axis in range(spatial):
        cells = cells_of(size[axis], out[axis], exact)
        kept = (cells >= 0).nonzero().flatten()
        wide = torch.zeros(*ours.shape[:axis + 2], size[axis], *ours.shape[axis + 3:])
        ours = wide.index_add(axis + 2, cells[kept], ours.index_select(axis + 2, kept))
    flags = 0 if torch.equal(ours, zeros.grad) else DIFFERS
    name = f"upsample backward {len(cases)} {mode(exact)} {spatial}d {dtype}" + (": other cells" if flags else "")
    add_case(name, BACKWARD, flags, [[spatial, int(exact)], out], [0, 0, 0],
             [gradient.to(dtype), zeros.grad.to(dtype)])


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: make_golden_upsample.py OUTFILE")
    torch.set_num_threads(1)
    for _ in range(36):
        forward_case()
        backward_case()
    # Where the definitions part.
    for exact, size, out in ((False, 2, 82), (True, 2, 41)):
        forward_case(torch.float64, (1, exact, [size], [out]))
        forward_case(torch.float32, (1, exact, [size], [out]))
        backward_case((1, exact, [size], [out]))
        backward_case((2, exact, [3, size], [6, out]))
    golden.write_cases(sys.argv[1])
    differing = sum(b": other" in case for case in cases)
    print(f"PyTorch {torch.__version__}: {len(cases)} cases, {differing} by another definition")


if __name__ == "__main__":
    main()
