"""A show is its evening: what is said, who is where, and how it ends; whatever the stage fails to do, and whoever watches."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.staging.stages import DirectStage
from volition.core.clock import ManualClock
from volition.core.errors import InvalidInput, NotPossible
from volition.drama import Evening, play, scenario
from volition.drama.audience.reasons import ChoiceWords
from volition.drama.audience.timeline import Unfolding
from volition.drama.world.model import DEPARTED
from volition.drama.world.scenario import scenario_names
from volition.drama.world.settings import Setting, apply_settings
from volition.execution import ExecutorServer, Occurred, connect
from volition.staging import STAGE_INTENTS, PaperStage, Show
from volition.staging.set_design import SetDesign, blocks
from volition.staging.show import MOST_ANSWERS, SLICE_S

TICKS = 14
SHORT_EVENINGS = {"dinner-party": 1, "newsroom": 33, "night-tide": 21, "winter-station": 4}
"""The shipped scenarios, each with the seed of an evening that ends early because people leave."""


@pytest.fixture(scope="module", params=scenario_names())
def evening(request: pytest.FixtureRequest) -> Evening:
    return play(scenario(request.param), SHORT_EVENINGS[request.param])


@pytest.fixture(scope="module")
def party() -> Evening:
    """An evening that was broken off; its forks end soon after."""
    return play(apply_settings(scenario("dinner-party"), [Setting("evening.ticks", None, 2 * TICKS)]), 8, ticks=TICKS)


@pytest.fixture(scope="module")
def whole(party: Evening) -> DirectStage:
    """A stage that has shown the party, and was able to do everything."""
    stage = DirectStage()
    Show(party, stage, pace_s=0.0, clock=ManualClock()).run()
    return stage


def unfolded(evening: Evening) -> tuple[dict[str, list[float]], list[tuple[str, str]]]:
    """Where the record has everybody who is still there, in blocks, and what everybody has said."""
    unfolding = Unfolding(evening.run, SetDesign(evening.scenario).plan)
    lines = [
        (line.who, line.words)
        for record in evening.run.ticks
        for one in unfolding.step(record)[1]
        for line in one.spoken
    ]
    return {who: blocks(one.at) for who, one in unfolding.now().people.items() if one.room != DEPARTED}, lines


def last_places(evening: Evening) -> dict[str, list[float]]:
    return unfolded(evening)[0]


def test_everything_that_is_said_is_said_once_in_order(evening: Evening) -> None:
    """Of every shipped scenario: each line of the telling is said by its speaker, once, and in the order of the events; at the
    end everybody stands where the record has them, and who has left is gone."""
    stage = DirectStage()
    report = Show(evening, stage, pace_s=0.0, clock=ManualClock()).run()
    places, lines = unfolded(evening)
    assert [(who, said["text"]) for who, said in stage.asked_for("SAY")] == lines
    assert stage.guests == places
    assert evening.ending is not None
    assert (report.ticks, report.missed, report.ending) == (len(evening.run.ticks), 0, evening.ending.kind)
    assert len(stage.asked_for("LEAVE")) == len(evening.scenario.people) - len(stage.guests)


@given(st.integers(0, 4))
def test_what_a_stage_cannot_do_changes_nothing(party: Evening, whole: DirectStage, seed: int) -> None:
    """Whatever part of the cues fails, the same ones are sent, but for those that put people where they did not arrive; the
    evening is the same record, and whoever can be put stands where it has them."""
    broken = DirectStage(fails=lambda n, name: name != "ENTER" and (n * 7919 + seed) % 5 == 0)
    before = party.run
    report = Show(party, broken, pace_s=0.0, clock=ManualClock()).run()
    assert party.run is before
    kept = [one for one in whole.sent if one[0] != "ENTER"]
    assert [one for one in broken.sent if one[0] != "ENTER"] == kept
    assert len(broken.asked_for("ENTER")) == len(whole.asked_for("ENTER")) + report.placed
    left = {who for who, _ in whole.asked_for("LEAVE")}
    assert {who: at for who, at in broken.guests.items() if who not in left} == whole.guests


def test_a_stage_that_does_nothing_at_all(party: Evening) -> None:
    """Where every cue fails, the show still comes to its end, and the report says so."""
    stage = DirectStage(fails=lambda *_: True)
    report = Show(party, stage, pace_s=0.0, clock=ManualClock()).run()
    assert report.ticks == TICKS
    assert report.missed == report.cues


def test_whoever_watches_may_ask_why(party: Evening) -> None:
    """A question is answered in words, from the decision of the tick that is shown, to who asked."""
    asked = [Occurred("asked", {"by": "kim", "about": "victor"})]
    stage = DirectStage(watch=lambda number, _: asked if number == 40 else [])
    report = Show(party, stage, pace_s=0.0, clock=ManualClock()).run()
    ((_, answer),) = stage.asked_for("ANSWER")
    reasons = [
        ChoiceWords(party.scenario, "victor").reason(party.decision(tick, "victor"))
        for tick in range(party.first, TICKS)
    ]
    assert answer["to"] == "kim"
    assert any(answer["text"].startswith(f"{reason.doing}. {reason.because}.") for reason in reasons)
    assert report.answered == 1


HOSTILE: list[Any] = [
    None,
    7,
    [],
    {},
    {"by": 3, "about": "victor"},
    {"by": "kim", "about": "nobody"},
    {"by": "kim", "about": ["x"]},
]


def test_nonsense_from_the_world_is_ignored(party: Evening) -> None:
    """Anybody may stand in a world: what makes no sense is not answered, and the show goes on."""
    nonsense = [Occurred(name, data) for name in ("asked", "wave", "") for data in HOSTILE]
    stage = DirectStage(watch=lambda number, _: nonsense if number % 9 == 0 else [])
    report = Show(party, stage, pace_s=0.0, clock=ManualClock()).run()
    assert (report.answered, report.ticks) == (0, TICKS)


def test_however_many_ask_the_show_goes_on(party: Evening, whole: DirectStage) -> None:
    """Of a crowd that asks at once, a few are heard: their answers are one beat, and the same evening is shown to its end."""
    crowd = [Occurred("asked", {"by": f"kim-{n}", "about": "victor"}) for n in range(500)]
    stage = DirectStage(watch=lambda number, _: crowd if number == 40 else [])
    report = Show(party, stage, pace_s=0.0, clock=ManualClock()).run()
    assert [answer["to"] for _, answer in stage.asked_for("ANSWER")] == [f"kim-{n}" for n in range(MOST_ANSWERS)]
    assert (report.answered, report.ticks, report.missed) == (MOST_ANSWERS, TICKS, 0)
    assert [one for one in stage.sent if one[0] != "ANSWER"] == whole.sent


def test_nobody_fills_a_disk_with_other_evenings(party: Evening, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever asks for another evening again and again gets so many in a show and no more; each that was kept is a fork, and
    the show comes to its end."""
    monkeypatch.setattr("volition.staging.show.MOST_FORKS", 2)
    kept: list[Evening] = []

    def keep(branch: Evening) -> str:
        kept.append(branch)
        return "branch"

    wishes = [Occurred("asked", {"by": "kim", "about": "victor"}), Occurred("instead", {"by": "kim"})]
    stage = DirectStage(watch=lambda number, _: wishes if number < 160 and number % 5 == 0 else [])
    Show(party, stage, pace_s=0.0, clock=ManualClock(), keep=keep).run(start=TICKS - 2)
    assert len(kept) == 2
    assert stage.guests == last_places(kept[-1])


