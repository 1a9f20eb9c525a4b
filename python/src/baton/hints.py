"""What is said of a task besides its problem: when it ends early, and where good points may lie."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Union

from .errors import CampaignError

#: `{"gain": 0.01, "confidence": 0.9}`; `True` is that, `False` never
StopLike = Union[bool, Mapping[str, float], None]
#: `{"point": {"x": 0.3}, "within": {"x": 0.1}}`, or several of these
GuessLike = Union[Mapping[str, Any], Iterable[Mapping[str, Any]], None]


def stop_of(stop: Any) -> dict[str, float] | None:
    """When a task ends early, in the words of the campaign file."""
    if stop is None:
        return None
    if isinstance(stop, bool):
        return {} if stop else {"gain": 0.0}
    if not isinstance(stop, Mapping) or not set(stop) <= {"gain", "confidence"}:
        raise CampaignError(
            f'stop is {stop!r}; write stop={{"gain": 0.01, "confidence": 0.9}}, True or False'
        )
    return {key: _number(f"{key} of stop", share) for key, share in stop.items()}


def guesses_of(guess: Any) -> list[dict[str, Any]] | None:
    """Guesses in the words of the campaign file."""
    if guess is None:
        return None
    hint = 'write guess={"point": {"x": 0.3}, "within": {"x": 0.1}}, or a list of such'
    if isinstance(guess, (str, bytes)) or not isinstance(guess, (Mapping, Iterable)):
        raise CampaignError(f"guess is {guess!r}; {hint}")
    several = [guess] if isinstance(guess, Mapping) else list(guess)
    found = []
    for one in several:
        known = isinstance(one, Mapping) and {"point"} <= set(one) <= {"point", "within"}
        if not known or not isinstance(one["point"], Mapping):
            raise CampaignError(f"a guess is {one!r}; {hint}")
        point = {name: _plain(value) for name, value in one["point"].items()}
        within = one.get("within") or {}
        if not isinstance(within, Mapping):
            raise CampaignError(f"within of a guess is {within!r}; {hint}")
        far = {name: _number(f"within of {name}", value) for name, value in within.items()}
        found.append({"point": point, "within": far})
    return found


def _plain(value: Any) -> Any:
    """A number of another package as one of Python's own."""
    return value.item() if hasattr(value, "item") else value


def _number(what: str, value: Any) -> float:
    try:
        number = float(value)
    except (TypeError, ValueError):
        raise CampaignError(f"{what} is {value!r}; write a number") from None
    if number != number or number in (float("inf"), float("-inf")):
        raise CampaignError(f"{what} is {value!r}; write a finite number")
    return number
