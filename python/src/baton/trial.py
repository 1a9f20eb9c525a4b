"""A trial, and the answer of a task, as Python sees them: plain values that can be pickled."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .constraints import Constraints, measured
from .errors import UnknownParameterError
from .html import short, table
from .space import Point, Space, Value, is_absent, is_number, one_number, plain


@dataclass(frozen=True)
class Trial:
    """One evaluation, from the asking to the outcome.

    `trial["x"]` is the value of a parameter, `params` has all that are there; `fidelity` names the level to
    evaluate at, and `level` counts the levels from 1, the cheapest; `seed` is for the objective's
    random numbers and is the same whenever this trial is evaluated; `asked` and `answered` are
    seconds since 1970, to the millisecond; `noise` is the standard error that was told with the
    value, `paid` what it really cost, where these were told; `attributes` is what people noted;
    `describe` is what was said of its task, and with the ask, by descriptor; `allowed` is false only of
    what was measured elsewhere, where it is forbidden here; `constraints` has what was measured of the
    quantities that have to keep bounds, and `feasible` says whether it keeps all of them, or None where
    that is not known or there are none.
    """

    task: str
    id: int
    point: Point
    describe: Point = field(repr=False)
    fidelity: str
    level: int
    cost: float
    seed: int
    why: str = field(repr=False)
    state: str
    value: float | None
    reason: str | None = field(repr=False)
    aim: str = field(repr=False)
    nats_optimum: float | None = field(repr=False)
    nats_transfer: float | None = field(repr=False)
    #: how much of `nats_optimum` measuring the constrained quantities alone would buy
    nats_limits: float | None = field(repr=False)
    charged: bool = field(repr=False)
    noise: float | None = field(repr=False)
    paid: float | None = field(repr=False)
    attributes: dict[str, Any] = field(repr=False)
    order: int | None = field(repr=False)
    holder: str | None = field(repr=False)
    attempts: int = field(repr=False)
    lost: int = field(repr=False)
    log: str = field(repr=False)
    asked: float = field(repr=False)
    answered: float | None = field(repr=False)
    task_number: int = field(repr=False)
    allowed: bool = field(repr=False)
    constraints: dict[str, float] = field(repr=False)
    feasible: bool | None = field(repr=False)

    @classmethod
    def _read(cls, record: dict[str, Any]) -> Trial:
        values = zip(record.pop("names"), record["point"])
        read = {
            "point": {name: plain(value) for name, value in values if not is_absent(value)},
            "level": record["level"] + 1,  # Rust counts from 0
            "asked": round(record["asked"], 3),
            "answered": None if record["answered"] is None else round(record["answered"], 3),
        }
        return cls(**{**record, **read})

    @property
    def params(self) -> Point:
        """The values of the parameters, by name: the same as `point`."""
        return self.point

    def __getitem__(self, name: str) -> Value:
        try:
            return self.point[name]
        except KeyError:
            raise UnknownParameterError(
                f"unknown parameter {name!r}; the parameters are {', '.join(self.point)}"
            ) from None

    @property
    def x(self) -> NDArray[Any]:
        """The point as an array: of numbers where all values are numbers."""
        values = list(self.point.values())
        numeric = all(is_number(value) for value in values)
        return np.array(values, dtype=float if numeric else object)

    def _repr_html_(self) -> str:
        rows = [[one.name, getattr(self, one.name)] for one in fields(self) if one.repr]
        rows = [row for row in rows if row[0] != "point"]
        rows[2:2] = [[name, value] for name, value in self.point.items()]
        rows += [[name, value] for name, value in self.constraints.items()]
        rows += [] if self.feasible is None else [["feasible", self.feasible]]
        return table(["trial", ""], [*rows, ["why", self.why]])


@dataclass(frozen=True)
class Measurement:
    """A value with what is known of it: its standard error, what it really cost, and what was measured
    of the quantities that have to keep bounds.

    A function to be optimised may return one instead of a number.

    >>> print(Measurement(3.1, noise=0.02, cost=3.7, constraints={"temperature": 43.7}))
    3.1, noise 0.02, cost 3.7, temperature 43.7
    """

    value: Any
    noise: float | None = None
    cost: float | None = None
    constraints: Constraints = field(default_factory=dict, hash=False)

    def _checked(self, trial: int) -> Measurement:
        """The same with plain numbers."""

        def read(name: str, part: Any) -> float:
            return one_number(f"the {name} of trial {trial}", part)

        noise = None if self.noise is None else read("noise", self.noise)
        cost = None if self.cost is None else read("cost", self.cost)
        value = read("value", self.value)
        return Measurement(value, noise, cost, measured(f"trial {trial}", self.constraints))

    def __str__(self) -> str:
        parts = [f"{self.value}"]
        parts += [] if self.noise is None else [f"noise {self.noise}"]
        parts += [] if self.cost is None else [f"cost {self.cost}"]
        parts += [f"{name} {value}" for name, value in self.constraints.items()]
        return ", ".join(parts)


class BestSeen:
    """What the best trial seen at the highest fidelity was; nothing before there is one. Where there
    are constraints, it is the best that keeps them.

    What to use is the recommendation of a task: it weighs the noise and the neighbours.
    """

    @property
    def best_trial(self) -> Trial | None:
        raise NotImplementedError

    @property
    def best(self) -> Trial | None:
        """The same as `best_trial`."""
        return self.best_trial

    @property
    def best_params(self) -> Point | None:
        """The parameters of `best_trial`."""
        best = self.best_trial
        return None if best is None else best.params

    @property
    def best_value(self) -> float | None:
        """The value of `best_trial`."""
        best = self.best_trial
        return None if best is None else best.value


class Trials(list[Trial]):
    """Trials as a list. Calling it is the older way to get it."""

    def __call__(self) -> Trials:
        warnings.warn(
            "campaign.trials() is now campaign.trials, without parentheses",
            DeprecationWarning,
            stacklevel=2,
        )
        return self


@dataclass(frozen=True)
class Recommendation(Mapping[str, Value]):
    """The point to use, and what to expect at the highest fidelity there: a mean and a 90 % interval.

    It is a mapping of the parameters: `best["x"]`, `dict(best)`, `function(**best)`.
    """

    point: Point
    mean: float
    low: float
    high: float
    #: whether the point was evaluated at the highest fidelity
    evaluated: bool = True
    #: the best value seen at the highest fidelity
    best_seen: float | None = None
    #: how likely the point is to keep all constraints, where there are some
    feasible: float | None = None

    def __getitem__(self, name: str) -> Value:
        return self.point[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.point)

    def __len__(self) -> int:
        return len(self.point)

    @property
    def params(self) -> Point:
        """The values of the parameters, by name: the same as `point`."""
        return self.point

    def _in_words(self) -> str:
        at = " ".join(f"{name}={short(value)}" for name, value in self.point.items())
        low, high = short(self.low), short(self.high)
        text = f"{at}: expected {short(self.mean)}, 90 % between {low} and {high}"
        return text if self.feasible is None else f"{text}, feasible with {_share(self.feasible)}"

    def __str__(self) -> str:
        text = self._in_words()
        if self.evaluated:
            return text
        seen = "" if self.best_seen is None else f"; best seen {short(self.best_seen)}"
        return f"{text}; not evaluated at the highest fidelity{seen}"

    def _repr_html_(self) -> str:
        rows: list[list[Any]] = [[name, value] for name, value in self.point.items()]
        rows += [["expected", self.mean], ["90 % from", self.low], ["90 % to", self.high]]
        rows += [] if self.feasible is None else [["feasible with", _share(self.feasible)]]
        rows += [["best seen", self.best_seen], ["evaluated at the highest fidelity", self.evaluated]]
        return table(["recommended", ""], rows)


def _share(probability: float) -> str:
    return f"{100 * probability:.0f} %"


class Prediction(NamedTuple):
    """What is expected at the highest fidelity at some points: means, and the ends of 90 % intervals."""

    mean: NDArray[np.float64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]
