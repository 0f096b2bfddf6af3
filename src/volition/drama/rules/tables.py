"""The coefficients of the rules as named tuples: one per section of a scenario's rules, in the order of the file.

Rules take them as arguments, which works in Python and in compiled code. A field is a float or an int; a switch is 0 or 1.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple, cast, get_type_hints

from volition.drama.rules.catalog import CHOSEN, EFFECTS
from volition.drama.rules.stage_tables import (  # noqa: TC001  the hints of Tables are read
    Acts,
    Consequences,
    Feelings,
    Grievance,
    Information,
    Opening,
    Physics,
    Service,
    Time,
    Wants,
)

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Mapping

Goals = tuple[float, float, float, float, float, float]
"""The six scalar goals, in the order of `catalog.GOALS`."""

Profile = tuple[float, float, float, float, float, float, float]
"""What an act does, in the order of `catalog.EFFECTS`."""

Profiles = tuple[Profile, Profile, Profile, Profile, Profile, Profile, Profile, Profile, Profile]
"""The profiles of the nine acts that can be chosen, in the order of `catalog.CHOSEN`."""


class EffectContext(NamedTuple):
    """How the place and the people change what an act does."""

    move_secrecy: float
    move_safety: float
    telling_weight: float
    distrust: float
    distrust_factor: float


class Flaws(NamedTuple):
    """What flaws add or subtract, and what activates them."""

    overweight_status: float
    avoid_confrontation: float
    flee: float
    deny_observe: float
    deny_lie: float
    escalate: float
    validation: float
    validation_status: float
    sacrifice: float
    fixate: float
    overcommit: float
    cap: float
    betrayal_suspicion: float
    rejection_shame: float
    loss_stress: float
    loss_commitment: float
    threat_shame: float
    threat_anger: float


class Pacing(NamedTuple):
    """How pacing affects choices."""

    budget_minimum: float
    public_below: float
    masking: float
    masking_composure: float
    stress_above: float
    private_above: float
    move_relief: float
    confide_relief: float
    drink_relief: float
    commitment_above: float
    consistent: float
    contradicting: float
    low_budget: float
    quiet: float
    priority_stress: float


class Bonds(NamedTuple):
    """How trust, affection and obligation affect each act."""

    chat_affection: float
    confide_trust: float
    confide_obligation: float
    conflict_trust: float
    conflict_affection: float
    reveal_trust: float
    lie_trust: float
    lie_affection: float


class Alcohol(NamedTuple):
    """The alcohol level from which dramatic acts become more likely, and by how much."""

    threshold: float
    pull: float


class Movement(NamedTuple):
    """What draws a person to another room."""

    closeness_above: float
    closeness: float
    stress_above: float
    stress_privacy: float
    pending_privacy: float
    follow_trust: float
    follow_suspicion: float
    follow: float
    pending_secrecy: float
    pending_trust: float


class Noise(NamedTuple):
    """The standard deviation of a score's noise."""

    sigma: float


class Candidates(NamedTuple):
    """The preconditions of acts."""

    confide_trust: float
    conflict_trust: float
    conflict_anger: float
    lie_secrecy: float
    lie_curiosity: float
    drink_below: float


class MemorySpans(NamedTuple):
    """How long things are remembered, in ticks."""

    conflict: int
    move: int
    challenge: int
    question: int
    asking: int  # until then nobody asks somebody the same again


class Departures(NamedTuple):
    """Where an evening departs from the letter of the specification; with all of them 0, it does not.

    `knowledge` is not included: its value is a word that selects one of two ways of perceiving.
    """

    normalise_groups: int
    internal_cap: float
    observe_focus: int
    strict_commitments: int
    recency: float
    recency_dramatic: float
    recency_ticks: int
    recency_slope: float
    opening_restraint: float
    opening_share: float
    politeness: float
    politeness_share: float
    telling_cost: float
    denounce: float
    protect: float
    grounds: int
    ground_ticks: int
    grievance: float
    grievance_above: float
    outrage: float
    swallow: float
    cold: float
    ally: float
    chill: float
    fatigue: float
    suspicion_pull: float
    lie_when_asked: int
    lie_pull: float
    lie_ticks: int
    move_cost: float
    move_again: float
    move_again_ticks: int
    flight: float
    manners: float
    away_pull: float
    away_most: float
    crowd_pull: float
    crowd_pull_most: float
    crowd_push: float
    crowd_push_most: float
    company: float
    pending_strict: int
    pending_share: float
    courses: float
    course_window: float
    course_minutes: float
    unrest: float
    drinking: float
    needs: float
    need_base: float
    need_use: float
    leaving: int
    making_up: float
    comfort: float
    slam: float
    slam_pull: float
    probing: float
    conversations: int
    conversation_noise: float
    consequences: int
    feelings: int
    forced_truth: int
    confide_feelings: int
    confide_commitment: int
    uphold: int
    threshold_rise: float
    hush: int
    throwing_out: int
    mood: float
    theory_of_mind: int
    subjects: int
    owed: float
    seek: float
    forgive: float
    break_with: float
    earshot: int
    gestures: float
    walking_out: float
    provocation: int
    unforgiven: int
    blame: int
    said_ticks: int
    peace: int
    malice: float
    stake: float
    evidence: int
    glare: float
    amends: float
    shrink: float
    press: float
    preen: float


