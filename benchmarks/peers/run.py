"""Baton and its peers on the same work, on this machine, in one run: prints one table.

Every contestant is a process of its own, bound to the same cores. They take turns for several
rounds, so that a slow moment of the machine does not fall on one of them alone, and the best round
of each counts. Ratios are times over that of Baton's first row for the same work and thread count.
"""

import argparse
import json
import subprocess
import sys
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

import machine
import threads

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
REFERENCE = ROOT / "reference/numerics.json"
# A load average above this is worth a word: spinning threads of two programs spoil each other.
BUSY = 0.5


@dataclass
class Contestant:
    """Who does which work with how many threads, how it is called, and what was measured."""

    work: str
    who: str
    threads: int
    command: list[str]
    key: str
    rounds: list[float] = field(default_factory=list)
    failure: str | None = None

    @property
    def milliseconds(self) -> float | None:
        return min(self.rounds) if self.rounds else None

    def take_turn(self, limit_seconds: float) -> None:
        """One round; who failed once is not called again."""
        if self.failure is not None:
            return
        try:
            done = subprocess.run(
                self.command,
                capture_output=True,
                text=True,
                timeout=limit_seconds,
                env=threads.environment(self.threads),
                preexec_fn=partial(threads.restrict, self.threads),
            )
            done.check_returncode()
            self.rounds.append(float(json.loads(done.stdout)[self.key]))
        except subprocess.CalledProcessError as error:
            self.failure = reason(error.stderr) or f"exit code {error.returncode}"
        except subprocess.TimeoutExpired:
            self.failure = f"not done after {limit_seconds:.0f} s"
        except (OSError, ValueError, KeyError) as error:
            self.failure = f"{type(error).__name__}: {error}"


def reason(text: str) -> str:
    """The line of a failed program's output that says why: the first error, else the last line."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    reasons = [line for line in lines if line.lower().startswith("error")]
    return (reasons or lines[-1:] or [""])[0]


def svgd(call: argparse.Namespace, count: int) -> list[Contestant]:
    """One SVGD step of the paper's model."""
    sizes = {"particles": call.particles, "points": call.points, "dimension": call.dimension}
    size = [text for key, value in sizes.items() for text in (f"--{key}", str(value))]
    size += ["--threads", str(count)]
    name = f"SVGD step, V = {call.particles}, n = {call.points}, d = {call.dimension}"
    peer = partial(Contestant, name, threads=count, key="ms_per_step")
    jax, torch = (
        [sys.executable, str(HERE / file), *size, "--check", str(REFERENCE)]
        for file in ("svgd_jax.py", "svgd_torch.py")
    )
    contestants = [
        peer("Baton", command=[str(call.baton), "bench", "svgd", "--json", *size]),
        peer("JAX, compiled", command=jax),
        peer("PyTorch, eager", command=torch),
    ]
    if not call.no_compile:
        contestants.append(peer("PyTorch, compiled", command=[*torch, "--compile"]))
    return contestants


def ask(call: argparse.Namespace) -> list[Contestant]:
    """Asks of a task that has 64 points at 4 fidelities, with one thread.

    BoTorch fits in every ask, Baton when enough was told since the last fit: its slowest ask is one
    with a fit. The paper's preset does not fit inside a task at all.
    """
    peer = partial(Contestant, "ask, n = 64, d = 6, 4 fidelities", threads=1)
    size = ["--points", "64", "--asks", str(call.asks), "--threads", "1"]
    sizes = [*size, "--dimension", "6", "--fidelities", "4", "--json"]
    default, paper = (
        [str(call.baton), "bench", "ask", *sizes, "--preset", preset]
        for preset in ("default", "paper")
    )
    botorch = [sys.executable, str(HERE / "ask_botorch.py"), *size, "--function", "hills"]
    return [
        peer("Baton, default, mean", command=default, key="ms_per_ask"),
        peer("Baton, default, slowest (with fit)", command=default, key="ms_slowest"),
        peer("Baton, paper, mean (no fit)", command=paper, key="ms_per_ask"),
        peer("BoTorch, MF-GIBBON, mean (all with fit)", command=botorch, key="ms_per_ask"),
    ]


