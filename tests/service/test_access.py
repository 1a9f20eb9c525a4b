"""Who may do what: without a token, with a wrong one or a read-only one, no write succeeds."""

import http.client
import json
import re
import signal
import subprocess
import time

import pytest
from service import BATON, Service

READ, WRITE = "read-only-token-0123456789", "read-write-token-0123456789"
VALID = {
    "put /api/campaigns/{campaign}": {
        "space": [{"name": "x", "low": 0, "high": 1}],
        "goal": "maximize",
        "tasks": [{"name": "t", "budget": 5}, {"name": "u", "budget": 5}],
    },
    "post /api/campaigns/{campaign}/ask": {},
    "post /api/campaigns/{campaign}/tasks/{task}/trials": {"point": {"x": 0.5}},
    "post /api/campaigns/{campaign}/tasks/{task}/trials/{trial}/tell": {"value": 1.0},
    "post /api/campaigns/{campaign}/tasks/{task}/trials/{trial}/fail": {"reason": "no"},
    "post /api/campaigns/{campaign}/tasks/{task}/pause": {"reason": "no"},
    "put /api/campaigns/{campaign}/tasks/{task}/budget": {"total": 50},
    "post /api/campaigns/{campaign}/rename": {"name": "d"},
    "put /api/campaigns/{campaign}/archived": {"archived": True},
    "post /api/campaigns/{campaign}/tasks/{task}/attributes": {"attributes": {"note": "x"}},
    "post /api/campaigns/{campaign}/tasks/{task}/trials/{trial}/attributes": {"attributes": {"note": "x"}},
}


def call(service, method, path, body=None, headers=None):
    connection = http.client.HTTPConnection(service.host, service.port, timeout=60)
    data = None if body is None else json.dumps(body)
    kind = {} if body is None else {"Content-Type": "application/json"}
    connection.request(method.upper(), path, data, kind | (headers or {}))
    answer = connection.getresponse()
    return answer.status, {k.lower(): v for k, v in answer.getheaders()}, answer.read()


def bearer(token):
    return {"Authorization": f"Bearer {token}"}


@pytest.fixture
def guarded(store, tmp_path):
    tokens = tmp_path / "tokens"
    tokens.write_text(f"# ours\nwrite {WRITE}\nread {READ}  # for looking\n")
    with Service(store, "--token-file", str(tokens)) as service:
        yield service


def writes(service):
    """Every call of the API that changes something, as its own description has it."""
    _, _, body = call(service, "GET", "/openapi.json")
    for path, methods in json.loads(body)["paths"].items():
        for method in methods:
            if method not in ("get", "parameters"):
                yield method, path


def test_no_write_without_a_token_that_may_write(guarded):
    api = guarded.client(WRITE)
    api.create("c", **VALID["put /api/campaigns/{campaign}"])
    api.ask("c")
    before = api.campaign("c")
    all_writes = list(writes(guarded))
    assert len(all_writes) >= 9
    wrong = [
        (401, {}),
        (401, bearer("wrong-token-0123456789")),
        (401, bearer(WRITE[:-1])),
        (401, bearer(WRITE + "x")),
        (401, {"Authorization": WRITE}),
        (401, {"Authorization": f"Basic {WRITE}"}),
        (401, {"X-Token": WRITE}),
        (403, bearer(READ)),
    ]
    for method, path in all_writes:
        body = VALID.get(f"{method} {path}")
        address = path.format(campaign="c", task="t", trial=0)
        for expected, headers in wrong:
            status, got, answer = call(guarded, method, address, body, headers)
            assert status == expected, (method, path, headers, answer)
            assert got["content-type"] == "application/problem+json"
        # A token in the address is not looked at.
        assert call(guarded, method, f"{address}?token={WRITE}&access_token={WRITE}", body)[0] == 401
    status, _, _ = call(guarded, "PUT", "/api/campaigns/new", VALID["put /api/campaigns/{campaign}"], bearer(READ))
    assert status == 403
    assert api.campaign("c") == before and len(api.campaigns()) == 1
    # The same calls with the right one are let through.
    assert call(guarded, "POST", "/api/campaigns/c/tasks/t/trials/0/tell", {"value": 1.0}, bearer(WRITE))[0] == 200


