"""What time ends is ended in the first transaction after it, however rarely anybody looks for it."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any

import hypothesis.strategies as st
import pytest
from hypothesis import example, given, settings
from sqlalchemy import event

from tests.workflow.bodies import Body
from tests.workflow.plans import PROJECT, document
from tests.workflow.scenes import BINDINGS, HandClock, approved, clear
from volition.core.errors import VolitionError
from volition.workflow import FlowDriver, Flows, Store, Team, parse_store_address
from volition.workflow.team.sweeping import AHEAD, Sweeper

if TYPE_CHECKING:
    from collections.abc import Iterator

    from volition.workflow.law.transaction import ProjectTransaction

STEPS = tuple(f"jump_{number}: write: jump" for number in range(6))
SECONDS = (0.001, 1.0, 2.0, 4.999, 5.0, 60.0)
deeds = st.one_of(
    st.tuples(st.just("wait"), st.sampled_from(SECONDS)),
    st.tuples(st.just("register"), st.integers(0, 2), st.sampled_from(SECONDS)),
    st.tuples(st.just("start"), st.sampled_from(SECONDS)),
    st.tuples(st.just("drive"), st.integers(1, 3)),
    st.tuples(st.just("look")),
)
FIRST, LOOK = ("register", 0, 60.0), ("look",)


class WatchfulSweeper(Sweeper):
    """Looks at every transaction: the oracle."""

    def sweep(self, transaction: ProjectTransaction) -> bool:
        self.forget()
        return super().sweep(transaction)


@pytest.fixture(scope="module")
def opened(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    """One store for all scripts: its statements are compiled once."""
    with Store(parse_store_address(tmp_path_factory.mktemp("sweeping") / "team.db"), clock=HandClock()) as store:
        yield store


def play(store: Store, script: list[tuple[Any, ...]], *, watchful: bool) -> list[tuple[Any, ...]]:
    """Everything that happened in an empty registry, by one process, or by two that take turns."""
    clear(store)
    clock = store.clock
    assert isinstance(clock, HandClock)
    clock.now = HandClock().now
    sides = [Flows(Team(store, PROJECT)) for _ in range(2)]
    for flows in sides if watchful else ():
        flows.team._sweeper = WatchfulSweeper(flows.team._live)
    body, begun = Body(), list[tuple[Any, Any]]()
    for number, (what, *about) in enumerate(script):
        flows = sides[number % 5 == 0]
        with suppress(VolitionError):
            if what == "wait":
                clock.now += round(about[0] * 1000)
            elif what == "register":
                flows.team.register(
                    document(f"walker_{about[0]}", f"{about[0]}.py", commands=STEPS), "ann", lease=about[1]
                )
            elif what == "start":
                flow = flows.approve(flows.start(BINDINGS, "pat").flow_id, "pat", patience=about[0])
                driver = FlowDriver(sides[0], "driver", open_door=body.door, lease=1000)
                begun.append((driver, driver.claim(flow.flow_id)))
            elif what == "drive" and begun:
                driver, claim = begun[-1]
                known: list[Any] = []
                for _ in range(about[0]):
                    known = [(sent.node, sent.door.act(sent.order)) for sent in driver.step(claim, known)]
                driver.step(claim, known, 0)
            else:
                flows.team.check(document("onlooker", "x.py"))
    return [(each.at, each.actor, each.what, each.subject, each.hash) for each in sides[0].team.history()]


@pytest.mark.req("WF-02", "WF-10")
@given(st.lists(deeds, min_size=4, max_size=14))
@example([FIRST, LOOK, ("register", 1, 1.0), ("wait", 1.0), LOOK])
@example([FIRST, LOOK, LOOK, LOOK, LOOK, ("register", 1, 1.0), ("wait", 1.0), LOOK])
@example([FIRST, LOOK, ("register", 1, 2.0), ("start", 1.0), ("drive", 1), ("wait", 2.0), ("drive", 1), LOOK])
@example([FIRST, ("start", 60.0), ("wait", 60.0), ("wait", 60.0), ("drive", 3), ("drive", 3), LOOK, LOOK])
@settings(max_examples=12, deadline=None)
def test_looking_rarely_misses_nothing(opened: Store, script: list[tuple[Any, ...]]) -> None:
    """Whatever is registered, approved and driven, and however time passes: the events are byte for byte those of a registry that
    looks in every transaction."""
    assert play(opened, script, watchful=False) == play(opened, script, watchful=True)


@pytest.mark.req("WF-10")
def test_a_permit_that_ends_between_two_steps_stops_the_next_one(place: str) -> None:
    """A driver that is alone and has just looked still meets the end of its permit in the very millisecond."""
    clock, body = HandClock(), Body()
    with Store(parse_store_address(place), clock=clock) as store:
        flows = Flows(Team(store, PROJECT))
        flows.team.register(document("walker", "a.py", commands=STEPS), "ann", lease=1000)
        flow = flows.approve(flows.start(BINDINGS, "pat").flow_id, "pat", patience=AHEAD / 1000 - 1)
        driver = FlowDriver(flows, "driver", open_door=body.door, lease=1000)
        claim = driver.claim(flow.flow_id)
        (sent,) = driver.step(claim)
        clock.now += AHEAD - 1001
        (sent,) = driver.step(claim, [(sent.node, sent.door.act(sent.order))])
        clock.now += 1
        assert driver.step(claim, [(sent.node, sent.door.act(sent.order))]) == []
        assert flows.status(flow.flow_id).state == "void"
        assert len(body.effects) == 2
        assert flows.team.history()[-1].actor == "driver"  # the answer to what was sent, after the end


def test_a_step_takes_few_statements(place: str) -> None:
    """Each statement is a way to the server and back: a step of a chain takes the lock, one look, one statement for its events,
    and one for all rows that it changes; a file has no way, and takes one for each row."""
    statements, clock = list[str](), HandClock()
    with Store(parse_store_address(place), clock=clock) as store:
        flows = Flows(Team(store, PROJECT))
        flow = approved(flows, document("walker", "a.py", commands=STEPS))
        driver = FlowDriver(flows, "driver", open_door=Body().door)
        claim = driver.claim(flow.flow_id)
        sent = driver.step(claim)
        sent = driver.step(claim, [(each.node, each.door.act(each.order)) for each in sent])
        event.listen(store._engine, "before_cursor_execute", lambda *about: statements.append(about[2].split()[0]))
        clock.now += 1  # within one millisecond the lease would not change
        driver.step(claim, [(each.node, each.door.act(each.order)) for each in sent])
    kinds = [each for each in statements if each != "BEGIN"]
    changes = ["WITH"] if place.startswith("postgresql") else ["UPDATE"] * 4
    assert kinds == ["SELECT", "SELECT", "INSERT", *changes]
