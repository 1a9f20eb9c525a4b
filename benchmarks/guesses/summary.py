"""The tables of README.md: `python summary.py guesses*.csv`."""

import csv
import sys
from collections import defaultdict

import numpy as np

ARMS = ["good", "half", "useless", "wrong"]


def ratio(own, other, rng):
    """Of the means, with a 90 % interval by bootstrap over paired seeds."""
    draws = rng.integers(0, len(own), (4000, len(own)))
    bounds = np.quantile(own[draws].sum(1) / other[draws].sum(1), [0.05, 0.95])
    return "{:.2f} ({:.2f} to {:.2f})".format(own.sum() / other.sum(), *bounds)


def main(paths):
    regret = defaultdict(dict)
    for path in paths:
        with open(path, encoding="utf-8") as file:
            for row in csv.DictReader(file):
                both = np.array([float(row["queried"]), float(row["regret"])])
                regret[row["family"], row["arm"]][int(row["seed"]), int(row["task"])] = both
    rng = np.random.default_rng(1)
    print("| family | arm / none | tasks | runs | none | arm | best queried | recommended |")
    print("|---|---|---|---|---|---|---|---|")
    for family in dict.fromkeys(family for family, _ in regret):
        for arm in ARMS:
            none, its = regret.get((family, "none"), {}), regret.get((family, arm), {})
            for tasks in ((1,), (2,), (1, 2)):
                keys = [{seed for seed, task in of if task == tasks[-1]} for of in (none, its)]
                seeds = sorted(keys[0] & keys[1])
                if not seeds:
                    continue
                of = lambda its: np.array([sum(its[seed, task] for task in tasks) for seed in seeds])
                own, other = of(its), of(none)
                shown = [ratio(own[:, k], other[:, k], rng) for k in (0, 1)]
                told = " and ".join(str(task) for task in tasks)
                means = f"{other[:, 0].mean() / len(tasks):.3f} | {own[:, 0].mean() / len(tasks):.3f}"
                print(f"| {family} | {arm} | {told} | {len(seeds)} | {means} | {shown[0]} | {shown[1]} |")


if __name__ == "__main__":
    main(sys.argv[1:])
