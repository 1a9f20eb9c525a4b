"""What a campaign taught: the numbers of the command line, as plain data."""

from __future__ import annotations

import json
import subprocess

import pytest

import baton
from problem import campaign, objective


@pytest.fixture(scope="module")
def worked(tmp_path_factory):
    store = tmp_path_factory.mktemp("insight") / "same.db"
    made = campaign(store=store, name="same")
    for name in ("monday", "tuesday"):
        made.task(name, budget=30).minimize(objective)
    return made, store


def test_the_numbers_are_those_of_the_command_line(worked, built):
    made, store = worked
    for words, found in [([], made.insight()), (["--task", "monday"], made.insight("monday"))]:
        call = [built / "baton", "insight", "--store", f"sqlite:{store}", *words, "--json"]
        text = subprocess.run(call, check=True, capture_output=True, text=True).stdout
        assert found == json.loads(text)


def test_what_was_found_is_plain_data(worked):
    found = worked[0].insight()
    assert found["task"] == "tuesday"
    effects = found["importance"]["fidelities"][-1]["parameters"]
    assert [effect["parameter"] for effect in effects] == ["x", "rate", "layers", "mode"]
    for effect in effects:
        low, high = effect["total"]["interval"]
        assert 0 <= low <= effect["total"]["value"] <= high <= 1
    assert [level["fidelity"] for level in found["fidelities"]] == ["coarse", "fine"]
    assert [task["task"] for task in found["trust"]] == ["monday", "tuesday"]
    assert "ntervals" in found["trust_in_words"] or "too few" in found["trust_in_words"]


def test_nothing_is_known_before_anything_was_told():
    made = campaign()
    assert made.insight()["task"] is None
    made.task("monday", budget=30).ask()
    found = made.insight()
    assert found["importance"] is None and found["trust"][0]["trust"] is None
    with pytest.raises(baton.CampaignError, match="no task 'tuesday'|no task \"tuesday\""):
        made.insight("tuesday")
