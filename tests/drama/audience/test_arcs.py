from __future__ import annotations

import re
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.drama.audience.evenings import SCENARIOS, evening, event, viewed
from volition.core.canonical import canonical
from volition.drama.audience.arcs import (
    FEWEST,
    LEAST_SHARE,
    LEAST_SPAN,
    MOST,
    WEIGHTS,
    BeatPart,
    arc_of,
    arcs,
    beats_of,
    choose_events,
    classify,
    repair_grammar,
    shape,
)
from volition.drama.audience.tension import minutes_of
from volition.drama.audience.viewing import Viewed, view
from volition.drama.rules.catalog import CATASTROPHE, CHAT, CONFIDE, CONFLICT, LIE, REVEAL, EventType

LETTERS = {
    BeatPart.SETUP: "s",
    BeatPart.COMPLICATION: "c",
    BeatPart.ESCALATION: "e",
    BeatPart.TURNING_POINT: "T",
    BeatPart.CONSEQUENCE: "k",
}
GRAMMAR = re.compile("s+[ce]+Tk+")
TENSIONS = st.sampled_from([0.0, 0.1, 0.25, 0.5, 0.9])
KINDS = st.sampled_from([CHAT, CHAT, CONFIDE, LIE, CONFLICT, CATASTROPHE, REVEAL])
CAST = ("ann", "ben", "cal", "dot")


def _seen(kinds: list[tuple[EventType, float, bool]]) -> list[Viewed]:
    return [
        viewed(event(type, "ann", "ben", id=f"e{number}", minutes=float(number)), tension, collapse=falls)
        for number, (type, tension, falls) in enumerate(kinds)
    ]


@given(st.lists(st.tuples(KINDS, TENSIONS, st.booleans()), min_size=FEWEST, max_size=MOST))
def test_beats_follow_the_grammar(kinds: list[tuple[EventType, float, bool]]) -> None:
    """Whatever happens, beats are setups, then rises, one turning point, and consequences to the end."""
    beats = beats_of(_seen(kinds))
    assert GRAMMAR.fullmatch("".join(LETTERS[beat.part] for beat in beats))


@given(st.lists(st.tuples(st.sampled_from(list(BeatPart)), TENSIONS), min_size=FEWEST, max_size=MOST))
def test_repairs_change_nothing_that_is_right(parts: list[tuple[BeatPart, float]]) -> None:
    """Any parts are repaired into the grammar, and repairing again changes nothing."""
    tensions = [tension for _, tension in parts]
    fixed = repair_grammar([part for part, _ in parts], tensions)
    assert GRAMMAR.fullmatch("".join(LETTERS[part] for part in fixed))
    assert repair_grammar(fixed, tensions) == fixed


def test_classification() -> None:
    """Early events are setups or complications, the middle escalates or complicates, and a clash at the peak is the turning point."""
    kinds = [(CHAT, 0.1), (LIE, 0.2), (CHAT, 0.3), (CHAT, 0.2), (CONFLICT, 0.9), (CHAT, 0.3), (CHAT, 0.1), (CHAT, 0.0)]
    found = classify(_seen([(type, tension, False) for type, tension in kinds]))
    assert "".join(LETTERS[part] for part in found) == "scecTkkk"


def test_a_truth_by_which_irony_falls_turns() -> None:
    """A REVEAL is a turning point exactly if irony collapses by it, however low the tension is."""
    calm = [(CHAT, 0.5, False), (CHAT, 0.5, False), (REVEAL, 0.1, True), (CHAT, 0.5, False)]
    assert classify(_seen(calm))[2] is BeatPart.TURNING_POINT
    calm[2] = (REVEAL, 0.1, False)
    assert classify(_seen(calm))[2] is not BeatPart.TURNING_POINT


@given(
    st.lists(st.tuples(KINDS, st.sampled_from(CAST), st.sampled_from(CAST), TENSIONS, st.integers(1, 5)), max_size=60)
)
def test_chosen_events_hang_together(stream: list[tuple[EventType, str, str, float, int]]) -> None:
    """An arc has at most twenty events, mostly of its protagonist, each tied to the one before it."""
    seen = []
    for number, (type, source, target, tension, back) in enumerate(stream):
        causes = (f"e{number - back}",) if number >= back else ()
        targets = "" if target == source else target
        happened = event(type, source, targets, id=f"e{number}", minutes=float(number), causes=causes)
        seen.append(viewed(happened, tension))
    for person in CAST:
        chosen = choose_events(seen, person)
        assert len(chosen) <= MOST
        if chosen:
            share = sum(person in one.event.participants for one in chosen) / len(chosen)
            assert share >= LEAST_SHARE
        for before, after in pairwise(chosen):
            assert seen.index(before) < seen.index(after)
            shared = set(before.event.participants) & set(after.event.participants)
            assert shared or before.event.id in after.event.causes


