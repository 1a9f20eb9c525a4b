"""Bad calls raise exceptions with a name, and with the value at fault in the message."""

from __future__ import annotations

import numpy as np
import pytest

import baton
from problem import campaign, small


@pytest.fixture
def task() -> baton.Task:
    """Trial 0 is told, trial 1 failed, trial 2 is pending."""
    task = small().task("monday", budget=20)
    for _ in range(3):
        task.ask()
    task.tell(0, 0.5)
    task.fail(1, "the mesh was bad")
    return task


BAD_CALLS = [
    # wrong shapes
    (lambda task: task.tell(2, [0.1, 0.2]), baton.ShapeError, r"trial 2 has shape \(2,\).*0\.1, 0\.2"),
    (lambda task: task.tell(2, "high"), baton.ShapeError, "'high'"),
    (lambda task: task.suggest([0.1, 0.2]), baton.ShapeError, r"shape \(2,\); expected \(1,\)"),
    (lambda task: task.predict(np.zeros((4, 3))), baton.ShapeError, r"shape \(3,\); expected \(1,\)"),
    (lambda task: task.predict(np.zeros(4)), baton.ShapeError, r"\(4,\); expected \(points, 1\)"),
    (lambda task: task.add([[0.1], [0.2]], [1.0]), baton.ShapeError, "2 points, 1 values"),
    (lambda task: task.minimize(lambda trial: [1, 2]), baton.ShapeError, r"\[1, 2\]"),
    (lambda task: task.minimize(lambda trial: 1, n_jobs=0), baton.ShapeError, "n_jobs is 0"),
    # unknown parameters, values that are not legal
    (lambda task: task.suggest({"y": 0.75}), baton.UnknownParameterError, r"'y' = 0\.75.*are x"),
    (lambda task: task.ask()["z"], baton.UnknownParameterError, "'z'.*are x"),
    (lambda task: task.suggest({}), baton.ParameterError, "no value for 'x'"),
    (lambda task: task.suggest([1.5]), baton.ParameterError, "parameter x: 1.5"),
    (lambda task: task.suggest(["wide"]), baton.ParameterError, "wide"),
    (lambda task: task.suggest([None]), baton.ParameterError, "parameter x: none is not one of its values, which are 0 to 1"),
    (lambda task: task.suggest([0.1], "medium"), baton.FidelityError, r"'medium'.*coarse.*fine"),
    # numbers that are none
    (lambda task: task.tell(2, float("nan")), baton.NotFiniteError, "trial 2 is nan"),
    (lambda task: task.tell(2, np.inf), baton.NotFiniteError, "trial 2 is inf"),
    (lambda task: task.add([[0.1]], [np.nan]), baton.NotFiniteError, "value 0 is nan"),
    (lambda task: task.suggest([float("nan")]), baton.NotFiniteError, "point is nan"),
    # trials that have their outcome, or do not exist
    (lambda task: task.tell(0, 0.7), baton.FinishedTrialError, r"trial 0.*0\.5.*value 0\.7"),
    (lambda task: task.tell(1, 0.7), baton.FinishedTrialError, r"mesh was bad.*value 0\.7"),
    (lambda task: task.fail(0, "late"), baton.FinishedTrialError, r"0\.5.*'late'"),
    (lambda task: task.tell(99, 0.7), baton.TrialError, "trial 99"),
    (lambda task: task.tell(-1, 0.7), baton.TrialError, "trial -1"),
    (lambda task: task.tell("first", 0.7), baton.TrialError, "'first'"),
    # campaigns and tasks
    (lambda task: task.campaign.task("sunday"), baton.CampaignError, "'sunday'.*'monday'"),
    (lambda task: task.campaign.task("x", budget=-3), baton.RangeError, "budget is -3"),
    (lambda task: task.campaign.task("x", 9).ask(), baton.CampaignError, '"monday" comes before "x"'),
    (lambda task: task.campaign.task("x", 9).finish(), baton.CampaignError, "'x' has not begun"),
    (lambda task: task.campaign.learn(baton.Knowledge("{}")), baton.KnowledgeError, "format"),
    (lambda task: campaign(goal="best"), baton.CampaignError, "'best'"),
    (lambda task: campaign(fidelities={"coarse": 0}), baton.FidelityError, "cost is 0"),
    (lambda task: campaign(tasks={"monday": 0.5}), baton.RangeError, "budget is 0.5"),
    (lambda task: baton.Campaign({"x": (0.0, 1.0)}), baton.CampaignError,
     'goal="minimize" or goal="maximize"'),
    (lambda task: campaign(fidelities=[1, 4]), baton.FidelityError, '{"coarse": 1, "fine": 4}'),
    (lambda task: campaign(fidelities=7), baton.FidelityError, '7.*{"coarse": 1, "fine": 4}'),
    (lambda task: campaign(fidelities={"coarse": "low"}), baton.FidelityError, "coarse.*'low'"),
    # spaces
    (lambda task: baton.Space(x=(1.0, 0.0)), baton.ParameterError, "1 and 0"),
    (lambda task: baton.Space(x=(1, 10)), baton.ParameterError,
     r"parameter x: .*baton.integer\(1, 10\).*\(1.0, 10.0\) or baton.real\(1, 10\)"),
    (lambda task: baton.Space(x=(np.int64(0), 1)), baton.ParameterError, r"x: .*integer\(0, 1\)"),
    (lambda task: baton.Space(x=("a", "b")), baton.ParameterError,
     r"parameter x: .*a list, \['a', 'b'\] or baton.choice.*baton.ordered"),
    (lambda task: baton.Space(x=(0.0, 1.0, 2.0)), baton.ParameterError, "parameter x: .*not two numbers; choices are a list"),
    (lambda task: baton.Space(x=range(5, 5)), baton.ParameterError, "parameter x: range"),
    (lambda task: baton.Space(x=[None, {}]), baton.ParameterError, "parameter x: "),
    (lambda task: baton.Space({1: (0.0, 1.0)}), baton.ParameterError, "parameter 1: .*'1'"),
    (lambda task: baton.Space(["x"]), baton.ParameterError, r'\["x"\]|expected names'),
    (lambda task: baton.real("low", 1), baton.ParameterError, "baton.real: low is 'low'"),
    (lambda task: baton.integer(1, 2.5), baton.ParameterError, "high is 2.5, not a whole"),
    (lambda task: baton.choice("abc"), baton.ParameterError, r'baton.choice\(\["a", "b"\]\)'),
    # running
    (lambda task: task.minimize(len, callbacks=print), baton.ShapeError, r"callbacks=\[function\]"),
    (lambda task: task.minimize(len, timeout=-1), baton.RangeError, "timeout is -1"),
    (lambda task: task.minimize(len, lease=0), baton.RangeError, "lease is 0"),
    (lambda task: baton.Space(x="wide"), baton.ParameterError, "'wide' is no domain"),
    (lambda task: baton.Space(), baton.RangeError, "number of parameters is 0"),
    (lambda task: baton.Space(x=[True, True]), baton.ParameterError, "occurs twice"),
    (lambda task: baton.Settings("best"), baton.SettingError, "best"),
    (lambda task: baton.Settings(beta=-1), baton.SettingError, "beta = -1"),
    (lambda task: baton.Settings(speed=9), baton.SettingError, "speed = 9"),
]


