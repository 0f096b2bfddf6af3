"""From a scenario to its tables, each worked out once, by the rules.

What a person's acts are worth to their goals, what their flaws add for every set of flaws that may be awake, and how
acts stand to their commitments depend on the scenario alone. So a choice adds up numbers.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from volition.core.chance import uid
from volition.drama.evening.grammar import numbered_acts
from volition.drama.evening.kept import make_once
from volition.drama.evening.record import NONE, Sizes, new_plain
from volition.drama.evening.sets import has
from volition.drama.evening.state import MOVES, NEEDS, PEOPLE, RECENT, ROOMS, SECRETS, THINGS
from volition.drama.evening.tables import (
    ACTS,
    CHANCES,
    CLOCK_EVENTS,
    CONSISTENT,
    CONTRADICTING,
    DUE,
    FLAW_SETS,
    FLAWS,
    KINDS,
    PURPOSES,
    SLAMMING,
    TO_ADDRESS,
    TO_CHAT,
    TO_WATCH,
    TRIGGERS,
    UNLESS,
    WHEN,
    ScenarioTables,
    acts_of,
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
    SWALLOWING,
    Belief,
    Effect,
)
from volition.drama.rules.catalog import FLAWS as FLAW_KINDS
from volition.drama.rules.flaws import colour_alone, colour_towards, flaw_bias
from volition.drama.rules.tables import Profile, Tables, adds_anything, tables_of
from volition.drama.rules.utility import company_pull, privacy_pull
from volition.drama.world.model import Condition

if TYPE_CHECKING:
    from collections.abc import Iterable

    from volition.drama.world.model import Flaw, Person, Scenario

_STATUS, _SECRECY, _TRUTH = GOALS.index("status"), GOALS.index("secrecy"), GOALS.index("truth_seeking")
_CLOSENESS = EFFECTS.index("closeness")


def sizes_of(scenario: Scenario) -> Sizes:
    """How long each dimension of a scenario's records must be."""
    people, rooms, secrets, needs = (
        len(scenario.people),
        len(scenario.rooms),
        len(scenario.secrets),
        len(scenario.evening.needs),
    )
    rules = scenario.rules
    return {
        PEOPLE: people,
        ROOMS: rooms,
        SECRETS: secrets,
        NEEDS: needs,
        RECENT: max(1, rules["departures"]["recency_ticks"]),
        MOVES: rules["memory"]["move"] + 1,
        ACTS: acts_of(people, rooms, secrets, needs),
        DUE: max(len(scenario.evening.courses), len(scenario.evening.pours)),
        CLOCK_EVENTS: len(scenario.evening.events),
        CHANCES: len(scenario.evening.circumstances),
        THINGS: len(scenario.evening.things),
    }


@make_once
def build_tables(scenario: Scenario) -> ScenarioTables:
    """The tables of a scenario, as plain lists. They are shared, so nobody may change them."""
    sizes, rules = sizes_of(scenario), tables_of(scenario.rules)
    tables = new_plain(ScenarioTables, sizes)
    tables.rules = rules
    tables.people, tables.rooms = sizes[PEOPLE], sizes[ROOMS]
    tables.secrets, tables.needs = sizes[SECRETS], sizes[NEEDS]
    tables.recent, tables.moves, tables.acts = sizes[RECENT], sizes[MOVES], sizes[ACTS]
    tables.clock_events, tables.chances, tables.things = sizes[CLOCK_EVENTS], sizes[CHANCES], sizes[THINGS]
    tables.purpose = [uid(purpose) for purpose in PURPOSES]
    tables.omniscient = int(scenario.rules["departures"]["knowledge"] == "omniscient")
    tables.departs = int(adds_anything(rules))
    _fill_setting(tables, scenario, rules)
    _fill_rooms(tables, scenario, rules)
    _fill_secrets(tables, scenario)
    _fill_clock(tables, scenario)
    _fill_chances(tables, scenario)
    _fill_acts(tables, scenario)
    people = list(scenario.people)
    tables.by_name = [people.index(id) for id in sorted(people)]
    tables.seekers = _bits(
        who
        for who, person in enumerate(scenario.people.values())
        if person.goals[_TRUTH] > rules.candidates.lie_curiosity
    )
    for who, person in enumerate(scenario.people.values()):
        _fill_person(tables, who, person, scenario)
        _fill_flaws(tables, who, person, scenario, rules)
        _fill_worth(tables, who, person, scenario, rules)
        _fill_stances(tables, who, person, scenario, rules)
    _fill_sway(tables, scenario)
    return tables


