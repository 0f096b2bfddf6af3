"""Junk: whatever somebody writes as an event, verification names it, and is not brought down by it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.workflow.lived import BEGIN
from tests.workflow.plans import PROJECT
from volition.workflow.law.table import LAW
from volition.workflow.store.events import CLOCK

if TYPE_CHECKING:
    from tests.workflow.lived import Lived

pytestmark = pytest.mark.req("WF-08")
TIMES = st.sampled_from([BEGIN, BEGIN + 1, BEGIN - 1, 0, -1, 2**53 - 1])
VALUES = st.one_of(
    st.none(), st.booleans(), st.integers(-(2**53), 2**53), st.text(max_size=8), st.lists(st.integers(0, 3), max_size=2),
    st.dictionaries(st.text(max_size=3), st.text(max_size=3), max_size=2),
)  # fmt: skip


def test_every_kind_of_event_has_typed_details() -> None:
    """There is no kind of event whose details are not checked."""
    assert all(law.forms for law in LAW.values())


def details(what: str) -> st.SearchStrategy[tuple[str, dict[str, object]]]:
    """A kind of event, and some of its details with any values."""
    fields = {name: VALUES for form in LAW[what].forms for name in form.__struct_fields__}
    return st.tuples(st.just(what), st.fixed_dictionaries({}, optional=fields))


@given(
    st.sampled_from(sorted(LAW)).flatmap(details),
    st.sampled_from(["intent_idle_plan", "nothing", "", "ann", PROJECT, "running", "notified", "judged", "asked"]),
    st.sampled_from(["ann", "kim", "eve", CLOCK, "", "driver"]),
    TIMES,
    st.booleans(),
)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_no_event_brings_verification_down(
    lived: Lived, event: tuple[str, dict[str, object]], about: str, actor: str, at: int, hers: bool
) -> None:
    """Any kind of event, about anything, by anybody, at any time, with any values for its details, is a fault, in words."""
    what, body = event
    try:
        forger = lived.eve if hers else lived.insider
        forger.append(what, lived.flows.get(about, about), actor, at=at, raw=json.dumps(body))
        faults = lived.faults()
        assert faults
        assert all("expected" in fault for fault in faults)
    finally:
        lived.put_back()


@pytest.mark.parametrize("column", ["at", "body", "actor", "what", "subject", "signer"])
def test_a_value_of_another_type_is_named(lived: Lived, column: str) -> None:
    """A value that is neither a text nor a number is named, where a database lets it be written."""
    last = len(lived.team.history())
    assert lived.eve.run(f"UPDATE event SET {column} = x'00ff' WHERE seq = ?", last) == 1
    assert lived.faults()[0].startswith(f"event {last} was changed: its {column} is b'\\x00\\xff'; expected a")


def test_a_time_beyond_all_numbers_is_named(lived: Lived) -> None:
    """A number that no JSON reader keeps exact has no hash, and is a fault like any other."""
    assert lived.eve.run(f"UPDATE event SET at = {10**17} WHERE seq = 3") == 1
    assert lived.faults()[0].startswith("event 3 was changed: an integer that JSON readers do not keep exact")