def ratios(contestants: list[Contestant]) -> list[float | None]:
    """Times over Baton's first for the same work and thread count."""
    first: dict[tuple[str, int], float | None] = {}
    for one in contestants:
        if one.who.startswith("Baton"):
            first.setdefault((one.work, one.threads), one.milliseconds)
    bases = [first.get((one.work, one.threads)) for one in contestants]
    return [
        one.milliseconds / base if one.milliseconds and base else None
        for one, base in zip(contestants, bases)
    ]


def digits(number: float) -> str:
    """Three digits, or all before the point if there are more."""
    return f"{number:.0f}" if number >= 100.0 else f"{number:#.3g}"


def table(contestants: list[Contestant], facts: dict[str, Any]) -> str:
    """All figures, and what they were measured on, as Markdown."""
    lines = ["| work | who | threads | ms | ratio to Baton |", "|---|---|---|---|---|"]
    for one, ratio in zip(contestants, ratios(contestants)):
        time = "not measured" if one.milliseconds is None else digits(one.milliseconds)
        share = "" if ratio is None else f"{ratio:.2f}"
        lines.append(f"| {one.work} | {one.who} | {one.threads} | {time} | {share} |")
    versions = ", ".join(f"{name} {number}" for name, number in facts["versions"].items())
    lines += [
        "",
        f"{facts['cpu']} ({facts['vectors']}), {facts['cores']} cores, "
        f"load average {facts['load_average']} at the start. "
        f"{facts['baton']}, Python {facts['python']}, {versions}.",
    ]
    failed = [one for one in contestants if one.failure is not None]
    lines += [f"\nNot measured: {one.who}, {one.work}: {one.failure}" for one in failed]
    return "\n".join(lines)


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--baton", type=Path, default=ROOT / "target/release/baton")
    parser.add_argument("--threads", default="1,2", help="for SVGD, such as 1,2")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--particles", type=int, default=10)
    parser.add_argument("--points", type=int, default=50)
    parser.add_argument("--dimension", type=int, default=6)
    parser.add_argument("--asks", type=int, default=16, help="timed in a round; their mean counts")
    parser.add_argument("--no-compile", action="store_true", help="without torch.compile")
    parser.add_argument("--limit", type=float, default=900.0, help="seconds a round may take")
    parser.add_argument("--out", type=Path, help="write the figures here, as JSON")
    return parser.parse_args()


def main() -> None:
    call = arguments()
    call.baton = call.baton.resolve()
    if not call.baton.exists():
        raise SystemExit(f"there is no {call.baton}; `make release` builds it")
    said = subprocess.run([str(call.baton), "--version"], capture_output=True, text=True)
    facts = {**machine.facts(), "baton": said.stdout.strip()}
    if facts["load_average"] > BUSY:
        print(f"this machine is busy (load {facts['load_average']})", file=sys.stderr)
    counts = [int(count) for count in call.threads.split(",")]
    contestants = [one for count in counts for one in svgd(call, count)] + ask(call)
    for number in range(call.rounds):
        for one in contestants:
            print(f"round {number + 1}: {one.who}, {one.threads} threads", file=sys.stderr)
            one.take_turn(call.limit)
    print(table(contestants, facts))
    if call.out is not None:
        write(call.out, contestants, facts)


def write(file: Path, contestants: list[Contestant], facts: dict[str, Any]) -> None:
    """The figures with the date, every round included."""
    rows = [
        {
            "work": one.work,
            "who": one.who,
            "threads": one.threads,
            "ms": one.milliseconds,
            "ratio": ratio,
            "rounds": one.rounds,
            "failure": one.failure,
        }
        for one, ratio in zip(contestants, ratios(contestants))
    ]
    date = datetime.now(UTC).date().isoformat()
    file.write_text(json.dumps({"date": date, "machine": facts, "rows": rows}, indent=1) + "\n")


if __name__ == "__main__":
    main()
