"""The sampler in real studies of Optuna."""

from __future__ import annotations

import pickle
import subprocess
import sys
import warnings

import numpy as np
import optuna
import pytest
from optuna.distributions import CategoricalDistribution, FloatDistribution, IntDistribution
from optuna.trial import TrialState, create_trial

import baton
from baton.branches import conditions, steady
from baton.optuna import BatonSampler

optuna.logging.set_verbosity(optuna.logging.WARNING)


def bowl(trial, centre=0.3):
    return (trial.suggest_float("x", 0, 1) - centre) ** 2 + (trial.suggest_float("y", 0, 1) - 0.6) ** 2


def mixed(trial):
    x = trial.suggest_float("x", -1.0, 1.0)
    rate = trial.suggest_float("rate", 1e-4, 1.0, log=True)
    power = trial.suggest_float("power", -10.0, 10.0, step=0.5)
    layers = trial.suggest_int("layers", 1, 9, step=2)
    width = trial.suggest_int("width", 1, 64, log=True)
    kind = trial.suggest_categorical("kind", ["a", None, True, 3.5])
    trial.suggest_float("constant", 2.0, 2.0)
    assert isinstance(layers, int) and isinstance(width, int) and layers % 2 == 1
    return x**2 + abs(np.log10(rate) + 2) + abs(power) / 20 + layers / 9 + width / 64 + (kind is None)


def test_every_distribution_is_mapped_and_the_study_gets_better():
    study = optuna.create_study(sampler=BatonSampler(seed=1))
    study.optimize(mixed, n_trials=40)
    values = [trial.value for trial in study.trials]
    assert min(values[20:]) < min(values[:8])
    assert {type(trial.params["kind"]) for trial in study.trials} >= {str, bool, float}
    best = study.sampler.recommendation(study)
    assert set(best.point) == {"x", "rate", "power", "layers", "width", "kind"}
    assert best.low <= best.mean <= best.high


def test_same_seed_same_study_and_any_storage(tmp_path):
    def run(seed, storage=None):
        study = optuna.create_study(sampler=BatonSampler(seed=seed), storage=storage)
        study.optimize(bowl, n_trials=12)
        return [trial.params for trial in study.trials]

    assert run(3) == run(3, f"sqlite:///{tmp_path / 'study.db'}")
    assert run(3) != run(4)


def test_a_study_is_proposed_what_a_task_is():
    """Aims travel with the trials: design, model and all that follows are those of a campaign."""
    space = {"x": FloatDistribution(0, 1), "y": FloatDistribution(0, 1)}
    study = optuna.create_study(sampler=BatonSampler(seed=9, search_space=space))
    study.optimize(bowl, n_trials=15)
    both = {"x": (0.0, 1.0), "y": (0.0, 1.0)}
    task = baton.Campaign(both, goal="minimize", seed=9).task("study", budget=1e15)
    for trial in study.trials:
        asked = task.ask()
        assert trial.params == asked.point
        task.tell(asked, trial.value)


def test_it_finds_the_optimum_with_few_trials_and_to_maximize():
    study = optuna.create_study(direction="maximize", sampler=BatonSampler(seed=2))
    study.optimize(lambda trial: -bowl(trial), n_trials=25)
    assert study.best_value > -0.01
    assert study.sampler.recommendation(study)["x"] == pytest.approx(0.3, abs=0.1)


def test_earlier_studies_are_finished_tasks():
    """The third trial of a study that knows two others is where the study alone gets much later."""
    earlier = []
    for centre in (0.28, 0.31):
        study = optuna.create_study(sampler=BatonSampler(seed=1, source_studies=earlier))
        study.optimize(lambda trial, c=centre: bowl(trial, c), n_trials=20)
        earlier.append(study)
    space = {"x": FloatDistribution(0, 1), "y": FloatDistribution(0, 1)}

    def third(sources):
        sampler = BatonSampler(seed=5, source_studies=sources, search_space=space)
        study = optuna.create_study(sampler=sampler)
        study.optimize(lambda trial: bowl(trial, 0.30), n_trials=7)
        return min(trial.value for trial in study.trials)

    assert third(earlier) < 0.01 < third([])
    to_maximize = optuna.create_study(direction="maximize", sampler=BatonSampler(source_studies=earlier,
                                                                              search_space=space))
    with pytest.raises(ValueError, match="MINIMIZE"):
        to_maximize.ask().suggest_float("x", 0, 1)


