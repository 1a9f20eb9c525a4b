"""Models of scikit-learn on data that comes with it: what is tuned is the error in three-fold cross-validation."""

import numpy as np
from sklearn.datasets import load_breast_cancer, load_diabetes
from sklearn.ensemble import GradientBoostingRegressor
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

import baton

BOOSTING = {
    "learning_rate": baton.log(0.005, 0.5),
    "n_estimators": baton.integer(5, 60),
    "max_depth": baton.integer(1, 6),
    "min_samples_leaf": baton.integer(1, 40),
    "subsample": baton.real(0.3, 1.0),
    "max_features": baton.real(0.1, 1.0),
    "idle": baton.real(0.0, 1.0),
}
SVM = {
    "C": baton.log(1e-3, 1e3),
    "gamma": baton.log(1e-5, 10.0),
    "class_weight": baton.log(0.1, 10.0),
    "tol": baton.log(1e-5, 1e-2),
    "shrinking": baton.choice(["yes", "no"]),
    "idle": baton.real(0.0, 1.0),
}


def boosting(point: dict) -> float:
    """The root mean squared error of boosted trees on the progression of diabetes (442 people)."""
    settings = {name: value for name, value in point.items() if name != "idle"}
    model = GradientBoostingRegressor(random_state=0, **settings)
    scores = cross_val_score(model, *load_diabetes(return_X_y=True), cv=3, scoring="neg_root_mean_squared_error")
    return -float(np.mean(scores))


def svm(point: dict) -> float:
    """The share of tumours (569) that a support vector machine tells wrong, both kinds counting the same."""
    model = SVC(
        C=point["C"], gamma=point["gamma"], class_weight={0: point["class_weight"], 1: 1.0},
        tol=point["tol"], shrinking=point["shrinking"] == "yes",
    )
    data = load_breast_cancer(return_X_y=True)
    scores = cross_val_score(make_pipeline(StandardScaler(), model), *data, cv=3, scoring="balanced_accuracy")
    return 1.0 - float(np.mean(scores))


MODELS = {"boosting": (boosting, BOOSTING), "svm": (svm, SVM)}
