"""Quantities that have to keep bounds: how they are said, told, shown, kept and handed on."""

from __future__ import annotations

import pickle

import optuna
import pytest

import baton
from baton import ConstraintError
from baton.client import Client
from baton.constraints import in_words, wanted_constraints
from baton.optuna import BatonSampler

optuna.logging.set_verbosity(optuna.logging.WARNING)
#: From 4 on, the best trial of a study keeps the constraints.
OPTUNA = int(optuna.__version__.split(".")[0])
SPACE = {"x": (0.0, 1.0), "y": (0.0, 1.0)}


def heat(point):
    return 40.0 + 5.0 * (point["x"] + point["y"])


def value(point):
    """It falls towards a corner that is too hot: 1.28 is the least where heat is at most 44."""
    return (1.2 - point["x"]) ** 2 + (1.2 - point["y"]) ** 2


def measure(trial):
    return baton.Measurement(value(trial), constraints={"heat": heat(trial)})


def campaign(**more):
    usual = {"goal": "minimize", "constraints": {"heat": "<= 44"}, "seed": 3}
    return baton.Campaign(SPACE, **{**usual, **more})


@pytest.fixture(scope="module")
def done():
    made = campaign()
    made.task("one", budget=16).minimize(measure)
    made.task("two", budget=5, constraints={"heat": "<= 43"}).minimize(measure)
    return made


def test_bounds_are_said_in_several_forms_and_read_back_as_people_write_them():
    given = {
        "a": "<=45",
        "b": ">= 8.5",
        "c": (8, None),
        "d": (None, 1e-3),
        "e": [-1, 3],
        "f": {"max": 45, "noise": 0.1},
        "g": {"min": 1, "noise": [0.1, 0.2]},
        "h": ">= 1 and <= 3",
    }
    wanted = wanted_constraints(given)
    assert wanted[5] == {"name": "f", "max": 45.0, "noise_variance": [0.1]}
    assert wanted[6]["noise_variance"] == [0.1, 0.2]
    said = ["<= 45", ">= 8.5", ">= 8", "<= 0.001", ">= -1 and <= 3", "<= 45", ">= 1", ">= 1 and <= 3"]
    made = campaign(constraints=given, fidelities={"coarse": 1, "fine": 4})
    assert list(made.constraints.values()) == said
    assert in_words(wanted_constraints(made.constraints)) == made.constraints
    assert campaign(constraints=None).constraints == {}


WRONG = [True, None, 45, "45", "=> 3", "<= warm", ">= 1 and >= 2", (1, 2, 3), {}, {"most": 3}]


@pytest.mark.parametrize("bounds", WRONG, ids=repr)
def test_what_is_no_bound_is_refused_by_name_with_the_forms(bounds):
    with pytest.raises(ConstraintError, match="constraint heat: .* is no bound.*<= 45") as refused:
        campaign(constraints={"heat": bounds})
    assert repr(bounds) in str(refused.value)


@pytest.mark.parametrize(
    ("constraints", "reason"),
    [
        (["heat"], "write names with bounds"),
        ({3: "<= 4"}, "write '3'"),
        ({"heat": (None, None)}, "heat: it needs a bound"),
        ({"heat": (3, 1)}, "heat: nothing is at least 3 and at most 1"),
        ({"heat": {"max": "45"}}, "heat: max is '45', no finite number"),
        ({"heat": {"max": True}}, "heat: max is True"),
        ({"heat": "<= nan"}, "heat: max is nan"),
        ({"heat": {"max": 4, "noise": -1}}, "heat: variances"),
        ({"heat": {"max": 4, "noise": [1, None]}}, "heat: noise is None"),
        ({"heat": {"max": 4, "noise": [1, 2]}}, "heat: it has 2 noise variances for 1"),
    ],
)
def test_other_mistakes_say_which_and_why(constraints, reason):
    with pytest.raises(ConstraintError, match=reason):
        campaign(constraints=constraints)


def test_a_mistake_in_what_is_told_names_the_constraint_and_loses_nothing():
    task = campaign().task("one", budget=9)
    trial = task.ask()
    wrong = [
        ({"heat": float("nan")}, "heat of trial 0 is nan"),
        ({"heat": None}, "heat of trial 0 is None"),
        ({"heat": "hot"}, "heat of trial 0 is 'hot'"),
        ({"haet": 43.0}, "haet: .* the constraints are heat"),
        (43.0, 'write {"temperature": 43.7}'),
    ]
    for told, reason in wrong:
        with pytest.raises(ConstraintError, match=reason):
            task.tell(trial, 3.1, constraints=told)
        with pytest.raises(ConstraintError, match=reason):
            task.minimize(lambda trial: baton.Measurement(3.1, constraints=told))
    assert [trial.state for trial in task.trials] == ["pending"]
    task.tell(trial, 3.1, constraints={"heat": 43.0})
    task.tell(trial, 3.1, constraints={"heat": 43.0})  # the same again
    with pytest.raises(baton.FinishedTrialError, match=r"3.1, heat 43.0\).*heat 43.5 was not taken"):
        task.tell(trial, 3.1, constraints={"heat": 43.5})
    with pytest.raises(ConstraintError, match="has no constraints"):
        free = campaign(constraints=None).task("one", budget=9)
        free.tell(free.ask(), 3.1, constraints={"heat": 43.0})


