"""Boosted trees of scikit-learn on small data sets with two classes.

| | |
|---|---|
| varied | learning rate, trees, leaves, rows of a leaf, ridge on leaves, share of the features of a split |
| fidelities | one fold, trained on a quarter of its rows; one fold; three folds |
| tasks | nine data sets |
| value | cross-entropy in nats, mean over the folds, which are always the same |
"""

import numpy as np

from families.data import folds
from problem import Family, Integer, Real

PARTS = {"a quarter of a fold": (1, 0.25), "one fold": (1, 1.0), "three folds": (3, 1.0)}  # folds, share of the rows
ROWS, FOLDS = 500, 3


class Boosting(Family):
    name = "boosting"
    space = {
        "rate": Real(0.01, 0.6, log=True),
        "trees": Integer(8, 120, log=True),
        "leaves": Integer(2, 32, log=True),
        "rows": Integer(1, 60, log=True),
        "ridge": Real(1e-3, 100.0, log=True),
        "features": Real(0.1, 1.0),
    }
    fidelities = {"a quarter of a fold": 1, "one fold": 2, "three folds": 6}
    pool = ["banana", "ionosphere", "magic", "phoneme", "pima", "ring", "sonar", "spambase", "wdbc"]
    budget = 180

    def compute(self, task, point, fidelity):
        from sklearn.ensemble import HistGradientBoostingClassifier

        losses, (used, share) = [], PARTS[fidelity]
        for x, y, fresh, truth in folds(task, ROWS, FOLDS)[:used]:
            count = round(share * len(y))
            model = HistGradientBoostingClassifier(
                learning_rate=point["rate"], max_iter=point["trees"], max_leaf_nodes=point["leaves"],
                min_samples_leaf=point["rows"], l2_regularization=point["ridge"], max_features=point["features"],
                max_bins=63, early_stopping=False, random_state=0,
            ).fit(x[:count], y[:count])
            told = model.predict_proba(fresh)[np.arange(len(truth)), truth]
            losses.append(-np.log(np.maximum(told, 1e-9)).mean())
        return np.mean(losses)


FAMILY = Boosting
