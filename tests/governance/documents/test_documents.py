"""The documents as types: closed, frozen, and strict about what they are made of."""

from __future__ import annotations

import re
from datetime import datetime
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from volition.governance.documents.findings import is_moment, validator
from volition.governance.documents.intent import IntentDocument, StrictStruct
from volition.governance.documents.kinds import KINDS
from volition.governance.gates.fixtures import valid_document

TYPES = StrictStruct.__subclasses__()


@pytest.mark.parametrize("kind", TYPES)
def test_every_type_is_closed_and_frozen(kind: type[StrictStruct]) -> None:
    """No document takes an unknown field, and none can be changed."""
    config = kind.__struct_config__
    assert config.forbid_unknown_fields
    assert config.frozen


@pytest.mark.parametrize("kind", KINDS)
def test_a_document_survives_the_round_trip(kind: str) -> None:
    """A document that was read is written as it was, apart from the order of its keys."""
    data = valid_document(kind)
    document = msgspec.json.decode(msgspec.json.encode(data), type=KINDS[kind])
    assert msgspec.json.decode(msgspec.json.encode(document)) == data


@given(st.datetimes(timezones=st.timezones()), st.integers(0, 9), st.sampled_from(["Z", "+01:00", "-23:59"]))
def test_every_moment_matches(moment: datetime, digits: int, zone: str) -> None:
    """Every date and time that exists is a moment, with any number of digits after the second."""
    fraction = "." + "1" * digits if digits else ""
    assert is_moment(f"{moment:%Y-%m-%dT%H:%M:%S}".rjust(19, "0") + fraction + zone)


@given(st.integers(0, 9999), st.integers(0, 13), st.integers(0, 32), st.integers(0, 25), st.integers(0, 61))
def test_what_matches_is_a_moment(year: int, month: int, day: int, hour: int, minute: int) -> None:
    """A text matches the pattern of moments if and only if it is a day and time that exists."""
    text = f"{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:00Z"
    try:
        datetime.fromisoformat(text)
        exists = hour < 24
    except ValueError:
        exists = False
    assert is_moment(text) == exists


@pytest.mark.parametrize("year", [1900, 1996, 2000, 2023, 2024, 2100, 2400])
def test_leap_days(year: int) -> None:
    """The 29th of February exists in leap years alone."""
    leap = year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
    assert is_moment(f"{year}-02-29T00:00:00Z") == leap


@pytest.mark.parametrize("name", ["id", "version", "created_at"])
def test_patterns_end_at_the_end(name: str) -> None:
    """A text that matches does not match with a newline after it."""
    data = valid_document("intent")
    assert validator("intent").is_valid(data)
    assert not validator("intent").is_valid({**data, name: data[name] + "\n"})


@pytest.mark.req("GV-02")
@pytest.mark.parametrize(
    ("kind", "path", "value", "law"),
    [
        ("intent", ("interaction", "mode"), "full_auto", "asks nothing"),
        ("intent", ("risk", "requires_review"), [], "names its reviews"),
        ("evaluation_result", ("evaluation", "merge_plan", "strategy"), "reject", "no result intent"),
        ("merge_plan", ("strategy",), "reject", "unless it rejects"),
        ("merge_plan", ("lineage", "supersedes"), [], "names what it supersedes"),
        ("merge_plan", ("result_intent", "lineage", "derived_from"), [], "names what it is derived from"),
        ("question_pack", ("policy_constraints", "execution_mode"), "full_auto", "Invalid enum value"),
    ],
)
def test_types_hold_the_rules_of_safety(kind: str, path: tuple[str | int, ...], value: Any, law: str) -> None:
    """A type that is given something against a rule that keeps people safe says which rule."""
    data = valid_document(kind)
    holder: Any = data
    for step in path[:-1]:
        holder = holder[step]
    holder[path[-1]] = value
    with pytest.raises(msgspec.ValidationError, match=re.escape(law)):
        msgspec.convert(data, KINDS[kind])


def test_high_risk_is_never_full_auto() -> None:
    """An intent of high risk that asks nobody cannot be made, not even in Python."""
    intent = msgspec.convert(valid_document("intent"), IntentDocument)
    auto = msgspec.structs.replace(intent.interaction, mode="full_auto", question_budget=0, question_policy="never")
    grave = msgspec.structs.replace(intent.risk, overall="critical")
    with pytest.raises(ValueError, match="never full_auto"):
        msgspec.structs.replace(intent, interaction=auto, risk=grave)
