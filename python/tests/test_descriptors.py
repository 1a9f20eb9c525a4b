"""Tasks of which something is said: what is expected before the first trial, and what is refused."""

from __future__ import annotations

import math
import pickle

import baton
import pytest
from baton import _baton

DESCRIPTORS = {"load": (0.0, 1.0), "gas": ["air", "argon"]}


def moving(trial):
    """The optimum is where the load is; the gas has nothing to do with it."""
    return (trial["x"] - trial.describe["load"]) ** 2


def described(**options):
    usual = {"goal": "minimize", "descriptors": DESCRIPTORS, "seed": 7}
    return baton.Campaign({"x": (0.0, 1.0)}, **{**usual, **options})


@pytest.fixture(scope="module")
def learned():
    campaign = described()
    for name, load, gas in [("a", 0.1, "air"), ("b", 0.8, "air"), ("c", 0.5, "argon")]:
        campaign.task(name, budget=8, describe={"load": load, "gas": gas}).minimize(moving)
    return campaign


def test_a_task_is_known_before_its_first_trial(learned):
    foreseen = learned.predict({"load": 0.45, "gas": "argon"})
    assert abs(foreseen["x"] - 0.45) < 0.1
    assert foreseen.low <= foreseen.mean <= foreseen.high
    assert foreseen.describe == {"load": 0.45, "gas": "argon"}
    assert not foreseen.evaluated
    near = foreseen.nearest
    assert (near.task, near.describe) == ("c", {"load": 0.5, "gas": "argon"})
    assert abs(near.expected["x"] - 0.5) < 0.1
    assert near.expected.mean >= foreseen.mean
    assert "expected" in str(foreseen) and "nearest task" in foreseen._repr_html_()
    assert pickle.loads(pickle.dumps(foreseen)) == foreseen
    with pytest.raises(AttributeError):
        foreseen.mean = 0.0


def test_a_curve_over_one_descriptor(learned):
    curve = learned.predict({"gas": "air"}, over="load", points=5)
    assert [one.describe["load"] for one in curve] == [0.0, 0.25, 0.5, 0.75, 1.0]
    assert all(one.describe["gas"] == "air" for one in curve)
    assert [one["x"] for one in curve] == sorted(one["x"] for one in curve)
    assert [one.describe["gas"] for one in learned.predict(over="gas")] == ["air", "argon"]
    with pytest.raises(baton.RangeError, match="points is 1; write 2 to 1000"):
        learned.predict(over="load", points=1)


def test_which_descriptors_matter(learned):
    shares = learned.descriptor_shares()
    assert list(shares) == ["load", "gas"] and shares["load"] > 0.5
    assert sum(shares.values()) == pytest.approx(1.0)
    assert "load explains most of how tasks differ" in shares.in_words == str(shares)
    assert pickle.loads(pickle.dumps(shares)).in_words == shares.in_words
    assert described().descriptor_shares() == {}


def test_nothing_is_foreseen_before_a_task_is_finished():
    campaign = described()
    assert campaign.predict({"load": 0.5}) is None
    assert campaign.predict(over="load") == []


def test_what_is_said_is_kept_and_goes_with_the_trials(learned, tmp_path):
    assert learned.task("c").describe == {"gas": "argon", "load": 0.5}
    assert learned.task("c").trials[0].describe == {"gas": "argon", "load": 0.5}
    frame = learned.frame()
    assert list(frame.columns[:7]) == ["task", "trial", "fidelity", "x", "load", "gas", "value"]
    assert list(frame[frame.task == "a"].load.unique()) == [0.1]
    plan = {"a": {"budget": 8, "describe": {"load": 0.1}}, "b": 8}
    stored = described(store=tmp_path / "s.db", tasks=plan)
    assert [task.describe for task in stored.tasks] == [{"load": 0.1}, {}]
    again = baton.Campaign.open(tmp_path / "s.db")
    assert dict(again.descriptors) == dict(stored.descriptors)
    assert again.task("b", describe={"load": 0.3}).describe == {"load": 0.3}
    again.task("a").ask()
    assert described(store=tmp_path / "s.db", tasks={"a": 8}).task("a").describe == {"load": 0.1}
    with pytest.raises(baton.CampaignError, match="has begun with another description"):
        again.task("a", describe={"load": 0.2})
    assert again.task("a", describe={"load": 0.1}).describe == {"load": 0.1}
    copy = pickle.loads(pickle.dumps(described(tasks=plan)))
    assert list(copy.descriptors) == ["load", "gas"]


