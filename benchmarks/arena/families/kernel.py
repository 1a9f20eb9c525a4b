"""Kernel ridge regression on the classes of small data sets.

| | |
|---|---|
| varied | ridge, width, kernel, how far features are drawn towards their principal components, how strongly outliers are pulled in |
| fidelities | trained on 1/8, 1/3 or all of the rows of each fold; always tested on the whole rest |
| tasks | ten data sets of two to eleven classes |
| value | log10 of the mean squared error of the classes' indicators to that of their mean, over three folds that are always the same |
"""

import math

import numpy as np

from families.data import folds
from problem import Choice, Family, Real

SHARES = {"1/8 of the rows": 1 / 8, "1/3 of the rows": 1 / 3, "all rows": 1.0}
ROWS, FOLDS = 750, 3


def kernel(kind, a, b, width):
    """Between the rows of two matrices."""
    squared = np.maximum((a**2).sum(1)[:, None] + (b**2).sum(1) - 2 * a @ b.T, 0.0) / (width**2 * a.shape[1])
    if kind == "gauss":
        return np.exp(-squared / 2)
    if kind == "laplace":
        return np.exp(-np.sqrt(squared))
    return 1 / (1 + squared)  # "cauchy"


def features(x, fresh, whiten, squash):
    """Principal components, scaled by their deviation to the power of -`whiten`; far values pulled in by a tanh."""
    x, fresh = np.tanh(squash * x) / squash, np.tanh(squash * fresh) / squash
    centre = x.mean(0)
    _, deviations, turned = np.linalg.svd(x - centre, full_matrices=False)
    scale = np.maximum(deviations / deviations[0], 1e-3) ** -whiten
    project = lambda rows: (rows - centre) @ turned.T * scale
    x, fresh = project(x), project(fresh)
    spread = math.sqrt((x**2).mean())
    return x / spread, fresh / spread


class Kernel(Family):
    name = "kernel"
    space = {
        "ridge": Real(1e-6, 10.0, log=True),
        "width": Real(0.1, 30.0, log=True),
        "kernel": Choice(("gauss", "laplace", "cauchy")),
        "whiten": Real(0.0, 1.0),
        "squash": Real(0.01, 3.0, log=True),
    }
    fidelities = {"1/8 of the rows": 1, "1/3 of the rows": 3, "all rows": 12}
    pool = [
        "contraceptive", "digits", "phoneme", "ring", "satimage", "segment", "spambase", "texture", "vehicle", "vowel",
    ]
    budget = 360

    def compute(self, task, point, fidelity):
        wrong = plain = 0.0
        for x, y, fresh, truth in folds(task, ROWS, FOLDS):
            count = round(SHARES[fidelity] * len(y))
            near, far = features(x[:count], fresh, point["whiten"], point["squash"])
            classes = np.arange(truth.max() + 1)
            target = (y[:count, None] == classes).astype(float)
            mean = target.mean(0)
            gram = kernel(point["kernel"], near, near, point["width"])
            gram[np.diag_indices_from(gram)] += point["ridge"]
            told = mean + kernel(point["kernel"], far, near, point["width"]) @ np.linalg.solve(gram, target - mean)
            wanted = (truth[:, None] == classes).astype(float)
            wrong += ((told - wanted) ** 2).sum()
            plain += ((wanted.mean(0) - wanted) ** 2).sum()
        return min(math.log10(wrong / plain), 1.0)


FAMILY = Kernel
