"""A person as a view of the state of an evening: the person's row of every part, read and written by name.

A property of `AgentState` names the part of `EveningState` that it shows; how it is shown follows from the part's kind
and shape. One number is shown as the value that it stands for. A row is a mapping by name, in which an entry is missing
where the number says that there is none. A set of people, or of people for each secret, is a set. All of them are views:
what is written through them is written into the state.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, MutableMapping, MutableSet
from typing import TYPE_CHECKING, Any, Final, Generic, TypeAlias, TypeVar

from volition.drama.evening.record import COUNT, DEPARTED, NONE, PEOPLE_SET, REAL, TICK, copy_value, parts_of
from volition.drama.evening.state import EveningState
from volition.drama.evening.views import Entries, MemberView
from volition.drama.rules.catalog import Belief
from volition.drama.rules.physics import Pace

if TYPE_CHECKING:
    from volition.drama.evening.names import NamedPart, ScenarioNames
    from volition.drama.evening.views import RowOwner

K = TypeVar("K")
V = TypeVar("V")
T = TypeVar("T")

_PARTS: Final = {part.name: part for part in parts_of(EveningState)}


Pair = tuple[str, str]
"""A person and a secret."""
Sighting = tuple[str, int]
"""A room, and since which tick."""


class BondEntries(Entries[str, "Bond"]):
    """How a person feels about each other person."""

    __slots__ = ()

    def read(self, key: Any) -> Bond | None:
        place = self.me.names.person.get(key, self.me.who)
        return None if place == self.me.who else Bond(self.me, place)

    def entries(self) -> list[tuple[str, Bond]]:
        people = enumerate(self.me.names.people)
        return [(other, Bond(self.me, place)) for place, other in people if place != self.me.who]

    def write(self, key: str, value: Any) -> None:
        bond = self[key]
        bond.trust, bond.affection, bond.obligation = value

    def reset(self, key: str) -> None:
        self.write(key, (0.0, 0.0, 0.0))

    def __setitem__(self, key: str, value: Iterable[float]) -> None:
        self.write(key, value)


class _Number(Generic[T]):
    """A property that shows one number of a person."""

    def __init__(self, name: str) -> None:
        self.part, self.kind = name, _PARTS[name].kind.name

    def __get__(self, me: Any, owner: type | None = None) -> T:
        if me is None:
            return self  # type: ignore[return-value]
        return me.names.spellings[self.kind].read(getattr(me.evening, self.part)[me.who])  # type: ignore[no-any-return]

    def __set__(self, me: Any, value: T) -> None:
        getattr(me.evening, self.part)[me.who] = me.names.spellings[self.kind].write(value)


class _Several(Generic[V, T]):
    """A property that shows several numbers of a person as a view, which can be replaced as a whole."""

    def __init__(self, name: str, view: type | None = None) -> None:
        self.part = name
        self.view: Any = view or (MemberView if _PARTS[name].kind == PEOPLE_SET else Entries)

    def __get__(self, me: Any, owner: type | None = None) -> V:
        if me is None:
            return self  # type: ignore[return-value]
        return self.view(me, me.names.parts[self.part])  # type: ignore[no-any-return]

    def __set__(self, me: Any, value: T) -> None:
        self.view(me, me.names.parts[self.part]).replace(value)


_Map: TypeAlias = _Several[MutableMapping[K, V], Mapping[K, V]]
_Set: TypeAlias = _Several[MutableSet[T], Iterable[T]]


class _Numbers:
    """Some numbers of a state that belong together: they can be unpacked, and are compared as a tuple."""

    __slots__ = ()

    def __iter__(self) -> Iterator[float]:
        raise NotImplementedError

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and tuple(self) == tuple(other)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"{type(self).__name__}{tuple(self)}"


class _Towards:
    """A property that shows one number between two people."""

    def __init__(self, part: str) -> None:
        self.part = part

    def __get__(self, bond: Any, owner: type | None = None) -> float:
        return getattr(bond.me.evening, self.part)[bond.me.who][bond.whom]  # type: ignore[no-any-return]

    def __set__(self, bond: Any, value: float) -> None:
        number = bond.me.names.spellings[REAL.name].write(value)
        getattr(bond.me.evening, self.part)[bond.me.who][bond.whom] = number


class Bond(_Numbers):
    """How one person feels about another."""

    __slots__ = ("me", "whom")

    trust = _Towards("trust")
    affection = _Towards("affection")
    obligation = _Towards("obligation")

    def __init__(self, me: RowOwner, whom: int) -> None:
        self.me, self.whom = me, whom

    def __iter__(self) -> Iterator[float]:
        return iter((self.trust, self.affection, self.obligation))


class PacingState(_Numbers):
    """The six numbers of a person's pacing."""

    __slots__ = ("evening", "names", "who")

    dramatic_budget = _Number[float]("budget")
    stress = _Number[float]("stress")
    composure = _Number[float]("composure")
    commitment = _Number[float]("commitment")
    recovery_timer = _Number[int]("timer")
    suppression_count = _Number[int]("suppression")

    def __init__(self, me: AgentState, _: NamedPart) -> None:
        self.evening, self.who, self.names = me.evening, me.who, me.names

    def __iter__(self) -> Iterator[float]:
        return iter([getattr(self.evening, part)[self.who] for part in Pace._fields])

    def replace(self, numbers: Iterable[float]) -> None:
        """Hold these six numbers."""
        budget, stress, composure, commitment, timer, suppression = numbers
        real, whole = self.names.spellings[REAL.name].write, self.names.spellings[COUNT.name].write
        shares = [real(number) for number in (budget, stress, composure, commitment)]
        for part, number in zip(Pace._fields, (*shares, whole(timer), whole(suppression)), strict=True):
            getattr(self.evening, part)[self.who] = number