@pytest.mark.parametrize("call, kind, words", BAD_CALLS, ids=range(len(BAD_CALLS)))
def test_a_bad_call_says_what_was_wrong_and_changes_nothing(task, call, kind, words):
    before = task.trials
    with pytest.raises(kind, match=words) as caught:
        call(task)
    assert type(caught.value) is kind and isinstance(caught.value, baton.BatonError)
    assert [trial.state for trial in task.trials[:3]] == [trial.state for trial in before]


def test_the_same_value_again_is_no_mistake(task):
    task.tell(0, 0.5)
    assert task.trials[0].value == 0.5


def test_a_value_for_a_trial_of_a_finished_task_is_refused(task):
    pending = task.trials[2]
    with pytest.warns(UserWarning, match="no answer came for 1 of its trials"):
        task.finish()
    with pytest.raises(baton.FinishedTrialError, match="finished before.*0.25"):
        task.tell(pending, 0.25)
    assert task.ask() is None


def test_failures_in_a_row_pause_the_task_with_the_reason():
    def broken(trial):
        raise baton.TrialFailed("the mesh was bad")

    task = small(pause_after=3).task("monday", budget=20)
    with pytest.raises(baton.PausedError, match="3 trials failed in a row.*mesh was bad"):
        task.minimize(broken)
    with pytest.raises(baton.PausedError):
        task.ask()
    task.go_on()
    assert task.ask() is not None
