"""A built-in problem of Baton as seen by a peer: its description, and noise-free values.

`baton problem NAME` answers one JSON line with one; the points go there in raw values and are
handled here as unit points, snapped to legal values as Baton does.
"""

import json
import math
import subprocess
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Task:
    """One task of a problem; `fresh` is the seed of a sequence of its own, else the common one."""

    problem: str
    number: int
    fresh: int | None

    def call(self, binary: Path, *more: str) -> list[str]:
        """The command that knows about this task."""
        own = [] if self.fresh is None else ["--fresh", str(self.fresh)]
        return [str(binary), "problem", self.problem, "--task", str(self.number), *own, *more]


class Parameter:
    """One parameter: where its values lie in the unit interval."""

    def __init__(self, entry: dict[str, Any]) -> None:
        ((kind, domain),) = entry["domain"].items()
        self.legal: Array | None = None
        self.low: float
        self.high: float
        self.log = bool(domain.get("log", False))
        if kind == "real":
            self.low, self.high = domain["low"], domain["high"]
            return
        if kind == "stepped":
            count = int((domain["high"] - domain["low"]) / domain["step"] + 1e-9) + 1
            self.legal = domain["low"] + domain["step"] * np.arange(count)
        elif kind == "ordered" and all(isinstance(x, int | float) for x in domain["choices"]):
            self.legal = np.array(domain["choices"], float)
        else:
            raise SystemExit(f"parameter {entry['name']}: peers know no domain {kind!r}")
        self.low, self.high = float(self.legal[0]), float(self.legal[-1])

    def value(self, position: float) -> float:
        """The legal value nearest to a position in the unit interval."""
        if self.log:
            low, high = math.log(self.low), math.log(self.high)
            raw = math.exp(low + position * (high - low))
        else:
            raw = self.low + position * (self.high - self.low)
        if self.legal is not None:
            raw = float(self.legal[np.abs(self.legal - raw).argmin()])
        return min(max(raw, self.low), self.high)

    def position(self, value: float) -> float:
        """Where a value lies in the unit interval."""
        if self.log:
            return math.log(value / self.low) / math.log(self.high / self.low)
        return (value - self.low) / (self.high - self.low)


class Evaluator:
    """A running `baton problem`; to be used in a `with` statement."""

    def __init__(self, binary: Path, task: Task) -> None:
        described = subprocess.run(
            task.call(binary, "--describe"), check=True, capture_output=True, text=True
        )
        self.description: dict[str, Any] = json.loads(described.stdout)
        self.parameters = [Parameter(entry) for entry in self.description["space"]]
        fidelities = self.description["fidelities"]
        self.costs: list[float] = [fidelity["cost"] for fidelity in fidelities]
        self.noise: list[float | None] = [fidelity["noise_variance"] for fidelity in fidelities]
        self.process = subprocess.Popen(
            task.call(binary), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.process.communicate()

    def snap(self, unit: Array) -> Array:
        """The unit point of the legal values nearest to a unit point."""
        return np.array([p.position(p.value(u)) for p, u in zip(self.parameters, unit)])

    def value(self, unit: Array, level: int) -> float:
        """The noise-free value of a unit point at a level, from 0."""
        point = [p.value(u) for p, u in zip(self.parameters, unit)]
        request = json.dumps({"point": point, "fidelity": int(level) + 1})
        assert self.process.stdin is not None and self.process.stdout is not None
        self.process.stdin.write(request + "\n")
        self.process.stdin.flush()
        answer = json.loads(self.process.stdout.readline())
        if "value" not in answer:
            raise ValueError(f"no value for {request}: {answer.get('error')}")
        return float(answer["value"])

    def score(self, best: float) -> dict[str, float]:
        """The score of a noise-free top-level value: its name and number."""
        optimum = self.description["optimum"]["value"]
        if self.description["score"] == "ratio":
            return {"ratio": best / optimum}
        return {"regret": optimum - best}
