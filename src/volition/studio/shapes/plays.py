"""Evenings to play and to fork, and what comes back."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta, Struct

from volition.core.errors import Problem  # noqa: TC001  msgspec reads the annotations
from volition.studio.shapes.decisions import Weights  # noqa: TC001
from volition.studio.shapes.evenings import (  # noqa: TC001
    Audience,
    ChoiceShape,
    Chosen,
    EndingShape,
    EveningShape,
    EventShape,
    InterferenceShape,
    TickShape,
)

Name = Annotated[str, Meta(min_length=1, max_length=200)]


class ForkAsked(Struct, frozen=True, forbid_unknown_fields=True):
    """Where to fork, and what to change: an act forced or vetoed, parts of the state set, other weights for the
    agent's choice there, or intentions left out of it."""

    at: int
    agent: Name | None = None
    force: Name | None = None
    veto: Name | None = None
    set: list[Name] = []
    weights: Weights = {}
    without: list[Name] = []


class ComparisonShape(Struct, frozen=True):
    """Two evenings side by side; pairs are the first evening's value and the branch's. `choices` are the first that
    differ: tick, person, here, there."""

    parted: int | None
    choices: list[tuple[int, str, str | None, str | None]]
    endings: tuple[EndingShape | None, EndingShape | None]
    events: tuple[int, int]
    broke: tuple[list[str], list[str]]
    left: dict[str, tuple[bool, bool]]
    beliefs: list[tuple[str, str, str, str]]
    trust: list[tuple[str, str, float, float]]
    text: str


class Forked(Struct, frozen=True):
    """The new run, what was done to it, and how it differs."""

    run: str
    of: str
    at: int
    interference: list[InterferenceShape]
    comparison: ComparisonShape


class PlayAsked(Struct, frozen=True, forbid_unknown_fields=True):
    """An evening to play and record. `pace` is seconds per tick, for those who watch."""

    scenario: Name = "dinner-party"
    seed: Annotated[int, Meta(ge=0, le=2**53 - 1)] = 1
    ticks: Annotated[int, Meta(ge=1, le=100_000)] | None = None
    pace: Annotated[float, Meta(ge=0.0, le=5.0)] = 0.0


class Started(Struct, frozen=True):
    """Something that runs in the background: its id, and where to follow it."""

    id: str
    live: str


class Lived(Struct, frozen=True):
    """One tick of a live evening: what everybody chose in it, its events and its length, and the state after it."""

    tick: TickShape
    events: list[EventShape]
    choices: dict[str, ChoiceShape]
    length: float


class LiveEnd(Struct, frozen=True):
    """How the stream of an evening ended: `reason` is "ended", "stopped", "failed" or "not live"."""

    reason: str
    ending: EndingShape | None = None
    problem: Problem | None = None


class ExportBundle(Struct, frozen=True):
    """A run as one document: everything that a page without a server can show."""

    version: str
    evening: EveningShape
    ticks: list[TickShape]
    audiences: dict[str, Audience]
    decisions: dict[str, Chosen]
