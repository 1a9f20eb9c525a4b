"""What fidelities cost and tell, and how related tasks are: `python describe.py FAMILY [POINTS]`, as a page's tables.

Over random points: seconds of an evaluation, rank correlations of each fidelity with the highest (mean over tasks),
and of each pair of tasks at the highest.
"""

import os

os.environ["OMP_NUM_THREADS"] = "1"

import random
import sys
import time

import numpy as np
from scipy.stats import spearmanr

from families import family
from problem import drawn


def main(name, points="60"):
    its, rng = family(name), random.Random(7)
    places = [drawn(its.space, rng) for _ in range(int(points))]
    values, seconds = {}, {}
    for level in its.fidelities:
        its.compute(its.pool[0], places[0], level)
        for task in its.pool:
            begun = time.process_time()
            values[task, level] = np.array([its.compute(task, place, level) for place in places])
            seconds.setdefault(level, []).append((time.process_time() - begun) / len(places))
    best = places[int(np.argmin(values[its.pool[0], its.finest]))]
    print(f"{len(places)} random points, {len(its.pool)} tasks; budget {its.budget:g}, "
          f"{its.budget / its.fidelities[its.finest]:g} evaluations at the highest fidelity.\n")
    print("| fidelity | cost | ms | rank correlation with the highest: mean (least, greatest) over tasks |\n|---|---|---|---|")
    rank = lambda a, b: spearmanr(a, b).statistic
    for level, cost in its.fidelities.items():
        told = [rank(values[task, level], values[task, its.finest]) for task in its.pool]
        print(f"| {level} | {cost:g} | {1000 * np.mean(seconds[level]):.3g} "
              f"| {np.mean(told):.2f} ({min(told):.2f}, {max(told):.2f}) |")
    pairs = [
        (rank(values[a, its.finest], values[b, its.finest]), a, b)
        for k, a in enumerate(its.pool) for b in its.pool[k + 1 :]
    ]
    told = [pair[0] for pair in pairs]
    (low, *least), (high, *most) = min(pairs), max(pairs)
    print(f"\nTasks: rank correlations between pairs at the highest fidelity have median {np.median(told):.2f}; "
          f"least {low:.2f} ({', '.join(least)}), greatest {high:.2f} ({', '.join(most)}).")
    spread = [(values[task, its.finest].min(), np.median(values[task, its.finest])) for task in its.pool]
    if os.environ.get("SPREAD"):
        print(best, [f"{low:.4g} {mid:.4g}" for low, mid in spread])


if __name__ == "__main__":
    main(*sys.argv[1:])
