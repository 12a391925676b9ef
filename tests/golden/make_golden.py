#!/usr/bin/env python3
"""Computes the golden cases of the backward operators with PyTorch on the CPU.

    python3 tests/golden/make_golden.py tests/golden/backward.bin

The committed file comes from PyTorch 2.11; golden_test.cpp checks it bit for bit. That works because every case is
one where PyTorch's result does not depend on things our definition fixes otherwise:

  exact    The gradients are integers or multiples of 2^-6, so small that every partial sum is exact in float. PyTorch
           sums in float64, the sum is rounded once to the type: the order of the additions cannot be seen.
           FLOAT16 and BF16 are always made this way, because PyTorch may round their partial sums.
  ordered  FLOAT and DOUBLE (upsample) gradients with all their digits, summed by PyTorch in that type. Its CPU loops
           add in ascending order of the output, as we do. The script checks that with numpy, which adds one by one,
           and leaves a case out if it is not so.
  bits     Unpool is torch.gather: bits are copied, so any bits will do.

Where our definition is another one than PyTorch's, the case is kept with PyTorch's result and marked: the test shows
that we differ, and that we do what our definition says.

  range rule      We give input i the outputs [ceil(i*s), ceil((i+1)*s)) in float, as PyTorch does on CUDA. On the CPU
                  PyTorch gives output o to floor(o/s): e.g. 2 -> 82, where output 41 goes to input 1 and to input 0.
                  Outputs past the last range are dropped by us, clamped into the last input by PyTorch.
  all or nothing  Scales count for us only if all three are positive; PyTorch decides for each axis.

File format (little endian): "CAIRNGLD", u32 version = 1, u32 number of cases; then for each case
  u32 length and bytes of the name
  u32 operator: 0 MaxPool2dWithIndicesBackward, 1 MaxPool3dWithArgmaxBackward, 2 MaxUnpool3dBackward,
                3 UpsampleNearest3dBackward; make_golden_forward.py has others
  u32 flags: 1 ceilMode, 2 channels last (NHWC or NDHWC tensors), 4 our definition differs from PyTorch's
  u32 number of arrays, each u32 length and i64 values: kernelSize, stride, padding, dilation (pooling);
                outputSize, stride, padding (unpool); outputSize, inputSize (upsample)
  3 f64 scales (upsample; else 0)
  u32 number of tensors, each u32 aclDataType, u32 rank, i64 dims, the raw elements: gradOutput, indices (not for
                upsample), and the result last
"""
import struct
import sys

import numpy as np
import torch
import torch.nn.functional as F

ACL_TYPES = {
    torch.float32: 0, torch.float16: 1, torch.int8: 2, torch.int32: 3, torch.uint8: 4, torch.int16: 6, torch.int64: 9,
    torch.float64: 11, torch.bfloat16: 27,
}
POOL_2D, POOL_3D, UNPOOL_3D, UPSAMPLE_3D = range(4)
CEIL, CHANNELS_LAST, DIFFERS = 1, 2, 4

rng = np.random.default_rng(20260)
cases = []
left_out = 0


def pick(*choices):
    return choices[rng.integers(len(choices))]


def raw(tensor):
    tensor = tensor.detach().contiguous()
    same_size = {1: torch.uint8, 2: torch.int16, 4: torch.int32, 8: torch.int64}[tensor.element_size()]
    return tensor.view(same_size).numpy().tobytes() if tensor.numel() else b""


def narrowed(grad, dtype):
    """The gradients in the type under test; they must fit it, or PyTorch has summed other numbers than we do."""
    result = grad.to(dtype)
    assert torch.equal(result.to(grad.dtype).nan_to_num(), grad.nan_to_num())
    return result


