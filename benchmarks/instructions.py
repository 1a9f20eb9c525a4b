#!/usr/bin/env python3
"""Instruction counts of the hot kernels against a stored baseline.

Each kernel is run twice under callgrind with different amounts of the same work; the difference is
what the extra work costs, start-up cancels. The counts do not depend on the clock or on the load of
the machine. Valgrind knows no AVX-512, so the AVX2 path is counted on every machine that has AVX2;
another compiler or C library moves the counts, too: then the baseline is written anew, with the
change that caused it named in the commit.

usage: instructions.py [--update] [--binary target/release/baton]
Exit codes: 0 within 3 % of the baseline, 1 more instructions than that, 2 cannot be run.
"""

import argparse
import json
import pathlib
import re
import shutil
import subprocess
import sys

BASELINE = pathlib.Path(__file__).with_name("instructions.json")
TOLERANCE = 0.03

# name: (arguments, option of the amount, small amount, large amount)
KERNELS = {
    "svgd step, V = 10, n = 50, d = 6": (
        ["svgd", "--threads", "1", "--runs", "1", "--no-peak"], "--steps", 2, 6),
    "svgd step, V = 1, n = 400, d = 6": (
        ["svgd", "--particles", "1", "--points", "400", "--threads", "1", "--runs", "1", "--no-peak"],
        "--steps", 1, 3),
    "ask, paper, V = 10, n = 64": (
        ["ask", "--preset", "paper", "--threads", "1", "--no-peak"], "--asks", 1, 4),
    "ask, mf-mes-fitted, n = 64": (
        ["ask", "--method", "mf-mes-fitted", "--threads", "1", "--no-peak"], "--asks", 1, 5),
}


def instructions(binary: str, arguments: list[str]) -> int:
    """Instructions of one run, all threads together."""
    call = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", binary, "bench", *arguments]
    done = subprocess.run(call, capture_output=True, text=True, check=False)
    found = re.search(r"Collected\s*:\s*(\d+)", done.stderr)
    if done.returncode != 0 or not found:
        sys.exit(f"could not count {' '.join(arguments)}:\n{done.stderr[-2000:]}")
    return int(found.group(1))


def counts(binary: str) -> dict[str, int]:
    result = {}
    for name, (arguments, amount, small, large) in KERNELS.items():
        few, many = (instructions(binary, [*arguments, amount, str(n)]) for n in (small, large))
        result[name] = round((many - few) / (large - small))
        print(f"{result[name] / 1e6:10.2f} million instructions per {name}", flush=True)
    return result


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--update", action="store_true", help="write the baseline")
    parser.add_argument("--binary", default="target/release/baton")
    call = parser.parse_args()
    if not shutil.which("valgrind"):
        print("error: valgrind is not installed", file=sys.stderr)
        return 2
    now = counts(call.binary)
    if call.update:
        BASELINE.write_text(json.dumps(now, indent=2) + "\n")
        return 0
    before = json.loads(BASELINE.read_text())
    worse = 0
    for name, count in now.items():
        change = count / before[name] - 1.0 if name in before else float("inf")
        worse += change > TOLERANCE
        mark = "MORE" if change > TOLERANCE else "less: run --update" if change < -TOLERANCE else "ok"
        print(f"{100 * change:+7.2f} %  {name}  {mark}")
    return 1 if worse else 0


if __name__ == "__main__":
    sys.exit(main())
