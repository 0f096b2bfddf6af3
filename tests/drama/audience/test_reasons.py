"""Why somebody chose what they chose, in words that name people and acts."""

from __future__ import annotations

import pytest

from tests.drama.audience.evenings import evening as played
from volition.drama import Evening
from volition.drama.audience.reasons import FAVOURS, ChoiceWords

TICKS = range(0, 60, 4)


@pytest.fixture(scope="module")
def evening() -> Evening:
    return Evening(played())


def test_a_reason_names_the_strongest_terms_and_the_next_best_act(evening: Evening) -> None:
    """Every number of a reason is a contribution of the decision, the greatest first, and the next best act is its rival."""
    for tick in TICKS:
        for who in evening.run.ticks[tick].choices:
            decision, said = evening.decision(tick, who), ChoiceWords(evening.scenario, who)
            why, reason = decision.why(), said.reason(decision)
            assert reason.doing.startswith(f"{said.name} ")
            best = sorted((part.value for part in why.contributions if part.value >= 0.0005), reverse=True)[:FAVOURS]
            assert all(f"({value:+.3f})" in reason.because for value in best)
            assert why.over is None or reason.instead.startswith(f"Next best: {said.act(why.over)} (")


def test_no_id_is_left_in_a_sentence(evening: Evening) -> None:
    """Sentences about a decision have the words of every act in place of its id."""
    for tick in TICKS:
        who = next(iter(evening.run.ticks[tick].choices))
        decision, said = evening.decision(tick, who), ChoiceWords(evening.scenario, who)
        for text in (decision.why().text, *(decision.why_not(id).text for id in decision.tally.survivors[:3])):
            sentence = said.sentence(text, decision.tally.ids)
            assert not [id for id in decision.tally.ids if ":" in id and id in sentence]
