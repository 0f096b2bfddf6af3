"""The journal: every attempt is recorded, verbatim and once, whatever happens to the process or the disk."""

from __future__ import annotations

import errno
import math
import os
import random
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import UNSET

from tests.execution.journal.journals import (
    CONNECTED,
    LOST,
    answered,
    intercepted,
    malformed,
    of_every_label,
    play,
    silent,
)
from tests.execution.wire.samples import WELCOME, answer, payload, state
from tests.processes import PATIENCE, ROOT
from tests.work import calls
from volition.core.errors import InvalidInput, MissingPart
from volition.core.ledger import Ledger
from volition.core.ledger.fault import FaultKind
from volition.core.ledger.line import verbatim
from volition.execution import make_result
from volition.execution.door.events import Connected, Lost
from volition.execution.journal.entries import read_journal, read_transitions
from volition.execution.journal.journal import Journal
from volition.execution.journal.records import REACH, Attempt, End, JournalRecord, Noted, RunStart, State
from volition.execution.journal.reward import Reward
from volition.execution.journal.summary import summarise_journal
from volition.execution.journal.verification import verify_journal
from volition.execution.wire.frames import ErrorFrame, GameEvent, Progress
from volition.execution.wire.request import Outcome, Request
from volition.execution.wire.session.events import Breach, LateAnswer, Stalled

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from tests.sentences import Told
    from volition.execution.door.events import DoorEvent

KILLS = 4


def record(path: Path, events: Iterable[DoorEvent], **terms: Any) -> list[JournalRecord]:
    """Tell all events to a journal, and read back what it then holds."""
    with Journal(path, **terms) as journal:
        for event in events:
            journal.tell(event)
    return [entry.record for entry in read_journal(path)]


def attempts(records: Iterable[JournalRecord]) -> list[Attempt]:
    return [found for found in records if isinstance(found, Attempt)]


def states(records: Iterable[JournalRecord]) -> list[State]:
    return [found for found in records if isinstance(found, State)]


# What is recorded.


@pytest.mark.req("EX-09", "EX-19")
def test_every_attempt_is_recorded_whatever_became_of_it(tmp_path: Path) -> None:
    """Of every label and purpose: ticket, request, what was sent, state, result, label and reward, as they were told."""
    told = of_every_label()
    records = record(tmp_path, [CONNECTED, *told, LOST])
    found = attempts(records)
    assert {one.label for one in found} == {
        "positive", "environmental_constraint", "out_of_sync", "partial", "unknown", "timeout", "malformed",
        "intercepted", "refused_retry",
    }  # fmt: skip
    for outcome, one in zip(told, found, strict=True):
        assert (one.ticket, one.purpose, one.label, one.result) == (
            outcome.ticket,
            outcome.purpose,
            outcome.label,
            outcome.result,
        )
        assert (one.requested.intent, one.requested.parameters, one.agent) == (
            outcome.requested.intent,
            outcome.requested.parameters,
            outcome.agent,
        )
        assert (one.sent and (one.sent.intent, one.sent.parameters or {})) == (
            outcome.sent and (outcome.sent.name, outcome.sent.parameters)
        )
        assert (one.connection, one.id, one.detail, one.answered) == (
            outcome.connection,
            outcome.id,
            outcome.detail,
            outcome.answered,
        )
        assert (one.violations, one.elapsed_us, one.state, one.episode) == (outcome.violations, 42, (1, 1), 0)
        assert one.reward < 0 or one.result.status != "FAILURE"
        assert sum(one.parts.values()) == pytest.approx(one.reward)
    assert verify_journal(tmp_path).intact


@pytest.mark.req("EX-09")
@pytest.mark.parametrize(
    "parameters",
    [
        {"vector": [float("nan"), 0, 0]},
        {"vector": [10**400, 0, 0]},
        {1: "a key that is not a string"},
        {"\ud800": "half a character"},
        {1, 2},
        b"bytes",
        {"deep": [[[[]]]]},
        {"if": "health > 10", "unless": None},
    ],
    ids=repr,
)
def test_nonsense_is_recorded_as_it_was_asked(tmp_path: Path, parameters: Any) -> None:
    """What JSON can express comes back as it was; anything else is recorded as Python prints it. Nothing is lost."""
    (found,) = attempts(record(tmp_path, [CONNECTED, intercepted(1, "MOVE", parameters)]))
    if found.requested.parameters_repr is None:
        assert found.requested.parameters == parameters
    else:
        assert found.requested.parameters_repr == repr(parameters).encode("utf-8", "backslashreplace").decode()
    assert (found.sent, found.id, found.label) == (None, None, "intercepted")


