"""The same seed gives the same proposals from Rust, the command line and Python, in any mixture."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

import baton
from problem import campaign, value

BUDGET, TASKS = 30, ("monday", "tuesday")

FILE = """
name = "same"
store = "sqlite:{store}"
seed = 7
[space]
x = {{ low = 0.0, high = 1.0 }}
rate = {{ low = 1e-3, high = 1.0, log = true }}
layers = {{ low = 1, high = 4, integer = true }}
mode = {{ choices = ["a", "b", "c"] }}
[[fidelity]]
name = "coarse"
cost = 1
[[fidelity]]
name = "fine"
cost = 4
[objective]
goal = "minimize"
command = ["false"]
[[task]]
name = "monday"
budget = 30
[[task]]
name = "tuesday"
budget = 30
"""


@pytest.fixture(scope="session")
def expected(built: Path) -> list[tuple[list[object], str]]:
    """What the library alone proposes."""
    call = [built / "examples/proposals", "7", str(BUDGET), str(len(TASKS))]
    text = subprocess.run(call, check=True, capture_output=True, text=True).stdout
    lines = [json.loads(line) for line in text.splitlines()]
    assert len(lines) > 20
    return [(line["point"], line["fidelity"]) for line in lines]


@pytest.fixture(scope="session")
def binary(built: Path) -> Path:
    return built / "baton"


class CommandLine:
    """The campaign as another program drives it."""

    def __init__(self, binary: Path, folder: Path) -> None:
        self.binary, self.folder = binary, folder
        self.store = f"sqlite:{folder / 'same.db'}"
        (folder / "campaign.toml").write_text(FILE.format(store=folder / "same.db"))

    def __call__(self, *words: str) -> dict:
        call = [self.binary, *words, "--json"]
        done = subprocess.run(call, cwd=self.folder, check=True, capture_output=True, text=True)
        return json.loads(done.stdout)

    def run(self, most: int) -> list[tuple[list[object], str]]:
        """Asks and tells up to so many trials."""
        found = []
        while len(found) < most:
            asked = self("ask")
            if asked["trial"] is None and asked["reason"] == "done":
                break
            if asked["trial"] is None:
                self("finish")
                continue
            point = {name: asked["point"][name] for name in ("x", "rate", "layers", "mode")}
            self("tell", str(asked["trial"]), repr(value(point, asked["fidelity"])))
            found.append((list(point.values()), asked["fidelity"]))
        return found


def python(opened: baton.Campaign, most: int) -> list[tuple[list[object], str]]:
    found: list[tuple[list[object], str]] = []
    for task in opened.tasks:
        while len(found) < most:
            trial = task.ask()
            if trial is None:
                break
            task.tell(trial, value(trial, trial.fidelity))
            found.append((list(trial.point.values()), trial.fidelity))
        if len(found) < most and task.state == "open":
            task.finish()
    return found


def test_python_in_memory_proposes_what_rust_does(expected):
    assert python(campaign(tasks=dict.fromkeys(TASKS, BUDGET)), 1000) == expected


def test_the_command_line_proposes_what_rust_does(expected, binary, tmp_path):
    assert CommandLine(binary, tmp_path).run(1000) == expected


def test_a_campaign_begun_in_one_goes_on_in_the_other_and_back(expected, binary, tmp_path):
    command_line = CommandLine(binary, tmp_path)
    first = command_line.run(5)
    second = python(baton.Campaign.open(command_line.store), 5)
    third = command_line.run(8)
    rest = python(baton.Campaign.open(command_line.store, "same"), 1000)
    assert first + second + third + rest == expected
    status = command_line("status")
    assert [task["spent"] for task in status["tasks"]] == [BUDGET, BUDGET]
    # The other way round: Python makes the campaign, the command line knows it by its store.
    store = f"sqlite:{tmp_path / 'other.db'}"
    begun = python(campaign(tasks=dict.fromkeys(TASKS, BUDGET), store=store, name="other"), 4)
    assert begun == expected[:4]
    ask = subprocess.run([binary, "ask", "other", "--store", store, "--json"], check=True,
                         capture_output=True, text=True, cwd=tmp_path)
    asked = json.loads(ask.stdout)
    assert [asked["point"][name] for name in ("x", "rate", "layers", "mode")] == expected[4][0]


def test_the_seed_of_a_trial_is_the_one_that_a_command_is_given(binary, tmp_path):
    command_line = CommandLine(binary, tmp_path)
    asked = command_line("ask")
    (trial,) = baton.Campaign.open(command_line.store).task("monday").trials
    assert trial.seed == asked["seed"]
    assert trial.why == asked["why"]
