"""The best feasible times of `examples/battery`, by its finest model: `python battery.py` writes battery.json,
or adds the tasks that it lacks.

Many random points by the middle model; the best of them, by the finest one, are where COBYLA begins.
"""

import json
import math
import random
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "examples" / "battery"))
import battery  # noqa: E402

SPACE = {"first": (0.4, 3), "first_share": (0.1, 0.8), "second": (0.3, 2), "second_share": (0.1, 0.9), "third": (0.2, 1.5)}
LOGARITHMIC = ("first", "second", "third")
LIMITS = {"temperature": "<= 45", "margin": ">= 0"}
TASKS = battery.TASKS


def point(unit):
    """From the unit cube."""
    along = lambda u, low, high: low + u * (high - low)
    logarithmic = lambda u, low, high: math.exp(along(u, math.log(low), math.log(high)))
    way = lambda name: logarithmic if name in LOGARITHMIC else along
    return {name: way(name)(u, *ends) for u, (name, ends) in zip(unit, SPACE.items())}


def slack(limits):
    """How far both bounds are kept, in tens of degrees and tens of millivolts."""
    return [(45.0 - limits.get("temperature", 100.0)) / 10, limits["margin"] / 10]


def best(task, rng):
    from scipy.optimize import minimize

    starts = []
    for unit in ([rng.random() for _ in SPACE] for _ in range(2500)):
        minutes, limits = battery.charge(point(unit), "SPMe", task)
        if min(slack(limits)) > -0.5:
            starts.append((minutes, unit))
    known = {}

    def fine(u):
        inside = tuple(min(max(float(v), 0.0), 1.0) for v in u)
        if inside not in known:
            known[inside] = battery.charge(point(inside), "DFN", task)
        return known[inside]

    for _, unit in sorted(starts)[:4]:
        inside = [lambda u, k=k: slack(fine(u)[1])[k] for k in range(2)]
        inside += [lambda u, i=i: u[i] for i in range(len(unit))] + [lambda u, i=i: 1 - u[i] for i in range(len(unit))]
        minimize(
            lambda u: fine(u)[0] / 10, unit, method="COBYLA", options={"rhobeg": 0.05, "maxiter": 120},
            constraints=[{"type": "ineq", "fun": one} for one in inside],
        )
    return min(minutes for minutes, limits in known.values() if min(slack(limits)) >= 0)


if __name__ == "__main__":
    kept = Path(__file__).with_name("battery.json")
    known = json.loads(kept.read_text()) if kept.exists() else {}
    for task in sys.argv[1:] or TASKS:
        if task not in known:
            known[task] = round(best(task, random.Random(1)), 3)
            kept.write_text(json.dumps(known, indent=2) + "\n")
