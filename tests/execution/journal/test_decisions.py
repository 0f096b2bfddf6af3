"""Every decision of a recorded drive is in its journal, and answers the questions that the original answers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from volition.arbitration import CompositeIntention, Heuristic, arbitrate
from volition.core.errors import BrokenRecord, InvalidInput
from volition.core.ledger import Ledger, read
from volition.execution import connect, summarise_journal, verify_journal
from volition.execution.client.replay import recorded_intents, replay
from volition.execution.journal import records
from volition.execution.journal.decisions import find_decision, read_decisions
from volition.execution.journal.entries import read_journal
from volition.execution.journal.writer import KIND
from volition.execution.worlds.pilot import Pilot, drive

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.sentences import Told
    from volition.execution.worlds.pilot.course import PilotStep

STEPS = 12


@pytest.fixture(scope="module")
def driven(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[PilotStep]]:
    """A short drive: its journal, and its steps."""
    path, steps = tmp_path_factory.mktemp("driven") / "journal", list[Any]()
    with connect("embedded", map="foundry", seed=7, pace="virtual", journal=path) as bridge:
        drive(bridge, STEPS, steps.append)
    return path, steps


def copy(path: Path, to: Path, change: Callable[[dict[str, Any]], dict[str, Any] | None]) -> Path:
    """A journal with other records, properly chained; None leaves one out."""
    header = next(iter(read(path)))
    assert header is not None
    with Ledger(to, kind=KIND, meta={"layout": 1}) as ledger:
        for record in read(path):
            changed = change(record.body)
            if changed is not None:
                ledger.append(changed)
    return to


def test_every_step_has_its_decision(driven: tuple[Path, list[PilotStep]]) -> None:
    """Each decision is equal to the one that was made, with the step and the state that it was made in."""
    path, steps = driven
    found = list(read_decisions(path))
    assert [each.step for each in found] == list(range(1, STEPS + 1))
    assert [each.decision() for each in found] == [step.decision for step in steps]
    assert [each.tick for each in found] == [step.situation.tick for step in steps]
    one, step = find_decision(path, 5), steps[4]
    asked: tuple[dict[str, Any], ...] = ({"without": "hazard"}, {"without": "wall"}, {"weights": {"reach": 0.0}})
    for change in asked:
        then, now = step.decision.what_if(**change, shadow=True), one.decision().what_if(**change, shadow=True)
        assert (then.text, then.shadows, then.after) == (now.text, now.shadows, now.after)


def test_an_attempt_follows_the_decision_that_it_carries_out(driven: tuple[Path, list[PilotStep]]) -> None:
    """Between two decisions the policy makes at most one attempt: the one that was decided."""
    path, steps = driven
    carried: dict[int, list[str]] = {}
    step = 0
    for _, _, record in read_journal(path):
        if isinstance(record, records.Decided):
            step = record.step
            carried[step] = []
        elif isinstance(record, records.Attempt) and record.purpose == "policy":
            carried[step].append(record.requested.intent)
    wanted = [[] if each.outcome is None else [each.outcome.requested.intent] for each in steps]
    assert [carried[number] for number in range(1, STEPS + 1)] == wanted


def test_the_intentions_are_written_once(driven: tuple[Path, list[PilotStep]]) -> None:
    """One record has the intentions of all decisions; another composite has another record, whose key they name."""
    path, _ = driven
    assert sum(type(entry.record) is records.Composed for entry in read_journal(path)) == 1


def test_two_composites_are_told_apart(tmp_path: Path) -> None:
    """Decisions of different intentions in one run are each restored by their own."""
    one, two = (CompositeIntention(Heuristic("goal", lambda _: 0.5, weight=weight)) for weight in (1.0, 2.0))
    made = [arbitrate(["a", "b"], composite) for composite in (one, two, one)]
    with connect("embedded", pace="virtual", journal=tmp_path / "journal") as bridge:
        for step, decision in enumerate(made, 1):
            bridge.record_decision(decision, step=step)
    found = list(read_decisions(tmp_path / "journal"))
    assert [each.decision() for each in found] == made
    assert [each.decided.composite for each in found] == [1, 2, 1]
    assert verify_journal(tmp_path / "journal").intact


def test_replay_and_verification_hold(driven: tuple[Path, list[PilotStep]]) -> None:
    """Decisions change neither what a replay sends nor whether a journal is intact."""
    path, _ = driven
    assert verify_journal(path).intact
    number, intents = recorded_intents(path)
    with connect("embedded", map="foundry", seed=7) as bridge:
        assert replay(intents, bridge, run=number, pace="fast").sent == summarise_journal(path).by_purpose["policy"]


def test_a_journal_without_decisions_still_loads(
    driven: tuple[Path, list[PilotStep]], tmp_path: Path, told: Told
) -> None:
    """What was recorded before there were decisions is read, verified and summarised, and says that it has none."""
    old = copy(driven[0], tmp_path / "old", lambda body: None if {"decision", "composite"} & body.keys() else body)
    assert verify_journal(old).intact
    assert list(read_decisions(old)) == []
    with pytest.raises(InvalidInput) as refused:
        find_decision(old, 1)
    told(refused.value)


def test_a_pilot_may_leave_its_decisions_out(tmp_path: Path) -> None:
    """With `record=False` a journal has attempts only."""
    with connect("embedded", pace="virtual", journal=tmp_path / "journal") as bridge:
        drive(bridge, 3, pilot=Pilot(record=False))
    assert list(read_decisions(tmp_path / "journal")) == []


def lie(body: dict[str, Any]) -> dict[str, Any]:
    """Another winner in each decision."""
    if "decision" in body:
        said = body["decision"]["decision"]
        said["chosen"] = next(name for name in said["candidates"] if name != said.get("chosen"))
    return body


def test_a_decision_that_was_changed_is_found(driven: tuple[Path, list[PilotStep]], tmp_path: Path) -> None:
    """A new chain of hashes hides nothing: verification decides again, and asking for the decision is refused."""
    lied = copy(driven[0], tmp_path / "lied", lie)
    found = verify_journal(lied)
    assert found.unlawful_count == STEPS
    assert {each.law for each in found.unlawful} == {"the votes of a decision lead to what was chosen"}
    with pytest.raises(BrokenRecord):
        find_decision(lied, 1).decision()


def test_a_decision_without_its_intentions_is_found(driven: tuple[Path, list[PilotStep]], tmp_path: Path) -> None:
    """Where the intentions are missing, verification says so, and reading is refused."""
    lost = copy(driven[0], tmp_path / "lost", lambda body: None if "composite" in body else body)
    assert {each.law for each in verify_journal(lost).unlawful} == {"references resolve"}
    with pytest.raises(BrokenRecord):
        list(read_decisions(lost))


def test_a_record_says_no_more_than_it_must(driven: tuple[Path, list[PilotStep]]) -> None:
    """A decision takes less than three kilobytes: abstentions and the intentions are left out."""
    sizes = [len(msgspec.json.encode(each.decided)) for each in read_decisions(driven[0])]
    assert max(sizes) < 3000