@pytest.mark.parametrize("name", ["DANCE", "", "\ud800", 7, None])
def test_a_name_that_is_none_is_recorded_too(tmp_path: Path, name: Any) -> None:
    """The name of an intent is kept whatever it was."""
    (found,) = attempts(record(tmp_path, [CONNECTED, intercepted(1, name)]))
    assert found.requested.intent == (name if name in {"DANCE", ""} else repr(name))


def test_a_request_with_foreign_numbers_is_recorded(tmp_path: Path) -> None:
    """Parameters that could be sent and are not plain JSON data, such as numpy's numbers, are kept as plain ones."""
    import numpy as np

    asked = Request.of("MOVE", {"vector": (np.float64(1.5), 0.0, 0.0)})
    (found,) = attempts(record(tmp_path, [CONNECTED, answered(1, requested=asked)]))
    assert found.requested.parameters == {"vector": [1.5, 0.0, 0.0]}


@pytest.mark.req("EX-09")
@pytest.mark.parametrize("words", [None, 7, [], {}, {"status": "DONE"}, payload(extra=1), payload(status="FAILURE")])
def test_a_payload_is_kept_where_it_is_not_the_result(tmp_path: Path, words: Any) -> None:
    """The executor's words are recorded beside the result wherever they differ from it."""
    outcome = malformed(1, words)
    (found,) = attempts(record(tmp_path, [CONNECTED, outcome]))
    assert found.payload == words
    assert found.violations == outcome.violations


def test_a_payload_is_kept_to_the_byte(tmp_path: Path) -> None:
    """A payload is in the ledger with the executor's own spacing, order and numbers."""
    line = b'{"v":1,"type":"result","id":11,"intent":"MOVE","result":{ "status" : "DONE", "x":1.50e0 }}'
    record(tmp_path, [CONNECTED, silent(1, "malformed")])
    record(tmp_path / "odd", [CONNECTED, answered(1, make_result("FAILURE", "UNKNOWN"), label="malformed", line=line)])
    assert b'"payload":{ "status" : "DONE", "x":1.50e0 }' in (tmp_path / "odd" / "000001.jsonl").read_bytes()


@pytest.mark.parametrize("line", ["usual", "spaced"])
def test_a_payload_that_says_the_same_is_not_repeated(tmp_path: Path, line: str) -> None:
    """Where payload and result are equal, only the result is recorded, however the executor writes it."""
    told = answer(11, "MOVE", payload())[:-1]
    told = told if line == "usual" else told.replace(b'":', b'" : ').replace(b"0.0", b"0")
    (found,) = attempts(record(tmp_path, [CONNECTED, answered(1, line=told)]))
    assert found.payload is UNSET


@pytest.mark.req("EX-09")
@given(st.binary(max_size=200))
@settings(deadline=None)
def test_an_unreadable_line_is_kept_as_bytes(tmp_path_factory: pytest.TempPathFactory, line: bytes) -> None:
    """The very bytes of a line that was no frame come back."""
    folder = tmp_path_factory.mktemp("journal") / "j"
    told = Breach(connection=1, kind="bad_frame", what="not_json: no", raw=verbatim(line))
    (found,) = (each for each in record(folder, [told]) if isinstance(each, Breach))
    assert found == told


