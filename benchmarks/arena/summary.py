"""Tables and pictures from the measurements alone: `python summary.py ../results/arena`.

Writes `FAMILY.md` and `FAMILY.svg` for each family, `overall.md` and `overall.svg` (cost to reach) and `tasks.svg`
(regret from task to task, for the README) into `--pages`.

| figure | meaning |
|---|---|
| target | of a task by its name: the median of what the runs of the best cold rival end with |
| cost to reach | cost at which the best value at the highest fidelity is at the target or below; `LATE` budgets where it never is |
| ratio | to `baton`: geometric mean over paired seeds (and tasks), 90 % interval by bootstrap over seeds |
| regret | value less the best that anybody ever found for the task, in units of what the median run of `random` is left with |
| seen, used | regret of the best point seen at the highest fidelity; of the recommended point |
"""

import argparse
import csv
from collections import defaultdict
from pathlib import Path

import numpy as np

from methods import COLD, METHODS

OURS, TASKS, LATE, DRAWS = "baton", 5, 2.0, 4000
RIVALS = [name for name in COLD if not name.startswith("baton")]
PHASES = {"task 1": [1], "task 2": [2], "tasks 3 to 5": [3, 4, 5]}


class Measured:
    """The runs of a family."""

    def __init__(self, path):
        self.path, self.curves, self.ends = path, defaultdict(list), {}
        with path.open(encoding="utf-8") as file:
            for row in csv.DictReader(file):
                key = row["method"], int(row["seed"]), int(row["task"])
                if row["what"] == "best":
                    self.curves[key].append((float(row["cost"]), float(row["value"])))
                else:
                    self.ends[key] = row
        self.name = path.stem
        self.methods = [name for name in METHODS if any(key[0] == name for key in self.ends)]
        self.budget = max(float(row["cost"]) for row in self.ends.values())
        self.best, finals = {}, defaultdict(list)
        for key, row in self.ends.items():
            seen = [value for _, value in self.curves[key]] + [float(row["value"])]
            seen += [float(row["least"])] if row["least"] else []
            label = row["label"]
            self.best[label] = min(self.best.get(label, np.inf), *seen)
            finals[key[0], label].append(self.final(key))
        medians = {pair: np.median(values) for pair, values in finals.items()}
        self.targets, self.units = {}, {}
        for label in self.best:
            cold = [medians[rival, label] for rival in RIVALS if (rival, label) in medians]
            self.targets[label] = min(cold) if cold else np.nan
            self.units[label] = max(medians.get(("random", label), np.inf) - self.best[label], 1e-12)

    def final(self, key):
        return self.curves[key][-1][1] if self.curves[key] else np.inf

    def seeds(self, method):
        """Of complete runs."""
        return {seed for name, seed, task in self.ends if name == method and task == TASKS}

    def reach(self, key):
        target = self.targets[self.ends[key]["label"]]
        for cost, value in self.curves[key]:
            if value <= target + 1e-9 * abs(target):
                return cost
        return LATE * self.budget

    def regret(self, key, used=False):
        row = self.ends[key]
        value = float(row["value"]) if used else self.final(key)
        return (value - self.best[row["label"]]) / self.units[row["label"]]


def interval(values, rng):
    """Mean and 90 % interval of a row of numbers, by bootstrap."""
    values = np.asarray(values, dtype=float)
    draws = values[rng.integers(0, len(values), (DRAWS, len(values)))].mean(1)
    return values.mean(), *np.quantile(draws, [0.05, 0.95])


def ratio(family, method, tasks, rng):
    """Of the cost to reach, to that of `baton`: mean, low, high, seeds; none if nothing is paired."""
    paired = sorted(family.seeds(method) & family.seeds(OURS))
    if not paired:
        return None
    log = lambda name, seed: np.mean([np.log(family.reach((name, seed, task))) for task in tasks])
    logs = [log(method, seed) - log(OURS, seed) for seed in paired]
    return *(float(np.exp(x)) for x in interval(logs, rng)), len(paired)


def shown(found):
    return "" if found is None else "{:.2f} ({:.2f} to {:.2f})".format(*found[:3])


