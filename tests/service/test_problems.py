"""What a campaign's problem may have besides: descriptors, changes from task to task, constraints."""

import json
import math
import subprocess
import urllib.error
import urllib.parse
import urllib.request

import pytest
from service import BATON, client
from test_api import BOWL, SMALL

WING = {
    "space": [{"name": "x", "low": 0, "high": 1}],
    "descriptors": [
        {"name": "reynolds", "low": 1e5, "high": 1e7, "log": True},
        {"name": "gas", "choices": ["air", "argon"]},
    ],
    "goal": "minimize",
    "tasks": [
        {"name": "slow", "budget": 8, "describe": {"reynolds": 2e5, "gas": "air"}},
        {"name": "fast", "budget": 8, "describe": {"reynolds": 5e6}},
        {"name": "cruise", "budget": 8, "describe": {"reynolds": 1e6}},
    ],
}


def wing(trial):
    """The best place is the share of the range at which the Reynolds number lies."""
    return (trial["point"]["x"] - math.log10(trial["describe"]["reynolds"] / 1e5) / 2) ** 2


def test_a_task_to_come_is_predicted_from_its_description(service, store):
    api = service.client()
    made = api.create("wing", **WING)
    assert [of["name"] for of in made["descriptors"]] == ["reynolds", "gas"]
    assert [task["describe"] for task in made["task_list"]] == [task["describe"] for task in WING["tasks"]]

    def predict(**query):
        return api._call("GET", f"/api/campaigns/wing/predict?{urllib.parse.urlencode(query)}")

    early = predict(over="reynolds")
    assert early["expected"] is None and early["over"]["curve"] == [] and "Nothing is known" in early["in_words"]
    assert api.run("wing", wing) == "done"
    assert api.task("wing", "slow")["describe"] == {"reynolds": 2e5, "gas": "air"}
    told = predict(describe=json.dumps({"reynolds": 2e6}), over="reynolds", points=5)
    assert told["describe"] == {"reynolds": 2e6} and told["nearest"]["task"] in ["fast", "cruise"]
    assert told["expected"]["low"] <= told["expected"]["mean"] <= told["expected"]["high"]
    assert [of["name"] for of in told["descriptors"]] == ["reynolds", "gas"]
    places = [at["expected"]["point"]["x"] for at in told["over"]["curve"]]
    assert len(places) == 5 and places[0] < places[-1]
    # The command line says the same.
    command = [BATON, "predict", "--store", store, "wing", "--describe", "reynolds=2e6", "--json"]
    said = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    assert said["expected"]["point"] == told["expected"]["point"] and said["in_words"] == told["in_words"]


def test_a_context_is_given_with_the_ask(service):
    api = service.client()
    api.create("wing", **WING)
    ask = lambda **body: api._call("POST", "/api/campaigns/wing/ask", body)
    for _ in range(5):
        trial = ask()["trial"]
        api.tell("wing", "slow", trial["trial"], wing(trial))
    trial = ask(context={"reynolds": 3e5})["trial"]
    assert trial["describe"] == {"reynolds": 3e5, "gas": "air"}
    path = "/api/campaigns/wing/tasks/slow"
    assert api._call("GET", f"{path}/trials/{trial['trial']}")["describe"] == trial["describe"]
    context = urllib.parse.quote(json.dumps({"reynolds": 3e5}))
    assert 0 <= api._call("GET", f"{path}/recommendation?context={context}")["recommended"]["point"]["x"] <= 1
    with pytest.raises(client.Problem, match="advance") as refused:
        ask(context={"reynolds": 3e5}, advance=True)
    assert refused.value.status == 422 and refused.value.hint