def test_everything_a_door_tells_has_its_record(tmp_path: Path) -> None:
    """Connections with executor and contract, late results, breaches, events, progress, complaints, losses."""
    late = LateAnswer(
        connection=1, ticket=1, id=11, intent="STOP", result=make_result(), label="positive", elapsed_us=1_500_000
    )
    events: list[DoorEvent] = [
        CONNECTED,
        silent(1, "timeout"),
        late,
        Breach(connection=1, kind="unknown_id", what="a result for 99", id=99),
        GameEvent(name="hold_ended", tick=3, data={"by": "opponent"}, id=6),
        Progress(id=7, stage="moving", done=0.5),
        ErrorFrame(code="bad_field", message="what?", id=4),
        Stalled(17),
        LOST,
    ]
    records = record(tmp_path, events, meta={"policy": "v3"})
    assert [type(found) for found in records] == [
        RunStart, Connected, State, Attempt, LateAnswer, Breach, Noted, Noted, Noted, Noted, Lost, End,
    ]  # fmt: skip
    run, connection = records[0], records[1]
    assert isinstance(run, RunStart)
    assert isinstance(connection, Connected)
    assert (run.run, run.meta) == (1, {"policy": "v3"})
    assert (connection.welcome, connection.features) == (WELCOME, ("events", "next_state"))
    found = records[4]
    assert isinstance(found, LateAnswer)
    assert (found.ticket, found.elapsed_us, found.payload) == (1, 1_500_000, UNSET)
    assert [r.what for r in records if isinstance(r, Noted)] == ["event", "progress", "complaint", "stalled"]
    assert verify_journal(tmp_path).intact


def test_episodes_end_by_death_and_by_reset(tmp_path: Path) -> None:
    """Terminated is an attempt in which the actor died, truncated one whose next state is of another episode."""
    died = answered(1, make_result("PARTIAL", "INVALID_STATE", is_alive=False), next_state=state(2))
    reset = answered(2, at=state(2), next_state=state(3, episode=1))
    found = attempts(record(tmp_path, [CONNECTED, died, reset, answered(3, at=state(3, episode=1))]))
    assert [(one.terminated, one.truncated, one.episode) for one in found] == [
        (True, False, 0),
        (False, True, 0),
        (False, False, 1),
    ]


# States.


def test_each_state_stands_once_and_is_named_by_its_key(tmp_path: Path) -> None:
    """A state that is seen, decided on and led to is written once; every attempt names it by connection and seq."""
    one, two = state(1), state(2)
    events: list[DoorEvent] = [
        CONNECTED,
        one,
        answered(1, at=state(1), next_state=two),
        two,
        answered(2, at=two),
    ]
    records = record(tmp_path, events)
    assert [found.key for found in states(records)] == [(1, 1), (1, 2)]
    assert [(step.state and step.state.data, step.attempt.next_state) for step in read_transitions(tmp_path)] == [
        (one.data, (1, 2)),
        (two.data, None),
    ]


def test_two_states_under_one_number_are_told_apart(tmp_path: Path) -> None:
    """Where one seq was given to two different states, both are kept, and each attempt names its own."""
    whole, half = state(1, data={"map": "#"}), state(1, full=False, data={})
    records = record(tmp_path, [CONNECTED, answered(1, at=whole), answered(2, at=half), answered(3, at=whole)])
    assert [one.state for one in attempts(records)] == [(1, 1), (1, 1, 1), (1, 1)]
    assert [step.state and step.state.data for step in read_transitions(tmp_path)] == [
        whole.data,
        half.data,
        whole.data,
    ]


@pytest.mark.parametrize(("between", "times"), [(REACH - 1, 1), (REACH, 2)])
def test_a_state_that_is_out_of_reach_stands_again(tmp_path: Path, between: int, times: int) -> None:
    """Writer and reader remember the same number of states; one that is needed after that is written again."""
    old = state(0, data={"who": "the first"})
    seen = [state(seq) for seq in range(1, between + 1)]
    records = record(tmp_path, [CONNECTED, answered(1, at=old), *seen, answered(2, at=old)])
    assert [found.key for found in states(records)].count((1, 0)) == times
    assert [step.state and step.state.data for step in read_transitions(tmp_path)] == [old.data, old.data]
    assert verify_journal(tmp_path).intact


