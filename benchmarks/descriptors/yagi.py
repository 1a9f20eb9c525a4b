"""The antenna of `examples/descriptors` as a problem with known optima, spoken to as `baton problem`.

    yagi.py problem yagi --task 3 --fresh 7 --describe    its space, costs, descriptors and optimum
    yagi.py problem yagi --task 3 --fresh 7               answers a JSON line with one
    yagi.py optima                                        makes antenna-optima.json anew (minutes)

A sequence takes its frequencies from 24 in equal steps of their logarithm, each at most once. Needs
`necpp`; `optima` needs `scipy` besides.
"""

import argparse
import json
import random
import sys
from functools import cache
from multiprocessing import Pool
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1] / "examples/descriptors"))

from antenna import gain  # noqa: E402

OPTIMA = HERE / "antenna-optima.json"
LOW, HIGH, COUNT = 118e6, 174e6, 24
FREQUENCIES = [LOW * (HIGH / LOW) ** (i / (COUNT - 1)) for i in range(COUNT)]
BOUNDS = {
    "reflector": (0.7, 1.4),
    "driven": (0.65, 1.3),
    "director": (0.6, 1.25),
    "behind": (0.15, 0.9),
    "ahead": (0.15, 0.9),
}
SEGMENTS, COSTS = (5, 11, 21), (1.0, 4.0, 12.0)
BUDGET = 96.0


def value(point: list[float], frequency: float, level: int) -> float:
    """Gain of an antenna given as a list, at a level from 0."""
    return float(gain(dict(zip(BOUNDS, point)), frequency, SEGMENTS[level]))


def drawn(task: int, fresh: int | None) -> int:
    """The place in the list of frequencies of a task, from 1, of a sequence."""
    order = random.Random(0 if fresh is None else fresh + 1).sample(range(COUNT), COUNT)
    return order[(task - 1) % COUNT]


@cache
def optima() -> list[dict[str, Any]]:
    """The best antenna of each frequency."""
    found: list[dict[str, Any]] = json.loads(OPTIMA.read_text())
    return found


def real(name: str, low: float, high: float, log: bool) -> dict[str, Any]:
    """A parameter or descriptor in Baton's words."""
    return {"name": name, "domain": {"real": {"low": low, "high": high, "log": log}}}


def description(index: int) -> dict[str, Any]:
    """What `baton problem --describe` would say."""
    best = optima()[index]
    levels = zip(SEGMENTS, COSTS)
    return {
        "problem": "yagi",
        "space": [real(name, low, high, False) for name, (low, high) in BOUNDS.items()],
        "fidelities": [
            {"name": f"{segments} segments", "cost": cost, "noise_variance": None}
            for segments, cost in levels
        ],
        "budget": BUDGET,
        "initial": 2 * len(BOUNDS) + 2,
        "tasks": 8,
        "goal": "maximize",
        "score": "regret",
        "optimum": {"point": best["point"], "value": best["value"]},
        "describe": {"frequency": FREQUENCIES[index]},
        "descriptors": [real("frequency", LOW, HIGH, True)],
    }


def answer(line: str, index: int) -> dict[str, Any]:
    """The value that a line asks for."""
    request = json.loads(line)
    point = request["point"]
    if isinstance(point, dict):
        point = [point[name] for name in BOUNDS]
    try:
        return {"value": value(point, FREQUENCIES[index], request["fidelity"] - 1)}
    except ValueError as error:
        return {"error": str(error)}


def search(index: int) -> dict[str, Any]:
    """The best antenna of a frequency: evolution at the first level, refined at the last."""
    from scipy.optimize import differential_evolution, minimize

    frequency, bounds = FREQUENCIES[index], list(BOUNDS.values())
    best: tuple[float, list[float]] = (-float("inf"), [])
    for seed in (1, 2):
        far = differential_evolution(
            lambda x: -value(list(x), frequency, 0), bounds, seed=seed, popsize=15, maxiter=80
        )
        near = minimize(
            lambda x: -value(list(x), frequency, 2),
            far.x,
            method="Nelder-Mead",
            bounds=bounds,
            options={"xatol": 1e-5, "fatol": 1e-6, "maxfev": 1000},
        )
        best = max(best, (-float(near.fun), [float(x) for x in near.x]))
    print(f"{frequency / 1e6:.1f} MHz: {best[0]:.4f} dBi", file=sys.stderr, flush=True)
    return {"frequency": frequency, "point": best[1], "value": best[0]}


def main() -> None:
    parser = argparse.ArgumentParser(description="a Yagi antenna, one frequency after another")
    words = parser.add_subparsers(dest="word", required=True)
    problem = words.add_parser("problem")
    problem.add_argument("name", choices=["yagi"])
    problem.add_argument("--task", type=int, default=1)
    problem.add_argument("--fresh", type=int)
    problem.add_argument("--describe", action="store_true")
    words.add_parser("optima")
    call = parser.parse_args()
    if call.word == "optima":
        with Pool() as pool:
            found = pool.map(search, range(COUNT), chunksize=1)
        OPTIMA.write_text(json.dumps(found, indent=1) + "\n")
        return
    index = drawn(call.task, call.fresh)
    if call.describe:
        print(json.dumps(description(index)))
        return
    for line in sys.stdin:
        print(json.dumps(answer(line, index)), flush=True)


if __name__ == "__main__":
    main()
