"""What is said of tasks, and what is expected of one before its first trial."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from . import _baton
from .errors import BatonError, DescriptorError
from .html import table
from .space import Parameter, Point, Space, _parameter, plain
from .trial import Recommendation

#: What is said of a task: values of descriptors, by name.
Description = Mapping[str, Any]


class Descriptors(Mapping[str, Parameter]):
    """Named descriptors, perhaps none; written as the parameters of a space are.

    >>> Descriptors({"reynolds": (1e5, 1e7), "gas": ["air", "argon"]})
    Descriptors(reynolds=real(low=100000.0, high=10000000.0), gas=choice(choices=['air', 'argon']))
    """

    def __init__(self, given: Mapping[str, Any] | None = None) -> None:
        if not isinstance(given, (Mapping, type(None))):
            raise DescriptorError(
                f'the descriptors are {given!r}; expected names and values: '
                '{"reynolds": baton.log(1e5, 1e7)}'
            )
        self._parameters = {name: _descriptor(name, one) for name, one in (given or {}).items()}
        written = [{"name": name, **one.parts} for name, one in self._parameters.items()]
        self._json = _baton.descriptors(json.dumps(written))

    @classmethod
    def _read(cls, parts: list[dict[str, Any]]) -> Descriptors:
        return cls({part.pop("name"): Parameter(part) for part in map(dict, parts)})

    def __getitem__(self, name: str) -> Parameter:
        return self._parameters[name]

    def __iter__(self) -> Any:
        return iter(self._parameters)

    def __len__(self) -> int:
        return len(self._parameters)

    def __reduce__(self) -> tuple[Any, ...]:
        return (Descriptors, (self._parameters,))

    def __repr__(self) -> str:
        parts = ", ".join(f"{name}={one!r}" for name, one in self.items())
        return f"Descriptors({parts})"


def _descriptor(name: Any, given: Any) -> Parameter:
    if not isinstance(name, str):
        raise DescriptorError(f"descriptor {name!r}: its name is no word; write {str(name)!r}")
    try:
        made = _parameter(name, given)
    except BatonError as refused:
        reason = str(refused).removeprefix(f"parameter {name}: ")
        raise DescriptorError(f"descriptor {name}: {reason}") from None
    for part in made.parts.values():
        if isinstance(part, float) and not math.isfinite(part):
            raise DescriptorError(f"descriptor {name}: {part} is not finite, as a bound must be")
    return made


def description(given: Any, what: str = "describe") -> str:
    """What is said of a task or of a trial, as Rust reads it; names and ranges are checked there."""
    if not isinstance(given, Mapping):
        raise DescriptorError(
            f'{what} is {given!r}; expected descriptors with values: {{"reynolds": 1e6}}'
        )
    said: dict[str, Any] = {}
    for name, value in given.items():
        if not isinstance(name, str):
            raise DescriptorError(f"descriptor {name!r}: its name is no word; write {str(name)!r}")
        try:
            said[name] = plain(value)
        except BatonError:
            hint = "a finite number or one of its choices; leave out what is not known"
            raise DescriptorError(f"descriptor {name}: the value is {value!r}; write {hint}") from None
    return json.dumps(said)


def check_description(descriptors: Descriptors, said: str) -> None:
    """Refuses what is no descriptor, and values that one cannot take."""
    _baton.description(descriptors._json, said)


@dataclass(frozen=True)
class NearestTask:
    """The earlier task whose description is nearest, by the length scales that were learned.

    `expected` is the point that was recommended for it, with what to expect of that point here.
    """

    #: its name; None if it was learned of elsewhere
    task: str | None
    describe: Point
    expected: Recommendation


@dataclass(frozen=True)
class Forecast(Recommendation):
    """The point to use for a task that has had no trial, and what to expect there."""

    #: what is said of the task
    describe: Point = field(default_factory=dict)
    #: the earlier task that is nearest, of those in which anything was told
    nearest: NearestTask | None = None

    @classmethod
    def _read(cls, found: Mapping[str, Any], describe: Point, space: Space) -> Forecast:
        def expected(of: Mapping[str, Any]) -> dict[str, Any]:
            point, (low, high) = space.point(of["point"]), of["interval"]
            known = {"point": point, "mean": of["mean"], "low": low, "high": high}
            return {**known, "evaluated": False, "feasible": of.get("feasible")}

        near, nearest = found["nearest"], None
        if near is not None:
            there = Recommendation(**expected(near["expected"]))
            nearest = NearestTask(near["task"], near["describe"], there)
        return cls(**expected(found["expected"]), describe=describe, nearest=nearest)

    def __str__(self) -> str:
        return self._in_words()

    def _repr_html_(self) -> str:
        rows: list[list[Any]] = [[name, value] for name, value in self.describe.items()]
        rows += [[name, value] for name, value in self.point.items()]
        rows += [["expected", self.mean], ["90 % from", self.low], ["90 % to", self.high]]
        if self.nearest is not None:
            rows += [["nearest task", self.nearest.task]]
            rows += [["expected at its point", self.nearest.expected.mean]]
        return table(["forecast", ""], rows)


class DescriptorShares(dict[str, float]):
    """How much of what tells earlier tasks apart is due to each descriptor, and the same in words.

    Shares are from 0 to 1 and 1 together, or all 0 if nothing tells tasks apart; none before a task
    was finished.
    """

    def __init__(self, shares: Iterable[tuple[str, float]], in_words: str) -> None:
        super().__init__(shares)
        #: which descriptors matter, in a sentence
        self.in_words = in_words

    @classmethod
    def _read(cls, found: Mapping[str, Any]) -> DescriptorShares:
        return cls(((one["name"], one["share"]) for one in found["weights"]), found["in_words"])

    def __reduce__(self) -> tuple[Any, ...]:
        return (DescriptorShares, (list(self.items()), self.in_words))

    def __str__(self) -> str:
        return self.in_words

    def _repr_html_(self) -> str:
        rows = [[name, share] for name, share in self.items()]
        return table(["descriptor", "share"], rows, caption=self.in_words)
