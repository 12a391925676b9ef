#!/usr/bin/env python3
"""What each kernel candidate gains: every row of `cairn bench` that takes it, with it and without it.

    bench/candidates.py CAIRN_BENCH [options of cairn bench, such as --device cuda --quick]

CAIRN_BENCH is the driver, build/release/bin/cairn-bench. Rows are measured once as they are, then once for each
candidate with CAIRN_KERNEL=-name, over the rows that took it. Prints a table in Markdown: share of the copy bandwidth with and
without, and which candidate stood in.
"""

import collections
import json
import os
import re
import subprocess
import sys
import tempfile


def measure(command, kernel, rows):
    """The rows of a run, by their labels; `rows` limits it to the workloads of these."""
    environment = dict(os.environ)
    if kernel:
        environment["CAIRN_KERNEL"] = "-" + kernel
    with tempfile.NamedTemporaryFile(suffix=".json") as out:
        arguments = [*command, "--rows-only", "--json", out.name]
        if rows:
            arguments += ["--filter", "^(" + "|".join(sorted(map(re.escape, rows))) + ")$"]
        subprocess.run(arguments, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment)
        return {label(row): row for row in json.load(open(out.name))["rows"]}


def label(row):
    words = [row["id"], row["dtype"], row["layout"], row["index_dtype"], row["direction"]]
    return " ".join(word for word in words if word != "–")


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    command = sys.argv[1:]
    before = measure(command, None, None)
    takers = collections.defaultdict(list)
    for name, row in before.items():
        takers[(row["operator"], row["direction"], row["kernel"])].append(name)
    print("| operator | kernel | row | share with | without | instead |")
    print("|---|---|---|---|---|---|")
    for (operator, direction, kernel), names in sorted(takers.items()):
        after = measure(command, kernel, names)
        for name in names:
            row, other = before[name], after.get(name)
            if other is None:
                continue
            cells = [
                f"{operator} {direction}",
                kernel,
                name,
                f"{row['share_of_copy']:.0%}",
                f"{other['share_of_copy']:.0%}",
                other["kernel"] if other["kernel"] != kernel else "nothing: it is the last",
            ]
            print("| " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main()
