"""The names of a scenario: numbers of a record are read and written by them, each kind in its own way."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from volition.drama.evening.building import sizes_of
from volition.drama.evening.ending import ENDINGS
from volition.drama.evening.grammar import ALL, NumberedAct, numbered_acts
from volition.drama.evening.kept import make_once
from volition.drama.evening.record import (
    AMOUNT,
    BELIEF,
    CAUSE,
    COUNT,
    DEPARTED,
    FLAG,
    LEVEL,
    MINUTE,
    NONE,
    PACE,
    PEOPLE_SET,
    PERSON,
    REAL,
    ROOM,
    TASK,
    TICK,
    RecordPart,
    new_plain,
    parts_of,
)
from volition.drama.evening.sets import has
from volition.drama.evening.state import (
    FEELINGS,
    NEEDS,
    OF_ATTACK,
    PEOPLE,
    RECENT_ACTS,
    SECRETS,
    SORTS,
    TASKS,
    THINGS,
    WORLD,
    EveningState,
    cause_of,
    object_of,
    sort_of,
)
from volition.drama.rules.catalog import EMOTIONS, Belief
from volition.drama.world.model import DEPARTED as HAS_LEFT
from volition.drama.world.model import Action, Scenario

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

CHAT_TO_ALL = f"chat:{ALL}"
LATE = "late"
"""In place of the id of an event of the clock, for somebody who comes late."""


class KindSpelling(NamedTuple):
    """How the numbers of a kind are said by name, and which number stands for what is said; None says that there is none.

    What cannot stand for a number of the kind raises TypeError, ValueError or KeyError.
    """

    read: Callable[[float], Any]
    write: Callable[[Any], float]


class NamedPart:
    """A part of a person's state by name: `find` where something stands, then `read` or `write` it.

    The key is None where a person has one number, a name where they have a row, and a person and a secret where they have
    a table. A set has its members as keys, and True for who is in it. `keys` are all keys that there may be. A key or a
    value that there cannot be raises KeyError, TypeError or ValueError, and then nothing is written.
    """

    def __init__(self, part: RecordPart, names: ScenarioNames) -> None:
        self.name, self.kind, self._names = part.name, part.kind, names
        self._is_set = part.kind == PEOPLE_SET
        self._spelling = KindSpelling(bool, bool) if self._is_set else names.spellings[part.kind.name]
        self._none = float(part.kind.none) if part.kind.code == "f8" else int(part.kind.none)
        self._may_be_empty = self._is_set or self._spelling.read(self._none) is None
        dimensions = (PEOPLE, *part.shape[1:]) if self._is_set else part.shape[1:]
        self.depth, self._between = len(dimensions), dimensions == (PEOPLE,) and not self._is_set
        self._places = names.places[dimensions[0]] if dimensions else {}
        self._names_in_row = list(self._places)
        self.keys: Sequence[Any] = names.keys[dimensions[0]] if dimensions else (None,)
        if self.depth == 2:
            self.keys = [(person, secret) for secret in names.secrets for person in names.people]
        row: Sequence[Any] = names.people if self.depth == 2 else self.keys if self.depth else ()
        self._row = [self._places[name] for name in row]

    def find(self, evening: EveningState, who: int, key: Any) -> Any:
        """The numbers among which something stands, its place among them, and its bit in a set."""
        numbers = getattr(evening, self.name)
        if self.depth == 0:
            return numbers, who, 0
        if self.depth == 2:
            person, secret = key
            place, about = self._places[person], self._names.secret[secret]
            return (numbers[who], about, 1 << place) if self._is_set else (numbers[who][place], about, 0)
        place = self._places[key]
        if self._is_set:
            return numbers, who, 1 << place
        if place == who and self._between:
            raise KeyError(key)
        return numbers[who], place, 0

    def read(self, found: Any) -> Any:
        """What stands there; None for none."""
        numbers, at, bit = found
        return self._spelling.read(numbers[at] & bit if bit else numbers[at])

    def entries(self, evening: EveningState, who: int) -> list[tuple[Any, Any]]:
        """Each key at which something stands, with what `find` and `read` give for it."""
        numbers, row = getattr(evening, self.name)[who], self._row
        if self._may_be_empty and self._is_empty(numbers):
            return []
        if self.depth == 0:
            numbers = [numbers]
        elif self.depth == 1:
            numbers = [numbers & 1 << place for place in row] if self._is_set else [numbers[place] for place in row]
        elif self._is_set:
            numbers = [numbers[about] & 1 << place for about in range(len(self._names.secrets)) for place in row]
        else:
            numbers = [numbers[place][about] for about in range(len(self._names.secrets)) for place in row]
        nothing = False if self._is_set else None
        own = self._names.people[who] if self._between else None
        spelled = zip(self.keys, map(self._spelling.read, numbers), strict=True)
        return [(key, value) for key, value in spelled if value is not nothing and (own is None or key != own)]

    def _is_empty(self, numbers: Any) -> bool:
        """Whether nothing stands in a row or a table, as in most: looking at every key takes ten times as long."""
        none = self._none
        if not isinstance(numbers, list):
            return bool(numbers == none)
        if isinstance(numbers[0] if numbers else none, list):
            return all(row.count(none) == len(row) for row in numbers)
        return numbers.count(none) == len(numbers)

    def write(self, found: Any, value: Any) -> None:
        """Let this stand there; None for none."""
        numbers, at, bit = found
        if bit:
            numbers[at] = numbers[at] | bit if value else numbers[at] & ~bit
        else:
            numbers[at] = self._spelling.write(value)

    def reset(self, found: Any) -> None:
        """Let the number say that there is none."""
        numbers, at, _ = found
        numbers[at] = self._none

    def key_of(self, key: int, other: int) -> Any:
        """The key of a row or a table that two numbers in a log stand for."""
        name = self._names_in_row[key]
        return (name, self._names.secrets[other]) if self.depth == 2 else name


class SightingPart(NamedPart):
    """Where each other person was last seen, and since which tick: two parts of a state as one."""

    def find(self, evening: EveningState, who: int, key: Any) -> Any:
        return evening.seen_in[who], evening.seen_since[who], self._names.person[key]

    def read(self, found: Any) -> tuple[str, int] | None:
        rooms, ticks, place = found
        return None if rooms[place] == NONE else (self._names.room(rooms[place]), ticks[place])

    def entries(self, evening: EveningState, who: int) -> list[tuple[Any, Any]]:
        read = ((key, self.read(self.find(evening, who, key))) for key in self.keys)
        return [(key, value) for key, value in read if value is not None]

    def write(self, found: Any, value: Any) -> None:
        rooms, ticks, place = found
        room, tick = (None, NONE) if value is None else value
        rooms[place], ticks[place] = NONE if room is None else self._names.place[room], tick

    def reset(self, found: Any) -> None:
        self.write(found, None)


class ScenarioNames:
    """The names of a scenario's people, rooms, secrets, needs and acts, and the places where each stands.

    `keys` are the names along each dimension of a record, and `places` where each of them stands; `parts` are the parts of
    a person's state by name, and `blank` is a state in which nothing is yet.
    """

    def __init__(self, scenario: Scenario) -> None:
        self.scenario = scenario
        self.people, self.rooms = list(scenario.people), list(scenario.rooms)
        self.secrets, self.needs = list(scenario.secrets), list(scenario.evening.needs)
        self.things = list(scenario.evening.things)
        self.numbered = numbered_acts(scenario)
        self.acts = [act.id for act in self.numbered]
        self.person = _places(self.people)
        self.place = _places(self.rooms) | {HAS_LEFT: DEPARTED}
        self.secret = _places(self.secrets)
        self.act = _places(self.acts)
        self.keys: dict[str | int, Sequence[str]] = {
            PEOPLE: self.people,
            SECRETS: self.secrets,
            NEEDS: self.needs if scenario.rules["departures"]["needs"] else (),
            FEELINGS: EMOTIONS,
            THINGS: self.things,
        }
        self.places: dict[str | int, dict[str, int]] = {
            PEOPLE: self.person,
            SECRETS: self.secret,
            NEEDS: _places(self.needs),
            FEELINGS: _places(EMOTIONS),
            THINGS: _places(self.things),
        }
        self.blank = new_plain(EveningState, sizes_of(scenario))
        self.spellings: dict[str, KindSpelling] = {
            REAL.name: KindSpelling(_same, _real),
            COUNT.name: KindSpelling(int, _whole),
            PACE.name: KindSpelling(int, _whole),
            FLAG.name: KindSpelling(bool, _flag),
            BELIEF.name: KindSpelling(_read_belief, lambda belief: int(Belief(belief))),
            TICK.name: KindSpelling(_read_tick, lambda tick: NONE if tick is None else _whole(tick)),
            MINUTE.name: KindSpelling(_read_optional, _write_optional),
            LEVEL.name: KindSpelling(_read_optional, _write_optional),
            AMOUNT.name: KindSpelling(
                lambda amount: amount or None, lambda amount: 0.0 if amount is None else _real(amount)
            ),
            PERSON.name: _spell(self.people, self.person),
            CAUSE.name: KindSpelling(self._read_cause, self._write_cause),
            TASK.name: _spell(TASKS, _places(TASKS)),
            ROOM.name: KindSpelling(self._read_room, self.place.__getitem__),
        }
        self.parts = {
            part.name: SightingPart(part, self) if part.name == "seen_in" else NamedPart(part, self)
            for part in parts_of(EveningState)
            if part.delta not in (None, WORLD, RECENT_ACTS)
        }
        self._actions: dict[tuple[str, str], list[Action]] = {}

    def __reduce__(self) -> tuple[Any, ...]:
        """Names are made again of the scenario when they are unpickled."""
        return names_of, (self.scenario,)

    def room(self, place: int) -> str:
        """The name of a room, or that the person has left."""
        return HAS_LEFT if place == DEPARTED else self.rooms[place]

    def members(self, people: int) -> tuple[str, ...]:
        """The people of a set, in the order of the scenario."""
        return tuple([id for place, id in enumerate(self.people) if has(people, place)]) if people else ()

    def actions(self, acts: Iterable[int], who: str, room: str, present: int) -> list[Action]:
        """Acts as candidates of `who` in a room; a word to all is addressed to those present."""
        every = self._actions.get((who, room))
        if every is None:
            every = self._actions[who, room] = [self._action(act, who, room) for act in self.numbered]
        actions = [every[act] for act in acts]
        for place, action in enumerate(actions):
            if action.id == CHAT_TO_ALL:
                actions[place] = action._replace(target_agents=self.members(present))
                break
        return actions

    def _action(self, act: NumberedAct, who: str, room: str) -> Action:
        focus = None if act.focus == NONE else self.people[act.focus]
        destination = None if act.destination == NONE else self.rooms[act.destination]
        secret = None if act.secret == NONE else self.secrets[act.secret]
        targets = () if act.target == NONE else (self.people[act.target],)
        return Action(act.id, who, act.kind, targets, room, act.dramatic, focus, destination, secret, act.manner)

    def clock(self, event: int) -> str:
        """The id of an event of the clock; after the last one comes somebody who is late."""
        events = self.scenario.evening.events
        return events[event].id if event < len(events) else LATE

    def cause(self, cause: int) -> tuple[str, str]:
        """The sort of a wrong or of a quarrel's subject, and the secret or the person that it is about."""
        sort, about = sort_of(cause), object_of(cause)
        return SORTS[sort], (self.people if sort == OF_ATTACK else self.secrets)[about]

    def _read_cause(self, cause: float) -> str | None:
        return None if cause == NONE else ":".join(self.cause(int(cause)))

    def _write_cause(self, cause: str | None) -> int:
        if cause is None:
            return NONE
        sort, _, about = cause.partition(":")
        places = self.person if sort == SORTS[OF_ATTACK] else self.secret
        return cause_of(SORTS.index(sort), places[about])

    def _read_room(self, place: float) -> str | None:
        return None if place == NONE else self.room(int(place))


