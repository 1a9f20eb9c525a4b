"""A fresh service per test, a browser, and waiting for what is observed rather than for the clock."""

import time

import pytest
from playwright.sync_api import expect, sync_playwright

from service import Service

CHROMIUM = "/usr/bin/chromium"
FLAGS = (
    "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking "
    "--disable-component-update --disable-sync"
).split()

# A page that waits for a busy machine is not at fault.
expect.set_options(timeout=90_000)

# Tests of one campaign go to one worker, so that it is made once.
SHARED = ("what_descriptors_tell", "what_has_to_keep_bounds_is_seen", "the_report")


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log):
    from xdist.scheduler import LoadScopeScheduling

    class OneCampaign(LoadScopeScheduling):
        def _split_scope(self, nodeid):
            return next((name for name in SHARED if name in nodeid), nodeid)

    return OneCampaign(config, log)


@pytest.fixture
def store(tmp_path):
    return f"sqlite:{tmp_path}/store.db"


@pytest.fixture
def service(store):
    with Service(store) as running:
        yield running
        assert running.stop() == 0, running.logged()


@pytest.fixture(scope="module")
def browser():
    with sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield running
        running.close()


@pytest.fixture
def page(browser):
    complaints = []
    opened = browser.new_page(viewport={"width": 1280, "height": 900}, color_scheme="light")
    opened.set_default_timeout(90_000)
    opened.on("pageerror", lambda error: complaints.append(str(error)))
    opened.on("console", lambda message: complaints.append(message.text) if message.type == "error" else None)
    # Nothing is fetched from elsewhere.
    opened.on("request", lambda request: complaints.append(request.url) if "127.0.0.1" not in request.url else None)
    opened.complaints = complaints
    yield opened
    opened.close()


def until(seen, what, seconds=90):
    """Waits until `seen()` is true, and returns it."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        found = seen()
        if found:
            return found
        time.sleep(0.05)
    raise AssertionError(f"not seen within {seconds} s: {what}")
