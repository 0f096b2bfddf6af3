"""Evenings in which minds decide: measured by the laws, and what the readable definitions give."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from tests.drama.batch.meter import Meter
from tests.drama.evening.casts import bytes_of, invented, shipped
from volition.arbitration import Constraint, Heuristic
from volition.arbitration.intent import Function
from volition.drama.batch.reading import RowReader
from volition.drama.evening.batches import InterpretedBatches
from volition.drama.evening.look import HUNDREDTHS
from volition.drama.evening.measure import BREAKDOWNS
from volition.drama.evening.play_many import play_many
from volition.drama.evening.tension import HAPPENINGS
from volition.drama.mind.custom import played_by
from volition.drama.stage.measured import MindPlayer

if TYPE_CHECKING:
    from volition.arbitration import Intention
    from volition.drama.evening.rows import MeasureRows
    from volition.drama.mind.custom import OfferedActs
    from volition.drama.world.model import Action, Scenario

pytestmark = pytest.mark.req("DE-13", "DE-19")
PARTY = shipped("dinner-party")
TICKS = 10


def _uneasy(act: Action, sheet: Any) -> float:
    return 0.1 * sheet.me.pacing.stress if act.is_dramatic else -0.3


def _quiet(act: Action) -> bool:
    return act.action_type.name == "CONFLICT"


def _last(offer: OfferedActs) -> str | None:
    return offer.ids[-1] if offer.tick % 2 else None


CUSTOM: dict[str, list[Intention]] = {
    "none": [],
    "a term": [Heuristic("uneasy", Function(_uneasy), weight=0.7)],
    "a priority": [Heuristic("first", Function(lambda act: 1.0), weight=0.0, priority=1)],
    "a constraint": [Constraint("quiet", Function(_quiet))],
    "a mind": [played_by("marcus", _last)],
}


def _rows(player: MindPlayer, seeds: list[int]) -> MeasureRows:
    ticks = min(TICKS, player.scenario.evening.ticks)
    batches = InterpretedBatches(player.scenario, ticks, measured=True, laws=(), player=player)
    return batches.play(np.array(seeds, np.uint64)).measures


@pytest.mark.parametrize("name", CUSTOM)
def test_measured_as_defined(name: str) -> None:
    """With any custom intention the laws measure what the record of the evening and every decision's tally say."""
    rows = _rows(MindPlayer(PARTY, CUSTOM[name]), [3])
    assert repr(next(RowReader(PARTY).read(rows))) == repr(Meter(PARTY, CUSTOM[name], TICKS).measure(3))


@pytest.mark.parametrize("scenario", [PARTY, invented(0, most_people=17)], ids=["shipped", "invented"])
def test_minds_that_add_nothing(scenario: Scenario) -> None:
    """Where a term adds nothing, minds give the rows of the evenings that the laws alone decide, to the byte."""
    nothing: list[Intention] = [Heuristic("nothing", Function(lambda act: 0.0))]
    alone = play_many(scenario, [3], ticks=TICKS, engine="interpreted", measures=True).measures
    assert bytes_of(_rows(MindPlayer(scenario, nothing), [3])) == bytes_of(alone)


def test_too_little_room() -> None:
    """Measures that need more room than there is are taken again with more, and are the same."""
    cramped, roomy = MindPlayer(PARTY, CUSTOM["a term"]), MindPlayer(PARTY, CUSTOM["a term"])
    cramped.make_room({HAPPENINGS: 2, BREAKDOWNS: 1, HUNDREDTHS: 8})
    assert bytes_of(_rows(cramped, [3])) == bytes_of(_rows(roomy, [3]))
    assert cramped.room[HAPPENINGS] > 2