def test_wrong_descriptions_are_refused_and_nothing_is_changed(service):
    api = service.client()
    for value in ({"reynolds": 1e9}, {"reynold": 1e6}, {"gas": "water"}, {"reynolds": "many"}):
        tasks = [WING["tasks"][0], {"name": "fast", "budget": 8, "describe": value}]
        with pytest.raises(client.Problem, match=r"tasks\[1\]\.describe: .*" + next(iter(value))) as refused:
            api.create("wing", **{**WING, "tasks": tasks})
        assert refused.value.status == 422
    assert api.campaigns() == []
    api.create("wing", **WING)
    queries = ["describe=3", "describe={", 'describe={"reynold":1}', 'describe={"reynolds":1}', "over=sun", "over=gas&points=1"]
    for query in queries:
        with pytest.raises(client.Problem) as refused:
            api._call("GET", f"/api/campaigns/wing/predict?{urllib.parse.quote(query, safe='=&')}")
        assert refused.value.status == 422, query
    with pytest.raises(client.Problem) as refused:
        api._call("POST", "/api/campaigns/wing/ask", {"context": {"sun": 1}})
    assert refused.value.status == 422 and api.task("wing", "slow")["state"] == "to_come"
    api.create("bowl", **BOWL)
    with pytest.raises(client.Problem, match="not described") as refused:
        api._call("GET", "/api/campaigns/bowl/predict")
    assert refused.value.status == 409 and refused.value.hint
    with pytest.raises(client.Problem, match="mode"):
        api.create("other", **{**BOWL, "tasks": [{"name": "t", "budget": 8, "describe": {"mode": "a"}}]})


CHANGING = {
    "space": [{"name": "x", "low": 0, "high": 1}],
    "fidelities": [{"name": "coarse", "cost": 1}, {"name": "fine", "cost": 2}],
    "goal": "minimize",
    "settings": {"candidates": 40, "starts": 4},
    "tasks": [
        {"name": "one", "budget": 10},
        {"name": "two", "budget": 12, "space": [{"name": "tilt", "low": 0, "high": 10, "was": 2}]},
        {
            "name": "three",
            "budget": 12,
            "space": [{"name": "tilt", "fixed": 5}],
            "forbid": ["x > 0.9"],
            "fidelities": [{"name": "fine", "cost": 2}, {"name": "finest", "cost": 3}],
        },
    ],
}


def tilted(trial):
    return (trial["point"]["x"] - 0.3) ** 2 + (trial["point"].get("tilt", 2) - 4) ** 2 / 50


def test_a_problem_may_change_from_task_to_task(service):
    api = service.client()
    made = api.create("tilt", **CHANGING)
    assert [task["changes"] for task in made["task_list"]] == [
        [],
        ["tilt is new; it was 2"],
        ["tilt is fixed at 5", "the fidelity finest is new", "the fidelity coarse is gone", "x > 0.9 is forbidden"],
    ]
    assert [of["name"] for of in made["space"]] == ["x", "tilt"]
    assert [of["name"] for of in made["fidelities"]] == ["coarse", "fine", "finest"]
    assert api.run("tilt", tilted) == "done"
    points = lambda task: [t["point"] for t in api._call("GET", f"/api/campaigns/tilt/tasks/{task}/trials")["trials"]]
    assert all(set(point) == {"x"} for point in points("one"))
    assert all(0 <= point["tilt"] <= 10 for point in points("two"))
    assert all(point["tilt"] == 5 and point["x"] <= 0.9 for point in points("three"))
    three = api.task("tilt", "three")
    assert [of["name"] for of in three["fidelities"]] == ["fine", "finest"]
    assert three["recommended"]["point"]["tilt"] == 5
    slices = api._call("GET", "/api/campaigns/tilt/tasks/three/slices")
    assert [of["parameter"] for of in slices["slices"]] == ["x"]
    stages = api._call("GET", "/api/campaigns/tilt/knowledge")["stages"]
    assert [set(stage["recommended"][-1]) for stage in stages[-2:]] == [{"x", "tilt"}] * 2


def test_changes_that_cannot_be_are_refused_with_the_task(service):
    api = service.client()
    for change, told in (
        ({"space": [{"name": "x", "choices": ["a"]}]}, "another name"),
        ({"space": [{"name": "tilt", "fixed": 3}]}, "low and high"),
        ({"fidelities": [{"name": "fine", "cost": 2}, {"name": "coarse", "cost": 3}]}, "another order"),
    ):
        tasks = [CHANGING["tasks"][0], {"name": "two", "budget": 12, **change}]
        with pytest.raises(client.Problem, match=told) as refused:
            api.create("tilt", **{**CHANGING, "tasks": tasks})
        assert refused.value.status == 422
    assert api.campaigns() == []


OVEN = {
    "space": [{"name": "x", "low": 0, "high": 1}],
    "constraints": [{"name": "heat", "max": 45}, {"name": "load", "min": -0.5, "max": 0.9}],
    "goal": "maximize",
    "tasks": [{"name": "one", "budget": 12}, {"name": "two", "budget": 12, "constraints": [{"name": "heat", "max": 42}]}],
    "seed": 3,
}


