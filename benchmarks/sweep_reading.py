"""The points that the paper leaves open, for `continual` and `mft-mes` side by side.

    python3 benchmarks/sweep_reading.py BATON OUT FIRST_SEED LAST_SEED MINUTES [AT_A_TIME]

Hartmann-6, 8 tasks of their own for every seed, one thread each. Seeds go round by round over all rows, so
that a sweep that is cut short is balanced; called again, it goes on. `results/sweep-reading.csv` has what came
of it, row, seed and task by line.
"""

import itertools
import os
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor

PAPER = ["--preset", "paper"]


def rows():
    """Method and settings of every row."""
    ard = {"kernel": "rbf"}
    for kde in ("0.5", "0.05", "0.005", "0.0005", "0.00005"):
        yield "continual", {**ard, "kde_variance": kde}
        yield "mft-mes", {**ard, "kde_variance": kde, "beta": "0.3"}
    for beta in ("0.1", "0.6"):
        yield "mft-mes", {**ard, "kde_variance": "0.05", "beta": beta}
    yield "mft-mes", {**ard, "kde_variance": "0.05", "beta": "0.3", "transfer_gain": "exact"}
    yield "continual", {**ard, "kde_variance": "0.05", "svgd_steps": "600"}
    for kde in ("0.005", "0.0005", "0.00005"):
        yield "continual", {"kde_variance": kde}
        yield "mft-mes", {"kde_variance": kde, "beta": "0.1"}
    yield "mft-mes", {"kde_variance": "0.0005", "beta": "0.03"}


def run(job):
    (method, settings), seed, baton, out, end = job
    if time.monotonic() > end:
        return
    command = [baton, "experiment", "--problem", "hartmann6", "--method", method, *PAPER, "--fresh-tasks"]
    command += ["--tasks", "8", "--experiments", "1", "--seed", str(seed), "--threads", "1", "--csv"]
    for key, value in settings.items():
        command += ["--set", f"{key}={value}"]
    name = "_".join([method, *(f"{key}-{value}" for key, value in settings.items())])
    path = os.path.join(out, f"{name}_{seed}.csv")
    if os.path.exists(path):
        return
    left = max(1.0, end - time.monotonic())
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=left, check=True)
    except subprocess.SubprocessError:
        return
    with open(path, "w", encoding="utf-8") as file:
        file.write(done.stdout)


def main():
    baton, out, first, last, minutes = sys.argv[1:6]
    at_a_time = int(sys.argv[6]) if len(sys.argv) > 6 else os.cpu_count()
    os.makedirs(out, exist_ok=True)
    end = time.monotonic() + 60 * float(minutes)
    seeds = range(int(first), int(last) + 1)
    jobs = [(row, seed, baton, out, end) for seed, row in itertools.product(seeds, list(rows()))]
    with ThreadPoolExecutor(at_a_time) as pool:
        list(pool.map(run, jobs))
    print(len(os.listdir(out)), "of", len(jobs), "runs done")


if __name__ == "__main__":
    main()
