"""BoTorch told how tasks differ: the descriptors are inputs of one model of all tasks, and fixed in a search.

Every ask fits a Gaussian process to the data of this task and all earlier ones, with the descriptors
as inputs, and optimises the acquisition with `fixed_features`. Two forms:

    single   highest fidelity only: SingleTaskGP, qLogNoisyExpectedImprovement
    multi    all fidelities: SingleTaskMultiFidelityGP, MF-GIBBON per cost

A first task begins with 2 d + 2 Sobol points, for half its budget at most; a later one with the point
of the best posterior mean. That point is also what it would recommend before any trial. Each run has a
file in the folder, a line per task: called again, a run goes on after its last line.
"""

import argparse
import json
import math
import sys
import time
from dataclasses import dataclass
from functools import partial
from itertools import product
from multiprocessing import get_context
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "peers"))

import numpy as np  # noqa: E402
import threads  # noqa: E402
import torch  # noqa: E402
from botorch.acquisition import PosteriorMean, qLogNoisyExpectedImprovement  # noqa: E402
from botorch.acquisition.cost_aware import InverseCostWeightedUtility  # noqa: E402
from botorch.acquisition.max_value_entropy_search import (  # noqa: E402
    qMultiFidelityLowerBoundMaxValueEntropy,
)
from botorch.exceptions.errors import ModelFittingError  # noqa: E402
from botorch.fit import fit_gpytorch_mll  # noqa: E402
from botorch.models import SingleTaskGP, SingleTaskMultiFidelityGP  # noqa: E402
from botorch.models.transforms import Standardize  # noqa: E402
from botorch.optim import optimize_acqf, optimize_acqf_mixed  # noqa: E402
from botorch.utils.sampling import draw_sobol_samples  # noqa: E402
from evaluator import Evaluator, Parameter, Task  # noqa: E402
from gibbon_botorch import CANDIDATES, Gibbon, prepare  # noqa: E402
from gpytorch.mlls import ExactMarginalLogLikelihood  # noqa: E402
from torch import Tensor  # noqa: E402

BINARY = HERE.parents[1] / "target/release/baton"
RESTARTS, RAW_SAMPLES, ITERATIONS = 8, 256, 100
OPTIONS = {"batch_limit": RESTARTS, "maxiter": ITERATIONS}


@dataclass(frozen=True)
class Spoken(Task):
    """A task of `yagi.py`, which answers as `baton problem` does."""

    def call(self, binary: Path, *more: str) -> list[str]:
        words = super().call(HERE / "yagi.py", *more)
        return [sys.executable, *words]


@dataclass
class Data:
    """What was seen in all tasks: a row per trial of unit point, descriptors, fidelity; and values."""

    inputs: Tensor
    values: Tensor
    noise: Tensor | None

    def add(self, row: Tensor, value: float, noise: float | None) -> None:
        """One more trial."""
        self.inputs = torch.cat([self.inputs, row[None]])
        self.values = torch.cat([self.values, torch.tensor([[value]])])
        if self.noise is not None and noise is not None:
            self.noise = torch.cat([self.noise, torch.tensor([[noise]])])


