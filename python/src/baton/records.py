"""A campaign as far as its tasks, and those who evaluate, know it: its problem and its records."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Iterable
from functools import cache
from typing import Any

from ._baton import Desk, process_name
from .constraints import Constraints, columns
from .descriptors import Descriptors
from .errors import FidelityError, NotFiniteError, ShapeError, StoreError
from .parts import Fidelity
from .space import Space, one_number


@cache
def _own_name(_process: int) -> str:
    """The name of this process; a fork has another."""
    return process_name("python")


#: How long a turn that others have is waited for, in seconds.
PATIENCE = 60.0


def level_of(fidelity: str | None, fidelities: Iterable[Fidelity]) -> int:
    """The place of a fidelity among all, from 0; without a name, of the highest one."""
    names = [level.name for level in fidelities]
    if fidelity is None:
        return len(names) - 1
    if fidelity not in names:
        raise FidelityError(f"unknown fidelity {fidelity!r}; the fidelities are {names}")
    return names.index(fidelity)


class Records:
    """What a campaign is about, and the desk at which its records are read and written."""

    name: str
    store: str | None
    space: Space
    descriptors: Descriptors
    fidelities: tuple[Fidelity, ...]
    constraints: dict[str, str]
    goal: str
    _desk: Desk

    def _overview(self) -> dict[str, Any]:
        about: dict[str, Any] = json.loads(self._desk.overview())
        return about

    def _tasks(self) -> list[dict[str, Any]]:
        about = self._overview()
        begun: list[dict[str, Any]] = about["tasks"]
        names = {task["name"] for task in begun}
        to_come = [
            {"number": None, "state": "to come", "reason": None, "spent": 0.0, **plan}
            for plan in about["plan"]
            if plan["name"] not in names
        ]
        return begun + to_come

    def _all_fidelities(self) -> list[Fidelity]:
        """The ways to evaluate that there are in some task."""
        problems = [json.loads(self._desk.problem(task["name"])) for task in self._tasks()]
        changed = [Fidelity(**level) for problem in problems for level in problem["fidelities"]]
        return list(dict.fromkeys([*self.fidelities, *changed]))

    def _asker(self) -> str:
        return _own_name(os.getpid())

    def _in_turn(self, step: Callable[[], bool]) -> None:
        """Does something when it is our turn to change the campaign."""
        end = time.monotonic() + PATIENCE
        while not step():
            if time.monotonic() > end:
                raise StoreError(f"others have had the turn for {PATIENCE:.0f} seconds")
            time.sleep(0.05)

    def _rows(
        self,
        points: Any,
        values: Any,
        fidelity: str | Iterable[str] | None,
        problem: tuple[Space, tuple[Fidelity, ...]],
        constraints: Constraints | None = None,
    ) -> str:
        """Evaluations made elsewhere, as Rust reads them."""
        space, fidelities = problem
        rows = space.rows(points)
        if not isinstance(values, Iterable):
            raise ShapeError(f"the values are {values!r}; write a list, one for each point")
        numbers = [one_number(f"value {i}", value) for i, value in enumerate(values)]
        same_for_all = isinstance(fidelity, str) or not isinstance(fidelity, Iterable)
        names: Any = [fidelity] * len(rows) if same_for_all else fidelity
        levels = [level_of(name, fidelities) for name in names]
        if not len(rows) == len(numbers) == len(levels):
            raise ShapeError(
                f"{len(rows)} points, {len(numbers)} values and {len(levels)} fidelities "
                "do not belong together"
            )
        for i, number in enumerate(numbers):
            if not abs(number) < float("inf"):
                raise NotFiniteError(f"value {i} is {number}, not a finite number")
        told = columns(constraints, len(rows))
        return json.dumps(list(zip(rows, levels, numbers, told)))
