"""Of agents that want the same at the same moment, exactly one is granted it."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from tests.agents.mcp.cases import CASES, NAMES, all_rounds, race
from tests.agents.mcp.racing import prepare, volition_agent

if TYPE_CHECKING:
    from pathlib import Path


def test_one_agent_is_granted_what_several_want(tmp_path: Path) -> None:
    """Whether they want one path, a folder and a file in it, or a pattern and a file, and whether they have one name, several,
    or even one session: one is granted, and each of the others is told that it is not.

    benchmarks/agents.py runs the same with 8 and 32 processes, 1,000 rounds each.
    """
    place = str(tmp_path / "team.db")
    prepare(place)
    rounds = all_rounds(len(CASES) * len(NAMES))
    for (case, names), ended in zip(rounds, race(volition_agent, place, 4, rounds), strict=True):
        others = "held" if names == "one session" else "refused"
        assert Counter(ended) == {"granted": 1, others: 3}, (case, names)