class Rival:
    """One task: its evaluator, its descriptors, and the data of all tasks so far."""

    def __init__(self, evaluator: Evaluator, data: Data, rng: np.random.Generator, multi: bool):
        self.evaluator, self.data, self.rng, self.multi = evaluator, data, rng, multi
        self.dimension = len(evaluator.parameters)
        described = evaluator.description
        declared = [(one["name"], Parameter(one)) for one in described["descriptors"]]
        self.place = [one.position(described["describe"][name]) for name, one in declared]
        self.fixed = {self.dimension + i: z for i, z in enumerate(self.place)}
        self.level = self.dimension + len(self.place)  # the column of the fidelity
        self.left = float(described["budget"])
        self.begin = len(data.values)

    @property
    def top(self) -> int:
        """The highest fidelity."""
        return len(self.evaluator.costs) - 1

    def row(self, unit: np.ndarray, level: int) -> Tensor:
        """A trial as the model sees it."""
        return torch.tensor([*unit, *self.place, (level + 1) / (self.top + 1)])

    def fitted(self) -> SingleTaskGP:
        """The model at its most probable parameters."""
        inputs = self.data.inputs if self.multi else self.data.inputs[:, :-1]
        more = {"data_fidelities": [self.level]} if self.multi else {}
        kind = SingleTaskMultiFidelityGP if self.multi else SingleTaskGP
        model = kind(
            inputs,
            self.data.values,
            train_Yvar=self.data.noise,
            outcome_transform=Standardize(m=1),
            **more,
        )
        try:
            fit_gpytorch_mll(ExactMarginalLogLikelihood(model.likelihood, model))
        except ModelFittingError:
            pass
        return model

    def bounds(self) -> Tensor:
        """Of the inputs that the model sees."""
        columns = self.level + 1 if self.multi else self.level
        return torch.stack([torch.zeros(columns), torch.ones(columns)])

    def recommended(self, model: SingleTaskGP) -> np.ndarray:
        """The unit point with the best posterior mean at the highest fidelity."""
        fixed = {**self.fixed, self.level: 1.0} if self.multi else self.fixed
        chosen, _ = optimize_acqf(
            PosteriorMean(model),
            bounds=self.bounds(),
            q=1,
            num_restarts=RESTARTS,
            raw_samples=RAW_SAMPLES,
            options=OPTIONS,
            fixed_features=fixed,
        )
        return chosen[0, : self.dimension].detach().numpy()

    def asked(self, model: SingleTaskGP) -> tuple[np.ndarray, int]:
        """The next trial."""
        if self.multi:
            return self.by_information(model)
        own = self.data.inputs[self.begin :, :-1]
        chosen, _ = optimize_acqf(
            qLogNoisyExpectedImprovement(model, X_baseline=own, prune_baseline=True),
            bounds=self.bounds(),
            q=1,
            num_restarts=RESTARTS,
            raw_samples=RAW_SAMPLES,
            options=OPTIONS,
            fixed_features=self.fixed,
        )
        return chosen[0, : self.dimension].detach().numpy(), self.top

    def by_information(self, model: SingleTaskGP) -> tuple[np.ndarray, int]:
        """MF-GIBBON per cost; the maximum is that of this task."""
        candidates = torch.rand(CANDIDATES, self.level + 1)
        for column, z in {**self.fixed, self.level: 1.0}.items():
            candidates[:, column] = z

        def project(points: Tensor) -> Tensor:
            points = points.clone()
            points[..., self.level] = 1.0
            return points

        costs = self.evaluator.costs
        gain = qMultiFidelityLowerBoundMaxValueEntropy(
            model,
            candidate_set=candidates,
            cost_aware_utility=InverseCostWeightedUtility(Gibbon(costs).cost_model()),
            project=project,
        )
        affordable = [k for k, cost in enumerate(costs) if cost <= self.left]
        levels = [{**self.fixed, self.level: (k + 1) / len(costs)} for k in affordable]
        chosen, _ = optimize_acqf_mixed(
            gain,
            bounds=self.bounds(),
            q=1,
            fixed_features_list=levels,
            num_restarts=RESTARTS // 2,
            raw_samples=RAW_SAMPLES // 2,
            options=OPTIONS,
        )
        point = chosen[0].detach().numpy()
        return point[: self.dimension], round(float(point[self.level]) * len(costs)) - 1

    def tried(self, unit: np.ndarray, level: int) -> None:
        """Evaluates and pays for a trial."""
        unit = self.evaluator.snap(np.clip(unit, 0.0, 1.0))
        variance = self.evaluator.noise[level]
        value = self.evaluator.value(unit, level)
        value += math.sqrt(variance or 0.0) * self.rng.standard_normal()
        self.data.add(self.row(unit, level), value, variance)
        self.left -= self.evaluator.costs[level]

    def open(self) -> None:
        """The first design of a first task; at random fidelities if there is a choice."""
        count, kept = 2 * self.dimension + 2, self.left / 2
        bounds = torch.stack([torch.zeros(self.dimension), torch.ones(self.dimension)])
        units = draw_sobol_samples(bounds, n=count, q=1, seed=int(self.rng.integers(2**31)))
        for unit in units[:, 0].numpy():
            level = int(self.rng.integers(self.top + 1)) if self.multi else self.top
            if self.left - self.evaluator.costs[level] >= kept:
                self.tried(unit, level)

    def spend(self) -> dict[str, Any]:
        """The task from its first point to its recommendation."""
        first: np.ndarray | None = None
        if self.begin == 0:
            self.open()
            first = self.data.inputs[0, : self.dimension].numpy()
        else:
            first = self.recommended(self.fitted())
            self.tried(first, self.top)
        cheapest = min(self.evaluator.costs) if self.multi else self.evaluator.costs[self.top]
        while self.left >= cheapest:
            self.tried(*self.asked(self.fitted()))
        last = self.recommended(self.fitted())
        best = self.evaluator.description["optimum"]["value"]
        regret = lambda unit: best - self.evaluator.value(np.clip(unit, 0.0, 1.0), self.top)  # noqa: E731
        return {
            "first_regret": regret(first),
            "end_regret": regret(last),
            "cost": self.evaluator.description["budget"] - self.left,
            "trials": len(self.data.values) - self.begin,
        }


