"""More that new users ran into: what is wrong is said at once, and what was done is not lost."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
import warnings
from pathlib import Path

import pytest

import baton
from problem import bowl, small


def full(**more):
    return baton.Campaign({"x": (0.0, 1.0)}, goal="minimize", seed=3, **more)


PROGRAM = """
import sys, time, baton

def simulate(trial):
    if trial.id == 3 and len(sys.argv) > 2:
        print("evaluating", flush=True)
        time.sleep(60)
    return (trial["x"] - 0.3) ** 2

campaign = baton.Campaign({"x": (0.0, 1.0)}, goal="minimize", seed=3, tasks={"monday": 7},
                          store=f"sqlite:{sys.argv[1]}")
campaign.minimize(simulate)
"""


def test_what_a_killed_process_had_is_evaluated_at_once_by_the_next_and_nothing_differs(tmp_path):
    call = [sys.executable, "-W", "error", "-c", PROGRAM]
    subprocess.run([*call, tmp_path / "undisturbed.db"], check=True)
    killed = subprocess.Popen([*call, tmp_path / "killed.db", "slow"], stdout=subprocess.PIPE)
    assert killed.stdout.readline() == b"evaluating\n"
    killed.send_signal(signal.SIGKILL)
    killed.communicate()
    began = time.monotonic()
    subprocess.run([*call, tmp_path / "killed.db"], check=True, timeout=40)
    assert time.monotonic() - began < 40  # a lease is 60 s
    both = [baton.Campaign.open(tmp_path / name) for name in ("undisturbed.db", "killed.db")]
    one, other = ([(t.point, t.value, t.order) for t in each.trials] for each in both)
    assert one == other and len(one) == 7


def test_who_waits_for_a_lease_says_when_it_ends(tmp_path, monkeypatch):
    campaign = full(store=f"sqlite:{tmp_path}/a.db", tasks={"monday": 1})
    campaign._desk.step("python@elsewhere:1/1", 60.0, "monday", True)
    monkeypatch.setattr(baton.work, "PATIENCE", 0.1)
    with pytest.warns(UserWarning) as said, pytest.raises(RuntimeError, match="enough"):
        real = warnings.warn

        def stop(*call, **more):
            real(*call, **more)
            raise RuntimeError("enough")

        monkeypatch.setattr(warnings, "warn", stop)
        campaign.minimize(bowl, take_over=True)
    text = str(said[0].message)
    assert "with python@elsewhere:1/1 for" in text and "its lease ends in " in text
    assert "or wait" in text and "take_over" not in text


def test_evaluations_that_are_there_are_left_out_with_a_word():
    campaign = full(tasks={"monday": 5})
    monday = campaign.task("monday")
    monday.add([[0.1], [0.2]], [1.0, 2.0])
    with pytest.warns(UserWarning, match="2 of 3 evaluations are in the task 'monday' already.*again=True"):
        monday.add([[0.1], [0.2], [0.3]], [1.0, 2.0, 3.0])
    assert [trial.value for trial in monday.trials] == [1.0, 2.0, 3.0]
    monday.add([[0.1]], [1.0], again=True)
    assert len(monday.trials) == 4
    with pytest.warns(UserWarning, match="1 of 1"):
        monday.add([[0.1]], [1.0])
    monday.finish()
    with pytest.raises(baton.CampaignError, match="in the task 'monday'|in the task \"monday\""):
        campaign.add_finished("january", [[0.1], [0.2]], [1.0, 2.0])
    campaign.add_finished("january", [[0.1], [0.2]], [1.0, 2.0], again=True)


def test_a_measured_cost_is_more_than_nothing():
    task = full(tasks={"monday": 5}).task("monday")
    with pytest.raises(baton.RangeError, match="cost of the trial is 0; it must be more than zero"):
        task.tell(task.ask(), 1.0, cost=0)


def test_trials_that_are_given_up_at_the_end_are_told_of():
    task = small().task("monday", budget=12)
    first = task.ask()
    with pytest.warns(UserWarning, match=r"no answer came for 1 of its trials \(0\).* \d of the budget"):
        assert task.finish() is None
    assert task.trials[first.id].state == "failed"
    task = full(tasks={"monday": 5}).task("monday")
    task.tell(task.ask(), 1.0)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert task.finish() is not None


def test_settings_come_as_dictionaries_and_names_too():
    assert full(settings={"explore": 0.3}).settings["explore"] == "0.3"
    assert full(settings={"policy": {"explore": 0.3}}).settings["explore"] == "0.3"
    assert full(settings="random").settings["method"] == "random"
    with pytest.raises(baton.SettingError, match=r"the settings are 3; write baton.Settings"):
        full(settings=3)


def test_stores_come_as_paths_too(tmp_path):
    full(store=tmp_path / "a.db", tasks={"monday": 5})
    assert (tmp_path / "a.db").exists()
    assert baton.Campaign.open(Path(tmp_path) / "a.db").task("monday").budget == 5
    with pytest.raises(baton.CampaignError, match=r"has no campaign 'other'; it has \['campaign'\]"):
        baton.Campaign.open(tmp_path / "a.db", "other")


def test_what_cannot_be_meant_is_said_in_words():
    campaign = small(tasks={"monday": 12})
    task = campaign.task("monday")
    with pytest.raises(baton.FidelityError, match="unknown fidelity 2"):
        task.add([[0.3]], [0.1], 2)
    with pytest.raises(baton.ShapeError, match="the values are 0.1; write a list"):
        task.add([[0.3]], 0.1)
    with pytest.raises(baton.CampaignError, match="the name of a task is 1; write a text, such as '1'"):
        campaign.task(1, 12)
    with pytest.raises(baton.CampaignError, match="the name of a task is 1; write a text"):
        full(tasks={1: 12})
    with pytest.raises(baton.ShapeError, match="the budget of the task 'monday' is 'much'"):
        full(tasks={"monday": "much"})
    with pytest.raises(baton.ShapeError, match=r"the note a=<object .* of type object cannot be kept"):
        task.annotate(a=object())
    with pytest.raises(baton.CampaignError, match="it has none; add one"):
        small().minimize(bowl)


def test_a_point_of_ones_own_or_a_note_begins_a_task():
    task = small(tasks={"monday": 12, "tuesday": 12}).task("monday")
    trial = task.suggest({"x": 0.25})
    assert (trial.id, trial["x"], trial.fidelity, task.state) == (0, 0.25, "fine", "open")
    task.tell(trial, 1.0)
    with pytest.raises(baton.CampaignError, match="'tuesday' is not the one under way"):
        task.campaign.task("tuesday").suggest({"x": 0.5})
    noted = small(tasks={"monday": 12})
    assert noted.task("monday").annotate(operator="ada") == {"operator": "ada"}
    plain = small(tasks={"monday": 12})
    assert noted.task("monday").ask().point == plain.task("monday").ask().point


@pytest.mark.parametrize("missing", ["pandas", "matplotlib"])
def test_what_is_not_installed_is_named(missing, tmp_path):
    call = "baton.Campaign({'x': (0.0, 1.0)}, goal='minimize').frame()" if missing == "pandas" else \
        "import baton.plots"
    program = f"import sys; sys.modules[{missing!r}] = None; import baton; {call}"
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, env={**os.environ})
    assert run.returncode == 1 and f"pip install {missing}" in run.stderr, run.stderr


def test_settings_that_do_not_fit_are_told_in_words():
    wrong = {"seed": (-1, "a whole number, zero or more"), "explore": ("a lot", "a number"),
             "gap": (1, "true or false")}
    for key, (value, expected) in wrong.items():
        with pytest.raises(baton.SettingError, match=f"setting {key} = {value}: expected {expected}"):
            baton.Settings(**{key: value})
