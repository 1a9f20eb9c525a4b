"""Campaigns, tasks and what they are made of, through the public names of the package."""

from __future__ import annotations

import doctest
import importlib
import pickle

import numpy as np
import pandas
import pytest

import baton
from problem import FIDELITIES, bowl, campaign, objective, small


def test_a_campaign_runs_to_its_end_and_hands_on_what_it_learned():
    whole = small()
    first = whole.task("monday", budget=30).minimize(bowl)
    assert abs(first["x"] - 0.3) < 0.05
    assert first.low <= first.mean <= first.high
    assert whole.knowledge.tasks == 1
    second = whole.task("tuesday", budget=12).minimize(bowl)
    assert abs(second["x"] - 0.3) < 0.05
    assert [task.spent for task in whole.tasks] == [30, 12]
    assert [task.state for task in whole.tasks] == ["finished", "finished"]
    assert whole.task("monday").best.value < 0.01


def test_the_best_seen_has_the_names_that_optuna_users_know():
    whole = small(tasks={"monday": 10, "tuesday": 10, "to come": 10})
    assert (whole.best_trial, whole.best_params, whole.best_value) == (None, None, None)
    for name in ("monday", "tuesday"):
        best = whole.task(name).minimize(bowl)
    assert dict(best) == {**best} == best.params == best.point and list(best) == ["x"]
    for task in whole.tasks[:2]:
        values = [trial.value for trial in task.trials if trial.fidelity == "fine"]
        assert task.best_value == min(values) == task.best.value
        assert task.best_trial == task.best and task.best_params == task.best.params
    assert whole.tasks[2].best_params is None and whole.tasks[2].best_value is None
    assert whole.best_trial == whole.task("tuesday").best  # the last task that has one
    assert (whole.best_params, whole.best_value) == (whole.best_trial.point, whole.best_trial.value)


def test_trials_are_a_property_of_campaigns_and_tasks_alike():
    whole = small(tasks={"monday": 5})
    whole.minimize(bowl)
    assert isinstance(whole.trials, list) and whole.trials == whole.task("monday").trials
    with pytest.warns(DeprecationWarning, match="campaign.trials, without parentheses"):
        assert whole.trials() == whole.trials
    trial = whole.trials[0]
    assert trial.params == trial.point == {"x": trial["x"]}
    for seconds in (trial.asked, trial.answered):
        assert seconds == round(seconds, 3) > 1e9
    for column in ("asked", "answered"):
        assert (whole.frame()[column] == whole.frame()[column].dt.round("ms")).all()


def test_levels_count_from_1_as_on_the_command_line():
    task = small().task("monday", budget=20)
    task.ask()
    levels = [task.suggest([x], name).level for x, name in ((0.2, "coarse"), (0.7, "fine"))]
    assert levels == [1, 2]
    alone = baton.Campaign({"x": (0.0, 1.0)}, goal="minimize").task("monday", budget=2).ask()
    assert (alone.level, alone.fidelity) == (1, "full")


def test_maximize_needs_a_campaign_made_for_it():
    whole = small(goal="maximize")
    best = whole.task("monday", 20).maximize(lambda trial: -bowl(trial))
    assert abs(best["x"] - 0.3) < 0.1
    with pytest.raises(baton.CampaignError, match="made to maximize, not to minimize"):
        whole.task("monday").minimize(bowl)


def test_several_jobs_spend_exactly_the_budget():
    whole = small()
    whole.task("monday", budget=25).minimize(bowl, n_jobs=3)
    told = [trial for trial in whole.task("monday").trials if trial.state == "told"]
    assert sum(trial.cost for trial in told) == 25
    holders = {trial.holder.rsplit("/", 1)[1] for trial in told}
    assert holders == {"1", "2", "3"}


def test_all_tasks_at_once_with_a_progress_bar(capsys):
    whole = small(tasks={"monday": 9, "tuesday": 9})
    monday, tuesday = whole.minimize(bowl, progress=True)
    assert 0 <= monday["x"] <= 1 and 0 <= tuesday["x"] <= 1
    shown = capsys.readouterr().err
    assert "campaign" in shown and "18" in shown and "tuesday: trial" in shown


