"""A cold command line on many plans: nobody waits while it reads them."""

from __future__ import annotations

from contextlib import contextmanager
from shutil import copyfile
from typing import TYPE_CHECKING, Any

import pytest

from tests.workflow.cold import fill, register_cold
from tests.workflow.plans import PROJECT, document
from tests.workflow.scenes import BINDINGS, STEPS, flows_of
from volition.governance import ConflictIndex
from volition.workflow import Store, Team, parse_store_address

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from sqlalchemy import Connection

pytestmark = pytest.mark.req("WF-10")

PLANS = 30
"""How many plans there are before."""


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str, int]:
    """A registry with many plans, one of them in an asked-for flow and one in line; the flow, and the token of its plan."""
    file = tmp_path_factory.mktemp("filled") / "team.db"
    fill(str(file), PLANS)
    with Store(parse_store_address(file)) as store:
        flows = flows_of(store)
        flows.team.register(document("mine_mine", "m.py", commands=STEPS), "ann", lease=10**6)
        token = flows.team.show("intent_mine_mine").token
        flow = flows.start(BINDINGS, "pat", plans=["intent_mine_mine"])
        flows.team.register(document("in_line", "x/1.py"), "ann", lease=10**6, wait=True)
    return file, flow.flow_id, token


def test_cold_processes_at_once_all_succeed(place: str) -> None:
    """Several processes that know nothing yet register at the same moment among many plans; all are granted.

    benchmarks/workflow.py runs the same with 15 processes and 10,000 plans.
    """
    fill(place, PLANS)
    assert register_cold(place, 5) == ["granted"] * 5


@pytest.mark.parametrize("verb", ["register", "revise", "renew", "finish", "withdraw", "release", "approve", "abandon"])
def test_plans_are_read_outside_the_write_lock(
    filled: tuple[Path, str, int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, verb: str
) -> None:
    """A process that is just started reads the plans before its transaction: within it, it takes in only what is new since, however
    many there are, and whether or not somebody waits in line."""
    added: list[bool] = []
    writing = False
    add = ConflictIndex.add

    class Watched(Store):
        @contextmanager
        def write(self) -> Iterator[Connection]:
            nonlocal writing
            with super().write() as connection:
                writing = True
                try:
                    yield connection
                finally:
                    writing = False

    def count(self: ConflictIndex, *given: Any) -> Any:
        added.append(writing)
        return add(self, *given)

    file, flow, token = filled
    place = copyfile(file, tmp_path / "team.db")
    monkeypatch.setattr(ConflictIndex, "add", count)
    with Watched(parse_store_address(place)) as store:
        team = Team(store, PROJECT)
        if verb == "register":
            team.register(document("another", "n.py"), "ann")
        elif verb == "revise":
            team.revise(document("mine_mine", "o.py", commands=STEPS), token)
        elif verb == "release":
            team.release("intent_mine_mine", "ann", why="gone")
        elif verb == "approve":
            flows_of(store).approve(flow, "pat")
        elif verb == "abandon":
            flows_of(store).abandon(flow, "pat")
        else:
            getattr(team, verb)("intent_mine_mine", token)
    assert added.count(True) <= 2
    assert added.count(False) >= PLANS