def _bits(places: Iterable[int]) -> int:
    return sum({1 << place for place in places})


def _fill_setting(tables: ScenarioTables, scenario: Scenario, rules: Tables) -> None:
    evening, needs = scenario.evening, scenario.evening.needs
    rooms, people = list(scenario.rooms), list(scenario.people)
    tables.gathering, tables.exit = rooms.index(evening.gathering), rooms.index(evening.exit)
    tables.kitchen = NONE if evening.kitchen is None else rooms.index(evening.kitchen)
    tables.last_minute, tables.last_tick, tables.time_scale = evening.minutes, evening.ticks, evening.time_scale
    tables.servers, tables.courses, tables.pours = len(evening.servers), len(evening.courses), len(evening.pours)
    tables.drinks = int(evening.drinks)
    tables.server[: tables.servers] = [people.index(id) for id in evening.servers]
    tables.course_at[: tables.courses] = evening.courses
    tables.pour_at[: tables.pours] = evening.pours
    tables.need_room = [rooms.index(room) for room in needs.values()]
    tables.need_rate = [evening.need_rates.get(need, rules.wants.growth) for need in needs]
    tables.need_name = [uid(need) for need in needs]
    tables.glass_need = NONE if evening.glass_need is None else list(needs).index(evening.glass_need)


def _fill_rooms(tables: ScenarioTables, scenario: Scenario, rules: Tables) -> None:
    rooms = list(scenario.rooms)
    for here, room in enumerate(scenario.rooms.values()):
        doors = [rooms.index(other) for other in room.adjacent if other != room.id]
        tables.privacy[here], tables.capacity[here] = room.privacy, room.capacity
        tables.doors[here], tables.door[here][: len(doors)] = len(doors), doors
        for pressed in range(4):
            # A stress at the bound does not press, and any above it presses as much.
            stress = rules.movement.stress_above + (pressed & 1)
            tables.hiding[pressed][here] = privacy_pull(stress, pressed & 2 != 0, room.privacy, rules.movement)
        tables.hears[here] = _bits(rooms.index(other) for other in room.overhears)
        for other, chance in room.overhears.items():
            tables.overhears[here][rooms.index(other)] = chance


def _fill_secrets(tables: ScenarioTables, scenario: Scenario) -> None:
    people = list(scenario.people)
    for place, secret in enumerate(scenario.secrets.values()):
        holders = [people.index(holder) for holder in secret.holders]
        tables.secret_name[place], tables.weight[place] = uid(secret.id), secret.weight
        tables.about[place] = NONE if secret.about is None else people.index(secret.about)
        tables.holders[place], tables.holder_count[place] = _bits(holders), len(holders)
        tables.holder[place][: len(holders)] = holders
        tables.knew[place] = _bits(people.index(knower) for knower in secret.knowers)
        implied = _implied_by(scenario, secret.id)
        tables.implied[place] = [int(implied.get(other, Belief.UNKNOWN)) for other in scenario.secrets]


def _implied_by(scenario: Scenario, known: str) -> dict[str, Belief]:
    """What who knows a secret believes of others: all that follows, each as strongly as the weakest step on the way."""
    implied, steps = dict[str, Belief](), [(known, Belief.BELIEVES_TRUE)]
    while steps:
        secret, belief = steps.pop()
        for other, how in scenario.secrets[secret].implies.items():
            follows = min(belief, Belief.BELIEVES_TRUE if how == "knows" else Belief.SUSPECTS)
            if follows > implied.get(other, Belief.UNKNOWN):
                implied[other] = follows
                steps.append((other, follows))
    return implied