def test_trials_go_through_numpy_and_pandas():
    whole = campaign()
    task = whole.task("monday", budget=20)
    while (trial := task.ask()) is not None:
        task.tell(trial, np.float64(objective(trial)))
    points, levels, values = task.arrays()
    assert points.shape == (len(values), 4) and points.dtype == object  # one is a word
    assert set(levels) == {1, 2} and values.dtype == float
    frame = whole.frame()
    assert list(frame.columns[:7]) == ["task", "trial", "fidelity", "x", "rate", "layers", "mode"]
    assert frame["value"].tolist() == values.tolist()
    assert str(frame["asked"].dtype).startswith("datetime64")
    assert frame["x"].between(0, 1).all() and frame["layers"].isin([1, 2, 3, 4]).all()
    ledger = task.ledger()
    assert ledger["cost"].sum() == 20 and ledger["nats_optimum"].notna().any()
    from_frame = task.predict(frame[["x", "rate", "layers", "mode"]])
    assert from_frame.mean.shape == (len(frame),)
    assert (from_frame.low <= from_frame.mean).all() and (from_frame.mean <= from_frame.high).all()


def test_predictions_of_a_finished_task_are_those_of_the_task_under_way():
    whole = small()
    task = whole.task("monday", budget=15)
    while (trial := task.ask()) is not None:
        task.tell(trial, bowl(trial))
    grid = np.linspace(0, 1, 7).reshape(-1, 1)
    before, recommended = task.predict(grid), task.recommendation()
    assert task.finish() == recommended
    np.testing.assert_array_equal(task.predict(grid).mean, before.mean)


def test_results_from_elsewhere_are_added_at_no_cost():
    whole = small()
    points = np.linspace(0, 1, 9).reshape(-1, 1)
    values = (points[:, 0] - 0.3) ** 2
    whole.add_finished("earlier", points, values)
    assert whole.knowledge.tasks == 1
    task = whole.task("monday", budget=12)
    given = pandas.DataFrame({"x": [0.25, 0.35], "value": 0.0025, "at": ["coarse", "fine"]})
    task.add(given[["x"]], given["value"], given["at"])
    assert [trial.fidelity for trial in task.trials] == ["coarse", "fine"]
    assert task.spent == 0 and len(task.trials) == 2
    chosen = task.suggest([0.3], "coarse")
    assert (chosen.point, chosen.fidelity, task.spent) == ({"x": 0.3}, "coarse", 1)
    task.tell(chosen.id, 0.0)
    assert abs(task.minimize(bowl)["x"] - 0.3) < 0.1


def test_everything_can_be_pickled(tmp_path):
    whole = campaign(settings=baton.Settings("default", starts=4))
    task = whole.task("monday", budget=16)
    for _ in range(6):
        trial = task.ask()
        task.tell(trial, objective(trial))
    pending = task.ask()
    copy = pickle.loads(pickle.dumps(task))
    assert copy.trials == task.trials and copy.campaign is not whole
    assert (copy.campaign.settings, copy.campaign.space) == (whole.settings, whole.space)
    for one in (task, copy):
        one.tell(pickle.loads(pickle.dumps(pending)), objective(pending))
    assert copy.ask().point == task.ask().point  # two campaigns from here on
    task.fail(task.trials[-1], "nobody waits for it")
    task.finish()
    knowledge = pickle.loads(pickle.dumps(whole.knowledge))
    assert knowledge == whole.knowledge and knowledge.space == whole.space
    stored = small(store=f"sqlite:{tmp_path / 'a.db'}", tasks={"monday": 9})
    again = pickle.loads(pickle.dumps(stored))
    trial = stored.task("monday").ask()
    again.task("monday").tell(trial, 1.0)  # the same campaign
    assert stored.task("monday").trials[0].value == 1.0


