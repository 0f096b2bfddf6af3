"""Which acts mattered is found in the background, once, and kept."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.studio.conftest import RUN
from tests.studio.served import wait_for
from volition.core.errors import NotPossible
from volition.drama.audience.deeds import describe_deed
from volition.studio import mattering
from volition.studio.errors import Busy
from volition.studio.evenings import OpenEvening
from volition.studio.mattering import Mattering

if TYPE_CHECKING:
    from tests.sentences import Told
    from tests.studio.served import Served
    from volition.drama import Evening


@pytest.fixture(autouse=True)
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two acts are enough to see how it is done: for each of them the evening is played again."""
    monkeypatch.setattr(mattering, "EXAMINED", 2)


def test_what_mattered_is_what_the_evening_says(served: Served, evening: Evening) -> None:
    """The first question starts the work, and the answer is the evening's own, in words; another question gets the same."""
    asked = f"/runs/{RUN}/significance"
    assert served.get(asked)["state"] in {"computing", "done"}
    wait_for(lambda: served.get(asked)["state"] == "done", "it is found out")
    found = served.get(asked)
    known = evening.significance(most=2)
    assert [act["score"] for act in found["acts"]] == [act.score for act in known]
    assert [act["text"] for act in found["acts"]] == [describe_deed(evening.scenario, act.event) for act in known]
    assert served.get(asked) == found


def test_an_evening_that_goes_on_is_not_examined(evening: Evening) -> None:
    """What mattered is not asked while all may change yet."""
    with pytest.raises(NotPossible, match="goes on"):
        OpenEvening(RUN, evening, live=True).significance()


def test_only_a_few_evenings_wait(evening: Evening, told: Told) -> None:
    """Where too many evenings wait to be examined, one more is refused, and can be asked again later."""
    places = [mattering._PLACES.acquire(blocking=False) for _ in range(mattering.WAITING)]
    one = Mattering(evening)
    try:
        with told.raises(Busy):
            one.look()
    finally:
        for _ in filter(None, places):
            mattering._PLACES.release()
