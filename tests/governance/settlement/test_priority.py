"""Priority: which key decides between two intents, and when none may."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from tests.governance.plans import command, judged, plan, sealed
from volition.governance.claims.footprint import footprint_of
from volition.governance.documents.policy import BUILT_IN, Policy
from volition.governance.drafts.sets import new_intent
from volition.governance.settlement.priority import UNNAMED, Priority, instant

if TYPE_CHECKING:
    from tests.sentences import Told
    from volition.governance.documents.intent import IntentDocument

OLD, NEW = "2026-01-01T00:00:00Z", "2026-01-02T00:00:00Z"
DEPLOY = command("ship_it", "deploy", text="Ship it")
PLANS = st.builds(
    lambda n, priority, risk, created, status, deploys: plan(
        f"number_{n}",
        ["x"],
        [],
        [DEPLOY] if deploys else None,
        priority=priority,
        risk=risk,
        created=created,
        status=status,
    ),
    st.integers(0, 9),
    st.sampled_from([None, 1, 5]),
    st.sampled_from(["low", "high"]),
    st.sampled_from([OLD, NEW]),
    st.sampled_from(["draft", "approved"]),
    st.booleans(),
)


def decides(one: IntentDocument, other: IntentDocument, policy: Policy) -> str | None:
    """The key by which one intent goes before another."""
    return Priority([footprint_of(one), footprint_of(other)], policy).decides(0, 1)


@pytest.mark.req("GV-08")
def test_the_keys_in_their_order() -> None:
    """Explicit comes before risk, risk before time, time before status."""
    loud = plan("loud_one", ["x"], priority=9, risk="critical", created=OLD, status="draft")
    quiet = plan("quiet_one", ["x"], priority=1, risk="low", created=NEW, status="approved")
    assert decides(loud, quiet, BUILT_IN) == "explicit"
    safe, risky = plan("safe_one", ["x"], risk="low", created=OLD), plan("risky_one", ["x"], risk="high", created=NEW)
    assert decides(safe, risky, BUILT_IN) == "risk"
    newer, older = (
        plan("newer_one", ["x"], created=NEW, status="draft"),
        plan("older_one", ["x"], created=OLD, status="approved"),
    )
    assert decides(newer, older, BUILT_IN) == "newer_same_author"
    assert decides(plan("approved_one", ["x"], status="approved"), plan("proposed_one", ["x"]), BUILT_IN) == "status"


@pytest.mark.req("GV-08")
def test_an_explicit_tie_is_final() -> None:
    """Equal explicit priorities decide nothing, and no other key may."""
    one, other = plan("one_of_it", ["x"], priority=7, created=NEW), plan("other_one", ["x"], priority=7, created=OLD)
    assert decides(one, other, BUILT_IN) is None
    assert decides(other, one, BUILT_IN) is None


@pytest.mark.req("GV-08")
def test_missing_is_never_mixed_with_given() -> None:
    """Where one has no explicit priority the next key decides, however high the other's is."""
    given_one, missing = plan("given_one", ["x"], priority=99, risk="high"), plan("missing_one", ["x"], risk="low")
    assert decides(missing, given_one, BUILT_IN) == "risk"


@pytest.mark.req("GV-08")
def test_time_and_status_never_settle_two_deploys() -> None:
    """Two intents that deploy are not distinguished by time or status; one that deploys and one that does not are."""
    newer = plan("newer_one", commands=[DEPLOY], created=NEW, status="approved")
    older = plan("older_one", commands=[DEPLOY], created=OLD)
    assert decides(newer, older, BUILT_IN) is None
    assert decides(newer, plan("older_one", created=OLD), BUILT_IN) == "newer_same_author"


@pytest.mark.req("GV-08")
def test_the_policy_orders_the_keys() -> None:
    """A policy may put status before time, or leave keys out."""
    newer, approved = (
        plan("newer_one", created=NEW, status="draft"),
        plan("approved_one", created=OLD, status="approved"),
    )
    assert decides(approved, newer, Policy(priority_order=("status", "newer"))) == "status"
    assert decides(approved, newer, Policy(priority_order=("explicit",))) is None


@pytest.mark.req("GV-08")
def test_the_deciding_key_is_recorded(told: Told) -> None:
    """The operation that overrides says which key decided, with both values."""
    outcome = judged(plan("loud_one", ["x"], priority=9), plan("quiet_one", ["x"], priority=1))
    (step,) = [op for op in outcome.result.evaluation.merge_plan.operations if op.operation == "override_field"]
    assert step.source_intent_id == "intent_quiet_one"
    told(step.evidence)


@given(PLANS, PLANS)
def test_at_most_one_of_two_goes_first(one: object, other: object) -> None:
    """Of two intents at most one goes before the other."""
    assert not (decides(one, other, BUILT_IN) and decides(other, one, BUILT_IN))  # type: ignore[arg-type]


@pytest.mark.req("GV-24")
def test_the_clock_alone_settles_nothing_between_authors(told: Told) -> None:
    """Unless a policy names `newer`, a later date counts between plans of one known author alone, and the question says
    that only the clock tells them apart; status may still decide."""
    newer, older = (plan(f"{name}_one", ["x"], created=moment) for name, moment in (("newer", NEW), ("older", OLD)))
    by = {name: by_author(newer, name) for name in ("somebody", "another", UNNAMED)}
    literal = Policy(priority_order=("explicit", "risk", "newer", "status"))
    assert judged(by["somebody"], older).strategy == "override_by_priority"
    asked = judged(by["another"], older)
    assert (asked.strategy, len(asked.questions)) == ("reject", 1)
    told(asked.questions[0].reason)
    assert judged(by["another"], older, policy=literal).strategy == "override_by_priority"
    assert decides(by["another"], older, literal) == "newer"
    assert decides(by[UNNAMED], by_author(older, UNNAMED), BUILT_IN) is None
    assert (
        decides(by_author(plan("approved_one", status="approved", created=OLD), "another"), newer, BUILT_IN) == "status"
    )


def test_a_draft_without_an_author_is_by_nobody() -> None:
    """What a draft calls an author that was not named is what priority takes for no author."""
    assert new_intent("Tidy up", project="shop", created_at=OLD, files=["x"])["audit"]["created_by"] == UNNAMED


def by_author(intent: IntentDocument, name: str) -> IntentDocument:
    return sealed(replace(intent, audit=replace(intent.audit, created_by=name)))


def test_moments_are_compared_as_moments() -> None:
    """Zones and fractions of a second count; the way of writing does not."""
    assert instant("2026-01-25T12:00:00+02:00") == instant("2026-01-25T10:00:00.000Z")
    assert instant("2026-01-25T10:00:00.45Z") < instant("2026-01-25T10:00:00.5Z")
    assert instant("2026-01-25T09:59:59.999999999-00:30") > instant("2026-01-25T10:00:00Z")