def endings_of(scenario: Scenario) -> tuple[str, ...]:
    """The names of every way in which an evening of a scenario may end, by number."""
    return (*ENDINGS, *(event.ends or "" for event in scenario.evening.events))


@make_once
def names_of(scenario: Scenario) -> ScenarioNames:
    """The names of a scenario; making them takes a millisecond."""
    return ScenarioNames(scenario)


def _places(names: Sequence[str]) -> dict[str, int]:
    return {name: place for place, name in enumerate(names)}


def _spell(names: Sequence[str], places: dict[str, int]) -> KindSpelling:
    return KindSpelling(
        lambda place: None if place == NONE else names[int(place)],
        lambda name: NONE if name is None else places[name],
    )


def _same(number: float) -> float:
    return number


def _real(value: Any) -> float:
    if type(value) is float:
        return value
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise TypeError(f"this is {value!r}, and not a number")
    return float(value)


def _whole(value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise TypeError(f"this is {value!r}, and not a whole number")
    return value


def _flag(value: Any) -> int:
    if not isinstance(value, bool):
        raise TypeError(f"this is {value!r}, and neither true nor false")
    return int(value)


def _read_belief(number: float) -> Belief | None:
    return None if number < 0 else Belief(int(number))


def _read_tick(number: float) -> int | None:
    return None if number < 0 else int(number)


def _read_optional(number: float) -> float | None:
    return None if number < 0.0 else number


def _write_optional(number: float | None) -> float:
    return float(NONE) if number is None else _real(number)
