"""Every block of Python in the documentation of the package runs, page by page, as a reader would."""

from __future__ import annotations

import re
from pathlib import Path

import matplotlib
import pytest

matplotlib.use("Agg")

ROOT = Path(__file__).parents[2]


def blocks(page: Path) -> list[tuple[int, str]]:
    """The blocks of a page with the line at which each begins."""
    text = page.read_text(encoding="utf-8")
    found = re.finditer(r"^```python\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    return [(text[: one.start(1)].count("\n"), one.group(1)) for one in found]


#: Its code needs a service that is running.
ELSEWHERE = ROOT / "docs/service.md"
ALL = [*sorted((ROOT / "docs").rglob("*.md")), ROOT / "python/README.md", ROOT / "README.md"]
PAGES = [page for page in ALL if blocks(page) and page != ELSEWHERE]


def needs_ray(page: Path) -> bool:
    return any("baton.ray" in code for _, code in blocks(page))


def named(pages: list[Path]):
    return pytest.mark.parametrize("page", pages, ids=lambda page: str(page.relative_to(ROOT)))


@named([page for page in PAGES if not needs_ray(page)])
def test_the_code_of_a_page_runs(page, tmp_path, monkeypatch):
    run(page, tmp_path, monkeypatch)


@named([page for page in PAGES if needs_ray(page)])
def test_the_code_of_a_page_with_ray_runs(page, cluster, tmp_path, monkeypatch):
    run(page, tmp_path, monkeypatch)


def run(page: Path, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    names: dict[str, object] = {"__name__": "__main__"}
    for line, code in blocks(page):
        exec(compile("\n" * line + code, str(page), "exec"), names)


def test_there_is_a_tutorial_for_every_audience():
    pages = {page.stem for page in PAGES if page.parent.name == "tutorials"}
    assert pages == {"simulation", "machine-learning", "wireless", "from-botorch"}


#: Pages that `make site` makes, and whose links it checks.
MADE = {f"reference/{page}.md" for page in ("command-line", "http", "python", "rust")}


def test_links_of_the_pages_lead_somewhere():
    for page in ALL:
        for target in re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8")):
            if "://" not in target and target not in MADE:
                assert (page.parent / target).exists(), f"{page} leads to {target}"
