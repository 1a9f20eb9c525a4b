"""Sequences of tasks with fidelities and limits: `python tasks.py FAMILY ARM FIRST LAST`, a line per seed and task.

| family | what it is |
|---|---|
| `cell` | charging a battery cell by two currents, under a temperature and a plating limit (the model of `examples/constraints`); tasks differ in ambient temperature, capacity and resistance |
| `battery` | the same by PyBaMM (`examples/battery`): one cell or another, four surroundings; three models of a cell are three fidelities |
| `hartmann` | Hartmann's function of six parameters, moved a little from task to task, within a ball that moves otherwise; the best point lies on its surface |

| arm | what it is |
|---|---|
| `default` | one campaign |
| `cold` | every task starts from nothing |
| `safe` | one campaign with `safe = 0.9`, from a feasible start |
| `cold-safe` | every task from nothing with `safe = 0.9`, from a feasible start |

Prints family, arm, seed, task, regret of the best feasible value seen at the highest fidelity (empty: none), regret
of the recommended point (empty: it is not feasible), whether the recommended point is feasible, trials at the highest
fidelity, how many of them were infeasible.
"""

import json
import math
import random
import sys
from pathlib import Path

import baton
from problems import hartmann

TASKS = 5


class Family:
    """A sequence of tasks; each is called with a point and a fidelity."""

    space: dict
    constraints: dict

    @classmethod
    def tasks(cls, rng):
        return [cls(rng) for _ in range(TASKS)]

    @classmethod
    def parameters(cls):
        return cls.space

    def least(self):
        """The best feasible value, as far as it is known."""
        return optimum(type(self), self, random.Random(1))


class Battery(Family):
    fidelities = {"SPM": 1, "SPMe": 4, "DFN": 20}
    budgets = [300, 200, 200, 200, 200]
    start = {"first": 0.5, "first_share": 0.4, "second": 0.35, "second_share": 0.5, "third": 0.25}

    def __init__(self, name):
        import batteries

        self.module, self.name = batteries, name
        self.best = json.loads(Path(__file__).with_name("battery.json").read_text())[name]
        self.seen = {}

    @classmethod
    def tasks(cls, rng):
        import batteries

        cls.space, cls.constraints = batteries.SPACE, batteries.LIMITS
        return [cls(name) for name in rng.sample(sorted(batteries.TASKS), TASKS)]

    @classmethod
    def parameters(cls):
        import batteries

        ends = batteries.SPACE.items()
        return {name: baton.log(*e) if name in batteries.LOGARITHMIC else baton.real(*e) for name, e in ends}

    def __call__(self, x, fidelity):
        return self.module.battery.charge(x, fidelity, self.name)

    def least(self):
        return self.best


class Cell(Family):
    space = {"first": (2.0, 20.0), "switch": (0.15, 0.75), "second": (1.0, 15.0)}
    fidelities = {"coarse": 1, "fine": 6}
    constraints = {"temperature": "<= 45", "margin": ">= 5"}
    budgets = [100, 60, 60, 60, 60]
    start = {"first": 3.0, "switch": 0.5, "second": 2.0}

    def __init__(self, rng):
        self.ambient, self.capacity = rng.uniform(12, 34), rng.uniform(4.6, 5.4)
        self.ohms = rng.uniform(0.027, 0.033)

    def __call__(self, x, fidelity):
        step = 90.0 if fidelity == "coarse" else 3.0
        state, degrees, seconds, hottest, least = 0.1, self.ambient, 0.0, self.ambient, math.inf
        while state < 0.8:
            current = x["first"] if state < x["switch"] else x["second"]
            plating = current * 8.5 * math.exp(0.030 * (25.0 - degrees))
            least = min(least, 60.0 + 190.0 * math.exp(-2.4 * state) - plating)
            heat = current**2 * self.ohms * math.exp(0.018 * (25.0 - degrees)) - 0.30 * (degrees - self.ambient)
            degrees += step * heat / 65.0
            gained = step * current / (3600.0 * self.capacity)
            part = min(1.0, (0.8 - state) / gained)
            state, seconds, hottest = state + gained, seconds + part * step, max(hottest, degrees)
        return seconds / 60.0, {"temperature": hottest, "margin": least}