def test_a_task_begins_with_what_is_foreseen(learned):
    campaign = pickle.loads(pickle.dumps(learned))
    foreseen = campaign.predict({"load": 0.3})
    task = campaign.task("d", budget=8, describe={"load": 0.3})
    task.suggest({"x": 0.9})
    best = task.recommendation()
    assert best is not None and best["x"] == pytest.approx(foreseen["x"])


def test_contexts_count_beyond_what_is_said_of_the_task():
    campaign = described()
    task = campaign.task("hours", budget=8, describe={"gas": "air"})
    for load in (0.1, 0.9, 0.2, 0.8, 0.5):
        trial = task.ask(context={"load": load})
        assert trial.describe == {"gas": "air", "load": load}
        task.tell(trial, moving(trial))
    low, high = (task.recommendation({"load": load})["x"] for load in (0.1, 0.9))
    assert low != high
    with pytest.raises(baton.DescriptorError, match="weather"):
        task.ask(context={"weather": 1})
    with pytest.raises(baton.DescriptorError, match="the context is 3"):
        task.ask(context=3)


def test_a_finished_task_is_described_too():
    campaign = described()
    for name, load in (("a", 0.2), ("b", 0.7)):
        points = [[i / 8] for i in range(9)]
        values = [(x - load) ** 2 for [x] in points]
        campaign.add_finished(name, points, values, describe={"load": load})
    assert campaign.task("b").describe == {"load": 0.7}
    assert abs(campaign.predict({"load": 0.7})["x"] - 0.7) < 0.1


@pytest.mark.parametrize(("said", "reason"), [
    ({"lode": 0.5}, "descriptor lode: it is not declared; the descriptors are load, gas"),
    ({"load": 1.5}, "descriptor load: 1.5"),
    ({"load": math.nan}, "descriptor load: the value is nan"),
    ({"load": math.inf}, "descriptor load: the value is inf"),
    ({"load": "much"}, "descriptor load: "),
    ({"load": [0.5, 0.6]}, "descriptor load: the value is"),
    ({"gas": "neon"}, "argon"),
    ({3: 0.5}, "descriptor 3: its name is no word"),
    (0.5, "describe is 0.5; expected descriptors with values"),
])
def test_wrong_descriptions_are_refused_and_nothing_is_changed(said, reason):
    campaign = described(tasks={"a": {"budget": 8, "describe": {"load": 0.1}}})
    for attempt in (
        lambda: campaign.task("b", budget=8, describe=said),
        lambda: campaign.task("a", describe=said),
        lambda: campaign.predict(said),
        lambda: campaign.add_finished("b", [[0.5]], [1.0], describe=said),
        lambda: described(tasks={"a": {"budget": 8, "describe": said}}),
    ):
        with pytest.raises(baton.DescriptorError) as refused:
            attempt()
        assert reason in str(refused.value)
    assert [(task.name, task.describe) for task in campaign.tasks] == [("a", {"load": 0.1})]


def test_a_task_may_say_nothing(learned):
    campaign = pickle.loads(pickle.dumps(learned))
    task = campaign.task("unknown", budget=8)
    assert task.describe == {} and task.ask().describe == {}


