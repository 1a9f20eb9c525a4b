"""Conditional functions that nobody here wrote, each as the same tree of parameters for every method.

A parameter is `(name, kind, when)`: the kind is a list of choices, or two bounds; `when` is `(parent,
values)` or nothing. Families: Jenatton et al., "Bayesian Optimization with Tree-structured Dependencies"
(ICML 2017); the hierarchical Goldstein function of SMT (Saves et al., 2023), called through its public
interface.
"""

from functools import cache

import numpy as np

JENATTON = [
    ("x1", [0, 1], None),
    ("x2", [0, 1], ("x1", [0])),
    ("x3", [0, 1], ("x1", [1])),
    ("x4", (0.0, 1.0), ("x2", [0])),
    ("x5", (0.0, 1.0), ("x2", [1])),
    ("x6", (0.0, 1.0), ("x3", [0])),
    ("x7", (0.0, 1.0), ("x3", [1])),
    ("r8", (0.0, 1.0), ("x1", [0])),
    ("r9", (0.0, 1.0), ("x1", [1])),
]


def jenatton(point):
    if point["x1"] == 0:
        own = point["x4"] ** 2 + 0.1 if point["x2"] == 0 else point["x5"] ** 2 + 0.2
        return own + point["r8"]
    own = point["x6"] ** 2 + 0.3 if point["x3"] == 0 else point["x7"] ** 2 + 0.4
    return own + point["r9"]


GOLDSTEIN = [
    ("w", [0, 1, 2, 3], None),
    ("c", [0, 1], None),
    ("x1", (0.0, 100.0), None),
    ("x2", (0.0, 100.0), None),
    ("x3", (0.0, 100.0), ("w", [1, 3])),
    ("x4", (0.0, 100.0), ("w", [2, 3])),
    ("x5", (0.0, 100.0), None),
    ("z1", [0, 1, 2], ("w", [0, 2])),
    ("z2", [0, 1, 2], ("w", [0, 1])),
    ("z3", [0, 1, 2], None),
    ("z4", [0, 1, 2], None),
]


@cache
def _goldstein():
    from smt.problems import HierarchicalGoldstein

    return HierarchicalGoldstein()


def goldstein(point):
    row = [float(point.get(name, 0)) for name, _, _ in GOLDSTEIN]
    return float(np.asarray(_goldstein()(np.array([row]))).ravel()[0])


#: the tree, the function, its minimum (Goldstein's by `families.py`), evaluations
FAMILIES = {
    "jenatton": (JENATTON, jenatton, 0.1, 40),
    "goldstein": (GOLDSTEIN, goldstein, 8.94193006497219, 60),
}


def least(tree, function, starts=12):
    """The minimum over all branches: bounded descent from random starts in each."""
    from itertools import product

    from scipy.optimize import minimize

    rng = np.random.default_rng(0)
    discrete = [(name, kind) for name, kind, _ in tree if isinstance(kind, list)]
    best, seen = (np.inf, {}), set()
    for values in product(*(kind for _, kind in discrete)):
        point = dict(zip([name for name, _ in discrete], values))
        for name, _, when in tree:  # parents stand first
            if when and point.get(when[0]) not in when[1]:
                point.pop(name, None)
        names = [n for n, kind, when in tree if isinstance(kind, tuple)
                 and (not when or point.get(when[0]) in when[1])]
        key = tuple(sorted(point.items()))
        if key in seen:
            continue
        seen.add(key)
        bounds = [dict((n, k) for n, k, _ in tree)[name] for name in names]
        for _ in range(starts):
            start = [rng.uniform(*bound) for bound in bounds]
            found = minimize(lambda x: function({**point, **dict(zip(names, x))}), start, bounds=bounds)
            if found.fun < best[0]:
                best = (float(found.fun), {**point, **dict(zip(names, map(float, found.x)))})
    return best


if __name__ == "__main__":
    for name, (tree, function, _, _) in FAMILIES.items():
        print(name, *least(tree, function))
