"""Prints and writes what bench/pytorch.py has measured, in the shape of `cairn bench`."""

import json
import math
import os
import stat
from dataclasses import asdict, dataclass, field
from typing import Any, Dict, List, Optional


@dataclass
class Row:
    id: str
    operator: str
    direction: str
    dtype: str
    index_dtype: str
    layout: str
    device: str
    elements: int
    bytes: int
    ms: float
    spread: float
    gbps: float
    copy_gbps: float
    share_of_copy: float
    share_of_equal_copy: float  # one of as many bytes
    goal: Optional[float]  # none where tensors are too small to judge
    peers: Dict[str, float] = field(default_factory=dict)

    def ratio(self) -> Optional[float]:
        return self.peers["pytorch"] / self.ms if "pytorch" in self.peers else None


def headings() -> List[str]:
    return [
        "workload",
        "direction",
        "layout",
        "dtype",
        "indices",
        "MB",
        "ms",
        "±",
        "GB/s",
        "of copy",
        "of equal copy",
        "goal",
        "vs pytorch",
    ]


def cells(row: Row) -> List[str]:
    ratio = row.ratio()
    return [
        row.id, row.direction, row.layout, row.dtype, row.index_dtype, f"{row.bytes * 1e-6:.0f}", f"{row.ms:.4f}",
        f"{row.spread * 100:.0f} %", f"{row.gbps:.0f}", f"{row.share_of_copy * 100:.0f} %",
        f"{row.share_of_equal_copy * 100:.0f} %", f"{row.goal * 100:.0f} %" if row.goal else "–",
        "–" if ratio is None else f"{ratio:.1f}×",
    ]  # fmt: skip


def figures(row: Row) -> str:
    """Of one row, on one line."""
    ratio = row.ratio()
    ours = f"{row.ms:.4f} ms, {row.gbps:.0f} GB/s, {row.share_of_copy * 100:.0f} % of copy"
    return ours if ratio is None else f"{ours}, pytorch {row.peers['pytorch']:.4f} ms ({ratio:.1f}×)"


def summary(report: Dict[str, Any]) -> str:
    lines = [f"{report['machine']}, copy {report['copy_gbps']:.0f} GB/s (read + written)"]
    for direction in ("backward", "forward"):
        rows = [row for row in report["rows"] if row.direction == direction]
        ratios = [row.ratio() for row in rows if row.ratio() is not None and "Unpool" not in row.operator]
        if ratios:
            mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
            lines.append(
                f"{direction} against PyTorch: {mean:.1f}x in the geometric mean (unpool left out), "
                f"{min(ratios):.1f}x at least, over {len(ratios)} rows"
            )
        rows = [row for row in rows if row.goal]
        met = [row for row in rows if row.share_of_copy >= row.goal]
        if rows:
            lines.append(f"{direction}: {len(met)} of {len(rows)} rows reach their goal")
    return "\n".join(lines)


def print_table(report: Dict[str, Any]) -> None:
    lines = [headings(), *(cells(row) for row in report["rows"])]
    widths = [max(map(len, column)) for column in zip(*lines)]
    for line in lines:
        texts = [text.ljust(w) if i < 5 else text.rjust(w) for i, (text, w) in enumerate(zip(line, widths))]
        print("  ".join(texts).rstrip())
    print(f"\n{summary(report)}")
    for point in report["growth"]:
        ratio = point["peers"]["pytorch"] / point["ms"]
        print(
            f"growth {point['id']}: {point['elements']:.0e} elements, {point['ms']:.4f} ms, {point['gbps']:.0f} GB/s, "
            f"{ratio:.1f}x PyTorch"
        )
    for name, microseconds in report["host_us"].items():
        print(f"a call of 1x1x2x2x2 costs the calling thread {microseconds:.1f} us: {name}")


