"""The quality of BoTorch on Baton's built-in problems: a fitted multi-fidelity GP with MF-GIBBON.

A run is a task as in `baton experiment`: as many free random points at random fidelities as the
problem says, then its budget, the noise variance known. The score counts the noise-free truth of
the best point queried. Nothing passes from task to task, so this is a peer for a first task. Prints
a JSON line per run, as soon as it is done.
"""

import argparse
import json
import math
import time
from dataclasses import dataclass
from functools import partial
from itertools import product
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import botorch
import numpy as np
import torch

import threads
from evaluator import Evaluator, Task
from gibbon_botorch import Gibbon, Observations, prepare

BINARY = Path(__file__).resolve().parents[2] / "target/release/baton"


@dataclass(frozen=True)
class Run:
    """A task and the seed of all that is random about it."""

    task: Task
    seed: int


def opening(evaluator: Evaluator, rng: np.random.Generator) -> Observations:
    """Uniform points at random levels, with noise."""
    count = evaluator.description["initial"]
    units = rng.random((count, len(evaluator.parameters)))
    points = np.array([evaluator.snap(unit) for unit in units])
    levels = rng.integers(0, len(evaluator.costs), count)
    values = [observed(evaluator, point, level, rng) for point, level in zip(points, levels)]
    known = None not in evaluator.noise
    noise = np.array(evaluator.noise, float)[levels] if known else None
    return Observations(points, levels, np.array(values), noise)


def observed(
    evaluator: Evaluator, point: np.ndarray, level: int, rng: np.random.Generator
) -> float:
    """A value with noise."""
    variance = evaluator.noise[level] or 0.0
    return evaluator.value(point, level) + math.sqrt(variance) * rng.standard_normal()


def spend(evaluator: Evaluator, seen: Observations, rng: np.random.Generator) -> dict[str, Any]:
    """Asks until the budget pays for nothing more.

    The time of asks is processor time: with a thread per run, that is what an idle machine takes,
    whatever else goes on.
    """
    gibbon, left = Gibbon(evaluator.costs), evaluator.description["budget"]
    trials, seconds = [0] * len(evaluator.costs), 0.0
    while left >= min(evaluator.costs):
        begin = time.process_time()
        unit, level = gibbon.ask(seen, left)
        seconds += time.process_time() - begin
        point = evaluator.snap(unit)
        seen.add(point, level, observed(evaluator, point, level, rng), evaluator.noise[level])
        left -= evaluator.costs[level]
        trials[level] += 1
    return {
        "ms_per_ask": round(1e3 * seconds / max(sum(trials), 1), 1),
        "trials_per_fidelity": trials,
        "cost": evaluator.description["budget"] - left,
        "failed_fits": gibbon.failed_fits,
    }


def carry_out(binary: Path, run: Run) -> dict[str, Any]:
    """One run, from the opening points to the score."""
    prepare(1)
    rng = np.random.default_rng([run.seed, run.task.number])
    torch.manual_seed(int(rng.integers(2**63)))
    with Evaluator(binary, run.task) as evaluator:
        seen = opening(evaluator, rng)
        spent = spend(evaluator, seen, rng)
        top = len(evaluator.costs) - 1
        best = max(evaluator.value(point, top) for point in seen.points)
        score = evaluator.score(best)
    head = {"problem": run.task.problem, "task": run.task.number, "seed": run.seed}
    fresh = {"fresh_tasks": run.task.fresh is not None}
    peer = {"peer": "BoTorch, MF-GIBBON", "version": botorch.__version__}
    return {**head, **fresh, **score, **spent, **peer}


def main() -> None:
    parser = argparse.ArgumentParser(description="BoTorch on a built-in problem; JSON lines")
    parser.add_argument("--problem", required=True)
    parser.add_argument("--tasks", default="1", help="numbers of tasks, such as 1,4,9")
    parser.add_argument("--seed", type=int, default=1, help="of the first run of a task")
    parser.add_argument("--runs", type=int, default=10, help="of each task; seeds count on")
    parser.add_argument("--fresh-tasks", action="store_true", help="every seed has its own tasks")
    parser.add_argument("--procs", type=int, default=1, help="runs at a time, a thread each")
    parser.add_argument("--baton", type=Path, default=BINARY, help="the binary")
    call = parser.parse_args()
    threads.pin(1, bind=False)
    numbers = [int(number) for number in call.tasks.split(",")]
    runs = [
        Run(Task(call.problem, number, seed if call.fresh_tasks else None), seed)
        for number, seed in product(numbers, range(call.seed, call.seed + call.runs))
    ]
    with get_context("spawn").Pool(call.procs) as pool:
        for line in pool.imap_unordered(partial(carry_out, call.baton.resolve()), runs):
            print(json.dumps(line), flush=True)


if __name__ == "__main__":
    main()
