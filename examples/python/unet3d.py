"""Trains a small 3D U-Net on random data, with torch.nn's layers and with Cairn's, and compares the two.

    ./cairn python examples/python/unet3d.py [--device cuda] [--amp] [--channels-last] [--size 64] [--steps 20]
        [--upsample trilinear] [--down convolution]

Both start from the same weights and see the same data. Each is trained twice: with Cairn, in PyTorch's deterministic
mode, the second run repeats the first bit for bit. PyTorch has no deterministic gradient of max pooling in 3D on a GPU;
with `--down convolution` there is none in the network, and its deterministic mode is timed as well.
"""

import argparse
import copy
import hashlib
import os
import statistics
import time

os.environ.setdefault("CUBLAS_WORKSPACE_CONFIG", ":4096:8")  # what deterministic mode asks of cuBLAS

import torch  # noqa: E402
from torch import nn  # noqa: E402

import cairn.torch  # noqa: E402


def block(inputs, outputs):
    convolutions = []
    for channels in (inputs, outputs):
        convolutions += [nn.Conv3d(channels, outputs, 3, padding=1), nn.GroupNorm(4, outputs), nn.ReLU()]
    return nn.Sequential(*convolutions)


class UNet(nn.Module):
    def __init__(self, width, upsample, down, levels=3):
        super().__init__()
        widths = [width * 2**level for level in range(levels + 1)]
        self.down = nn.ModuleList(block(a, b) for a, b in zip([1, *widths[:-2]], widths[:-1]))
        self.bottom = block(widths[-2], widths[-1])
        self.up = nn.ModuleList(block(a + b, b) for a, b in zip(widths[:0:-1], widths[-2::-1]))
        pools = (
            nn.Conv3d(each, each, 3, stride=2, padding=1) if down == "convolution" else nn.MaxPool3d(3, stride=2, padding=1)
            for each in widths[:-1]
        )
        self.pools = nn.ModuleList(pools)
        self.upsample = nn.Upsample(scale_factor=2, mode=upsample)
        self.head = nn.Conv3d(width, 1, 1)

    def forward(self, x):
        kept = []
        for stage, pool in zip(self.down, self.pools):
            kept.append(stage(x))
            x = pool(kept[-1])
        x = self.bottom(x)
        for stage in self.up:
            x = stage(torch.cat([self.upsample(x), kept.pop()], 1))
        return self.head(x)


def data(options):
    generator = torch.Generator().manual_seed(1)
    shape = (options.batch, 1, *[options.size] * 3)
    images = torch.randn(shape, generator=generator).to(options.device)
    labels = (images > 0.5).float()
    if options.channels_last:
        images = images.contiguous(memory_format=torch.channels_last_3d)
    return images, labels


def train(model, images, labels, options):
    """The loss of every step, milliseconds a step, and a fingerprint of the weights at the end."""
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
    kind = images.device.type
    wait = torch.cuda.synchronize if kind == "cuda" else lambda: None
    losses, times = [], []
    for _ in range(options.steps):
        wait()
        start = time.perf_counter()
        optimizer.zero_grad(set_to_none=True)
        with torch.autocast(kind, dtype=torch.bfloat16, enabled=options.amp):
            loss = nn.functional.binary_cross_entropy_with_logits(model(images).float(), labels)
        loss.backward()
        optimizer.step()
        wait()
        times.append((time.perf_counter() - start) * 1e3)
        losses.append(loss.item())
    weights = b"".join(parameter.detach().cpu().numpy().tobytes() for parameter in model.parameters())
    return losses, statistics.median(times[options.steps // 5 :]), hashlib.sha256(weights).hexdigest()[:16]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    parser.add_argument("--steps", type=int, default=20)
    parser.add_argument("--size", type=int, default=64)
    parser.add_argument("--batch", type=int, default=2)
    parser.add_argument("--width", type=int, default=16)
    parser.add_argument("--amp", action="store_true", help="autocast to bfloat16")
    parser.add_argument("--channels-last", action="store_true")
    parser.add_argument("--upsample", choices=("nearest", "trilinear"), default="nearest")
    parser.add_argument("--down", choices=("pool", "convolution"), default="pool")
    options = parser.parse_args()

    torch.manual_seed(0)
    torch.backends.cudnn.deterministic = True  # what differs from run to run is then the layers compared here
    original = UNet(options.width, options.upsample, options.down).to(options.device)
    if options.channels_last:
        original = original.to(memory_format=torch.channels_last_3d)
    images, labels = data(options)

    theirs = [train(copy.deepcopy(original), images, labels, options) for _ in range(2)]
    torch.use_deterministic_algorithms(True)
    if hasattr(torch.utils, "deterministic"):  # it would fill every new tensor before it is written
        torch.utils.deterministic.fill_uninitialized_memory = False
    try:
        runs = [train(copy.deepcopy(original), images, labels, options) for _ in range(2)]
        refusal = f"takes {min(run[1] for run in runs):.2f} ms a step"
    except RuntimeError as error:
        refusal = f"refuses: {str(error).split('.')[0]}"
    ours = [train(cairn.torch.replace(copy.deepcopy(original)), images, labels, options) for _ in range(2)]

    print("step  torch.nn     cairn        difference")
    for step, (a, b) in enumerate(zip(theirs[0][0], ours[0][0])):
        print(f"{step:4d}  {a:.9f}  {b:.9f}  {abs(a - b):.1e}")
    for name, runs in (("torch.nn", theirs), ("cairn", ours)):
        again = "the same bits" if runs[0][0] == runs[1][0] and runs[0][2] == runs[1][2] else "other bits"
        weights = " and ".join(run[2] for run in runs)
        print(f"{name}: {min(run[1] for run in runs):.2f} ms a step; run twice: {again} (weights {weights})")
    print(f"torch.nn in deterministic mode {refusal}")
    worst = max(abs(a - b) for a, b in zip(theirs[0][0], ours[0][0]))
    print(f"largest difference of the losses over {options.steps} steps: {worst:.1e}")
    return 0 if ours[0][0] == ours[1][0] and ours[0][2] == ours[1][2] else 1


if __name__ == "__main__":
    raise SystemExit(main())