def _fill_clock(tables: ScenarioTables, scenario: Scenario) -> None:
    people, rooms, secrets = list(scenario.people), list(scenario.rooms), list(scenario.secrets)
    things = list(scenario.evening.things)
    for place, event in enumerate(scenario.evening.events):
        tables.clock_name[place] = uid(event.id)
        tables.clock_minute[place], tables.clock_until[place] = event.minute, event.until
        tables.clock_by[place] = NONE if event.by is None else people.index(event.by)
        usual = scenario.evening.exit if event.arrive or event.depart else scenario.evening.gathering
        tables.clock_room[place] = rooms.index(event.room or usual)
        tables.arrives[place] = _bits(people.index(who) for who in event.arrive)
        tables.departs_then[place] = _bits(people.index(who) for who in event.depart)
        tables.news[place] = NONE if event.news is None else secrets.index(event.news)
        tables.thing[place] = NONE if event.hands is None else things.index(event.hands)
        tables.receiver[place] = NONE if event.to is None else people.index(event.to)
        tables.ends[place] = int(event.ends is not None)
        for side, condition in ((WHEN, event.when), (UNLESS, event.unless)):
            if condition not in (None, Condition()):
                _fill_condition(tables, place, side, condition, scenario)


def _fill_condition(tables: ScenarioTables, event: int, side: int, condition: Condition, scenario: Scenario) -> None:
    people, rooms, things = list(scenario.people), list(scenario.rooms), list(scenario.evening.things)
    secrets = list(scenario.secrets)
    tables.has_condition[event][side] = 1
    for secret, knowers in condition.known.items():
        tables.must_know[event][side][secrets.index(secret)] = _bits(people.index(who) for who in knowers)
    tables.must_be_out[event][side] = _bits(secrets.index(secret) for secret in condition.out)
    tables.must_be_here[event][side] = _bits(people.index(who) for who in condition.here)
    tables.must_be_gone[event][side] = _bits(people.index(who) for who in condition.gone)
    for who, others in condition.forgiven.items():
        tables.must_forgive[event][side][people.index(who)] = _bits(people.index(other) for other in others)
    for thing, owner in condition.carries.items():
        tables.must_carry[event][side][things.index(thing)] = people.index(owner)
    for who, room in condition.within.items():
        tables.must_be_in[event][side][people.index(who)] = rooms.index(room)
    tables.outbursts[event][side], tables.likely[event][side] = condition.outbursts, condition.chance


def _fill_chances(tables: ScenarioTables, scenario: Scenario) -> None:
    people, rooms, secrets = list(scenario.people), list(scenario.rooms), list(scenario.secrets)
    for place, circumstance in enumerate(scenario.evening.circumstances):
        tables.chance_name[place], tables.chance[place] = uid(circumstance.id), circumstance.chance
        tables.had_words[place] = _bits(people.index(who) for who in circumstance.words)
        for who, minute in circumstance.late.items():
            tables.late[place][people.index(who)] = minute
        for who, room in circumstance.rooms.items():
            tables.begins_in[place][people.index(who)] = rooms.index(room)
        for who, secret in circumstance.suspects.items():
            tables.suspects_then[place][people.index(who)] = secrets.index(secret)


def _fill_acts(tables: ScenarioTables, scenario: Scenario) -> None:
    first_of: dict[tuple[int, int], int] = {}
    for number, act in enumerate(numbered_acts(scenario)):
        if getattr(tables, act.first) == NONE:
            setattr(tables, act.first, number)
        tables.act_name[number], tables.kind[number] = uid(act.id), int(act.kind)
        tables.target[number], tables.focus[number] = act.target, act.focus
        tables.destination[number], tables.secret[number] = act.destination, act.secret
        tables.dramatic[number] = int(act.dramatic)
        alike = act.secret != NONE or act.kind == CONFLICT
        tables.same[number] = first_of.setdefault((act.kind, act.target), number) if alike else number


