"""Time against threads and size: ./cairn python bench/threads.py --threads 1,2,4,8,16 --largest 1e8 --json threads.json

A call is phase 2 and synchronise with a plan that is there, on the calling thread's stream as Python has it, of tensors
that were written before. Every number of threads has a process of its own, and they take turns, so that a busy moment
hits all of them. The figure is the best of the rounds' medians. --after-torch has PyTorch compute something right before
each call, which is not timed: its threads are still spinning then. --pools own,auto compares CAIRN_POOL's.

A number in *italics* is more than 10 % above that of fewer threads."""

import argparse
import json
import os
import statistics
import subprocess
import sys
import time

import numpy as np

SECONDS = 0.1  # for one round of one point


def shapes(elements):
    """Planes of 32 x 32 x 32, or of their share of a small total, as many as it takes; and the same pooled."""
    side = min(max(round(elements ** (1 / 3)) // 2 * 2, 2), 32)
    planes = max(1, elements // side**3)
    return (1, planes, side, side, side), (1, planes, *(side // 2,) * 3)


def flat_places(large, small):
    """The index of every window's last cell, as a pooling of ascending numbers has them."""
    d, h, w = (np.arange(n) * 2 + 1 for n in small[2:])
    plane = (d[:, None, None] * large[3] + h[:, None]) * large[4] + w
    return np.broadcast_to(plane, small)


def make_call(operator, elements):
    """The operator's call over fresh tensors, and the bytes it moves."""
    from cairn import _call
    from cairn import _operators as ops
    from cairn import _unpooling as unpooling

    large_shape, small_shape = (((1, 2, 128, 128, 128), (1, 2, 64, 64, 64)) if elements == 0 else shapes(elements))
    large, small = np.ones(large_shape, np.float32), np.ones(small_shape, np.float32)
    window = ((2, 2, 2), (2, 2, 2), (0, 0, 0), (1, 1, 1), False)
    places = np.ascontiguousarray(flat_places(large_shape, small_shape), np.int64 if operator == "unpool" else np.int32)
    if operator == "pool":
        arrays, values, entry = (large, small, places), window, ops._POOL[3]
    elif operator == "pool backward":
        arrays, values, entry = (small, large, places, np.empty_like(large)), window, ops._POOL_BACKWARD[3]
    else:
        arrays, values, entry = (small, places, large), (large_shape[2:], (1, 1, 1), (0, 0, 0)), unpooling._UNPOOL[3]
    views = [ops._read(array, "array") for array in arrays]
    plan = _call.Plan(entry, [view.signature for view in views], values)
    stream = _call._stream(_call.CPU, None)

    def call():
        return plan.run("cairnCompute", views, stream, None)

    if call():
        raise SystemExit(f"{operator} of {elements} elements is refused")
    moved = large.nbytes + small.nbytes + places.nbytes
    return call, moved, arrays


def serve(after_torch):
    """A worker: a line with operator and size comes in, a line with seconds and bytes goes out."""
    before = None
    if after_torch:
        import torch

        a, b = torch.ones(5_000_000), torch.empty(5_000_000)

        def before():
            torch.add(a, 1, out=b)

    for line in sys.stdin:
        operator, elements = json.loads(line)
        call, moved, keep = make_call(operator, elements)
        samples, end = [], time.perf_counter() + SECONDS
        while len(samples) < 5 or time.perf_counter() < end:
            if before is not None:
                before()
            begin = time.perf_counter()
            call()
            samples.append(time.perf_counter() - begin)
        del call, keep
        print(json.dumps([statistics.median(samples), moved]), flush=True)


class Worker:
    def __init__(self, threads, pool, after_torch):
        self.threads, self.pool = threads, pool
        environment = {**os.environ, "CAIRN_DEVICE": "cpu", "CAIRN_THREADS": str(threads), "CAIRN_POOL": pool}
        if after_torch:
            environment["OMP_NUM_THREADS"] = str(threads)
        words = [sys.executable, __file__, "--serve", *(["--after-torch"] if after_torch else [])]
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
        self.process = subprocess.Popen(words, env=environment, text=True, **pipes)

    def measure(self, operator, elements):
        self.process.stdin.write(json.dumps([operator, elements]) + "\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())


def cell(times, k):
    text = f"{times[k] * 1e6:.1f}"
    return f"*{text}*" if times[k] > 1.1 * min(times[: k + 1]) else text


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--threads", default=",".join(str(2**k) for k in range(os.cpu_count().bit_length())))
    parser.add_argument("--smallest", type=float, default=1e2)
    parser.add_argument("--largest", type=float, default=1e7)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--pools", default="auto")
    parser.add_argument("--after-torch", action="store_true")
    parser.add_argument("--json")
    parser.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.serve:
        return serve(options.after_torch)
    sizes = [10**k for k in range(2, 10) if options.smallest <= 10**k <= options.largest]
    points = [(operator, size) for operator in ("pool", "pool backward", "unpool") for size in sizes] + [("unpool", 0)]
    results = []
    for pool in options.pools.split(","):
        workers = [Worker(int(n), pool, options.after_torch) for n in options.threads.split(",")]
        print(f"\npool {pool}{', after a torch operator' if options.after_torch else ''}; microseconds, GB/s of the last\n")
        print("| operator | elements |", " | ".join(str(worker.threads) for worker in workers), "| GB/s |")
        print("|---" * (len(workers) + 3) + "|")
        for operator, size in points:
            rounds = [[worker.measure(operator, size) for worker in workers] for _ in range(options.rounds)]
            times = [min(column[0] for column in each) for each in zip(*rounds)]
            moved = rounds[0][0][1]
            cells = " | ".join(cell(times, k) for k in range(len(times)))
            print(f"| {operator} | {size or 'u3-segnet'} | {cells} | {moved / times[-1] / 1e9:.1f} |", flush=True)
            for worker, seconds in zip(workers, times):
                entry = {"pool": pool, "operator": operator, "elements": size, "bytes": moved}
                results.append({**entry, "threads": worker.threads, "microseconds": seconds * 1e6})
        for worker in workers:
            worker.process.stdin.close()
            worker.process.wait()
    if options.json:
        with open(options.json, "w", encoding="utf-8") as file:
            json.dump(results, file, indent=1)
    return 0


sys.exit(main())