@pytest.mark.parametrize("every", [1, 2, 5, 1000])
def test_pushed_states_may_be_sampled_and_are_counted(tmp_path: Path, every: int) -> None:
    """Every n-th pushed state is kept; those asked for and those an attempt names are kept too; the rest is counted."""
    pushed: list[DoorEvent] = [state(seq) for seq in range(1, 101)]
    events = [CONNECTED, *pushed, state(101, id=9), answered(1, at=state(77))]
    records = record(tmp_path, events, state_every=every)
    kept = {found.key[1] for found in states(records)}
    assert kept == {seq for seq in range(1, 101) if seq % every == 0} | {101, 77}
    found = summarise_journal(tmp_path)
    assert (found.states, found.states_skipped) == (len(kept), 100 - 100 // every)


# Off the caller's path.


def test_telling_costs_next_to_nothing(tmp_path: Path) -> None:
    """Telling an outcome is a handful of calls, and below half of the bound nobody is woken."""
    with Journal(tmp_path, bound=20_000) as journal:
        rung: list[int] = []
        journal._writer.ring = lambda: rung.append(1)  # type: ignore[method-assign]
        journal.tell(CONNECTED)
        outcome = answered(1)
        assert calls(lambda: journal.tell(outcome)) <= 12
        for _ in range(2_000):
            journal.tell(outcome)
        assert rung == []
        del journal._writer.ring


@pytest.mark.req("EX-09", "EX-16")
def test_a_full_journal_makes_the_caller_wait_and_drops_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However slow the disk, all attempts are there in order; only pushed states are dropped, and their number is recorded."""
    slow = Ledger.append_many

    def crawl(self: Ledger, records: Iterable[dict[str, Any]]) -> range:
        time.sleep(0.002)
        return slow(self, records)

    monkeypatch.setattr(Ledger, "append_many", crawl)
    most = 0
    with Journal(tmp_path, bound=16) as journal:
        journal.tell(CONNECTED)
        for ticket in range(1, 301):
            journal.tell(state(ticket + 1))
            journal.tell(answered(ticket))
            most = max(most, journal.waiting)
    found = summarise_journal(tmp_path)
    assert [step.attempt.ticket for step in read_transitions(tmp_path)] == list(range(1, 301))
    assert most <= 16
    assert found.states + found.states_skipped == 301
    assert found.states_skipped > 0


def test_flush_waits_until_all_is_written(tmp_path: Path) -> None:
    """After a flush every attempt told before it is counted as written and can be read."""
    with Journal(tmp_path) as journal:
        journal.tell(CONNECTED)
        for ticket in range(1, 101):
            journal.tell(answered(ticket))
            if ticket % 20 == 0:
                journal.flush()
                assert journal.written == ticket
                assert len(attempts(entry.record for entry in read_journal(tmp_path))) == ticket


def test_many_threads_may_tell(tmp_path: Path) -> None:
    """Attempts told by several threads at once are all there, those of each in its order."""

    def connection(base: int) -> None:
        for ticket in range(base, base + 200):
            journal.tell(answered(ticket))

    with Journal(tmp_path, bound=64) as journal:
        journal.tell(CONNECTED)
        threads = [threading.Thread(target=connection, args=(base,)) for base in (1, 201, 401)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    tickets = [step.attempt.ticket for step in read_transitions(tmp_path)]
    assert sorted(tickets) == list(range(1, 601))
    assert all([t for t in tickets if b <= t < b + 200] == list(range(b, b + 200)) for b in (1, 201, 401))


# What goes wrong.


class Disk:
    """A disk that can be full: while it is, only `room` more writes succeed."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.full = False
        real = os.write

        def write(descriptor: int, data: bytes) -> int:
            if self.full and len(data) > 60:
                # Half of it fits, as on a real disk.
                real(descriptor, data[: len(data) // 2])
                raise OSError(errno.ENOSPC, "No space left on device")
            return real(descriptor, data)

        monkeypatch.setattr(os, "write", write)


@pytest.mark.req("EX-16")
def test_a_failing_disk_reaches_the_caller_and_costs_no_record(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, told: Told
) -> None:
    """While the disk is full tell and flush raise; what was told meanwhile is written once there is room, and neither raises then."""
    disk = Disk(monkeypatch)
    with Journal(tmp_path) as journal:
        journal.tell(CONNECTED)
        journal.tell(answered(1))
        journal.flush()
        disk.full = True
        journal.tell(answered(2))
        with told.raises(MissingPart):
            journal.flush()
        for ticket in (3, 4, 5):
            with told.raises(MissingPart):
                journal.tell(answered(ticket))
        assert journal.written == 1
        disk.full = False
        journal.tell(answered(6))
    assert [step.attempt.ticket for step in read_transitions(tmp_path)] == [1, 2, 3, 4, 5, 6]
    assert verify_journal(tmp_path).intact


@pytest.mark.req("EX-16")
def test_a_disk_that_cannot_sync_closes_the_ledger_and_the_journal_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where the ledger had to close itself, the journal takes it up again as soon as the disk works again."""
    broken = False

    def breakable(sync: Callable[[int], None]) -> Callable[[int], None]:
        def sync_or_fail(descriptor: int) -> None:
            if broken:
                raise OSError(errno.EIO, "Input/output error")
            sync(descriptor)

        return sync_or_fail

    for name in ("fsync", "fdatasync"):
        monkeypatch.setattr(os, name, breakable(getattr(os, name)))
    with Journal(tmp_path, durability="record") as journal:
        journal.tell(CONNECTED)
        journal.flush()
        broken = True
        journal.tell(answered(1))
        while journal._writer.fault is None:
            time.sleep(0.001)
        with pytest.raises(MissingPart, match="Input/output error"):
            journal.tell(answered(2))
        broken = False
        journal.tell(answered(3))
    assert [step.attempt.ticket for step in read_transitions(tmp_path)] == [1, 2, 3]
    assert verify_journal(tmp_path).intact


def test_what_a_burst_leaves_behind_is_put_on_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """After a while without a record the last ones are synced, though nobody asked."""
    real, synced = os.fdatasync, threading.Event()

    def sync(descriptor: int) -> None:
        real(descriptor)
        synced.set()

    settled = "volition.execution.journal.writer._SETTLED"
    monkeypatch.setattr(settled, math.inf)  # nothing is synced before the test looks
    with Journal(tmp_path) as journal:
        journal.tell(CONNECTED)
        journal.flush()
        monkeypatch.setattr(os, "fdatasync", sync)
        monkeypatch.setattr(settled, 0.01)
        assert synced.wait(PATIENCE)


@pytest.mark.req("EX-09")
@pytest.mark.parametrize(
    "reward", [lambda outcome: 1 / 0, lambda outcome: Reward.of({"goal": 1.0}), lambda outcome: "much"]
)
def test_a_reward_function_that_fails_costs_no_record(tmp_path: Path, reward: Any, told: Told) -> None:
    """The attempt gets the default reward, its record says why, and the caller gets the error once."""
    with Journal(tmp_path, reward=reward) as journal:
        journal.tell(CONNECTED)
        journal.tell(silent(1, "timeout"))
        with told.raises(InvalidInput):
            journal.flush()
        journal.tell(silent(2, "timeout"))
        journal.flush()
    assert [(s.attempt.reward, bool(s.attempt.reward_fault)) for s in read_transitions(tmp_path)] == [(-0.3, True)] * 2
    assert summarise_journal(tmp_path).reward_faults == 2


def test_a_custom_reward_function(tmp_path: Path) -> None:
    """What the owner's function gives is recorded, with its own parts."""
    (found,) = attempts(
        record(tmp_path, [CONNECTED, answered(1)], reward=lambda outcome: Reward.of({"goal": 1.0, "time": -0.25}))
    )
    assert (found.reward, found.parts, found.reward_fault) == (0.75, {"goal": 1.0, "time": -0.25}, "")


def test_what_no_door_tells_is_refused_and_stops_nothing(tmp_path: Path, told: Told) -> None:
    """A stray object is named to the caller once; the attempts around it are recorded."""
    with Journal(tmp_path) as journal:
        journal.tell(CONNECTED)
        journal.tell("hello")  # type: ignore[arg-type]
        with told.raises(InvalidInput):
            journal.flush()
        journal.tell(answered(1))
    assert len(list(read_transitions(tmp_path))) == 1


def test_a_closed_journal_takes_nothing(tmp_path: Path, told: Told) -> None:
    """After close, tell and flush refuse; closing again changes nothing."""
    journal = Journal(tmp_path)
    journal.close()
    journal.close()
    with told.raises(InvalidInput):
        journal.tell(answered(1))
    with told.raises(InvalidInput):
        journal.flush()


@pytest.mark.parametrize(
    "terms",
    [{"bound": 0}, {"bound": True}, {"state_every": 0}, {"state_every": 1.5}, {"meta": {"x": {1}}}, {"meta": [1]}],
    ids=repr,
)
def test_bad_terms_are_refused_and_nothing_stays_locked(tmp_path: Path, terms: dict[str, Any]) -> None:
    """What cannot be used is named, and the journal can be opened right after."""
    with pytest.raises(InvalidInput, match=next(iter(terms))):
        Journal(tmp_path, **terms)
    Journal(tmp_path).close()


# Runs, and processes that die.


def test_a_journal_is_taken_up_under_a_new_run(tmp_path: Path) -> None:
    """Tickets and connections are counted from 1 in each run; a run begins when a journal is opened."""
    record(tmp_path, [CONNECTED, answered(1)], meta={"policy": 1})
    with Journal(tmp_path, meta={"policy": 2}) as journal:
        journal.tell(CONNECTED)
        journal.tell(answered(1))
    assert [(s.run.run, s.run.meta["policy"], s.attempt.ticket) for s in read_transitions(tmp_path)] == [
        (1, 1, 1),
        (2, 2, 1),
    ]
    found = verify_journal(tmp_path)
    assert (found.intact, found.runs, found.attempts, found.unfinished) == (True, 2, 2, 0)


def test_another_ledger_is_no_journal(tmp_path: Path) -> None:
    """A ledger of another kind is neither written nor read as a journal."""
    with Ledger(tmp_path, kind="evening") as ledger:
        ledger.append({"a": 1})
    for call in (Journal, read_journal, summarise_journal, verify_journal):
        with pytest.raises(InvalidInput, match=r"kind|evening"):
            call(tmp_path)


def test_a_journal_that_nobody_closed_is_closed_at_the_end(tmp_path: Path) -> None:
    """A program that ends without closing its journal loses nothing of it."""
    program = f"""
from tests.execution.journal.journals import CONNECTED, answered
from volition.execution import Journal
journal = Journal({str(tmp_path / "j")!r})
journal.tell(CONNECTED)
for ticket in range(1, 501):
    journal.tell(answered(ticket))
"""
    subprocess.run([sys.executable, "-c", program], cwd=ROOT, check=True, timeout=PATIENCE)
    assert len(list(read_transitions(tmp_path / "j"))) == 500
    assert verify_journal(tmp_path / "j").intact


def test_a_journal_that_was_forgotten_is_closed(tmp_path: Path) -> None:
    """When the last reference goes, the queue is written and the next writer can come."""
    journal = Journal(tmp_path)
    journal.tell(CONNECTED)
    journal.tell(answered(1))
    del journal
    with Journal(tmp_path):
        assert len(list(read_transitions(tmp_path))) == 1


@pytest.mark.req("EX-09", "EX-16")
def test_a_killed_process_loses_nothing_that_was_written(tmp_path: Path) -> None:
    """Killed at random moments, again and again: what `written` said is there, the journal verifies and is taken up."""
    folder, chance = tmp_path / "journal", random.Random(5)
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT / "src"), str(ROOT)])}
    reported_in_all = 0
    for kill in range(1, KILLS + 1):
        child = subprocess.Popen(
            [sys.executable, str(Path(__file__).with_name("journal_child.py")), str(folder)],
            stdout=subprocess.PIPE,
            env=environment,
        )
        with child:
            assert child.stdout is not None
            heard = [child.stdout.readline() for _ in range(chance.randrange(1, 15))]
            child.kill()
            reported = b"".join(heard) + child.stdout.read()
        assert child.returncode == -9, "the child must die of the kill and of nothing else"
        whole = reported[: reported.rfind(b"\n") + 1].split()
        acknowledged = int(whole[-1]) if whole else 0
        reported_in_all += acknowledged
        found = verify_journal(folder)
        assert found.ledger.intact or (found.ledger.fault is not None and found.ledger.fault.reason is FaultKind.TORN)
        assert found.unlawful == ()
        assert found.runs == kill
        tickets = [step.attempt.ticket for step in read_transitions(folder) if step.run.run == kill]
        assert tickets == list(range(1, len(tickets) + 1))
        assert len(tickets) >= acknowledged
    assert reported_in_all > KILLS
    record(folder, [CONNECTED, answered(1)])
    assert verify_journal(folder).intact


