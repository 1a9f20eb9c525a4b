"""What a family is made of: parameters, fidelities with costs, tasks, and a memory of what was evaluated.

| word | meaning |
|---|---|
| space | the parameters by name; a point is a dict from name to value |
| fidelities | name to cost, cheapest first; the last is the truth |
| pool | the names of all tasks there are; a sequence is five of them |
| budget | what a task may cost |
"""

import json
import math
import random
import sqlite3
import time
from dataclasses import dataclass
from pathlib import Path

CACHE = Path(__file__).with_name("cache")
TASKS = 5


@dataclass(frozen=True)
class Real:
    low: float
    high: float
    log: bool = False

    def unit(self, value):
        """The place of a value in the unit interval."""
        if self.log:
            return math.log(value / self.low) / math.log(self.high / self.low)
        return (value - self.low) / (self.high - self.low)

    def value(self, unit):
        unit = min(max(float(unit), 0.0), 1.0)
        raw = self.low * (self.high / self.low) ** unit if self.log else self.low + unit * (self.high - self.low)
        return min(max(float(f"{raw:.10g}"), self.low), self.high)


@dataclass(frozen=True)
class Integer:
    low: int
    high: int
    log: bool = False

    def unit(self, value):
        return Real(self.low, self.high, self.log).unit(value)

    def value(self, unit):
        return round(Real(self.low, self.high, self.log).value(unit))


@dataclass(frozen=True)
class Choice:
    values: tuple


def drawn(space, rng):
    """A random point, uniform in the unit cube."""
    return {
        name: rng.choice(one.values) if isinstance(one, Choice) else one.value(rng.random())
        for name, one in space.items()
    }


def encoded(space, point):
    """A point as numbers from 0 to 1; a choice has a number for each of its values."""
    row = []
    for name, one in space.items():
        if isinstance(one, Choice):
            row += [float(point[name] == value) for value in one.values]
        else:
            row.append(one.unit(point[name]))
    return row


def decoded(space, row):
    """The point next to these numbers."""
    point, row = {}, list(row)
    for name, one in space.items():
        if isinstance(one, Choice):
            share, row = row[: len(one.values)], row[len(one.values) :]
            point[name] = one.values[max(range(len(share)), key=share.__getitem__)]
        else:
            point[name] = one.value(row.pop(0))
    return point


def legal(space, point):
    """The same point in plain numbers within the ends, reals to ten digits."""
    return {
        name: point[name] if isinstance(one, Choice)
        else min(max(int(point[name]), one.low), one.high) if isinstance(one, Integer)
        else min(max(float(f"{float(point[name]):.10g}"), one.low), one.high)
        for name, one in space.items()
    }


class Family:
    """Related problems. Each family gives `compute`; what it has computed is remembered on disk."""

    name: str
    space: dict
    fidelities: dict
    pool: list
    budget: float

    def __init__(self):
        self.store, self.new = None, {}

    def compute(self, task, point, fidelity):
        raise NotImplementedError

    def least(self, task):
        """The best value there is, where it is known."""
        return None

    def tasks(self, rng: random.Random):
        return rng.sample(self.pool, TASKS)

    @property
    def finest(self):
        return list(self.fidelities)[-1]

    def evaluate(self, task, point, fidelity):
        """The value to be minimised; the same for the same point, always."""
        point = legal(self.space, point)
        key = f"{task}|{fidelity}|{json.dumps(point)}"
        if key not in self.new:
            value = self.remembered(key)
            self.new[key] = float(self.compute(task, point, fidelity)) if value is None else value
        return self.new[key]

    def remembered(self, key):
        if self.store is None:
            CACHE.mkdir(exist_ok=True)
            self.store = sqlite3.connect(CACHE / f"{self.name}.sqlite", timeout=120)
            self.store.execute("PRAGMA synchronous = OFF")
            self.store.execute("CREATE TABLE IF NOT EXISTS seen (key TEXT PRIMARY KEY, value REAL) WITHOUT ROWID")
        row = self.store.execute("SELECT value FROM seen WHERE key = ?", (key,)).fetchone()
        return None if row is None else row[0]

    def remember(self):
        """Writes down what is new; called once per run, so that runs beside each other rarely wait."""
        if self.store is not None:
            with self.store:
                self.store.executemany("INSERT OR IGNORE INTO seen VALUES (?, ?)", self.new.items())
        self.new = {}


class Spent(Exception):
    """An evaluation would cost more than is left."""


class Work:
    """A task as a method sees it."""

    def __init__(self, family, task, number):
        self.family, self.task, self.number = family, task, number
        self.left, self.seconds = family.budget, 0.0
        self.history = []  # (point, fidelity, value)
        self.improved = []  # (cost so far, best value at the highest fidelity)

    def evaluate(self, point, fidelity=None):
        """The value at a fidelity, the highest if none is named. Its cost is taken from what is left."""
        fidelity = fidelity or self.family.finest
        if self.family.fidelities[fidelity] > self.left + 1e-9:
            raise Spent
        begun = time.perf_counter()
        value = self.family.evaluate(self.task, point, fidelity)
        self.seconds += time.perf_counter() - begun
        self.left -= self.family.fidelities[fidelity]
        self.history.append((dict(point), fidelity, value))
        if fidelity == self.family.finest and (not self.improved or value < self.improved[-1][1]):
            self.improved.append((self.family.budget - self.left, value))
        return value

    def affords(self, fidelity=None):
        return self.family.fidelities[fidelity or self.family.finest] <= self.left + 1e-9

    def best(self):
        """The best point seen at the highest fidelity, or else at the highest that was tried."""
        for level in reversed(self.family.fidelities):
            seen = [(value, k) for k, (_, fidelity, value) in enumerate(self.history) if fidelity == level]
            if seen:
                return self.history[min(seen)[1]][0]
        return None


class Method:
    """A rival: made once per sequence, called once per task, returns the point that it recommends."""

    def __init__(self, family, seed):
        self.family, self.seed = family, seed
        self.bests = []  # of earlier tasks

    def task(self, work):
        raise NotImplementedError
