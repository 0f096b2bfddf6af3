"""Minds of a user, for evenings in which they take part."""

from __future__ import annotations

from typing import TYPE_CHECKING

from volition.minds import MindChoice, MindVote
from volition.minds.contract import question_hash

if TYPE_CHECKING:
    from volition.minds import MindSituation


def moody(situation: MindSituation) -> MindVote:
    """Vote for an option that depends on the whole question."""
    place = int(question_hash(situation), 16) % len(situation.options)
    return MindVote(situation.ids[place], f"mood {place}")


async def take_second(situation: MindSituation) -> MindChoice:
    """Choose the second best option."""
    return MindChoice(next(id for id in situation.ids if id != situation.own), "the obvious is dull")


def obey(situation: MindSituation) -> MindChoice:
    """Choose what the person would do anyhow."""
    return MindChoice(situation.own)


def echo(situation: MindSituation) -> MindVote:
    """Vote for what the person would do anyhow."""
    return MindVote(situation.own)


def nothing(situation: MindSituation) -> None:
    """Leave it to the person."""


def fail(situation: MindSituation) -> MindVote:
    """Raise."""
    raise SystemExit(f"{situation.who} has no mind for this")


def argue(situation: MindSituation) -> MindChoice:
    """Insist on what is forbidden, or on what nobody offered."""
    return MindChoice(next(iter(situation.vetoed), "conflict:everybody"), "I do as I like")
