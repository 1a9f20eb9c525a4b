"""The API does what it says: campaigns to their end, retried calls, a human in the loop, errors."""

import http.client
import json
import signal
import socket
import subprocess
import threading
import urllib.request

import pytest
from conftest import until
from service import BATON, Service, client

BOWL = {
    "space": [{"name": "x", "low": 0, "high": 1}, {"name": "mode", "choices": ["a", "b"]}],
    "fidelities": [{"name": "coarse", "cost": 1}, {"name": "fine", "cost": 4}],
    "goal": "minimize",
    "tasks": [{"name": "monday", "budget": 24}, {"name": "tuesday", "budget": 24}],
    "seed": 7,
}
SMALL = {"space": [{"name": "x", "low": 0, "high": 1}], "tasks": [{"name": "t", "budget": 9}]}


def bowl(trial):
    point = trial["point"]
    coarse = 0.05 if trial["fidelity"] == "coarse" else 0
    return (point["x"] - 0.3) ** 2 + (0.1 if point["mode"] == "b" else 0) + coarse


def test_a_campaign_runs_to_its_end_and_does_what_the_command_line_does(service, store, tmp_path):
    api = service.client()
    assert api.create("bowl", **BOWL)["state"] == "to_come"
    assert api.run("bowl", bowl) == "done"
    done = api.campaign("bowl")
    assert done["state"] == "finished" and done["spent"] <= done["budget"] == 48
    tuesday = done["task_list"][1]
    assert abs(tuesday["recommended"]["point"]["x"] - 0.3) < 0.15
    trials = api.trials("bowl", "tuesday")
    assert tuesday["spent"] == sum(trial["cost"] for trial in trials)
    assert "nats" in " ".join(line["why"] for line in api.ledger("bowl", "tuesday")["lines"])
    # The same campaign from a file, evaluated by a command: the same trials, bit for bit.
    (tmp_path / "simulate.py").write_text(
        "import json\nr = json.loads(input())\np = r['point']\n"
        "c = 0.05 if r['fidelity'] == 'coarse' else 0\n"
        "print(json.dumps({'value': (p['x'] - 0.3) ** 2 + (0.1 if p['mode'] == 'b' else 0) + c}))\n"
    )
    (tmp_path / "campaign.toml").write_text(
        'name = "file"\nstore = "sqlite:file.db"\nseed = 7\n[space]\nx = { low = 0, high = 1 }\n'
        'mode = { choices = ["a", "b"] }\n[[fidelity]]\nname = "coarse"\ncost = 1\n[[fidelity]]\n'
        'name = "fine"\ncost = 4\n[objective]\ngoal = "minimize"\n'
        'command = ["python3", "simulate.py"]\n'
        '[[task]]\nname = "monday"\nbudget = 24\n[[task]]\nname = "tuesday"\nbudget = 24\n'
    )
    subprocess.run([BATON, "run", "campaign.toml", "--quiet"], cwd=tmp_path, check=True, stdout=subprocess.DEVNULL)
    shown = subprocess.run([BATON, "trials", "--json", "campaign.toml"], cwd=tmp_path, check=True, capture_output=True)
    by_command = [(t["task"], t["point"], t["value"]) for t in json.loads(shown.stdout)["trials"]]
    by_api = [(t["task"], t["point"], t["value"]) for task in ("monday", "tuesday") for t in api.trials("bowl", task)]
    assert by_api == by_command
    # And so it is with what both taught.
    for words, taught in ([], api.insight("bowl")), (["--task", "monday"], api.insight("bowl", "monday")):
        call = [BATON, "insight", "--store", store, "bowl", *words, "--json"]
        shown = subprocess.run(call, cwd=tmp_path, check=True, capture_output=True)
        assert taught == json.loads(shown.stdout) and taught["task"] == (words or ["tuesday"])[-1]
    with pytest.raises(client.Problem, match="the campaign has no task \"friday\"") as refused:
        api.insight("bowl", "friday")
    assert refused.value.status == 404


