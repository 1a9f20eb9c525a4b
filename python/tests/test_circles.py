"""No module of the package imports one that imports it, on whatever way: for types alone and inside
functions, too."""

import ast
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

SOURCES = Path(__file__).parent.parent / "src" / "baton"


def imported(source, modules):
    """The modules of the package that a source names in its imports."""
    found = set()
    for node in ast.walk(ast.parse(source)):
        names = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            start = "baton" if node.level else None
            path = ".".join(part for part in (start, node.module) if part)
            names = [path, *(f"{path}.{alias.name}" for alias in node.names)]
        found |= {name.removeprefix("baton.") for name in names if name.startswith("baton.")}
    return found & set(modules)


def order(sources):
    """The modules, none before one that it imports."""
    graph = {name: imported(source, sources) for name, source in sources.items()}
    return list(TopologicalSorter(graph).static_order())


def test_no_module_imports_one_that_imports_it():
    files = [*SOURCES.glob("*.py"), *SOURCES.glob("*.pyi")]
    sources = {path.stem: path.read_text(encoding="utf-8") for path in files}
    assert not [path for path in SOURCES.iterdir() if (path / "__init__.py").exists()]
    known = order(sources)
    assert known.index("records") < known.index("task") < known.index("campaign")


@pytest.mark.parametrize("way_back", [
    "from .a import A",
    "from . import a",
    "import baton.a",
    "from baton import a",
    "if TYPE_CHECKING:\n    from .a import A",
    "def later():\n    from baton.a import A",
])
def test_a_circle_is_found(way_back):
    with pytest.raises(CycleError):
        order({"a": "from .b import B", "b": "from .c import C", "c": way_back})
    assert order({"a": "from .b import B", "b": "import c", "c": ""})[-1] == "a"
