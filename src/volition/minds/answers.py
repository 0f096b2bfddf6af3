"""Answers as they are judged: by their exact types, against the options that were given, and cut to a bounded size.

Judging never trusts what it gets: an id may be a number, a text of a megabyte or an object whose comparison raises.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from msgspec import Struct

from volition.core.canonical import MAX_INTEGER
from volition.core.errors import did_you_mean, format_value
from volition.minds.contract import FALLBACKS, AnswerKind, Fallback, MindChoice, MindVote, Unanswered

if TYPE_CHECKING:
    from volition.minds.contract import MindSituation

LONGEST_WORDS: Final = 2000
LONGEST_REASON: Final = 400
LONGEST_FAULT: Final = 300
LONGEST_ID: Final = 200
"""A longer id is not looked for among the options: searching for what was meant takes time."""
_HALF_CHARACTER: Final = re.compile("[\ud800-\udfff]")


class JudgedAnswer(Struct, frozen=True):
    """What an answer came to: the fields of its record that do not depend on who was asked or how long it took."""

    kind: AnswerKind = ""
    choice: str = ""
    reason: str = ""
    words: str = ""
    tokens: int = 0
    fallback: Fallback | None = None
    fault: str = ""


def judge_answer(answer: Any, situation: MindSituation) -> JudgedAnswer:
    """What an answer to this situation comes to.

    >>> from volition.minds.contract import MindOption, MindSituation
    >>> rain = MindSituation("ada", "It rains.", (MindOption("stay"), MindOption("leave")), vetoed={"swim": "safety"})
    >>> judge_answer(MindVote("stay", "it is dry"), rain).choice
    'stay'
    >>> judge_answer(MindVote("leaf"), rain).fault
    "'leaf' is no option: did you mean 'leave'?"
    >>> judge_answer(MindVote("swim"), rain).fallback
    'vetoed'
    """
    if answer is None:
        return JudgedAnswer(fallback="silent", fault="it leaves it to the engine")
    if type(answer) is not MindVote and type(answer) is not MindChoice:
        return JudgedAnswer(
            fallback="invalid", fault=one_line(f"it answered {format_value(answer)}, no vote and no choice")
        )
    kind: AnswerKind = "vote" if type(answer) is MindVote else "choice"
    texts = (answer.id, answer.reason, answer.words)
    if any(type(text) is not str for text in texts) or not _is_count(answer.tokens):
        fault = f"its {kind} has values of other types: {format_value(answer)}"
        return JudgedAnswer(fallback="invalid", fault=one_line(fault))
    unjudged = JudgedAnswer(words=_cut(answer.words, LONGEST_WORDS), tokens=answer.tokens)
    if len(answer.id) > LONGEST_ID and answer.id not in situation.ids:
        return _without_answer(unjudged, "invalid", f"it named an option with an id of {len(answer.id)} letters")
    if answer.id in situation.vetoed:
        return _without_answer(unjudged, "vetoed", f"{answer.id!r} is vetoed by {situation.vetoed[answer.id]}")
    if answer.id not in situation.ids:
        return _without_answer(
            unjudged, "invalid", f"{answer.id!r} is no option: {did_you_mean(answer.id, situation.ids)}"
        )
    reason = one_line(answer.reason, LONGEST_REASON)
    return JudgedAnswer(kind=kind, choice=answer.id, reason=reason, words=unjudged.words, tokens=unjudged.tokens)


def judge_failure(error: BaseException) -> JudgedAnswer:
    """What an error of a mind comes to; an Unanswered names the reason itself."""
    if isinstance(error, Unanswered) and _is_named(error):
        words = _cut(error.words, LONGEST_WORDS) if type(error.words) is str else ""
        tokens = error.tokens if _is_count(error.tokens) else 0
        return JudgedAnswer(words=words, tokens=tokens, fallback=error.fallback, fault=one_line(error.fault))
    try:
        text = str(error)
    except BaseException:  # noqa: BLE001  an error that cannot say what it is
        text = ""
    name = type(error).__name__
    return JudgedAnswer(fallback="raised", fault=one_line(f"it raised {name}: {text}" if text else f"it raised {name}"))


def one_line(text: str, longest: int = LONGEST_FAULT) -> str:
    """A text on one line and of bounded length.

    >>> one_line("no such\\n host")
    'no such host'
    """
    return _cut(" ".join(text[: 4 * longest].split()), longest)


def _without_answer(unjudged: JudgedAnswer, fallback: Fallback, fault: str) -> JudgedAnswer:
    return JudgedAnswer(words=unjudged.words, tokens=unjudged.tokens, fallback=fallback, fault=one_line(fault))


def _is_named(error: Unanswered) -> bool:
    return type(error.fallback) is str and error.fallback in FALLBACKS and type(error.fault) is str


def _is_count(number: Any) -> bool:
    return type(number) is int and 0 <= number <= MAX_INTEGER


def _cut(text: str, longest: int) -> str:
    """The beginning of a text, in whole characters: a record is JSON, which has no halves of them."""
    return _HALF_CHARACTER.sub("\ufffd", text[:longest])