def test_a_retried_call_does_nothing_twice_and_gets_the_same_answer(service):
    api = service.client()
    api.create("bowl", **BOWL)
    first = api.ask("bowl", key="k1")
    assert api.ask("bowl", key="k1") == first
    other = api.ask("bowl", key="k2")
    assert other["trial"]["trial"] == 1
    # Who asks again under the same name before answering gets the same trial.
    mine = api.ask("bowl", worker="ada")["trial"]["trial"]
    assert api.ask("bowl", worker="ada")["trial"]["trial"] == mine
    told = api.tell("bowl", "monday", 0, 0.5)
    assert api.tell("bowl", "monday", 0, 0.5) == told and told["order"] == 0
    again = api.ask("bowl", key="k1")["trial"]
    assert again["point"] == first["trial"]["point"] and again["trial"] == 0
    with pytest.raises(client.Problem, match="has its value already: 0.5") as refused:
        api.tell("bowl", "monday", 0, 0.6)
    assert refused.value.status == 409
    failed = api.fail("bowl", "monday", 1, "the mesh was bad")
    assert api.fail("bowl", "monday", 1, "the mesh was bad") == failed
    with pytest.raises(client.Problem, match="known to have failed"):
        api.tell("bowl", "monday", 1, 0.6)
    assert len(api.trials("bowl", "monday")) == 3


