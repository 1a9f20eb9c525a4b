"""One local cluster of Ray for all tests that need one."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

#: Shared memory for the objects of the cluster; there are hardly any.
OBJECT_STORE = 80 * 1024 * 1024


@pytest.fixture(scope="session")
def cluster() -> Iterator[None]:
    import ray

    here = str(Path(__file__).parent)  # workers must find the functions of these files
    ray.init(runtime_env={"env_vars": {"PYTHONPATH": here}}, num_cpus=2, include_dashboard=False,
             object_store_memory=OBJECT_STORE, logging_level="ERROR", log_to_driver=False,
             configure_logging=False)
    yield
    ray.shutdown()
