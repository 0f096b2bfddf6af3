"""Processes that die at a chosen boundary, and the world that outlives them.

A crash is an exception that nobody catches, after which nothing of the process can write any more. What is left is the
database and the executor, and a new process goes on from there, once the lease of the old one is over.
"""

from __future__ import annotations

from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from itertools import count
from typing import TYPE_CHECKING

from sqlalchemy import func, select

from tests.workflow.bodies import Body
from tests.workflow.plans import PROJECT, document
from tests.workflow.scenes import BINDINGS, STEPS, HandClock, Picture, photograph, put_back
from volition.workflow import FlowDriver, Flows, Store, Team
from volition.workflow.store.events import ORIGIN, event_hash, select_events
from volition.workflow.store.tables import ANSWER, EVENT, NODE

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sqlalchemy import Connection

    from volition.workflow import WorkResult
    from volition.workflow.flow.status import FlowStatus


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
    flow = flows.list()[-1]
    while flow.state != "done":
        if flow.state == "asked":
            assert flow.pack is not None
            choice = {"question_0001": flow.pack.questions[0].options[-1].option_id}
            flow = flows.answer(flow.flow_id, choice, "pat")
        elif flow.state == "judged":
            flow = flows.approve(flow.flow_id, "pat")
        elif flow.state == "held":
            flow = settle(flows, flow, body)
        else:
            driver = FlowDriver(flows, f"driver {id(life)}", open_door=body.door, at_once=1)
            flow = driver.drive(flow.flow_id)


def settle(flows: Flows, flow: FlowStatus, body: Body) -> FlowStatus:
    """A person looks what became of a node of unknown fate, and says so."""
    for node in flow.nodes:
        if node.state == "unknown" and any(request == node.request for request, _ in body.effects):
            flow = flows.settle(flow.flow_id, node.node_id, "done", "pat")
        elif node.state == "unknown":
            flow = flows.settle(flow.flow_id, node.node_id, "failed", "pat")
            flow = flows.resume(flow.flow_id, "pat", node=node.node_id)
    return flow


def check(store: Store, body: Body) -> None:
    """Everything happened once: effects, the answer, the tokens; and the chain of events is whole."""
    with store.read() as connection:
        requests = list(connection.execute(select(NODE.c.request).order_by(NODE.c.place)).scalars())
        assert [request for request, _ in body.effects] == requests
        assert connection.execute(select(func.count()).select_from(ANSWER)).scalar_one() == 1
        head = ORIGIN
        for row, number in zip(select_events(connection, select(EVENT).order_by(EVENT.c.seq)), count(1)):
            head = event_hash(head, row)
            assert (row.seq, row.hash) == (number, head)


@dataclass
class World:
    """What outlives a process: the database, the executor and the time. All of it can be photographed and put back."""

    store: MortalStore
    body: Body = field(default_factory=Body)
    clock: HandClock = field(default_factory=HandClock)

    def photograph(self) -> Moment:
        """The world as it is now; one database serves all runs, because statements are compiled for each opened store."""
        return Moment(photograph(self.store), list(self.body.effects), dict(self.body.known))

    def put_back(self, moment: Moment, *, remembers: bool = True, claims_to: bool | None = None) -> World:
        """The same store with an earlier world in it, and an executor that remembers requests or not."""
        self.store.life = Mortal(None)
        put_back(self.store, moment.picture)
        body = Body(remembers=remembers, claims_to=remembers if claims_to is None else claims_to)
        body.effects, body.known = list(moment.effects), dict(moment.known)
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


@dataclass(frozen=True)
class Moment:
    """The world at one moment: all rows, what was done, and what the executor knows."""

    picture: Picture
    effects: list[tuple[str, str]]
    known: dict[str, WorkResult]


class Photographer(Mortal):
    """A life that is photographed wherever something lasting has happened: after a commit, and after an effect."""

    def __init__(self, world: World) -> None:
        super().__init__(None)
        self.world = world
        self.moments: list[Moment] = []

    def boundary(self, name: str) -> None:
        if name in {"committed", "after the effect"}:
            self.moments.append(self.world.photograph())
        super().boundary(name)


def approved_moment(world: World, empty: Moment) -> Moment:
    """The moment at which a flow has its permit, and nothing was sent."""
    fresh = world.put_back(empty)
    photographer = Photographer(fresh)
    fresh.live(life=photographer)
    return next(moment for moment in photographer.moments if moment.picture["permit"])


def crash_everywhere(world: World, begin: Moment, *, remembers: bool = True) -> int:
    """Let a process die at every boundary of a life that begins at a moment; how many boundaries there were.

    A process that dies leaves what was there after the last commit or effect, so the next one begins at a picture of
    that moment.
    """
    whole = world.put_back(begin, remembers=remembers)
    photographer = Photographer(whole)
    whole.live(life=photographer)
    for moment in photographer.moments:
        world.put_back(moment, remembers=remembers).live()
    return len(photographer.passed)


def crash_twice(world: World, begin: Moment) -> int:
    """Let two processes die, at every pair of boundaries of lives that begin at a moment; how many pairs there were.

    One life is photographed wherever something lasting has happened, the next life begins at each picture and is
    photographed in turn, and a third one ends it.
    """
    first = world.put_back(begin)
    lives = Photographer(first)
    first.live(life=lives)
    pairs = 0
    for moment in lives.moments:
        second = world.put_back(moment)
        again = Photographer(second)
        second.live(life=again)
        for later in again.moments:
            world.put_back(later).live()
            pairs += 1
    return pairs
