"""Looking ahead is a vote like any other: in range, abstaining where it cannot tell, with its own share."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.arbitration.votes import scores_of, shares_of
from volition.arbitration.arbiter import arbitrate
from volition.arbitration.composite import CompositeIntention
from volition.arbitration.intention import Heuristic, heuristic
from volition.arbitration.lookahead import lookahead
from volition.arbitration.tables import Scores, Violates
from volition.core.errors import VolitionError

WAYS = {"door": ["hall", "street"], "window": ["street"], "chimney": []}
WORTH = {"hall": 0.8, "street": -0.4}


def ask(intent: Any, *names: str, context: Any = None) -> list[Any]:
    return list(intent.ask("heuristic", names, names, context))


@pytest.mark.req("AR-08")
@given(
    st.dictionaries(st.sampled_from("abc"), st.lists(st.one_of(st.none(), st.floats(-1, 1)), max_size=4)),
    st.floats(0, 1),
)
def test_range_and_meaning(table: dict[str, list[float | None]], discount: float) -> None:
    """The vote is the discounted best of what follows, in [-1, 1]; it abstains where nothing follows with a score."""
    following = {name: [f"{name}{n}" for n in range(len(scores))] for name, scores in table.items()}
    worth = {f"{name}{n}": score for name, scores in table.items() for n, score in enumerate(scores)}
    votes = ask(lookahead(following.__getitem__, worth.__getitem__, discount=discount), *table)
    for name, vote in zip(table, votes, strict=True):
        said = [score for score in table[name] if score is not None]
        assert vote == (discount * max(said) if said else None)
        assert vote is None or -1 <= vote <= 1


def test_then_may_be_any_heuristic() -> None:
    """What scores the successors may be a function, an entry or an intent that is data, with or without context."""

    @heuristic
    def worth(place: str) -> float:
        return WORTH[place]

    expected = [0.4, -0.2, None]
    assert ask(lookahead(WAYS.get, worth), *WAYS) == expected
    assert ask(lookahead(WAYS.get, Scores(WORTH)), *WAYS) == expected

    def ways(place: str, context: Any) -> list[str]:
        return list(context[place])

    def worth_in(place: str, context: Any) -> float:
        return WORTH[place] if context is WAYS else 0.0

    assert ask(lookahead(ways, worth_in), *WAYS, context=WAYS) == expected


@pytest.mark.req("AR-08")
@pytest.mark.parametrize("bad", [1.5, float("nan"), True, "0.5", float("-inf")])
def test_the_discount_hides_no_bad_score(bad: Any) -> None:
    """A successor's score outside the law is refused, though its discounted value would lie in range."""
    composite = CompositeIntention(
        Heuristic("ahead", lookahead(WAYS.get, lambda place: bad if place == "hall" else 0.0))
    )
    with pytest.raises(VolitionError) as caught:
        arbitrate(["window", "door"], composite)
    assert "'ahead'" in str(caught.value)
    assert "'hall'" in str(caught.value)
    assert "candidate 'door'" in str(caught.value)


@pytest.mark.parametrize("discount", [-0.1, 1.1, float("nan"), True, "1"])
def test_a_discount_lies_between_0_and_1(discount: Any) -> None:
    """A discount outside [0, 1] is refused."""
    with pytest.raises(VolitionError, match="discount"):
        lookahead(WAYS.get, WORTH.get, discount=discount)


def test_a_constraint_cannot_score() -> None:
    """An intent that only vetoes cannot be used as `then`."""
    with pytest.raises(VolitionError, match="cannot score"):
        lookahead(WAYS.get, Violates({"hall"}))


@pytest.mark.req("AR-14")
def test_its_share_is_visible() -> None:
    """The future is in the table of votes under its own id, beside the present."""
    composite = CompositeIntention(
        Heuristic("now", Scores({"door": 0.1, "window": 0.3})),
        Heuristic("ahead", lookahead(WAYS.get, WORTH.get), weight=2.0),
    )
    decision = arbitrate(list(WAYS), composite)
    assert decision.id == "door"
    assert decision.reason.voted_by == ("ahead", "now")
    assert shares_of(decision, "door") == {"now": 0.1, "ahead": 0.8}
    assert scores_of(decision, "chimney") == {"now": None, "ahead": None}


def successors(place: str) -> list[str]:
    return WAYS[place]


def test_written_down() -> None:
    """It is written with what follows, what scores it, and the discount."""
    data = lookahead(successors, Scores(WORTH)).to_data()["lookahead"]
    assert data["successors"]["python"].endswith(":successors")
    assert data["then"] == {"scores": WORTH}
    assert data["discount"] == 0.5
