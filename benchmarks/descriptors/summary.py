"""All records of a folder as CSV, and the ratios of every method's regret to that of `without`.

    summary.py FOLDER [--csv FILE.csv] [--from 4] [--to 8] [--against without]

A run counts if it has all tasks; runs are paired by seed. A ratio is that of the means over runs and
tasks, with a 90 % interval by resampling runs. Needs numpy.
"""

import argparse
import csv
import json
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

COLUMNS = ["family", "method", "seed", "task", "first_regret", "end_regret", "cost"]
SAMPLES = 10_000


def rows(folder: Path) -> Iterator[dict[str, Any]]:
    """All rows; what was cut off is left out."""
    for path in sorted(folder.glob("*.jsonl")):
        for line in path.read_text().splitlines():
            try:
                yield json.loads(line)
            except ValueError:
                break


def ratio(ours: np.ndarray, theirs: np.ndarray) -> str:
    """The ratio of two means over the same runs, with its interval."""
    pick = np.random.default_rng(1).integers(len(ours), size=(SAMPLES, len(ours)))
    spread = ours[pick].mean(axis=1) / theirs[pick].mean(axis=1)
    low, high = np.quantile(spread, [0.05, 0.95])
    return f"{ours.mean() / theirs.mean():.2f} ({low:.2f} to {high:.2f})"


def main() -> None:
    parser = argparse.ArgumentParser(description="regret with descriptors against without")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--csv", type=Path)
    parser.add_argument("--from", type=int, default=4, dest="first", help="first task that counts")
    parser.add_argument("--to", type=int, default=8, dest="last", help="last task that counts")
    parser.add_argument("--against", default="without")
    call = parser.parse_args()
    found = list(rows(call.folder))
    if call.csv is not None:
        with call.csv.open("w", newline="") as file:
            writer = csv.DictWriter(file, COLUMNS, extrasaction="ignore", lineterminator="\n")
            writer.writeheader()
            order = lambda row: tuple(row[key] for key in COLUMNS[:4])  # noqa: E731
            writer.writerows(sorted(found, key=order))
    runs: dict[tuple[str, str], dict[int, list[dict[str, Any]]]] = defaultdict(lambda: defaultdict(list))
    for row in found:
        if call.first <= row["task"] <= call.last:
            runs[row["family"], row["method"]][row["seed"]].append(row)
    count = call.last - call.first + 1
    print(f"tasks {call.first} to {call.last}; ratios to {call.against!r} of the same seeds, 90 % intervals")
    print(f"{'family':<8}{'method':<16}{'runs':>5}{'first':>8}{'end':>8}  {'first, ratio':<22}end, ratio")
    for (family, method), by_seed in sorted(runs.items()):
        other = runs.get((family, call.against), {})
        whole = {seed: tasks for seed, tasks in by_seed.items() if len(tasks) == count}
        both = sorted(seed for seed in whole if len(other.get(seed, [])) == count)
        if not whole:
            continue
        means, ratios = [], []
        for key in ("first_regret", "end_regret"):
            mean = lambda tasks: float(np.mean([row[key] for row in tasks]))  # noqa: E731
            means.append(np.mean([mean(tasks) for tasks in whole.values()]))
            if both:
                ours, theirs = (np.array([mean(of[seed]) for seed in both]) for of in (whole, other))
                ratios.append(ratio(ours, theirs))
            else:
                ratios.append("-")
        print(
            f"{family:<8}{method:<16}{len(whole):>5}{means[0]:>8.3f}{means[1]:>8.3f}"
            f"  {ratios[0]:<22}{ratios[1]}"
        )


if __name__ == "__main__":
    main()
