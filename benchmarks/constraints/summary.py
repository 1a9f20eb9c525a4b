"""The tables of README.md: `python summary.py ../results/constraints.csv ../results/constraints-tasks.csv`."""

import csv
import sys
from collections import defaultdict

import numpy as np

from problems import PROBLEMS

#: A regret below this counts as this, as a share of what a first feasible point is away from the optimum.
LEAST = 1e-4
DRAWS = 4000
TASKS = 5


def interval(values, rng):
    draws = rng.integers(0, len(values), (DRAWS, len(values)))
    return np.quantile(values[draws].mean(1), [0.05, 0.95])


def single(path, rng):
    """Geometric means of paired ratios of regrets; a run without a feasible value counts as the worst one."""
    found = defaultdict(dict)
    with open(path, encoding="utf-8") as file:
        for problem, method, seed, count, best, seconds in csv.reader(file):
            found[problem, method, int(count)][int(seed)] = (float(best) if best else None, float(seconds))
    print("| problem | evaluations | method | runs | feasible | mean regret | median | ratio to `baton` | seconds |")
    print("|---|---|---|---|---|---|---|---|---|")
    for problem in PROBLEMS:
        trials = PROBLEMS[problem].trials
        for count in (trials // 2, trials):
            methods = [m for p, m, c in found if p == problem and c == count]
            seen = [v for m in methods for v, _ in found[problem, m, count].values() if v is not None]
            worst = max(seen)
            scale = worst - PROBLEMS[problem].optimum
            regret = lambda v: max((worst if v is None else v) - PROBLEMS[problem].optimum, LEAST * scale)
            own = found[problem, "baton", count]
            for method in methods:
                its = found[problem, method, count]
                seeds = sorted(set(its) & set(own))
                mine = np.log([regret(its[s][0]) / regret(own[s][0]) for s in seeds])
                low, high = np.exp(interval(mine, rng))
                values = [max(v - PROBLEMS[problem].optimum, 0) for v, _ in its.values() if v is not None]
                ratio = "1" if method == "baton" else f"{np.exp(mine.mean()):.3g} ({low:.3g} to {high:.3g})"
                seconds = np.mean([s for _, s in its.values()])
                print(
                    f"| {problem} | {count} | `{method}` | {len(its)} | {len(values)} | {np.mean(values):.3g} "
                    f"| {np.median(values):.3g} | {ratio} | {seconds:.0f} |"
                )


def tasks(path, rng):
    found = defaultdict(dict)
    with open(path, encoding="utf-8") as file:
        for family, arm, seed, task, seen, used, feasible, at_top, infeasible in csv.reader(file):
            numbers = [float(x) if x else None for x in (seen, used)]
            found[family, arm][int(seed), int(task)] = (*numbers, int(feasible), int(at_top), int(infeasible))
    print("\n| family | arm | runs | regret of the best feasible value by task | tasks 3 to 5 to `cold` | recommended "
          "is feasible | infeasible at the highest fidelity, tasks 3 to 5 | all tasks |\n|---|---|---|---|---|---|---|---|")
    for (family, arm), its in found.items():
        seeds = sorted(s for s, t in its if t == TASKS)
        worst = max(v[0] for v in its.values() if v[0] is not None)
        of = lambda table, s, t: worst if table[s, t][0] is None else table[s, t][0]
        means = [np.mean([of(its, s, t) for s in seeds]) for t in range(1, TASKS + 1)]
        cold = found.get((family, "cold"), {})
        both = [s for s in seeds if (s, TASKS) in cold]
        ratio = ""
        if arm != "cold" and both:
            mine = np.array([sum(of(its, s, t) for t in (3, 4, 5)) for s in both])
            theirs = np.array([sum(of(cold, s, t) for t in (3, 4, 5)) for s in both])
            draws = rng.integers(0, len(both), (DRAWS, len(both)))
            low, high = np.quantile(mine[draws].sum(1) / theirs[draws].sum(1), [0.05, 0.95])
            ratio = f"{mine.sum() / theirs.sum():.2f} ({low:.2f} to {high:.2f})"
        share = lambda late: (
            sum(v[4] for (_, t), v in its.items() if t >= late) / sum(v[3] for (_, t), v in its.items() if t >= late)
        )
        told = np.mean([v[2] for v in its.values()])
        print(
            f"| {family} | `{arm}` | {len(seeds)} | " + ", ".join(f"{m:.3g}" for m in means)
            + f" | {ratio} | {100 * told:.0f} % of {len(its)} | {100 * share(3):.0f} % | {100 * share(1):.0f} % |"
        )


if __name__ == "__main__":
    generator = np.random.default_rng(1)
    single(sys.argv[1], generator)
    if len(sys.argv) > 2:
        tasks(sys.argv[2], generator)