def oven(trial):
    """More is better, and hotter."""
    x = trial["point"]["x"]
    return x, {"heat": 30 + 30 * x, "load": x - 0.3}


def test_what_is_measured_besides_has_to_keep_its_bounds(service):
    api = service.client()
    made = api.create("oven", **OVEN)
    assert made["constraints"] == OVEN["constraints"]
    bounds = [{one["name"]: one.get("max") for one in task["constraints"]} for task in made["task_list"]]
    assert bounds == [{"heat": 45, "load": 0.9}, {"heat": 42, "load": 0.9}]
    assert made["task_list"][1]["changes"] == ["heat <= 42, it was heat <= 45"]
    for _ in range(12):
        trial = api.ask("oven")["trial"]
        value, measured = oven(trial)
        told = api.tell("oven", "one", trial["trial"], value, constraints=measured)
        assert told["constraints"] == measured and told["feasible"] == (measured["heat"] <= 45 and value <= 1.2)
    # The best is the best of what keeps all bounds, and so is the point to use, as far as can be told.
    task, trials = api.task("oven", "one"), api.trials("oven", "one")
    assert task["best"]["value"] == max(trial["value"] for trial in trials if trial["feasible"])
    assert any(trial["value"] > task["best"]["value"] for trial in trials)
    use = api.recommendation("oven", "one")
    assert 0.9 < use["feasible"] <= 1 and 0.3 < use["point"]["x"] < 0.55
    (along,) = api._call("GET", "/api/campaigns/oven/tasks/one/slices")["slices"]
    assert along["feasible"][0] > 0.9 > 0.1 > along["feasible"][-1] and len(along["feasible"]) == len(along["at"])
    assert api.finish("oven", "one")["recommended"]["feasible"] == use["feasible"]
    trial = api.ask("oven")["trial"]
    assert (trial["task"], trial.get("feasible"), trial.get("constraints")) == ("two", None, None)
    # What was left out is not known.
    assert "feasible" not in api.tell("oven", "two", trial["trial"], 0.4, constraints={"heat": 41})


def test_constraints_that_were_not_asked_for_or_differ_are_refused(service):
    api = service.client()
    for wrong, told in (
        ([{"name": "heat"}], "needs a bound"),
        ([{"name": "heat", "min": 2, "max": 1}], "min must be below max"),
        ([{"name": "x", "max": 1}], "parameter"),
        ([{"name": "heat", "most": 1}], "most"),
    ):
        with pytest.raises(client.Problem, match=told) as refused:
            api.create("oven", **{**OVEN, "constraints": wrong})
        assert refused.value.status == 422
    assert api.campaigns() == []
    api.create("oven", **OVEN)
    trial = api.ask("oven")["trial"]["trial"]
    path = f"/api/campaigns/oven/tasks/one/trials/{trial}/tell"
    for status, measured in ((422, '{"haet": 41}'), (422, '{"heat": "hot"}'), (422, '{"heat": null}'), (400, '{"heat": NaN}'), (400, '{"heat": 1e999}')):
        body = f'{{"value": 0.5, "constraints": {measured}}}'.encode()
        raw = urllib.request.Request(service.url + path, body, {"Content-Type": "application/json"})
        with pytest.raises(urllib.error.HTTPError) as refused:
            urllib.request.urlopen(raw)
        assert refused.value.status == status, measured
    assert api.trial("oven", "one", trial)["state"] == "pending"
    told = api.tell("oven", "one", trial, 0.5, constraints={"heat": 41, "load": 0})
    assert told["feasible"] is True
    # The same again, or less, is the same; something else is not.
    assert api.tell("oven", "one", trial, 0.5, constraints={"heat": 41, "load": 0}) == told
    assert api.tell("oven", "one", trial, 0.5) == told
    with pytest.raises(client.Problem, match="value already: 0.5, heat 41, load 0") as refused:
        api.tell("oven", "one", trial, 0.5, constraints={"heat": 40, "load": 0})
    assert refused.value.status == 409
    api.create("c", goal="minimize", **SMALL)
    with pytest.raises(client.Problem, match="has no constraints"):
        api.tell("c", "t", api.ask("c")["trial"]["trial"], 0.5, constraints={"heat": 1})
