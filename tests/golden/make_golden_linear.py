#!/usr/bin/env python3
"""Computes golden cases of linear, cubic and antialiased upsampling and their gradients with PyTorch on the CPU, in double.

    python3 tests/golden/make_golden_linear.py tests/golden/linear.bin

The committed file comes from PyTorch 1.13 (2.11 in double is no reference for long lines: it takes the floor of their
positions in float). Inputs are FLOAT; linear_test.cpp compares FLOAT results with these within a few units of 2^-24 of
the largest one, which is what roundings of the sums leave.

File format: as make_golden.py has it, with these operators and tensors
  17 upsampling        self; out in DOUBLE
  18 their gradients   gradOut; gradInput in DOUBLE
The first array says which: the number of axes, 0 linear, 1 cubic, 2 antialiased linear, 3 antialiased cubic, and 1 where
corners are aligned. The other is outputSize.
"""
import sys

import torch
import torch.nn.functional as F

import make_golden as golden
from make_golden import add_case, cases, pick, rng

FORWARD, BACKWARD = 17, 18
MODES = {(1, 0): "linear", (2, 0): "bilinear", (3, 0): "trilinear", (2, 1): "bicubic", (2, 2): "bilinear", (2, 3): "bicubic"}
MOST = {1: 64, 2: 16, 3: 6}


def sizes(spatial, long):
    least, most = (300, 1200) if long else (2, MOST[spatial])
    return [int(rng.integers(least, most + 1)) for _ in range(spatial)]


def case(spatial, filter, long=False):
    size, out = sizes(spatial, long), sizes(spatial, long)
    align, scales = False, [0.0] * spatial
    kind = pick("sizes", "double", "align", "scale")
    if kind == "align":
        align = True
    elif kind == "double":
        out = [2 * n for n in size]
    elif kind == "scale":
        scales = [float(rng.uniform(0.6, 2.6)) for _ in size]
        out = [max(1, int(n * s)) for n, s in zip(size, scales)]
    keywords = {"mode": MODES[spatial, filter], "align_corners": align, "antialias": filter >= 2}
    where = {"scale_factor": scales} if kind == "scale" and all(int(n * s) for n, s in zip(size, scales)) else {"size": out}
    scales = scales if "scale_factor" in where else [0.0] * spatial
    data = torch.from_numpy(rng.standard_normal((1, 1, *size))).float()
    x = data.double().requires_grad_()
    y = F.interpolate(x, **where, **keywords)
    out = list(y.shape[2:])
    gradient = torch.from_numpy(rng.standard_normal(y.shape)).float()
    y.backward(gradient.double())
    arrays = [[spatial, filter, int(align)], out]
    three = [0.0] * (3 - spatial) + scales
    name = f"{len(cases)} {spatial}d {keywords} {where}"
    add_case(name, FORWARD, 0, arrays, three, [data, y.detach()])
    add_case(f"backward {name}", BACKWARD, 0, arrays, three, [gradient, x.grad])


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: make_golden_linear.py OUTFILE")
    torch.set_num_threads(1)
    for _ in range(9):
        for spatial, filter in MODES:
            case(spatial, filter)
    for _ in range(4):
        case(1, 0, long=True)
    golden.write_cases(sys.argv[1])
    print(f"PyTorch {torch.__version__}: {len(cases)} cases")


if __name__ == "__main__":
    main()
