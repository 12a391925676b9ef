#!/usr/bin/env python3
"""Computes the golden cases of 2D unpooling and its gradient with PyTorch on the CPU.

    python3 tests/golden/make_golden_unpool2d.py tests/golden/unpool2d.bin

The committed file comes from PyTorch 1.13; unpool2d_test.cpp checks it bit for bit. FLOAT and DOUBLE go through
torch.ops.aten.max_unpool2d and its autograd by one thread, which writes in ascending order, so that the last of
duplicates wins as with us. The other types, which it does not take, are the scatter and the gather that it is.

A gradient of another type is what PyTorch gathers, converted by Tensor.to. It is compared here with a conversion
that rounds an exact value once, which is our definition. Two differ, since PyTorch goes through float and rounds twice:
DOUBLE to FLOAT16 or BF16, and wide integers to BF16. They are kept on purpose and marked; a case where they happen to
agree is kept as any other. NaNs that are converted have no bits of their own: the test makes them the canonical one.

File format: as make_golden.py has it, with these operators and tensors
  12 MaxUnpool2d                      self, indices; out
  13 MaxUnpool2dBackward              gradOutput, indices; out
  14 max_unpool2d(max_pool2d(self))   self, gradOutput; out, gradInput
and the arrays outputSize (12, 13), kernelSize (14).
"""
import math
import sys
from fractions import Fraction

import numpy as np
import torch
import torch.nn.functional as F

import make_golden as golden
from make_golden import ACL_TYPES, DIFFERS, add_case, any_bits, cases, pick, raw, repeat_until, rng, same_bits

UNPOOL, UNPOOL_BACKWARD, UNPOOL_STEP = range(12, 15)
ACL_TYPES[torch.bool] = 12

FLOATS = [torch.float32, torch.float16, torch.bfloat16, torch.float64]
INTEGERS = [torch.int8, torch.uint8, torch.int16, torch.int32, torch.int64]
WHOLE = {1: torch.uint8, 2: torch.int16, 4: torch.int32, 8: torch.int64}

left_out = []


def as_integers(tensor):
    """On the CPU torch.gather makes signalling NaNs of half types quiet, and we copy bits."""
    return tensor.view(WHOLE[tensor.element_size()])


def geometry(may_shrink):
    output_size = [int(rng.integers(1, 13)) for _ in range(2)]
    size = [int(rng.integers(1, o + (4 if may_shrink else 1))) for o in output_size]
    lead = [int(rng.integers(1, 4)), int(rng.integers(1, 4))][:pick(1, 2, 2)]
    return lead, size, output_size


