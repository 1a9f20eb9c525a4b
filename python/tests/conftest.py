"""What several tests share: the programs of the workspace, and one local cluster of Ray."""

from __future__ import annotations

import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
#: Shared memory for the objects of the cluster; there are hardly any.
OBJECT_STORE = 80 * 1024 * 1024

# A shell that runs the tests in the background has them ignore Ctrl-C, and with them all programs they start.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """What takes longest comes first: the other workers do the rest meanwhile."""
    items.sort(key=lambda item: item.get_closest_marker("xdist_group") is None)


@pytest.fixture(scope="session")
def built() -> Path:
    """The folder of the programs, built as for all other tests of the workspace."""
    call = ["cargo", "build", "--quiet", "--workspace", "--bins", "--examples"]
    subprocess.run(call, cwd=ROOT, check=True)
    return ROOT / "target/debug"


@pytest.fixture(scope="session")
def cluster() -> Iterator[None]:
    import ray

    here = str(Path(__file__).parent)  # workers must find the functions of these files
    ray.init(runtime_env={"env_vars": {"PYTHONPATH": here}}, num_cpus=2, include_dashboard=False,
             object_store_memory=OBJECT_STORE, logging_level="ERROR", log_to_driver=False,
             configure_logging=False)
    yield
    ray.shutdown()
