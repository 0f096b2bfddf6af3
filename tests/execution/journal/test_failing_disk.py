"""A disk that fails at any moment: nothing that was returned is lost, and closing can be repeated until it succeeds."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from itertools import count, islice
from threading import Event, Semaphore
from typing import TYPE_CHECKING

import pytest

from tests.execution.journal.journals import CONNECTED, answered
from tests.failing_disk import FailingDisk
from volition.core.errors import VolitionError
from volition.core.ledger.segment import WriterLock
from volition.execution import connect
from volition.execution.connecting.fleet import Fleet
from volition.execution.journal.entries import read_transitions
from volition.execution.journal.journal import Journal
from volition.execution.journal.verification import verify_journal
from volition.execution.journal.writer import Writer
from volition.execution.wire.request import Numbers

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from volition.execution import Bridge
    from volition.execution.door.events import DoorEvent
    from volition.execution.journal.journal import Durable

pytestmark = [
    pytest.mark.req("EX-16"),
    pytest.mark.skipif(sys.platform != "linux", reason="open files are told apart by /proc"),
]
TOLD = 3


def open_journal(folder: Path, disk: FailingDisk, durable: Durable | None) -> Journal:
    """A journal on a disk that is repaired if it fails meanwhile."""
    try:
        return Journal(folder, durable=durable, durability="record")
    except VolitionError:
        disk.repair()
        return Journal(folder, durable=durable, durability="record")


def close(disk: FailingDisk, *closing: Bridge | Journal) -> None:
    """Close what is open, on a disk that is repaired for it."""
    for each in closing:
        try:
            each.close()
        except VolitionError:
            disk.repair()
            each.close()
        each.close()


def starve(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the writer of every journal retry a failing disk only at every fourth time that it is asked to."""
    ring, asks = Writer.ring, count()
    monkeypatch.setattr(Writer, "ring", lambda writer: None if writer.fault and next(asks) % 4 else ring(writer))


def every_fault(folder: Path, *, lasting: bool) -> Iterator[tuple[Path, FailingDisk]]:
    """A folder and its disk for each call at which that may begin to fail, until one is never reached."""
    at, reached = 0, True
    while reached:
        at += 1
        disk = FailingDisk(folder / str(at), at, lasting=lasting)
        yield folder / str(at), disk
        reached = disk.calls >= at
    assert at > 8