class Hartmann(Family):
    names = [f"x{i}" for i in range(6)]
    space = {name: (0.0, 1.0) for name in names}
    fidelities = {"coarse": 1, "fine": 5}
    constraints = {"ball": "<= 0.5"}
    budgets = [150, 100, 100, 100, 100]
    start = {name: 0.5 for name in names}

    def __init__(self, rng):
        self.shift = [rng.gauss(0, 0.04) for _ in range(6)]
        self.centre = [0.5 + rng.gauss(0, 0.03) for _ in range(6)]

    def __call__(self, x, fidelity):
        at = [x[name] for name in self.names]
        value, _ = hartmann([u - s for u, s in zip(at, self.shift)])
        ball = math.dist(at, self.centre)
        if fidelity == "coarse":
            value, ball = 0.9 * value - 0.1 * math.cos(5 * at[0]), ball + 0.03 * math.sin(7 * at[1])
        return value, {"ball": ball}


FAMILIES = {"battery": Battery, "cell": Cell, "hartmann": Hartmann}


def holds(family, limits):
    def one(name):
        sign, bound = family.constraints[name].split()
        return limits[name] <= float(bound) if sign == "<=" else limits[name] >= float(bound)

    return all(name in limits and one(name) for name in family.constraints)


def optimum(family, task, rng):
    """The best feasible value: many random places, and from the best of them steps that shrink."""

    def height(x):
        value, limits = task(x, "fine")
        return value if holds(family, limits) else math.inf

    names = list(family.space)
    place = lambda: {name: rng.uniform(*family.space[name]) for name in names}
    best = sorted((place() for _ in range(4000)), key=height)[:8] + [dict(family.start)]
    found = math.inf
    for x in best:
        here, step = height(x), 0.1
        while step > 1e-4:
            better = False
            for _ in range(12 * len(names)):
                near = {
                    name: min(max(x[name] + step * (high - low) * rng.gauss(0, 1), low), high)
                    for name, (low, high) in family.space.items()
                }
                value = height(near)
                if value < here:
                    x, here, better = near, value, True
            if not better:
                step *= 0.6
        found = min(found, here)
    return found


def remembered(name, seed, number, least):
    """The same, once for all arms."""
    kept = Path(__file__).with_name("optima") / f"{name}-{seed}-{number}"
    if not kept.exists():
        kept.parent.mkdir(exist_ok=True)
        kept.write_text(repr(least()))
    return float(kept.read_text())


def main(name, arm, first, last):
    family = FAMILIES[name]
    finest = list(family.fidelities)[-1]
    for seed in range(int(first), int(last) + 1):
        rng = random.Random(seed)
        tasks = family.tasks(rng)
        settings = {"policy": {"safe": 0.9}} if "safe" in arm else None
        campaign = None
        for number, task in enumerate(tasks, 1):
            if campaign is None or arm.startswith("cold"):
                campaign = baton.Campaign(
                    family.parameters(), goal="minimize", fidelities=family.fidelities, constraints=family.constraints,
                    seed=seed * 100 + (number if arm.startswith("cold") else 0), settings=settings,
                )
            work = campaign.task(f"task {number}", budget=family.budgets[number - 1])
            if "safe" in arm:
                trial = work.suggest(family.start)
                value, limits = task(trial.params, trial.fidelity)
                work.tell(trial, value, constraints=limits)
            seen, at_top, infeasible = math.inf, 0, 0
            while (trial := work.ask()) is not None:
                value, limits = task(trial.params, trial.fidelity)
                work.tell(trial, value, constraints=limits)
                if trial.fidelity == finest:
                    at_top += 1
                    infeasible += not holds(family, limits)
                    seen = min(seen, value) if holds(family, limits) else seen
            use = work.finish()
            value, limits = task(dict(use), finest)
            feasible = holds(family, limits)
            least = min(remembered(name, seed, number, task.least), seen, value if feasible else math.inf)
            regret = "" if math.isinf(seen) else f"{seen - least:.6f}"
            used = f"{value - least:.6f}" if feasible else ""
            print(f"{name},{arm},{seed},{number},{regret},{used},{int(feasible)},{at_top},{infeasible}", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
