"""A fresh service per test, and waiting for what is observed rather than for the clock."""

import time

import pytest

from service import Service


@pytest.fixture
def store(tmp_path):
    return f"sqlite:{tmp_path}/store.db"


@pytest.fixture
def service(store):
    with Service(store) as running:
        yield running
        assert running.stop() == 0, running.logged()


def until(seen, what, seconds=90):
    """Waits until `seen()` is true, and returns it."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        found = seen()
        if found:
            return found
        time.sleep(0.05)
    raise AssertionError(f"not seen within {seconds} s: {what}")
