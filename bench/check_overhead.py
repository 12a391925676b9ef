#!/usr/bin/env python3
"""What cairn check costs: check_overhead.py BUILD [--without OTHER] [--runs N] [--small]

Runs bench_check_program alternately with and without CAIRN_CHECK, and compares the best wall times and the peak memory
with the bounds that the design sets: three times the time, 1.25 times the memory and 64 MiB. With --without, OTHER is a
build whose libraries know no tools (-DCMAKE_CXX_FLAGS=-DCAIRN_WITHOUT_TOOLS -DCAIRN_WERROR=OFF): a small call may
cost 3 % more than there.
"""
import argparse
import os
import subprocess
import sys
import time

MIB = 1 << 20


def run(command, check, library_path=None):
    """Seconds, peak bytes and output of one run."""
    environment = dict(os.environ, CAIRN_DEVICE="cpu")
    environment.pop("CAIRN_CHECK", None)
    if check:
        environment["CAIRN_CHECK"] = "1"
    if library_path:
        environment["LD_LIBRARY_PATH"] = library_path
    begin = time.monotonic()
    process = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE)
    output = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    seconds = time.monotonic() - begin
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        sys.exit(f"{' '.join(command)} exits with {process.returncode}")
    return seconds, usage.ru_maxrss * 1024, output.decode()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build")
    parser.add_argument("--without")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--small", action="store_true", help="one size, for a test that this works")
    given = parser.parse_args()
    program = os.path.join(given.build, "bin", "bench_check_program")
    good = True

    print("MiB a tensor   off ms  check ms  ratio (most 3)   off MiB  check MiB (most)")
    for mib, times in [(1, 4)] if given.small else [(1, 100), (4, 40), (16, 10), (64, 8)]:
        command = [program, "seed", str(mib * MIB), str(times)]
        off, on = [], []
        for _ in range(given.runs):
            off.append(run(command, False))
            on.append(run(command, True))
        seconds = [min(result[0] for result in results) for results in (off, on)]
        peak = [min(result[1] for result in results) for results in (off, on)]
        most = 1.25 * peak[0] + 64 * MIB
        ratio = seconds[1] / seconds[0]
        good &= ratio <= 3 and peak[1] <= most
        print(f"{mib:12} {seconds[0] * 1e3:8.1f} {seconds[1] * 1e3:9.1f} {ratio:6.2f}          "
              f"{peak[0] / MIB:8.1f} {peak[1] / MIB:10.1f} ({most / MIB:.1f})")

    if given.without:
        trees = [os.path.join(given.without, "lib64"), os.path.join(given.build, "lib64")]
        best = [1e30, 1e30]
        for _ in range(2 * given.runs):
            for i, tree in enumerate(trees):
                best[i] = min(best[i], float(run([program, "call", "20"], False, tree)[2]))
        share = best[1] / best[0] - 1
        good &= share <= 0.03
        print(f"a small call: {best[0]:.0f} ns without hooks, {best[1]:.0f} ns with: {share * 100:+.1f} % (most 3)")
    return 0 if good or given.small else 1


if __name__ == "__main__":
    sys.exit(main())
