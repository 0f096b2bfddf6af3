"""Settlement: which plans are kept, which give way to which, and which outcomes a person can choose from."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.governance.plans import NOW, judged, plan
from volition.governance.conflicts.order import Needs
from volition.governance.settlement.questions import answer_questions
from volition.governance.settlement.settle import OUTCOMES, Relations, possible_choices, settle, smallest_choices

if TYPE_CHECKING:
    from collections.abc import Iterable

    from volition.governance.documents.intent import IntentDocument

SIZE = 6
PAIRS = st.lists(st.tuples(st.integers(0, SIZE - 1), st.integers(0, SIZE - 1)).filter(lambda p: p[0] != p[1]))


def field_of(size: int, clashes: Iterable[tuple[int, int]], before: Iterable[tuple[int, int]] = ()) -> Relations:
    near: list[set[int]] = [set() for _ in range(size)]
    for one, other in clashes:
        near[one].add(other)
        near[other].add(one)
    needs = Needs(())
    for one, other in before:
        needs.add("it", [one], [other])
    return Relations(near, needs)


def is_possible(some: tuple[int, ...], field: Relations) -> bool:
    """Whether no two clash and the needs among these leave an order, tried by repeatedly removing plans that need none."""
    if any(other in field.near[one] for one, other in combinations(some, 2)):
        return False
    left = set(some)
    while free := {n for n in left if not any(n in field.after[m] for m in left)}:
        left -= free
    return not left


@pytest.mark.req("GV-24")
@given(PAIRS, PAIRS)
def test_every_outcome_is_offered_and_no_other(clashes: list[tuple[int, int]], before: list[tuple[int, int]]) -> None:
    """The choices are all that can be kept together and take nobody else in, as trying all subsets finds them."""
    field = field_of(SIZE, clashes, before)
    every = [some for size in range(SIZE + 1) for some in combinations(range(SIZE), size) if is_possible(some, field)]
    largest = {some for some in every if not any(set(some) < set(other) for other in every)}
    found, more = possible_choices(range(SIZE), field)
    assert (set(found), len(found), more) == (largest, len(largest), False)


@pytest.mark.req("GV-24")
def test_outcomes_are_bounded() -> None:
    """Ten pairs have 1024 outcomes: so many as a question may have are offered, and it says that there are more."""
    found, more = possible_choices(range(20), field_of(20, [(n, n + 1) for n in range(0, 20, 2)]))
    assert (len(found), len(set(found)), more) == (OUTCOMES, OUTCOMES, True)
    tied = [plan(f"tied_{n // 2}_{n % 2}", ["hub.py", f"{n // 2}.py"], priority=5) for n in range(20)]
    (question,) = judged(*tied).questions
    assert [o.label for o in question.options if o.label.startswith("Keep ")] == [f"Keep {one.id}" for one in tied]
    several = [
        plan(f"tied_{n}_{side}", [f"{n}.py", f"{n + side}.md"], priority=5) for n in range(10) for side in (0, 1)
    ]
    (question,) = judged(*several).questions
    assert f"More than {OUTCOMES} outcomes are possible" in question.reason
    assert len(question.options) == OUTCOMES + 1


@given(PAIRS, st.lists(st.tuples(st.integers(0, SIZE - 1), st.integers(0, SIZE - 1))), PAIRS)
def test_what_is_settled_is_settled(
    clashes: list[tuple[int, int]], first: list[tuple[int, int]], before: list[tuple[int, int]]
) -> None:
    """Who is kept goes before all it clashes with that did not give way to another; each loser gave way to one that is
    kept; each open plan clashes with an open plan that it does not win over, or is blocked by a circle."""
    field = field_of(SIZE, clashes, before)
    beats = {(one, other) for one, other in first if one < other}

    def decides(one: int, other: int) -> str | None:
        return "risk" if (one, other) in beats else None

    settled = settle(range(SIZE), field, decides)
    kept, lost, left = settled.kept, settled.lost, settled.open
    open_ = {n for part in left for n in part}
    assert sorted([*kept, *lost, *open_]) == list(range(SIZE))
    circling = {n for circle in field.circles(set(range(SIZE))) for n in circle}
    assert circling <= open_
    for loser, (winner, _) in lost.items():
        assert winner in kept
        assert winner in field.near[loser]
        assert (winner, loser) in beats
    for one in kept:
        assert field.near[one] <= lost.keys()
    for one in open_:
        rivals = field.near[one] & open_
        assert any((one, other) not in beats for other in rivals) or one in circling or rivals & circling
    for part in left:
        assert all(field.near[n] & open_ <= set(part) for n in part)


@given(st.lists(st.integers(0, 9), min_size=1, max_size=8), st.integers(0, 30))
def test_the_smallest_choices_that_fit(sizes: list[int], limit: int) -> None:
    """Every choice without which the rest fits, and in which nobody is there in vain, is found."""
    numbers = range(len(sizes))

    def fits(out: tuple[int, ...]) -> bool:
        return sum(size for n, size in enumerate(sizes) if n not in out) <= limit

    every = [some for size in range(1, len(sizes)) for some in combinations(numbers, size) if fits(some)]
    least = [some for some in every if not any(set(other) < set(some) for other in every)]
    assert smallest_choices(numbers, fits, most=100) == (least, False)
    found, more = smallest_choices(numbers, fits, looks=1)
    assert all(fits(some) for some in found)
    assert more or len(found) == len(least)


def chain(**priorities: int) -> list[IntentDocument]:
    """Three plans in a row: the first and the last each clash with the one between, and not with each other."""
    files = {"aaaaaa": ["1.py"], "bbbbbb": ["1.py", "2.py"], "cccccc": ["2.py"]}
    return [plan(name, files[name], priority=priorities.get(name, 5)) for name in files]


@pytest.mark.req("GV-24", "GV-07")
def test_a_chain_may_keep_both_ends() -> None:
    """Of three plans in a row a person may keep both ends, and then only the one between gives way."""
    outcome = judged(*chain())
    (question,) = outcome.questions
    assert [option.label for option in question.options] == [
        "Keep intent_aaaaaa and intent_cccccc",
        "Keep intent_bbbbbb",
        "One after the other: intent_aaaaaa then intent_bbbbbb then intent_cccccc",
    ]
    pack = outcome.question_pack
    assert pack is not None
    merged = judged(*chain(), answers=answer_questions(pack, {"question_0001": "option_0001"}, NOW)).merged_intent
    assert merged is not None
    assert merged.lineage.derived_from == ("intent_aaaaaa", "intent_cccccc")
    assert merged.lineage.supersedes == ("intent_bbbbbb",)


@pytest.mark.req("GV-24", "GV-07")
def test_nobody_gives_way_to_a_superseded_plan() -> None:
    """The last of a row is not superseded because it clashes with one that gave way to the first."""
    merged = judged(*chain(aaaaaa=9, bbbbbb=7, cccccc=1)).merged_intent
    assert merged is not None
    assert merged.lineage.derived_from == ("intent_aaaaaa", "intent_cccccc")
    assert merged.lineage.supersedes == ("intent_bbbbbb",)
    undecided = judged(*chain(aaaaaa=9)).merged_intent
    assert undecided is not None
    assert undecided.lineage.supersedes == ("intent_bbbbbb",)