def test_a_trial_that_did_not_tell_all_is_not_known_to_be_feasible():
    task = campaign(constraints={"heat": "<= 44", "gain": ">= 8"}).task("one", budget=9)
    for told in ({"heat": 43.0}, {"heat": 45.0}, {"heat": 43.0, "gain": 9.0}, {}):
        trial = task.ask()
        assert (trial.constraints, trial.feasible) == ({}, None)
        task.tell(trial, 1.0 + len(told), constraints=told)
    assert [trial.feasible for trial in task.trials] == [None, False, True, None]
    assert task.best_trial.id == 2 and task.best_value == 3.0  # others are better, and not feasible
    assert task.trials[2].constraints == {"heat": 43.0, "gain": 9.0}
    assert "gain" in task.trials[2]._repr_html_()


def test_the_recommended_point_keeps_the_bound_and_says_how_surely(done):
    one = done.task("one")
    best = one.recommendation()
    assert heat(best) <= 44.05 and value(best) < 1.28 + 0.06
    assert 0.9 < best.feasible <= 1.0
    share = f"feasible with {100 * best.feasible:.0f} %"
    assert share in str(best) and "<td style='text-align:left'>feasible with" in best._repr_html_()
    assert one.best_trial.feasible and one.best_trial.constraints["heat"] <= 44
    feasible = [trial.value for trial in one.trials if trial.feasible]
    assert one.best_value == min(feasible) > min(trial.value for trial in one.trials)
    free = baton.Recommendation({"x": 1.0}, 0.0, -1.0, 1.0)
    assert free.feasible is None and "feasible" not in str(free) + free._repr_html_()


def test_the_next_task_knows_where_its_other_bound_holds(done):
    two = done.task("two")
    assert done.constraints == {"heat": "<= 44"} and two.constraints == {"heat": "<= 43"}
    assert two.changes == ["heat <= 43, it was heat <= 44"]
    assert heat(two.trials[0]) < 43.4  # before anything was told
    assert heat(two.recommendation()) <= 43.05 and done.best_trial.constraints["heat"] <= 43
    learned = campaign(constraints={"heat": "<= 42"}, knowledge=done.knowledge)
    assert heat(learned.task("elsewhere", budget=5).ask()) < 42.4
    planned = {"a": 9, "b": {"budget": 9, "constraints": {"gain": ">= 1"}}}
    assert campaign(tasks=planned).task("b").constraints == {"heat": "<= 44", "gain": ">= 1"}


def test_a_frame_has_a_column_for_each_and_goes_back_in(done):
    frame = done.frame()
    assert list(frame.columns[3:7]) == ["x", "y", "value", "heat"]
    assert frame.heat.tolist() == [heat(trial) for trial in done.trials]
    old = frame[frame.task == "one"]
    made = campaign()
    made.add_finished("old", old[["x", "y"]], old.value, constraints=old[["heat"]])
    assert made.task("old").best_value == done.task("one").best_value
    task = made.task("new", budget=9)
    task.add([[0.1, 0.2], [0.9, 0.9]], [2.0, 1.0], constraints={"heat": [41.5, None]})
    assert [trial.feasible for trial in task.trials] == [True, None]
    assert made.frame().heat.isna().sum() == 1
    with pytest.raises(baton.ShapeError, match="heat: 1 values and 2 points"):
        task.add([[0.3, 0.2], [0.8, 0.9]], [2.0, 1.0], constraints={"heat": [41.5]})
    with pytest.raises(ConstraintError, match="heat of point 1 is inf"):
        task.add([[0.3, 0.2], [0.8, 0.9]], [2.0, 1.0], constraints={"heat": [41.5, float("inf")]})