def add_case(name, operator, flags, arrays, scales, tensors):
    name = name.encode()
    blob = [struct.pack("<I", len(name)), name, struct.pack("<II", operator, flags), struct.pack("<I", len(arrays))]
    for array in arrays:
        blob.append(struct.pack(f"<I{len(array)}q", len(array), *array))
    blob.append(struct.pack("<3d", *scales))
    blob.append(struct.pack("<I", len(tensors)))
    for tensor in tensors:
        blob.append(struct.pack(f"<II{tensor.dim()}q", ACL_TYPES[tensor.dtype], tensor.dim(), *tensor.shape))
        blob.append(raw(tensor))
    cases.append(b"".join(blob))


def gradients(shape, kind, dtype=torch.float64):
    """Values whose sums are exact in float, except for "digits"."""
    if kind == "digits":
        return torch.from_numpy(rng.standard_normal(shape)).to(dtype)
    if kind == "integers":
        values = rng.integers(-8, 9, shape).astype(np.float64)
    elif kind == "sixty-fourths":
        values = rng.integers(-128, 129, shape) / 64.0
    elif kind == "large":  # sums leave FLOAT16's range
        values = rng.integers(-2, 7, shape) * 8192.0
    else:
        values = rng.integers(-8, 9, shape).astype(np.float64)
        special = rng.random(shape)
        values[special < 0.05] = np.nan
        values[(special >= 0.05) & (special < 0.1)] = np.inf
        values[(special >= 0.1) & (special < 0.15)] = -np.inf
        values[(special >= 0.15) & (special < 0.5)] = -0.0
    return torch.from_numpy(values)


def channels_last(tensor, has_batch):
    axes = list(range(tensor.dim()))
    channel = axes.pop(1 if has_batch else 0)
    return tensor.permute(*axes, channel).contiguous()


def same_bits(a, b):
    return raw(a) == raw(b)


def sum_one_by_one(grad, flat_index, shape, axes):
    """What adding in ascending order gives; np.add.at adds in the array's own type, one element after the other."""
    planes = int(np.prod(shape[:-axes]))
    total = np.zeros((planes, int(np.prod(shape[-axes:]))), grad.numpy().dtype)
    flat_grad = grad.reshape(planes, -1).numpy()
    flat = flat_index.reshape(planes, -1).numpy()
    for plane in range(planes):
        np.add.at(total[plane], flat[plane], flat_grad[plane])
    return torch.from_numpy(total).reshape(shape)