# Laws and sums.


def of_a_run(*bodies: dict[str, Any]) -> list[dict[str, Any]]:
    return [{"run": {"run": 1}}, *bodies]


def raw(outcome: Outcome, folder: Path) -> dict[str, Any]:
    """The body of an attempt's record, to be spoilt."""
    from volition.core.ledger import read

    record(folder, [CONNECTED, outcome])
    return next(found.body for found in read(folder) if found.raw.startswith(b'{"attempt"'))


SPOILT: list[tuple[str, dict[str, Any]]] = [
    ("references resolve", {"state": [1, 99]}),
    ("references resolve", {"next_state": [2, 1]}),
    ("references resolve", {"connection": 9}),
    ("what is sent has an id", {"sent": None}),
    ("only canonical and declared intents cross the bridge", {"sent": {"intent": "DANCE"}}),
    ("only canonical and declared intents cross the bridge", {"sent": {"intent": "MOVE", "parameters": {}}}),
    ("labels agree with results", {"label": "timeout"}),
    ("labels agree with results", {"label": "partial"}),
    ("a reward is the sum of its parts", {"reward": 0.5}),
    ("the reward of a failure is negative", {"result": make_result("FAILURE", "BLOCKED").to_data(), "label": "environmental_constraint"}),
    ("a result agrees with itself", {"result": make_result().to_data() | {"partial_execution": True}}),
    ("every record is of a known kind", {"ticket": "one"}),
]  # fmt: skip


