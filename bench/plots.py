"""Pictures for the pages, as SVG that any browser shows:

  python3 bench/plots.py threads threads.json > docs/performance-threads.svg    what bench/threads.py --json wrote
  python3 bench/plots.py speed pytorch.json > docs/speed.svg                    what bench/pytorch.py --json wrote
"""

import json
import math
import sys

INK, GRID, OURS, THEIRS = "#222222", "#dddddd", "#2f6fb0", "#e8833a"
SHADES = ("#9ecae1", "#6baed6", "#4292c6", "#2171b5", "#08519c", "#08306b", "#e8833a")
NAMES = {"pool": "max pooling, k2 s2", "pool backward": "its backward", "unpool": "unpooling"}


class Picture:
    def __init__(self, width, height):
        self.width, self.height, self.parts = width, height, []

    def text(self, x, y, words, anchor="start", size=12, color=INK):
        words = words.replace("&", "&amp;").replace("<", "&lt;")
        self.parts.append(f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}" text-anchor="{anchor}" fill="{color}">{words}</text>')

    def line(self, points, color, width=1.0):
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        self.parts.append(f'<polyline points="{path}" fill="none" stroke="{color}" stroke-width="{width}"/>')

    def bar(self, x, y, width, height, color):
        self.parts.append(f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" fill="{color}"/>')

    def svg(self):
        head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {self.width} {self.height}" font-family="sans-serif">'
        ground = '<rect width="100%" height="100%" fill="white"/>'
        return "\n".join([head, ground, *self.parts, "</svg>"])


def size_name(elements):
    return f"1e{round(math.log10(elements))}" if elements else "u3-segnet"


def duration(microseconds):
    return f"{microseconds:g} µs" if microseconds < 1000 else f"{microseconds / 1000:g} ms"


def threads_panel(picture, rows, left, top, width, height):
    """Time against threads, a line per size, both axes logarithmic."""
    counts = sorted({row["threads"] for row in rows})
    times = [row["microseconds"] for row in rows]
    low, high = math.floor(math.log10(min(times))), math.ceil(math.log10(max(times)))

    def place(threads, microseconds):
        x = left + width * (math.log2(threads) / max(math.log2(counts[-1]), 1))
        return x, top + height * (high - math.log10(microseconds)) / (high - low)

    for decade in range(low, high + 1):
        y = place(1, 10.0**decade)[1]
        picture.line([(left, y), (left + width, y)], GRID)
        picture.text(left - 6, y + 4, duration(10.0**decade), "end", 11)
    for threads in counts:
        picture.text(place(threads, 10.0**low)[0], top + height + 16, str(threads), "middle", 11)
    for k, elements in enumerate(sorted({row["elements"] for row in rows} - {0}) + [0]):
        points = sorted((row["threads"], row["microseconds"]) for row in rows if row["elements"] == elements)
        if points:
            picture.line([place(*point) for point in points], SHADES[k % len(SHADES)], 2)
            x, y = place(*points[-1])
            picture.text(x + 5, y + 4, size_name(elements), "start", 11, SHADES[k % len(SHADES)])


def threads(rows):
    operators = [name for name in NAMES if any(row["operator"] == name for row in rows)]
    picture = Picture(70 + 290 * len(operators), 400)
    for k, operator in enumerate(operators):
        left = 60 + 290 * k
        picture.text(left, 24, NAMES[operator], size=14)
        threads_panel(picture, [row for row in rows if row["operator"] == operator], left, 40, 170, 310)
    picture.text(60, 390, "Time of a call against the number of threads; a line per number of elements.")
    return picture


def share(row, milliseconds):
    return row["bytes"] / (milliseconds * 1e-3) / 1e9 / row["copy_gbps"]


def speed_panel(picture, report, direction, left):
    """One direction in FLOAT: ours above PyTorch's, as shares of the copy bandwidth."""
    picture.text(left + 110, 24, direction, size=14)
    rows = [row for row in report["rows"] if row["direction"] == direction and row["dtype"] == "FLOAT"]
    rows = [row for row in rows if row["id"][0] in "un" or row["index_dtype"] == "INT32"]
    rows = [row for row in rows if row["layout"] in ("NCDHW", "NCHW", "NCL")]
    for k, row in enumerate(rows):
        y = 40 + 26 * k
        picture.text(left + 104, y + 14, row["id"], "end")
        for offset, milliseconds, color in ((0, row["ms"], OURS), (10, row["peers"]["pytorch"], THEIRS)):
            picture.bar(left + 110, y + offset, 200 * min(share(row, milliseconds), 1.2), 9, color)
    bottom = 40 + 26 * len(rows)
    picture.line([(left + 310, 34), (left + 310, bottom)], INK)
    picture.text(left + 310, bottom + 14, "the speed of a copy", "middle", 11)
    return bottom


def speed(report):
    picture = Picture(760, 0)
    bottom = max(speed_panel(picture, report, direction, 370 * k) for k, direction in enumerate(("backward", "forward")))
    picture.bar(110, bottom + 26, 12, 12, OURS)
    picture.text(128, bottom + 36, "Cairn")
    picture.bar(190, bottom + 26, 12, 12, THEIRS)
    picture.text(208, bottom + 36, f"PyTorch; FLOAT, {report['machine']}")
    picture.height = bottom + 48
    return picture


def main():
    pictures = {"threads": threads, "speed": speed}
    if len(sys.argv) != 3 or sys.argv[1] not in pictures:
        sys.exit(__doc__)
    with open(sys.argv[2], encoding="utf-8") as file:
        print(pictures[sys.argv[1]](json.load(file)).svg())


if __name__ == "__main__":
    main()
