"""Spaces: what may be varied, and points of them as Python, NumPy and Rust write them."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Union

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _baton
from .errors import NotFiniteError, ParameterError, ShapeError, UnknownParameterError

Value = Union[int, float, str, bool, None]
Point = dict[str, Value]
PointLike = Union[Mapping[str, Any], Sequence[Any], NDArray[Any]]

#: What Rust has in the place of a value, where a parameter is not there.
ABSENT: dict[str, Any] = {}


def is_absent(value: Any) -> bool:
    """Whether a value that Rust wrote says that the parameter is not there."""
    return isinstance(value, dict)


@dataclass(frozen=True)
class Parameter:
    """The values that one parameter may take, in the words of the campaign file.

    Made by `real`, `log`, `integer`, .. With `when`, it is there under a condition only:
    `real(0, 1, when="optimizer = sgd")`.
    """

    parts: dict[str, Any]

    @property
    def kind(self) -> str:
        """The function that makes such a parameter."""
        if set(self.parts) == {"fixed"}:
            return "fixed"
        if "choices" in self.parts:
            return "ordered" if self.parts["ordered"] else "choice"
        if self.parts["integer"]:
            return "integer"
        if "step" in self.parts:
            return "stepped"
        return "log" if self.parts["log"] else "real"

    def __repr__(self) -> str:
        order = [key for key in ("low", "high", "step", "choices") if key in self.parts]
        written = ", ".join(f"{key}={self.parts[key]}" for key in order)
        for key in ("when", "fixed", "was"):
            written += f", {key}={self.parts[key]!r}" if key in self.parts else ""
        return f"{self.kind}({written})"

    @property
    def _may_lack(self) -> bool:
        """Whether a point need not say its value."""
        return self.when is not None or "fixed" in self.parts

    @property
    def when(self) -> str | None:
        """When it is there; always, if nothing is said."""
        when: str | None = self.parts.get("when")
        return when


def _made(said: tuple[str | None, Any, Any], **parts: Any) -> Parameter:
    """A parameter, and what can be said of every one: when it is there, its one value, what it was."""
    made = {"log": False, "integer": False, "ordered": False, **parts}
    when, fixed, was = said
    if when is not None:
        made["when"] = _condition(when)
    if fixed is not None:
        made["fixed"] = plain(fixed)
    if was is not None:
        made["was"] = plain(was)
    return Parameter(made)


def fixed(value: Any) -> Parameter:
    """From a task on, the parameter has this value: its range stays as it was.

    >>> import baton
    >>> campaign = baton.Campaign({"x": (0.0, 1.0), "y": (0.0, 1.0)}, goal="minimize")
    >>> campaign.task("cruise", budget=12, space={"y": baton.fixed(0.4)}).changes
    ['y is fixed at 0.4']
    """
    return Parameter({"fixed": plain(value)})


def _condition(when: Any) -> str:
    if isinstance(when, str):
        return when
    raise ParameterError(f'the condition is {when!r}, no text; write when="optimizer = sgd"')


def real(
    low: float, high: float, *, when: str | None = None, fixed: Any = None, was: Any = None
) -> Parameter:
    """Any number between two bounds."""
    return _made((when, fixed, was), **_numbers("real", low=low, high=high))


def log(
    low: float, high: float, *, when: str | None = None, fixed: Any = None, was: Any = None
) -> Parameter:
    """Any number between two positive bounds, on a log scale."""
    return _made((when, fixed, was), **_numbers("log", low=low, high=high), log=True)


def integer(
    low: int,
    high: int,
    *,
    log: bool = False,
    when: str | None = None,
    fixed: Any = None,
    was: Any = None,
) -> Parameter:
    """Whole numbers from `low` to `high`, both included."""
    bounds = _numbers("integer", low=low, high=high)
    for end, bound in bounds.items():
        if not bound.is_integer():
            raise ParameterError(
                f"baton.integer: {end} is {bound:g}, not a whole number; "
                "for real numbers write baton.real, for steps baton.stepped"
            )
    return _made((when, fixed, was), low=int(low), high=int(high), log=log, integer=True)


def stepped(
    low: float,
    high: float,
    step: float,
    *,
    when: str | None = None,
    fixed: Any = None,
    was: Any = None,
) -> Parameter:
    """`low, low + step, ..` up to `high`."""
    return _made((when, fixed, was), **_numbers("stepped", low=low, high=high, step=step))


def ordered(
    choices: Iterable[Any], *, when: str | None = None, fixed: Any = None, was: Any = None
) -> Parameter:
    """Values in a meaningful order; numbers keep their distances."""
    return _made((when, fixed, was), choices=_choices("ordered", choices), ordered=True)


def choice(
    choices: Iterable[Any], *, when: str | None = None, fixed: Any = None, was: Any = None
) -> Parameter:
    """Values without an order."""
    return _made((when, fixed, was), choices=_choices("choice", choices))


def _numbers(kind: str, **given: Any) -> dict[str, float]:
    for part, value in given.items():
        if not _is_number(value):
            raise ParameterError(f"baton.{kind}: {part} is {value!r}, not a number")
    return {part: float(value) for part, value in given.items()}


def _choices(kind: str, given: Any) -> list[Value]:
    if isinstance(given, str) or not isinstance(given, Iterable):
        raise ParameterError(
            f'baton.{kind}: {given!r} is no list of choices; write baton.{kind}(["a", "b"])'
        )
    return [plain(value) for value in given]


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float, np.number)) and not isinstance(value, bool)


def is_number(value: Any) -> bool:
    """Whether a value of a parameter is a number; `True` and `None` are none."""
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def plain(value: Any, name: str | None = None) -> Value:
    """A number or a word as Python has it, whether it came from NumPy or not."""
    at = "" if name is None else f"parameter {name}: "
    if isinstance(value, (np.generic, np.ndarray)) and value.size == 1:
        value = value.item()
    if not isinstance(value, (int, float, str, bool, type(None))):
        raise ParameterError(f"{at}{value!r} is no number, word, True, False or None")
    if isinstance(value, float) and not math.isfinite(value):
        raise NotFiniteError(f"{at}a value of the point is {value}, not a finite number")
    return value


def _parameter(name: str, given: Any) -> Parameter:
    if isinstance(given, Parameter):
        return given
    if isinstance(given, tuple):
        return _bounds(name, given)
    if isinstance(given, range) and given.step == 1 and given:
        return integer(given.start, given.stop - 1)
    if isinstance(given, list):
        return choice([plain(value, name) for value in given])
    raise ParameterError(
        f"parameter {name}: {given!r} is no domain; use (0.0, 1.0), a list of choices, "
        "range(1, 5), or baton.real, log, integer, stepped, ordered, choice"
    )


def _bounds(name: str, given: tuple[Any, ...]) -> Parameter:
    """Two numbers are bounds, unless they could be meant in two ways."""
    if len(given) != 2 or not all(_is_number(bound) for bound in given):
        shown = ", ".join(repr(value) for value in given)
        raise ParameterError(
            f"parameter {name}: the tuple {given!r} is not two numbers; choices are a list, "
            f"[{shown}] or baton.choice([{shown}]), and in an order baton.ordered([{shown}])"
        )
    low, high = given
    if isinstance(low, (int, np.integer)) and isinstance(high, (int, np.integer)):
        raise ParameterError(
            f"parameter {name}: ({low}, {high}) may mean whole numbers or real ones; write "
            f"baton.integer({low}, {high}) for whole numbers, "
            f"({low}.0, {high}.0) or baton.real({low}, {high}) for real ones"
        )
    return real(low, high)


class Space:
    """Named parameters.

    `(0.0, 1.0)` stands for any number between, a list for choices without an order, `range(1, 5)`
    for whole numbers; `log`, `integer`, `stepped` and `ordered` say more. Two whole numbers in a
    tuple could be meant in two ways and are refused.

    >>> Space(x=(0.0, 1.0), layers=range(1, 13), kind=["a", "b"]).names
    ('x', 'layers', 'kind')
    """

    parameters: dict[str, Parameter]

    def __init__(self, parameters: Mapping[str, Any] | None = None, /, **more: Any) -> None:
        if not isinstance(parameters, (Mapping, type(None))):
            raise ParameterError(
                f'the space is {parameters!r}; expected names and values: {{"x": (0.0, 1.0)}}'
            )
        given = {**(parameters or {}), **more}
        for name in given:
            if not isinstance(name, str):
                raise ParameterError(f"parameter {name!r}: its name is no word; write {str(name)!r}")
        made = {name: _parameter(name, domain) for name, domain in given.items()}
        for name, one in made.items():
            for part in one.parts.values():
                if isinstance(part, float) and not math.isfinite(part):
                    raise ParameterError(f"parameter {name}: {part} is not finite, as a bound must be")
        written = [{"name": name, **one.parts} for name, one in made.items()]
        self._json = _baton.space(json.dumps(written))
        self.parameters = made

    @classmethod
    def _read(cls, parts: list[dict[str, Any]]) -> Space:
        return cls({part.pop("name"): Parameter(part) for part in map(dict, parts)})

    def varied(self, point: PointLike, name: str, values: Iterable[Any]) -> list[Point]:
        """The point with other values of one parameter, each with what is there then."""
        row, others = json.dumps(self.row(point)), json.dumps([plain(v, name) for v in values])
        rows = json.loads(_baton.varied(self._json, row, self.names.index(name), others))
        return [self.point(row) for row in rows]

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the parameters, in their order."""
        return tuple(self.parameters)

    def __len__(self) -> int:
        return len(self.parameters)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Space) and self._json == other._json

    def __hash__(self) -> int:
        return hash(self._json)

    def __repr__(self) -> str:
        parts = ", ".join(f"{name}={one!r}" for name, one in self.parameters.items())
        return f"Space({parts})"

    def _repr_html_(self) -> str:
        from .html import table

        return table(["parameter", "values"], [[n, repr(p)] for n, p in self.parameters.items()])

    def __reduce__(self) -> tuple[Any, ...]:
        return (Space, (self.parameters,))

    def row(self, point: PointLike) -> list[Value]:
        """A point as a list in the order of the parameters."""
        if isinstance(point, Mapping):
            for name in point:
                if name not in self.parameters:
                    raise UnknownParameterError(
                        f"unknown parameter {name!r} = {point[name]!r}; "
                        f"the parameters are {', '.join(self.names)}"
                    )
            missing = [n for n, one in self.parameters.items() if n not in point and not one._may_lack]
            if missing:
                raise ParameterError(f"the point {dict(point)!r} has no value for {missing[0]!r}")
            return [self._value(name, point.get(name, ABSENT)) for name in self.names]
        values = np.asarray(point, dtype=object)
        if values.shape != (len(self),):
            raise ShapeError(
                f"a point has shape {values.shape}; expected ({len(self)},), "
                f"a value for each of {', '.join(self.names)}"
            )
        return [self._value(name, value) for name, value in zip(self.names, values)]

    def _value(self, name: str, value: Any) -> Any:
        """A value as Rust reads it. A parameter that is not there has none; in a frame that is NaN."""
        hollow = isinstance(value, (float, np.floating)) and math.isnan(value)
        may_lack = self.parameters[name]._may_lack and (is_absent(value) or hollow)
        return ABSENT if may_lack else plain(value, name)

    def rows(self, points: Any) -> list[list[Value]]:
        """Points as lists: from a two-dimensional array, a frame, or a list of points."""
        if hasattr(points, "to_dict") and hasattr(points, "columns"):
            points = points.to_dict("records")
        if isinstance(points, np.ndarray) and points.ndim != 2:
            raise ShapeError(
                f"the points have shape {points.shape}; expected (points, {len(self)})"
            )
        return [self.row(point) for point in points]

    def point(self, row: Sequence[Any]) -> Point:
        """A point with the names of its values, of what is there."""
        return {name: plain(value) for name, value in zip(self.names, row) if not is_absent(value)}

    def array(self, points: Iterable[PointLike]) -> NDArray[Any]:
        """Points as a two-dimensional array: of numbers where all values are numbers.

        What is not there at a point is NaN.
        """
        rows = [[math.nan if is_absent(v) else v for v in self.row(point)] for point in points]
        numeric = all(is_number(value) for row in rows for value in row)
        array = np.array(rows, dtype=float if numeric else object)
        return array.reshape(len(rows), len(self))


def one_number(what: str, value: ArrayLike) -> float:
    """A single number, from whatever holds one. Words and truth values are none."""
    array = np.asarray(value)
    held: Any = array.item() if array.size == 1 else None
    if isinstance(held, (str, bytes, bool)):
        raise ShapeError(
            f"{what} is {value!r} of type {type(held).__name__}; expected one number"
        )
    if array.size != 1:
        raise ShapeError(f"{what} has shape {array.shape}; expected one number, got {value!r}")
    try:
        return float(held)
    except (TypeError, ValueError):
        raise ShapeError(f"{what} is {value!r} of type {type(value).__name__}; expected one number") from None