@pytest.mark.parametrize(("given", "reason"), [
    ({"load": (1.0, 0.0)}, "descriptor load"),
    ({"load": (1, 5)}, "descriptor load: (1, 5) may mean whole numbers or real ones"),
    ({"load": (0.0, math.inf)}, "descriptor load: inf is not finite"),
    ({"x": (0.0, 1.0)}, "a parameter of the space has that name"),
    ({3: (0.0, 1.0)}, "descriptor 3: its name is no word"),
    ("load", "the descriptors are 'load'"),
])
def test_wrong_descriptors_are_refused(given, reason):
    with pytest.raises(baton.DescriptorError) as refused:
        described(descriptors=given)
    assert reason in str(refused.value)


def test_what_cannot_be_described_is_told(tmp_path):
    plain = baton.Campaign({"x": (0.0, 1.0)}, goal="minimize", store=tmp_path / "s.db")
    with pytest.raises(baton.DescriptorError, match="this campaign has no descriptors"):
        plain.task("a", budget=8, describe={"load": 0.5})
    with pytest.raises(baton.DescriptorError, match="not described; declare"):
        plain.predict({"load": 0.5})
    with pytest.raises(baton.DescriptorError, match="use the method default"):
        described(settings="mft-mes")
    with pytest.raises(baton.CampaignError, match="write a budget, or"):
        described(tasks={"a": {"load": 0.5}})
    plain.task("a", budget=8).ask()
    with pytest.raises(baton.CampaignError, match="descriptors are not those it began with"):
        described(store=tmp_path / "s.db", seed=0)


def test_knowledge_of_described_tasks_stays_with_its_descriptors(learned):
    knowledge = learned.knowledge
    assert described(knowledge=knowledge).predict({"load": 0.5}).nearest.task is None
    with pytest.raises(baton.KnowledgeError, match="tasks are described by"):
        baton.Campaign({"x": (0.0, 1.0)}, goal="minimize", knowledge=knowledge)


def test_results_go_out_to_csv_and_come_back_with_what_was_said(learned, tmp_path, capfd):
    store = f"sqlite:{tmp_path / 's.db'}"
    where = ["--store", store]
    first = described(store=store, name="first")
    points = [[i / 4] for i in range(5)]
    for name, load in (("a", 0.2), ("b", 0.7)):
        first.add_finished(name, points, [(x - load) ** 2 for [x] in points], describe={"load": load})
    hours = first.task("hours", budget=8, describe={"gas": "air"})
    for load in (0.2, 0.4):
        trial = hours.ask(context={"load": load})
        hours.tell(trial, moving(trial))
    hours.finish()
    out = tmp_path / "out.csv"
    assert _baton.run(["baton", "export", *where, "first", "--out", str(out)]) == 0
    assert out.read_text().startswith("task,trial,fidelity,x,load,gas,value,")
    second = described(store=store, name="second")
    assert _baton.run(["baton", "import", str(out), *where, "second", "--finished"]) == 0
    assert [task.describe for task in second.tasks] == [task.describe for task in first.tasks]
    both = [[(t.point, t.value, t.describe) for t in one.trials] for one in (first, second)]
    assert both[0] == both[1]
    assert second.predict({"load": 0.5}).point == first.predict({"load": 0.5}).point
    first.frame().to_csv(tmp_path / "frame.csv")
    third = described(store=store, name="third")
    call = ["baton", "import", str(tmp_path / "frame.csv"), *where, "third", "--finished"]
    assert _baton.run(call) == 0
    assert third.task("b").describe == {"load": 0.7}
    (tmp_path / "bad.csv").write_text("x,load,value\n0.1,0.5,1\n0.2,7,1\n0.3,nan,1\n")
    described(store=store, name="fourth", tasks={"a": 8})
    assert _baton.run(["baton", "import", str(tmp_path / "bad.csv"), *where, "fourth"]) != 0
    told = capfd.readouterr().err
    assert "line 3: descriptor load: 7" in told and "line 4: descriptor load: " in told
    assert baton.Campaign.open(store, "fourth").trials == []
