"""From the rows of a log to events, deltas and the record of a tick: what the numbers of an evening say, by name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from msgspec import Struct

from volition.drama.evening.log import (
    BELIEVED,
    END_OF_TICK,
    KNEW,
    LIE_FOUND_OUT,
    MENDED,
    REASONS,
    RECONCILED,
    REPEATED,
    SEEN,
    SIDES,
    STANCE,
    STATED,
    STRAINED,
    SWALLOWED,
    THROWN,
    EveningLog,
)
from volition.drama.evening.names import ScenarioNames, names_of
from volition.drama.evening.record import BELIEF, NONE, PEOPLE_SET, REAL, RecordPart, parts_of
from volition.drama.evening.resolve import OBSTACLES
from volition.drama.evening.sets import has
from volition.drama.evening.state import (
    OF_ATTACK,
    OF_SECRET,
    PACING,
    RECENT_ACTS,
    SIGHTINGS,
    SORTS,
    WORLD,
    EveningState,
)
from volition.drama.rules.catalog import CATASTROPHE, EMOTIONS, OBSERVE, SWALLOWING, EventType
from volition.drama.rules.catastrophe import Breakdown
from volition.drama.stage.causes import Causes
from volition.drama.stage.events import Choice, Delta, Event, Strain, TickRecord

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from volition.drama.evening.tables import ScenarioTables
    from volition.drama.world.model import Scenario

_ROWS: Final = {PACING: 6, SIGHTINGS: 2, RECENT_ACTS: 1}
"""Kinds of deltas that change several parts as one, and how many rows each has at least."""
_EMOTION, _EMOTIONS = "emotion", "emotions"
_FLAGS: Final = ((STANCE, "stance"), (SIDES, "sides"), (MENDED, "mends"), (REPEATED, "repeated"))


class LogReader:
    """Reads the rows of one evening, tick by tick: events are numbered on, and causes are found among earlier ones."""

    def __init__(
        self,
        scenario: Scenario,
        tables: ScenarioTables,
        causes: Causes | None = None,
        count: int = 0,
        names: ScenarioNames | None = None,
    ) -> None:
        self.names, self.tables = names or names_of(scenario), tables
        self.causes, self.count = causes or Causes(), count
        self._traits = {
            id: next((flaw.kind for flaw in person.flaws if flaw.effect in SWALLOWING), "")
            for id, person in scenario.people.items()
        }
        self._forms = [_form(part, self.names) for part in parts_of(EveningState)]

    def tick(
        self, evening: EveningState, log: EveningLog, tick: int, minutes: float, before: tuple[Delta, ...] = ()
    ) -> TickRecord:
        """The record of a tick that began at a minute, from its log and the state after it."""
        first, events = self.count, []
        for row in range(log.events):
            events.append(self._event(log, row, tick, minutes, first))
            self.causes.add(events[-1])
            self.count += 1
        after = tuple(self.deltas(log, log.settled, log.deltas))
        return TickRecord(tick, minutes, evening.length, self._choices(evening), tuple(events), after, before)

    def _choices(self, evening: EveningState) -> dict[str, Choice]:
        chosen = {}
        for who, id in sorted(enumerate(self.names.people), key=lambda pair: pair[1]):
            act, became = evening.choice[who], evening.became[who]
            if act != NONE:
                outcome = "done" if became == act else self.names.acts[became]
                because = OBSTACLES[evening.because[who]] or None
                chosen[id] = Choice(self.names.acts[act], evening.score[who], evening.priority[who], outcome, because)
        return chosen

    def _event(self, log: EveningLog, row: int, tick: int, minutes: float, first: int) -> Event:
        names, heard = self.names, log.event_heard[row]
        kind, source = EventType(log.event_kind[row]), names.people[log.event_source[row]]
        targets, room = names.members(log.event_targets[row]), names.room(log.event_room[row])
        secret = _optional(names.secrets, log.event_secret[row])
        if heard != NONE:
            causes: tuple[str, ...] = (_id(first + heard),)
        else:
            causes = self.causes.of(tick, kind, source, targets, room, secret)
        last = row + 1 == log.events
        deltas = tuple(self.deltas(log, log.event_delta[row], log.settled if last else log.event_delta[row + 1]))
        strains = self._strains(log, log.event_strain[row], log.strains if last else log.event_strain[row + 1])
        focus = destination = manner = None
        if log.event_act[row] != NONE:
            act = names.numbered[log.event_act[row]]
            focus, manner = _optional(names.people, act.focus), act.manner
            destination = _optional(names.rooms, act.destination)
        return Event(
            _id(first + row), tick, minutes, row, kind, source, targets, room, causes, deltas, tuple(strains),
            names.members(log.event_witnesses[row]), names.members(log.event_overheard[row]),
            focus, destination, secret, manner, self._details(log, row, kind, deltas, first),
        )  # fmt: skip

    def _details(
        self, log: EveningLog, row: int, kind: EventType, deltas: tuple[Delta, ...], first: int
    ) -> dict[str, Any]:
        """What only some events have, in the order in which it came about."""
        names, flags, out = self.names, log.event_flags[row], log.event_out[row]
        details: dict[str, Any] = {}
        if kind == CATASTROPHE:
            details["breakdown"] = Breakdown(log.event_breakdown[row]).name.lower()
        details |= {name: True for flag, name in _FLAGS if flags & flag}
        if log.event_about[row] != NONE:
            sort, about = names.cause(log.event_about[row])
            details["about"] = about
            if sort != SORTS[OF_SECRET]:
                details["wrong"] = sort
            if sort != SORTS[OF_ATTACK]:
                details["stated"] = bool(flags & STATED) or out != NONE
        if log.event_question[row] != NONE:
            details["question"] = names.secrets[log.event_question[row]]
        if flags & KNEW:
            details["known"] = next(
                secret for place, secret in enumerate(names.secrets) if has(log.event_found[row], place)
            )
        if flags & RECONCILED:
            details["reconciled"] = True
        if secrets := self._secrets_found(log, row):
            details["found"] = secrets
        if flags & (BELIEVED | SEEN):
            details["believed"] = bool(flags & BELIEVED)
        if out != NONE:
            details["told" if kind == CATASTROPHE else "forced"] = names.secrets[out]
        if lies := [
            [delta.agent, delta.before, delta.key]
            for delta in deltas
            if delta.kind == "planted" and delta.reason == REASONS[LIE_FOUND_OUT]
        ]:
            details["lies_found"] = lies
        if log.event_caught[row]:
            details["caught"] = list(names.members(log.event_caught[row]))
        if flags & THROWN:
            details["thrown_out"] = True
        if flags & SWALLOWED:
            details["swallowed"] = self._traits[names.people[log.event_source[row]]]
        if log.event_clock[row] != NONE:
            details["clock"] = names.clock(log.event_clock[row])
        if log.event_heard[row] != NONE:
            details["heard"] = _id(first + log.event_heard[row])
        return details

    def _secrets_found(self, log: EveningLog, row: int) -> list[str]:
        """The secrets that watching betrayed, the weightiest first, as they were looked for."""
        members, act = log.event_found[row], log.event_act[row]
        if not members or log.event_kind[row] != OBSERVE or act == NONE:
            return []
        watched = self.tables.focus[act]
        secrets = self.tables.held[watched][: self.tables.held_count[watched]]
        return [self.names.secrets[secret] for secret in secrets if has(members, secret)]

    def _strains(self, log: EveningLog, start: int, end: int) -> Iterator[Strain]:
        for row in range(start, end):
            number, amount = STRAINED[log.strain_number[row]], log.strain_amount[row]
            agent, reason = self.names.people[log.strain_agent[row]], REASONS[log.strain_reason[row]]
            yield Strain(agent, number, int(amount) if number == "drinks" else amount, reason)

    def deltas(self, log: EveningLog, start: int, end: int) -> list[Delta]:
        """The deltas of some rows; one that changes several parts at once has as many rows."""
        parts, agents, earlier, later = log.delta_part, log.delta_agent, log.delta_before, log.delta_after
        people, deltas, row = self.names.people, list[Delta](), start
        before: Any
        after: Any
        while row < end:
            form, reason = self._forms[parts[row]], REASONS[log.delta_reason[row]]
            agent = people[agents[row]] if form.kind != WORLD else ""
            if form.kind not in _ROWS and not (form.kind == _EMOTION and reason == REASONS[END_OF_TICK]):
                key = form.key if form.keyed is None else form.keyed(log.delta_key[row], log.delta_other[row])
                before, after = earlier[row], later[row]
                if form.read is not None:
                    before, after = form.read(before), form.read(after)
                deltas.append(Delta(form.kind, agent, key, before, after, reason, form.attribute))
                row += 1
                continue
            rows = form.rows
            if form.kind == RECENT_ACTS:
                rows += int(earlier[row]) + int(later[row])
                before, after = self._recent_acts(log, row)
                deltas.append(Delta(RECENT_ACTS, agent, None, before, after, reason))
            elif form.kind == PACING:
                before, after = (_pacing(side[row : row + rows]) for side in (earlier, later))
                deltas.append(Delta(PACING, agent, None, before, after, reason))
            elif form.kind == SIGHTINGS:
                before, after = (self._sighting(side, row) for side in (earlier, later))
                deltas.append(Delta(SIGHTINGS, agent, people[log.delta_key[row]], before, after, reason))
            else:
                rows = len(EMOTIONS)
                before, after = (tuple(side[row : row + rows]) for side in (earlier, later))
                deltas.append(Delta(_EMOTIONS, agent, None, before, after, reason))
            row += rows
        return deltas

    def _recent_acts(self, log: EveningLog, row: int) -> Iterator[tuple[tuple[int, str], ...]]:
        """The acts that a person remembered before, and those that they remember now."""
        first = row + 1
        for count in (int(log.delta_before[row]), int(log.delta_after[row])):
            yield tuple(
                (int(log.delta_after[at]), self.names.acts[int(log.delta_before[at])])
                for at in range(first, first + count)
            )
            first += count

    def _sighting(self, side: list[float], row: int) -> tuple[str, int] | None:
        """Where a person was seen and since when; None for nowhere."""
        return None if side[row] == NONE else (self.names.room(int(side[row])), int(side[row + 1]))


class _Form(Struct, frozen=True):
    """How the rows of a part are read: the kind of delta, how many rows it has, its key, and its numbers.

    `keyed` makes the key of two numbers, and where there is none it is always `key`; `read` reads a number that is not
    what it is.
    """

    kind: str
    rows: int
    attribute: str | None
    key: str | None
    keyed: Callable[[int, int], Any] | None
    read: Callable[[float], Any] | None


def _form(part: RecordPart, names: ScenarioNames) -> _Form:
    kind, named = part.delta or "", names.parts.get(part.name)
    rows, attribute = _ROWS.get(kind, 1), part.name if kind == "bond" else None
    read: Callable[[float], Any] | None = None
    if part.kind in (BELIEF, PEOPLE_SET):
        read = int if part.kind == BELIEF else bool
    elif part.kind != REAL and part.kind.name in names.spellings:
        read = names.spellings[part.kind.name].read
    keyed = named.key_of if named is not None and named.depth else None
    return _Form(kind, rows, attribute, part.name if kind == WORLD else None, keyed, read)


def _pacing(numbers: list[float]) -> tuple[float, ...]:
    """The six numbers of pacing, of which the last two are whole."""
    budget, stress, composure, commitment, timer, suppression = numbers
    return budget, stress, composure, commitment, int(timer), int(suppression)


def _id(number: int) -> str:
    """The id of an event by its place in the evening."""
    return f"e{number + 1:04}"


def _optional(names: Any, place: int) -> Any:
    return None if place == NONE else names[place]
