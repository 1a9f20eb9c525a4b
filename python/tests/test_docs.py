"""Every block of Python in the documentation of the package runs, page by page, as a reader would."""

from __future__ import annotations

import re
from pathlib import Path

import matplotlib
import pytest

matplotlib.use("Agg")

ROOT = Path(__file__).parents[2]
PAGES = [
    ROOT / "docs/python.md",
    *sorted((ROOT / "docs/tutorials").glob("*.md")),
    ROOT / "python/README.md",
    ROOT / "README.md",
]


def blocks(page: Path) -> list[tuple[int, str]]:
    """The blocks of a page with the line at which each begins."""
    text = page.read_text(encoding="utf-8")
    found = re.finditer(r"^```python\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    return [(text[: one.start(1)].count("\n"), one.group(1)) for one in found]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_the_code_of_a_page_runs(page, cluster, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    found = blocks(page)
    assert found, f"{page} has no Python in it"
    names: dict[str, object] = {"__name__": "__main__"}
    for line, code in found:
        exec(compile("\n" * line + code, str(page), "exec"), names)


def test_there_is_a_tutorial_for_every_audience():
    pages = {page.stem for page in (ROOT / "docs/tutorials").glob("*.md")}
    assert pages == {"simulation", "machine-learning", "wireless", "from-botorch"}


def test_links_of_the_pages_lead_somewhere():
    for page in PAGES[:-1]:
        for target in re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8")):
            if "://" not in target:
                assert (page.parent / target).exists(), f"{page} leads to {target}"
