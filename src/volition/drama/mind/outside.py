"""Minds from outside in an evening: whose they are, how they are consulted, and what they said as one voice of a decision.

A mind that votes is a heuristic with a weight among the others. A mind that chooses decides among the engine's best few.
Neither is asked about what a constraint forbids, and where it has no answer the person's own mind decides.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar, Final, Literal, get_args

from msgspec import Struct

from volition.arbitration import Heuristic
from volition.arbitration.intent import HEURISTIC, Kind, label_of
from volition.core.clock import SystemClock
from volition.core.errors import InvalidInput, Problems, check_known, format_value, refuse
from volition.drama.rules.catalog import CHOSEN, DRAMATIC
from volition.minds.budget import Budget
from volition.minds.contract import (
    Asked,
    check_deadline,
    check_mind,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from volition.core.clock import Clock
    from volition.drama.world.model import Scenario
    from volition.minds.contract import AnyMind

OUTSIDE: Final = "outside"
"""The id under which a mind from outside takes part in a decision."""
Way = Literal["vote", "choose"]
KINDS: Final = tuple(kind.name.lower() for kind in CHOSEN)
"""The kinds of acts that can be chosen, as settings name them."""
AT_STAKE: Final = tuple(kind.name.lower() for kind in CHOSEN if kind in DRAMATIC)
"""The kinds of acts by which something is at stake, unless a user names others."""
WEIGHT, BEST, DEADLINE_S = 0.5, 5, 5.0
MOST_WEIGHT: Final = 16.0
_CLOCK: Final = SystemClock()


class Voice(Struct, frozen=True):
    """How a mind from outside takes part, without the mind itself: this is what a record keeps.

    Something is at stake where an act of one of `kinds` is among the `best` acts by the person's own mind, or where the best
    act leads by less than `margin`. With neither, the mind is asked at every choice between two acts or more.
    """

    label: str
    """What the mind is called."""
    way: Way = "vote"
    weight: float = WEIGHT
    """How much a vote counts; what the terms of an evening add to an act is mostly below 1."""
    best: int | None = BEST
    """How many acts it is shown. None: all of them, and to a mind that chooses what may be wished beyond them too."""
    margin: float | None = None
    kinds: tuple[str, ...] | None = AT_STAKE

    @property
    def chooses(self) -> bool:
        """Whether its answer decides, rather than counting among other reasons."""
        return self.way == "choose"


class Consulted:
    """A mind from outside and how it takes part in an evening: what it may be told is said of `Voice`.

    >>> Consulted(lambda situation: None, way="choose", best=8).voice.chooses
    True
    """

    __slots__ = ("mind", "voice")

    def __init__(
        self,
        mind: AnyMind,
        way: Way = "vote",
        *,
        weight: float = WEIGHT,
        best: int | None = BEST,
        margin: float | None = None,
        kinds: Iterable[str] | None = AT_STAKE,
    ) -> None:
        self.mind = mind
        self.voice = Voice(label_of(mind), way, weight, best, margin, None if kinds is None else tuple(kinds))
        check_mind(mind, self.voice.label)
        _check_voice(self.voice)

    def __repr__(self) -> str:
        return f"<Consulted: {self.voice.label}, to {self.voice.way}>"


class OutsideMinds:
    """The minds from outside that take part in an evening, by whose they are.

    `deadline_s` is how long one tick waits for all of them together, who are asked at once; `budget` is for an evening.
    A mind that is given without `Consulted` votes.

    >>> OutsideMinds({"ada": lambda situation: None}, deadline_s=1.0).people["ada"].voice.way
    'vote'
    """

    __slots__ = ("budget", "clock", "deadline_s", "people")

    kinds: ClassVar[tuple[Kind, ...]] = (HEURISTIC,)

    def __init__(
        self,
        people: Mapping[str, Consulted | AnyMind],
        *,
        deadline_s: float = DEADLINE_S,
        budget: Budget | None = None,
        clock: Clock = _CLOCK,
    ) -> None:
        check_deadline(deadline_s)
        self.people = {
            who: mind if isinstance(mind, Consulted) else Consulted(mind) for who, mind in sorted(people.items())
        }
        self.deadline_s, self.budget, self.clock = deadline_s, budget or Budget(), clock

    def ask(self, kind: Kind, candidates: Sequence[Any], ids: Sequence[str], context: Any) -> list[None]:
        """Nothing: minds only travel as an intention, and a stage is told what they said."""
        return [None] * len(ids)

    def to_data(self) -> dict[str, Any]:
        return {OUTSIDE: {who: consulted.voice.label for who, consulted in self.people.items()}}


def _check_voice(voice: Voice) -> None:
    problems, where = Problems(), f"the mind {voice.label}"

    def check(holds: bool, name: str, expected: str) -> None:
        if not holds:
            value = format_value(getattr(voice, name))
            problems.add(f"{name} is {value}", where=where, expected=expected, remedy="leave it out")

    check(voice.way in get_args(Way), "way", '"vote" or "choose"')
    check(type(voice.weight) in (int, float) and 0.0 < voice.weight <= MOST_WEIGHT, "weight", "a number from 0 to 16")
    check(voice.best is None or (type(voice.best) is int and voice.best > 1), "best", "2 acts or more, or None for all")
    check(
        voice.margin is None or (type(voice.margin) in (int, float) and voice.margin > 0.0),
        "margin",
        "a number above 0, or None",
    )
    for kind in voice.kinds or ():
        problems.attempt(partial(check_known, "kind of act", kind, KINDS, where=where))
    problems.raise_if_any(InvalidInput)


def named_minds(scenario: Scenario) -> dict[str, Consulted]:
    """The language models that the scenario names for its people, for `OutsideMinds`.

    Nobody is asked by a file alone: whoever plays has to allow it, by passing these on.
    """
    return {id: _read_mind(person.mind) for id, person in scenario.people.items() if person.mind}


def _read_mind(mind: Mapping[str, Any]) -> Consulted:
    from volition.minds.chat import ChatMind  # noqa: PLC0415  asyncio is loaded where a model is asked

    settings = {key: value for key, value in mind.items() if key not in ("url", "model")}
    return Consulted(ChatMind(mind["url"], mind["model"]), **settings)


def chat_mind(address: str, way: Way = "vote") -> Consulted:
    """A language model by its address, `URL#MODEL`; a server with one model needs no name.

    >>> chat_mind("http://localhost:8080/v1#small").voice.label
    'chat:small'
    """
    from volition.minds.chat import ChatMind  # noqa: PLC0415  likewise

    url, _, model = address.partition("#")
    if not url.startswith(("http://", "https://")):
        refuse(
            f"{address!r} is not the address of a model",
            where="mind",
            expected="URL or URL#MODEL, such as http://localhost:8080/v1#small",
            remedy="begin it with http:// or https://",
        )
    return Consulted(ChatMind(url, model or "default"), way)


def consult(minds: OutsideMinds) -> Heuristic:
    """Let minds from outside take part; to be passed wherever custom terms are."""
    return Heuristic(OUTSIDE, minds)


class Advice(Struct, frozen=True):
    """What a mind from outside said at a choice, or why it said nothing, and how it takes part."""

    asked: Asked
    voice: Voice


@dataclass(frozen=True, slots=True)
class OutsideVoice:
    """The intent of the heuristic `outside`: a vote for the act that was named. A choice is taken elsewhere, and only told."""

    kinds: ClassVar[tuple[Kind, ...]] = (HEURISTIC,)
    batch: ClassVar[bool] = True

    advice: Advice

    def ask(self, kind: Kind, candidates: Sequence[Any], ids: Sequence[str], context: Any) -> list[float | None]:
        asked, voice = self.advice.asked, self.advice.voice
        if asked.fallback or voice.chooses:
            return [None] * len(ids)
        return [float(id == asked.choice) for id in ids]

    def remark(self) -> str:
        """What the mind said, in words."""
        asked, voice = self.advice.asked, self.advice.voice
        if asked.fallback:
            return f"({voice.label}) said nothing ({asked.fallback}): {asked.fault}"
        verb = "chose" if voice.chooses else "voted for"
        return f"({voice.label}) {verb} {asked.choice}" + (f": {asked.reason.rstrip('.')}" if asked.reason else "")

    def to_data(self) -> dict[str, Any]:
        return {OUTSIDE: self.advice.voice.label}


def voice_of(advice: Advice) -> Heuristic:
    """The heuristic by which advice takes part in a decision."""
    return Heuristic(OUTSIDE, OutsideVoice(advice), weight=advice.voice.weight)
