"""Nobody decides from what they cannot perceive, and nobody's state tells what they could not see.

The tests walk the parts of the state: whatever is not somebody's own, not before their eyes and not public is changed, a
part at a time or all at once, and must change nothing.
"""

from __future__ import annotations

from functools import cache
from random import Random
from typing import TYPE_CHECKING, Any

import pytest

from tests.drama.evening.casts import DINNER, STATION, shipped
from tests.drama.evening.stepping import InterpretedSteps
from volition.drama.evening.choose import add_noise, choose, weigh
from volition.drama.evening.log import EveningLog, clear_log, new_log
from volition.drama.evening.perceive import Perceived, perceive
from volition.drama.evening.record import DEPARTED, copy_plain, new_plain, parts_of
from volition.drama.evening.state import MOVES, PEOPLE, EveningState
from volition.drama.evening.tick import begin_tick, carry_out, decides
from volition.drama.evening.weigh import ScoreSheet
from volition.drama.rules.catalog import OBSERVE, REVEAL

if TYPE_CHECKING:
    from volition.drama.evening.record import RecordPart

TICKS = (8, 25, 45, 65, 85, 100)
PUBLIC = frozenset({"seed", "tick", "minutes"})
"""What everybody knows: which evening it is, and the time. Chance is nobody's knowledge, but it is keyed by the seed."""
SEEN_BY_ALL = frozenset({"task", "task_since"})
"""What a person is seen to be doing: who was called to serve."""
NAMES = [part.name for part in parts_of(EveningState)]
SCRATCH = frozenset(NAMES[NAMES.index("moved_seen") + 1 :])
"""What one tick notes of itself while it passes: nobody has it when they decide."""


@cache
def player(name: str) -> InterpretedSteps:
    return InterpretedSteps(shipped(name))


@cache
def moments(name: str) -> list[EveningState]:
    """States in the middle of two evenings, before anybody has decided."""
    actor, found = player(name), list[EveningState]()
    for seed in (1, 2):
        actor.begin(seed)
        while not actor.stop(max(TICKS) + 1):
            if actor.evening.tick in TICKS:
                state = copy_plain(actor.evening, EveningState)
                begin_tick(state, actor.tables, new_log(actor.sizes, on=False))
                found.append(state)
            actor.tick()
    return found


@cache
def truths(name: str, most: int = 2) -> list[EveningState]:
    """States before ticks in which a truth comes out."""
    actor, found = player(name), list[EveningState]()
    for seed in (1, 2, 3):
        actor.begin(seed)
        while not actor.stop(player(name).tables.last_tick) and len(found) < most:
            before = copy_plain(actor.evening, EveningState)
            log = actor.tick()
            if any(log.event_kind[row] == REVEAL or log.event_out[row] >= 0 for row in range(log.events)):
                begin_tick(before, actor.tables, new_log(actor.sizes, on=False))
                found.append(before)
    return found


def another(part: RecordPart, now: float, chance: Random, player: InterpretedSteps) -> float:
    """Some other value that a number of a part may have."""
    tables = player.tables
    match part.kind.name:
        case "real":
            return chance.random()
        case "minute" | "level":
            return chance.choice([-1.0, chance.random() * 50.0])
        case "tick":
            return chance.randint(-1, 100)
        case "people":
            return chance.randrange(1 << tables.people)
        case "belief":
            return chance.randrange(4)
        case "person":
            return chance.randint(-1, tables.people - 1)
        case "room":
            return chance.randrange(tables.rooms)
        case "act":
            return chance.randrange(tables.acts)
        case "task":
            return chance.randint(-1, 2)
    return int(now) + chance.randint(1, 3) if part.kind.name == "count" else chance.randrange(2)


def change_hidden(state: EveningState, me: int, part: RecordPart, chance: Random, player: InterpretedSteps) -> None:
    """Change everything of a part that somebody cannot perceive."""
    rows, here = getattr(state, part.name), state.room[me]
    if part.name in PUBLIC or part.name in SCRATCH:
        return
    if not part.shape:
        setattr(state, part.name, another(part, rows, chance, player))
    elif part.name == "room":
        elsewhere = [room for room in range(player.tables.rooms) if room != here] + [DEPARTED]
        for other in range(player.tables.people):
            if other != me and rows[other] != here:
                rows[other] = chance.choice(elsewhere)
    elif part.shape[0] == MOVES:
        for at, row in enumerate(rows):
            for other in range(player.tables.people):
                if state.moved_seen[at][other] >> me & 1 == 0:
                    row[other] = int(another(part, row[other], chance, player))
                    state.moved_seen[at][other] &= ~(1 << me)
    else:
        own = part.shape[0] == PEOPLE
        for place in range(len(rows)):
            if not own or place != me:
                rows[place] = scrambled(rows[place], part, chance, player)