def test_the_fidelity_is_a_parameter_with_costs():
    levels = {"epochs": {1: 1.0, 10: 10.0}}
    space = {"x": FloatDistribution(0, 1), "epochs": CategoricalDistribution([1, 10])}
    study = optuna.create_study(sampler=BatonSampler(seed=3, fidelity=levels, search_space=space))

    def objective(trial):
        epochs = trial.suggest_categorical("epochs", [1, 10])
        x = trial.suggest_float("x", 0, 1)
        return (x - 0.3) ** 2 + (0.05 * x if epochs == 1 else 0.0)

    study.optimize(objective, n_trials=30)
    used = [trial.params["epochs"] for trial in study.trials]
    assert set(used) == {1, 10}
    best = study.sampler.recommendation(study)
    assert best["x"] == pytest.approx(0.3, abs=0.1) and best["epochs"] == 10
    # Without the space given, the first trial is at the cheapest.
    other = optuna.create_study(sampler=BatonSampler(seed=3, fidelity=levels))
    other.optimize(objective, n_trials=2)
    assert other.trials[0].params["epochs"] == 1
    with pytest.raises(baton.FidelityError, match="value: cost"):
        BatonSampler(fidelity={"a": {1: 1}, "b": {1: 1}})


def epochs_and_x(trial):
    """The cheaper fidelity has the smaller values."""
    epochs = trial.suggest_categorical("epochs", [1, 10])
    return (trial.suggest_float("x", 0, 1) - 0.3) ** 2 - (1.0 if epochs == 1 else 0.0)


def test_the_best_trial_is_one_of_the_highest_fidelity_and_the_study_is_warned_of_once():
    sampler = BatonSampler(seed=3, fidelity={"epochs": {1: 1.0, 10: 10.0}})
    study = optuna.create_study(sampler=sampler)
    assert sampler.best_trial(study) is None
    with pytest.warns(UserWarning, match=r"cheaper fidelity \(epochs\); sampler.best_trial\(study\)") as warned:
        study.optimize(epochs_and_x, n_trials=20)
    assert len([one for one in warned if "cheaper fidelity" in str(one.message)]) == 1
    top = [trial for trial in study.trials if trial.params["epochs"] == 10]
    best = sampler.best_trial(study)
    assert best.value == min(trial.value for trial in top)
    assert study.best_trial.params["epochs"] == 1
    to_maximize = optuna.create_study(direction="maximize", sampler=BatonSampler(seed=3))
    to_maximize.optimize(bowl, n_trials=4)
    assert to_maximize.sampler.best_trial(to_maximize).number == to_maximize.best_trial.number


def test_a_misspelt_fidelity_is_named_with_what_was_meant():
    study = optuna.create_study(sampler=BatonSampler(seed=3, fidelity={"epoch": {1: 1, 10: 10}}))
    with pytest.raises(baton.FidelityError, match="'epoch'.*are epochs, x.*fidelity={'epochs'"):
        study.optimize(epochs_and_x, n_trials=3)
    assert [trial.state for trial in study.trials] == [TrialState.COMPLETE]


def test_running_trials_are_respected_before_they_have_stored_anything():
    space = {"x": FloatDistribution(0, 1)}
    study = optuna.create_study(sampler=BatonSampler(seed=4, search_space=space))
    for x in np.linspace(0, 1, 8):
        study.add_trial(create_trial(params={"x": x}, distributions=space, value=(x - 0.3) ** 2))
    given = [study.ask().relative_params["x"] for _ in range(4)]
    assert len(set(given)) == 4  # from the same records it would be the same point


def test_conditional_parameters_are_modelled_with_what_brings_them(tmp_path):
    def objective(trial):
        x = trial.suggest_float("x", 0, 1)
        if trial.suggest_categorical("kind", ["line", "curve"]) == "curve":
            return (x - 0.3) ** 2 + (trial.suggest_float("bend", 0, 1) - 0.7) ** 2
        return (x - 0.3) ** 2 + 0.2

    def run(storage=None):
        study = optuna.create_study(sampler=BatonSampler(seed=5), storage=storage)
        study.optimize(objective, n_trials=25)
        return study

    study = run()
    space = study.sampler.infer_relative_search_space(study, study.trials[-1])
    assert set(space) == {"x", "kind", "bend"}
    assert sum(trial.params["kind"] == "curve" for trial in study.trials[8:]) > 8
    assert abs(study.best_params["bend"] - 0.7) < 0.1 and study.best_value < 0.02
    best = study.sampler.recommendation(study)
    assert best["kind"] == "curve" and set(best) == {"x", "kind", "bend"}
    again = run(f"sqlite:///{tmp_path / 'study.db'}")
    assert [t.params for t in again.trials] == [t.params for t in study.trials]
    proposed = study.ask().relative_params
    assert ("bend" in proposed) == (proposed["kind"] == "curve")