@pytest.mark.parametrize(("law", "change"), SPOILT, ids=lambda value: str(value)[:40])
def test_every_broken_law_is_named(tmp_path: Path, law: str, change: dict[str, Any]) -> None:
    """A chain that holds does not make a journal true: each planted breach is found, with its record."""
    good = raw(answered(1), tmp_path / "good")
    with Ledger(tmp_path / "bad", kind="journal", meta={"layout": 1}) as ledger:
        for entry in record(tmp_path / "head", [CONNECTED, state(1, id=9)])[:3]:
            from volition.execution.journal.records import body

            ledger.append_encoded([body(entry)])
        spoilt = {key: value for key, value in (good["attempt"] | change).items() if value is not None}
        number = ledger.append({"attempt": spoilt})
    found = verify_journal(tmp_path / "bad")
    assert found.ledger.intact
    assert not found.intact
    assert [(one.number, one.law) for one in found.unlawful][:1] == [(number, law)]


@pytest.mark.req("EX-09")
@pytest.mark.parametrize(
    ("law", "bodies"),
    [
        ("every ticket has one final record", lambda one: [one(1), one(2), one(1)]),
        ("every ticket has one final record", lambda one: [one(1), one(3), {"end": {"run": 1, "attempts": 2}}]),
        ("an end counts its attempts", lambda one: [one(1), {"end": {"run": 1, "attempts": 2}}]),
        ("runs are numbered in order", lambda one: [one(1), {"run": {"run": 3}}]),
        ("a run begins before anything else", lambda one: [{"end": {"run": 1, "attempts": 0}}, one(1)]),
        ("every record is of a known kind", lambda one: [{"diary": {}}]),
        (
            "a late result follows a timeout",
            lambda one: [
                one(1),
                {"late": {"connection": 1, "ticket": 1, "id": 2, "intent": "STOP", "result": make_result().to_data(), "label": "positive", "elapsed_us": 1}},
            ],
        ),
    ],
)  # fmt: skip
def test_every_broken_law_between_records_is_named(tmp_path: Path, law: str, bodies: Any) -> None:
    """Tickets, runs, ends and late results are checked against earlier records."""
    good = raw(intercepted(1, "DANCE"), tmp_path / "good")["attempt"]
    good.pop("state")
    with Ledger(tmp_path / "bad", kind="journal", meta={"layout": 1}) as ledger:
        ledger.append_many(of_a_run(*bodies(lambda ticket: {"attempt": good | {"ticket": ticket}})))
    assert law in {one.law for one in verify_journal(tmp_path / "bad").unlawful}


