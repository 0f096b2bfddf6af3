"""A crash at every boundary, and at every pair of boundaries: no effect twice, none missing, no answer lost."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.workflow.crashing import Mortal, MortalStore, World, approved_moment, crash_everywhere, crash_twice
from tests.workflow.plans import PROJECT
from tests.workflow.scenes import HandClock
from volition.core.errors import VolitionError
from volition.workflow import FlowDriver, Flows, Team, parse_store_address

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.workflow.clusters import Cluster
    from tests.workflow.crashing import Moment

pytestmark = pytest.mark.req("WF-05")
in_a_file = pytest.mark.parametrize("world", ["sqlite"], indirect=True)
"""For laws that do not depend on the database; benchmarks/workflow.py crashes at every pair on both."""


@pytest.fixture(scope="module", params=["sqlite", "postgresql"])
def world(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    """One world for all tests here, with nothing in it."""
    clock = HandClock()
    if request.param == "sqlite":
        opened = MortalStore(parse_store_address(tmp_path_factory.mktemp("crashes") / "team.db"), clock=clock)
    else:
        cluster: Cluster = request.getfixturevalue("cluster")
        opened = MortalStore(parse_store_address(cluster.emptied_database()), clock=clock)
    with opened as store:
        yield World(store, clock=clock)


@pytest.fixture(scope="module")
def empty(world: World) -> Moment:
    return world.photograph()


@pytest.fixture(scope="module")
def approved(world: World, empty: Moment) -> Moment:
    return approved_moment(world, empty)


def test_a_crash_at_every_boundary(world: World, empty: Moment) -> None:
    """Whichever boundary a process dies at, from the first registration to the end, the next one goes on: every effect
    happens once, and the answer is there."""
    assert crash_everywhere(world, empty) > 30


def test_a_crash_before_a_commit_leaves_nothing(world: World, approved: Moment) -> None:
    """A process that dies inside a transaction leaves the database as it was, so that only commits and effects count."""
    here = world.put_back(approved)
    before = here.photograph()
    here.live(1)
    again = world.put_back(approved)
    life = Mortal(1)
    again.store.life = life
    flows = Flows(Team(again.store, PROJECT))
    with pytest.raises(BaseException, match="commit"):
        flows.abandon(flows.list()[-1].flow_id, "pat")
    again.store.life = Mortal(None)
    assert again.photograph() == before


@in_a_file
def test_a_crash_with_an_executor_that_does_not_remember(world: World, approved: Moment) -> None:
    """What was under way is unknown; a person looks, says what became of it, and then too every effect happens once."""
    assert crash_everywhere(world, approved, remembers=False) > 14


@in_a_file
def test_a_crash_at_every_pair_of_boundaries(world: World, approved: Moment) -> None:
    """The same for two crashes at every pair of boundaries of an approved flow."""
    assert crash_twice(world, approved) > 25


@in_a_file
def test_an_executor_that_forgets_would_act_twice(world: World, approved: Moment) -> None:
    """The control: an executor that says it remembers and does not acts twice at some boundary, and the check sees it."""
    doubled = 0
    for at, name in enumerate(world.put_back(approved).live()[0]):
        if name == "after the effect":
            try:
                world.put_back(approved, remembers=False, claims_to=True).live(at)
            except AssertionError:
                doubled += 1
    assert doubled == 2


class Meddler(Mortal):
    """A life in which somebody else withdraws a plan at one boundary."""

    def __init__(self, at: int, team: Team) -> None:
        super().__init__(None)
        self.withdraws_at = at
        self.team = team
        self.token = team.show("intent_aaaaaa").token

    def boundary(self, name: str) -> None:
        super().boundary(name)
        if len(self.passed) == self.withdraws_at + 1:
            self.withdraws_at = -2
            self.team.withdraw("intent_aaaaaa", self.token)


@pytest.mark.req("WF-03")
@in_a_file
def test_a_withdrawn_plan_never_acts_again(world: World, approved: Moment) -> None:
    """Wherever a withdrawal is committed, nothing of the flow is marked as sent after it; and nothing acts that was not."""
    whole = world.put_back(approved).live()[0]
    for at in (number for number, name in enumerate(whole) if name in {"committed", "after the effect"}):
        here = world.put_back(approved)
        other = Team(here.store, PROJECT)
        life = Meddler(at, other)
        here.store.life, here.body.boundary = life, life.boundary
        flows = Flows(Team(here.store, PROJECT))
        try:
            FlowDriver(flows, "driver", open_door=here.body.door, at_once=1).drive(flows.list()[-1].flow_id)
        except VolitionError as error:
            assert "void" in str(error) or "withdrawn" in str(error)  # noqa: PT017
        events = flows.team.history()
        gone = next(event.seq for event in events if event.what == "withdrawn")
        sent = {event.body["request"]: event.seq for event in events if event.what == "node sent"}
        assert all(request in sent for request, _ in here.body.effects)
        assert all(seq < gone for seq in sent.values())
