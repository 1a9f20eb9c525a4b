"""Fidelities, settings and knowledge: what a campaign is made of besides its space."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Union

from . import _baton
from .errors import FidelityError, SettingError
from .space import Point, Space


@dataclass(frozen=True)
class Fidelity:
    """One way to evaluate the objective, with its cost in the unit of the budget.

    The noise variance is learned unless it is given, for all fidelities or for none.
    """

    name: str
    cost: float
    noise_variance: float | None = None


FidelitiesLike = Union[Mapping[str, float], Iterable[Fidelity], None]


def fidelities_of(given: FidelitiesLike) -> tuple[Fidelity, ...]:
    """Checked levels, cheapest first, the highest fidelity last; one of cost 1 if none is given."""
    if given is None:
        levels = [Fidelity("full", 1.0)]
    elif isinstance(given, Mapping):
        levels = [Fidelity(str(name), _cost(name, cost)) for name, cost in given.items()]
    else:
        levels = _listed(given)
    checked = json.loads(_baton.fidelities(json.dumps([vars(level) for level in levels])))
    return tuple(Fidelity(**level) for level in checked)


def _cost(name: Any, cost: Any) -> float:
    try:
        return float(cost)
    except (TypeError, ValueError):
        raise FidelityError(
            f"fidelity {name}: the cost is {cost!r}, not a number; write {{{str(name)!r}: 1}}"
        ) from None


def _listed(given: Any) -> list[Fidelity]:
    several = isinstance(given, Iterable) and not isinstance(given, str)
    levels: list[Any] = list(given) if several else [given]
    for level in levels:
        if not isinstance(level, Fidelity):
            raise FidelityError(
                f"the fidelities are {given!r}, and {level!r} has no name with a cost; write names "
                'with costs, cheapest first: {"coarse": 1, "fine": 4}, or a list of baton.Fidelity'
            )
    return levels


class Settings:
    """How a campaign is run: a method, perhaps a preset, and any key of the campaign file.

    Keys stand alone or in their group, as a dictionary.

    >>> Settings("mft-mes", beta=0.8)["preset"]
    'calibrated'
    >>> Settings(policy={"explore": 0.3, "gap": False})["explore"]
    '0.3'
    """

    def __init__(self, method: str = "default", preset: str | None = None, **values: Any) -> None:
        self._entries = dict(_baton.settings(method, preset, _flat(values)))

    @classmethod
    def _of(cls, entries: Iterable[tuple[str, str]]) -> Settings:
        others = dict(entries)
        method, preset = others.pop("method"), others.pop("preset")
        made = cls(method, preset)
        made._entries = dict(_baton.settings(method, preset, list(others.items())))
        return made

    @staticmethod
    def of(given: SettingsLike) -> Settings:
        """Settings, from themselves, from keys with values, or from the name of a method.

        >>> Settings.of({"explore": 0.3}) == Settings(explore=0.3)
        True
        """
        if given is None:
            return Settings()
        if isinstance(given, Settings):
            return given
        if isinstance(given, str):
            return Settings(given)
        if isinstance(given, Mapping):
            return Settings(**{str(key): value for key, value in given.items()})
        raise SettingError(
            f"the settings are {given!r}; write baton.Settings(explore=0.3), {{'explore': 0.3}}, or "
            "the name of a method"
        )

    def but(self, **values: Any) -> Settings:
        """The same with other values."""
        method, preset = self["method"], self["preset"]
        known = [entry for entry in self.entries if entry[0] not in ("method", "preset")]
        changed = Settings(method, preset)
        changed._entries = dict(_baton.settings(method, preset, known + _flat(values)))
        return changed

    @property
    def entries(self) -> list[tuple[str, str]]:
        """Every key with its value."""
        return list(self._entries.items())

    def __getitem__(self, key: str) -> str:
        """The value of a key, with its group (`"policy.explore"`) or without."""
        if key in self._entries:
            return self._entries[key]
        return next(value for known, value in self.entries if known.split(".")[-1] == key)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Settings) and self._entries == other._entries

    def __hash__(self) -> int:
        return hash(tuple(self._entries.items()))

    def __repr__(self) -> str:
        usual = Settings(self["method"], self["preset"])._entries
        parts = [repr(self["method"]), repr(self["preset"])]
        parts += [f"{key}={value}" for key, value in self.entries if usual.get(key) != value]
        return f"Settings({', '.join(parts)})"

    def _repr_html_(self) -> str:
        from .html import table

        return table(["setting", "value"], [list(entry) for entry in self.entries])


SettingsLike = Union[Settings, Mapping[str, Any], str, None]


def _flat(values: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Groups taken apart: {"policy": {"explore": 0.3}} is policy.explore."""
    given: list[tuple[str, str]] = []
    for key, value in values.items():
        if isinstance(value, Mapping):
            given += [(f"{key}.{leaf}", _written(of)) for leaf, of in value.items()]
        else:
            given.append((key, _written(value)))
    return given


