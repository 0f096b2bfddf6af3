"""A real language model, small enough to run anywhere, as a narrator. `make minds` installs it."""

from __future__ import annotations

import sys
from dataclasses import replace

from tests.drama.audience.evenings import evening, spoken_lines
from tests.minds.model import NAME, needs_model, serving_model
from tests.processes import PATIENCE
from volition.drama.audience.endpoint import EndpointNarrator, WordEndpoint
from volition.drama.audience.narrator import transcript

pytestmark = needs_model


def test_a_story_is_told_whole() -> None:
    """Its lines are told, and templates say what it could not; what is told beside them is the same."""
    run = replace(evening(), ticks=evening().ticks[:4], ending=None)
    with serving_model() as url:
        narrator = EndpointNarrator(run.seed, WordEndpoint(url, NAME, timeout_s=PATIENCE))
        told = transcript(run, narrator)
    plain = transcript(run)
    sys.stdout.write(f"{told}\n{narrator.counts}, the last fault: {narrator.fault}\n")
    assert 0 < narrator.counts["asked"] <= spoken_lines(plain).total()
    assert (told == plain) == (narrator.counts["templates"] == spoken_lines(plain).total())
    assert spoken_lines(told).total() == spoken_lines(plain).total()
    assert len(told.split("\n\n")) == len(plain.split("\n\n"))