def test_reading_needs_a_token_too(guarded):
    guarded.client(WRITE).create("c", **VALID["put /api/campaigns/{campaign}"])
    for path in ("/api/campaigns", "/api/campaigns/c", "/metrics", "/api/campaigns/c/events", "/api/events"):
        assert call(guarded, "GET", path)[0] == 401, path
        assert call(guarded, "GET", path, headers=bearer("wrong-token-0123456789"))[0] == 401, path
    assert call(guarded, "GET", "/api/campaigns/c", headers=bearer(READ))[0] == 200
    # The pages hold nothing of a campaign; whether the service is well is no secret.
    for path in ("/", "/assets/dashboard.js", "/healthz", "/livez", "/readyz", "/openapi.json"):
        assert call(guarded, "GET", path)[0] == 200, path


def test_tokens_are_read_again_and_a_hangup_ends_nothing(guarded, tmp_path):
    new = "another-write-token-0123456789"
    assert call(guarded, "GET", "/api/campaigns", headers=bearer(new))[0] == 401
    (tmp_path / "tokens").write_text(f"write {new}\n")
    guarded.process.send_signal(signal.SIGHUP)
    deadline = time.monotonic() + 20
    while call(guarded, "GET", "/api/campaigns", headers=bearer(new))[0] != 200:
        assert time.monotonic() < deadline and guarded.process.poll() is None
        time.sleep(0.05)
    assert call(guarded, "GET", "/api/campaigns", headers=bearer(WRITE))[0] == 401
    (tmp_path / "tokens").write_text("nonsense\n")  # noticed without a signal; nothing changes
    time.sleep(3)
    assert call(guarded, "GET", "/api/campaigns", headers=bearer(new))[0] == 200
    assert "the tokens stay as they were" in guarded.logged()


def token(file, *arguments):
    done = subprocess.run([BATON, "token", *arguments, "--file", file], capture_output=True, text=True, timeout=60, check=True)
    return done.stdout.strip()


def test_scopes_campaigns_and_rates_of_named_tokens(store, tmp_path):
    file = tmp_path / "tokens"
    chief = token(file, "add", "chief", "--may", "read,ask,tell,manage")
    oven = token(file, "add", "oven", "--campaign", "kettle")
    hand = token(file, "add", "hand", "--may", "tell")
    slow = token(file, "add", "slow", "--may", "read", "--rate", "1")
    assert not any(secret in file.read_text() for secret in (chief, oven, hand, slow))
    assert file.stat().st_mode & 0o077 == 0
    body = VALID["put /api/campaigns/{campaign}"]
    with Service(store, "--token-file", str(file)) as service:
        api = service.client(chief)
        for name in ("kettle", "pan"):
            api.create(name, **body)
            api.ask(name)

        def status(secret, method, path, body=None):
            return call(service, method, path, body, bearer(secret))[0]

        told = "/api/campaigns/{}/tasks/t/trials/0/tell"
        # A token of one campaign sees no other: in no list, by no address, in no event.
        assert [c["campaign"] for c in service.client(oven).campaigns()] == ["kettle"]
        for address in ("/api/campaigns/pan", "/api/campaigns/p%61n", "/api/campaigns/pan/events", "/metrics"):
            assert status(oven, "GET", address) == 403, address
        connection = http.client.HTTPConnection(service.host, service.port, timeout=60)
        connection.request("GET", "/api/events", headers=bearer(oven))
        event = b""
        with connection.getresponse() as stream:
            api.ask("pan")
            while not re.search(rb"data:.*\n\n", event):
                event += stream.read1(1)
        assert b"kettle" in event and b"pan" not in event
        # Nor does it write there, or make one, or do what it is not for.
        assert status(oven, "POST", told.format("pan"), {"value": 1.0}) == 403
        assert status(oven, "PUT", "/api/campaigns/third", body) == 403
        assert status(oven, "POST", "/api/campaigns/kettle/tasks/t/pause", {"reason": "no"}) == 403
        assert status(oven, "POST", "/api/campaigns/kettle/ask", {}) == 200
        assert status(oven, "POST", told.format("kettle"), {"value": 1.0}) == 200
        # Scopes.
        assert status(hand, "GET", "/api/campaigns") == 403
        assert status(hand, "POST", "/api/campaigns/pan/ask", {}) == 403
        assert status(hand, "POST", told.format("pan"), {"value": 1.0}) == 200
        # Too many at once.
        assert sorted(status(slow, "GET", "/api/campaigns") for _ in range(8))[-1] == 429
        # What is revoked, or over, writes nothing from then on.
        token(file, "revoke", "oven")
        lines = [line + " until=2020-01-01" * line.startswith("hand") for line in file.read_text().splitlines()]
        file.write_text("\n".join(lines) + "\n")
        service.process.send_signal(signal.SIGHUP)
        deadline = time.monotonic() + 20
        while status(oven, "GET", "/api/campaigns/kettle") != 401 or status(hand, "POST", "/api/campaigns/pan/ask", {}) != 401:
            assert time.monotonic() < deadline
            time.sleep(0.05)
        before = api.campaign("kettle"), api.campaign("pan")
        api.ask("pan")
        for secret in (oven, hand):
            assert status(secret, "POST", "/api/campaigns/pan/tasks/t/trials/1/tell", {"value": 2.0}) == 401
            assert status(secret, "POST", "/api/campaigns/kettle/ask", {}) == 401
        assert api.campaign("kettle") == before[0]
    assert not any(secret in service.logged() for secret in (chief, oven, hand, slow))


