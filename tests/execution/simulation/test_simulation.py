"""Simulations: whatever the network and the game do, the door keeps the contract."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from tests.execution.simulation.run import Simulation
from tests.execution.simulation.world import FAIR
from tests.processes import ROOT, under_hash_seeds
from tests.warm import warm
from volition.execution.door.door import Door
from volition.execution.door.events import Lost
from volition.execution.door.guard import Guard
from volition.execution.wire.request import OpenRequest
from volition.execution.wire.session.session import Session

if TYPE_CHECKING:
    from collections.abc import Callable

    from volition.execution.wire.request import Outcome

EACH = 3_000
SEEDS = range(3)
"""9 000 intents; `python -m tests.execution.simulation` tries other seeds."""

MISHAPS = {
    "cancelled", "cut", "duplicate", "forgotten", "garbage", "half open", "lost line", "malform", "nobody listens",
    "reorder", "restart", "unanswered state", "vanish", "version change",
    "label environmental_constraint", "label intercepted", "label malformed", "label out_of_sync", "label partial",
    "label positive", "label refused_retry", "label timeout", "label unknown",
    "told Breach", "told ErrorFrame", "told Connected", "told Progress", "told LateAnswer", "told Lost", "told Outcome",
    "told StateFrame",
}  # fmt: skip


@pytest.mark.req("EX-03", "EX-05", "EX-07", "EX-08", "EX-11", "EX-15", "EX-16", "EX-17")
def test_the_record_keeps_every_law() -> None:
    """Whatever goes wrong, the record of every seed keeps every law; and everything that can go wrong did."""
    happened: Counter[str] = Counter()
    for seed in SEEDS:
        report = Simulation(seed, EACH).run()
        assert not report.broken, f"\n{report}"
        happened += report.happened
    assert MISHAPS - happened.keys() == set()


PROGRAM = """
from hashlib import sha256
from tests.execution.simulation.run import Simulation
for seed in (1, 1, 2):
    record = [entry for entry in Simulation(seed, 200).run().record if type(entry).__name__ != "Connected"]
    print(sha256(repr(record).encode()).hexdigest())
"""


def test_a_seed_is_an_evening() -> None:
    """The same seed gives the same record, whatever the hash seed, and another gives another."""
    (printed,) = under_hash_seeds(PROGRAM, "1", "2")
    first, again, other = printed.split()
    assert first == again != other


def test_nothing_is_lost_in_fair_weather() -> None:
    """Where the network does nothing wrong, one connection carries everything and nothing malformed is seen."""
    report = Simulation(3, 500, FAIR).run()
    assert not report.broken, f"\n{report}"
    assert report.happened["label malformed"] == report.happened["told Breach"] == 0


def test_the_printed_command_replays() -> None:
    """What a report names as the way to see it again is a command that runs and says the same."""
    report = Simulation(4, 300).run()
    command = str(report).splitlines()[-1].removeprefix("again: python ").split()
    done = warm().run(*command, cwd=ROOT)
    assert done.stdout.decode() == f"{report}\n"


def _no_refresh(self: Door, now: float) -> None:
    pass


def _any_phase(self: Session) -> int:
    return 3 if self.phase in {"opening", "ready"} else 0


def _generous(self: Guard, retries: int = 3) -> None:
    self._most, self._rows, self.declared = 99, {}, None


def _no_fall_back(self: Session, now: float) -> None:
    pass


def _lost_twice(lose: Callable[..., None]) -> Callable[..., None]:
    def wrong(self: Door, reason: Any, error: Any) -> None:
        self._note(Lost(connection=self.connection, reason=reason))
        lose(self, reason, error)

    return wrong


def _mislabelled(conclude: Callable[..., None]) -> Callable[..., None]:
    def wrong(self: Door, outcome: Outcome) -> None:
        conclude(self, msgspec.structs.replace(outcome, label="positive") if outcome.label == "timeout" else outcome)

    return wrong


def _forgetful(conclude: Callable[..., None]) -> Callable[..., None]:
    def wrong(self: Door, outcome: Outcome) -> None:
        if outcome.label == "timeout" and outcome.sent is None:
            del self._open[outcome.ticket]
        else:
            conclude(self, outcome)

    return wrong


def _nothing_instead(stop: Callable[..., None]) -> Callable[..., None]:
    def wrong(self: Door, request: Any) -> None:
        if request.purpose != "instead":
            stop(self, request)

    return wrong


def _unruly(release: Callable[..., None]) -> Callable[..., None]:
    def wrong(self: Door) -> None:
        self._held.reverse()
        release(self)

    return wrong


PLANTED: list[tuple[str, type, str, Any]] = [
    ("one_outcome", Door, "_conclude", _forgetful(Door._conclude)),
    ("connections", Door, "_lose", _lost_twice(Door._lose)),
    ("opening", Session, "room", property(_any_phase)),
    ("came before the opening", Session, "room", property(_any_phase)),
    ("order", Door, "_release", _unruly(Door._release)),
    ("refresh", Door, "refresh", _no_refresh),
    ("retries", Guard, "__init__", _generous),
    ("labels", Door, "_conclude", _mislabelled(Door._conclude)),
    ("stops", Session, "_fall_back", _no_fall_back),
    ("interceptions", Door, "_stop", _nothing_instead(Door._stop)),
    ("stuck", OpenRequest, "time_left", lambda self, now: self.ttl),
    ("taken", Door, "outcome", lambda self, ticket: None),
]


@pytest.mark.parametrize(("law", "where", "name", "bug"), PLANTED, ids=[planted[0] for planted in PLANTED])
def test_every_law_can_break(law: str, where: type, name: str, bug: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """A door with the bug that a law is about breaks that law by name, and the report says how to see it again."""
    monkeypatch.setattr(where, name, bug)
    report = Simulation(2, 250).run()
    assert any(law in fault for fault in report.broken)
    assert "--seed 2 --intents 250" in str(report)
