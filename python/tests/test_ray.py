"""Campaigns and Ray Tune on a real local cluster of Ray, with workers that are killed."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest
from ray import tune

import baton
import baton.ray
from problem import FIDELITIES, small


def bowl(trial: baton.Trial) -> float:
    return (trial["x"] - 0.3) ** 2


def test_a_campaign_completes_with_an_exact_budget_although_a_worker_is_killed(cluster, tmp_path):
    """The function kills its own process, once, by SIGKILL: as a crash or the system would."""
    store, killed = f"sqlite:{tmp_path / 'campaign.db'}", tmp_path / "killed"

    def deadly(trial):
        if trial.task == "monday" and trial.id == 3 and not killed.exists():
            killed.write_text(str(os.getpid()))
            os.kill(os.getpid(), signal.SIGKILL)
        return (trial["x"] - 0.3) ** 2

    whole = small(store=store, tasks={"monday": 20, "tuesday": 10})
    needs = {"coarse": {"num_cpus": 1}, "fine": {"num_cpus": 2}}
    monday, tuesday = baton.ray.run(whole, deadly, concurrency=2, resources=needs)
    assert int(killed.read_text()) != os.getpid()
    for task, budget in zip(baton.Campaign.open(store).tasks, (20, 10)):
        assert task.state == "finished"
        assert [trial.state for trial in task.trials] == ["told"] * len(task.trials)
        assert sum(trial.cost for trial in task.trials) == budget
    assert abs(tuesday["x"] - 0.3) < 0.1 and monday.low <= monday.mean
    assert {trial.holder[:4] for trial in whole.trials} == {"ray@"}


def test_a_worker_that_is_lost_every_time_makes_the_trial_a_failed_one(cluster):
    def deadly(trial):
        if trial.id == 1:
            os.kill(os.getpid(), signal.SIGKILL)
        return (trial["x"] - 0.3) ** 2

    task = small().task("monday", budget=10)
    baton.ray.run(task, deadly, concurrency=1, retries=1)
    assert [trial.id for trial in task.trials if trial.state == "failed"] == [1]
    assert "lost" in task.trials[1].reason
    assert task.spent == 10


def test_the_functions_own_exception_comes_out_unchanged(cluster):
    def function(trial):
        raise ArithmeticError("disk", 28)

    task = small().task("monday", budget=10)
    with pytest.raises(ArithmeticError) as caught:
        baton.ray.run(task, function, concurrency=2)
    assert type(caught.value) is ArithmeticError and caught.value.args == ("disk", 28)
    assert all(trial.state == "pending" for trial in task.trials)
    baton.ray.run(task, bowl, concurrency=2)
    assert task.state == "finished" and sum(trial.cost for trial in task.trials) == 10
    with pytest.raises(baton.FidelityError, match="medium"):
        baton.ray.run(task, bowl, resources={"medium": {}})


def trainable(config):
    x = config["x"]
    tune.report({"loss": (x - 0.3) ** 2 + (0.0 if config["fidelity"] == "fine" else 0.05 * x)})


def tuner(searcher, folder: Path, samples: int = 100):
    return tune.Tuner(
        tune.with_resources(trainable, {"cpu": 1}),
        tune_config=tune.TuneConfig(search_alg=searcher, metric="loss", mode="min",
                                    num_samples=samples, max_concurrent_trials=2),
        run_config=tune.RunConfig(storage_path=str(folder), name="experiment", verbose=0),
    )


def test_tune_spends_the_budget_of_a_task(cluster, tmp_path):
    task = small().task("monday", budget=8)
    results = tuner(baton.ray.BatonSearcher(task, metric="loss"), tmp_path).fit()
    assert task.spent == 8 and len(results) == len(task.trials)
    assert [trial.state for trial in task.trials] == ["told"] * len(task.trials)
    assert {result.config["fidelity"] for result in results} <= set(FIDELITIES)
    told = {(r.config["x"], r.config["fidelity"]): r.metrics["loss"] for r in results}
    assert all(told[trial["x"], trial.fidelity] == trial.value for trial in task.trials)
    assert task.finish() is not None


def test_a_searcher_is_saved_and_restored_with_its_running_trials(tmp_path):
    task = small().task("monday", budget=12)
    searcher = baton.ray.BatonSearcher(task, metric="loss")
    first, second = searcher.suggest("a"), searcher.suggest("b")
    searcher.on_trial_complete("a", {"loss": 0.5})
    searcher.save(str(tmp_path / "state.pkl"))

    other = baton.ray.BatonSearcher(small().task("other", budget=12), metric="loss", mode="min")
    other.restore(str(tmp_path / "state.pkl"))
    other.on_trial_complete("b", {"loss": 0.25})
    searcher.on_trial_complete("b", {"loss": 0.25})
    ours, theirs = searcher._task.trials, other._task.trials
    assert [(t.point, t.value) for t in ours] == [(t.point, t.value) for t in theirs]
    assert {**ours[1].point, "fidelity": ours[1].fidelity} == second != first
    assert searcher.suggest("c") == other.suggest("c")


def test_a_searcher_answers_whatever_comes_of_a_trial():
    task = small(pause_after=0).task("monday", budget=8)
    searcher = baton.ray.BatonSearcher(task, metric="loss", mode="min")
    ends = [({"loss": 0.5}, False), (None, True), ({"other": 1}, False), ({"loss": float("nan")}, False)]
    for i, (result, error) in enumerate(ends):
        searcher.suggest(str(i))
        searcher.on_trial_complete(str(i), result, error)
    assert [t.state for t in task.trials[:4]] == ["told", "failed", "failed", "failed"]
    held = 0
    while isinstance(searcher.suggest(f"held {held}"), dict):
        held += 1
    assert searcher.suggest("later") is None  # while others are running
    for i in range(held):
        searcher.on_trial_complete(f"held {i}", {"loss": 1.0})
    assert searcher.suggest("end") == searcher.FINISHED
    with pytest.raises(baton.CampaignError, match="'max'.*minimize"):
        baton.ray.BatonSearcher(task, metric="loss", mode="max")


def test_a_searcher_tells_the_metrics_that_have_the_names_of_constraints():
    task = small(constraints={"heat": "<= 44", "gain": ">= 8"}).task("monday", budget=10)
    searcher = baton.ray.BatonSearcher(task, metric="loss")
    reported = {"a": {"heat": 43.0, "gain": 9, "epochs": 3}, "b": {"heat": float("nan"), "gain": None}}
    for name, result in reported.items():
        searcher.suggest(name)
        searcher.on_trial_complete(name, {"loss": 1.0, **result})
    assert [trial.constraints for trial in task.trials] == [{"heat": 43.0, "gain": 9.0}, {}]
    assert [trial.feasible for trial in task.trials] == [True, None]


def test_spaces_of_tune_become_spaces_of_baton():
    config = {
        "x": tune.uniform(0, 1), "rate": tune.loguniform(1e-4, 1), "power": tune.quniform(-4, 4, 0.5),
        "layers": tune.randint(1, 5), "width": tune.lograndint(1, 65), "kind": tune.choice(["a", "b"]),
    }
    assert baton.ray.space(config) == baton.Space(
        x=(0.0, 1.0), rate=baton.log(1e-4, 1), power=baton.stepped(-4, 4, 0.5), layers=range(1, 5),
        width=baton.integer(1, 64, log=True), kind=["a", "b"],
    )
    for bad in (tune.randn(0, 1), tune.sample_from(lambda spec: 1), 7):
        with pytest.raises(baton.ParameterError, match="parameter bad"):
            baton.ray.space({"bad": bad})


def test_a_trainable_is_told_what_is_said_of_its_task(tmp_path):
    campaign = small(descriptors={"load": (0.0, 1.0)})
    searcher = baton.ray.BatonSearcher(
        campaign.task("monday", budget=8, describe={"load": 0.25}), metric="loss", describe="about"
    )
    assert searcher.suggest("a")["about"] == {"load": 0.25}
    searcher.save(str(tmp_path / "state.pkl"))
    other = baton.ray.BatonSearcher(small().task("other", budget=8), metric="loss")
    assert "describe" not in other.suggest("a")
    other.restore(str(tmp_path / "state.pkl"))
    assert other.suggest("b")["about"] == {"load": 0.25}