def test_tokens_appear_in_no_log(guarded):
    call(guarded, "GET", f"/api/campaigns?token={WRITE}", headers=bearer(WRITE))
    call(guarded, "GET", "/api/campaigns/c", headers=bearer(READ))
    call(guarded, "GET", "/api/campaigns", headers=bearer("wrong-token-0123456789"))
    assert guarded.stop() == 0
    logged = guarded.logged()
    assert '"path":"/api/campaigns"' in logged
    for secret in (WRITE, READ, "wrong-token"):
        assert secret not in logged


@pytest.mark.parametrize("address", ["0.0.0.0:0", "[::]:0", "10.1.2.3:0"])
def test_an_address_that_others_reach_is_refused_without_tokens(address, store, tmp_path):
    refused = subprocess.run([BATON, "serve", "--bind", address, "--store", store], capture_output=True, text=True, timeout=60)
    assert refused.returncode == 2 and "there are no tokens" in refused.stderr and "hint:" in refused.stderr
    empty = tmp_path / "empty"
    empty.write_text("# nothing\n")
    refused = subprocess.run(
        [BATON, "serve", "--bind", address, "--store", store, "--token-file", empty], capture_output=True, text=True, timeout=60
    )
    assert refused.returncode == 2 and "holds no token" in refused.stderr


def test_pages_of_other_sites_are_kept_out(store, tmp_path):
    body = VALID["put /api/campaigns/{campaign}"]
    named = "https://lab.example"
    with Service(store, "--allow-origin", named) as service:
        host = f"{service.host}:{service.port}"
        # A name that somebody made point to this machine.
        assert call(service, "GET", "/api/campaigns", headers={"Host": "evil.example"})[0] == 403
        # A form or script of another site.
        for origin in ("https://evil.example", "null", f"http://{service.host}:1"):
            status, headers, _ = call(service, "PUT", "/api/campaigns/c", body, {"Origin": origin})
            assert status == 403, origin
            _, headers, _ = call(service, "GET", "/api/campaigns", headers={"Origin": origin})
            assert "access-control-allow-origin" not in headers
        assert call(service, "PUT", "/api/campaigns/c", body, {"Origin": f"http://{host}"})[0] == 201
        status, headers, _ = call(service, "PUT", "/api/campaigns/c", body, {"Origin": named})
        assert status == 200 and headers["access-control-allow-origin"] == named
        preflight = {"Origin": named, "Access-Control-Request-Method": "PUT", "Access-Control-Request-Headers": "authorization"}
        status, headers, _ = call(service, "OPTIONS", "/api/campaigns/c", headers=preflight)
        assert status == 200 and "PUT" in headers["access-control-allow-methods"]
    refused = subprocess.run([BATON, "serve", "--store", store, "--allow-origin", "*"], capture_output=True, text=True, timeout=60)
    assert refused.returncode == 2 and "not an origin" in refused.stderr


def test_pages_have_strict_headers(service):
    for path in ("/", "/api/campaigns", "/nowhere"):
        _, headers, _ = call(service, "GET", path)
        policy = headers["content-security-policy"]
        assert "default-src 'none'" in policy and "unsafe-inline" not in policy and "frame-ancestors 'none'" in policy
        assert headers["x-content-type-options"] == "nosniff" and headers["referrer-policy"] == "no-referrer"
    _, headers, page = call(service, "GET", "/")
    assert not re.search(rb"<script(?![^>]*\bsrc=)|\bon\w+=|style=", page), "something inline"
    assert call(service, "GET", "/", headers={"If-None-Match": headers["etag"]})[0] == 304
