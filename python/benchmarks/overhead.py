"""What the Python layer adds to an ask at 50 points.

The layer is everything around the algorithm: Python, the gate, JSON, the records in memory and bringing
the task up to date with them. It is measured as a whole `task.ask()` of a campaign whose method is
random search, where the algorithm itself does next to nothing, and set against an ask of the default
method by the library alone, with the same 50 points. The quickest of several rounds counts, ask by
ask: what else the machine did is left out.

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

import baton  # noqa: E402
from problem import campaign, objective  # noqa: E402

BUDGET, ASKS = 200, slice(45, 56)


def library() -> list[float]:
    """Milliseconds of asks of the default method, without Python."""
    call = [ROOT / "target/debug/examples/proposals", "7", str(BUDGET), "1"]
    lines = subprocess.run(call, check=True, capture_output=True, text=True).stdout.splitlines()
    return [json.loads(line)["microseconds"] / 1e3 for line in lines][ASKS]


def layer() -> list[float]:
    """Milliseconds of asks that have nothing to compute."""
    task = campaign(settings=baton.Settings("random")).task("monday", budget=BUDGET)
    times = []
    for _ in range(ASKS.stop):
        begun = time.perf_counter()
        trial = task.ask()
        times.append(1e3 * (time.perf_counter() - begun))
        assert trial is not None
        task.tell(trial, objective(trial))
    return times[ASKS]


def quickest(rounds: list[list[float]]) -> float:
    return statistics.mean(min(one) for one in zip(*rounds))


def main() -> None:
    alone = quickest([library() for _ in range(5)])
    added = quickest([layer() for _ in range(20)])
    print(json.dumps({
        "points": [ASKS.start, ASKS.stop - 1],
        "library_ms": round(alone, 3),
        "layer_ms": round(added, 3),
        "overhead_percent": round(100 * added / alone, 2),
    }))


if __name__ == "__main__":
    main()
