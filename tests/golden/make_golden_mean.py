#!/usr/bin/env python3
"""Computes the golden cases of mean pooling, with windows and adaptive, and of its gradients with PyTorch on the CPU.

    python3 tests/golden/make_golden_mean.py tests/golden/mean.bin

The names of its cases say which PyTorch computed them; mean_test.cpp checks it in two ways.

  bits   PyTorch adds up to 64 terms one after the other and divides by a window's divisor, as we do, so FLOAT has the same
         bits. FLOAT16 and BF16 are widened, computed in FLOAT and rounded once, which is our definition. Adaptive windows
         are of this kind where their sizes are powers of two: PyTorch divides by each in turn, exactly. Values have
         infinities, NaNs and both zeros.
  near   More than 64 terms, where we add in another order, other adaptive windows, and DOUBLE: PyTorch computes in double,
         of the absolute terms as well. The test allows so many units of 2^-23 (DOUBLE: 2^-52) of those.

A divisor below zero makes -0.0 of a sum that is zero; PyTorch adds it to +0.0. Those cases are marked as different.

File format: as make_golden.py has it, with these operators and tensors
  31 AvgPool2d or 3d and its gradient           self, gradOutput; out, gradInput, and for near both of absolute terms
  32 AdaptiveAvgPool2d or 3d and its gradient   the same
The arrays: 31 kernelSize, stride, padding and (countIncludePad, divisorOverride); 32 outputSize.
"""
import sys

import numpy as np
import torch
import torch.nn.functional as F

import make_golden as golden
from make_golden import CEIL, CHANNELS_LAST, DIFFERS, add_case, cases, channels_last, pick, repeat_until, rng

WINDOWS, ADAPTIVE = 31, 32
TYPES = (torch.float32, torch.float32, torch.float16, torch.bfloat16)


def values(shape):
    kind = pick("digits", "digits", "wide", "special")
    result = rng.standard_normal(shape)
    if kind == "wide":
        result *= 10.0 ** rng.integers(-4, 5, shape)
    if kind == "special":
        choice = rng.random(shape)
        result[choice < 0.05] = np.nan
        result[(choice >= 0.05) & (choice < 0.1)] = np.inf
        result[(choice >= 0.1) & (choice < 0.15)] = -np.inf
        result[(choice >= 0.15) & (choice < 0.5)] = -0.0
    return torch.from_numpy(result)


def both(pool, data, gradient):
    """The pooling of `data` and the gradient of it, in their type."""
    leaf = data.clone().requires_grad_()
    out = pool(leaf)
    out.backward(gradient)
    return out.detach(), leaf.grad


def add(name, operator, flags, arrays, pool, lead, size, near):
    shape = (*lead, *size)
    dtype = torch.float32 if near else pick(*TYPES)
    if near == torch.float64:
        dtype = near
    data = torch.from_numpy(rng.standard_normal(shape)) if near else values(shape)
    data = data.to(dtype)
    out_shape = pool(torch.zeros(shape)).shape
    gradient = (torch.from_numpy(rng.standard_normal(out_shape)) if near else values(out_shape)).to(dtype)
    wide = torch.float64 if near else torch.float32
    tensors = [data, gradient]
    results = both(pool, data.to(wide), gradient.to(wide))
    tensors += results if near else [result.to(dtype) for result in results]
    if near:
        tensors += both(pool, data.double().abs(), gradient.double().abs())
    if rng.random() < 0.2:
        flags |= CHANNELS_LAST
        tensors = [channels_last(tensor, len(lead) == 2) for tensor in tensors]
    add_case(f"PyTorch {torch.__version__} {len(cases)} {name}", operator, flags, arrays, [0, 0, 0], tensors)


def some_lead(near):
    most = 2 if near else 4
    return [int(rng.integers(1, most)), int(rng.integers(1, most))][:pick(1, 2, 2)]


def windows(near):
    spatial = pick(2, 3)
    most = {2: 14 if near else 8, 3: 6 if near else 4}[spatial]
    kernel = [int(rng.integers(most // 2 if near else 1, most + 1)) for _ in range(spatial)]
    if (np.prod(kernel) > 64) != near:
        return
    stride = [int(rng.integers(1, k + 2)) for k in kernel]
    padding = [int(rng.integers(0, k // 2 + 1)) if rng.random() < 0.5 else 0 for k in kernel]
    size = [int(rng.integers(k, k + (9 if spatial == 2 else 5))) for k in kernel]
    ceil, include = bool(rng.integers(2)), bool(rng.integers(2))
    divisor = pick(None, None, 3, -7, 100)
    pool_of = F.avg_pool2d if spatial == 2 else F.avg_pool3d

    def pool(x):
        return pool_of(x, kernel, stride, padding, ceil, include, divisor)

    arrays = [kernel, stride, padding, [int(include), divisor or 0]]
    words = f"{size} kernel {kernel} stride {stride} padding {padding} divisor {divisor}"
    add(words, WINDOWS, CEIL * ceil, arrays, pool, some_lead(near), size, near)


def negative_zero():
    """Sums that are zero, divided by less."""
    pool = lambda x: F.avg_pool2d(x, 2, 2, 0, False, True, -4)  # noqa: E731
    data, gradient = torch.zeros(1, 1, 4, 6), torch.zeros(1, 1, 2, 3)
    arrays = [[2, 2], [2, 2], [0, 0], [1, -4]]
    name = f"PyTorch {torch.__version__} {len(cases)} zeros by -4"
    add_case(name, WINDOWS, DIFFERS, arrays, [0, 0, 0], [data, gradient, *both(pool, data, gradient)])


def adaptive(near):
    spatial = pick(2, 3)
    if near:
        size = [int(rng.integers(1, 30 if spatial == 2 else 10)) for _ in range(spatial)]
        out = [pick(1, int(rng.integers(1, n + 1)), int(rng.integers(1, n + 4))) for n in size]
    else:
        out = [int(rng.integers(1, 6)) for _ in range(spatial)]
        size = [n * pick(1, 2, 4) for n in out]
    if not near and (np.prod(out) == 1 or np.prod(size) // np.prod(out) > 64):
        return  # to one cell PyTorch has a mean of its own
    pool_of = F.adaptive_avg_pool2d if spatial == 2 else F.adaptive_avg_pool3d
    kind = torch.float64 if near and spatial == 3 and rng.random() < 0.3 else near
    add(f"{size} to {out}", ADAPTIVE, 0, [out], lambda x: pool_of(x, out), some_lead(near), size, kind)


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: make_golden_mean.py OUTFILE")
    torch.set_num_threads(1)
    negative_zero()
    repeat_until(80, lambda: windows(False))
    repeat_until(24, lambda: windows(True))
    repeat_until(40, lambda: adaptive(False))
    repeat_until(50, lambda: adaptive(True))
    golden.write_cases(sys.argv[1])
    print(f"PyTorch {torch.__version__}: {len(cases)} cases")


if __name__ == "__main__":
    main()
