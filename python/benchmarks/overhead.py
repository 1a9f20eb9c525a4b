"""What the Python layer adds to an ask at 50 points: `task.ask()` against the library alone.

The same campaign, seed and values on both sides, so that every ask has the same work to do. Rounds take
turns, and for each ask the quickest of all rounds counts: what else the machine did is left out.

    cargo build --workspace --examples
    $(scripts/wheel) python/benchmarks/overhead.py
"""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "python/tests"))

from problem import campaign, objective  # noqa: E402

ROUNDS, BUDGET, FROM, TO = 7, 150, 45, 56


def rust() -> list[float]:
    call = [ROOT / "target/debug/examples/proposals", "7", str(BUDGET), "1"]
    lines = subprocess.run(call, check=True, capture_output=True, text=True).stdout.splitlines()
    return [json.loads(line)["microseconds"] for line in lines]


def python() -> list[float]:
    task, times = campaign().task("monday", budget=BUDGET), []
    while True:
        begun = time.perf_counter()
        trial = task.ask()
        ended = time.perf_counter()
        if trial is None:
            return times
        times.append(1e6 * (ended - begun))
        task.tell(trial, objective(trial))


def quickest(rounds: list[list[float]]) -> list[float]:
    return [min(one) for one in zip(*rounds)][FROM:TO]


def main() -> None:
    theirs, ours = [], []
    for _ in range(ROUNDS):
        theirs.append(rust())
        ours.append(python())
    alone, layered = quickest(theirs), quickest(ours)
    added = [with_layer - without for with_layer, without in zip(layered, alone)]
    print(json.dumps({
        "points": [FROM, TO - 1],
        "library_ms": round(statistics.mean(alone) / 1e3, 3),
        "python_ms": round(statistics.mean(layered) / 1e3, 3),
        "added_ms": round(statistics.mean(added) / 1e3, 3),
        "overhead_percent": round(100 * sum(added) / sum(alone), 2),
    }))


if __name__ == "__main__":
    main()