def test_what_brings_a_parameter_is_found_out():
    def trials(objective, count=40):
        study = optuna.create_study(sampler=optuna.samplers.RandomSampler(seed=3))
        study.optimize(objective, n_trials=count)
        return study.get_trials()

    def nested(trial):
        layers = trial.suggest_int("layers", 1, 4)
        for layer in range(layers):
            trial.suggest_int(f"width {layer}", 1, 64)
        if trial.suggest_categorical("optimizer", ["sgd", "adam", "lion"]) != "adam":
            if trial.suggest_categorical("nesterov", [False, True]):
                trial.suggest_float("momentum", 0, 1)
        return 0.0

    told = trials(nested)
    when, unknown = conditions(steady(told), told)
    assert when == {
        "width 1": '"layers" > 1',
        "width 2": '"layers" > 2',
        "width 3": '"layers" > 3',
        "nesterov": '"optimizer" = 0 or 2',
        "momentum": '"nesterov" = 1',
    }
    assert not unknown

    def moody(trial):
        x = trial.suggest_float("x", 0, 1)
        return trial.suggest_float("y", 0, 1) if x < 0.5 else x

    told = trials(moody)
    assert conditions(steady(told), told) == ({}, {"y"})  # drawn at random
    study = optuna.create_study(sampler=BatonSampler(seed=5))
    study.optimize(moody, n_trials=12)
    assert set(study.sampler.infer_relative_search_space(study, study.trials[-1])) == {"x"}


def test_failed_pruned_infinite_and_foreign_trials_do_no_harm():
    space = {"x": FloatDistribution(0, 1), "k": IntDistribution(1, 3)}
    study = optuna.create_study(sampler=BatonSampler(seed=6, search_space=space))
    for state in (TrialState.FAIL, TrialState.PRUNED):
        study.add_trial(create_trial(state=state, params={"x": 0.2, "k": 1}, distributions=space))
    study.add_trial(create_trial(value=np.inf, params={"x": 0.4, "k": 2}, distributions=space))
    wider = {"x": FloatDistribution(0, 9), "k": IntDistribution(1, 3)}
    study.add_trial(create_trial(value=1.0, params={"x": 8.0, "k": 1}, distributions=wider))
    study.enqueue_trial({"x": 0.5})
    study.optimize(lambda trial: trial.suggest_float("x", 0, 1) + trial.suggest_int("k", 1, 3), 8)
    assert all(0 <= trial.params["x"] <= 1 for trial in study.trials[4:])


def test_two_objectives_are_refused():
    study = optuna.create_study(directions=["minimize", "minimize"], sampler=BatonSampler())
    with pytest.raises(ValueError, match="one objective"):
        study.ask().suggest_float("x", 0, 1)


def test_two_jobs_on_sqlite(tmp_path):
    storage = f"sqlite:///{tmp_path / 'study.db'}"
    sampler = BatonSampler(seed=7)
    study = optuna.create_study(study_name="s", storage=storage, sampler=sampler)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        study.optimize(bowl, n_trials=24, n_jobs=2)
    points = [tuple(trial.params.values()) for trial in study.trials]
    assert len(points) == 24 and len(set(points)) == 24
    assert all(trial.state == TrialState.COMPLETE for trial in study.trials)
    assert study.best_value < 0.02
    again = optuna.load_study(study_name="s", storage=storage, sampler=pickle.loads(pickle.dumps(sampler)))
    again.optimize(bowl, n_trials=2)
    assert len(again.trials) == 26


PROCESS = """
import sys, optuna
from baton.optuna import BatonSampler
optuna.logging.set_verbosity(optuna.logging.WARNING)
study = optuna.load_study(study_name="s", storage=sys.argv[1], sampler=BatonSampler(seed=int(sys.argv[2])))
study.optimize(lambda t: (t.suggest_float("x", 0, 1) - 0.3) ** 2, n_trials=8)
"""


def test_two_processes_on_one_storage(tmp_path):
    storage = f"sqlite:///{tmp_path / 'study.db'}"
    optuna.create_study(study_name="s", storage=storage)
    both = [subprocess.Popen([sys.executable, "-c", PROCESS, storage, str(i)]) for i in (1, 2)]
    assert [one.wait(timeout=120) for one in both] == [0, 0]
    study = optuna.load_study(study_name="s", storage=storage)
    assert [trial.state for trial in study.trials] == [TrialState.COMPLETE] * 16
    assert study.best_value < 0.05


