"""What new users ran into: nothing waits without a word, nothing is wrong without one."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import warnings

import numpy as np
import pytest

import baton
from problem import bowl, small


def full(**more):
    return baton.Campaign({"x": (0.0, 1.0)}, goal="minimize", seed=3, **more)


def test_a_trial_that_this_process_forgot_is_evaluated_by_it():
    task = small().task("monday", budget=12)
    forgotten = task.ask()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        task.minimize(bowl)
    assert task.state == "finished"
    assert task.trials[forgotten.id].state == "told"


def test_who_waits_for_others_says_for_what_and_what_can_be_done(tmp_path, monkeypatch):
    store = f"sqlite:{tmp_path}/a.db"
    campaign = full(store=store, tasks={"monday": 4})
    monkeypatch.setattr(baton.Campaign, "_asker", lambda self: "somebody else")
    other = campaign.task("monday").ask()
    monkeypatch.undo()
    with pytest.warns(UserWarning, match=r"waiting for trial 0 \(with somebody else for \d+ s\)") as said:
        with pytest.raises(RuntimeError, match="enough"):

            def stop(message, *_):
                raise RuntimeError(f"enough: {message}")

            real = warnings.warn
            monkeypatch.setattr(warnings, "warn", lambda *a, **k: (real(*a, **k), stop(*a)))
            campaign.task("monday").minimize(lambda trial: trial["x"])
    monkeypatch.undo()
    assert "take_over=True" in str(said[0].message) and ".tell(0, value)" in str(said[0].message)
    campaign.task("monday").minimize(lambda trial: trial["x"], take_over=True)
    assert campaign.task("monday").trials[other.id].state == "told"


def test_the_goal_has_to_be_said():
    with pytest.raises(baton.CampaignError, match='goal="minimize"'):
        baton.Campaign({"x": (0.0, 1.0)})


def test_addresses_mean_what_they_mean_to_optuna_and_opening_makes_nothing(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    full(store="sqlite:///here.db", tasks={"monday": 4})
    assert (tmp_path / "here.db").exists()
    full(store=f"sqlite:///{tmp_path}/there.db", tasks={"monday": 4})
    assert (tmp_path / "there.db").exists()
    with pytest.raises(baton.StoreError, match="there is no store sqlite:///missing.db"):
        baton.Campaign.open("sqlite:///missing.db")
    assert not (tmp_path / "missing.db").exists()


def test_falling_costs_and_budgets_too_small_for_the_highest_fidelity_are_refused():
    with pytest.raises(baton.BatonError, match="from the cheapest to the highest"):
        full(fidelities={"fine": 4, "coarse": 1})
    with pytest.raises(baton.BatonError, match="does not pay for one trial at the highest fidelity"):
        full(fidelities={"coarse": 1, "fine": 4}, tasks={"monday": 3})


def test_a_raised_budget_opens_a_finished_task_again():
    campaign = full()
    campaign.task("monday", budget=5).minimize(lambda trial: trial["x"])
    again = campaign.task("monday", budget=8)
    assert again.state == "open" and campaign.knowledge is None
    again.minimize(lambda trial: trial["x"])
    assert again.spent == 8 and campaign.knowledge.tasks == 1
    campaign.task("tuesday", budget=3).ask()
    with pytest.raises(baton.BatonError, match="'tuesday' has begun|\"tuesday\" has begun"):
        campaign.task("monday", budget=9)


def test_a_value_has_its_own_noise_and_cost():
    campaign = full()
    task = campaign.task("monday", budget=20)
    trial = task.ask()
    task.tell(trial, 0.3, noise=0.02, cost=3.5)
    told = task.trials[trial.id]
    assert (told.value, told.noise, told.paid, task.spent) == (0.3, 0.02, 3.5, 3.5)
    with pytest.raises(baton.BatonError, match="standard error"):
        task.tell(task.ask(), 0.3, noise=-1)
    task.minimize(lambda trial: baton.Measurement(trial["x"], noise=0.1, cost=6))
    assert task.spent > 20 and task.trials[-1].paid == 6


def test_yes_no_and_none_are_choices():
    space = {"warm": [True, False, None]}
    campaign = baton.Campaign(space, goal="maximize", seed=1)
    best = campaign.task("monday", budget=8).maximize(lambda trial: float(trial["warm"] is None))
    assert best.params == {"warm": None}
    assert {trial["warm"] for trial in campaign.trials} == {True, False, None}


def test_a_recommendation_that_was_not_evaluated_says_so():
    campaign = full(fidelities={"coarse": 1, "fine": 4})
    task = campaign.task("monday", budget=20)
    task.fail(task.ask(), "it only begins the task")
    for x in (0.2, 0.8):
        task.tell(task.suggest({"x": x}, "coarse"), x)
    best = task.recommendation()
    assert not best.evaluated and "not evaluated at the highest fidelity" in str(best)
    task.tell(task.suggest(best.params), 0.1)
    assert task.recommendation().best_seen == 0.1


def test_bounds_and_times_that_cannot_be_are_named():
    with pytest.raises(baton.ParameterError, match="parameter x: inf is not finite"):
        baton.Space(x=(0.0, float("inf")))
    with pytest.raises(baton.ShapeError, match="timeout is '10s'; write seconds"):
        full().task("monday", budget=4).minimize(lambda trial: trial["x"], timeout="10s")


def test_notes_and_names(tmp_path):
    store = f"sqlite:{tmp_path}/a.db"
    campaign = full(store=store, tasks={"monday": 4})
    task = campaign.task("monday")
    trial = task.ask()
    assert task.annotate(trial, note="door open", batch=3) == {"batch": 3, "note": "door open"}
    assert task.annotate(trial, batch=None) == {"note": "door open"}
    task.annotate(operator="ada")
    assert (task.trials[0].attributes, task.attributes) == ({"note": "door open"}, {"operator": "ada"})
    campaign.rename("winter")
    assert baton.Campaign.open(store, "winter").task("monday").attributes == {"operator": "ada"}
    task.tell(trial, 1.0)  # by its new name
    campaign.archive()
    campaign.archive(False)
    campaign.delete()
    with pytest.raises(baton.BatonError):
        baton.Campaign.open(store, "winter")
    with pytest.raises(baton.CampaignError, match="in memory"):
        full().rename("x")


def test_what_is_given_away_holds_no_observation():
    campaign = full()
    campaign.task("monday", budget=12).minimize(lambda trial: trial["x"] + 0.123456789)
    seen = [trial.x[0] for trial in campaign.trials if len(str(trial.x[0])) > 8]
    own, given = campaign.knowledge.text, campaign.shareable_knowledge().text
    assert any(str(x) in own for x in seen) and not any(str(x) in given for x in seen)


def test_errors_name_bounds_and_differences(tmp_path):
    task = full().task("monday", budget=9)
    task.ask()
    with pytest.raises(baton.BatonError, match="1.5 is not one of its values, which are 0 to 1"):
        task.suggest({"x": 1.5})
    store = f"sqlite:{tmp_path}/a.db"
    full(store=store)
    with pytest.raises(baton.CampaignError, match="x is now 0 to 2, it was 0 to 1"):
        baton.Campaign({"x": (0.0, 2.0)}, goal="minimize", seed=3, store=store)
    assert os.path.exists(f"{tmp_path}/a.db")


INTERRUPTED = """
import sys, time
import baton
def function(trial):
    if trial.id == 1:
        print("evaluating", flush=True)
        time.sleep(1000)
    return trial["x"]
