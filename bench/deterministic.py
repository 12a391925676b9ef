#!/usr/bin/env python3
"""Gradients on a GPU beside both of PyTorch's modes: as it comes, and deterministic.

    ./cairn python bench/deterministic.py [--filter REGEX] [--markdown FILE]

PyTorch is used as programs use it, through autograd; only the gradient is timed. Its bits are said to vary where ten runs
did not all give the same. Memory is the peak of a call beyond the tensors that were there before, gradients included.
"""

import argparse
import re
import statistics
import sys
from typing import Callable, List, Optional, Tuple

import torch
import torch.nn.functional as F
from pytorch import Timer
from pytorch_cases import Case, Workload, cases, prepare

RUNS = 10
MODES = {"Linear": "linear", "Bilinear": "bilinear", "Trilinear": "trilinear", "Bicubic": "bicubic"}


def forward_of(work: Workload) -> Optional[Callable[[torch.Tensor], torch.Tensor]]:
    """The function of torch.nn.functional that a program has instead."""
    spatial, name = len(work.size), work.operator
    if work.is_filtered():
        mode = next(MODES[part] for part in MODES if name.startswith(f"Upsample{part}"))
        antialias = name.endswith("AA")
        return lambda x: F.interpolate(x, work.out, mode=mode, align_corners=False, antialias=antialias)
    if work.is_adaptive():
        kind = "avg" if work.is_mean() else "max"
        return lambda x: getattr(F, f"adaptive_{kind}_pool{spatial}d")(x, work.out)
    if work.is_mean():
        return lambda x: getattr(F, f"avg_pool{spatial}d")(x, *work.window)
    return None


def peak_mib(run: Callable[[], object]) -> float:
    torch.cuda.synchronize()
    torch.cuda.reset_peak_memory_stats()
    before = torch.cuda.memory_allocated()
    run()
    torch.cuda.synchronize()
    return (torch.cuda.max_memory_allocated() - before) / 2**20


def gradient(work: Workload, deterministic: bool) -> Tuple[Optional[Callable[[], torch.Tensor]], str]:
    """A function that computes it, or why there is none."""
    torch.manual_seed(1)
    x = torch.randn(*work.batch, *work.size, device="cuda", requires_grad=True)
    torch.use_deterministic_algorithms(deterministic)
    try:
        y = forward_of(work)(x)
        g = torch.randn(y.shape, device="cuda")
        run = lambda: torch.autograd.grad(y, x, g, retain_graph=True)[0]  # noqa: E731
        run()
        return run, ""
    except torch.OutOfMemoryError:
        return None, "out of memory"
    except RuntimeError as error:
        return None, "refuses" if "deterministic" in str(error) else str(error).splitlines()[0]


def row_of(row: Case, timer: Timer) -> List[str]:
    contest = prepare(row, "cuda")
    cells = [row.label()]
    ms = statistics.median(timer.race({"cairn": contest.ours}, 11, 1.0)["cairn"])
    cells += [f"{ms:.2f}"]
    for deterministic in (False, True):
        run, why = gradient(row.work, deterministic)
        if run is None:
            cells += [why, ""] + ([] if deterministic else [""])
            continue
        first = run()
        same = all(torch.equal(first, run()) for _ in range(RUNS - 1))
        theirs = statistics.median(timer.race({"theirs": run}, 11, 1.0)["theirs"])
        cells += [f"{theirs:.2f}", f"{peak_mib(run):.0f}"] + ([] if deterministic else ["same" if same else "vary"])
        del first, run
        torch.cuda.empty_cache()
    torch.use_deterministic_algorithms(False)
    return cells


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--filter", default="", help="only rows whose 'id dtype layout indices direction' this matches")
    parser.add_argument("--markdown", metavar="FILE")
    options = parser.parse_args()
    rows = [row for row in cases(options.filter, False, 1.0) if row.direction == "backward" and row.dtype == "FLOAT"]
    rows = [row for row in rows if forward_of(row.work) and row.layout.startswith("NC") and row.index_dtype != "INT64"]
    if not torch.cuda.is_available() or not rows:
        sys.exit("this needs an NVIDIA GPU, and a row that --filter matches")
    timer = Timer("cuda")
    titles = ["row", "Cairn ms", "PyTorch ms", "MiB", "bits", "deterministic ms", "MiB"]
    lines = [" | ".join(titles), " | ".join(["---"] + ["---:"] * (len(titles) - 1))]
    for row in rows:
        print(row.label(), file=sys.stderr)
        lines.append(" | ".join(row_of(row, timer)))
    text = "".join(f"| {line} |\n" for line in lines)
    print(text)
    if options.markdown:
        with open(options.markdown, "w", encoding="utf-8") as file:
            file.write(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