def test_a_fidelity_that_cannot_be_meant_is_refused_at_once():
    with pytest.raises(baton.FidelityError, match="epochs=5 costs 5, less than 50 before it"):
        BatonSampler(fidelity={"epochs": {50: 50, 5: 5}})
    with pytest.raises(baton.FidelityError, match=r"without costs; write value: cost"):
        BatonSampler(fidelity={"epochs": [5, 50]})
    levels = {"epochs": {1: 1, 100: 100}}
    wrong = r"'epochs' has 100, which the objective does not offer.*choices=\(1, 10\)"
    study = optuna.create_study(sampler=BatonSampler(seed=1, fidelity=levels))
    with pytest.raises(baton.FidelityError, match=wrong):
        study.optimize(epochs_and_x, n_trials=2)
    assert len(study.trials) == 1
    with pytest.raises(baton.FidelityError, match=wrong):
        BatonSampler(fidelity=levels, search_space={"epochs": CategoricalDistribution([1, 10])})


def test_a_source_study_that_teaches_nothing_is_told_of():
    def study_of(objective, name, direction="minimize"):
        study = optuna.create_study(study_name=name, direction=direction)
        study.optimize(objective, n_trials=4)
        return study

    with pytest.warns(UserWarning, match="'empty' teaches nothing .*: none of its trials has a value"):
        BatonSampler(source_studies=[optuna.create_study(study_name="empty")])
    space = {"x": FloatDistribution(0, 1), "y": FloatDistribution(0, 1)}
    others = {
        "its parameters are a; those of this study are x, y":
            study_of(lambda t: t.suggest_float("a", 0, 1), "other"),
        "none of its trials lies in the ranges of this study":
            study_of(lambda t: t.suggest_float("x", 5, 9) + t.suggest_float("y", 0, 1), "far"),
        "none of its trials lies in the ranges":
            study_of(lambda t: bool(t.suggest_categorical("x", "ab") and t.suggest_float("y", 0, 1)), "kind"),
    }
    for reason, source in others.items():
        sampler = BatonSampler(seed=1, source_studies=source, search_space=space)
        with pytest.warns(UserWarning, match=f"'{source.study_name}' teaches nothing .*: {reason}"):
            optuna.create_study(sampler=sampler).ask().suggest_float("x", 0, 1)
    sampler = BatonSampler(source_studies=[study_of(bowl, "up", "maximize")])  # at the first trial
    with pytest.raises(ValueError, match="'up' is to MAXIMIZE, this one is to MINIMIZE"):
        optuna.create_study(sampler=sampler).ask().suggest_float("x", 0, 1)
    with pytest.raises(ValueError, match=r"write a list: source_studies=\[study\]"):
        BatonSampler(source_studies="study")
    good = BatonSampler(seed=1, source_studies=study_of(bowl, "good"), search_space=space)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        optuna.create_study(sampler=good).ask().suggest_float("x", 0, 1)


def test_nothing_is_recommended_before_there_is_anything():
    sampler = BatonSampler(seed=1)
    assert sampler.recommendation(optuna.create_study(sampler=sampler)) is None


def test_studies_are_described():
    def run(load, sampler, trials=10):
        study = optuna.create_study(sampler=sampler)
        study.optimize(lambda t: (t.suggest_float("x", 0, 1) - load) ** 2, n_trials=trials)
        return study

    descriptors, space = {"load": (0.0, 1.0)}, {"x": FloatDistribution(0, 1)}
    sources = [(run(load, BatonSampler(seed=1)), {"load": load}) for load in (0.1, 0.5, 0.8)]
    sampler = BatonSampler(
        seed=1, source_studies=sources, search_space=space, descriptors=descriptors,
        describe={"load": 0.4},
    )
    study = optuna.create_study(sampler=sampler)
    assert abs(sampler.recommendation(study)["x"] - 0.4) < 0.1
    study.optimize(lambda t: (t.suggest_float("x", 0, 1) - 0.4) ** 2, n_trials=1)
    assert abs(study.trials[0].params["x"] - 0.4) < 0.1
    for wrong in ({"lode": 0.5}, {"load": 2.0}, {"load": float("nan")}):
        with pytest.raises(baton.DescriptorError):
            BatonSampler(descriptors=descriptors, describe=wrong)
        with pytest.raises(baton.DescriptorError):
            BatonSampler(descriptors=descriptors, source_studies=[(sources[0][0], wrong)])
    with pytest.raises(baton.DescriptorError, match="no descriptors"):
        BatonSampler(describe={"load": 0.4})