BEGUN = {"space": {"x": (0.0, 1.0)}, "goal": "minimize", "fidelities": FIDELITIES, "seed": 7}
CHANGES = [
    ({"space": {"x": (0.0, 1.0), "y": (0.0, 1.0)}}, "y was added"),
    ({"space": {"y": (0.0, 1.0)}}, "x is missing; y was added"),
    ({"space": {"x": (0.0, 2.0)}}, "x is now 0 to 2, it was 0 to 1"),
    ({"space": {"x": baton.log(0.1, 1.0)}}, "x is now 0.1 to 1, on a log scale, it was 0 to 1"),
    ({"fidelities": {"fine": 4}}, "coarse is missing"),
    ({"fidelities": {"coarse": 2, "fine": 4}}, "coarse costs 2, it was 1"),
    ({"goal": "maximize"}, "it began with the goal to minimize"),
    ({"seed": 8}, "seed = 7, now it is 8"),
]


def test_a_stored_campaign_is_continued_and_may_not_become_another(tmp_path):
    store = f"sqlite:{tmp_path / 'campaign.db'}"
    trial = small(store=store, tasks={"monday": 9}).task("monday").ask()
    again = small(store=store)
    assert [task.name for task in again.tasks] == ["monday"]
    again.task("monday").tell(trial, 0.5)
    assert again.task("monday", budget=11).budget == 11
    with pytest.raises(baton.CampaignError, match="seed = 7"):
        small(store=store, seed=8)
    for change, words in CHANGES:
        with pytest.raises(baton.CampaignError, match=words) as caught:
            baton.Campaign(**{**BEGUN, "store": store, **change})
        assert "baton.Campaign.open" in str(caught.value) and "another name" in str(caught.value)
    with pytest.raises(baton.CampaignError, match="no campaign 'other'"):
        baton.Campaign.open(store, "other")
    with pytest.raises(baton.StoreError, match="mysql://x"):
        small(store="mysql://x")


def test_knowledge_is_a_file_for_colleagues(tmp_path):
    whole = small(tasks={"monday": 20})
    whole.minimize(bowl)
    whole.knowledge.save(tmp_path / "learned.json")
    learned = baton.Knowledge.load(tmp_path / "learned.json")
    next_one = small(tasks={"tuesday": 9}, knowledge=learned)
    assert next_one.knowledge == learned and learned.recommended[0]["x"] == pytest.approx(0.3, abs=0.1)
    (tmp_path / "learned.json").write_text(learned.text.replace("0.3", "0.4"))
    with pytest.raises(baton.KnowledgeError):
        baton.Knowledge.load(tmp_path / "learned.json")
    problem = {"goal": "maximize", "fidelities": FIDELITIES, "tasks": {"tuesday": 9}}
    with pytest.raises(baton.KnowledgeError, match="were to minimize"):
        baton.Campaign({"x": (0.0, 1.0)}, **problem, knowledge=learned)


def test_notebooks_show_tables():
    whole = campaign(tasks={"a <b>": 5})
    whole.minimize(objective)
    shown = [whole, *whole.tasks, whole.space, whole.settings, whole.knowledge, whole.trials[0],
             whole.tasks[0].recommendation()]
    for one in shown:
        text = one._repr_html_()
        assert text.startswith("<table>") and "<b>" not in text
        assert len(repr(one)) < 400
    assert "a &lt;b&gt;" in whole._repr_html_()


def test_settings_are_those_of_the_campaign_file():
    settings = baton.Settings("mft-mes", beta=0.8, widths=[8, 8], charge_failed=False)
    assert (settings["preset"], settings["beta"], settings["widths"]) == ("calibrated", "0.8", "8,8")
    assert settings["charge_failed"] == "false"
    assert settings.but(beta=0.2)["beta"] == "0.2"
    assert "beta=0.8" in repr(settings)


@pytest.mark.parametrize("module", ["baton", "baton.space", "baton.parts", "baton.campaign",
                                    "baton.task", "baton.optuna"])
def test_examples_in_the_documentation_of_the_code_run(module):
    failed, tried = doctest.testmod(importlib.import_module(module))
    assert failed == 0 and tried > 0
