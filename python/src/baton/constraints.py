"""Constraints: quantities that are measured with the value, and the bounds that they have to keep."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from .errors import ConstraintError, ShapeError
from .space import one_number

#: Names with bounds: `{"temperature": "<= 45"}`.
Constraints = Mapping[str, Any]

FORMS = 'write "<= 45", ">= 8", (1, 3), or {"max": 45, "noise": 0.1}'
SIGNS = {">=": "min", "<=": "max"}


def wanted_constraints(given: Constraints | None) -> list[dict[str, Any]]:
    """Constraints as Rust reads them. Bounds are a text, a pair, or a dictionary.

    >>> wanted_constraints({"temperature": "<= 45", "gain": (8, None)})
    [{'name': 'temperature', 'max': 45.0}, {'name': 'gain', 'min': 8.0}]
    """
    if given is None:
        return []
    if not isinstance(given, Mapping):
        raise ConstraintError(
            f'the constraints are {given!r}; write names with bounds: {{"temperature": "<= 45"}}'
        )
    return [_constraint(name, bounds) for name, bounds in given.items()]


def _constraint(name: Any, given: Any) -> dict[str, Any]:
    if not isinstance(name, str):
        raise ConstraintError(f"constraint {name!r}: its name is no word; write {str(name)!r}")
    bounds = _bounds(given)
    if bounds is None:
        raise ConstraintError(f"constraint {name}: {given!r} is no bound; {FORMS}")

    def number(key: str, value: Any) -> float:
        try:
            if math.isfinite(read := one_number(key, value)):
                return read
        except ShapeError:
            pass
        raise ConstraintError(f"constraint {name}: {key} is {value!r}, no finite number; {FORMS}")

    noise = bounds.pop("noise", None)
    made = {key: number(key, bound) for key, bound in bounds.items() if bound is not None}
    if noise is None:
        return {"name": name, **made}
    variances = noise if isinstance(noise, (list, tuple, np.ndarray)) else [noise]
    return {"name": name, **made, "noise_variance": [number("noise", one) for one in variances]}


def _bounds(given: Any) -> dict[str, Any] | None:
    """Bounds by their keys, perhaps with the noise; nothing if it has no such form."""
    if isinstance(given, str):
        return _read(given)
    if isinstance(given, (tuple, list)) and len(given) == 2:
        return {"min": given[0], "max": given[1]}
    if isinstance(given, Mapping) and given and set(given) <= {"min", "max", "noise"}:
        return dict(given)
    return None


def _read(text: str) -> dict[str, Any] | None:
    bounds: dict[str, Any] = {}
    for part in text.split(" and "):
        found = re.fullmatch(r"\s*([<>]=)\s*([-+.\w]+)\s*", part)
        key = SIGNS[found[1]] if found else ""
        if found is None or key in bounds:
            return None
        try:
            bounds[key] = float(found[2])
        except ValueError:
            return None
    return bounds


def in_words(constraints: Iterable[Mapping[str, Any]]) -> dict[str, str]:
    """Bounds by name as people write them, such as `<= 45`, from what Rust wrote."""

    def words(one: Mapping[str, Any]) -> str:
        bounds = [(sign, one.get(key)) for sign, key in SIGNS.items()]
        written = [f"{sign} {bound!r}".removesuffix(".0") for sign, bound in bounds if bound is not None]
        return " and ".join(written)

    return {one["name"]: words(one) for one in constraints}


def measured(what: str, given: Any) -> dict[str, float]:
    """What was measured of constrained quantities as plain numbers; `what` is the trial, in words."""
    if not isinstance(given, Mapping):
        raise ConstraintError(
            f'the constraints of {what} are {given!r}; write {{"temperature": 43.7}}'
        )
    return {str(name): _number(f"the constraint {name} of {what}", one) for name, one in given.items()}


def _number(what: str, value: Any) -> float:
    try:
        number = math.nan if value is None else one_number(what, value)
    except ShapeError as refused:
        raise ConstraintError(str(refused)) from None
    if not math.isfinite(number):
        raise ConstraintError(
            f"{what} is {value}, not a finite number; leave it out if it was not measured, "
            "or let the trial fail"
        )
    return number


def columns(given: Any, count: int) -> list[dict[str, float]]:
    """What was measured at each of some points, from a list for each name; NaN and None are what was
    not measured."""
    if hasattr(given, "to_dict") and hasattr(given, "columns"):
        given = given.to_dict("list")
    if given is not None and not isinstance(given, Mapping):
        raise ConstraintError(f'the constraints are {given!r}; write {{"temperature": [43.7, …]}}')
    rows: list[dict[str, float]] = [{} for _ in range(count)]
    for name, values in (given or {}).items():
        told = [values] if isinstance(values, str) or not isinstance(values, Iterable) else list(values)
        if len(told) != count:
            raise ShapeError(
                f"constraint {name}: {len(told)} values and {count} points do not belong together"
            )
        for i, value in enumerate(told):
            if value is not None and value == value:
                rows[i][str(name)] = _number(f"the constraint {name} of point {i}", value)
    return rows