def restored(rows: list[dict[str, Any]], width: int, known_noise: bool) -> Data:
    """The data of earlier tasks."""
    seen: dict[str, list[Any]] = {
        key: [entry for row in rows for entry in row[key]] for key in ("inputs", "values", "noise")
    }
    inputs = torch.tensor(seen["inputs"]).reshape(-1, width)
    values = torch.tensor(seen["values"]).reshape(-1, 1)
    noise = torch.tensor(seen["noise"]).reshape(-1, 1) if known_noise else None
    return Data(inputs, values, noise)


def loaded(path: Path) -> list[dict[str, Any]]:
    """The lines of a run; a last one that was cut off is forgotten."""
    rows = []
    for line in path.read_text().splitlines() if path.exists() else []:
        try:
            rows.append(json.loads(line))
        except ValueError:
            path.write_text("".join(json.dumps(row) + "\n" for row in rows))
            break
    return rows


def carry_on(call: argparse.Namespace, until: float, run: tuple[int, str]) -> str:
    """The tasks of a run that are missing, as far as time allows."""
    prepare(1)
    seed, form = run
    method = f"botorch-{form}"
    path = call.folder / f"{call.family}-{method}-{seed}.jsonl"
    rows = loaded(path)
    while len(rows) < call.tasks and time.time() < until:
        number = len(rows) + 1
        rng = np.random.default_rng([seed, number])
        torch.manual_seed(int(rng.integers(2**63)))
        task = (Spoken if call.family == "yagi" else Task)(call.family, number, seed)
        begin = time.process_time()
        with Evaluator(call.baton, task) as evaluator:
            width = len(evaluator.parameters) + len(evaluator.description["descriptors"]) + 1
            data = restored(rows, width, None not in evaluator.noise)
            rival = Rival(evaluator, data, rng, form == "multi")
            figures = rival.spend()
        own = slice(rival.begin, None)
        row = {
            "family": call.family,
            "method": method,
            "seed": seed,
            "task": number,
            **figures,
            "seconds": round(time.process_time() - begin, 1),
            "inputs": data.inputs[own].tolist(),
            "values": data.values[own].tolist(),
            "noise": [] if data.noise is None else data.noise[own].tolist(),
        }
        with path.open("a") as file:
            file.write(json.dumps(row) + "\n")
        rows.append(row)
    return f"{path.name}: {len(rows)} tasks"


def main() -> None:
    parser = argparse.ArgumentParser(description="BoTorch with descriptors as fixed features")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--family", default="flight", help="flight, or yagi for the antenna")
    parser.add_argument("--forms", default="single", help="single, multi or both: single,multi")
    parser.add_argument("--seed", type=int, default=1, help="of the first run")
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--tasks", type=int, default=8)
    parser.add_argument("--procs", type=int, default=1, help="runs at a time, a thread each")
    parser.add_argument("--limit-seconds", type=float, default=math.inf, help="no task begins later")
    parser.add_argument("--baton", type=Path, default=BINARY, help="the binary")
    call = parser.parse_args()
    threads.pin(1, bind=False)
    until = time.time() + call.limit_seconds
    call.baton = call.baton.resolve()
    call.folder.mkdir(parents=True, exist_ok=True)
    runs = list(product(range(call.seed, call.seed + call.runs), call.forms.split(",")))
    with get_context("spawn").Pool(call.procs) as pool:
        for line in pool.imap_unordered(partial(carry_on, call, until), runs):
            print(line, flush=True)


if __name__ == "__main__":
    main()