ITEMS = frozenset(
    {
        "recency",
        "recency_dramatic",
        "opening_restraint",
        "politeness",
        "telling_cost",
        "denounce",
        "protect",
        "grievance",
        "outrage",
        "swallow",
        "cold",
        "ally",
        "chill",
        "fatigue",
        "suspicion_pull",
        "lie_pull",
        "making_up",
        "comfort",
        "move_cost",
        "move_again",
        "flight",
        "manners",
        "away_pull",
        "crowd_pull",
        "crowd_push",
        "company",
        "courses",
        "course_window",
        "unrest",
        "drinking",
        "needs",
        "leaving",
        "slam",
        "owed",
        "seek",
        "forgive",
        "break_with",
        "stake",
    }
)
"""The departures that have an item; with all of them at 0 the situation adds nothing."""


def adds_anything(tables: Tables) -> bool:
    """Whether any departure that has an item is on."""
    return any(value for name, value in tables.departures._asdict().items() if name in ITEMS)


class Situation(NamedTuple):
    """The inner numbers of the situation's terms: they give a term its shape, and a departure gives it its weight."""

    telling_open: float  # the share of the cost of telling for a holder who is not committed to conceal
    manners_least: float  # the share of manners that always applies
    manners_most: float  # the share that grows with the company
    manners_company: float  # the company at which it is fully grown
    need_felt: float  # the level at which a need makes a person move
    ashamed: float  # above this shame, a person makes up
    wrong_least: float  # the share of outrage and coldness that does not depend on how great the grievance is
    wrong_answered: float  # the share of outrage that is left once the wrong was answered without a confrontation
    thirst: float  # the stress from which a person reaches for a glass
    felt: float  # above this anger, fear, shame or suspicion there is a feeling to confide
    afraid: float  # above this fear, somebody shuns anyone who confronted them
    owed_minutes: float  # after this time the wish for a scene about a wrong is fully grown
    forgive_minutes: float  # before this time nobody forgives a wrong
    forgiving: float  # the grievance from which forgiving has no pull but affection


class Leaving(NamedTuple):
    """What makes a guest want to leave."""

    scene: float
    scene_minutes: float  # how long a catastrophe counts
    broken: float
    stress: float
    stress_above: float
    late: float
    late_from: float
    late_share: float
    wronged: float
    decency: float  # against leaving early
    decency_share: float
    departure: float  # what a departure scores in addition to the desire
    spent_stress: float
    broke_up_minutes: float
    resented: float


class Tables(NamedTuple):
    """All coefficients of an evening."""

    effects: Profiles
    context: EffectContext
    flaws: Flaws
    pacing: Pacing
    bonds: Bonds
    alcohol: Alcohol
    movement: Movement
    noise: Noise
    candidates: Candidates
    memory: MemorySpans
    physics: Physics
    departures: Departures
    situation: Situation
    leaving: Leaving
    information: Information
    time: Time
    acts: Acts
    feelings: Feelings
    grievance: Grievance
    consequences: Consequences
    wants: Wants
    service: Service
    opening: Opening


def tables_of(rules: Mapping[str, Mapping[str, Any]]) -> Tables:
    """The tables of checked rules, the sections of scenarios/rules.toml; an unknown or missing key is a TypeError."""
    kinds = _kinds_of(Tables)
    _refuse_unknown("rules", rules, kinds)
    sections = {name: _table(name, kinds[name], section) for name, section in rules.items() if name != "effects"}
    return Tables(effects=_profiles(rules["effects"]), **sections)


@cache
def _kinds_of(table: Any) -> dict[str, Any]:
    """The types of a table's fields, which takes longer to find out than to make the table."""
    return get_type_hints(table)


def _table(name: str, table: Any, section: Mapping[str, Any]) -> Any:
    kinds = _kinds_of(table)
    numbers = {key: value for key, value in section.items() if (name, key) != ("departures", "knowledge")}
    _refuse_unknown(name, numbers, kinds)
    return table(**{key: kinds[key](value) for key, value in numbers.items()})


def _profiles(section: Mapping[str, Any]) -> Profiles:
    acts = [act.name for act in CHOSEN]
    _refuse_unknown("effects", section, acts)
    if any(len(section[act]) != len(EFFECTS) for act in acts):
        raise TypeError(f"an effect profile has {len(EFFECTS)} numbers: {', '.join(EFFECTS)}")
    return cast("Profiles", tuple(tuple(map(float, section[act])) for act in acts))


def _refuse_unknown(where: str, keys: Iterable[str], known: Container[str]) -> None:
    if unknown := [key for key in keys if key not in known]:
        raise TypeError(f"{where} has no {', '.join(unknown)}")
