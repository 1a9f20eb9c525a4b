"""Posterior mean and standard deviation on (x, z) by scikit-learn, written to descriptors.json.

    python descriptors.py    # needs scikit-learn
"""

import json
from pathlib import Path

import numpy as np
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF, ConstantKernel, Matern

rng = np.random.default_rng(37)
cases = []
for name in ["rbf", "matern52"]:
    lengths, variance, noise = [0.4, 0.6, 1.5, 0.8], 2.3, 0.02
    shape = RBF(lengths) if name == "rbf" else Matern(lengths, nu=2.5)
    # Four tasks with a description each, and queries at descriptions that none of them had.
    places = rng.uniform(size=(4, 2))
    points = np.hstack([rng.uniform(size=(20, 2)), np.repeat(places, 5, axis=0)])
    values = np.sin(4 * points[:, 0] + 2 * points[:, 2]) + points[:, 1] * points[:, 3]
    queries = rng.uniform(size=(7, 4))
    process = GaussianProcessRegressor(ConstantKernel(variance) * shape, alpha=noise, optimizer=None)
    mean, deviation = process.fit(points, values).predict(queries, return_std=True)
    case = dict(kernel=name, lengths=lengths, variance=variance, noise=noise)
    arrays = dict(points=points, values=values, queries=queries, mean=mean, deviation=deviation)
    cases.append(case | {key: array.tolist() for key, array in arrays.items()})
Path(__file__).with_suffix(".json").write_text(json.dumps(cases) + "\n")