def _fill_person(tables: ScenarioTables, who: int, person: Person, scenario: Scenario) -> None:
    secrets = list(scenario.secrets.values())
    held = [place for place, secret in enumerate(secrets) if person.id in secret.holders]
    heaviest = sorted(held, key=lambda place: -secrets[place].weight)
    concealed, exposed = (
        {entry.secret for entry in person.commitments if entry.kind == kind} for kind in ("conceal", "expose")
    )
    dominant = max(person.flaws, key=lambda flaw: flaw.strength, default=None)
    tables.person_name[who], tables.sensitivity[who] = uid(person.id), person.sensitivity
    tables.resident[who] = int(person.resident)
    tables.status[who], tables.secrecy[who] = person.goals[_STATUS], person.goals[_SECRECY]
    tables.truth_seeking[who] = person.goals[_TRUTH]
    tables.goals[who], tables.vows[who] = list(person.goals), len(person.commitments)
    tables.holds[who], tables.held_count[who] = _bits(held), len(held)
    tables.held[who][: len(held)] = heaviest
    tables.conceals[who] = _bits(place for place, secret in enumerate(secrets) if secret.id in concealed)
    tables.exposes[who] = _bits(place for place, secret in enumerate(secrets) if secret.id in exposed)
    tables.protects[who] = _bits(
        place
        for place, id in enumerate(scenario.people)
        if any(entry.kind == "protect" and entry.person == id for entry in person.commitments)
    )
    tables.flees[who] = int(any(flaw.effect == Effect.AVOID_CONFRONTATION for flaw in person.flaws))
    tables.swallows[who] = int(any(flaw.effect in SWALLOWING for flaw in person.flaws))
    tables.harm[who] = [secret.harm.get(person.id, 0.0) for secret in secrets]
    tables.pair_name[who] = [uid(f"{person.id} {secret.id}") for secret in secrets]
    tables.dominant_flaw[who] = NONE if dominant is None else FLAW_KINDS.index(dominant.kind)


def _fill_flaws(tables: ScenarioTables, who: int, person: Person, scenario: Scenario, rules: Tables) -> None:
    status = [*(profile[EFFECTS.index("status")] for profile in rules.effects)]
    focus, debts = bool(rules.departures.observe_focus), _debts(person, scenario)

    def bias(flaw: Flaw, kind: int, standing: float = -1.0, on_target: bool = False, colour: float = 0.0) -> float:
        act, dramatic = (PHYSICAL, True) if kind == SLAMMING else (kind, kind in DRAMATIC)
        colour += colour_alone(flaw.effect, act, rules.departures)
        return flaw_bias(
            flaw.effect, flaw.strength, act, dramatic, status[act], standing, on_target, colour, rules.flaws
        )

    tables.trigger[who] = [TRIGGERS] * FLAWS  # where there is no flaw, none that ever wakes
    for place, flaw in enumerate(person.flaws):
        tables.trigger[who][place] = int(flaw.trigger)
        alone = [bias(flaw, kind) for kind in range(KINDS)]
        added = {TO_CHAT: list[float](), TO_ADDRESS: list[float](), TO_WATCH: list[float]()}
        for other in scenario.people.values():
            on, standing = other.id == flaw.target, other.goals[_STATUS]
            word, glance = (
                colour_towards(
                    flaw.effect, act, person.closeness.get(other.id, 0.0), debts[other.id], standing, rules.departures
                )
                for act in (CHAT, OBSERVE)
            )
            added[TO_CHAT].append(bias(flaw, CHAT, standing, on, word) - alone[CHAT])
            added[TO_ADDRESS].append(bias(flaw, CONFLICT, standing, on) - alone[CONFLICT])
            added[TO_WATCH].append(bias(flaw, OBSERVE, -1.0, on and focus, glance) - alone[OBSERVE])
        for awake in (flaws for flaws in range(FLAW_SETS) if has(flaws, place)):
            _add(tables.bias[who][awake], alone)
            for way, each in added.items():
                _add(tables.towards[who][awake][way], each)


def _fill_sway(tables: ScenarioTables, scenario: Scenario) -> None:
    """What each flaw adds to every act while it alone is awake."""
    ways = [_way_of(tables, act) for act in range(tables.acts)]
    for who, person in enumerate(scenario.people.values()):
        for place in range(len(person.flaws)):
            bias, added = tables.bias[who][1 << place], tables.towards[who][1 << place]
            tables.sway[who][place] = [
                bias[kind] if way == NONE else bias[kind] + added[way][whom] for kind, way, whom in ways
            ]


