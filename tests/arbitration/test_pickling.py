"""Intentions, composites and decisions are copied and sent to other processes."""

from __future__ import annotations

import pickle
from copy import deepcopy
from multiprocessing import get_context
from typing import TYPE_CHECKING, Any

import pytest

from volition.arbitration import Constraint, Heuristic, Scores, arbitrate, constraint, heuristic
from volition.arbitration.composite import CompositeIntention
from volition.arbitration.many import ScoreNoise, arbitrate_many
from volition.arbitration.stages import IntentionFailed

if TYPE_CHECKING:
    from tests.sentences import Told
    from volition.arbitration.decision import Decision

pytestmark = pytest.mark.req("AR-21", "AR-23")


@constraint
def dry(tile: str) -> bool:
    return tile == "lake"


@heuristic(weight=2.0, priority=3, range=(-8, 8))
def nearer(tile: str, context: Any = None) -> float:
    return {"hill": -4.0, "road": 6.0, "lake": 8.0}[tile] + (context or 0.0)


@heuristic(id="calm", batch=True, on_error="raise")
def quiet(tiles: list[str]) -> list[float]:
    return [0.5 if tile == "hill" else -0.5 for tile in tiles]


def by_name(tile: str) -> float:
    return len(tile) / 10


def broken(tile: str) -> float:
    raise ValueError(tile)


class Shelf:
    @staticmethod
    @heuristic
    def inner(tile: str) -> float:
        return 0.25


COMPOSITE = CompositeIntention(
    dry, nearer, quiet, Heuristic("short", by_name), Heuristic("told", Scores({"road": 0.5})), Shelf.inner
)
TILES = ["hill", "road", "lake"]


def decide(composite: CompositeIntention, reply: Any = None) -> Decision[str]:
    decision = arbitrate(TILES, composite, context=1.0)
    if reply is not None:
        reply.send(decision)
    return decision


def told(decision: Decision[str]) -> tuple[Any, ...]:
    return decision.id, decision.trace, decision.reason, decision.sensitivity(), decision.why_not("hill")


@pytest.mark.parametrize("copied", [lambda one: pickle.loads(pickle.dumps(one)), deepcopy], ids=["pickle", "deepcopy"])
def test_a_copy_is_equal_and_decides_the_same(copied: Any) -> None:
    """A composite of functions, decorated or plain, is equal to its copy; a decision's copy gives the same answers."""
    composite, decision = copied(COMPOSITE), decide(COMPOSITE)
    assert composite == COMPOSITE
    assert [entry.id for entry in composite] == [entry.id for entry in COMPOSITE]
    assert told(decide(composite)) == told(copied(decision)) == told(decision)
    assert copied(decision) == decision == decide(composite)
    assert hash(copied(decision)) == hash(decision)
    assert copied(nearer) == nearer
    assert copied(nearer.intent).call is nearer.intent.call  # type: ignore[attr-defined]


def test_a_composite_works_in_a_spawned_process() -> None:
    """A composite goes to a process that shares nothing, and its decision comes back."""
    context = get_context("spawn")
    here, there = context.Pipe(duplex=False)
    worker = context.Process(target=decide, args=(COMPOSITE, there))
    worker.start()
    there.close()
    decision = here.recv()
    worker.join()
    assert told(decision) == told(decide(COMPOSITE))
    assert decision == decide(COMPOSITE)


@pytest.mark.parametrize("kind", [Constraint, Heuristic])
def test_what_pickle_cannot_carry_is_refused_with_a_remedy(kind: Any, told: Told) -> None:
    """A lambda has no name to be found by: the error says so, and what to do; a deep copy needs no name."""
    entry = kind("odd", lambda tile: False)
    with told.raises(pickle.PicklingError):
        pickle.dumps(CompositeIntention(entry))
    assert deepcopy(entry) == entry


def test_ray_carries_lambdas_and_closures() -> None:
    """The pickler that Ray uses writes functions whole, and they decide there as here."""
    cloudpickle = pytest.importorskip("ray.cloudpickle")
    bonus = 0.5
    entries = (Heuristic("odd", lambda tile: bonus if tile == "hill" else 0.0), heuristic(id="x")(lambda tile: -0.25))
    composite = COMPOSITE.with_intention(*entries)
    sent = cloudpickle.dumps((composite, decide(composite)))
    again, decision = pickle.loads(sent)
    assert told(decide(again)) == told(decision) == told(decide(composite))


def test_a_decision_among_many_is_data() -> None:
    """What arbitrate_many explains is made of tables, so that it can be pickled with its noise."""
    many = arbitrate_many([[0.5, -0.2], [0.1, 0.9]], noise=ScoreNoise(0.5, 7), vetoes=[[[True], [False]]])
    decision = many.explain(0)
    assert told_short(pickle.loads(pickle.dumps(decision))) == told_short(decision)


def told_short(decision: Decision[str]) -> tuple[Any, ...]:
    return decision.id, decision.trace, decision.sensitivity()


def test_an_error_travels_too() -> None:
    """What an intention's error says is the same in the process that it is sent to."""
    with pytest.raises(IntentionFailed) as caught:
        arbitrate(TILES, CompositeIntention(Heuristic("broken", broken)))
    assert str(pickle.loads(pickle.dumps(caught.value))) == str(caught.value)