baton.Campaign.open(sys.argv[1]).task("monday").minimize(function, n_jobs=int(sys.argv[2]))
"""


@pytest.mark.parametrize("n_jobs", ["1", "2"])
def test_after_ctrl_c_another_process_goes_on_at_once_with_the_same_trial(tmp_path, n_jobs):
    store = f"sqlite:{tmp_path}/a.db"
    task = full(store=store, tasks={"monday": 6}).task("monday")
    program = [sys.executable, "-c", INTERRUPTED, store, n_jobs]
    with subprocess.Popen(program, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as one:
        assert one.stdout.readline() == "evaluating\n"
        one.send_signal(signal.SIGINT)
        assert one.wait(timeout=60) != 0
    left = [trial for trial in task.trials if trial.state == "pending"]
    assert left and all(trial.holder is None for trial in left)
    seen = []
    task.minimize(lambda trial: seen.append(trial.id) or trial["x"])
    assert seen[: len(left)] == [trial.id for trial in left]
    assert all(trial.lost == 0 for trial in task.trials)


def test_after_an_exception_the_trial_is_free_for_others(tmp_path):
    task = full(store=f"sqlite:{tmp_path}/a.db", tasks={"monday": 6}).task("monday")

    def broken(trial):
        raise OSError("disk full")

    for _ in range(4):  # nobody was lost, however often it is tried
        with pytest.raises(OSError, match="disk full"):
            task.minimize(broken)
        assert [(trial.state, trial.holder) for trial in task.trials] == [("pending", None)]
    task.minimize(lambda trial: trial["x"], worker="somebody else")
    assert task.state == "finished" and task.trials[0].lost == 0


def test_a_second_tell_of_something_else_is_refused():
    task = full().task("monday", budget=9)
    trial = task.ask()
    task.tell(trial, 0.3, noise=0.02)
    task.tell(trial, 0.3, noise=0.02)
    task.tell(trial, 0.3)
    for more in ({"noise": 0.03}, {"cost": 2.0}):
        with pytest.raises(baton.FinishedTrialError, match=r"\(0.3, noise 0.02\); the value 0.3, .* not taken"):
            task.tell(trial, 0.3, **more)


@pytest.mark.parametrize("value, kind", [("1.0", "str"), (True, "bool"), (np.bool_(True), "bool"), ({}, "dict")])
def test_what_is_no_number_is_refused_by_its_type(value, kind):
    task = full().task("monday", budget=9)
    with pytest.raises(baton.ShapeError, match=f"value of trial 0 .* of type {kind}; expected one number"):
        task.tell(task.ask(), value)
    with pytest.raises(baton.ShapeError, match=f"of type {kind}"):
        task.minimize(lambda trial: value)
    with pytest.raises(baton.ShapeError, match="noise of trial 0"):
        task.tell(0, 1.0, noise="0.1")


def test_the_only_campaign_that_is_not_archived_is_opened(tmp_path):
    store = f"sqlite:{tmp_path}/a.db"
    full(store=store, name="old").archive()
    with pytest.raises(baton.CampaignError, match=r"0 campaigns: \[\], and archived \['old'\].*name='old'"):
        baton.Campaign.open(store)
    full(store=store, name="new")
    assert baton.Campaign.open(store).name == "new"
    full(store=store, name="newer")
    with pytest.raises(baton.CampaignError, match=r"2 campaigns: \['new', 'newer'\].*name='new'"):
        baton.Campaign.open(store)


def test_all_differences_are_named_at_once(tmp_path):
    store = f"sqlite:{tmp_path}/a.db"
    full(store=store)
    with pytest.raises(baton.CampaignError) as refused:
        baton.Campaign({"x": (0.0, 2.0)}, goal="maximize", seed=4, fidelities={"a": 1, "b": 2}, store=store)
    for part in ("x is now 0 to 2", "b was added", "the goal to minimize", "seed = 3, now it is 4"):
        assert part in str(refused.value)


def test_a_lower_budget_than_that_of_a_task_that_has_begun_is_told(tmp_path):
    campaign = full(store=f"sqlite:{tmp_path}/a.db", tasks={"monday": 6})
    campaign.minimize(lambda trial: trial["x"])
    told = "the budget 4 of the task 'monday' is ignored: it is finished with a budget of 6, of which 6"
    with pytest.warns(UserWarning, match=told):
        task = campaign.task("monday", budget=4)
    assert (task.budget, task.spent) == (6, 6)
    with pytest.warns(UserWarning, match=told):
        full(store=campaign.store, tasks={"monday": 4})
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        campaign.task("monday", budget=6)
        campaign.task("tuesday", budget=9)
        campaign.task("tuesday", budget=7)  # it has not begun
    assert campaign.task("tuesday").budget == 7
