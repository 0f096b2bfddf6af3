"""A real language model takes part in an evening, from the first question to the explanation without it. `make minds` installs it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.drama.minds.model_evening import GUEST, play_with_model
from tests.minds.model import needs_model, serving_model
from volition.drama import Evening
from volition.drama.playing.evening import verify_run

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = needs_model


def test_an_evening_with_a_model(tmp_path: Path) -> None:
    """A model votes for a guest through an evening. What it was asked and answered is recorded; with its server gone the
    evening is verified tick by tick, explained with the model's reason, and told."""
    folder = tmp_path / "run"
    with serving_model() as url:
        evening = play_with_model(url)
    evening.save(folder)
    again = verify_run(folder)
    assert again.run == evening.run
    asked = {tick.tick: tick.asked[GUEST] for tick in again.run.ticks if GUEST in tick.asked}
    answered = {tick: one for tick, one in asked.items() if not one.fallback}
    assert answered
    for tick, one in answered.items():
        why = Evening(again.run).decision(tick, GUEST).why().text
        assert one.choice in why
        assert one.reason.rstrip(".") in why
        assert one.tokens > 0
    assert again.transcript()
