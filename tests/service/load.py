"""Load on loopback: many clients tell and read over many campaigns while asks go on.

    target/venv/bin/python tests/service/load.py --seconds 60          # SQLite
    … --store "$BATON_TEST_POSTGRES"                                   # PostgreSQL
    … --store "$BATON_TEST_POSTGRES" --processes 2 --kill              # one of two ends in the middle

Of the clients of a campaign one asks the optimiser, the others propose points of their own; all tell a
value for what they were given and read it back. Every answer is checked, and at the end every trial.
"""

import argparse
import asyncio
import contextlib
import json
import random
import statistics
import sys
import tempfile
import time

from service import Connection, Service

SPACE = [{"name": "x", "low": 0, "high": 1}, {"name": "y", "low": 0, "high": 1}]


class Load:
    """What many clients do to a service, and what they were promised."""

    def __init__(self, services, campaigns, clients, name="load"):
        self.services = services if isinstance(services, list) else [services]
        self.service = self.services[0]
        self.names = [f"{name}-{i}" for i in range(campaigns)]
        self.clients = clients
        self.given = {name: [] for name in self.names}  # trials handed out, by campaign
        self.told = {name: {} for name in self.names}  # values acknowledged, by campaign and trial
        self.errors = []
        self.seconds = {"ask": [], "propose": [], "tell": [], "read": []}
        self.broken = False  # connections broke because the service was killed
        self.over = False

    def prepare(self):
        client = self.service.client()
        for name in self.names:
            client.create(name, space=SPACE, goal="minimize", tasks=[{"name": "t", "budget": 1e9}])
            # The task begins with its first ask.
            trial = client.ask(name)["trial"]
            self.given[name].append(trial["trial"])
            client.tell(name, "t", trial["trial"], 1.0)
            self.told[name][trial["trial"]] = 1.0

    async def run(self, seconds):
        """Runs for so long, then lets every client end what it is at."""
        tasks = [asyncio.create_task(self.work(i)) for i in range(self.clients)]
        await asyncio.sleep(seconds)
        self.over = True
        await asyncio.gather(*tasks)

    async def work(self, i):
        name = self.names[i % len(self.names)]
        asks = i < len(self.names)  # one per campaign
        rng = random.Random(i)
        # Clients of one campaign are spread over all processes.
        place = i // len(self.names) % len(self.services)
        connection = Connection(self.services[place])
        while not self.over:
            try:
                await self.cycle(connection, name, asks, rng)
            except (OSError, asyncio.IncompleteReadError) as error:
                connection.close()
                if len(self.services) > 1 and self.services[place].process.poll() is not None:
                    connection = Connection(self.service)  # its process was killed: the client goes to the first one
                    continue
                if not self.broken:
                    self.errors.append(f"{name}: {error!r}")
                break
        connection.close()

    async def cycle(self, connection, name, asks, rng):
        path = f"/api/campaigns/{name}"
        if asks:
            answer = await self.timed("ask", 200, connection, "POST", f"{path}/ask", {})
            trial = answer and answer["trial"]
        else:
            body = {"point": {"x": rng.random(), "y": rng.random()}}
            trial = await self.timed("propose", 201, connection, "POST", f"{path}/tasks/t/trials", body)
        if not trial:
            return
        number, value = trial["trial"], rng.random()
        self.given[name].append(number)
        told = await self.timed("tell", 200, connection, "POST", f"{path}/tasks/t/trials/{number}/tell", {"value": value})
        if told:
            self.told[name][number] = value
        read = await self.timed("read", 200, connection, "GET", f"{path}/tasks/t/trials/{number}")
        if read and told and read["value"] != value:
            self.errors.append(f"{name}: trial {number} reads {read['value']}, told {value}")

    async def timed(self, kind, expected, connection, method, path, body=None):
        began = time.perf_counter()
        status, answer = await connection.call(method, path, body)
        self.seconds[kind].append(time.perf_counter() - began)
        if status != expected:
            self.errors.append(f"{method} {path}: {status} {answer}")
            return None
        return answer

    def check(self, service, everything=True):
        """Compares what was acknowledged with what is there; returns what is wrong."""
        wrong = list(self.errors)
        client = service.client()
        for name in self.names:
            trials = client.trials(name, "t")
            there = {trial["trial"]: trial["value"] for trial in trials}
            for number, value in self.told[name].items():
                if there.get(number) != value:
                    wrong.append(f"{name}: trial {number} is {there.get(number)}, acknowledged {value}")
            if len(set(self.given[name])) != len(self.given[name]):
                wrong.append(f"{name}: a trial was handed out twice")
            if everything and set(self.given[name]) != set(there):
                wrong.append(f"{name}: {len(there)} trials, {len(self.given[name])} handed out")
            orders = sorted(trial["order"] for trial in trials if trial["order"] is not None)
            if orders != list(range(len(orders))):
                wrong.append(f"{name}: tells are not numbered without gaps")
        return wrong

    def summary(self):
        def of(seconds):
            if len(seconds) < 2:
                return {"count": len(seconds)}
            cuts = statistics.quantiles(seconds, n=1000)
            milliseconds = {"p50": cuts[499], "p95": cuts[949], "p99": cuts[989], "worst": max(seconds)}
            return {"count": len(seconds)} | {k: round(1e3 * v, 1) for k, v in milliseconds.items()}

        return {kind: of(seconds) for kind, seconds in self.seconds.items()}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--clients", type=int, default=200)
    parser.add_argument("--campaigns", type=int, default=50)
    parser.add_argument("--store")
    parser.add_argument("--processes", type=int, default=1)
    parser.add_argument("--kill", action="store_true", help="kill the last process in the middle")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        store = arguments.store or f"sqlite:{folder}/load.db"
        with contextlib.ExitStack() as stack:
            services = [stack.enter_context(Service(store, "--log", "none")) for _ in range(arguments.processes)]
            load = Load(services, arguments.campaigns, arguments.clients, f"load-{time.time_ns()}")
            load.prepare()

            async def run():
                running = asyncio.create_task(load.run(arguments.seconds))
                if arguments.kill:
                    await asyncio.sleep(arguments.seconds / 2)
                    services[-1].kill()
                await running

            asyncio.run(run())
            # What a killed process gave without having said so is nobody's.
            wrong = load.check(services[0], everything=not arguments.kill)
            summary = load.summary() | {"errors": len(wrong), "store": store.split(":")[0], "processes": arguments.processes}
            print(json.dumps(summary, indent=1))
    for line in wrong[:20]:
        print(line, file=sys.stderr)
    slow = summary["tell"]["p99"] >= 250
    if slow:
        print(f"the p99 of a tell is {summary['tell']['p99']} ms, over 250", file=sys.stderr)
    sys.exit(1 if wrong or slow else 0)


if __name__ == "__main__":
    main()
