"""Good executors conform, however they are made: over memory and sockets, with few intents and many, with a probe and without."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

import pytest

from tests.execution.conformance.laws.defects_world import MoveWithoutMovement
from tests.execution.conformance.subject import (
    TOKEN,
    AtTicks,
    Braking,
    Frame,
    Modest,
    Pushy,
    Queued,
    Queueing,
    ShortSighted,
    Slow,
    Sparse,
    Subject,
    Timeless,
    Unread,
    Wire,
)
from volition.core.clock import ManualClock
from volition.execution import (
    RequestMemory,
)
from volition.execution.conformance import check
from volition.execution.conformance.laws import select_checks
from volition.execution.executor.host import Host
from volition.execution.executor.server import ExecutorServer
from volition.execution.transports.endpoint import dial
from volition.execution.worlds.arena import Arena, shipped_map
from volition.execution.worlds.arena.executor import ArenaExecutor
from volition.execution.worlds.arena.probe import ArenaProbe

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.req("EX-18")
@pytest.mark.parametrize(("map_", "seed"), [("courtyard", 1), ("foundry", 0)])
def test_the_embedded_arena_conforms(map_: str, seed: int, tmp_path: Path) -> None:
    """The embedded executor keeps every law, and hardly one cannot be tried."""
    clock = ManualClock()
    with RequestMemory(tmp_path / "requests") as memory:
        host = Host(ArenaExecutor(Arena(shipped_map(map_), seed=seed)), token=TOKEN, requests=memory)
        report = check(lambda: host.connect(clock), token=TOKEN, seed=seed, clock=clock, known_probes=(ArenaProbe(),))
    assert report.broken == ()
    assert report.holds
    assert report.count("not applicable") <= 20  # what it does not offer: memory, restarts, intents of its own


@pytest.mark.req("EX-18")
@pytest.mark.parametrize(
    "kind",
    [
        Modest,
        Sparse,
        AtTicks,
        Pushy,
        Braking,
        Queued,
        Queueing,
        Timeless,
        Slow,
        ShortSighted,
    ],
)
def test_other_good_executors_conform(kind: type[Subject]) -> None:
    """Whatever the protocol allows breaks no law: fewer intents, small and large windows, work done only at ticks, pushes
    during the opening, a slow STOP, a queue, MOVEs that wait for one another, slow ticks or none, vectors of any length."""
    report = kind().tested(limit=400.0)
    assert report.broken == ()
    assert report.holds


OVER_A_SOCKET = (
    "opening", "framing", "intents", "ids", "deadlines", "window", "cancel", "stop", "dead_man", "goodbye", "observe",
    "robustness", "conduct", *(check.name for check in select_checks(["handshake"]) if check.name != "handshake.silent_caller"),
)  # fmt: skip


@pytest.mark.req("EX-18")
def test_the_arena_conforms_over_tcp() -> None:
    """The arena conforms over a real socket, in real time; its world goes fast, so that this does not last.

    What is true in the world does not depend on the socket: those laws are tried in memory, and over a socket in Java.
    """
    executor = ArenaExecutor(Arena(shipped_map("courtyard")), hz=100)
    with ExecutorServer.listen("tcp://127.0.0.1:0", executor, token=TOKEN).running() as address:
        report = check(lambda: dial(address), token=TOKEN, only=OVER_A_SOCKET, known_probes=(ArenaProbe(),))
    assert report.broken == (), str(report)


@pytest.mark.req("EX-18")
def test_an_executor_answers_for_itself() -> None:
    """With the feature probe the kit judges truth without knowing the schema, and catches what its own probe does."""
    report = Unread().tested()
    assert report.broken == ()
    untried = [row.check for row in report.rows if row.verdict == "not applicable"]
    assert (
        len([name for name in untried if name.partition(".")[0] not in {"requests", "restart", "declared", "places"}])
        <= 6
    )
    lies = ("truth.move", "truth.obstructed")
    assert UnreadBoaster().tested(*lies).broken == lies


@pytest.mark.req("EX-18")
def test_without_a_probe_the_kit_says_how_to_offer_one() -> None:
    """Where nothing tells what the states mean, the laws of truth are not applicable, and say what would help."""
    report = Unprobed().tested("truth", "handshake")
    assert report.broken == ()
    rows = [row for row in report.rows if row.check.startswith("truth.")]
    assert {row.verdict for row in rows} == {"not applicable"}
    assert all("--probe MODULE:CLASS" in row.found for row in rows)
    assert all("feature probe" in row.found for row in rows)


@pytest.mark.req("EX-18")
def test_an_executor_may_stand_still_once() -> None:
    """A good executor conforms, and a short duration of an intent that waited while the executor was suspended is accepted where
    the others are measured."""
    report = Stalled().tested("opening", "intents", "cancel", "stop", "conduct")
    assert report.broken == ()
    assert report.holds


class UnreadBoaster(Unread):
    """The same, and every MOVE is called a success."""

    game = MoveWithoutMovement.game


class Unprobed(Unread):
    """The same, without a probe."""

    probed: ClassVar = False


class Stalled(Subject):
    """Says of the first MOVE that it took no time, as one that waited in a line would have it."""

    stood = False

    def said(self, frame: Frame, wire: Wire) -> list[Frame | bytes]:
        if frame["type"] == "result" and frame["intent"] == "MOVE" and not self.stood:
            metadata = frame["result"]["metadata"]
            self.stood = metadata["execution_time_ms"] >= 250
            metadata["execution_time_ms"] = 0.0 if self.stood else metadata["execution_time_ms"]
        return [frame]