def _way_of(tables: ScenarioTables, act: int) -> tuple[int, int, int]:
    """The kind of an act, the way in which it concerns somebody (`TO_WATCH`, `TO_CHAT` or `TO_ADDRESS`), and whom; NONE twice if
    it concerns nobody."""
    kind, focus, target = tables.kind[act], tables.focus[act], tables.target[act]
    if focus != NONE:
        return kind, TO_WATCH, focus
    if target != NONE and kind != PHYSICAL:
        return kind, TO_CHAT if kind == CHAT else TO_ADDRESS, target
    return SLAMMING if act == tables.slam else kind, NONE, NONE


def _add(row: list[float], numbers: list[float]) -> None:
    """Add numbers to the first cells of a row."""
    for place, number in enumerate(numbers):
        row[place] += number


def _debts(person: Person, scenario: Scenario) -> dict[str, float]:
    """What a person owes to each of the others: an obligation, or the harm of a secret that they hold."""
    held = [secret for secret in scenario.secrets.values() if person.id in secret.holders]
    return {
        id: max(
            [person.bonds.get(id, (0.0, 0.0, 0.0))[2], *(secret.weight * secret.harm.get(id, 0.0) for secret in held)]
        )
        for id in scenario.people
    }


def _fill_worth(tables: ScenarioTables, who: int, person: Person, scenario: Scenario, rules: Tables) -> None:
    goals, context, effects = person.goals, rules.context, rules.effects
    worth = [utility.goal_pull(goals, profile) for profile in effects]
    worth[INTERNAL] = utility.internal_base(worth[INTERNAL], rules.departures.internal_cap)
    tables.worth[who] = [*worth, worth[PHYSICAL]]
    tables.telling[who] = [
        [
            utility.goal_pull(goals, utility.telling_effects(effects[kind], secret.weight, context))
            for secret in scenario.secrets.values()
        ]
        for kind in (REVEAL, CONFIDE)
    ]
    tables.moving[who] = [
        utility.goal_pull(goals, utility.move_effects(effects[SOCIAL_MOVE], room.privacy, context))
        for room in scenario.rooms.values()
    ]
    trusted = utility.conflict_effects(effects[CONFLICT], context.distrust, context)
    distrusted = utility.conflict_effects(effects[CONFLICT], context.distrust - 1.0, context)
    tables.quarrelling[who] = [utility.goal_pull(goals, profile) for profile in (trusted, distrusted)]
    addressing: tuple[Profile, ...] = (
        effects[CHAT], effects[REVEAL], trusted, distrusted, effects[CONFIDE], effects[LIE],
    )  # fmt: skip
    desires = [person.closeness.get(other, 0.0) for other in scenario.people]
    tables.close[who] = [
        [utility.closeness_pull(desire, profile[_CLOSENESS]) for desire in desires] for profile in addressing
    ]
    tables.company[who] = [company_pull(desire, rules.movement) for desire in desires]


def _fill_stances(tables: ScenarioTables, who: int, person: Person, scenario: Scenario, rules: Tables) -> None:
    concealed = {entry.secret for entry in person.commitments if entry.kind == "conceal"}
    exposed = {entry.secret for entry in person.commitments if entry.kind == "expose"}
    strict = rules.departures.strict_commitments

    def stance(kind: int, secret: str | None) -> int:
        conceals, exposes = secret in concealed, secret in exposed
        consistent = pacing.is_consistent(kind, conceals, exposes, strict)
        return CONSISTENT * consistent + CONTRADICTING * pacing.is_contradicting(kind, conceals)

    tables.stance[who] = [stance(PHYSICAL if kind == SLAMMING else kind, None) for kind in range(KINDS)]
    tables.telling_stance[who] = [
        [stance(kind, secret) for secret in scenario.secrets] for kind in (REVEAL, CONFIDE, LIE)
    ]
