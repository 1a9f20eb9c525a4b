"""The curl examples of docs/service.md work, in their order."""

import json
import re
import subprocess

from service import ROOT

ADDRESS = "$BATON/"


def examples():
    text = (ROOT / "docs/service.md").read_text()
    blocks = re.findall(r"```sh\n(.*?)```", text, re.DOTALL)
    calls = "".join(block for block in blocks if ADDRESS in block)
    # A line that does not begin with curl continues the one before.
    return re.split(r"\n(?=curl )", calls.strip())


def test_every_curl_example_is_answered(service):
    calls = examples()
    assert len(calls) >= 15
    for call in calls:
        script = call.replace("curl -sS", "curl -sS --fail-with-body")
        ran = subprocess.run(["bash", "-c", script], env={"BATON": service.url, "PATH": "/usr/bin:/bin"}, capture_output=True, text=True, timeout=120)
        assert ran.returncode == 0, f"{call}\n{ran.stdout}{ran.stderr}"
        json.loads(ran.stdout or "null")  # some have no body (204)
    monday = service.client().task("bowl", "monday")
    assert (monday["state"], monday["budget"], monday["told"]) == ("finished", 30, 1)


def test_the_readme_and_the_guide_name_files_that_are_there():
    for page in ("README.md", "docs/service.md"):
        folder = (ROOT / page).parent
        text = (ROOT / page).read_text()
        for target in re.findall(r"!\[[^\]]*\]\(([^)]+)\)|(?:src|srcset)=\"([^\"]+)\"", text):
            target = "".join(target)
            assert (folder / target).is_file(), f"{page} shows {target}"