def test_tickets_that_a_crash_left_open_are_counted(tmp_path: Path) -> None:
    """In a run that was not closed, tickets without a record break no law; they are counted."""
    good = raw(intercepted(1, "DANCE"), tmp_path / "good")["attempt"]
    good.pop("state")
    with Ledger(tmp_path / "cut", kind="journal", meta={"layout": 1}) as ledger:
        ledger.append_many(of_a_run(*({"attempt": good | {"ticket": ticket}} for ticket in (1, 5, 3))))
    found = verify_journal(tmp_path / "cut")
    assert (found.intact, found.unfinished) == (True, 2)


def test_a_changed_byte_is_found(tmp_path: Path) -> None:
    """The ledger's chain is part of the verification, and the records before the break are still checked."""
    record(tmp_path, [CONNECTED, *of_every_label()])
    file = tmp_path / "000001.jsonl"
    file.write_bytes(file.read_bytes().replace(b'"ticket":9', b'"ticket":8'))
    found = verify_journal(tmp_path)
    assert found.ledger.fault is not None
    assert (found.intact, found.ledger.fault.reason, found.attempts) == (False, FaultKind.CHANGED, 8)


EVENTS = st.lists(
    st.one_of(
        st.sampled_from(of_every_label()),
        st.builds(lambda seq, asked: state(seq, id=9 if asked else None), st.integers(0, 40), st.booleans()),
        st.builds(lambda seq: answered(0, at=state(seq), next_state=state(seq + 1)), st.integers(0, 40)),
        st.just(Breach(connection=1, kind="repeated", what="again", id=3)),
    ),
    max_size=60,
)


