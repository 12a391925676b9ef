#!/usr/bin/env python3
"""What each kernel candidate gains: every row of `cairn bench` that takes it, with it and without it.

    bench/candidates.py CAIRN_BENCH [--kernel NAME]... [--only-new FILE] [options of cairn bench]

CAIRN_BENCH is the driver, build/release/bin/cairn-bench; its options are such as --device cuda, --suite odd, --filter, --quick.
Rows are measured once as they are, then once for each candidate with CAIRN_KERNEL=-name, over the rows that took it. Prints
a table in Markdown: share of the copy bandwidth and milliseconds with and without, and which candidate stood in.
"""

import argparse
import collections
import json
import os
import re
import subprocess
import sys
import tempfile


def measure(command, kernel, rows):
    """The rows of a run, by their labels; `rows` limits it to these."""
    environment = dict(os.environ)
    if kernel:
        environment["CAIRN_KERNEL"] = "-" + kernel
    with tempfile.NamedTemporaryFile(suffix=".json") as out:
        arguments = [*command, "--rows-only", "--json", out.name]
        if rows:
            arguments += ["--filter", "^(" + "|".join(sorted(map(re.escape, rows))) + ")$"]
        done = subprocess.run(arguments, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, env=environment)
        if done.returncode != 0:
            sys.exit(done.stderr.strip().splitlines()[-1])
        return {label(row): row for row in json.load(open(out.name))["rows"]}


def label(row):
    words = [row["id"], row["dtype"], row["layout"], row["index_dtype"], row["direction"]]
    return " ".join(word for word in words if word != "-")


def taken(row):
    """The candidate of a row: its family and its name."""
    return row["operator"].replace("2d", "").replace("3d", ""), row["direction"], row["kernel"]


def without_filter(command):
    """The driver's options without the filter, which the labels of rows take the place of."""
    rest = list(command)
    while "--filter" in rest:
        del rest[rest.index("--filter") : rest.index("--filter") + 2]
    return [word for word in rest if not word.startswith("--filter=")]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("driver", metavar="CAIRN_BENCH")
    parser.add_argument("--kernel", action="append", help="only candidates of this name; may be given again")
    parser.add_argument("--only-new", metavar="FILE", help="leave out candidates that rows in this JSON of a run took")
    options, rest = parser.parse_known_args()
    command = [options.driver, *rest]
    known = {taken(row) for row in json.load(open(options.only_new))["rows"]} if options.only_new else set()
    before = measure(command, None, None)
    takers = collections.defaultdict(list)
    for name, row in before.items():
        if taken(row) in known or (options.kernel and row["kernel"] not in options.kernel):
            continue
        takers[taken(row)].append(name)
    print("| operator | kernel | row | share with | without | ms with | without | instead |")
    print("|---|---|---|---|---|---|---|---|")
    for (operator, direction, kernel), names in sorted(takers.items()):
        after = measure(without_filter(command), kernel, names)
        for name in names:
            row, other = before[name], after[name]
            cells = [
                f"{operator} {direction}",
                kernel,
                name,
                f"{row['share_of_copy']:.0%}",
                f"{other['share_of_copy']:.0%}",
                f"{row['ms']:.4f}",
                f"{other['ms']:.4f}",
                other["kernel"] if other["kernel"] != kernel else "nothing: it is the last",
            ]
            print("| " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main()
