"""The checksum of a state: 64 bits by which engines compare evenings whose states are never brought together.

It is a law like any other, so every engine computes it where the state is. It says less than the digest, which is of the
bytes themselves, and covers the same: every part of the state proper, as far as the scenario goes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from volition.core.chance import MASK_64
from volition.drama.evening.state import FEELINGS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from volition.drama.evening.record import Name
    from volition.drama.evening.state import EveningState
    from volition.drama.evening.tables import ScenarioTables

_ODD: Final = 0x9E3779B97F4A7C15


def with_number(total: Name, number: Name) -> Name:
    """A checksum of all that came before and of 64 bits, or of a whole number modulo 2^64."""
    mixed = (total ^ number) * _ODD & MASK_64
    return mixed ^ (mixed >> 32)


def with_real(total: Name, number: float) -> Name:
    """A checksum of all that came before and of the bits of a real number."""
    return with_number(total, int(np.float64(number).view(np.uint64)))


def checksum(evening: EveningState, tables: ScenarioTables) -> Name:
    """The checksum of a state."""
    total = with_number(evening.seed, evening.tick)
    for number in (evening.catastrophes, evening.courses, evening.pours, evening.rung):
        total = with_number(total, number)
    for real in (evening.minutes, evening.course_served):
        total = with_real(total, real)
    for who in range(tables.people):
        total = with_secrets(
            evening, tables, who, with_others(evening, tables, who, with_person(evening, tables, who, total))
        )
    return total


def with_person(evening: EveningState, tables: ScenarioTables, who: int, total: Name) -> Name:
    """Add what is `who`'s alone."""
    for real in (
        evening.budget[who], evening.stress[who], evening.composure[who], evening.commitment[who], evening.alcohol[who],
        evening.task_since[who], evening.away[who], evening.last_scene[who], evening.course_seen[who],
        evening.slammed[who], evening.arrival[who],
    ):  # fmt: skip
        total = with_real(total, real)
    for number in (evening.timer[who], evening.suppression[who]):
        total = with_number(total, number)
    for flag in (evening.broken[who], evening.thrown_out[who]):
        total = with_number(total, flag)
    for place in (evening.room[who], evening.task[who]):
        total = with_number(total, place)
    for tick in (evening.moved[who], evening.challenged[who]):
        total = with_number(total, tick)
    for feeling in range(FEELINGS):
        total = with_real(total, evening.emotions[who][feeling])
    for need in range(tables.needs):
        total = with_real(total, evening.needs[who][need])
    for thing in range(tables.things):
        total = with_real(total, evening.carries[who][thing])
    total = with_number(total, evening.recents[who])
    for place in range(tables.recent):
        total = with_number(with_number(total, evening.recent_act[who][place]), evening.recent_tick[who][place])
    return total


def with_others(evening: EveningState, tables: ScenarioTables, who: int, total: Name) -> Name:
    """Add what is between `who` and everybody."""
    for people in (evening.reconciled[who], evening.wronged[who], evening.answered[who]):
        total = with_number(total, people)
    for people in (evening.forgiven[who], evening.broke_with[who]):
        total = with_number(total, people)
    for other in range(tables.people):
        for real in (
            evening.trust[who][other], evening.affection[who][other], evening.obligation[who][other],
            evening.grievance[who][other], evening.peaks[who][other], evening.fatigue[who][other],
            evening.stung[who][other], evening.shunned[who][other], evening.comforted[who][other],
        ):  # fmt: skip
            total = with_real(total, real)
        for tick in (evening.confronted[who][other], evening.confronted_by[who][other], evening.seen_since[who][other]):
            total = with_number(total, tick)
        total = with_number(with_number(total, evening.grounds[who][other]), evening.seen_in[who][other])
        total = with_number(total, evening.wrong[who][other])
    return total


def with_secrets(evening: EveningState, tables: ScenarioTables, who: int, total: Name) -> Name:
    """Add what `who` makes of every secret."""
    for secret in range(tables.secrets):
        for people in (evening.knows[who][secret], evening.suspects[who][secret], evening.lied[who][secret]):
            total = with_number(total, people)
        total = with_number(with_number(total, evening.belief[who][secret]), evening.planted[who][secret])
        for other in range(tables.people):
            total = with_number(total, evening.questions[who][other][secret])
    return total


def sum_up(evenings: Sequence[EveningState], packed_tables: Sequence[ScenarioTables], checksums: list[Name]) -> None:
    """Write the checksum of each evening; there are the same tables for all."""
    for number in range(len(evenings)):
        checksums[number] = checksum(evenings[number], packed_tables[0])
