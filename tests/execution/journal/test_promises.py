"""What a journal promises: what is written before an intent leaves and before its outcome is returned, and refusals in
sums."""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from tests.execution.client.bridges import FLAVOURS, PATIENT, Flavour, driving, served
from tests.execution.journal.journals import CONNECTED, answered
from tests.execution.transports.stream_bridge import Toy
from tests.execution.wire.samples import of, state
from volition.core.errors import InvalidInput, VolitionError
from volition.core.ledger import Ledger
from volition.execution import Jump, Move, connect, make_result
from volition.execution.executor.contract import Ended
from volition.execution.journal import writer as writer_module
from volition.execution.journal.entries import read_journal
from volition.execution.journal.journal import Durable, Journal
from volition.execution.journal.records import AskedIntent, Attempt, JournalRecord
from volition.execution.journal.summary import summarise_journal
from volition.execution.journal.verification import verify_journal
from volition.execution.wire.request import OpenRequest, Request

if TYPE_CHECKING:
    from pathlib import Path

    from tests.sentences import Told
    from volition.execution import IncomingIntent
    from volition.execution.executor.contract import News
    from volition.execution.wire.frames import StateFrame
    from volition.execution.wire.request import Outcome
    from volition.execution.wire.results import FailureReason

flavours = pytest.mark.parametrize("flavour", FLAVOURS)


def asking(ticket: int, at: StateFrame | None = None) -> OpenRequest:
    """A JUMP that is about to be sent."""
    return OpenRequest(ticket, "policy", Request("JUMP"), Jump(), 0.0, 1.0, state=at, connection=1, id=ticket + 10)


def records(path: Path) -> list[JournalRecord]:
    return [entry.record for entry in read_journal(path)]


class Reader(Toy):
    """A game that reads the driver's journal whenever it is asked for something."""

    path: Path
    seen: list[tuple[int, set[int]]]

    def attempt(self, attempt: IncomingIntent) -> list[News]:
        if attempt.intent.name != "STOP":
            self.seen.append((attempt.id, {record.id for record in of(AskedIntent, records(self.path))}))
        return super().attempt(attempt)


@pytest.mark.req("EX-22")
@flavours
@pytest.mark.parametrize("durable", ["asked", "outcome"])
def test_an_intent_is_written_before_it_leaves(flavour: Flavour, durable: Durable, tmp_path: Path) -> None:
    """When an executor is asked for something, the driver's journal on disk knows it already; with "outcome" the
    outcome is there too when `execute` returns."""
    game = Reader(hz=0)
    game.path, game.seen = tmp_path / "journal", []
    with served(game) as at, driving(flavour, at, journal=game.path, durable=durable) as bridge:
        tickets = [bridge.execute(Jump(), deadline=60.0).ticket for _ in range(3)]
        if durable == "outcome":
            assert {record.ticket for record in of(Attempt, records(game.path))} >= set(tickets)
        tickets += [outcome.ticket for outcome in bridge.execute_many([Jump()] * 3, deadline=60.0)]
    assert len(game.seen) == 6
    assert all(id in known for id, known in game.seen)
    found = verify_journal(game.path)
    assert (found.intact, found.unanswered, found.unfinished) == (True, 0, 0)
    assert {record.ticket for record in of(AskedIntent, records(game.path))} == set(tickets)


@pytest.mark.req("EX-22")
def test_what_was_asked_and_never_answered_is_counted(tmp_path: Path, told: Told) -> None:
    """A run that just stops tells how many intents it had sent without ever hearing of them."""
    path = tmp_path / "journal"
    with Journal(path) as journal:
        journal.tell(CONNECTED)
        for ticket in (1, 2, 3):
            journal.tell(asking(ticket, state(1)))
        journal.tell(answered(2))
        journal.flush()
        found = verify_journal(path)
        assert (found.intact, found.unanswered, found.unfinished) == (True, 2, 2)
        told(found)
        assert found.to_data()["unanswered"] == 2
    assert not verify_journal(path).intact, "a run that is closed in order leaves none"


def test_an_intent_is_asked_once(tmp_path: Path) -> None:
    """A second asking, or one after the final record, breaks a law that is named."""
    path, event = tmp_path / "journal", asking(1)
    with Journal(path) as journal:
        for each in (CONNECTED, event, event, answered(1), event):
            journal.tell(each)
    assert [each.law for each in verify_journal(path).unlawful] == [
        "an intent is asked once, before its final record"
    ] * 2


@pytest.mark.req("EX-22")
@flavours
def test_what_cannot_be_written_does_not_leave(
    flavour: Flavour, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, told: Told
) -> None:
    """Where the disk fails, a durable journal's error reaches the caller, and the executor never sees the intent."""
    game = Toy(hz=0)
    with served(game) as at, driving(flavour, at, journal=tmp_path / "journal", durable="asked") as bridge:
        bridge.execute(Jump(), deadline=60.0)
        before = game.calls.count("JUMP")

        def full(*_: Any) -> None:
            raise VolitionError.of("the disk is full", where="disk", expected="room", remedy="make some")

        with monkeypatch.context() as patch:
            patch.setattr(Ledger, "append_encoded", full)
            with told.raises(VolitionError):
                bridge.execute(Jump(), deadline=60.0)
        assert bridge.closed
    assert game.calls.count("JUMP") == before == 1


