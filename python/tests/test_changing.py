"""Campaigns whose problem changes from task to task."""

from __future__ import annotations

import pickle

import baton
import pytest


def loss(trial):
    tilt = trial.params.get("tilt", 3.0)
    coarse = 0.05 if trial.fidelity == "coarse" else 0.0
    return (trial["x"] - 0.3) ** 2 + (trial["y"] - 0.6) ** 2 + 0.02 * (tilt - 6) ** 2 + coarse


def campaign(**more):
    usual = {"goal": "minimize", "fidelities": {"coarse": 1, "fine": 3}, "seed": 3}
    return baton.Campaign({"x": (0.0, 1.0), "y": (0.0, 1.0)}, **{**usual, **more})


@pytest.fixture(scope="module")
def done():
    made = campaign()
    made.task("one", budget=18).minimize(loss)
    made.task("two", budget=18, space={"tilt": baton.real(0, 10, was=3)}).minimize(loss)
    made.task(
        "three",
        budget=24,
        space={"y": baton.fixed(0.5), "x": (0.0, 2.0)},
        fidelities={"coarse": 1, "fine": 3, "finest": 5},
        forbid=["x + tilt > 11"],
    ).minimize(loss)
    return made


def test_changes_are_said_in_words_and_hold_from_their_task_on(done):
    one, two, three = done.tasks
    assert (one.changes, one.space.names) == ([], ("x", "y"))
    assert (two.changes, two.space.names) == (["tilt is new; it was 3"], ("x", "y", "tilt"))
    assert three.changes == [
        "x is now 0 to 2, it was 0 to 1",
        "y is fixed at 0.5",
        "the fidelity finest is new",
        "x + tilt > 11 is forbidden",
    ]
    assert [level.name for level in three.fidelities] == ["coarse", "fine", "finest"]
    assert all(set(trial.point) == {"x", "y"} for trial in one.trials)
    assert all(trial["y"] == 0.5 and trial["x"] + trial["tilt"] <= 11 for trial in three.trials)
    best = three.recommendation()
    assert best is not None and abs(best["tilt"] - 6) < 1.5 and best["y"] == 0.5


def test_results_of_all_tasks_are_one_frame_and_go_back_in(done):
    frame = done.frame()
    assert list(frame.columns[3:6]) == ["x", "y", "tilt"]
    assert frame[frame.task == "one"].tilt.isna().all()
    assert not frame[frame.task == "two"].tilt.isna().any()
    other = campaign()
    other.task("one", budget=18).minimize(loss)
    task = other.task("two", budget=18, space={"tilt": baton.real(0, 10, was=3)})
    old = done.task("two").frame()
    task.add(old[["x", "y", "tilt"]], old.value, old.fidelity)
    assert len(task.trials) == len(old)
    assert task.suggest({"x": 0.1, "y": 0.2, "tilt": 9.0}).point["tilt"] == 9.0


def test_a_campaign_with_changes_is_kept_and_copied(done, tmp_path):
    kept = campaign(store=tmp_path / "c.db", tasks={"one": 18})
    plan = {"budget": 18, "space": {"tilt": baton.real(0, 10, was=3)}}
    kept = campaign(store=tmp_path / "c.db", tasks={"one": 18, "two": plan})
    for task in kept.tasks:
        task.minimize(loss)
    again = baton.Campaign.open(tmp_path / "c.db")
    same = [[t.point for t in task.trials] for task in again.tasks]
    assert same == [[t.point for t in task.trials] for task in done.tasks[:2]]
    copy = pickle.loads(pickle.dumps(done))
    assert copy.task("three").changes == done.task("three").changes
    assert copy.knowledge == done.knowledge


def test_a_point_need_not_say_what_is_fixed():
    space = baton.Space(x=(0.0, 1.0), y=baton.real(0, 1, fixed=0.25))
    assert repr(space.parameters["y"]) == "real(low=0.0, high=1.0, fixed=0.25)"
    made = baton.Campaign(space, goal="minimize", seed=1)
    task = made.task("one", budget=6)
    assert task.suggest({"x": 0.5}).point == {"x": 0.5, "y": 0.25}
    with pytest.raises(baton.errors.ParameterError, match="fixed at 0.25"):
        task.suggest({"x": 0.5, "y": 0.3})


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"space": {"y": ["a", "b"]}}, "give it another name"),
        ({"space": {"tilt": baton.fixed(3)}}, "low and high, or choices"),
        ({"space": {"y": baton.fixed(7)}}, "7 is not one of its values"),
        ({"fidelities": {"fine": 1, "coarse": 3}}, "another order"),
        ({"forbid": ["x + z > 1"]}, "there is no parameter \"z\""),
    ],
)
def test_what_cannot_be_is_refused(changes, words):
    made = campaign()
    with pytest.raises(baton.BatonError, match=words):
        made.task("one", budget=18, **changes)
    assert made.tasks == [] or [task.name for task in made.tasks] == []


def test_a_task_that_has_begun_keeps_its_problem(done):
    with pytest.raises(baton.errors.CampaignError, match="begun with another problem"):
        done.task("two", space={"tilt": baton.real(0, 11, was=3)})


def test_knowledge_goes_to_another_space(done):
    later = baton.Campaign(
        {"x": (0.0, 1.0), "y": (0.0, 1.0), "tilt": (0.0, 10.0), "fan": baton.real(1, 9, was=2)},
        goal="minimize", fidelities={"coarse": 1, "finest": 5}, seed=3, knowledge=done.knowledge,
        settings={"policy.initial": 0},  # no look around before what was learned is tried
    )
    first = later.task("one", budget=30).ask()
    assert first is not None and abs(first["x"] - 0.3) < 0.2
