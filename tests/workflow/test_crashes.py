"""A crash at every boundary, and at every pair of boundaries: no effect twice, none missing, no answer lost.

A crash is an exception that nobody catches, after which nothing of the process can write any more. What is left is the
database and the executor, and a new process goes on from there, once the lease of the old one is over.
"""

from __future__ import annotations

import sqlite3
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field
from itertools import count
from typing import TYPE_CHECKING, Any

import pytest
from sqlalchemy import func, select

from tests.workflow.bodies import Body
from tests.workflow.plans import PROJECT, document
from tests.workflow.scenes import BINDINGS, STEPS
from tests.workflow.test_team import HandClock
from volition.core.errors import VolitionError
from volition.workflow import FlowDriver, Flows, Store, Team, parse_store_address
from volition.workflow.store.tables import ANSWER, EVENT, NODE
from volition.workflow.store.turn import ORIGIN, event_hash

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sqlalchemy import Connection


class Crash(BaseException):
    """The process dies here."""


class Mortal:
    """Counts boundaries, and dies at one of them. After that, nothing gets through any more."""

    def __init__(self, at: int | None) -> None:
        self.at = at
        self.passed: list[str] = []
        self.dead = False

    def boundary(self, name: str) -> None:
        if self.dead:
            raise Crash
        if len(self.passed) == self.at:
            self.dead = True
            raise Crash(name)
        self.passed.append(name)


class MortalStore(Store):
    """A store whose process may die before a transaction begins, before it is committed, and after."""

    life: Mortal

    @contextmanager
    def write(self) -> Iterator[Connection]:
        if not hasattr(self, "life"):  # while it is opened
            with super().write() as connection:
                yield connection
            return
        self.life.boundary("begin")
        with super().write() as connection:
            yield connection
            self.life.boundary("commit")
        self.life.boundary("committed")


def live(store: MortalStore, body: Body, life: Mortal) -> None:
    """One process: it does whatever comes next until the flow is done, or until it dies."""
    store.life = life
    body.boundary = life.boundary
    flows = Flows(Team(store, PROJECT))
    if not flows.list():
        flows.team.register(document("aaaaaa", "a.py", commands=STEPS[1:]), "ann", lease=10**6)
        flows.team.register(
            document("bbbbbb", "a.py", commands=("strike_it: write: strike it",)), "bob", lease=10**6, wait=True
        )
        flows.start(BINDINGS, "pat")
    while (flow := flows.list()[-1]).state != "done":
        if flow.state == "asked":
            assert flow.pack is not None
            flows.answer(flow.flow_id, {"question_0001": flow.pack.questions[0].options[-1].option_id}, "pat")
        elif flow.state == "judged":
            flows.approve(flow.flow_id, "pat")
        elif flow.state == "held":
            settle(flows, body)
        else:
            FlowDriver(flows, f"driver {id(life)}", open_door=body.door, at_once=1).drive(flow.flow_id)


def settle(flows: Flows, body: Body) -> None:
    """A person looks what became of a node of unknown fate, and says so."""
    flow = flows.list()[-1]
    for node in flow.nodes:
        if node.state == "unknown" and any(request == node.request for request, _ in body.effects):
            flows.settle(flow.flow_id, node.node_id, "done", "pat")
        elif node.state == "unknown":
            flows.resume(flow.flow_id, "pat", node=node.node_id)


def check(store: Store, body: Body) -> None:
    """Everything happened once: effects, the answer, the tokens; and the chain of events is whole."""
    with store.read() as connection:
        requests = list(connection.execute(select(NODE.c.request).order_by(NODE.c.place)).scalars())
        assert [request for request, _ in body.effects] == requests
        assert connection.execute(select(func.count()).select_from(ANSWER)).scalar_one() == 1
        head = ORIGIN
        for row, number in zip(connection.execute(select(EVENT).order_by(EVENT.c.seq)), count(1)):
            head = event_hash(head, row.project, row.seq, row.at, row.actor, row.what, row.subject, row.body)
            assert (row.seq, row.hash) == (number, head)