def test_a_name_that_is_too_long_is_not_answered(party: Evening) -> None:
    """A stage may call those who watch whatever it likes: a name that no cue can carry is ignored."""
    asked = [Occurred("asked", {"by": "k" * 201, "about": "victor"}), Occurred("instead", {"by": "k" * 9999})]
    stage = DirectStage(watch=lambda number, _: asked if number % 9 == 0 else [])
    assert Show(party, stage, pace_s=0.0, clock=ManualClock()).run().answered == 0


def test_a_pause_lasts_until_somebody_resumes(party: Evening, whole: DirectStage) -> None:
    """While it is paused, nothing is sent and time passes; then it goes on where it was."""
    stage, clock = DirectStage(), ManualClock()
    paused_at: list[int] = []

    def events() -> list[Any]:
        if len(stage.sent) > 50 and len(paused_at) < 30:
            paused_at.append(len(stage.sent))
            return [Occurred("pause" if len(paused_at) < 30 else "resume", {"by": "kim"})]
        return []

    stage.events = events  # type: ignore[method-assign]
    Show(party, stage, pace_s=0.0, clock=clock).run()
    assert len(paused_at) == 30
    assert len(set(paused_at)) == 1
    assert clock.monotonic() > 0
    assert stage.sent == whole.sent


def test_another_ending_is_a_fork_that_walks_on(party: Evening) -> None:
    """Who has asked about a guest may see the evening in which that guest had done the next best thing: it is a fork of the
    record at the tick that is shown, it is kept, and the stage ends where that evening ends."""
    kept: list[Evening] = []

    def keep(branch: Evening) -> str:
        kept.append(branch)
        return "branch-1"

    def watch(number: int, _intent: str) -> list[Occurred]:
        if number == 40:
            return [Occurred("instead", {"by": "kim"}), Occurred("asked", {"by": "kim", "about": "victor"})]
        return [Occurred("instead", {"by": "kim"})] if number == 60 else []

    stage = DirectStage(watch=watch)
    show = Show(party, stage, pace_s=0.0, clock=ManualClock(), keep=keep)
    show.run()
    (branch,) = kept
    assert show.evening is branch
    assert branch.run.ticks != party.run.ticks
    assert stage.guests == last_places(branch)
    told = [answer["text"] for _, answer in stage.asked_for("ANSWER")]
    assert told[0].startswith("Ask somebody why first")
    assert told[-1] == "From here on it is another evening. It is recorded as branch-1."


