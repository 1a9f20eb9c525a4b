"""The best feasible times of `examples/battery`, by its finest model: `python batteries.py` writes battery.json,
or adds the tasks that it lacks.

Many random points by the middle model; from the best of them Nelder and Mead's method by the finest one, with what
violates a limit as a penalty.
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

    found = math.inf

    def height(unit, model):
        """Minutes, and one more for every degree or millivolt beyond a limit."""
        nonlocal found
        inside = [min(max(float(u), 0.0), 1.0) for u in unit]
        minutes, limits = battery.charge(point(inside), model, task)
        beyond = sum(max(-one, 0.0) for one in slack(limits))
        if model == "DFN" and beyond == 0:
            found = min(found, minutes)
        return minutes + 10 * beyond + 100 * math.dist(inside, unit)

    starts = sorted(([rng.random() for _ in SPACE] for _ in range(1500)), key=lambda u: height(u, "SPMe"))[:40]
    for unit in sorted(starts, key=lambda u: height(u, "DFN"))[:4]:
        corners = [unit] + [[u + 0.06 * (i == k) * (1 if u < 0.5 else -1) for i, u in enumerate(unit)] for k in range(len(unit))]
        minimize(height, unit, ("DFN",), "Nelder-Mead", options={"initial_simplex": corners, "maxfev": 300, "fatol": 0.003})
    return found


if __name__ == "__main__":
    kept = Path(__file__).with_name("battery.json")
    known = json.loads(kept.read_text()) if kept.exists() else {}
    for task in sys.argv[1:] or TASKS:
        if task not in known:
            known[task] = round(best(task, random.Random(1)), 3)
            kept.write_text(json.dumps(known, indent=2) + "\n")
