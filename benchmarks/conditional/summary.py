"""The table of README.md: `python summary.py ../results/conditional.csv`."""

import csv
import sys
from collections import defaultdict

import numpy as np

#: Regrets below are the same: Jenatton's function is solved.
SOLVED = 1e-4


def interval(logs, rng):
    """The mean with a 90 % interval, by bootstrap over seeds."""
    draws = rng.choice(logs, (4000, len(logs))).mean(axis=1)
    return [np.exp(x) for x in (logs.mean(), *np.quantile(draws, [0.05, 0.95]))]


def main(path):
    regret, seconds = defaultdict(dict), defaultdict(dict)
    with open(path, encoding="utf-8") as file:
        for row in csv.DictReader(file):
            key = row["family"], int(row["evaluations"]), row["method"]
            regret[key][int(row["seed"])] = max(float(row["regret"]), 0.0)
            seconds[key[0], key[2]][int(row["seed"])] = float(row["seconds"])
    methods = list(dict.fromkeys(method for _, _, method in regret))
    rng = np.random.default_rng(1)
    print("| family | evaluations | method | mean regret | median | ratio to `baton` | seconds |")
    print("|---|---|---|---|---|---|---|")
    for family, counts in (("jenatton", (20, 40)), ("goldstein", (20, 40, 60))):
        for count in counts:
            own = regret[family, count, "baton"]
            for method in methods:
                its = regret[family, count, method]
                seeds = sorted(set(own) & set(its))
                a, b = (np.array([of[s] for s in seeds]) for of in (its, own))
                ratio = "1"
                if method != "baton":
                    logs = np.log(np.maximum(a, SOLVED) / np.maximum(b, SOLVED))
                    ratio = "{:.3g} ({:.3g} to {:.3g})".format(*interval(logs, rng))
                took = np.mean(list(seconds[family, method].values()))
                print(f"| {family} | {count} | `{method}` | {a.mean():.3g} | {np.median(a):.3g} "
                      f"| {ratio} | {took:.1f} |")


if __name__ == "__main__":
    main(sys.argv[1])
