"""Figures of a campaign: each shows what its name says."""

from __future__ import annotations

import pytest
from matplotlib.figure import Figure

import baton
from baton import plots
from problem import campaign, objective


@pytest.fixture(scope="module")
def whole() -> baton.Campaign:
    whole = campaign(tasks={"monday": 24, "tuesday": 24, "to come": 9})
    for name in ("monday", "tuesday"):
        whole.task(name).minimize(objective)
    return whole


def rendered(figure: Figure, path) -> Figure:
    figure.savefig(path / "figure.png")
    assert (path / "figure.png").stat().st_size > 5000
    return figure


def test_best_against_cost_goes_down_and_ends_at_the_budget(whole, tmp_path):
    (axes,) = rendered(plots.best_against_cost(whole), tmp_path).axes
    lines = [line for line in axes.lines if not line.get_label().startswith("_")]
    assert [line.get_label() for line in lines] == ["monday", "tuesday"]
    for line, task in zip(lines, whole.tasks):
        values = line.get_ydata()
        assert line.get_xdata()[-1] == 24 and values[-1] == task.best.value
        seen = values[values == values]
        assert (seen[1:] <= seen[:-1]).all()


def test_fidelity_use_adds_up_to_what_was_spent(whole, tmp_path):
    (axes,) = rendered(plots.fidelity_use(whole), tmp_path).axes
    ends = [bar.get_x() + bar.get_width() for bar in axes.containers[-1]]
    assert ends == [24, 24]


@pytest.mark.parametrize("parameter", ["x", "rate", "layers", "mode"])
def test_a_slice_shows_every_kind_of_parameter_with_its_band(whole, tmp_path, parameter):
    (axes,) = rendered(plots.posterior_slice(whole.task("tuesday"), parameter), tmp_path).axes
    assert axes.get_xlabel() == parameter
    assert axes.get_xscale() == ("log" if parameter == "rate" else "linear")
    assert len(axes.collections) + len(axes.containers) > 0


def test_the_ledger_has_a_bar_for_every_trial_of_the_model(whole, tmp_path):
    task = whole.task("monday")
    (axes,) = rendered(plots.ledger(task), tmp_path).axes
    chosen = [trial for trial in task.trials if trial.nats_optimum is not None]
    heights = [bar.get_height() for bar in axes.containers[0]]
    assert heights == [trial.nats_optimum / trial.cost for trial in chosen]


def test_importance_has_a_bar_for_every_parameter_and_its_interval(whole, tmp_path):
    for given, task in ((whole, "tuesday"), (whole.task("monday"), "monday")):
        (axes,) = rendered(plots.importance(given), tmp_path).axes
        assert axes.get_title() == f"what matters in {task}"
        effects = whole.insight(task)["importance"]["fidelities"][-1]["parameters"]
        effects.sort(key=lambda effect: -effect["total"]["value"])
        assert [label.get_text() for label in axes.get_yticklabels()] == [e["parameter"] for e in effects]
        total, first = ([bar.get_width() for bar in axes.containers[k]] for k in (0, 1))
        assert total == [effect["total"]["value"] for effect in effects]
        assert first == [effect["first"]["value"] for effect in effects]
        ends = [lines.get_segments()[0][:, 0] for lines in axes.collections]
        assert [pytest.approx(end) for end in ends] == [e["total"]["interval"] for e in effects]


def test_calibration_is_that_of_the_insight(whole, tmp_path):
    (axes,) = rendered(plots.calibration(whole), tmp_path).axes
    found = whole.insight()
    assert axes.get_title() == found["trust_in_words"]
    for line, kind in zip(axes.lines[1:], ("left_out", "one_ahead")):
        assert list(line.get_xdata()) == [of["nominal"] for of in found["calibration"]]
        assert list(line.get_ydata()) == [of[kind] for of in found["calibration"]]


def test_regret_over_tasks_is_what_is_missed(whole, tmp_path):
    (axes,) = rendered(plots.regret_over_tasks(whole, {"monday": 0.0, "tuesday": -1.0}), tmp_path).axes
    monday, tuesday = axes.lines[0].get_ydata()
    assert monday == whole.task("monday").best.value
    assert tuesday == whole.task("tuesday").best.value + 1


def test_what_cannot_be_drawn_says_why(whole):
    with pytest.raises(baton.UnknownParameterError, match="'z'"):
        plots.posterior_slice(whole.task("monday"), "z")
    with pytest.raises(baton.CampaignError, match="nothing was told"):
        plots.posterior_slice(whole.task("to come"), "x")
    with pytest.raises(baton.CampaignError, match="has begun|nothing was told"):
        plots.importance(whole.task("to come"))
    with pytest.raises(baton.CampaignError, match="has begun|nothing was told"):
        plots.calibration(whole.task("to come"))
    with pytest.raises(baton.CampaignError, match="no trial was chosen"):
        plots.ledger(whole.task("to come"))
    with pytest.raises(baton.CampaignError, match="no task has begun"):
        plots.best_against_cost(campaign(tasks={"monday": 9}))
