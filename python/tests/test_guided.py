"""Tasks that end early, and guesses of where good points lie."""

from __future__ import annotations

import json
import subprocess

import pytest

import baton
from baton import CampaignError


def value(trial):
    return 10 * (trial["x"] - 0.7) ** 2


def campaign(**more):
    return baton.Campaign({"x": (-1.0, 3.0)}, **{"goal": "minimize", "seed": 7, **more})


def test_what_a_task_leaves_goes_to_the_next(tmp_path, built):
    store = tmp_path / "guided.db"
    guided = campaign(tasks={"a": 40, "b": 40}, stop=True, store=store)
    guided.task("a").minimize(value)
    why = guided.task("a").stopped
    assert why["chance"] >= 0.9 and why["stop"] == {"gain": 0.01, "confidence": 0.9}
    call = [built / "baton", "status", "--store", f"sqlite:{store}", "--json"]
    status = json.loads(subprocess.run(call, check=True, capture_output=True, text=True).stdout)
    assert [task["stopped"] for task in status["tasks"]] == [why]
    again = campaign(tasks={"a": 40, "b": 40}, store=store)  # the rule stays
    again.task("b").minimize(value)
    assert again.task("b").budget == 80 - sum(t.cost for t in again.task("a").trials)
    still = again.insight("a")["still_to_gain"]
    assert still["little"] >= 0.9 and still["left"]["value"] < 0.01 * still["gained"]["value"]


def test_a_task_may_have_a_rule_of_its_own():
    guided = campaign(tasks={"a": {"budget": 20, "stop": False}}, stop=True)
    guided.task("a").minimize(value)
    assert guided.task("a").stopped is None and len(guided.task("a").trials) == 20


def test_guesses_are_tried_first():
    guess = [{"point": {"x": 0.6}, "within": {"x": 0.2}}, {"point": {"x": 2}}]
    task = campaign().task("a", budget=20, guess=guess)
    trials = [task.ask(), task.ask(), task.ask()]
    assert [trial["x"] for trial in trials[:2]] == [0.6, 2.0]
    assert [trial.aim for trial in trials] == ["guess", "guess", "design"]


@pytest.mark.parametrize(
    ("more", "told"),
    [
        ({"guess": {"x": 0.3}}, "a guess is"),
        ({"guess": 0.3}, "guess is 0.3"),
        ({"guess": {"point": {"y": 0.3}}}, "it has x"),
        ({"guess": {"point": {"x": 9}}}, "9 is not one of its values"),
        ({"guess": {"point": {"x": 0.3}, "within": {"x": "far"}}}, "write a number"),
        ({"stop": {"gian": 0.1}}, "stop is"),
        ({"stop": {"gain": 2}}, "between 0 and 1"),
    ],
)
def test_mistakes_are_told(more, told):
    with pytest.raises((CampaignError, baton.ParameterError), match=told):
        campaign().task("a", budget=20, **more)