def test_a_short_time_makes_no_arc() -> None:
    """Events within less than 15 % of the run do not make an arc, and neither do three events."""
    seen = _seen([(CHAT, 0.1, False), (CHAT, 0.2, False), (CONFLICT, 0.9, False), (CHAT, 0.1, False)])
    assert arc_of(seen, "ann", 20.0) is not None
    assert arc_of(seen, "ann", 20.1) is None
    assert arc_of(seen[:3], "ann", 2.0) is None
    assert arc_of(seen, "cal", 20.0) is None


def test_what_others_did_is_part_of_it() -> None:
    """A dramatic act of others that led to the protagonist's own belongs to the arc."""
    own = [event(CHAT, "ann", "ben", id=f"e{number}", minutes=float(number)) for number in range(4)]
    theirs = event(REVEAL, "cal", "ben", id="e7", minutes=7.0)
    clash = event(CONFLICT, "ben", "ann", id="e8", minutes=8.0, causes=("e7",))
    idle = event(CHAT, "cal", "ben", id="e9", minutes=9.0)
    last = event(CHAT, "ann", "ben", id="e10", minutes=10.0, causes=("e9",))
    chosen = choose_events([viewed(one) for one in (*own, theirs, clash, idle, last)], "ann")
    assert [one.event.id for one in chosen] == ["e0", "e1", "e2", "e3", "e7", "e8", "e10"]


def test_what_leads_nowhere_is_left_out() -> None:
    """What others did is dropped if the protagonist's next event is neither caused by it nor shares a person with it."""
    own = [event(CHAT, "ann", "ben", id=f"e{number}", minutes=float(number)) for number in range(4)]
    theirs = event(REVEAL, "ben", "cal", id="e7", minutes=7.0)
    between = event(CHAT, "ann", "dot", id="e8", minutes=8.0)
    clash = event(CONFLICT, "cal", "ann", id="e9", minutes=9.0, causes=("e7",))
    chosen = choose_events([viewed(one) for one in (*own, theirs, between, clash)], "ann")
    assert [one.event.id for one in chosen] == ["e0", "e1", "e2", "e3", "e8", "e9"]


def test_shape() -> None:
    """The best shape rises steadily to a late peak and then falls; the worst does neither."""
    assert shape([0.0, 0.1, 0.2, 0.3, 0.1, 0.0]) == 1.0
    assert shape([0.9, 0.1, 0.2, 0.3]) == pytest.approx((0.3 + 1 / 3) / 2)


@pytest.mark.parametrize("name", SCENARIOS)
def test_arcs_of_a_run(name: str) -> None:
    """A played evening has at least two arcs; they follow the grammar, span enough of it, and are sorted by score."""
    played = evening(name)
    found = arcs(played)
    assert len(found) >= 2
    assert len({arc.protagonist for arc in found}) == len(found)
    assert [arc.score for arc in found] == sorted((arc.score for arc in found), reverse=True)
    for arc in found:
        assert FEWEST <= len(arc.beats) <= MOST
        assert arc.end - arc.start >= LEAST_SPAN * minutes_of(played)
        assert GRAMMAR.fullmatch("".join(LETTERS[beat.part] for beat in arc.beats))
        assert set(arc.qualities) == set(WEIGHTS) - {"significance"}
        assert all(0.0 <= quality <= 1.0 for quality in arc.qualities.values())
        mean = sum(WEIGHTS[name] * arc.qualities[name] for name in arc.qualities) / 0.85
        assert arc.score == pytest.approx(mean)
    assert canonical([arc.to_data() for arc in found])


def test_a_view_is_of_every_event() -> None:
    """Viewing a run gives every event once, in order, with its tension."""
    played = evening()
    seen = view(played)
    assert [one.event for one in seen] == list(played.events)
    assert [one.moment.event for one in seen] == [happened.id for happened in played.events]


@pytest.mark.parametrize("name", SCENARIOS)
def test_a_turning_point_is_the_protagonists_own(name: str) -> None:
    """Nobody's story turns on a row between others."""
    found = 0
    for seed in range(1, 4):
        run = evening(name, seed)
        events = {one.id: one for one in run.events}
        for arc in arcs(run):
            (turn,) = (beat for beat in arc.beats if beat.part is BeatPart.TURNING_POINT)
            assert arc.protagonist in events[turn.event].participants
            found += 1
    assert found > 8
