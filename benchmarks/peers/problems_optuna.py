"""The quality of Optuna on Baton's built-in problems: one study a task, at the highest fidelity.

A run is a task as in `baton experiment`, but for the fidelities, which Optuna's samplers do not
model: as many free random points as the problem says, all at the highest fidelity, then its budget
there. The score counts the noise-free value of the best point queried. Nothing passes from task to
task. Prints a JSON line per run, as soon as it is done.
"""

import argparse
import json
import math
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import optuna

from evaluator import Evaluator, Task

BINARY = Path(__file__).resolve().parents[2] / "target/release/baton"
SAMPLERS = {"tpe": optuna.samplers.TPESampler, "gp": optuna.samplers.GPSampler}


def carry_out(binary: Path, sampler: str, task: Task, seed: int) -> dict[str, Any]:
    """One study, from the opening points to the score."""
    rng = np.random.default_rng([seed, task.number])
    made = SAMPLERS[sampler](seed=int(rng.integers(2**31)))
    study = optuna.create_study(direction="maximize", sampler=made)
    with Evaluator(binary, task) as evaluator:
        top = len(evaluator.costs) - 1
        names = [f"x{i}" for i in range(len(evaluator.parameters))]
        ranges = {name: optuna.distributions.FloatDistribution(0.0, 1.0) for name in names}
        deviation = math.sqrt(evaluator.noise[top] or 0.0)
        free = evaluator.description["initial"]
        paid = int(evaluator.description["budget"] // evaluator.costs[top])
        for unit in rng.random((free, len(names))):
            study.enqueue_trial(dict(zip(names, unit)))
        best = -math.inf
        for _ in range(free + paid):
            trial = study.ask(ranges)
            point = evaluator.snap(np.array([trial.params[name] for name in names]))
            value = evaluator.value(point, top)
            best = max(best, value)
            study.tell(trial, value + deviation * rng.standard_normal())
        score = evaluator.score(best)
    head = {"problem": task.problem, "task": task.number, "seed": seed}
    peer = {"peer": f"Optuna, {sampler.upper()}", "version": optuna.__version__}
    return {**head, "fresh_tasks": task.fresh is not None, **score, "trials": free + paid, **peer}


def main() -> None:
    parser = argparse.ArgumentParser(description="Optuna on a built-in problem; JSON lines")
    parser.add_argument("--problem", required=True)
    parser.add_argument("--sampler", choices=SAMPLERS, default="tpe")
    parser.add_argument("--tasks", default="1", help="numbers of tasks, such as 1,4,9")
    parser.add_argument("--seed", type=int, default=1, help="of the first run of a task")
    parser.add_argument("--runs", type=int, default=10, help="of each task; seeds count on")
    parser.add_argument("--fresh-tasks", action="store_true", help="every seed has its own tasks")
    parser.add_argument("--baton", type=Path, default=BINARY, help="the binary")
    call = parser.parse_args()
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    numbers = [int(number) for number in call.tasks.split(",")]
    for number, seed in product(numbers, range(call.seed, call.seed + call.runs)):
        task = Task(call.problem, number, seed if call.fresh_tasks else None)
        print(json.dumps(carry_out(call.baton.resolve(), call.sampler, task, seed)), flush=True)


if __name__ == "__main__":
    main()
