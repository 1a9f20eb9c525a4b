"""What is in `deploy/`: the files can be read, and their commands serve as they are written there."""

import http.client
import json
import pathlib
import re
import shlex
import shutil
import subprocess

import pytest
import yaml
from service import BATON, ROOT, Service

DEPLOY = ROOT / "deploy"
UNIT = (DEPLOY / "baton.service").read_text()
IMAGE = (DEPLOY / "Containerfile").read_text()
COMPOSE = yaml.safe_load((DEPLOY / "compose.yaml").read_text())


def of_unit():
    words = shlex.split(re.search(r"^ExecStart=(.*)$", UNIT, re.M)[1])
    assert words[0] == "/usr/local/bin/baton"
    return words[1:]


def of_image():
    assert 'ENTRYPOINT ["baton"]' in IMAGE
    return json.loads(re.findall(r"^CMD (.*)$", IMAGE, re.M)[-1])


def of_compose():
    return COMPOSE["services"]["baton"]["command"]


def status(service, path, token=None):
    connection = http.client.HTTPConnection(service.host, service.port, timeout=60)
    connection.request("GET", path, headers={"Authorization": f"Bearer {token}"} if token else {})
    return connection.getresponse().status


@pytest.mark.parametrize("command", [of_unit, of_image, of_compose])
def test_a_command_serves_as_it_is_written(command, tmp_path, monkeypatch):
    made = subprocess.run(
        [BATON, "token", "add", "ada", "--file", tmp_path / "tokens"], check=True, capture_output=True, text=True
    )
    (tmp_path / "store").write_text(f"sqlite:{tmp_path}/compose.db\n")
    verb, *words = [
        word.replace("${CREDENTIALS_DIRECTORY}", str(tmp_path)).replace("/run/secrets", str(tmp_path))
        for word in command()
    ]
    assert verb == "serve"
    # A port of its own, and records in a folder of its own: nothing else differs.
    bind = words.index("--bind")
    assert words[bind + 1].endswith(":8080")
    del words[bind : bind + 2]
    place = words.index("--store") + 1
    words[place] = words[place].replace("sqlite:baton.db", f"sqlite:{tmp_path}/baton.db")
    del words[place - 1]
    store = words.pop(place - 1)
    with Service(store, *words) as service:
        assert status(service, "/readyz") == 200
        assert status(service, "/api/campaigns") == 401
        assert status(service, "/api/campaigns", made.stdout.strip()) == 200
        assert service.stop() == 0


def test_probes_are_those_of_the_service():
    asked = re.search(r"HEALTHCHECK .*\\\n\s+CMD (.*)$", IMAGE, re.M)
    assert json.loads(asked[1])[-1] == "http://127.0.0.1:8080/readyz"
    assert re.search(r"^USER \d+$", IMAGE, re.M), "it does not run as root"


def test_compose_names_what_it_uses():
    services, secrets = COMPOSE["services"], COMPOSE["secrets"]
    for name, service in services.items():
        for secret in service.get("secrets", []):
            assert secret in secrets, (name, secret)
        for other in service.get("depends_on", {}):
            assert services[other]["healthcheck"]
        for volume in service.get("volumes", []):
            assert volume.split(":")[0] in COMPOSE["volumes"]
    build = services["baton"]["build"]
    context = (DEPLOY / build["context"]).resolve()
    assert (context / build["dockerfile"]).is_file()
    # What the image is built from is there, and is let in.
    let_in = (DEPLOY / "Containerfile.dockerignore").read_text().splitlines()
    for line in re.findall(r"^COPY ([^-].*) \S+$", IMAGE, re.M):
        for part in line.split():
            assert (context / part).exists() and f"!{part}" in let_in, part
    members = re.search(r"members = \[(.*)\]", (ROOT / "Cargo.toml").read_text())[1]
    assert members == '"crates/*", "tests/library"', "what is copied is the whole workspace"


def test_the_container_has_the_compiler_that_the_project_asks_for():
    wanted = re.search(r'rust-version = "(.*)"', (ROOT / "Cargo.toml").read_text())[1]
    assert f"FROM rust:{wanted}-alpine AS build" in IMAGE


def test_systemd_understands_the_unit(tmp_path):
    if shutil.which("systemd-analyze") is None:
        pytest.skip("there is no systemd-analyze")
    unit = tmp_path / "baton.service"
    unit.write_text(UNIT.replace("/usr/local/bin/baton", str(pathlib.Path(BATON))))
    said = subprocess.run(["systemd-analyze", "verify", unit], capture_output=True, text=True)
    assert (said.returncode, said.stderr) == (0, "")
