"""Many clients at once: nothing lost, nothing doubled, and what was acknowledged outlives a kill."""

import asyncio
import contextlib
import threading
import time
import urllib.request

import pytest
from conftest import until
from load import SPACE, Load
from service import Service, client


@pytest.mark.alone
def test_two_hundred_clients_over_fifty_campaigns(store):
    """The short form of `make service-load`, which lasts a minute and also holds the time of a tell to its limit."""
    with Service(store, "--log", "none") as service:
        load = Load(service, campaigns=50, clients=200)
        load.prepare()
        asyncio.run(load.run(10))
        assert load.check(service) == []
        summary = load.summary()
        print(summary)
        assert summary["ask"]["count"] > 0 and summary["tell"]["count"] > 200
        assert service.stop() == 0


def test_what_was_acknowledged_outlives_a_kill(store):
    acknowledged = 0
    for round_ in range(3):
        with Service(store, "--log", "none") as service:
            load = Load(service, campaigns=10, clients=60, name=f"killed-{round_}")
            load.prepare()

            async def until_killed():
                running = asyncio.create_task(load.run(3600))
                while sum(map(len, load.told.values())) < 150:
                    await asyncio.sleep(0.01)
                    assert not running.done()
                load.broken = load.over = True
                service.kill()
                running.cancel()
                await asyncio.sleep(0.2)

            asyncio.run(asyncio.wait_for(until_killed(), 120))
        acknowledged += sum(map(len, load.told.values()))
        with Service(store, "--log", "none") as again:
            # Trials may have been asked for without the answer having arrived; none is missing.
            assert load.check(again, everything=False) == []
            for name in load.names:
                numbers = [trial["trial"] for trial in again.client().trials(name, "t")]
                assert numbers == list(range(len(numbers)))
                assert set(load.given[name]) <= set(numbers)
            # And it goes on.
            trial = again.client().ask(load.names[0])["trial"]["trial"]
            again.client().tell(load.names[0], "t", trial, 0.5)
    assert acknowledged >= 450


def test_two_processes_serve_the_same_campaigns_and_one_is_killed(store):
    with Service(store, "--log", "none") as first, Service(store, "--log", "none") as second:
        load = Load([first, second], campaigns=10, clients=60, name="two")
        load.prepare()

        async def run():
            running = asyncio.create_task(load.run(8))
            await asyncio.sleep(4)
            second.kill()
            await running

        asyncio.run(asyncio.wait_for(run(), 120))
        assert load.check(first, everything=False) == []
        assert sum(map(len, load.told.values())) > 100


def test_proposals_are_the_same_from_one_process_or_several(store):
    """An ask computed in advance is taken if nothing has changed, whoever changed it."""
    with Service(store, "--log", "none") as first, Service(store, "--log", "none") as second:
        asked = {"one": [], "several": []}
        for name, services in (("one", [first]), ("several", [first, second])):
            tasks = [{"name": "t", "budget": 30}]
            first.client().create(name, space=SPACE, goal="minimize", tasks=tasks, settings={"seed": 7})
            for i in range(14):
                api = services[i % len(services)].client()
                trial = api.ask(name)["trial"]
                asked[name].append(trial["point"])
                value = (trial["point"]["x"] - 0.3) ** 2 + trial["point"]["y"]
                api.tell(name, "t", trial["trial"], value)
                time.sleep(0.05 * (i % 3))  # sometimes the next one is ready
        assert asked["one"] == asked["several"]


def test_a_slow_ask_holds_up_neither_tells_nor_reads(store):
    """An ask that takes many minutes is under way; other clients of its campaign are answered."""
    with Service(store, "--log", "none") as service:
        api = service.client()
        # With this preset the particles are moved at every ask, not only at the end of a task.
        slow = {"initial": 2, "particles": 200, "svgd_steps": 1_000_000}
        api.create("slow", space=SPACE, goal="maximize", tasks=[{"name": "t", "budget": 9}], method="mft-mes",
                   preset="default", settings=slow)
        first, second = (api.ask("slow")["trial"]["trial"] for _ in range(2))
        api.tell("slow", "t", first, 0.5)
        asking = threading.Thread(target=lambda: ignored(client.Client(service.url, retries=0).ask, "slow"), daemon=True)
        asking.start()
        until(lambda: "baton_requests_in_flight 2" in metrics(service), "the ask under way")
        assert api.tell("slow", "t", second, 1.0)["state"] == "told"
        assert api.trial("slow", "t", second)["value"] == 1.0
        assert api.campaign("slow")["trials"] == 2
        assert api.pause("slow", "t", "enough")["state"] == "paused"
        assert asking.is_alive(), "the ask was meant to take longer than the test"


def ignored(call, *arguments):
    with contextlib.suppress(Exception):
        call(*arguments)


def metrics(service):
    with urllib.request.urlopen(f"{service.url}/metrics") as answer:
        return answer.read().decode()