def test_what_durable_may_be(tmp_path: Path, told: Told) -> None:
    """Only the two promises are known; they are for a folder, since a journal that is open has made its own."""
    with pytest.raises(InvalidInput, match="'outcome'"):
        Journal(tmp_path / "a", durable="always")  # type: ignore[arg-type]
    with told.raises(InvalidInput):
        connect("embedded", durable="asked")


# Refused retries.


def refused(ticket: int, *, agent: str | None = None, reason: FailureReason = "BLOCKED") -> Outcome:
    unsent: dict[str, Any] = {"answered": False, "line": None, "sent": None, "id": None}
    return answered(ticket, make_result("FAILURE", reason), label="refused_retry", agent=agent, **unsent)


class Wall(Toy):
    """A game in which nothing moves."""

    def attempt(self, attempt: IncomingIntent) -> list[News]:
        if attempt.intent.name != "MOVE":
            return super().attempt(attempt)
        return [Ended(attempt, make_result("FAILURE", "BLOCKED"))]


@pytest.mark.req("EX-08", "EX-09")
def test_a_policy_that_insists_is_a_record_with_a_count(tmp_path: Path, told: Told) -> None:
    """Thousands of refused retries are a few records, whose counts and tickets add up in the verification and in the
    summary."""
    path, began = tmp_path / "journal", time.monotonic()
    with served(Wall(hz=0)) as at, connect(at, journal=path, timing=PATIENT) as body:
        for _ in range(3000):
            body.execute(Move((1, 0, 0)), deadline=60.0)
        assert body.execute(Jump(), deadline=60.0).status == "SUCCESS"
    took = time.monotonic() - began
    attempts = of(Attempt, records(path))
    assert sum(record.count for record in attempts) == 3000 + 2
    sums = [record for record in attempts if record.label == "refused_retry"]
    assert sum(record.count for record in sums) == 2996
    assert len(sums) <= took / writer_module.SUMMED + 2, "one for each interval, at the most"
    told(sums[0].detail)
    found, short = verify_journal(path), summarise_journal(path)
    assert (found.intact, found.attempts) == (True, 3002)
    assert (short.attempts, short.refused_retries) == (3002, 2996)
    assert short.by_intent["MOVE"] == {"environmental_constraint": 4, "refused_retry": 2996}
    assert short.reward == pytest.approx(sum(record.reward * record.count for record in attempts))


def test_refusals_of_several_agents_are_sums_of_their_own(tmp_path: Path) -> None:
    """Tickets that alternate are kept as ranges, another reason begins another sum, and `flush` waits for none."""
    path = tmp_path / "journal"
    with Journal(path) as journal:
        journal.tell(CONNECTED)
        for ticket in range(1, 41):
            journal.tell(refused(ticket, agent="ab"[ticket % 2]))
        journal.flush()
        assert journal.written == 40
        for ticket in range(41, 44):
            journal.tell(refused(ticket))
        journal.tell(refused(44, reason="COOLDOWN"))
        journal.tell(answered(45))
    found = of(Attempt, records(path))
    assert [(record.agent, record.count, record.tickets[:2]) for record in found] == [
        ("b", 20, ((1, 1), (3, 3))),
        ("a", 20, ((2, 2), (4, 4))),
        (None, 3, ((41, 43),)),
        (None, 1, ()),
        ("hero", 1, ()),
    ]
    assert verify_journal(path).intact


def test_a_sum_is_written_in_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A refusal that nothing follows is written by itself after the interval."""
    monkeypatch.setattr(writer_module, "SUMMED", 0.01)
    path, waiting = tmp_path / "journal", threading.Event()
    with Journal(path) as journal:
        journal.tell(CONNECTED)
        journal.tell(refused(1))
        for _ in range(6000):
            if journal.written:
                break
            waiting.wait(0.005)
        assert journal.written == 1


@pytest.mark.parametrize(
    "change", [{"count": 3}, {"tickets": ((2, 3),)}, {"count": 2, "tickets": ((1, 1), (3, 3)), "label": "timeout"}]
)
def test_a_sum_that_does_not_add_up_is_named(tmp_path: Path, change: dict[str, Any], told: Told) -> None:
    """Counts, tickets and label of a sum agree, or the verification says that they do not."""
    from volition.execution.journal.verification import _Laws

    path = tmp_path / "journal"
    with Journal(path) as journal:
        journal.tell(CONNECTED)
        for ticket in (1, 2):
            journal.tell(refused(ticket))
    laws = _Laws()
    for number, record in enumerate(records(path), 1):
        spoilt = msgspec.structs.replace(record, **change) if isinstance(record, Attempt) else record
        laws.check(number, spoilt)
    told(*sorted({each.law for each in laws.found}))
