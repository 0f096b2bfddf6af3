"""What a stage declares is checked before a show begins."""

from __future__ import annotations

import pytest

from volition.core.errors import InvalidInput
from volition.execution import Declaration, object_schema
from volition.staging import STAGE_INTENTS
from volition.staging.protocol import check_stage


def test_a_stage_declares_all_of_it() -> None:
    """Whoever declares the intents of a stage is one, whatever else they can do."""
    check_stage({one.name: one for one in (*STAGE_INTENTS, Declaration(name="DANCE"))}, "here")


@pytest.mark.parametrize("name", [one.name for one in STAGE_INTENTS])
def test_what_is_missing_or_different_is_named(name: str) -> None:
    """An executor without one of the intents, or with other parameters for it, is refused, by the name of what it lacks."""
    declared = {one.name: one for one in STAGE_INTENTS}
    for wrong in (
        {other: one for other, one in declared.items() if other != name},
        declared | {name: Declaration(name=name, parameters={"type": "object", "properties": {"x": {"type": "null"}}})},
    ):
        with pytest.raises(InvalidInput, match=f"cannot do {name}"):
            check_stage(wrong, "tcp://127.0.0.1:1")


def test_how_parameters_are_described_is_the_stage_s_own() -> None:
    """A stage whose declarations differ in descriptions, defaults and examples alone is a stage."""
    named = Declaration(
        name="CAPTION",
        parameters=object_schema(
            text={"type": "string", "maxLength": 2_000, "default": "later", "description": "What."}
        ),
    )
    check_stage({one.name: one for one in STAGE_INTENTS} | {"CAPTION": named}, "here")
