"""The tables of README.md: `python summary.py ../results/changing.csv`."""

import csv
import sys
from collections import defaultdict

import numpy as np

#: arm, what it is compared with, tasks
PAIRS = [
    ("carried", "restart", (3, 4, 5, 6)),
    ("carried", "whole", (5, 6)),
    ("unstated", "restart", (3, 4, 5, 6)),
    ("wrong", "restart", (3,)),
    ("wrong", "restart", (3, 4, 5, 6)),
    ("useless", "plain", (3, 4, 5, 6)),
]


def ratio(own, other, rng):
    """Of the means, with a 90 % interval by bootstrap over paired seeds."""
    draws = rng.integers(0, len(own), (4000, len(own)))
    bounds = np.quantile(own[draws].sum(1) / other[draws].sum(1), [0.05, 0.95])
    return "{:.2f} ({:.2f} to {:.2f})".format(own.sum() / other.sum(), *bounds)


def main(path):
    regret = defaultdict(dict)
    with open(path, encoding="utf-8") as file:
        for row in csv.DictReader(file):
            both = np.array([float(row["queried"]), float(row["regret"])])
            regret[row["family"], row["arm"]][int(row["seed"]), int(row["task"])] = both
    rng = np.random.default_rng(1)
    families = list(dict.fromkeys(family for family, _ in regret))
    print("| family | arm | runs | 1 | 2 | 3 | 4 | 5 | 6 |\n|---|---|---|---|---|---|---|---|---|")
    for (family, arm), its in regret.items():
        seeds = {seed for seed, _ in its}
        means = [np.mean([its[seed, task][0] for seed in seeds]) for task in range(1, 7)]
        print(f"| {family} | {arm} | {len(seeds)} | " + " | ".join(f"{mean:.3f}" for mean in means) + " |")
    print("\n| family | compared | tasks | runs | best queried | recommended |\n|---|---|---|---|---|---|")
    for family in families:
        for arm, other, tasks in PAIRS:
            a, b = regret.get((family, arm)), regret.get((family, other))
            if not a or not b:
                continue
            seeds = sorted({seed for seed, _ in a} & {seed for seed, _ in b})
            of = lambda its: np.array([sum(its[seed, task] for task in tasks) for seed in seeds])
            own, others = of(a), of(b)
            shown = [ratio(own[:, k], others[:, k], rng) for k in (0, 1)]
            told = f"{tasks[0]} to {tasks[-1]}" if len(tasks) > 1 else str(tasks[0])
            print(f"| {family} | {arm} / {other} | {told} | {len(seeds)} | {shown[0]} | {shown[1]} |")


if __name__ == "__main__":
    main(sys.argv[1])