def pool_case(spatial):
    """One pooling backward; `spatial` is 2 or 3."""
    global left_out
    functional = F.max_pool2d if spatial == 2 else F.max_pool3d
    longest = 14 if spatial == 2 else 8
    ceil_mode = bool(rng.integers(2))
    kernel = [int(rng.integers(1, 5)) for _ in range(spatial)]
    stride = kernel if rng.random() < 0.25 else [int(rng.integers(1, 5)) for _ in range(spatial)]
    padding = [int(rng.integers(0, k // 2 + 1)) if rng.random() < 0.5 else 0 for k in kernel]
    dilation = [int(rng.integers(1, 4)) for _ in range(spatial)] if rng.random() < 0.25 else [1] * spatial
    size = [int(rng.integers(1, longest + 1)) for _ in range(spatial)]
    reach = [d * (k - 1) + 1 for d, k in zip(dilation, kernel)]
    if any(r > s + 2 * p for r, s, p in zip(reach, size, padding)):
        return
    # A dilated window may step over a short input; only our forward has an answer (-1) to that.
    if any(d > 1 and s < r for d, s, r in zip(dilation, size, reach)):
        return
    batch = [int(rng.integers(1, 4))] if rng.random() < 0.8 else []
    dtype = pick(torch.float32, torch.float16, torch.bfloat16)
    kind = pick("integers", "sixty-fourths", "large", "special")
    if dtype == torch.float32 and rng.random() < 0.6:
        kind = "digits"
    compute = torch.float32 if kind == "digits" else torch.float64

    shape = batch + [int(rng.integers(1, 5))] + size
    data = torch.from_numpy(rng.permutation(int(np.prod(shape))).reshape(shape)).to(compute).requires_grad_()
    out, indices = functional(data, kernel, stride, padding, dilation, ceil_mode, return_indices=True)
    assert int(indices.min()) >= 0 and int(indices.max()) < np.prod(size)
    grad = gradients(tuple(out.shape), kind, compute)
    out.backward(grad)
    result = data.grad
    if kind == "digits" and not same_bits(result, sum_one_by_one(grad, indices, shape, spatial)):
        left_out += 1
        return

    flags = CEIL if ceil_mode else 0
    tensors = [narrowed(grad, dtype), indices.to(pick(torch.int32, torch.int64)), result.to(dtype)]
    if rng.random() < 0.25:
        flags |= CHANNELS_LAST
        tensors = [channels_last(tensor, bool(batch)) for tensor in tensors]
    name = f"pool{spatial}d {len(cases)} {dtype} {kind}"
    add_case(name, POOL_2D if spatial == 2 else POOL_3D, flags, [kernel, stride, padding, dilation], [0, 0, 0], tensors)


def any_bits(shape, dtype):
    size = torch.empty(0, dtype=dtype).element_size()
    noise = rng.integers(0, 256, (*shape, size), dtype=np.uint8)
    return torch.from_numpy(noise).view(dtype).reshape(shape)


def unpool_case():
    dtype = pick(torch.float32, torch.float16, torch.bfloat16, torch.float64, torch.int8, torch.uint8, torch.int16,
                 torch.int32, torch.int64)
    output_size = [int(rng.integers(1, 9)) for _ in range(3)]
    size = [int(rng.integers(1, o + 1)) for o in output_size]
    lead = [int(rng.integers(1, 4)), int(rng.integers(1, 4))][:pick(1, 2, 2)]
    grad = any_bits((*lead, *output_size), dtype)
    index = torch.from_numpy(rng.integers(0, int(np.prod(output_size)), (*lead, *size)))
    if rng.random() < 0.4 and all(o % s == 0 for o, s in zip(output_size, size)):
        # Indices as a pooling forward finds them.
        windows = [o // s for o, s in zip(output_size, size)]
        data = torch.from_numpy(rng.standard_normal((*lead, *output_size)))
        lifted = data if len(lead) == 2 else data.unsqueeze(1)
        _, index = F.max_pool3d(lifted, windows, windows, return_indices=True)
        index = index.reshape(*lead, *size)
    # As integers: on the CPU torch.gather makes signalling NaNs of half types quiet, and we copy bits.
    whole = grad.view({1: torch.uint8, 2: torch.int16, 4: torch.int32, 8: torch.int64}[grad.element_size()])
    result = torch.gather(whole.flatten(len(lead)), len(lead), index.flatten(len(lead))).view(dtype).reshape(index.shape)
    add_case(f"unpool3d {len(cases)} {dtype}", UNPOOL_3D, 0, [output_size, [1, 2, 3], [0, 1, 2]], [0, 0, 0],
             [grad, index.to(pick(torch.int32, torch.int64)), result])


def torch_source(size, out, scale, axis):
    """To which input PyTorch's backward gives each output along one axis: one case an output, each a single 1."""
    shape, target = [1, 1, 1], [1, 1, 1]
    shape[axis], target[axis] = size, out
    scales = [None] * 3
    scales[axis] = scale
    ones = torch.eye(out).reshape(out, 1, *target)
    received = torch.ops.aten.upsample_nearest3d_backward.default(ones, target, [out, 1, *shape], *scales)
    return received.reshape(out, size).argmax(1).numpy()


def our_source(size, out, scale):
    """The same by the range rule; -1 for an output that is dropped."""
    scale = np.float32(out) / np.float32(size) if scale is None else np.float32(scale)
    source = np.full(out, -1, np.int64)
    low = [int(min(np.ceil(np.float32(i) * scale), out)) for i in range(size + 1)]
    for i in range(size):
        source[low[i]:low[i + 1]] = i
    return source


def upsample_backward(grad, size, output_size, scales):
    return torch.ops.aten.upsample_nearest3d_backward.default(grad, output_size, [*grad.shape[:2], *size], *scales)


def upsample_case(size, output_size, scales, why=""):
    """`scales` as our caller gives them: 0 for none. Cases where the two definitions disagree are kept if `why`."""
    global left_out
    for_torch = [scale if scale > 0 else None for scale in scales]
    for_us = for_torch if all(scale > 0 for scale in scales) else [None] * 3
    sources = [torch_source(size[axis], output_size[axis], for_torch[axis], axis) for axis in range(3)]
    agree = all(np.array_equal(sources[axis], our_source(size[axis], output_size[axis], for_us[axis]))
                for axis in range(3))
    if agree == bool(why):
        if why:
            print(f"{size} -> {output_size} {scales}: this PyTorch does not differ")
        return
    dtype = pick(torch.float32, torch.float16, torch.bfloat16, torch.float64)
    kind = pick("integers", "sixty-fourths", "large", "special")
    if dtype in (torch.float32, torch.float64) and rng.random() < 0.6:
        kind = "digits"
    if why:
        dtype, kind = torch.float32, "digits"
    compute = dtype if kind == "digits" else torch.float64
    lead = [int(rng.integers(1, 4)), int(rng.integers(1, 5))]
    grad = gradients((*lead, *output_size), kind, compute)
    result = upsample_backward(grad, size, output_size, for_torch)
    if kind == "digits":
        d, h, w = np.meshgrid(*sources, indexing="ij")
        flat = torch.from_numpy((d * size[1] + h) * size[2] + w).expand(*lead, *output_size)
        if not same_bits(result, sum_one_by_one(grad, flat, (*lead, *size), 3)):
            left_out += 1
            return
    flags = DIFFERS if why else 0
    tensors = [narrowed(grad, dtype), result.to(dtype)]
    if rng.random() < 0.25:
        flags |= CHANNELS_LAST
        tensors = [channels_last(tensor, True) for tensor in tensors]
    name = f"upsample3d {len(cases)} {dtype} {kind} {why}".strip()
    add_case(name, UPSAMPLE_3D, flags, [output_size, [*lead, *size]], scales, tensors)


def random_upsample():
    size = [int(rng.integers(1, 9)) for _ in range(3)]
    output_size = [pick(s, 2 * s, 3 * s, int(rng.integers(1, 13))) for s in size]
    scales = [0.0, 0.0, 0.0]
    if rng.random() < 0.3:
        scales = [pick(o / s, (o + 0.5) / s) for s, o in zip(size, output_size)]
    upsample_case(size, output_size, scales)


def repeat_until(count, make):
    wanted = len(cases) + count
    while len(cases) < wanted:
        make()


def write_cases(path):
    with open(path, "wb") as file:
        file.write(b"CAIRNGLD" + struct.pack("<II", 1, len(cases)))
        for case in cases:
            file.write(case)


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: make_golden.py OUTFILE")
    torch.manual_seed(0)
    torch.set_num_threads(1)
    repeat_until(90, lambda: pool_case(2))
    repeat_until(80, lambda: pool_case(3))
    repeat_until(50, unpool_case)
    repeat_until(70, random_upsample)
    upsample_case([1, 1, 2], [1, 1, 82], [0.0, 0.0, 0.0], "range rule: output 41 of 82 goes to input 1")
    upsample_case([1, 1, 26], [1, 1, 31], [1.0, 1.0, 1.2], "range rule: output 30 goes to input 24 with scale 1.2")
    upsample_case([1, 1, 4], [1, 1, 8], [1.0, 1.0, 1.5], "range rule: outputs 6 and 7 are dropped")
    upsample_case([2, 2, 7], [2, 2, 7], [1.0, 1.0, 1.065], "range rule: equal sizes are no identity")
    upsample_case([4, 2, 2], [6, 4, 4], [1.2, 0.0, 0.0], "all or nothing: one scale is ignored")
    upsample_case([3, 3, 3], [7, 7, 7], [2.0, 2.0, -1.0], "all or nothing: two scales are ignored")
    write_cases(sys.argv[1])
    print(f"PyTorch {torch.__version__}: {len(cases)} cases, {left_out} left out because PyTorch adds in another order")


if __name__ == "__main__":
    main()
