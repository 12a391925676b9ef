#!/usr/bin/env python3
"""Computes the golden cases of the forward operators, and of steps forward and back, with PyTorch.

    python3 tests/golden/make_golden_forward.py tests/golden/forward.bin

The committed file comes from PyTorch 2.11 with CUDA; golden_test.cpp checks it bit for bit. Pooling and unpooling are
computed on the CPU, by one thread. Upsampling is computed on the GPU, whose rules (floor forward, ranges backward)
are the ones we define. Gradients are multiples of 2^-6, so that their sums are exact in any order.

Every result is compared here with a plain computation by our definition. A case that differs is left out, and
printed: some with NaNs, to which PyTorch's conversions to half types give bits of their own. Windows that dilation
leads around the plane are left out before: PyTorch gives them no index that could be compared.

File format: as make_golden.py has it, with these operators and tensors
  4 MaxPool2dWithIndices, 5 MaxPool3dWithArgmax   self; out, indices
  6 MaxUnpool3d                                   self, indices; outRef
  7 UpsampleNearest3d                             self; out
  8 and 9, pooling (2D, 3D) and its gradient      self, gradOutput; out, indices, gradInput
  10 max_unpool3d(max_pool3d(self))               self, gradOutRef; outRef, gradInput
  11 upsampling and its gradient                  self, gradOut; out, gradInput
and the arrays kernelSize, stride, padding, dilation (pooling, 10), outputSize, stride, padding (6), outputSize (7, 11).
"""
import sys

import numpy as np
import torch
import torch.nn.functional as F

import make_golden as golden
from make_golden import CEIL, CHANNELS_LAST, add_case, any_bits, cases, channels_last, pick, repeat_until, rng, same_bits

POOL_2D, POOL_3D, UNPOOL_3D, UPSAMPLE_3D, POOL_2D_STEP, POOL_3D_STEP, UNPOOL_STEP, UPSAMPLE_STEP = range(4, 12)

left_out = []


def agree(name, theirs, ours):
    for theirs_one, ours_one in zip(theirs, ours):
        if same_bits(theirs_one, ours_one):
            continue
        flat = theirs_one.flatten(), ours_one.flatten()
        at = int((as_integers(flat[0]) != as_integers(flat[1])).nonzero()[0])
        left_out.append(f"{name}: element {at} is {flat[0][at].item()} for PyTorch, {flat[1][at].item()} for us")
        return False
    return True


def values(shape, dtype):
    """What pooling meets: digits, many ties, both zeros, infinities, NaNs."""
    kind = pick("digits", "relu", "ties", "special", "low")
    if kind == "digits":
        result = rng.standard_normal(shape)
    elif kind == "relu":
        result = np.maximum(rng.standard_normal(shape), 0)
    elif kind == "ties":
        result = rng.integers(-1, 2, shape) * pick(1.0, -1.0)
    elif kind == "special":
        result = rng.standard_normal(shape)
        choice = rng.random(shape)
        result[choice < 0.1] = np.nan
        result[(choice >= 0.1) & (choice < 0.2)] = np.inf
        result[(choice >= 0.2) & (choice < 0.4)] = -np.inf
        result[(choice >= 0.4) & (choice < 0.5)] = -0.0
    else:
        result = np.where(rng.random(shape) < 0.9, -np.inf, rng.standard_normal(shape))
    return kind, torch.from_numpy(np.asarray(result, np.float64)).to(dtype)


