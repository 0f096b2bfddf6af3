"""Laws of records: the plain and the packed form of a state hold the same, and every part of it counts."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from tests.drama.evening.casts import invented, with_things
from tests.drama.evening.stepping import InterpretedSteps
from volition.drama.evening.building import build_tables, sizes_of
from volition.drama.evening.limits import LIMITS
from volition.drama.evening.record import (
    PARTS,
    bytes_of,
    copy_plain,
    digest_of,
    packed_type,
    parts_of,
    read_packed,
    write_packed,
)
from volition.drama.evening.state import EveningState
from volition.drama.evening.tables import ScenarioTables

STATE_TYPE = packed_type(EveningState, LIMITS["small"])


@cache
def _player() -> InterpretedSteps:
    player = InterpretedSteps(with_things(), logged=False)
    player.begin(3)
    for _ in range(40):
        player.tick()
    return player


def _played() -> tuple[EveningState, dict[str, int]]:
    """An evening after 40 ticks, which a test may change, and its sizes."""
    return copy_plain(_player().state(), EveningState), _player().sizes


def test_a_state_survives_packing() -> None:
    """A plain state packed and read again holds the same numbers of the same types."""
    evening, sizes = _played()
    packed = np.zeros(1, STATE_TYPE)
    write_packed(packed[0], evening, EveningState, sizes)
    again = read_packed(packed[0], EveningState, sizes)
    for part in parts_of(EveningState):
        assert repr(getattr(again, part.name)) == repr(getattr(evening, part.name)), part.name
        assert bytes_of(packed[0], part, sizes) == bytes_of(evening, part, sizes), part.name


def test_a_digest_is_of_what_is_held_and_not_of_how() -> None:
    """Plain, packed, packed in another size and copied, a state has one digest."""
    evening, sizes = _played()
    digests = {
        digest_of(evening, EveningState, sizes),
        digest_of(copy_plain(evening, EveningState), EveningState, sizes),
    }
    for limits in (*LIMITS.values(), sizes):
        packed = np.zeros(1, packed_type(EveningState, limits))
        write_packed(packed[0], evening, EveningState, sizes)
        digests.add(digest_of(packed[0], EveningState, sizes))
    assert len(digests) == 1


@pytest.mark.parametrize("part", [part for part in parts_of(EveningState) if part.delta], ids=lambda part: part.name)
def test_every_part_of_a_state_counts(part: object) -> None:
    """Whatever part of the state proper is another, the digest is another."""
    evening, sizes = _played()
    before, name = digest_of(evening, EveningState, sizes), part.name  # type: ignore[attr-defined]
    held = getattr(evening, name)
    if isinstance(held, list):
        row = held
        while isinstance(row[-1], list):
            row = row[-1]
        row[-1] += 1
    else:
        setattr(evening, name, held + 1)
    assert digest_of(evening, EveningState, sizes) != before


def test_a_copy_is_by_itself() -> None:
    """A change of a copy leaves the original as it was."""
    evening, sizes = _played()
    before = digest_of(evening, EveningState, sizes)
    copy = copy_plain(evening, EveningState)
    copy.trust[0][1] += 0.5
    copy.questions[0][1][0] = 7
    assert digest_of(evening, EveningState, sizes) == before


@pytest.mark.parametrize("seed", range(6))
def test_a_house_survives_packing(seed: int) -> None:
    """The tables of a scenario, packed, hold the same numbers; its rules too, section by section."""
    scenario = invented(seed)
    tables, sizes = build_tables(scenario), sizes_of(scenario)
    packed = np.zeros(1, packed_type(ScenarioTables, LIMITS["large"]))
    write_packed(packed[0], tables, ScenarioTables, sizes)
    for part in parts_of(ScenarioTables):
        assert bytes_of(packed[0], part, sizes) == bytes_of(tables, part, sizes), part.name
    for section in PARTS["ScenarioTables"]["rules"].type.names or ():  # type: ignore[union-attr]
        assert packed[0]["rules"][section].item() == tuple(getattr(tables.rules, section)), section
