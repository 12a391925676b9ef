#!/usr/bin/env python3
"""Computes the golden cases of adaptive max pooling and its gradient with PyTorch on the CPU.

    python3 tests/golden/make_golden_adaptive_max.py tests/golden/adaptive_max.bin

The committed file comes from PyTorch 1.13; adaptive_max_test.cpp checks it bit for bit. FLOAT and DOUBLE go through
torch.nn.functional and its autograd. FLOAT16 and BF16, which the CPU does not take, are computed in float, where maxima
are the same; their gradients are multiples of 2^-6, whose sums are exact. Values have ties, both zeros, infinities and
quiet NaNs.

File format: as make_golden.py has it, with this operator and these tensors
  30 AdaptiveMaxPool2d or 3d and its gradient   self, gradOutput; out, indices, gradInput
and the array outputSize, as long as there are axes.
"""
import sys

import numpy as np
import torch
import torch.nn.functional as F

import make_golden as golden
from make_golden import CHANNELS_LAST, add_case, cases, channels_last, pick, repeat_until, rng

STEP = 30


def values(shape):
    kind = pick("digits", "ties", "special")
    if kind == "digits":
        return rng.standard_normal(shape)
    result = rng.integers(-1, 2, shape) * pick(1.0, -1.0)
    if kind == "special":
        choice = rng.random(shape)
        result[choice < 0.1] = np.nan
        result[(choice >= 0.1) & (choice < 0.2)] = np.inf
        result[(choice >= 0.2) & (choice < 0.6)] = -np.inf
        result[(choice >= 0.6) & (choice < 0.8)] = -0.0
    return result


def step():
    spatial = pick(2, 3)
    size = [int(rng.integers(1, 14 if spatial == 2 else 8)) for _ in range(spatial)]
    output_size = [pick(1, int(rng.integers(1, n + 1)), int(rng.integers(1, n + 1)), int(rng.integers(1, n + 4)))
                   for n in size]
    lead = [int(rng.integers(1, 4)), int(rng.integers(1, 4))][:pick(1, 2, 2)]
    dtype = pick(torch.float32, torch.float32, torch.float64, torch.float16, torch.bfloat16)
    wide = torch.float64 if dtype == torch.float64 else torch.float32
    data = torch.from_numpy(values((*lead, *size))).to(dtype)
    leaf = data.to(wide).requires_grad_()
    pool = F.adaptive_max_pool2d if spatial == 2 else F.adaptive_max_pool3d
    out, indices = pool(leaf, output_size, return_indices=True)
    grad = torch.from_numpy(rng.integers(-128, 129, out.shape) / 64.0).to(dtype)
    out.backward(grad.to(wide))
    # A conversion gives NaNs bits of their own; a maximum is a copy.
    bits = data.view({2: torch.int16, 4: torch.int32, 8: torch.int64}[data.element_size()])
    picked = bits.flatten(-spatial).gather(-1, indices.flatten(-spatial)).reshape(indices.shape).view(dtype)
    assert torch.equal(picked.to(wide).nan_to_num(7), out.detach().nan_to_num(7))
    tensors = [data, grad, picked, indices, leaf.grad.to(dtype)]
    flags = 0
    if rng.random() < 0.2:
        flags = CHANNELS_LAST
        tensors = [channels_last(tensor, len(lead) == 2) for tensor in tensors]
    add_case(f"adaptive max {len(cases)} {dtype} {size} to {output_size}", STEP, flags, [output_size], [0, 0, 0], tensors)


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: make_golden_adaptive_max.py OUTFILE")
    torch.set_num_threads(1)
    repeat_until(150, step)
    golden.write_cases(sys.argv[1])
    print(f"PyTorch {torch.__version__}: {len(cases)} cases")


if __name__ == "__main__":
    main()
