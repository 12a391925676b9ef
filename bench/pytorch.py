#!/usr/bin/env python3
"""Times Cairn and PyTorch on PyTorch's own tensors, in turn in one process, beside the device's copy bandwidth.

    ./cairn python bench/pytorch.py [--device cuda] [--quick] [--filter REGEX] [--json F] [--markdown F] [--plot F]

Both write into outputs that are there already. Cairn is called through the C API, both phases at every call. On CUDA
the time is that of events around each call, with the cache emptied of the operands before it; on the CPU a clock's.
Every result of ours is compared with PyTorch's before it is timed.
"""

import argparse
import math
import os
import re
import statistics
import sys
import time
from typing import Any, Callable, Dict, List, Tuple

import pytorch_pages as pages
import torch
from pytorch_cases import HALVES, POOL2, POOL3, UNPOOL, UNPOOLS, UPSAMPLE, VALUES, Case, Contest, Ours, Workload
from pytorch_cases import bytes_of, cases, prepare
from pytorch_pages import Row

import cairn


def goal(device: str, row: Case) -> float:
    """The share of the copy bandwidth that we reach for, as `cairn bench` has it."""
    cuda, forward = device == "cuda", row.direction == "forward"
    if row.work.goal in ("doubling", "filtering"):
        return (0.8 if cuda and row.dtype == "FLOAT" else 0.6) if row.work.goal == "doubling" else 0.5
    if row.work.goal == "heavy":
        return 0.6 if cuda else 0.5
    if row.work.is_mean():
        return (0.85 if cuda else 0.7) if row.work.goal == "overlap" else (0.9 if cuda else 0.8)
    if row.work.goal == "overlap":
        return (0.75 if cuda else 0.6) if forward else (0.85 if cuda else 0.7)
    if forward:
        pools = row.work.operator in (POOL2, POOL3, VALUES)
        return (0.85 if cuda else 0.8) if pools else (0.9 if cuda else 0.85)
    return 0.9 if cuda else 0.8


class Timer:
    """Milliseconds of one run after another."""

    def __init__(self, device: str):
        self.cuda = device == "cuda"
        # Reading this much leaves nothing of the operands in the L2 cache, and nothing that must still be written.
        self.other = torch.zeros(2**25, dtype=torch.int64, device=device) if self.cuda else None

    def race(self, contestants: Dict[str, Callable], repetitions: int, seconds: float) -> Dict[str, List[float]]:
        for run in contestants.values():
            run()
        samples: Dict[str, list] = {name: [] for name in contestants}
        names, begin = list(contestants), time.perf_counter()
        for turn in range(repetitions):
            if turn >= 5 and time.perf_counter() - begin > seconds:
                break
            for name in names[turn % len(names) :] + names[: turn % len(names)]:
                samples[name].append(self.sample(contestants[name]))
        if not self.cuda:
            return samples
        torch.cuda.synchronize()
        return {name: [a.elapsed_time(b) for a, b in pairs] for name, pairs in samples.items()}

    def sample(self, run: Callable) -> Any:
        if not self.cuda:
            start = time.perf_counter()
            run()
            return (time.perf_counter() - start) * 1e3
        self.other.sum()
        start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        start.record()
        run()
        end.record()
        return start, end