def _written(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, (list, tuple)):
        return ",".join(str(part) for part in value)
    return str(value)


def wanted_of(
    space: Space,
    fidelities: Iterable[Fidelity],
    goal: str,
    settings: Settings,
    pause_after: int | None = None,
    descriptors: str = "[]",
    forbid: Iterable[str] = (),
    constraints: Iterable[Mapping[str, Any]] = (),
    stop: dict[str, float] | None = None,
) -> str:
    """A campaign in the words of the campaign file, without its tasks."""
    others = dict(settings.entries)
    return json.dumps({
        "space": json.loads(space._json),
        "forbid": list(forbid),
        "descriptors": json.loads(descriptors),
        "fidelities": [vars(level) for level in fidelities],
        "constraints": list(constraints),
        "goal": goal,
        "method": others.pop("method"),
        "preset": others.pop("preset"),
        "settings": others,
        "pause_after": pause_after,
        "stop": stop,
    })


class Knowledge:
    """What is handed from task to task, as checksummed text.

    It holds what was observed. `Campaign.shareable_knowledge` is what may be given to others.
    """

    def __init__(self, text: str) -> None:
        self._about: dict[str, Any] = json.loads(_baton.knowledge(text.strip()))
        self.text = text.strip()

    @classmethod
    def load(cls, path: str | Path) -> Knowledge:
        """Reads a knowledge file, such as one written by `baton knowledge export`."""
        return cls(Path(path).read_text(encoding="utf-8"))

    def save(self, path: str | Path) -> None:
        """Writes a knowledge file, such as `baton knowledge import` reads."""
        Path(path).write_text(self.text + "\n", encoding="utf-8")

    @property
    def tasks(self) -> int:
        """How many tasks it was learned from."""
        return int(self._about["tasks"])

    @property
    def space(self) -> Space:
        """The space it is about."""
        return Space._read(self._about["space"])

    @property
    def recommended(self) -> list[Point]:
        """The points that were recommended for earlier tasks, newest last."""
        space = self.space
        return [space.point(row) for row in self._about["recommended"]]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Knowledge) and self.text == other.text

    def __hash__(self) -> int:
        return hash(self.text)

    def __reduce__(self) -> tuple[Any, ...]:
        return (Knowledge, (self.text,))

    def __repr__(self) -> str:
        about = self._about
        return (
            f"<Knowledge of {self.tasks} tasks: {about['shared']} equivalent observations, "
            f"{about['particles']} particles, {len(self.text)} bytes>"
        )

    def _repr_html_(self) -> str:
        from .html import table

        about = self._about
        rows = [
            ["learned from", f"{self.tasks} tasks"],
            ["goal", about["goal"]],
            ["parameters", ", ".join(self.space.names)],
            ["fidelities", ", ".join(about["fidelities"])],
            ["equivalent observations", about["shared"]],
            ["particles", about["particles"]],
        ]
        return table(["knowledge", ""], rows)