def test_asks_with_one_key_at_the_same_time_get_one_trial(service):
    api = service.client()
    api.create("bowl", **BOWL)
    answers = []
    threads = [threading.Thread(target=lambda: answers.append(api.ask("bowl", key="same"))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [answer["trial"]["trial"] for answer in answers] == [0] * 8
    assert len(api.trials("bowl", "monday")) == 1


def test_a_human_in_the_loop(service, store, tmp_path):
    api = service.client()
    api.create("bowl", **BOWL)
    with pytest.raises(client.Problem, match="has not begun"):
        api.propose("bowl", "monday", {"x": 0.31, "mode": "a"})
    api.ask("bowl")
    own = api.propose("bowl", "monday", {"x": 0.31, "mode": "a"}, "coarse")
    assert own["aim"] == "given" and own["point"] == {"x": 0.31, "mode": "a"}
    assert api.tell("bowl", "monday", own["trial"], 0.05)["value"] == 0.05
    for point in ({"x": 2, "mode": "a"}, {"x": 0.5}, {"x": 0.5, "mode": "a", "z": 1}, {"x": "a", "mode": "a"}):
        with pytest.raises(client.Problem) as refused:
            api.propose("bowl", "monday", point)
        assert refused.value.status == 422
    # Pause and continue.
    assert api.pause("bowl", "monday", "lunch")["reason"] == "lunch"
    assert api.ask("bowl") == {"trial": None, "reason": "paused"}
    assert api.tell("bowl", "monday", 0, 0.2)["state"] == "told"
    assert api.go_on("bowl", "monday")["state"] == "open"
    assert api.go_on("bowl", "monday")["state"] == "open"
    assert api.ask("bowl")["trial"] is not None
    # More budget; never less, not even by the plan that it began with.
    assert api.extend("bowl", "monday", 60)["budget"] == 60
    with pytest.raises(client.Problem, match="has a budget of 60"):
        api.extend("bowl", "monday", 30)
    assert api.create("bowl", **BOWL)["task_list"][0]["budget"] == 60
    with pytest.raises(client.Problem, match="has not begun"):
        api.extend("bowl", "tuesday", 60)
    # Finish: what was pending is given up, and a finished task stays so.
    done = api.finish("bowl", "monday")
    assert done["state"] == "finished" and done["pending"] == 0
    assert api.finish("bowl", "monday")["recommended"] == done["recommended"]
    with pytest.raises(client.Problem, match="is finished"):
        api.pause("bowl", "monday", "")
    assert api.knowledge("bowl")[0]["tasks"] == 1
    # More budget opens it again, until the next one has begun with what it taught.
    assert api.extend("bowl", "monday", 99)["state"] == "open"
    assert api.finish("bowl", "monday")["state"] == "finished"
    assert api.ask("bowl")["trial"]["task"] == "tuesday"
    with pytest.raises(client.Problem, match="'tuesday' has begun|\"tuesday\" has begun"):
        api.extend("bowl", "monday", 120)


def test_a_file_with_the_former_budget_does_not_take_back_what_was_given(service, store, tmp_path):
    api = service.client()
    file = tmp_path / "campaign.toml"
    file.write_text(
        f'name = "f"\nstore = "{store}"\n[space]\nx = {{ low = 0, high = 1 }}\n[objective]\n'
        'goal = "minimize"\nretries = 0\ncommand = ["false"]\n[[task]]\nname = "t"\nbudget = 5\n'
    )
    subprocess.run([BATON, "ask", file], check=True, stdout=subprocess.DEVNULL)
    assert api.extend("f", "t", 8)["budget"] == 8
    api.pause("f", "t", "by hand")
    # The run goes on with the paused task; its evaluations fail, which pauses it again after five.
    subprocess.run([BATON, "run", file, "--quiet"], stdout=subprocess.DEVNULL)
    task = api.task("f", "t")
    assert task["budget"] == 8 and task["failed"] >= 5 and task["state"] == "paused"


def test_a_task_that_keeps_failing_is_paused(service):
    api = service.client()
    api.create("bowl", **BOWL)

    def broken(trial):
        raise ValueError("no licence")

    assert api.run("bowl", broken, catch=ValueError) == "paused"
    task = api.task("bowl", "monday")
    assert task["failed"] == 5 and "no licence" in task["reason"]


def test_an_exception_comes_out_and_its_trial_is_the_next_callers(service):
    api = service.client()
    api.create("bowl", **BOWL)
    raised = ValueError("no licence")

    def broken(trial):
        if trial["trial"] == 2:
            raise raised
        return bowl(trial)

    with pytest.raises(ValueError) as caught:
        api.run("bowl", broken)
    assert caught.value is raised
    left = api.trials("bowl", "monday")[2]
    assert (left["state"], left["worker"]) == ("pending", None)
    seen = []

    def other(trial):
        seen.append(trial["trial"])
        if len(seen) == 2:
            raise client.TrialFailed("bad mesh")
        return None if len(seen) == 3 else bowl(trial)

    assert api.run("bowl", other) == "done"
    assert seen[0] == 2
    reasons = [one["reason"] for one in api.trials("bowl", "monday") if one["state"] == "failed"]
    assert reasons == ["bad mesh", "the objective returned None"]
    for wrong in (True, "1.0", [1.0]):
        api.create("bowl 2", **BOWL)
        with pytest.raises(ValueError, match=f"of type {type(wrong).__name__}; expected one number"):
            api.run("bowl 2", lambda trial: wrong)


def test_a_worker_evaluates_what_the_service_shows(service, store):
    api = service.client()
    api.create("w", space=[{"name": "x", "low": 0, "high": 1}], goal="maximize", tasks=[{"name": "t", "budget": 6}])
    command = ["python3", "-c", "import json; print(json.dumps({'value': json.loads(input())['point']['x']}))"]
    worker = [BATON, "worker", "--store", store, "--campaign", "w", "--quiet", "--", *command]
    subprocess.run(worker, check=True, stdout=subprocess.DEVNULL)
    assert api.campaign("w")["state"] == "finished"
    assert len(api.trials("w", "t")) == 6


def test_what_the_model_knows(service):
    api = service.client()
    api.create("bowl", **BOWL)
    path = "/api/campaigns/bowl/tasks/monday"
    for _ in range(8):
        trial = api.ask("bowl")["trial"]
        api.tell("bowl", "monday", trial["trial"], bowl(trial))
    slices = api._call("GET", f"{path}/slices?through=%7B%22x%22%3A0.5%2C%22mode%22%3A%22b%22%7D")
    assert slices["through"] == {"x": 0.5, "mode": "b"} and slices["told"] == 8
    by_x, by_mode = slices["slices"]
    assert len(by_x["at"]) == len(by_x["bands"][0]["mean"]) and by_mode["at"] == ["a", "b"]
    assert [band["fidelity"] for band in by_x["bands"]] == ["coarse", "fine"]
    for band in by_x["bands"]:
        assert all(low <= mean <= high for low, mean, high in zip(band["low"], band["mean"], band["high"]))
        assert all(rate >= 0 for rate in band["acquisition"])
    # What is said to come next is what the next ask gives.
    coming = api._call("GET", f"{path}/next")["next"]
    asked = api.ask("bowl")["trial"]
    assert (coming["point"], coming["fidelity"], coming["why"]) == (asked["point"], asked["fidelity"], asked["why"])
    assert api.recommendation("bowl", "monday")["low"] <= api.recommendation("bowl", "monday")["high"]


def test_events_tell_what_changes_and_go_on_where_they_were(service, store):
    api = service.client()
    change = api.create("bowl", **BOWL)["change"]
    heard = []
    listening = threading.Thread(
        target=lambda: [heard.append(event) for event in api.events("bowl", since=change)], daemon=True
    )
    listening.start()
    trial = api.ask("bowl")["trial"]["trial"]
    # Somebody else changes the records: another process.
    subprocess.run([BATON, "tell", str(trial), "0.25", "--store", store, "bowl"], check=True, stdout=subprocess.DEVNULL)
    told = lambda: [t for event in heard for t in event["trials"] if t["value"] == 0.25]
    until(told, "the value that another process told")
    assert heard[-1]["tasks"][0]["told"] == 1
    request = urllib.request.Request(f"{service.url}/api/campaigns/bowl/events", headers={"Last-Event-ID": str(change)})
    with urllib.request.urlopen(request, timeout=60) as again:
        data = next(line for line in again if line.startswith(b"data:"))
    assert json.loads(data[5:])["trials"][0]["value"] == 0.25


def test_errors_say_what_why_and_a_hint(service):
    def raw(method, path, body=None, headers=None):
        connection = http.client.HTTPConnection(service.host, service.port, timeout=60)
        connection.request(method, path, body, headers or {})
        answer = connection.getresponse()
        return answer.status, dict((k.lower(), v) for k, v in answer.getheaders()), answer.read()

    json_kind = {"Content-Type": "application/json"}
    cases = [
        (404, "GET", "/api/campaigns/none", None, {}),
        (404, "GET", "/nowhere", None, {}),
        (405, "DELETE", "/api/campaigns", None, {}),
        (400, "PUT", "/api/campaigns/a", "{nonsense", json_kind),
        (422, "PUT", "/api/campaigns/a", '{"space": []}', json_kind),
        (415, "PUT", "/api/campaigns/a", "{}", {"Content-Type": "text/plain"}),
        (413, "PUT", "/api/campaigns/a", '"' + "x" * (1 << 21) + '"', json_kind),
        (422, "POST", "/api/campaigns/none/ask", "{}", {"Idempotency-Key": "x" * 300} | json_kind),
        (422, "POST", "/api/campaigns/none/ask", "{}", {"Idempotency-Key": "not one word"} | json_kind),
    ]
    for status, *call in cases:
        got, headers, body = raw(*call)
        assert got == status, (call[:2], got, body[:200])
        assert headers["content-type"] == "application/problem+json"
        problem = json.loads(body)
        assert problem["status"] == status and problem["title"].startswith("could not") and problem["detail"]
    wrong = {"space": [{"name": "x", "low": 1, "high": 0}], "goal": "minimize", "tasks": [{"name": "t", "budget": 1}]}
    status, _, body = raw("PUT", "/api/campaigns/a", json.dumps(wrong), json_kind)
    assert status == 422 and "hold no interval" in json.loads(body)["detail"]
    # The field is named, in words; what is too large is told with the limit, and no other hint.
    wrong = {**wrong, "tasks": [{"name": "t", "budget": "much"}]}
    _, _, body = raw("PUT", "/api/campaigns/a", json.dumps(wrong), json_kind)
    assert json.loads(body)["detail"] == 'tasks: it is "much"; expected a number'
    _, _, body = raw("PUT", "/api/campaigns/a", "{" + " " * (1 << 21) + "}", json_kind)
    assert "more than 1048576 bytes" in json.loads(body)["detail"]
    assert json.loads(body)["hint"] == "send less at once"
    # A campaign that has begun keeps its meaning.
    api = service.client()
    api.create("bowl", **BOWL)
    with pytest.raises(client.Problem, match="goal") as refused:
        api.create("bowl", **{**BOWL, "goal": "maximize"})
    assert refused.value.status == 409 and refused.value.hint


def test_names_may_be_anything_that_can_be_seen(service):
    api = service.client()
    name, task = "uplink / ünïcode & 100 % <b>?", "mon/day #1"
    api.create(name, space=[{"name": "a b", "low": 0, "high": 1}], goal="maximize", tasks=[{"name": task, "budget": 2}])
    assert api.run(name, lambda trial: trial["point"]["a b"]) == "done"
    assert api.task(name, task)["told"] == 2
    assert [c["campaign"] for c in api.campaigns()] == [name]


def test_it_says_how_it_is(service):
    api = service.client()
    for path in ("/healthz", "/livez", "/readyz"):
        assert api._call("GET", path)["status"] == "ok"
    api.create("bowl", **BOWL)
    trial = api.ask("bowl")["trial"]["trial"]
    api.tell("bowl", "monday", trial, 1.0)
    with urllib.request.urlopen(f"{service.url}/metrics") as answer:
        text = answer.read().decode()
    assert "baton_trials_asked_total 1" in text and "baton_answers_total 1" in text
    route = 'method="POST",route="/api/campaigns/{campaign}/tasks/{task}/trials/{trial}/tell",status="200"'
    assert f"baton_request_seconds_count{{{route}}} 1" in text
    lines = [json.loads(line) for line in service.logged().splitlines()]
    assert any(line.get("path", "").endswith("/tell") and line["status"] == 200 for line in lines)


def test_asked_to_end_it_finishes_what_is_under_way(store):
    """Asks and tells that were begun are answered or never happened; streams of events end."""
    with Service(store) as service:
        api = client.Client(service.url, retries=0)
        api.create("bowl", **{**BOWL, "tasks": [{"name": "monday", "budget": 1000}]})
        given, told, ended = [], {}, []

        def work():
            try:
                while True:
                    trial = api.ask("bowl")["trial"]["trial"]
                    given.append(trial)
                    api.tell("bowl", "monday", trial, trial / 7)
                    told[trial] = trial / 7
            except OSError:
                pass

        def listen():
            try:
                list(api.events("bowl"))
            except OSError:
                pass
            ended.append(True)

        threads = [threading.Thread(target=work) for _ in range(4)] + [threading.Thread(target=listen)]
        for thread in threads:
            thread.start()
        until(lambda: len(told) >= 20, "twenty values")
        service.process.send_signal(signal.SIGTERM)
        assert service.process.wait(timeout=60) == 0
        for thread in threads:
            thread.join(timeout=60)
        assert ended
    with Service(store) as service:
        there = {trial["trial"]: trial["value"] for trial in service.client().trials("bowl", "monday")}
    assert set(given) == set(there)
    assert all(there[trial] == value for trial, value in told.items())


def test_a_client_that_goes_away_does_no_harm(service):
    api = service.client()
    api.create("bowl", **BOWL)
    for _ in range(20):
        with socket.create_connection((service.host, service.port)) as half:
            half.sendall(b"POST /api/campaigns/bowl/ask HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n{")
    assert api.ask("bowl")["trial"]["trial"] == 0


def test_the_goal_has_to_be_said(service):
    with pytest.raises(client.Problem, match="goal"):
        service.client().create("c", **SMALL)


def test_campaigns_are_renamed_put_aside_and_deleted(service):
    api = service.client()
    api.create("c", goal="minimize", **SMALL)
    trial = api.ask("c")["trial"]
    assert api.annotate("c", "t", trial["trial"], note="door open") == {"note": "door open"}
    assert api.annotate("c", "t", operator="ada", shift=2) == {"operator": "ada", "shift": 2}
    assert api.rename("c", "winter")["campaign"] == "winter"
    assert [one["campaign"] for one in api.campaigns()] == ["winter"]
    assert api.task("winter", "t")["attributes"] == {"operator": "ada", "shift": 2}
    assert api.trial("winter", "t", trial["trial"])["attributes"] == {"note": "door open"}
    assert api.archive("winter")["archived"]
    assert api.campaigns() == []
    assert not api.archive("winter", False)["archived"]
    api.delete("winter")
    with pytest.raises(client.Problem, match="winter"):
        api.campaign("winter")
    # One of the same name begins anew.
    api.create("winter", goal="minimize", **SMALL)
    assert api.campaign("winter")["trials"] == 0


def test_a_value_has_its_own_noise_and_cost_and_more_budget_opens_a_task_again(service):
    api = service.client()
    api.create("c", goal="minimize", **SMALL)
    trial = api.ask("c")["trial"]
    told = api.tell("c", "t", trial["trial"], 0.5, noise=0.1, cost=3.5)
    assert (told["noise"], told["paid"], api.task("c", "t")["spent"]) == (0.1, 3.5, 3.5)
    assert api.tell("c", "t", trial["trial"], 0.5) == told
    with pytest.raises(client.Problem, match="value already: 0.5, noise 0.1, cost 3.5"):
        api.tell("c", "t", trial["trial"], 0.5, noise=0.2)
    with pytest.raises(client.Problem, match="standard error"):
        api.tell("c", "t", api.ask("c")["trial"]["trial"], 0.5, noise=-1)
    assert api.finish("c", "t")["state"] == "finished"
    assert api.extend("c", "t", 12)["state"] == "open"
    recommended = api.recommendation("c", "t")
    assert recommended["evaluated"] in (True, False)
