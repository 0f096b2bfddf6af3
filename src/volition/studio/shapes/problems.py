"""How an error looks: the house's problems, as JSON."""

from __future__ import annotations

from msgspec import Struct


class ProblemShape(Struct, frozen=True):
    """One thing that is wrong: what, where, what was expected, and what to do."""

    what: str
    where: str
    expected: str
    remedy: str


class Refusal(Struct, frozen=True):
    """An answer that is an error: its name and every problem at once."""

    error: str
    problems: list[ProblemShape]