def indices_of(lead, size, output_size):
    """As a pooling finds them, distinct, or with duplicates."""
    cells, count, planes = math.prod(output_size), math.prod(size), math.prod(lead)
    if all(o % s == 0 for o, s in zip(output_size, size)) and rng.random() < 0.5:
        windows = [o // s for o, s in zip(output_size, size)]
        data = torch.from_numpy(rng.standard_normal((*lead, *output_size)))
        return "pooled", F.max_pool2d(data, windows, windows, return_indices=True)[1]
    if count <= cells and rng.random() < 0.5:
        flat = np.stack([rng.permutation(cells)[:count] for _ in range(planes)])
        return "distinct", torch.from_numpy(flat).reshape(*lead, *size)
    return "duplicates", torch.from_numpy(rng.integers(0, cells, (*lead, *size)))


def unpool_case():
    dtype = pick(torch.float32, *FLOATS, *INTEGERS)
    lead, size, output_size = geometry(may_shrink=False)
    data = any_bits((*lead, *size), dtype)
    kind, index = indices_of(lead, size, output_size)
    planes, cells = math.prod(lead), math.prod(output_size)
    flat, where = as_integers(data).reshape(planes, -1), index.reshape(planes, -1)
    ours = torch.zeros(planes, cells, dtype=flat.dtype)
    for plane in range(planes):
        for value, at in zip(flat[plane], where[plane].tolist()):
            ours[plane, at] = value
    if dtype in (torch.float32, torch.float64):
        theirs = as_integers(torch.ops.aten.max_unpool2d.default(data, index, output_size).contiguous())
    else:
        theirs = torch.zeros_like(ours).scatter_(1, where, flat)
    name = f"unpool2d {len(cases)} {dtype} {kind}"
    if not same_bits(theirs.reshape(ours.shape), ours):
        left_out.append(name)
        return
    add_case(name, UNPOOL, 0, [output_size], [0, 0, 0],
             [data, index.to(pick(torch.int32, torch.int64)), theirs.reshape(*lead, *output_size).view(dtype)])


def rounded_once(value, dtype):
    """The value of a floating-point type nearest to a number that is exact, to even from the middle of two."""
    if isinstance(value, float) and (value == 0 or not math.isfinite(value)):
        return value
    info = torch.finfo(dtype)
    digits = round(-math.log2(info.eps)) + 1
    lowest = round(math.log2(info.tiny))
    exact = Fraction(value)
    if exact == 0:
        return 0.0
    exponent = abs(exact.numerator).bit_length() - exact.denominator.bit_length()
    exponent -= abs(exact) < Fraction(2) ** exponent
    quantum = Fraction(2) ** (max(exponent, lowest) - digits + 1)
    result = round(exact / quantum) * quantum  # Python's round() takes the even one
    if abs(result) > Fraction(info.max):
        return math.copysign(math.inf, value)
    return math.copysign(float(result), value)


def converted(tensor, dtype):
    """By our definition; the values of `tensor` one by one."""
    if dtype not in FLOATS:
        if not tensor.dtype.is_floating_point:
            bits = 8 * torch.empty(0, dtype=dtype).element_size()
            low = [int(value) & ((1 << bits) - 1) for value in tensor.flatten().tolist()]
            if dtype != torch.uint8:
                low = [value - (1 << bits) if value >> (bits - 1) else value for value in low]
            return torch.tensor(low, dtype=dtype).reshape(tensor.shape)
        raise ValueError(dtype)
    wide = tensor.to(torch.float64) if tensor.dtype.is_floating_point else tensor  # exact
    values = [value if isinstance(value, float) else int(value) for value in wide.flatten().tolist()]
    values = [rounded_once(value, dtype) for value in values]
    return torch.tensor(values, dtype=torch.float64).to(dtype).reshape(tensor.shape)


def gradients(shape, dtype, target):
    """Bits of all kinds, or where they are to be rounded also numbers of a middling size and middles between two."""
    if dtype == torch.bool:
        return torch.from_numpy(rng.integers(0, 2, shape).astype(bool))
    bits = any_bits(shape, dtype)
    if target == dtype or rng.random() < 0.3:
        return bits
    if dtype == torch.int64 and target == torch.bfloat16 and rng.random() < 0.5:
        middles = (2 * rng.integers(128, 256, shape) + 1) << rng.integers(20, 40, shape)
        return torch.from_numpy(middles + rng.integers(-1, 2, shape))
    if dtype not in FLOATS:
        width = 8 * bits.element_size() - 1
        return bits >> torch.from_numpy(rng.integers(0, width, shape)).to(dtype)
    digits = {torch.float32: 24, torch.float16: 11, torch.bfloat16: 8, torch.float64: 53}[target]
    steps = rng.integers(2 ** (digits - 1), 2**digits, shape) + rng.integers(0, 2, shape) / 2  # a half is a middle
    if dtype == torch.float64:
        steps = steps * (1 + rng.integers(-1, 2, shape) * 2.0**-40)  # next to it
    steps = steps * 2.0 ** rng.integers(-digits - 12, 3, shape) * rng.choice([-1.0, 1.0], shape)
    return torch.from_numpy(steps).to(dtype)


def same_but_for_nans(a, b):
    if a.dtype.is_floating_point:
        nan = a.isnan()
        if not torch.equal(nan, b.isnan()):
            return False
        a, b = a.masked_fill(nan, 0), b.masked_fill(nan, 0)
    return raw(a) == raw(b)


def gathered(grad, index, lead):
    whole = as_integers(grad).flatten(len(lead))
    return torch.gather(whole, len(lead), index.flatten(len(lead))).reshape(index.shape)


def backward_case(dtype=None, target=None):
    dtype = dtype or pick(*FLOATS, *INTEGERS, torch.bool)
    if target is None:
        targets = FLOATS if dtype in FLOATS else FLOATS + INTEGERS + ([torch.bool] if dtype == torch.bool else [])
        target = pick(dtype, pick(*targets))
    lead, size, output_size = geometry(may_shrink=True)
    grad = gradients((*lead, *output_size), dtype, target)
    kind, index = indices_of(lead, size, output_size)
    picked = gathered(grad, index, lead).view(dtype)
    if dtype in (torch.float32, torch.float64) and target == dtype:
        zeros = torch.zeros(index.shape, dtype=dtype, requires_grad=True)
        torch.ops.aten.max_unpool2d.default(zeros, index, output_size).backward(grad)
        if not same_bits(zeros.grad, picked):
            left_out.append(f"{dtype} {kind}: autograd is no gather")
            return
    flags, name = 0, f"unpool2d backward {len(cases)} {dtype} {kind}"
    result = picked
    if target != dtype:
        name += f" to {target}"
        result = picked.to(target)
        if not same_but_for_nans(result, converted(picked, target)):
            flags = DIFFERS
            name += ": PyTorch rounds twice"
    add_case(name, UNPOOL_BACKWARD, flags, [output_size], [0, 0, 0],
             [grad, index.to(pick(torch.int32, torch.int64)), result])


def step(name, shape, kernel, dtype):
    data = torch.from_numpy(rng.standard_normal(shape)).to(dtype).requires_grad_()
    out, indices = F.max_pool2d(data, kernel, kernel, return_indices=True)
    unpooled = F.max_unpool2d(out, indices, kernel, kernel, 0, shape[2:])
    grad = torch.from_numpy(rng.integers(-128, 129, shape) / 64.0).to(dtype)
    unpooled.backward(grad)
    add_case(f"step: {name} {dtype}", UNPOOL_STEP, 0, [kernel], [0, 0, 0],
             [data.detach(), grad, unpooled.detach(), data.grad])


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: make_golden_unpool2d.py OUTFILE")
    torch.set_num_threads(1)
    repeat_until(70, unpool_case)
    repeat_until(140, backward_case)
    for pair in ((torch.float64, torch.float16), (torch.float64, torch.bfloat16), (torch.int64, torch.bfloat16)):
        repeat_until(4, lambda: backward_case(*pair))
    step("segmentation", (2, 3, 16, 24), [2, 2], torch.float32)
    step("uneven windows", (1, 2, 12, 15), [3, 5], torch.float32)
    golden.write_cases(sys.argv[1])
    twice = sum(b"rounds twice" in case for case in cases)
    print(f"PyTorch {torch.__version__}: {len(cases)} cases, {twice} rounded twice by it; left out: {left_out}")


if __name__ == "__main__":
    main()