def page(family, rng):
    """The tables of a family."""
    lines = [f"Budget of a task {family.budget:g}. Cost to reach what the best cold rival ends with, ratios to `{OURS}`:", ""]
    lines += [
        "| rival | seeds | " + " | ".join(PHASES) + " | reached, tasks 3 to 5 | seconds per ask |",
        "|---|---|" + "---|" * (len(PHASES) + 2),
    ]
    for method in family.methods:
        seeds = family.seeds(method)
        late = [(method, seed, task) for seed in seeds for task in PHASES["tasks 3 to 5"]]
        reached = np.mean([family.reach(key) <= family.budget for key in late]) if late else np.nan
        every = [row for key, row in family.ends.items() if key[0] == method]
        ask = sum(float(row["seconds"]) for row in every) / sum(int(row["asks"]) for row in every)
        ratios = " | ".join("1" if method == OURS else shown(ratio(family, method, tasks, rng)) for tasks in PHASES.values())
        lines.append(f"| `{method}` | {len(seeds)} | {ratios} | {100 * reached:.0f} % | {ask:.2g} |")
    lines += ["", "Regret at the end (units: what `random` is left with), mean over seeds, of the best point seen / of the recommended one:", ""]
    lines += ["| rival | " + " | ".join(PHASES) + " |", "|---|" + "---|" * len(PHASES)]
    for method in family.methods:
        cells = []
        for tasks in PHASES.values():
            keys = [(method, seed, task) for seed in family.seeds(method) for task in tasks]
            both = [np.mean([family.regret(key, used) for key in keys]) if keys else np.nan for used in (False, True)]
            cells.append("{:.2g} / {:.2g}".format(*both))
        lines.append(f"| `{method}` | " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


def against_best(families, rng):
    """Regret at the end of tasks 3 to 5 beside the best rival's, and in the first task."""
    lines = [
        "| family | Baton | without transfer | best rival | ratio to it, paired | first task: Baton, best rival |",
        "|---|---|---|---|---|---|",
    ]
    for family in families:
        rivals = [name for name in family.methods if not name.startswith(OURS)]
        regrets = lambda name, tasks: {
            seed: np.mean([family.regret((name, seed, task)) for task in tasks]) for seed in family.seeds(name)
        }
        mean = lambda name, tasks: np.mean(list(regrets(name, tasks).values()))
        late = PHASES["tasks 3 to 5"]
        best, first = (min(rivals, key=lambda name: mean(name, tasks)) for tasks in (late, [1]))
        ours, theirs = regrets(OURS, late), regrets(best, late)
        seeds = sorted(ours.keys() & theirs.keys())
        pairs = np.array([[ours[seed], theirs[seed]] for seed in seeds])
        draws = pairs[rng.integers(0, len(seeds), (DRAWS, len(seeds)))].mean(1)
        low, high = np.quantile(draws[:, 0] / draws[:, 1], [0.05, 0.95])
        found = pairs[:, 0].mean() / pairs[:, 1].mean(), low, high
        lines.append(
            f"| {family.name} | {mean(OURS, late):.2f} | {mean(OURS + '-cold', late):.2f} | {mean(best, late):.2f} (`{best}`) "
            f"| {shown(found)}, {len(seeds)} seeds | {mean(OURS, [1]):.2f}, {mean(first, [1]):.2f} (`{first}`) |"
        )
    return "\n".join(lines)


def curve(family, method, task, costs):
    """Median regret of the best seen against cost; NaN while half of the runs have seen nothing."""
    rows = []
    for seed in family.seeds(method):
        key = method, seed, task
        label, row = family.ends[key]["label"], np.full(len(costs), np.inf)
        for cost, value in family.curves[key]:
            row[costs >= cost] = (value - family.best[label]) / family.units[label]
        rows.append(row)
    middle = np.median(rows, axis=0)
    return np.where(np.isfinite(middle), middle, np.nan)


def colours(plt):
    return {name: plt.get_cmap("tab20")(k % 20) for k, name in enumerate(METHODS)}


def picture(family, path, plt):
    figure, axes = plt.subplots(1, TASKS, figsize=(15, 3.6), sharey=True)
    costs = np.linspace(0, family.budget, 121)[1:]
    for task, axis in enumerate(axes, 1):
        for method in family.methods:
            if family.seeds(method):
                axis.plot(
                    costs, np.maximum(curve(family, method, task, costs), 1e-4), drawstyle="steps-post", label=method,
                    color="black" if method == OURS else colours(plt)[method], linewidth=2.2 if method == OURS else 1.1,
                )
        axis.set(title=f"task {task}", xlabel="cost", yscale="log")
        axis.grid(alpha=0.3)
    axes[0].set_ylabel("median regret (random's end = 1)")
    axes[-1].legend(fontsize=7, loc="center left", bbox_to_anchor=(1.0, 0.5))
    figure.suptitle(family.name)
    figure.savefig(path, bbox_inches="tight")
    plt.close(figure)


SHOWN = {"random": "random search", "smac": "SMAC", "botorch-cold": "BoTorch", "optuna-tpe": "Optuna TPE, best points handed on",
         "optuna-gp": "Optuna GP, best points handed on", "baton-cold": "Baton without transfer", OURS: "Baton"}


def from_task_to_task(families, path, plt):
    """Mean regret at the end of each task, of the best point seen: what is gained by handing on."""
    figure, axes = plt.subplots(1, len(families), figsize=(2.3 * len(families), 3.0), sharey=True)
    numbers = range(1, TASKS + 1)
    for axis, family in zip(axes, families):
        for k, (method, words) in enumerate(SHOWN.items()):
            seeds, ours = family.seeds(method), method == OURS
            if seeds:
                means = [np.mean([family.regret((method, seed, task)) for seed in seeds]) for task in numbers]
                look = {"color": "black", "linewidth": 2.4} if ours else {"color": plt.get_cmap("tab10")(k), "linewidth": 1.2}
                axis.plot(numbers, means, marker="o", markersize=4 if ours else 2.5, label=words, **look)
        axis.set(title=family.name, xlabel="task", yscale="log", xticks=list(numbers))
        axis.grid(alpha=0.3)
    axes[0].set_ylabel("regret (random search: 1)")
    lines = {line.get_label(): line for axis in axes for line in axis.get_lines()}
    words = [words for words in SHOWN.values() if words in lines]
    figure.legend([lines[one] for one in words], words, loc="lower center", ncols=4, fontsize=8, frameon=False, bbox_to_anchor=(0.5, -0.2))
    figure.savefig(path, bbox_inches="tight")
    plt.close(figure)


def overall(families, pages, rng, plt):
    late = PHASES["tasks 3 to 5"]
    methods = [name for name in METHODS if name != OURS and any(name in one.methods for one in families)]
    lines = [
        f"Cost to reach what the best cold rival ends with, tasks 3 to 5, ratios to `{OURS}` (more than 1: the rival needs more):",
        "", "| rival | " + " | ".join(one.name for one in families) + " | all |", "|---|" + "---|" * (len(families) + 1),
    ]
    figure, axis = plt.subplots(figsize=(9, 0.5 * len(methods) + 1.5))
    for height, method in enumerate(reversed(methods)):
        for k, one in enumerate(families):
            found = ratio(one, method, late, rng)
            if found:
                mean, low, high, _ = found
                axis.errorbar(
                    mean, height + 0.6 * (k / max(len(families) - 1, 1) - 0.5), xerr=[[mean - low], [high - mean]],
                    fmt="o", markersize=4, color=plt.get_cmap("tab10")(k),
                )
    for k, one in enumerate(families):
        axis.plot([], [], "o", markersize=4, color=plt.get_cmap("tab10")(k), label=one.name)
    for method in methods:
        found = [ratio(one, method, late, rng) for one in families]
        means = [one[0] for one in found if one]
        every = f"{np.exp(np.mean(np.log(means))):.2f}" if means else ""
        lines.append(f"| `{method}` | " + " | ".join(map(shown, found)) + f" | {every} |")
    axis.axvline(1, color="black", linewidth=1)
    axis.set(xscale="log", xlabel=f"cost to reach, tasks 3 to 5, relative to {OURS}", yticks=range(len(methods)))
    axis.set_yticklabels(methods[::-1])
    axis.legend(fontsize=7, loc="center left", bbox_to_anchor=(1.0, 0.5))
    figure.savefig(pages / "overall.svg", bbox_inches="tight")
    plt.close(figure)
    text = "\n".join([*lines, "", "Regret at the end of tasks 3 to 5 (units: what `random` is left with):", "", against_best(families, rng)])
    (pages / "overall.md").write_text(text + "\n", encoding="utf-8")
    print(text)


def main():
    parser = argparse.ArgumentParser(description="tables and pictures of the arena")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--pages", type=Path, default=Path(__file__).with_name("measured"))
    call = parser.parse_args()
    import matplotlib

    matplotlib.use("svg")
    import matplotlib.pyplot as plt

    plt.rcParams.update({"svg.fonttype": "none", "svg.hashsalt": "arena", "path.simplify": True})
    call.pages.mkdir(parents=True, exist_ok=True)
    families = [Measured(path) for path in sorted(call.folder.glob("*.csv"))]
    for family in families:
        rng = np.random.default_rng(1)
        text = page(family, rng)
        (call.pages / f"{family.name}.md").write_text(f"# {family.name}\n\n![]({family.name}.svg)\n\n{text}", encoding="utf-8")
        picture(family, call.pages / f"{family.name}.svg", plt)
    from_task_to_task(families, call.pages / "tasks.svg", plt)
    overall(families, call.pages, np.random.default_rng(1), plt)


if __name__ == "__main__":
    main()