@pytest.mark.parametrize("starved", [False, True])
@pytest.mark.parametrize("lasting", [False, True])
@pytest.mark.parametrize("durable", [None, "outcome"])
def test_a_fault_at_any_call_loses_nothing_that_was_told(
    durable: Durable | None, lasting: bool, starved: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """At whichever call the disk begins to fail, for once or until there is room, and however late the writer looks again:
    everything that was told is there once, in order, the journal is intact, and the next writer can have it."""
    if starved:
        starve(monkeypatch)
    events: list[DoorEvent] = [CONNECTED, *map(answered, range(1, TOLD + 1))]
    for folder, disk in every_fault(tmp_path, lasting=lasting):
        with disk.in_force(monkeypatch):
            journal = open_journal(folder, disk, durable)
            for event in events:
                with suppress(VolitionError):
                    journal.tell(event)
            close(disk, journal)
        assert [step.attempt.ticket for step in read_transitions(folder)] == list(range(1, TOLD + 1)), disk
        assert verify_journal(folder).intact, disk
        Journal(folder).close()


@pytest.mark.parametrize("lasting", [False, True])
@pytest.mark.parametrize("durable", [None, "asked", "outcome"])
def test_a_fault_at_any_call_of_a_bridge_leaves_an_intact_journal(
    durable: Durable | None, lasting: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A bridge whose journal fails, also while it is being opened, raises that error; whatever it returned is recorded, and
    whatever was asked of it has one outcome."""
    starve(monkeypatch)
    for folder, disk in every_fault(tmp_path, lasting=lasting):
        numbers, returned = Numbers(), list[int]()
        with disk.in_force(monkeypatch):
            journal = open_journal(folder, disk, durable)
            try:
                body = connect("embedded", seed=7, journal=journal, numbers=numbers)
            except VolitionError:
                disk.repair()
                body = connect("embedded", seed=7, journal=journal, numbers=numbers)
            for _ in range(TOLD):
                with suppress(VolitionError):
                    returned.append(body.execute("STOP", deadline=2.0).ticket)
            close(disk, body, journal)
        assert set(returned) <= {step.attempt.ticket for step in read_transitions(folder)}, disk
        assert verify_journal(folder).intact, disk


@pytest.mark.parametrize("ask", [Journal.flush, Journal.close], ids=["flush", "close"])
def test_what_failed_before_is_not_held_against_who_asks(
    ask: Callable[[Journal], None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A write that was under way when somebody asks, and then fails, is tried again for them: the disk may be repaired."""
    under_way, asks, failures = Event(), Semaphore(0), iter([OSError(28, "No space left on device")])
    real, ring = os.write, Writer.ring

    def write_late(handle: int, data: bytes) -> int:
        """Fail once somebody asks; the next time, let them look at that failure twice before it succeeds."""
        under_way.set()
        for failure in failures:
            asks.acquire()
            raise failure
        asks.acquire()
        asks.acquire()
        monkeypatch.setattr(os, "write", real)
        return real(handle, data)

    def ring_and_count(writer: Writer) -> None:
        asks.release()
        ring(writer)

    with Journal(tmp_path / "journal") as journal:
        monkeypatch.setattr(os, "write", write_late)
        journal.tell(answered(1))
        under_way.wait()
        monkeypatch.setattr(Writer, "ring", ring_and_count)
        ask(journal)
        assert journal.written == 1


def test_closing_a_bridge_can_be_repeated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the disk is full when a bridge is closed, closing says what is unwritten; after making room it succeeds, every
    outcome that was returned is recorded, and the journal is free."""
    folder = tmp_path / "journal"
    disk = FailingDisk(folder, 0, lasting=True)
    with disk.in_force(monkeypatch):
        body = connect("embedded", seed=7, journal=folder)
        returned = [body.execute("STOP", deadline=2.0).ticket for _ in range(5)]
        disk._at = disk.calls + 1
        returned += _until_refused(body)
        for _ in range(2):
            with pytest.raises(VolitionError, match=r"(?s)No space left.*not written"):
                body.close()
        disk.repair()
        body.close()
        body.close()
    found = [step.attempt.ticket for step in read_transitions(folder)]
    assert set(returned) <= set(found)
    assert verify_journal(folder).intact
    Journal(folder).close()


def _until_refused(body: Bridge) -> list[int]:
    """The tickets of what a bridge does until its journal stops it."""

    def stop() -> int:
        """The ticket of a STOP; 0 if the bridge refuses."""
        try:
            return body.execute("STOP", deadline=2.0).ticket
        except VolitionError:
            return 0

    return list(islice(iter(stop, 0), 1000))


def test_closing_a_fleet_can_be_repeated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same holds for several bodies that share a journal."""
    folder = tmp_path / "journal"
    disk = FailingDisk(folder, 0, lasting=True)
    with disk.in_force(monkeypatch):
        fleet = Fleet.connect({"ann": "embedded", "bob": "embedded"}, journal=folder)
        fleet.execute({"ann": "JUMP", "bob": "JUMP"}, deadline=2.0)
        disk._at = disk.calls + 1
        with pytest.raises(VolitionError, match="No space left"):
            fleet.close()
        disk.repair()
        fleet.close()
    assert len(list(read_transitions(folder))) >= 2
    Journal(folder).close()


def test_a_lock_is_freed_on_a_full_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The file that names the writer cannot be emptied on a failing disk, and the lock is free all the same."""
    lock = WriterLock(tmp_path)
    with monkeypatch.context() as patch:
        patch.setattr(os, "ftruncate", _fail)
        lock.release()
    WriterLock(tmp_path).release()


def _fail(*_: object) -> None:
    raise OSError(28, "No space left on device")