def test_a_store_and_a_copy_have_the_bounds(tmp_path, done):
    begun = campaign(store=tmp_path / "c.db", tasks={"one": 9})
    trial = begun.task("one").ask()
    begun.task("one").tell(trial, 2.0, constraints={"heat": 45.0})
    begun.task("two", budget=9, constraints={"heat": (41, 43)})
    again = baton.Campaign.open(tmp_path / "c.db")
    assert again.constraints == {"heat": "<= 44"}
    assert again.task("one").trials[0].feasible is False
    assert again.task("two").constraints == {"heat": ">= 41 and <= 43"}
    with pytest.raises(baton.CampaignError, match="heat <= 44, now they are heat <= 40"):
        campaign(store=tmp_path / "c.db", constraints={"heat": "<= 40"})
    copy = pickle.loads(pickle.dumps(done))
    assert copy.constraints == done.constraints and copy.task("one").trials[0].constraints


def test_the_client_writes_what_the_service_reads(monkeypatch):
    sent = []
    monkeypatch.setattr(Client, "_call", lambda self, method, path, body=None, key=None: sent.append(body))
    client = Client("http://127.0.0.1:1")
    plan = [{"name": "a", "budget": 9}, {"name": "b", "budget": 9, "constraints": {"heat": "<= 43"}}]
    client.create("bowl", constraints={"heat": {"max": 44, "noise": 0.1}}, tasks=plan)
    assert sent[0]["constraints"] == [{"name": "heat", "max": 44.0, "noise_variance": [0.1]}]
    assert sent[0]["tasks"] == [plan[0], {**plan[1], "constraints": [{"name": "heat", "max": 43.0}]}]
    as_the_service_has_them = [{"name": "heat", "max": 44}]
    client.create("bowl", constraints=as_the_service_has_them)
    assert sent[1]["constraints"] == as_the_service_has_them
    client.tell("bowl", "a", 0, 3.1, constraints={"heat": 43})
    client.tell("bowl", "a", 0, 3.1)
    assert sent[2:] == [{"value": 3.1, "constraints": {"heat": 43.0}}, {"value": 3.1}]
    for wrong in (float("nan"), "hot", None):
        with pytest.raises(ValueError, match="the constraint heat of trial 0 is"):
            client.tell("bowl", "a", 0, 3.1, constraints={"heat": wrong})
    with pytest.raises(ConstraintError, match="heat: '44' is no bound"):
        client.create("bowl", constraints={"heat": "44"})
    assert len(sent) == 4


# Optuna


def toy(trial):
    point = {name: trial.suggest_float(name, 0, 1) for name in SPACE}
    trial.set_user_attr("heat", heat(point))
    return value(point)


def too_hot(trial):
    return (trial.user_attrs["heat"] - 44.0,)


def test_constraints_of_a_study_are_modelled_and_kept_where_optuna_looks():
    sampler = BatonSampler(seed=1, constraints_func=too_hot)
    study = optuna.create_study(sampler=sampler)
    study.optimize(toy, n_trials=14)
    assert list(study.trials[0].system_attrs["constraints"]) == list(too_hot(study.trials[0]))
    best = sampler.best_trial(study)
    assert best.user_attrs["heat"] <= 44.0
    assert OPTUNA < 4 or study.best_trial.number == best.number
    recommended = sampler.recommendation(study)
    assert heat(recommended) <= 44.05 and value(recommended) < 1.4
    assert recommended.feasible > 0.9
    # Another study knows from its first trial where it is too hot.
    sampler = BatonSampler(seed=2, constraints_func=too_hot, source_studies=[study],
                           search_space=study.trials[0].distributions)
    later = optuna.create_study(sampler=sampler)
    later.optimize(toy, n_trials=1)
    assert later.trials[0].user_attrs["heat"] < 44.4


def test_a_constraint_that_is_infinite_makes_a_trial_a_failed_one_and_nan_is_refused():
    told = iter([0.0, float("inf"), -1.0, float("nan")])
    study = optuna.create_study(sampler=BatonSampler(seed=1, constraints_func=lambda _: (next(told),)))
    study.optimize(lambda trial: trial.suggest_float("x", 0, 1), n_trials=3)
    assert study.best_trial.number in (0, 2)
    with pytest.raises(ValueError, match="NaN"):
        study.optimize(lambda trial: trial.suggest_float("x", 0, 1), n_trials=1)


@pytest.mark.skipif(OPTUNA < 5, reason="Optuna 5 has it")
def test_constraints_that_trials_set_by_name_are_modelled():
    def named(trial):
        found = toy(trial)
        trial.set_constraint("success", trial.user_attrs["heat"] - 44.0)
        return found

    study = optuna.create_study(sampler=BatonSampler(seed=1))
    study.optimize(named, n_trials=8)
    assert study.sampler.recommendation(study).feasible is not None
    assert study.sampler.best_trial(study).number == study.best_trial.number