@pytest.mark.req("EX-09", "EX-16")
@given(EVENTS, st.integers(1, 4), st.integers(1, 40))
@settings(deadline=None)
def test_whatever_is_told_the_journal_keeps_its_laws(
    tmp_path_factory: pytest.TempPathFactory, events: Sequence[Any], every: int, bound: int
) -> None:
    """Any order of events, any bound and sampling: laws kept, every attempt there once, and the summary counts them."""
    import msgspec

    tickets = iter(range(1, 1000))
    told = [
        msgspec.structs.replace(event, ticket=next(tickets)) if isinstance(event, Outcome) else event
        for event in events
    ]
    folder = tmp_path_factory.mktemp("journal") / "j"
    records = record(folder, [CONNECTED, *told], state_every=every, bound=bound)
    outcomes = [event for event in told if isinstance(event, Outcome)]
    assert verify_journal(folder).unlawful == ()
    assert [one.ticket for one in attempts(records)] == [one.ticket for one in outcomes]
    for step, outcome in zip(read_transitions(folder), outcomes, strict=True):
        assert (step.state and step.state.data) == (outcome.state and outcome.state.data)
        assert (step.next_state and step.next_state.key[1]) == (outcome.next_state and outcome.next_state.seq)
    found = summarise_journal(folder)
    cells = {(one.requested.intent, one.label) for one in outcomes}
    assert sum(sum(row.values()) for row in found.by_intent.values()) == found.attempts == len(outcomes)
    assert sum(map(len, found.by_intent.values())) == len(cells)
    assert found.breaches == ({"repeated": n} if (n := sum(isinstance(e, Breach) for e in told)) else {})


def test_a_summary_counts_what_happened(tmp_path: Path, told: Told) -> None:
    """Attempts by intent and label, refused retries, late results, latency, reward and its parts, connections."""
    second = Connected(connection=2, welcome=WELCOME)
    slow = answered(16, elapsed=0.123456, connection=2)
    record(tmp_path, [CONNECTED, *of_every_label(), LOST, second, slow, silent(17, "timeout", elapsed=9.0)])
    found = summarise_journal(tmp_path)
    assert found.by_intent["MOVE"] == {
        "positive": 2,
        "environmental_constraint": 3,
        "out_of_sync": 1,
        "partial": 1,
        "unknown": 1,
        "timeout": 2,
        "malformed": 2,
        "refused_retry": 1,
    }
    assert found.by_intent["(other)"] == {"intercepted": 1}
    assert found.by_purpose == {"fallback": 1, "instead": 1, "opening": 1, "policy": 14}
    assert (found.refused_retries, found.deaths, found.attempts) == (1, 1, 17)
    assert found.latency_us == {"p50": 42, "p90": 42, "p99": 123000, "p100": 123000}
    assert found.reward == pytest.approx(sum(step.attempt.reward for step in read_transitions(tmp_path)))
    assert found.reward == pytest.approx(sum(found.reward_parts.values()))
    assert [(met.connection, met.executor, met.ended) for met in found.connections] == [
        (1, "test", "eof"),
        (2, "test", ""),
    ]
    told(found)


@pytest.mark.req("EX-09", "EX-19")
def test_a_play_in_the_arena_is_recorded_whole(tmp_path: Path) -> None:
    """A door that drives the arena, nonsense included, leaves a lawful journal with a record for each request."""
    with Journal(tmp_path) as journal:
        asked = play(journal.tell, 150, seed=3)
    found = summarise_journal(tmp_path)
    assert found.by_purpose["policy"] == asked
    assert found.by_intent["(other)"]["intercepted"] == found.by_purpose["instead"] > 0
    assert verify_journal(tmp_path).intact
