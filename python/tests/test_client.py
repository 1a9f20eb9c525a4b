"""The client where the service is down, refuses, or is something else."""

from __future__ import annotations

import http.server
import socket
import threading
from collections.abc import Iterator

import pytest

from baton.client import Client, Problem, Unreachable


@pytest.fixture
def answering() -> Iterator[tuple[str, list[tuple[int, bytes]]]]:
    """A server that gives the answers in the list, and its address."""
    answers: list[tuple[int, bytes]] = []

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.rfile.read(int(self.headers.get("Content-Length", 0)))
            status, body = answers.pop(0)
            self.send_response(status)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        do_PUT = do_POST = do_GET

        def log_message(self, *_: object) -> None:
            pass

    server = http.server.HTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}", answers
    server.shutdown()
    server.server_close()


def test_a_service_that_is_down_is_named_with_what_to_look_at():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"http://127.0.0.1:{free.getsockname()[1]}"
    client = Client(address, retries=0)
    large = "x" * 2_000_000  # its size is no reason here
    calls = (client.campaigns, lambda: list(client.events("bowl")),
             lambda: client.create("bowl", space=large))
    for call in calls:
        with pytest.raises(Unreachable, match=f" {address}/api/campaigns.*refused") as caught:
            call()
        assert isinstance(caught.value, Problem) and isinstance(caught.value, ConnectionError)
        assert caught.value.status == 0
        assert "`baton serve` running" in str(caught.value) and address in caught.value.hint
        assert caught.value.__suppress_context__  # nothing of urllib in the traceback


def test_a_call_is_made_again_where_that_may_help(answering):
    address, answers = answering
    answers += [(503, b'{"title": "wait"}'), (200, b'{"campaigns": []}')]
    assert Client(address).campaigns() == []


def test_what_is_not_json_is_shown(answering):
    address, answers = answering
    for status in (200, 404):
        answers.append((status, b"<html>Welcome to the router"))
        with pytest.raises(Problem, match=f"status {status} is not JSON: '<html>Welcome") as caught:
            Client(address).campaigns()
        assert f"GET {address}/api/campaigns" in str(caught.value) and "hint: " in str(caught.value)
        assert caught.value.status == status


def test_a_body_that_is_too_large_is_told_by_its_size(answering):
    address, answers = answering
    answers += [(413, b"<html>"), (413, b'{"title": "read the body", "detail": "no"}')]
    for _ in range(2):
        with pytest.raises(Problem, match="the body of 2000013 bytes is too large\nhint: send less"):
            Client(address).create("bowl", space="x" * 2_000_000)


def test_a_service_that_hangs_up_on_a_large_body_is_understood():
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        server.listen()

        def hang_up() -> None:
            server.accept()[0].close()

        threading.Thread(target=hang_up, daemon=True).start()
        client = Client(f"http://127.0.0.1:{server.getsockname()[1]}", retries=0)
        with pytest.raises(Unreachable, match="hint: the body has 30000013 bytes"):
            client.create("bowl", space="x" * 30_000_000)


def test_an_address_without_http_is_refused_at_once():
    with pytest.raises(ValueError, match="'127.0.0.1:8080'; write http://HOST:PORT"):
        Client("127.0.0.1:8080")


TRIAL = b'{"trial": {"task": "monday", "trial": 3, "point": {"x": 0.5}}, "reason": null}'


def test_a_run_outlasts_a_service_that_is_started_again(answering):
    address, answers = answering
    away = [(503, b'{"title": "tell", "detail": "starting"}')] * 3
    answers += [*away, (200, TRIAL), *away, (200, b"{}"), (200, b'{"trial": null, "reason": "done"}')]
    with pytest.warns(UserWarning, match="starting; it is waited for, for 600 s at most"):
        assert Client(address, retries=0).run("bowl", lambda trial: 0.25) == "done"
    assert answers == []


def test_a_value_that_could_not_be_told_is_in_the_exception(answering):
    address, answers = answering
    answers += [(200, TRIAL), (503, b'{"title": "tell", "detail": "away"}'), (200, b"{}")]
    with pytest.raises(Problem, match="away\ntrial 3 of 'monday' has the value 0.25, which was not told"):
        Client(address, retries=0).run("bowl", lambda trial: 0.25, patience=0)
    answers += [(200, TRIAL), (409, b'{"title": "tell", "detail": "over"}'), (200, b"{}")]
    with pytest.raises(Problem, match="trial 3 of 'monday' failed, which was not told: no"):

        def fails(trial):
            raise ValueError("no")

        Client(address).run("bowl", fails, catch=ValueError)


def test_descriptions_and_contexts_go_to_the_service(answering):
    address, answers = answering
    client = Client(address, retries=0)
    answers += [(200, b'{"expected": null}'), (200, b'{"trial": null}'), (200, b'{"recommended": null}')]
    assert client.predict("wing", {"load": 0.5}, over="load", points=3) == {"expected": None}
    assert client.ask("wing", context={"load": 0.5}) == {"trial": None}
    assert client.recommendation("wing", "cruise", {"load": 0.5}) is None
