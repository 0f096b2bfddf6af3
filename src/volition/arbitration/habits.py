"""Habits: inertia, cooldown and recency as ordinary entries, so that their share is visible in the table of votes.

A habit has no influence beyond its vote or veto, so a reader sees how much it counted, and the order of candidates
does not matter. Time is an argument, in any one unit.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

from volition.arbitration.data_checks import is_number, member, number, numbers_by_id, read_member, record
from volition.arbitration.intent import CONSTRAINT, HEURISTIC, Kind
from volition.arbitration.intention import Constraint, Heuristic
from volition.core.errors import InvalidInput, Problems, refuse

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence


@dataclass(frozen=True, slots=True)
class Inertia:
    """A heuristic's intent: 1.0 for the candidate chosen last, no opinion on the others.

    An empty text means that nothing was chosen yet; no candidate has such an id.

    >>> list(Inertia("a").ask("heuristic", ["a", "b"], ["a", "b"], None))
    [1.0, None]
    """

    kinds: ClassVar[tuple[Kind, ...]] = (HEURISTIC,)

    last: str

    def __post_init__(self) -> None:
        if not isinstance(self.last, str):
            refuse(
                f"this is {self.last!r}",
                where="inertia",
                expected="the id of the candidate chosen last, or an empty text",
                remedy="write an empty text where nothing was chosen yet",
            )

    def ask(self, kind: Kind, candidates: Sequence[Any], ids: Sequence[str], context: Any) -> Iterable[Any]:
        return [1.0 if id == self.last else None for id in ids]

    def to_data(self) -> dict[str, Any]:
        return {"inertia": self.last}

    @classmethod
    def from_data(cls, data: Any, where: str, problems: Problems) -> Inertia | None:
        """Read `{"inertia": "a"}`."""
        return read_member(data, "inertia", cls, where, problems)


@dataclass(frozen=True, slots=True, init=False)
class Cooldown:
    """A constraint's intent: a candidate is forbidden until its time has come.

    >>> list(Cooldown({"b": 12.0}, now=10.0).ask("constraint", ["a", "b"], ["a", "b"], None))
    [False, 'cooling down: 2 more, until 12']
    """

    kinds: ClassVar[tuple[Kind, ...]] = (CONSTRAINT,)

    until: tuple[tuple[str, float], ...]
    now: float
    _until: dict[str, float] = field(compare=False, repr=False)

    def __init__(self, until: Mapping[str, float], now: float) -> None:
        problems = Problems()
        times = numbers_by_id(until, "cooldown.until", problems)
        number(now, "cooldown.now", problems)
        problems.raise_if_any(InvalidInput)
        object.__setattr__(self, "until", tuple(sorted(times.items())))
        object.__setattr__(self, "now", now)
        object.__setattr__(self, "_until", times)

    def ask(self, kind: Kind, candidates: Sequence[Any], ids: Sequence[str], context: Any) -> Iterable[Any]:
        return map(self._verdict, ids)

    def _verdict(self, id: str) -> bool | str:
        until = self._until.get(id)
        if until is None or self.now >= until:
            return False
        return f"cooling down: {until - self.now:g} more, until {until:g}"

    def to_data(self) -> dict[str, Any]:
        return {"cooldown": {"until": dict(self.until), "now": self.now}}

    @classmethod
    def from_data(cls, data: Any, where: str, problems: Problems) -> Cooldown | None:
        """Read `{"cooldown": {"until": {"b": 12.0}, "now": 10.0}}`."""
        inner = _inner(data, where, "cooldown", ("until", "now"), problems)
        return None if inner is None else problems.attempt(lambda: cls(**inner), under=f"{where}.")


@dataclass(frozen=True, slots=True, init=False)
class Recency:
    """A heuristic's intent: -1.0 for what was done just now, fading to 0 over `memory`; no opinion on the rest.

    >>> list(Recency({"a": 10.0, "b": 5.0}, now=10.0, memory=20.0).ask("heuristic", [], ["a", "b", "c"], None))
    [-1.0, -0.75, None]
    """

    kinds: ClassVar[tuple[Kind, ...]] = (HEURISTIC,)

    times: tuple[tuple[str, float], ...]
    now: float
    memory: float
    _times: dict[str, float] = field(compare=False, repr=False)

    def __init__(self, times: Mapping[str, float], now: float, memory: float) -> None:
        known = _check_recency(times, now, memory)
        object.__setattr__(self, "times", tuple(sorted(known.items())))
        object.__setattr__(self, "now", now)
        object.__setattr__(self, "memory", memory)
        object.__setattr__(self, "_times", known)

    def ask(self, kind: Kind, candidates: Sequence[Any], ids: Sequence[str], context: Any) -> Iterable[Any]:
        return map(self._score, ids)

    def _score(self, id: str) -> float | None:
        time = self._times.get(id)
        if time is None or self.now - time >= self.memory:
            return None
        return (self.now - time) / self.memory - 1.0

    def to_data(self) -> dict[str, Any]:
        return {"recency": {"times": dict(self.times), "now": self.now, "memory": self.memory}}

    @classmethod
    def from_data(cls, data: Any, where: str, problems: Problems) -> Recency | None:
        """Read `{"recency": {"times": {"a": 3.0}, "now": 10.0, "memory": 20.0}}`."""
        inner = _inner(data, where, "recency", ("times", "now", "memory"), problems)
        return None if inner is None else problems.attempt(lambda: cls(**inner), under=f"{where}.")


@dataclass(frozen=True, slots=True, init=False)
class ChoiceMemory:
    """An immutable record: the id chosen last, and for each id when it was chosen last.

    `remember` and `forget` give new memories, so that asking "what if" changes nothing.

    >>> memory = ChoiceMemory().remember("rest", now=0.0).remember("hunt", now=4.0)
    >>> memory.last, memory.times
    ('hunt', (('hunt', 4.0), ('rest', 0.0)))
    >>> memory.inertia(weight=0.2).intent
    Inertia(last='hunt')
    """

    last: str
    times: tuple[tuple[str, float], ...]

    def __init__(self, last: str = "", times: Mapping[str, float] | None = None) -> None:
        problems = Problems()
        known = numbers_by_id({} if times is None else times, "memory.times", problems)
        problems.raise_if_any(InvalidInput)
        object.__setattr__(self, "last", Inertia(last).last)
        object.__setattr__(self, "times", tuple(sorted(known.items())))

    def remember(self, chosen: Any, now: float) -> ChoiceMemory:
        """The memory after a decision, or after the choice of the candidate with that id; a hold or fail adds nothing."""
        id = chosen if isinstance(chosen, str) else getattr(chosen, "id", chosen)
        if id is None and chosen is not None:
            return self
        if not isinstance(id, str) or not id:
            refuse(
                f"{chosen!r} cannot be remembered",
                where="memory",
                expected="a decision, or the id of a candidate",
                remedy="pass what `arbitrate` returned",
            )
        self._check_now(now)
        return ChoiceMemory(id, {**dict(self.times), id: now})

    def forget(self, before: float) -> ChoiceMemory:
        """The memory without the times before that one, to keep it small; the last choice is kept."""
        return ChoiceMemory(self.last, {id: time for id, time in self.times if time >= before})

    def inertia(self, weight: float = 0.1, priority: int | None = None) -> Heuristic:
        """The entry "inertia": a vote of that weight for what was chosen last."""
        return Heuristic("inertia", Inertia(self.last), weight=weight, priority=priority)

    def cooldown(self, seconds: float, now: float) -> Constraint:
        """The entry "cooldown": what was chosen is forbidden for this many seconds afterwards."""
        self._check_now(now)
        if not is_number(seconds) or seconds < 0:
            refuse(f"the span is {seconds!r}", where="cooldown", expected="a time span >= 0", remedy="make it positive")
        return Constraint("cooldown", Cooldown({id: time + seconds for id, time in self.times}, now))

    def recency(self, window: float, now: float, weight: float = 1.0, priority: int | None = None) -> Heuristic:
        """The entry "recency": a vote against what was chosen within the window, strongest against the latest."""
        return Heuristic("recency", Recency(dict(self.times), now, window), weight=weight, priority=priority)

    def _check_now(self, now: Any) -> None:
        problems = Problems()
        number(now, "memory, now", problems)
        problems.raise_if_any(InvalidInput)
        latest = max((time for _, time in self.times), default=now)
        if now < latest:
            refuse(
                f"now is {now!r}, and something was chosen at {latest!r}",
                where="memory, now",
                expected="a time that is not before what is remembered",
                remedy="use one clock that never goes back",
            )


def _inner(data: Any, where: str, name: str, keys: Iterable[str], problems: Problems) -> Mapping[str, Any] | None:
    fields = record(data, where, problems, required=(name,))
    return None if fields is None else record(fields[name], f"{where}.{name}", problems, required=keys)


def _check_recency(times: Any, now: Any, memory: Any) -> dict[str, float]:
    """The times, by id; InvalidInput where one of them, now or the memory cannot be used."""
    problems = Problems()
    known = numbers_by_id(times, "recency.times", problems)
    number(now, "recency.now", problems)
    if number(memory, "recency.memory", problems) is not None and memory <= 0:
        problems.add(
            f"the memory is {memory!r}",
            where="recency.memory",
            expected="a time span > 0",
            remedy="leave the habit out where nothing is remembered",
        )
    problems.raise_if_any(InvalidInput)
    for id, time in known.items():
        if time > now:
            problems.add(
                f"{id!r} was done at {time!r}, and now is {now!r}",
                where=member("recency.times", id),
                expected="a time that is not in the future",
                remedy="use one clock for all times",
            )
    problems.raise_if_any(InvalidInput)
    return known