class AgentState:
    """The current state of a person. Maps and sets have entries only where there is something to store."""

    __slots__ = ("evening", "names", "who")

    location = _Number[str]("room")
    pacing = _Several[PacingState, Iterable[float]]("budget", PacingState)
    emotions = _Map[str, float]("emotions")
    bonds = _Several[BondEntries, Mapping[str, Iterable[float]]]("trust", BondEntries)
    beliefs = _Map[str, Belief]("belief")
    alcohol = _Number[float]("alcohol")
    knows = _Set[Pair]("knows")  # (whom, secret): this agent thinks that they know it
    suspects = _Set[Pair]("suspects")  # the same: this agent thinks that they suspect it
    sightings = _Map[str, Sighting]("seen_in")  # whom -> where, as last seen
    grievance = _Map[str, float]("grievance")
    peaks = _Map[str, float]("peaks")  # whom -> the greatest grievance so far
    stung = _Map[str, float]("stung")  # whom -> since which minute their wrong waits for an answer
    wrong = _Map[str, str]("wrong")  # whom -> what that wrong is: its sort, and the secret or person it is about
    answered = _Set[str]("answered")  # those whose wrong was answered, but not to their face
    forgiven = _Set[str]("forgiven")  # those whom this agent has forgiven a wrong
    broke_with = _Set[str]("broke_with")  # those with whom this agent has broken
    reconciled = _Set[str]("reconciled")  # those who made up with this agent
    grounds = _Map[str, int]("grounds")
    fatigue = _Map[str, float]("fatigue")
    confronted = _Map[str, int]("confronted")  # whom -> tick of the last confrontation by this agent
    confronted_by = _Map[str, int]("confronted_by")
    questions = _Map[Pair, int]("questions")  # (asker, secret) -> tick
    challenged = _Number[int | None]("challenged")  # tick of the last challenge
    lied = _Set[Pair]("lied")  # (whom, secret): a lie that was not believed
    planted = _Map[str, str]("planted")  # secret -> who planted the false belief
    wronged = _Set[str]("wronged")  # those who were harmed by an exposed secret of this agent
    needs = _Map[str, float]("needs")
    task = _Number[str | None]("task")  # "fetch", "serve" or "pour"
    task_since = _Number[float | None]("task_since")  # minute at which the task was given
    moved = _Number[int | None]("moved")  # tick of the last move
    away = _Number[float | None]("away")  # minute at which this agent left the gathering
    last_scene = _Number[float | None]("last_scene")  # minute of the last catastrophe that this agent knows of
    course_seen = _Number[float | None]("course_seen")  # minute at which the course was served that this agent has seen
    slammed = _Number[float | None]("slammed")  # minute at which this agent last slammed a door
    shunned = _Map[str, float]("shunned")  # whom -> minute at which this agent last turned away from them
    comforted = _Map[str, float]("comforted")  # whom -> minute at which this agent last stood by them
    arrival = _Number[float | None]("arrival")  # minute at which this agent comes, if they are not here yet
    carries = _Map[str, float]("carries")  # the things that this agent has
    broken = _Number[bool]("broken")
    thrown_out = _Number[bool]("thrown_out")

    def __init__(self, evening: EveningState, who: int, names: ScenarioNames) -> None:
        self.evening, self.who, self.names = evening, who, names

    @property
    def id(self) -> str:
        return self.names.people[self.who]

    @property
    def has_left(self) -> bool:
        """Whether this agent has left for good; who is still expected has not."""
        return self.evening.room[self.who] == DEPARTED and self.evening.arrival[self.who] < 0.0

    @property
    def recent(self) -> tuple[tuple[int, str], ...]:
        """What this agent did lately, as (tick, candidate id), the oldest first."""
        evening, who = self.evening, self.who
        remembered = zip(evening.recent_tick[who], evening.recent_act[who], strict=True)
        return tuple([(tick, self.names.acts[act]) for tick, act in remembered][: evening.recents[who]])

    @recent.setter
    def recent(self, acts: Iterable[tuple[int, str]]) -> None:
        number = self.names.spellings[TICK.name].write
        numbered: list[tuple[Any, int]] = [(number(tick), self.names.act[act]) for tick, act in acts]
        rest = [NONE] * (len(self.names.blank.recent_act[self.who]) - len(numbered))
        self.evening.recents[self.who] = len(numbered)
        self.evening.recent_tick[self.who] = [tick for tick, _ in numbered] + rest
        self.evening.recent_act[self.who] = [act for _, act in numbered] + rest

    def copy(self) -> AgentState:
        """The same person in a copy of the state that holds nothing about anybody else."""
        return AgentState(own_state(self.evening, self.who, self.names), self.who, self.names)

    def __deepcopy__(self, memo: object) -> AgentState:
        return self.copy()

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, AgentState):
            return NotImplemented
        return self.id == other.id and all(getattr(self, part) == getattr(other, part) for part in PERSON_PARTS)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        shown = ", ".join(f"{part}={getattr(self, part)!r}" for part in PERSON_PARTS)
        return f"AgentState(id={self.id!r}, {shown})"


PACING_NUMBERS: Final = tuple(name for name, shown in vars(PacingState).items() if isinstance(shown, _Number))
"""The names of the six numbers, in the order of `Pace`."""
PERSON_PARTS: Final = (
    *(name for name, shown in vars(AgentState).items() if isinstance(shown, _Number | _Several)),
    "recent",
)
"""The names of everything that can change in a person."""
PERSON_VIEWS: Final[dict[str, type]] = {
    name: shown.view for name, shown in vars(AgentState).items() if isinstance(shown, _Several)
}
"""Those of them that are shown by a view, and the class of the view."""


def own_state(evening: EveningState, who: int, names: ScenarioNames) -> EveningState:
    """A state with what `who` is and knows in this one; it shares the blank rows of all others, which nobody writes."""
    own = EveningState()
    for name, part in _PARTS.items():
        value = getattr(names.blank, name)
        if part.delta is not None and part.shape:
            value = value[:]
            value[who] = copy_value(getattr(evening, name)[who], len(part.shape) - 1)
        setattr(own, name, value)
    own.sided_at = own.sided_at[:]
    own.sided_at[who] = own.sided_at[who][:]
    return own
