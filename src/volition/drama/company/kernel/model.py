"""The score model: the part of choices that depends on the scenario alone, computed once by the rules, as tables.

A person's table contains what acts are worth to their goals, what every set of active flaws adds, and how acts relate to
their commitments. So the loop only adds up numbers.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from volition.core.chance import uid
from volition.drama.company.kernel.layout import (
    FLAWS,
    NOBODY,
    PEOPLE,
    TRIGGERS,
    check_size,
)
from volition.drama.company.kernel.names import slots_of
from volition.drama.company.kernel.tables import (
    ABOUT,
    CONSISTENT,
    CONTRADICTING,
    HOUSE,
    KINDS,
    PERSON,
    SLAMMING,
    TO_ADDRESS,
    TO_CHAT,
    TO_WATCH,
    WEIGHTS,
    Model,
    Weights,
)
from volition.drama.rules import pacing, utility
from volition.drama.rules.catalog import (
    CHAT,
    CONFIDE,
    CONFLICT,
    DRAMATIC,
    EFFECTS,
    GOALS,
    INTERNAL,
    LIE,
    OBSERVE,
    PHYSICAL,
    REVEAL,
    SOCIAL_MOVE,
)
from volition.drama.rules.flaws import flaw_bias
from volition.drama.rules.movement import company_pull
from volition.drama.rules.tables import adds_anything, tables_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from volition.drama.rules.tables import Profile, Tables
    from volition.drama.world.model import Flaw, Person, Scenario


def model_of(scenario: Scenario) -> Model:
    """Compile a scenario into tables; InvalidInput if it does not fit the fixed slots."""
    tables = tables_of(scenario.rules)
    check_size(scenario, tables)
    people = np.zeros(PEOPLE, dtype=PERSON)
    for number, person in enumerate(scenario.people.values()):
        _fill_person(people[number], person, scenario, tables)
    weights = Weights(*(getattr(tables, name) for name in Weights._fields))
    recorded = np.array([tuple(map(tuple, weights))], dtype=WEIGHTS)
    return Model(people, _house(scenario, tables), recorded, weights)


def _fill_person(table: Any, person: Person, scenario: Scenario, tables: Tables) -> None:
    table["uid"] = uid(person.id)
    _fill_flaws(table, person, scenario, tables)
    _fill_worth(table, person, scenario, tables)
    concealed, exposed = person.concealed, person.exposed
    strict = tables.departures.strict_commitments

    def stance(kind: int, secret: str | None) -> int:
        conceals, exposes = secret in concealed, secret in exposed
        consistent = pacing.is_consistent(kind, conceals, exposes, strict)
        return CONSISTENT * consistent + CONTRADICTING * pacing.is_contradicting(kind, conceals)

    table["stances"] = [stance(PHYSICAL if kind == SLAMMING else kind, None) for kind in range(KINDS)]
    for place, secret in enumerate(scenario.secrets.values()):
        table["about"][:, place] = [stance(kind, secret.id) for kind in ABOUT]
        table["harm"][place] = secret.harm.get(person.id, 0.0)
        table["holds"] |= (person.id in secret.holders) << place
        table["conceals"] |= (secret.id in concealed) << place


def _fill_flaws(table: Any, person: Person, scenario: Scenario, tables: Tables) -> None:
    status = [*(profile[EFFECTS.index("status")] for profile in tables.effects)]
    focus = tables.departures.observe_focus

    def bias(flaw: Flaw, kind: int, standing: float = -1.0, on_target: bool = False) -> float:
        act, dramatic = (PHYSICAL, True) if kind == SLAMMING else (kind, kind in DRAMATIC)
        return flaw_bias(flaw.effect, flaw.strength, act, dramatic, status[act], standing, on_target, tables.flaws)

    table["triggers"] = TRIGGERS  # without a flaw, a trigger that is never active
    for place, flaw in enumerate(person.flaws):
        table["triggers"][place] = flaw.trigger
        for awake in range(2**FLAWS):
            if awake >> place & 1:
                table["biases"][awake] += [bias(flaw, kind) for kind in range(KINDS)]
                for number, other in enumerate(scenario.people.values()):
                    on, standing = other.id == flaw.target, other.goals[GOALS.index("status")]
                    towards = table["towards"][awake, :, number]
                    towards[TO_CHAT] += bias(flaw, CHAT, standing, on) - bias(flaw, CHAT)
                    towards[TO_ADDRESS] += bias(flaw, CONFLICT, standing, on) - bias(flaw, CONFLICT)
                    towards[TO_WATCH] += bias(flaw, OBSERVE, -1.0, on and bool(focus)) - bias(flaw, OBSERVE)


def _fill_worth(table: Any, person: Person, scenario: Scenario, tables: Tables) -> None:
    goals, context, effects = person.goals, tables.context, tables.effects
    table["worth"] = [*(utility.goal_pull(goals, profile) for profile in effects), 0.0]
    table["worth"][SLAMMING] = table["worth"][PHYSICAL]
    table["worth"][INTERNAL] = utility.internal_base(
        utility.goal_pull(goals, effects[INTERNAL]), tables.departures.internal_cap
    )
    for place, secret in enumerate(scenario.secrets.values()):
        for row, kind in enumerate((REVEAL, CONFIDE)):
            told = utility.telling_effects(effects[kind], secret.weight, context)
            table["telling"][row, place] = utility.goal_pull(goals, told)
    for place, room in enumerate(scenario.rooms.values()):
        table["moving"][place] = utility.goal_pull(
            goals, utility.move_effects(effects[SOCIAL_MOVE], room.privacy, context)
        )
    trusted = utility.conflict_effects(effects[CONFLICT], context.distrust, context)
    distrusted = utility.conflict_effects(effects[CONFLICT], context.distrust - 1.0, context)
    table["quarrelling"] = [utility.goal_pull(goals, profile) for profile in (trusted, distrusted)]
    addressing = (effects[CHAT], effects[REVEAL], trusted, distrusted, effects[CONFIDE], effects[LIE])
    _fill_closeness(table, person, scenario, tables, addressing)


def _fill_closeness(
    table: Any, person: Person, scenario: Scenario, tables: Tables, profiles: tuple[Profile, ...]
) -> None:
    desires = [person.closeness.get(other, 0.0) for other in scenario.people]
    for row, profile in enumerate(profiles):
        effect = profile[EFFECTS.index("closeness")]
        table["close"][row, : len(desires)] = [utility.closeness_pull(desire, effect) for desire in desires]
    pulls = [company_pull(desire, tables.movement) for desire in desires]
    table["company"] = [
        sum([pull for place, pull in enumerate(pulls) if present >> place & 1], 0.0) for present in range(2**PEOPLE)
    ]


def _house(scenario: Scenario, tables: Tables) -> NDArray[Any]:
    house = np.zeros(1, dtype=HOUSE)
    rooms, people = list(scenario.rooms), list(scenario.people)
    evening, entry = scenario.evening, house[0]
    entry["people"], entry["rooms"] = len(people), len(rooms)
    entry["distrust"] = tables.context.distrust
    entry["departs"] = adds_anything(tables)
    for number, room in enumerate(scenario.rooms.values()):
        doors = [rooms.index(other) for other in room.adjacent if other != room.id]
        entry["privacy"][number], entry["capacity"][number] = room.privacy, room.capacity
        entry["doors"][number], entry["to"][number, : len(doors)] = len(doors), doors
    for number, slot in slots_of(scenario).items():
        entry["slots"][number], entry["dramatic"][number] = uid(slot.id), slot.dramatic
    entry["gathering"], entry["exit"] = rooms.index(evening.gathering), rooms.index(evening.exit)
    entry["kitchen"] = NOBODY if evening.kitchen is None else rooms.index(evening.kitchen)
    entry["needs"] = NOBODY
    entry["needs"][: len(evening.needs)] = [rooms.index(room) for room in evening.needs.values()]
    for place, secret in enumerate(scenario.secrets.values()):
        for holder in secret.holders:
            entry["holders"][place] |= 1 << people.index(holder)
            entry["held"][people.index(holder)] |= 1 << place
    return house
