"""The mind keeps the rover out of a zone that only it knows, and says so before anything moves."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING, Any

import pytest

from bodies.mujoco.rover import RADIUS
from bodies.mujoco.rover_mind import GOAL, ZONE, Mind, drive
from tests.bodies.mujoco.rovers import WatchedRover
from tests.execution.client.bridges import PATIENT
from tests.execution.conformance.starving import Starved
from volition.arbitration import check_intention
from volition.core.clock import ManualClock
from volition.execution import Bridge, connect
from volition.execution.executor.host import Host

if TYPE_CHECKING:
    from tests.sentences import Told
    from volition.arbitration import Decision
    from volition.execution import Outcome

STARTS = 200
BATCHES = 2
ASKED = ("next_state", "reset")
"""Features of a connection whose states come when the drive asks for them, and not with every tick."""


def silent(_: Any) -> None:
    """Nobody listens."""


def slow_bridge(host: Host, clock: ManualClock, late: float) -> Bridge:
    """A bridge whose every write arrives late, on a manual clock."""
    return Bridge(lambda _: Starved(host.connect(clock), clock, late), clock=clock, timing=PATIENT, keep=False)


@pytest.mark.req("EX-12")
@pytest.mark.parametrize("batch", range(BATCHES))
def test_no_part_is_ever_in_the_zone(batch: int) -> None:
    """From 200 random starts to random goals the rover arrives, and in no tick is any part of it in the zone."""
    rover, chance = WatchedRover(), Random(batch)
    arrived = 0
    with connect(executor=rover, features=ASKED) as body:
        for seed in range(batch, STARTS, BATCHES):
            body.reset(seed)
            mind = Mind(goal=(chance.uniform(1.2, 2.1), chance.uniform(-1.5, 1.5)))
            drive(body, mind, silent)
            arrived += mind.is_there(body.refresh().data)
    assert rover.inside == []
    assert arrived == STARTS // BATCHES


@pytest.mark.req("EX-12")
@pytest.mark.parametrize("late", [0.1, 0.3])
def test_a_slow_line_leads_nowhere_else(late: float) -> None:
    """However late every frame of the bridge is, the rover arrives, and no part of it is ever in the zone."""
    for seed in range(2):
        rover, clock, mind = WatchedRover(seed=seed), ManualClock(), Mind()
        host = Host(rover)
        with slow_bridge(host, clock, late) as body:
            drive(body, mind, silent)
            assert mind.is_there(body.refresh(6.0).data)
        assert rover.inside == []


@pytest.mark.req("EX-12")
def test_without_the_constraint_it_enters() -> None:
    """The same mind without the constraint drives through the zone: nothing else keeps it out."""
    entered = 0
    for seed in range(5):
        rover = WatchedRover(seed=seed)
        with connect(executor=rover) as body:
            mind = Mind(zone=None)
            drive(body, mind, silent)
            assert mind.is_there(body.refresh().data)
        entered += bool(rover.inside)
    assert entered == 5


@pytest.mark.req("EX-12")
def test_the_veto_is_named_before_motion(monkeypatch: pytest.MonkeyPatch, told: Told) -> None:
    """When a way into the zone is vetoed, the decision names the constraint and why, before any MOVE is sent; and no MOVE
    that is sent was vetoed."""
    sent: list[Any] = []
    execute = Bridge.execute

    def record(bridge: Bridge, intent: Any, **more: Any) -> Outcome:
        sent.append(intent)
        return execute(bridge, intent, **more)

    monkeypatch.setattr(Bridge, "execute", record)
    rover, mind = WatchedRover(seed=3), Mind()
    answers: list[tuple[int, str]] = []

    def tell(decision: Decision[Any]) -> None:
        if "move:0" in decision.tally.vetoed:
            answers.append((len(sent), decision.why_not("move:0").text))

    with connect(executor=rover) as body:
        drive(body, mind, tell)
    assert answers
    at, words = answers[0]
    told(words)
    vector = sent[at].vector
    assert vector[:2] != pytest.approx((0.6, 0.0))


def test_from_within_the_margin_only_ways_out_are_left() -> None:
    """A rover that has come closer than the margin, by its own inexactness, may leave, and may not come closer."""
    mind = Mind()
    near = {"x": ZONE.west - RADIUS - 0.07, "y": 0.0}
    left = mind.decide(near).tally.survivors
    assert "move:180" in left
    assert "move:90" not in left
    assert "move:0" not in left


def test_a_mind_that_is_walled_in_holds() -> None:
    """Where every way is vetoed nothing is sent, and the drive ends."""
    rover = WatchedRover(seed=3)
    with connect(executor=rover) as body:
        everywhere = Mind(zone=ZONE._replace(west=-9.0, east=9.0, south=-9.0, north=9.0))
        assert drive(body, everywhere, silent) == []
    assert len({*rover.seen}) <= 1 or max(abs(x - rover.seen[0][0]) for x, _ in rover.seen) < 0.01


@pytest.mark.parametrize("name", ["forbidden", "wall", "nearer", "fresh"])
def test_the_intentions_keep_the_laws(name: str) -> None:
    """Each of the mind's intentions is pure, deterministic and in range."""
    mind = Mind()
    mind.lately.append((-1.0, 0.0))
    (intention,) = [each for each in mind.composite if each.id == name]
    candidates = mind.decide({"x": -0.9, "y": 0.1}).tally.candidates
    assert check_intention(intention, candidates).ok


def test_a_state_decides_whether_it_is_there() -> None:
    """The goal is reached where a state shows it, and not where a result claims it."""
    assert Mind().is_there({"x": GOAL[0] + 0.05, "y": GOAL[1]})
    assert not Mind().is_there({"x": GOAL[0] + 0.2, "y": GOAL[1]})