def test_an_evening_that_goes_on_is_followed(party: Evening) -> None:
    """Where the record stops before the ending, the show waits for more, and ends where nothing more comes."""
    parts = [play(scenario("dinner-party"), 8, ticks=ticks) for ticks in (6, 6, 12)]
    came = iter([*parts[1:], None])
    stage = DirectStage()
    report = Show(parts[0], stage, pace_s=0.0, clock=ManualClock(), more=lambda _: next(came)).run()
    assert report.ticks == 12
    assert [(who, said["text"]) for who, said in stage.asked_for("SAY")] == unfolded(parts[2])[1]


def test_who_waits_for_more_does_not_spin(party: Evening) -> None:
    """Even without any pace, time passes between two looks at a record that has not grown."""
    begun, clock, looks = play(scenario("dinner-party"), 8, ticks=6), ManualClock(), iter(range(10))
    Show(
        begun, DirectStage(), pace_s=0.0, clock=clock, more=lambda _: begun if next(looks, None) is not None else None
    ).run()
    assert clock.monotonic() >= 10 * SLICE_S - 1e-9


def test_it_can_begin_anywhere(party: Evening) -> None:
    """From a later tick on, people come in where they are then."""
    stage = DirectStage()
    report = Show(party, stage, pace_s=0.0, clock=ManualClock()).run(start=10)
    assert report.ticks == TICKS - 10
    assert stage.guests == last_places(party)


@pytest.mark.parametrize("start", [-1, TICKS, 10_000])
def test_what_was_not_played_is_not_shown(party: Evening, start: int) -> None:
    """A tick before the first or after the last is refused, with those that there are, before anything is sent."""
    stage = DirectStage()
    with pytest.raises(InvalidInput, match=f"a tick from 0 to {TICKS - 1}"):
        Show(party, stage, pace_s=0.0, clock=ManualClock()).run(start=start)
    assert stage.sent == []


def test_over_a_wire(party: Evening, whole: DirectStage) -> None:
    """The same over a socket, with the stage on paper as a real executor: its notes are what a direct stage was sent."""
    paper = PaperStage()
    with ExecutorServer.listen("tcp://127.0.0.1:0", paper).running() as address, connect(address) as bridge:
        assert set(bridge.declared) == {one.name for one in STAGE_INTENTS}
        report = Show(party, bridge, pace_s=0.0, clock=ManualClock()).run()
    assert report.missed == 0
    assert sorted(map(str, paper.notes)) == sorted(map(str, whole.sent))
    assert paper.guests == whole.guests


def test_a_stage_that_goes_away(party: Evening) -> None:
    """A stage whose executor is gone ends the show with what is wrong; the evening is what it was."""
    before = party.run
    with ExecutorServer.listen("tcp://127.0.0.1:0", PaperStage()).running() as address:
        bridge = connect(address)
        bridge.close()
        with pytest.raises(Exception, match="closed") as caught:
            Show(party, bridge, pace_s=0.0, clock=ManualClock()).run()
    assert not isinstance(caught.value, NotPossible)
    assert party.run is before
