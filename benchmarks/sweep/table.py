"""The table of a sweep: `python3 benchmarks/sweep/table.py RESULTS.csv FAMILY [ROW/ROW ...]`.

Regret by task, tasks 7-8 to task 1, log density per observation of the next task before and after SVGD; and
for each pair the ratio of regret over tasks 3 on, paired by seed, with a 90 % interval by bootstrap.
"""

import csv
import sys

import numpy as np


def read(path, family):
    found = {}
    for line in csv.DictReader(open(path)):
        if line["family"] != family:
            continue
        numbers = [float(line[key] or "nan") for key in ("score", "before", "after")]
        found.setdefault(line["row"], {}).setdefault(int(line["seed"]), {})[int(line["task"])] = numbers
    return {row: {s: np.array([t[n] for n in sorted(t)]) for s, t in seeds.items()} for row, seeds in found.items()}


def ratio(a, b):
    draws = np.random.default_rng(0).integers(0, len(a), (4000, len(a)))
    low, high = np.quantile(a[draws].mean(1) / b[draws].mean(1), [0.05, 0.95])
    return f"{a.mean() / b.mean():.2f} ({low:.2f} to {high:.2f})"


def main(path, family, *pairs):
    rows = read(path, family)
    print("| row | seeds | tasks 1 on | tasks 7-8 to task 1 | nats per observation of the next task, before, after SVGD |")
    print("|---|---|---|---|---|")
    for row, seeds in rows.items():
        all_seeds = np.array(list(seeds.values()))
        regret = all_seeds[:, :, 0]
        learned = ratio(regret[:, 6:8].mean(1), regret[:, 0]) if regret.shape[1] > 7 else ""
        before, after = (np.nanmedian(all_seeds[:, 2:, k]) for k in (1, 2))
        by_task = ", ".join(f"{mean:.2f}" for mean in regret.mean(0))
        print(f"| {row} | {len(seeds)} | {by_task} | {learned} | {before:.2f}, {after:.2f} |")
    for pair in pairs:
        one, other = pair.split("/")
        both = sorted(set(rows[one]) & set(rows[other]))
        late = [np.array([rows[row][seed][2:, 0].mean() for seed in both]) for row in (one, other)]
        print(f"| {one} / {other} | {len(both)} | {ratio(*late)} |")


main(*sys.argv[1:])