def our_pool(data, kernel, stride, padding, dilation, out_shape):
    """Taps in ascending order; one takes over if it is larger, or a NaN."""
    spatial = len(kernel)
    size = data.shape[-spatial:]
    planes = data.to(torch.float64).reshape(-1, *size).numpy()
    cells = out_shape[-spatial:]
    index = np.full((len(planes), *cells), -1, np.int64)
    for plane, result in zip(planes, index):
        for cell in np.ndindex(*cells):
            best = -np.inf
            for tap in np.ndindex(*kernel):
                at = tuple(c * s - p + t * d for c, s, p, t, d in zip(cell, stride, padding, tap, dilation))
                if any(a < 0 or a >= n for a, n in zip(at, size)):
                    continue
                if result[cell] < 0 or plane[at] > best or np.isnan(plane[at]):
                    best, result[cell] = plane[at], np.ravel_multi_index(at, size)
    index = torch.from_numpy(index).reshape(out_shape)
    flat = data.reshape(*data.shape[:-spatial], -1)
    return flat.gather(-1, index.reshape(*out_shape[:-spatial], -1)).reshape(out_shape), index


def pool_case(spatial):
    functional = F.max_pool2d if spatial == 2 else F.max_pool3d
    ceil_mode = bool(rng.integers(2))
    kernel = [int(rng.integers(1, 5)) for _ in range(spatial)]
    stride = kernel if rng.random() < 0.25 else [int(rng.integers(1, 5)) for _ in range(spatial)]
    padding = [int(rng.integers(0, k // 2 + 1)) if rng.random() < 0.5 else 0 for k in kernel]
    dilation = [int(rng.integers(1, 4)) for _ in range(spatial)] if rng.random() < 0.25 else [1] * spatial
    size = [int(rng.integers(1, (12 if spatial == 2 else 6) + 1)) for _ in range(spatial)]
    reach = [d * (k - 1) + 1 for d, k in zip(dilation, kernel)]
    if any(r > s + 2 * p for r, s, p in zip(reach, size, padding)):
        return
    # A dilated window may step over a short input; only our forward has an answer (-1) to that.
    if any(d > 1 and s < r for d, s, r in zip(dilation, size, reach)):
        return
    batch = [int(rng.integers(1, 3))] if rng.random() < 0.8 else []
    dtype = pick(torch.float32, torch.float16, torch.bfloat16)
    kind, data = values(batch + [int(rng.integers(1, 4))] + size, dtype)
    out, indices = functional(data.float(), kernel, stride, padding, dilation, ceil_mode, return_indices=True)
    name = f"pool{spatial}d {len(cases)} {dtype} {kind}"
    if not agree(name, [out.to(dtype), indices], our_pool(data, kernel, stride, padding, dilation, list(out.shape))):
        return
    flags = CEIL if ceil_mode else 0
    tensors = [data, out.to(dtype), indices.to(pick(torch.int32, torch.int64))]
    if rng.random() < 0.25:
        flags |= CHANNELS_LAST
        tensors = [channels_last(tensor, bool(batch)) for tensor in tensors]
    add_case(name, POOL_2D if spatial == 2 else POOL_3D, flags, [kernel, stride, padding, dilation], [0, 0, 0], tensors)


def as_integers(tensor):
    return tensor.view({1: torch.uint8, 2: torch.int16, 4: torch.int32, 8: torch.int64}[tensor.element_size()])


def unpool_case():
    """FLOAT and DOUBLE with F.max_unpool3d; the others as what it does, a scatter into zeros."""
    dtype = pick(torch.float32, torch.float32, torch.float16, torch.bfloat16, torch.float64, torch.int8, torch.uint8,
                 torch.int16, torch.int32, torch.int64)
    output_size = [int(rng.integers(1, 8)) for _ in range(3)]
    size = [int(rng.integers(1, o + 1)) for o in output_size]
    lead = [int(rng.integers(1, 4)), int(rng.integers(1, 4))][:pick(1, 2, 2)]
    data = any_bits((*lead, *size), dtype)
    count, cells = int(np.prod(size)), int(np.prod(output_size))
    planes = int(np.prod(lead))
    if rng.random() < 0.5:
        kind = "duplicates"
        index = rng.integers(0, cells, (planes, count))
    else:
        kind = "distinct"
        index = np.stack([rng.permutation(cells)[:count] for _ in range(planes)])
    ours = torch.zeros(planes, cells, dtype=as_integers(data).dtype)
    flat = as_integers(data).reshape(planes, count)
    for plane in range(planes):
        for position in range(count):
            ours[plane, index[plane, position]] = flat[plane, position]
    index = torch.from_numpy(index)
    if dtype in (torch.float32, torch.float64) and len(lead) == 2:
        theirs = torch.ops.aten.max_unpool3d.default(data, index.reshape(*lead, *size), output_size, [1] * 3, [0] * 3)
        theirs = as_integers(theirs.contiguous())
    else:
        theirs = torch.zeros_like(ours).scatter_(1, index, flat)
    name = f"unpool3d {len(cases)} {dtype} {kind}"
    if not agree(name, [theirs.reshape(ours.shape)], [ours]):
        return
    add_case(name, UNPOOL_3D, 0, [output_size, [1, 2, 3], [0, 1, 2]], [0, 0, 0],
             [data, index.reshape(*lead, *size).to(pick(torch.int32, torch.int64)),
              theirs.reshape(*lead, *output_size).view(dtype)])


def our_source(size, out, scale):
    step = np.float32(1.0 / scale) if scale > 0 else np.float32(size) / np.float32(out)
    return np.minimum(np.floor(np.arange(out, dtype=np.float32) * step).astype(np.int64), size - 1)


def our_upsample(data, output_size, scales):
    for axis in range(3):
        source = torch.from_numpy(our_source(data.shape[2 + axis], output_size[axis], scales[axis]))
        data = data.index_select(2 + axis, source)
    return data


def on_gpu(data, output_size, scales):
    given = [scale if scale > 0 else None for scale in scales]
    return torch.ops.aten.upsample_nearest3d.default(data.cuda(), output_size, *given)


def upsample_case():
    size = [int(rng.integers(1, 7)) for _ in range(3)]
    output_size = [pick(s, 2 * s, 3 * s, int(rng.integers(1, 11))) for s in size]
    if rng.random() < 0.1:
        size, output_size = [1, 2, 2], [1, 3, pick(82, 94, 110)]  # where float products are not exact ones
    scales = [0.0, 0.0, 0.0]
    if rng.random() < 0.4:
        scales = [pick(o / s, (o + 0.5) / s, 1.7 * o / s) for s, o in zip(size, output_size)]
    dtype = pick(torch.float32, torch.float16, torch.bfloat16, torch.float64, torch.uint8)
    data = any_bits((int(rng.integers(1, 3)), int(rng.integers(1, 4)), *size), dtype)
    name = f"upsample3d {len(cases)} {dtype}{' scales' if scales[0] else ''}"
    result = on_gpu(data, output_size, scales).cpu()
    if not agree(name, [result], [our_upsample(data, output_size, scales)]):
        return
    flags, tensors = 0, [data, result]
    if rng.random() < 0.25:
        flags = CHANNELS_LAST
        tensors = [channels_last(tensor, True) for tensor in tensors]
    add_case(name, UPSAMPLE_3D, flags, [output_size], scales, tensors)


def sixty_fourths(shape):
    return torch.from_numpy(rng.integers(-128, 129, shape) / 64.0).float()


def pool_step(name, shape, kernel, stride, padding, dtype):
    """The data of a network after a ReLU: zeros everywhere, and each window has ties."""
    spatial = len(shape) - 2
    data = torch.from_numpy(np.maximum(rng.standard_normal(shape), 0)).to(dtype).float().requires_grad_()
    functional = F.max_pool2d if spatial == 2 else F.max_pool3d
    out, indices = functional(data, kernel, stride, padding, return_indices=True)
    grad = sixty_fourths(tuple(out.shape))
    out.backward(grad)
    add_case(f"step: {name} {dtype}", POOL_2D_STEP if spatial == 2 else POOL_3D_STEP, 0,
             [kernel, stride, padding, [1] * spatial], [0, 0, 0],
             [data.detach().to(dtype), grad.to(dtype), out.detach().to(dtype), indices.to(torch.int32),
              data.grad.to(dtype)])


def unpool_step(name, shape, kernel, dtype):
    data = torch.from_numpy(rng.standard_normal(shape)).to(dtype).requires_grad_()
    out, indices = F.max_pool3d(data, kernel, kernel, return_indices=True)
    unpooled = F.max_unpool3d(out, indices, kernel, kernel, 0, shape[2:])
    grad = sixty_fourths(shape).to(dtype)
    unpooled.backward(grad)
    add_case(f"step: {name} {dtype}", UNPOOL_STEP, 0, [kernel, kernel, [0] * 3, [1] * 3], [0, 0, 0],
             [data.detach(), grad, unpooled.detach(), data.grad])


def upsample_step(name, shape, output_size, scales, dtype):
    data = torch.from_numpy(rng.standard_normal(shape)).to(dtype).cuda().requires_grad_()
    out = torch.ops.aten.upsample_nearest3d.default(data, output_size, *[s if s > 0 else None for s in scales])
    grad = sixty_fourths(tuple(out.shape)).to(dtype)
    out.backward(grad.cuda())
    add_case(f"step: {name} {dtype}", UPSAMPLE_STEP, 0, [output_size], scales,
             [data.detach().cpu(), grad, out.detach().cpu(), data.grad.cpu()])


def steps():
    for dtype in (torch.float32, torch.float16, torch.bfloat16):
        pool_step("unet3d", (1, 2, 8, 8, 16), [2, 2, 2], [2, 2, 2], [0, 0, 0], dtype)
        pool_step("video", (1, 2, 2, 14, 28), [1, 3, 3], [1, 2, 2], [0, 1, 1], dtype)
        pool_step("i3d", (1, 2, 4, 7, 14), [3, 3, 3], [1, 1, 1], [1, 1, 1], dtype)
        pool_step("resnet3d", (1, 2, 4, 14, 28), [3, 3, 3], [2, 2, 2], [1, 1, 1], dtype)
        pool_step("resnet", (2, 3, 28, 28), [3, 3], [2, 2], [1, 1], dtype)
        pool_step("vgg", (2, 3, 16, 32), [2, 2], [2, 2], [0, 0], dtype)
        pool_step("sppf", (1, 5, 10, 20), [5, 5], [1, 1], [2, 2], dtype)
        upsample_step("unet3d up", (1, 2, 4, 4, 8), [8, 8, 16], [2.0, 2.0, 2.0], dtype)
        upsample_step("vae up", (1, 2, 3, 8, 10), [3, 16, 20], [1.0, 2.0, 2.0], dtype)
        upsample_step("odd", (1, 2, 5, 6, 7), [13, 13, 13], [0.0, 0.0, 0.0], dtype)
    for dtype in (torch.float32, torch.float64):
        if dtype == torch.float32:
            unpool_step("segmentation", (1, 2, 8, 8, 16), [2, 2, 2], dtype)
            unpool_step("segmentation of frames", (2, 3, 2, 12, 12), [1, 2, 2], dtype)
        upsample_step("forward and backward disagree", (1, 1, 1, 1, 2), [1, 1, 82], [0.0, 0.0, 0.0], dtype)


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: make_golden_forward.py OUTFILE")
    torch.set_num_threads(1)
    repeat_until(70, lambda: pool_case(2))
    repeat_until(60, lambda: pool_case(3))
    repeat_until(60, unpool_case)
    repeat_until(70, upsample_case)
    steps()
    golden.write_cases(sys.argv[1])
    print(f"PyTorch {torch.__version__}: {len(cases)} cases, {len(left_out)} left out because PyTorch differs:")
    for name in left_out:
        print(" ", name)


if __name__ == "__main__":
    main()