def scrambled(value: Any, part: RecordPart, chance: Random, player: InterpretedSteps) -> Any:
    if isinstance(value, list):
        return [scrambled(one, part, chance, player) for one in value]
    return another(part, value, chance, player)


def weighed(state: EveningState, me: int, player: InterpretedSteps) -> tuple[list[int], list[float]]:
    """What somebody weighs in a state, and how."""
    seen, sheet = new_plain(Perceived, player.sizes), new_plain(ScoreSheet, player.sizes)
    perceive(state, player.tables, me, seen)
    weigh(state, player.tables, me, seen, sheet)
    add_noise(state, player.tables, me, sheet)
    return sheet.act[: sheet.acts], sheet.worth[: sheet.acts]


@pytest.mark.req("DE-16", "DE-26")
@pytest.mark.parametrize("name", [DINNER, STATION])
def test_what_somebody_cannot_perceive_changes_nothing(name: str) -> None:
    """Whatever part of the world is hidden from somebody, changing it changes neither their choices nor their scores."""
    actor, chance, parts = player(name), Random(5), parts_of(EveningState)
    for state in moments(name):
        for me in range(actor.tables.people):
            if decides(state, me):
                before, changed = weighed(state, me, actor), copy_plain(state, EveningState)
                for part in parts:
                    change_hidden(changed, me, part, chance, actor)
                if weighed(changed, me, actor) != before:
                    assert leaking(state, me, actor, parts) == []


def leaking(state: EveningState, me: int, actor: InterpretedSteps, parts: list[RecordPart]) -> list[str]:
    """The parts of which a hidden number reaches somebody's scores."""
    before, found = weighed(state, me, actor), []
    for part in parts:
        changed = copy_plain(state, EveningState)
        change_hidden(changed, me, part, Random(5), actor)
        if weighed(changed, me, actor) != before:
            found.append(part.name)
    return found or ["several at once"]


OWN = [part for part in parts_of(EveningState) if part.delta is not None and part.shape and part.shape[0] == PEOPLE]
"""What is somebody's own in a state: a row for each."""


def changed_for_others(one: EveningState, other: EveningState, but: int) -> list[str]:
    """The parts of which anybody else has other numbers in another state."""
    rows = ((part.name, getattr(one, part.name), getattr(other, part.name)) for part in OWN)
    return [name for name, now, then in rows if now[:but] != then[:but] or now[but + 1 :] != then[but + 1 :]]


def seen_events(log: EveningLog, but: int) -> list[tuple[Any, ...]]:
    """The events of a tick as they could be seen, without what somebody noticed alone."""
    columns = [
        getattr(log, part.name)
        for part in parts_of(EveningLog)
        if part.name.startswith("event_") and part.name not in ("event_delta", "event_strain", "event_heard")
    ]
    return [
        tuple(column[row] for column in columns)
        for row in range(log.events)
        if not (log.event_kind[row] == OBSERVE and log.event_source[row] == but)
    ]


@pytest.mark.req("DE-26")
@pytest.mark.parametrize("name", [DINNER, STATION])
def test_what_happens_to_others_follows_from_what_was_seen(name: str) -> None:
    """With somebody's hidden numbers changed, where the same acts make the same events, everybody else ends the tick the
    same: their stress, bonds and tasks tell nothing of what they could not see."""
    actor, chance, alike = player(name), Random(7), 0
    hidden = [part for part in OWN if part.name not in SEEN_BY_ALL | {"room", "recents", "recent_act", "recent_tick"}]
    for state in (moments(name)[0], *truths(name)):
        chosen, seen, sheet = copy_plain(state, EveningState), new_plain(Perceived, actor.sizes), actor.sheet
        for who in range(actor.tables.people):
            if decides(chosen, who):
                perceive(chosen, actor.tables, who, seen)
                choose(chosen, actor.tables, who, seen, sheet)
        plain, log, after = copy_plain(chosen, EveningState), new_log(actor.sizes), new_log(actor.sizes)
        carry_out(plain, actor.tables, log)
        for secretive in range(actor.tables.people):
            for part in hidden:
                changed = copy_plain(chosen, EveningState)
                clear_log(after)
                rows = getattr(changed, part.name)
                rows[secretive] = scrambled(rows[secretive], part, chance, actor)
                carry_out(changed, actor.tables, after)
                if seen_events(after, secretive) == seen_events(log, secretive):
                    alike += 1
                    assert changed_for_others(changed, plain, but=secretive) == [], part.name
    assert alike > 250
