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


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log):  # type: ignore[no-untyped-def]
    """What uses Ray goes to one worker, and first: there is one cluster, and it takes longest."""
    from xdist.scheduler import LoadScopeScheduling

    class OneCluster(LoadScopeScheduling):
        def _split_scope(self, nodeid: str) -> str:
            return "ray" if "_ray" in nodeid else nodeid

    return OneCluster(config, log)


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