def same(row: Case, contest: Contest) -> None:
    """A wrong result is not worth timing. PyTorch adds in any order, and in half types rounds at every addition."""
    additions = 27 if row.work.is_upsample() else 1
    if row.work.is_filtered():
        additions = 1000  # it also rounds positions to float, which shifts weights along a long axis
    if row.work.is_adaptive():
        additions = 8  # windows overlap by one cell along an axis
    for kernel, stride in zip(*row.work.window[:2]):
        additions *= -(-kernel // stride)
    rounding = {"FLOAT": 2**-23, "FLOAT16": 2**-10, "BF16": 2**-7}.get(row.dtype, 0)
    for ours, theirs in contest.results():
        # Sizes whose ratio is no whole number are another definition in PyTorch on the CPU.
        if row.work.id in ("n3-odd", "n2-odd") and row.direction == "backward" and ours.device.type == "cpu":
            continue
        # Equal values are many in half types, and which of them is the largest is everybody's own choice.
        if row.dtype in ("FLOAT16", "BF16") and not ours.is_floating_point():
            continue
        ours, theirs = ours.double(), theirs.double()
        summed = (row.direction == "backward" or row.work.is_filtered()) and row.work.operator not in UNPOOLS
        close = rounding * additions * theirs.abs().max().item() if summed else 0
        if row.work.is_mean() and row.direction == "forward":
            close = rounding * 16  # of the terms, whose mean may be much smaller than they
        if not torch.allclose(ours, theirs, rtol=0, atol=close):
            raise SystemExit(f"{row.label()}: ours differs from PyTorch's by {(ours - theirs).abs().max().item()}")


def measure(row: Case, timer: Timer, copy: Tuple[torch.Tensor, torch.Tensor], options: argparse.Namespace) -> Row:
    device = options.device
    contest = prepare(row, device)
    contest.ours()
    # A small tensor is moved slower than a large one, whoever moves it.
    part = min(contest.bytes // 32 * 16, copy[0].numel())
    contestants = {
        "copy": lambda: copy[0].copy_(copy[1]),
        "copy as large": lambda: copy[0][:part].copy_(copy[1][:part]),
        "cairn": contest.ours,
    }
    try:
        contest.theirs()
        same(row, contest)
        contestants["pytorch"] = contest.theirs
    except RuntimeError as error:  # a type that PyTorch lacks on this device
        print(f"{row.label()}: PyTorch: {str(error).splitlines()[0]}", file=sys.stderr)
    samples = timer.race(contestants, *options.effort)
    ms = {name: statistics.median(values) for name, values in samples.items()}
    ordered = sorted(samples["cairn"])
    spread = (ordered[int(0.9 * len(ordered))] - ordered[int(0.1 * len(ordered))]) / ms["cairn"]
    gbps = contest.bytes / ms["cairn"] * 1e-6
    copy_gbps = 2 * bytes_of(copy[0]) / ms["copy"] * 1e-6
    elements = math.prod(row.work.batch) * math.prod(row.work.size)
    peers = {"pytorch": ms["pytorch"]} if "pytorch" in ms else {}
    names = (row.work.id, row.work.operator, row.direction, row.dtype, row.index_dtype, row.layout, device)
    share_of_equal = gbps / (2 * part / ms["copy as large"] * 1e-6)
    figures = (elements, contest.bytes, ms["cairn"], spread, gbps, copy_gbps, gbps / copy_gbps, share_of_equal)
    return Row(*names, *figures, None if options.quick else goal(device, row), peers)


def growth(timer: Timer, options: argparse.Namespace) -> List[dict]:
    """From ten thousand elements on: planes of 32 x 32 x 32 (or what there is), as many as it takes."""
    points = []
    for operator in (POOL3, UNPOOL, UPSAMPLE):
        elements = 10**4
        while elements <= options.largest:
            side = min(32, max(2, round(elements ** (1 / 3)) // 2 * 2))
            big, small, batch = (side,) * 3, (side // 2,) * 3, (1, max(1, elements // side**3))
            work = Workload(operator, operator, "streaming", batch, big, HALVES)
            if operator != POOL3:
                work = Workload(operator, operator, "streaming", batch, small, HALVES, out=big)
            index = {POOL3: "INT32", UNPOOL: "INT64"}.get(operator, "-")
            contest = prepare(Case(work, "backward", "FLOAT", index, "NCDHW"), options.device)
            samples = timer.race({"cairn": contest.ours, "pytorch": contest.theirs}, *options.effort)
            ms = {name: statistics.median(values) for name, values in samples.items()}
            points.append({
                "id": f"{operator}Backward FLOAT", "elements": batch[1] * side**3, "ms": ms["cairn"],
                "gbps": contest.bytes / ms["cairn"] * 1e-6, "peers": {"pytorch": ms["pytorch"]},
            })  # fmt: skip
            elements *= 10
    return points


def host_microseconds(device: str) -> Dict[str, float]:
    """What one call of a tiny tensor costs the thread that makes it."""
    x, g = torch.zeros(1, 1, 2, 2, 2, device=device), torch.ones(1, 1, 1, 1, 1, device=device)
    where, out = torch.zeros(1, 1, 1, 1, 1, dtype=torch.int64, device=device), torch.empty_like(x)
    w = ((2,) * 3, (2,) * 3, (0,) * 3, (1,) * 3, False)
    runs = {
        "C API, both phases": Ours("aclnnMaxPool3dWithArgmaxBackward", "tttaaaabt", [g, x, where, out], w),
        "cairn.max_pool3d_with_argmax_backward": lambda: cairn.max_pool3d_with_argmax_backward(g, x, where, 2, out=out),
        "pytorch": lambda: torch.ops.aten.max_pool3d_with_indices_backward.grad_input(g, x, *w, where, grad_input=out),
    }
    result = {}
    for name, run in runs.items():
        best = math.inf
        for _ in range(5):
            if device == "cuda":
                torch.cuda.synchronize()
            start = time.perf_counter()
            for _ in range(200):
                run()
            best = min(best, (time.perf_counter() - start) / 200)
        result[name] = best * 1e6
    return result


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", choices=("cuda", "cpu"), default="cuda" if torch.cuda.is_available() else "cpu")
    parser.add_argument("--filter", default="", help="only rows whose 'id dtype layout indices direction' this matches")
    parser.add_argument(
        "--quick",
        action="store_true",
        help="an eighth of the planes, fewer repetitions, no goals: on a large GPU too short to judge",
    )
    parser.add_argument("--fraction", type=float, help="share of each workload's planes (cuda: 1, cpu: 0.25)")
    parser.add_argument("--rows-only", action="store_true", help="leave out growth and the cost of a call")
    parser.add_argument("--list", action="store_true", help="print the rows and their shapes, and stop")
    for name in ("json", "markdown", "plot"):
        parser.add_argument(f"--{name}", metavar="FILE")
    options = parser.parse_args()
    options.effort = (7, 0.4) if options.quick else (21, 3.0)
    options.largest = 10**7 if options.quick else 10**9 if options.device == "cuda" else 10**8
    fraction = options.fraction or (1.0 if options.device == "cuda" else 0.25)
    try:
        rows = cases(options.filter, options.quick, fraction)
    except re.error as error:
        parser.error(f'--filter: "{options.filter}" is no regular expression: {error}')
    if not rows:
        parser.error(f'no row matches --filter "{options.filter}"; --list prints them all')
    if options.list:
        widest = max(len(row.label()) for row in rows)
        print("\n".join(f"{row.label():{widest}}  {row.shape()}" for row in rows))
        return 0
    torch.set_num_threads(len(os.sched_getaffinity(0)))  # what Cairn uses too
    timer = Timer(options.device)
    copy = tuple(torch.zeros(2**29 if options.device == "cuda" else 2**27, dtype=torch.uint8, device=options.device)
                 for _ in range(2))  # fmt: skip
    report: Dict[str, Any] = {"machine": machine(options.device), "device": options.device}
    report.update(threads=torch.get_num_threads(), copy_gbps=0.0, rows=[], growth=[], host_us={})
    done: List[Row] = report["rows"]
    for number, row in enumerate(rows):
        place = f"[{number + 1}/{len(rows)}] {row.label()}"
        try:
            done.append(measure(row, timer, copy, options))
        except cairn.CairnError as error:
            print(f"{place}: {error}", file=sys.stderr, flush=True)
            continue
        report["copy_gbps"] = statistics.median(row.copy_gbps for row in done)
        pages.write(report, options)
        print(f"{place}: {pages.figures(done[-1])}", file=sys.stderr, flush=True)
    if not options.rows_only:
        report.update(growth=growth(timer, options), host_us=host_microseconds(options.device))
    pages.print_table(report)
    pages.write(report, options, complete=True)
    return 0


def machine(device: str) -> str:
    if device == "cuda":
        return f"{torch.cuda.get_device_name()}, PyTorch {torch.__version__}"
    return f"CPU with {torch.get_num_threads()} threads, PyTorch {torch.__version__}"


if __name__ == "__main__":
    sys.exit(main())
