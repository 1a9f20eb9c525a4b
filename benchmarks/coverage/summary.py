"""The table of README.md: `python summary.py coverage*.csv`."""

import csv
import sys
from collections import defaultdict

import numpy as np

KINDS = ["ahead", "others", "used", "truth"]


def share(counts, rng):
    """Of intervals that hold, in percent, with a 90 % interval by bootstrap over seeds."""
    rows = np.array(list(counts.values()), dtype=float)
    sums = rows[rng.integers(0, len(rows), (4000, len(rows)))].sum(1)
    low, high = 100 * np.quantile(sums[:, 1] / sums[:, 0], [0.05, 0.95])
    return f"{100 * rows[:, 1].sum() / rows[:, 0].sum():.0f} ({low:.0f} to {high:.0f})"


def main(paths):
    found = defaultdict(lambda: defaultdict(lambda: [0, 0]))
    for path in paths:
        with open(path, encoding="utf-8") as file:
            for row in csv.DictReader(file):
                counts = found[row["family"], row["kind"]][int(row["seed"])]
                counts[0] += int(row["intervals"])
                counts[1] += int(row["inside"])
    rng = np.random.default_rng(1)
    print("| family | runs | " + " | ".join(KINDS) + " |")
    print("|---" * (2 + len(KINDS)) + "|")
    for family in dict.fromkeys(family for family, _ in found):
        cells = [share(found[family, kind], rng) for kind in KINDS]
        print(f"| {family} | {len(found[family, 'used'])} | " + " | ".join(cells) + " |")


if __name__ == "__main__":
    main(sys.argv[1:])
