"""The Python layer costs little beside the ask itself."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "benchmarks"))

import overhead  # noqa: E402
import pytest  # noqa: E402


@pytest.mark.alone
def test_the_layer_costs_less_than_a_twentieth_of_an_ask_at_50_points(built):
    """The quickest of rounds only gets quicker: other work on the machine cannot fail this."""
    alone = overhead.quickest([overhead.library() for _ in range(3)])
    rounds, share = [], 1.0
    while share >= 0.05 and len(rounds) < 60:
        rounds.append(overhead.layer())
        share = overhead.quickest(rounds) / alone
    print(f"{alone:.1f} ms an ask, {100 * share:.1f} % for the layer after {len(rounds)} rounds")
    assert share < 0.05
