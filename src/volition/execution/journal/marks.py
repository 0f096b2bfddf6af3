"""What happens in a journal that is worth going to: deaths, hits, blocked moves, vetoes, stops and lost connections.

Marks are found in the records of a journal, or while they are made.
"""

from __future__ import annotations

from collections import defaultdict, deque
from typing import TYPE_CHECKING, Any, Final, Literal

from msgspec import Struct

from volition.arbitration.recorded import best_vetoed
from volition.execution.journal.builder import RecordBuilder
from volition.execution.journal.records import Attempt, Composed, Connected, Decided, Lost, State, parse
from volition.execution.journal.summary import DeathCount

if TYPE_CHECKING:
    from volition.arbitration.recorded import RecordedComposite, RecordedDecision
    from volition.execution.door.events import DoorEvent
    from volition.execution.journal.journal import Journal
    from volition.execution.journal.records import JournalRecord

MarkKind = Literal["death", "hurt", "hit", "blocked", "veto", "stop", "lost"]
LARGEST: Final = 1e15
"""No health is larger: anybody may write a journal, and not every integer is a float."""
LEGEND: Final[dict[str, str]] = {
    "death": "the actor dies",
    "hurt": "the actor is hit",
    "hit": "the opponent is hit",
    "blocked": "a move is blocked",
    "veto": "a veto prevents what had the most votes, or the bridge refuses to send",
    "stop": "a stop is sent",
    "lost": "the connection is lost, or made again",
}
"""What each kind of mark means."""


class JournalMark(Struct, frozen=True):
    """Something that happens in a moment of a journal."""

    number: int
    """The number of the moment in its run; of the step, in a drive."""
    kind: MarkKind
    """What happens: the legend explains each kind."""
    text: str
    """The same in words."""


class MarkFinder:
    """Finds the marks of one run: takes its records in their order."""

    def __init__(self) -> None:
        self._deaths: defaultdict[int, DeathCount] = defaultdict(DeathCount)
        self._health: dict[tuple[int, int, str], float] = {}
        self._prevented: str | None = None
        self._lost = False

    def take(self, record: JournalRecord, composite: RecordedComposite | None) -> list[tuple[MarkKind, str]]:
        """The marks of a record, each with its text; `composite` is the one that a decision names."""
        match record:
            case State(key=key, episode=episode, data=data):
                return self._see_state(key[0], episode, data)
            case Attempt():
                return self._see_attempt(record)
            case Decided(decision=decision) if composite is not None:
                return self._see_decision(decision, composite)
            case Lost(reason=reason) if reason not in ("local", "goodbye"):
                self._lost = True
                return [("lost", f"the connection is lost: {reason}")]
            case Connected() if self._lost:
                self._lost = False
                return [("lost", "connected again")]
        return []

    def _see_decision(self, decision: RecordedDecision, composite: RecordedComposite) -> list[tuple[MarkKind, str]]:
        """A veto that decides is marked once, however many decisions in a row it prevents the same in."""
        before, prevented = self._prevented, best_vetoed(decision, composite)
        self._prevented = prevented
        if prevented is None or prevented == before:
            return []
        by = {judge: reasons[prevented] for judge, reasons in decision.vetoes.items() if prevented in reasons}
        reasons = [judge if reason is True else f"{judge}, {reason}" for judge, reason in by.items()]
        return [("veto", f"{prevented} is vetoed by {' and '.join(reasons)}")]

    def _see_state(self, connection: int, episode: int, data: Any) -> list[tuple[MarkKind, str]]:
        deaths = self._deaths[connection]
        before = deaths.count
        deaths.see_state(episode, data)
        marks: list[tuple[MarkKind, str]] = []
        bodies: tuple[tuple[str, MarkKind, str], ...] = (
            ("actor", "hurt", "the actor is hit"),
            ("opponent", "hit", "the opponent is hit"),
        )
        for body, kind, text in bodies:
            health = _health(data, body)
            if health is None:
                continue
            was = self._health.get((connection, episode, body), health)
            self._health[connection, episode, body] = health
            if health < was:
                marks.append((kind, f"{text}, for {was - health:g}"))
        if deaths.count > before:
            marks.append(("death", "the actor dies"))
        return marks

    def _see_attempt(self, attempt: Attempt) -> list[tuple[MarkKind, str]]:
        deaths = self._deaths[attempt.connection]
        before = deaths.count
        if attempt.answered:
            deaths.see_result(died=attempt.terminated)
        marks: list[tuple[MarkKind, str]] = [("death", "the actor dies")] if deaths.count > before else []
        intent = attempt.requested.intent
        if attempt.result.failure_reason == "BLOCKED" and attempt.label != "refused_retry":
            marks.append(("blocked", f"{intent} is blocked"))
        if attempt.label in ("intercepted", "refused_retry"):
            marks.append(("veto", f"{intent} is not sent: {attempt.detail or attempt.label}"))
        stopped = attempt.sent is not None and attempt.sent.intent == "STOP"
        if stopped and attempt.purpose != "opening":
            marks.append(("stop", "a stop is sent" if attempt.purpose == "policy" else f"a stop: {attempt.purpose}"))
        return marks


class LiveMarks:
    """Finds marks as they are made: it is told the events of a door, and tells them to a journal, if there is one.

    They are those that the journal of the same events has, whether or not anything is recorded.
    """

    def __init__(self, journal: Journal | None = None) -> None:
        self._journal = journal
        self._builder, self._finder = RecordBuilder(), MarkFinder()
        self._composites: dict[int, RecordedComposite] = {}
        self._found: deque[tuple[MarkKind, str]] = deque()

    def tell(self, event: DoorEvent) -> None:
        """Record an event, and look for marks in what is recorded of it."""
        self._builder.write(event)
        self._look()
        if self._journal is not None:
            self._journal.tell(event)

    def end(self) -> None:
        """No further events come: what the journal has kept back is looked at too."""
        self._builder.write_refusals()
        self._look()

    def take(self) -> list[tuple[MarkKind, str]]:
        """The marks since the last call, each with its text; events may be told by another thread meanwhile."""
        return [self._found.popleft() for _ in range(len(self._found))]

    def _look(self) -> None:
        for record in map(parse, self._builder.out):
            if type(record) is Composed:
                self._composites[record.key] = record.composite
            composite = self._composites.get(record.composite) if type(record) is Decided else None
            self._found += self._finder.take(record, composite)
        self._builder.out.clear()


def _health(data: Any, body: str) -> float | None:
    """The health of a body in a state of the arena; None where the state does not say."""
    there = data.get(body) if isinstance(data, dict) else None
    health = there.get("health") if isinstance(there, dict) else None
    return float(health) if isinstance(health, int | float) and abs(health) < LARGEST else None
