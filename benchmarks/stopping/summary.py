"""The table of README.md: `python summary.py stopping*.csv`."""

import csv
import sys
from collections import defaultdict

import numpy as np


def share(part, whole, rng):
    """Of sums in percent, with a 90 % interval by bootstrap over seeds."""
    draws = rng.integers(0, len(part), (4000, len(part)))
    bounds = 100 * np.quantile(part[draws].sum(1) / whole[draws].sum(1), [0.05, 0.95])
    return "{:.1f} ({:.1f} to {:.1f})".format(100 * part.sum() / whole.sum(), *bounds)


def main(paths):
    rows = defaultdict(lambda: defaultdict(list))
    for path in paths:
        with open(path, encoding="utf-8") as file:
            for row in csv.DictReader(file):
                task = 1 if row["task"] == "1" else 2
                for which in (task, 0):
                    rows[row["family"], row["arm"], which][int(row["seed"])].append(row)
    rng = np.random.default_rng(1)
    print("| family | rule, budget | tasks | runs | ended early | cost saved, % | lost of the gain, % | of the best queried, % |")
    print("|---|---|---|---|---|---|---|---|")
    for (family, arm, which), seeds in sorted(rows.items()):
        def total(key):
            return np.array([sum(float(row[key]) for row in its) for its in seeds.values()])

        early = [float(row["spent"]) < float(row["budget"]) * 0.95 for its in seeds.values() for row in its]
        gain, gain_queried = total("first") - total("full"), total("first") - total("full_queried")
        lost = total("early") - total("full"), total("early_queried") - total("full_queried")
        tasks = {0: "1 to 3", 1: "1", 2: "2, 3"}[which]
        print(
            f"| {family} | {arm} | {tasks} | {len(seeds)} | {np.mean(early):.0%} "
            f"| {share(total('budget') - total('spent'), total('budget'), rng)} "
            f"| {share(lost[0], gain, rng)} | {share(lost[1], gain_queried, rng)} |"
        )


if __name__ == "__main__":
    main(sys.argv[1:])