@dataclass
class World:
    """What outlives a process: the database, the executor and the time. All of it can be photographed and put back."""

    store: MortalStore
    body: Body = field(default_factory=Body)
    clock: HandClock = field(default_factory=HandClock)

    def photograph(self) -> Picture:
        """The world as it is now; one file serves all runs, because statements are compiled for each opened store."""
        held = sqlite3.connect(":memory:")
        with closing(self.store._engine.raw_connection()) as connection:
            connection.driver_connection.backup(held)  # type: ignore[union-attr]
        return held, list(self.body.effects), dict(self.body.known)

    def put_back(self, picture: Picture, body: Body | None = None) -> World:
        """The same store with an earlier world in it."""
        held, effects, known = picture
        with closing(self.store._engine.raw_connection()) as connection:
            held.backup(connection.driver_connection)  # type: ignore[arg-type]
        body = body or Body()
        body.effects, body.known = list(effects), dict(known)
        return World(self.store, body, self.clock)

    def live(self, *crashes: int | None, life: Mortal | None = None) -> list[list[str]]:
        """Live and die at these boundaries, one life after the other, and then to the end; the boundaries of each."""
        lives = []
        for each in [*(Mortal(at) for at in crashes), life or Mortal(None)]:
            with suppress(Crash):
                live(self.store, self.body, each)
            self.clock.now += 60_000
            lives.append(each.passed)
        self.store.life = Mortal(None)
        check(self.store, self.body)
        return lives


Picture = tuple[sqlite3.Connection, list[tuple[str, str]], dict[str, Any]]


class Photographer(Mortal):
    """A life that is photographed wherever something lasting has happened: after a commit, and after an effect."""

    def __init__(self, world: World) -> None:
        super().__init__(None)
        self.world = world
        self.pictures: list[Picture] = []

    def boundary(self, name: str) -> None:
        if name in {"committed", "after the effect"}:
            self.pictures.append(self.world.photograph())
        super().boundary(name)


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    """One world for all tests here, with nothing in it."""
    clock = HandClock()
    with MortalStore(parse_store_address(tmp_path_factory.mktemp("crashes") / "team.db"), clock=clock) as store:
        yield World(store, clock=clock)


@pytest.fixture(scope="module")
def empty(world: World) -> Picture:
    return world.photograph()


@pytest.fixture(scope="module")
def approved(world: World, empty: Picture) -> Picture:
    """The moment at which a flow has its permit, and nothing was sent."""
    fresh = world.put_back(empty)
    photographer = Photographer(fresh)
    fresh.live(life=photographer)
    for picture in photographer.pictures:
        if picture[0].execute("SELECT count(*) FROM permit").fetchone()[0]:
            return picture
    raise AssertionError("nothing was approved")


def crash_everywhere(world: World, begin: Picture, *, remembers: bool = True) -> int:
    """Let a process die at every boundary of a life that begins at a picture; how many there were.

    A process that dies leaves what was there after the last commit or effect, so the next one begins at a picture of
    that moment: at once, and a second time dying before its first commit, which leaves the same but takes another way.
    """
    whole = world.put_back(begin, Body(remembers=remembers, claims_to=remembers))
    photographer = Photographer(whole)
    whole.live(life=photographer)
    for picture in photographer.pictures:
        world.put_back(picture, Body(remembers=remembers, claims_to=remembers)).live()
        world.put_back(picture, Body(remembers=remembers, claims_to=remembers)).live(1)
    return len(photographer.passed)


def test_a_crash_at_every_boundary(world: World, empty: Picture) -> None:
    """Whichever boundary a process dies at, from the first registration to the end, the next one goes on: every effect
    happens once, and the answer is there."""
    assert crash_everywhere(world, empty) > 45


def test_a_crash_with_an_executor_that_does_not_remember(world: World, approved: Picture) -> None:
    """What was under way is unknown; a person looks, says what became of it, and then too every effect happens once."""
    assert crash_everywhere(world, approved, remembers=False) > 25


def test_a_crash_at_every_pair_of_boundaries(world: World, approved: Picture) -> None:
    """The same for two crashes at every pair of boundaries of an approved flow.

    A process that dies leaves what was there after the last commit or effect. So one life is photographed at each of
    these moments, the next life begins at each picture and is photographed in turn, and a third one ends it.
    """
    first = world.put_back(approved)
    lives = Photographer(first)
    first.live(life=lives)
    pairs = 0
    for picture in lives.pictures:
        second = world.put_back(picture)
        again = Photographer(second)
        second.live(life=again)
        for moment in again.pictures:
            world.put_back(moment).live()
            pairs += 1
    assert pairs > 60


def test_an_executor_that_forgets_would_act_twice(world: World, approved: Picture) -> None:
    """The control: an executor that says it remembers and does not acts twice at some boundary, and the check sees it."""
    doubled = 0
    for at, name in enumerate(world.put_back(approved).live()[0]):
        if name == "after the effect":
            try:
                world.put_back(approved, Body(remembers=False)).live(at)
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


def test_a_withdrawn_plan_never_acts_again(world: World, approved: Picture) -> None:
    """Wherever a withdrawal is committed, nothing of the flow is marked as sent after it; and nothing acts that was not."""
    whole = world.put_back(approved).live()[0]
    for at in (number for number, name in enumerate(whole) if name != "commit"):
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
