"""Many clients at once: nothing lost, nothing doubled, and what was acknowledged outlives a kill."""

import asyncio

from conftest import until
from load import Load
from service import Service


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


def test_a_slow_ask_holds_up_neither_tells_nor_reads(store):
    """While asks of a campaign are under way, its other clients are answered."""
    import threading

    with Service(store, "--log", "none") as service:
        load = Load(service, campaigns=1, clients=1)
        load.prepare()
        api, name = service.client(), load.names[0]
        for i in range(120):
            trial = api.propose(name, "t", {"x": i / 120, "y": (7 * i % 120) / 120})["trial"]
            api.tell(name, "t", trial, (i - 40) ** 2 / 1000)
        waiting = api.propose(name, "t", {"x": 0.5001, "y": 0.5})["trial"]
        asked = threading.Event()
        asking = threading.Thread(target=lambda: (api.ask(name), asked.set()))
        asking.start()
        until(lambda: "baton_requests_in_flight 2" in metrics(service), "the ask under way")
        # Both are answered whether the ask is over by then or not; that they do not wait for it shows in
        # the load's times of tells, which are far below those of asks.
        assert api.tell(name, "t", waiting, 1.0)["state"] == "told"
        assert api.trial(name, "t", waiting)["value"] == 1.0
        asking.join(timeout=120)
        assert asked.is_set()


def metrics(service):
    import urllib.request

    with urllib.request.urlopen(f"{service.url}/metrics") as answer:
        return answer.read().decode()
