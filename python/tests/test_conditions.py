"""Parameters that are there under a condition only, and combinations that are forbidden."""

from __future__ import annotations

import copy
import math
import pickle

import baton
import pytest


def space():
    return {
        "optimizer": ["sgd", "adam"],
        "rate": baton.log(1e-4, 1.0),
        "momentum": baton.real(0, 1, when="optimizer = sgd"),
        "nesterov": baton.choice([False, True, None], when="momentum_kind = on"),
        "momentum_kind": baton.choice(["on", "off"], when="optimizer = sgd"),
    }


FORBID = ["optimizer = adam and rate > 0.1", "momentum + rate > 1.2"]


def loss(trial):
    kind = 0.0 if trial.params.get("nesterov") else 0.1
    return (math.log10(trial["rate"]) + 2) ** 2 + (trial.params.get("momentum", 0.0) - 0.9) ** 2 + kind


def campaign(**more):
    return baton.Campaign(space(), **{"forbid": FORBID, "goal": "minimize", "seed": 5, **more})


@pytest.fixture(scope="module")
def done():
    made = campaign()
    made.task("one", budget=24).minimize(loss)
    return made


def test_points_have_what_is_there_and_no_forbidden_one_is_asked_for(done):
    for trial in done.trials:
        sgd = trial["optimizer"] == "sgd"
        assert ("momentum" in trial.params) == ("momentum_kind" in trial.params) == sgd
        assert ("nesterov" in trial.params) == (trial.params.get("momentum_kind") == "on")
        assert sgd or trial["rate"] <= 0.1
        assert trial.params.get("momentum", 0.0) + trial["rate"] <= 1.2
    assert {"sgd", "adam"} <= {trial["optimizer"] for trial in done.trials}
    best = done.tasks[0].recommendation()
    assert best["optimizer"] == "sgd" and abs(best["momentum"] - 0.9) < 0.2


def test_what_is_not_there_is_nan_in_arrays_and_frames_and_comes_back_from_them(done):
    task = done.tasks[0]
    points, _, values = task.arrays()
    assert points.shape == (24, 5) and len(values) == 24
    frame = task.frame()
    adam = frame["optimizer"] == "adam"
    assert frame.loc[adam, "momentum"].isna().all() and frame.loc[~adam, "momentum"].notna().all()
    only = baton.Campaign({"n": baton.integer(1, 3), "x": baton.real(0, 1, when="n > 1")}, goal="minimize")
    other = only.task("one", budget=9)
    other.add([{"n": 1}, {"n": 2, "x": 0.5}], [0.3, 0.2])
    frame = other.frame()[["n", "x"]]
    assert math.isnan(frame["x"][0])
    mean = other.predict(frame).mean
    assert mean.shape == (2,)
    assert "<table" in other._repr_html_()


def test_a_point_that_does_not_fit_is_refused_with_words():
    task = campaign().task("one", budget=9)
    with pytest.raises(baton.ParameterError, match="momentum: it is 0.5, but it is there only when opt"):
        task.suggest({"optimizer": "adam", "rate": 0.01, "momentum": 0.5})
    with pytest.raises(baton.ParameterError, match="momentum: it has no value, although optimizer = sgd"):
        task.suggest({"optimizer": "sgd", "rate": 0.01})
    with pytest.raises(baton.ParameterError, match="has no value for 'rate'"):
        task.suggest({"optimizer": "adam"})
    with pytest.raises(baton.ParameterError, match="forbidden: optimizer = adam and rate > 0.1"):
        task.suggest({"optimizer": "adam", "rate": 0.5})
    # What was measured elsewhere is learned from, and is not the best of what may be used.
    task.add([{"optimizer": "adam", "rate": 0.5}, {"optimizer": "adam", "rate": 0.05}], [0.0, 1.0])
    assert task.best_value == 1.0


def test_mistakes_are_told_with_their_place():
    with pytest.raises(baton.ParameterError, match="at sign 1: there is no parameter \"optimzer\""):
        baton.Space({"x": baton.real(0, 1, when="optimzer = sgd")})
    with pytest.raises(baton.ParameterError, match="at sign 12: expected a value"):
        baton.Space({"optimizer": ["a", "b"], "x": baton.real(0, 1, when="optimizer =")})
    with pytest.raises(baton.ParameterError, match="write when="):
        baton.real(0, 1, when=3)
    with pytest.raises(baton.ParameterError, match="nearly. all of it"):
        campaign(forbid="rate > 0")
    with pytest.raises(baton.ParameterError, match="write forbid="):
        campaign(forbid=[3])


def test_the_campaign_of_a_store_keeps_them(tmp_path):
    store = tmp_path / "one.db"
    made = campaign(store=store, tasks={"one": 6})
    made.task("one").ask()
    again = baton.Campaign.open(store)
    assert again.space == baton.Space(space()) and list(again.forbid) == FORBID
    assert repr(again.space).count("when=") == 3
    assert pickle.loads(pickle.dumps(again.space)) == copy.copy(again.space)
    with pytest.raises(baton.CampaignError, match="rate > 0.1 is not forbidden any more"):
        campaign(store=store, forbid=FORBID[1:])
    assert campaign(store=store).task("one").ask() is not None


def test_a_slice_goes_over_what_another_value_brings(done):
    varied = done.space.varied({"optimizer": "adam", "rate": 0.01}, "optimizer", ["sgd", "adam"])
    assert varied[0]["momentum"] == 0.5 and varied[1] == {"optimizer": "adam", "rate": 0.01}
