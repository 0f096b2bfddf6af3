"""What a mind from outside is asked, what it may answer, and what is recorded of it.

A mind gets a situation in words with a few options that nothing vetoes, and names one of them. It never gives numbers, and
never sees an option that is forbidden. Whatever else it does is one of the reasons of `Fallback`, and the engine decides
without it.
"""

from __future__ import annotations

import math
from hashlib import sha256
from typing import TYPE_CHECKING, Any, Final, Literal, Protocol, get_args

from msgspec import field

from volition.core.canonical import canonical
from volition.core.errors import InvalidInput, Problems, format_value, refuse
from volition.core.typed import DataStruct, asdict, decoder

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

Fallback = Literal["late", "over_budget", "invalid", "vetoed", "raised", "unreachable", "silent"]
"""Why the engine decides without a mind; a closed list.

- `late`: there was no answer before the deadline, or the mind is still busy with an earlier question.
- `over_budget`: the budget of the run has no room for the question, which was not sent.
- `invalid`: the answer is no vote and no choice, or names what is not among the options.
- `vetoed`: the answer names something that a constraint forbids.
- `raised`: the mind raised an error.
- `unreachable`: the mind cannot be reached, or was given up after several misses in a row.
- `silent`: the mind leaves it to the engine.
"""
FALLBACKS: Final[tuple[Fallback, ...]] = get_args(Fallback)
AnswerKind = Literal["vote", "choice", ""]


class MindOption(DataStruct, frozen=True):
    """Something that may be done: nothing vetoes it."""

    id: str
    words: str = ""
    """What it is, for a reader; the id says it where this is empty."""
    score: float | None = None
    """The engine's own total, for programs; None where it is not known."""


class MindSituation(DataStruct, frozen=True):
    """A question: what is perceived, and what may be done.

    >>> MindSituation("ada", "It rains.", (MindOption("stay"), MindOption("go", "walk home"))).ids
    ('stay', 'go')
    """

    who: str
    """For whom the mind decides."""
    words: str
    """What they perceive, for a reader."""
    options: tuple[MindOption, ...]
    own: str = ""
    """The option that the engine would choose by itself; empty where it is not known."""
    data: dict[str, Any] = field(default_factory=dict)
    """What they perceive, for programs: JSON data."""
    vetoed: dict[str, str] = field(default_factory=dict)
    """What is forbidden, and by which constraint: an answer that names one of these is told apart from an invention."""

    def __post_init__(self) -> None:
        problems = Problems()
        where = f"the situation of {format_value(self.who)}"
        ids = self.ids
        if not ids or len({*ids}) != len(ids) or "" in ids:
            problems.add(
                f"the options are {format_value(ids)}",
                where=where,
                expected="at least one option, each with its own id",
                remedy="ask a mind only where there is something to choose",
            )
        if self.own and self.own not in ids:
            problems.add(
                f"{format_value(self.own)}, the engine's own choice, is no option",
                where=where,
                expected="the id of an option, or nothing",
                remedy="offer it too",
            )
        if both := sorted({*ids} & {*self.vetoed}):
            problems.add(
                f"{format_value(both)} is offered and vetoed",
                where=where,
                expected="options that nothing vetoes",
                remedy="leave out what is vetoed",
            )
        problems.raise_if_any(InvalidInput)

    @property
    def ids(self) -> tuple[str, ...]:
        """The ids of the options, in the order offered."""
        return tuple(option.id for option in self.options)


def canonical_situation(situation: MindSituation) -> bytes:
    """The canonical bytes of a situation, by which a question is known; InvalidInput where it holds more than JSON data."""
    return canonical({**asdict(situation), "options": [asdict(option) for option in situation.options]})


def question_hash(situation: MindSituation) -> str:
    """The hash by which records know a question."""
    return sha256(canonical_situation(situation)).hexdigest()


def copy_situation(content: bytes) -> MindSituation:
    """A situation of its canonical bytes, for a mind to keep: nothing that is done to it reaches anybody else.

    A mind sees what is hashed and nothing else, so it cannot tell apart two situations that are the same question.
    """
    return decoder(MindSituation).decode(content)


class _Answer(DataStruct, frozen=True):
    """An answer that names one option."""

    id: str
    reason: str = ""
    tokens: int = 0
    """What the answer cost, where the mind counts it."""
    words: str = ""
    """The answer as it was given, for the record."""


class MindVote(_Answer, frozen=True):
    """An answer that counts as a vote for one option: other reasons may outweigh it."""


class MindChoice(_Answer, frozen=True):
    """An answer that chooses one option. Where only votes count, as in an arbitration, it is one."""


Answered = MindVote | MindChoice | None
"""What a mind returns; None leaves it to the engine."""


class Unanswered(Exception):
    """Raised by a mind that knows why it has no answer: `fallback` is recorded instead of `raised`."""

    def __init__(self, fallback: Fallback, fault: str, *, words: str = "", tokens: int = 0) -> None:
        super().__init__(fault)
        self.fallback: Fallback = fallback
        self.fault = fault
        self.words = words
        self.tokens = tokens


class OutsideMind(Protocol):
    """A mind that lives outside the engine: a program, a person or a language model."""

    def propose(self, situation: MindSituation, /) -> Answered | Awaitable[Answered]:
        """Name one of the options, or None; `propose` may be a coroutine."""


if TYPE_CHECKING:
    AnyMind = OutsideMind | Callable[[MindSituation], Answered | Awaitable[Answered]]
    """A mind, or its `propose` as a plain function."""


class Asked(DataStruct, frozen=True):
    """The record of one question, with its answer or the reason why there is none."""

    who: str
    question: str
    """The SHA-256 of the canonical situation."""
    kind: AnswerKind = ""
    choice: str = ""
    """The id of the option; empty where the engine decides."""
    reason: str = ""
    words: str = ""
    """The answer as it was given, cut to 2,000 letters."""
    tokens: int = 0
    seconds: float = 0.0
    """How long the caller waited for this answer; the only field that the same answers may change."""
    fallback: Fallback | Literal[""] = ""
    """Why the engine decides; empty where the mind does."""
    fault: str = ""
    """What happened, in one line."""


def check_mind(mind: Any, who: str) -> None:
    """A mind can be asked: it has `propose`, or can be called."""
    if not callable(getattr(mind, "propose", mind)):
        refuse(
            f"the mind of {who} is {format_value(mind)}",
            where="minds",
            expected="something with `propose`, or a function of a situation",
            remedy="let it return MindVote(id), MindChoice(id) or None",
        )


def check_deadline(deadline_s: Any) -> None:
    """A deadline is a finite number of seconds, above 0."""
    if type(deadline_s) not in {int, float} or not 0 < deadline_s < math.inf:
        refuse(
            f"the deadline is {format_value(deadline_s)}",
            where="deadline_s",
            expected="a finite number of seconds, above 0",
            remedy="name how long a decision may wait, such as 2.0",
        )
