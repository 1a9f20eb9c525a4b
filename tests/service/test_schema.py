"""The OpenAPI document is valid, and a client that plays with all of it finds no fault."""

import json
import pathlib
import subprocess
import sys
import urllib.request

from openapi_spec_validator import validate
from service import Service
from test_access import WRITE

FOLDER = pathlib.Path(__file__).parent


def description(service):
    with urllib.request.urlopen(f"{service.url}/openapi.json") as answer:
        return json.load(answer)


def test_the_document_is_valid_and_whole(service):
    document = description(service)
    validate(document)
    calls = {f"{method} {path}" for path, methods in document["paths"].items() for method in methods}
    assert len(calls) >= 22
    for path, methods in document["paths"].items():
        for method, call in methods.items():
            assert call["summary"] or call["description"], (method, path)
            if path.startswith("/api"):
                assert "application/problem+json" in call["responses"]["404"]["content"]


def test_a_property_based_client_finds_no_fault(store, tmp_path):
    """Schemathesis: every status, header and body as described, no 5xx, nothing wrong accepted."""
    tokens = tmp_path / "tokens"
    tokens.write_text(f"write {WRITE}\n")
    with Service(store, "--token-file", str(tokens)) as service:
        api = service.client(WRITE)
        # Something to find, so that not every call ends with 404.
        api.create("c", space=[{"name": "x", "low": 0, "high": 1}], goal="maximize", tasks=[{"name": "t", "budget": 1e6}])
        for _ in range(4):
            trial = api.ask("c")["trial"]["trial"]
            api.tell("c", "t", trial, 0.1 * trial)
        api.ask("c")
        run = subprocess.run(
            [pathlib.Path(sys.executable).parent / "schemathesis", "--config-file", FOLDER / "schemathesis.toml", "run",
             f"{service.url}/openapi.json", "--header", f"Authorization: Bearer {WRITE}"],
            capture_output=True, text=True, timeout=600, cwd=tmp_path,
        )
        print(run.stdout[-6000:])
        assert run.returncode == 0, run.stdout[-6000:] + run.stderr[-2000:]
        logged = [json.loads(line) for line in service.logged().splitlines()]
        statuses = [line["status"] for line in logged if "status" in line]
        assert len(statuses) > 500 and max(statuses) < 500, "a 5xx"
        assert service.stop() == 0