def write_markdown(report: Dict[str, Any], path: str) -> None:
    lines = [headings(), ["---"] * len(headings()), *(cells(row) for row in report["rows"])]
    with open(path, "w", encoding="utf-8") as file:
        file.write(summary(report) + "\n\n")
        file.writelines(f"| {' | '.join(line)} |\n" for line in lines)


def write_json(report: Dict[str, Any], path: str) -> None:
    with open(path, "w", encoding="utf-8") as file:
        json.dump({**report, "rows": [asdict(row) for row in report["rows"]]}, file, indent=1)


LABEL, CHART, FULL, BAR, GAP, TOP = 330, 640, 1.2, 11, 9, 76
OURS, THEIRS, GOAL = "#2f6fb0", "#e8833a", "#c0392b"


def write_plot(report: Dict[str, Any], path: str) -> None:
    def x_of(share: float) -> float:
        return LABEL + min(share, FULL) / FULL * CHART

    def text(x: float, y: float, content: str, anchor: str = "start", size: int = 11, color: str = "#222") -> str:
        return (
            f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}" text-anchor="{anchor}" fill="{color}">{content}</text>'
        )

    def bar(y: float, height: float, share: float, color: str) -> str:
        return f'<rect x="{LABEL}" y="{y}" width="{x_of(share) - LABEL:.1f}" height="{height}" fill="{color}"/>'

    def line(x: float, top: float, bottom: float, color: str, width: int = 1) -> str:
        return f'<line x1="{x:.1f}" x2="{x:.1f}" y1="{top}" y2="{bottom}" stroke="{color}" stroke-width="{width}"/>'

    step = BAR + 5 + GAP
    bottom = TOP + step * len(report["rows"])
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{LABEL + CHART + 70}" height="{bottom + 30}" '
        'font-family="sans-serif">',
        '<rect width="100%" height="100%" fill="white"/>',
        text(12, 22, f"Share of the copy bandwidth: {report['machine']}", size=14),
    ]
    for x, name, color in ((LABEL, "Cairn", OURS), (LABEL + 80, "PyTorch", THEIRS), (LABEL + 170, "goal", GOAL)):
        parts += [f'<rect x="{x}" y="38" width="12" height="12" fill="{color}"/>', text(x + 17, 48, name)]
    for percent in range(0, 121, 20):
        x = x_of(percent / 100)
        parts += [line(x, TOP - 6, bottom, "#444" if percent == 100 else "#ddd")]
        parts += [text(x, TOP - 10, f"{percent} %", "middle", 10, "#666")]
    for number, row in enumerate(report["rows"]):
        y = TOP + step * number
        names = (row.id, row.dtype, row.layout, row.index_dtype, row.direction)
        parts += [text(LABEL - 8, y + BAR, " ".join(name for name in names if name != "-"), "end")]
        parts += [bar(y, BAR, row.share_of_copy, OURS)]
        parts += [text(x_of(row.share_of_copy) + 4, y + BAR - 1, f"{row.share_of_copy * 100:.0f} %", size=10)]
        if row.ratio():
            parts += [bar(y + BAR + 1, 4, row.share_of_copy / row.ratio(), THEIRS)]
        if row.goal:
            parts += [line(x_of(row.goal), y - 2, y + BAR + 2, GOAL, 2)]
    with open(path, "w", encoding="utf-8") as file:
        file.write("\n".join([*parts, "</svg>\n"]))


def write(report: Dict[str, Any], options: Any, complete: bool = False) -> None:
    """After every row, so that a run which is interrupted leaves what it has measured; each file is replaced at once.
    What is no plain file, such as a pipe or a link, gets the complete report only."""
    for name, writer in (("json", write_json), ("markdown", write_markdown), ("plot", write_plot)):
        path: Optional[str] = getattr(options, name)
        if path and (not os.path.lexists(path) or stat.S_ISREG(os.lstat(path).st_mode)):
            writer(report, f"{path}.part")
            os.replace(f"{path}.part", path)
        elif path and complete:
            writer(report, path)
