"""The coefficients of the stage, as named tuples; those of the minds are in `tables`."""

from __future__ import annotations

from typing import NamedTuple


class Physics(NamedTuple):
    """The pacing physics: what a tick does to people."""

    budget_recharge: float
    budget_recharge_private: float
    budget_cost_minor: float
    budget_cost_major: float
    budget_cost_catastrophe: float
    stress_direct: float
    stress_witness: float
    stress_overhear: float
    stress_secret_learned: float
    stress_lied_to: float
    stress_betrayal: float
    stress_decay: float
    stress_decay_private: float
    stress_high: float
    stress_erodes_above: float
    stress_calm_below: float
    composure_alcohol: float
    composure_erosion: float
    composure_recovery: float
    composure_floor: float
    commitment_public_statement: float
    commitment_confrontation: float
    commitment_reveal: float
    commitment_take_side: float
    commitment_decay: float
    commitment_decay_below: float
    recovery_minor: int
    recovery_major: int
    recovery_catastrophe: int
    catastrophe_threshold: float
    catastrophe_gate: float
    catastrophe_suppression: float
    catastrophe_cooldown: int
    catastrophe_at_once: int
    catastrophe_commitment: float
    catastrophe_commitment_below: float
    composure_after_catastrophe: float
    trust_repair: float
    major_weight: float
    private_from: float
    emotion_decay: float


class Information(NamedTuple):
    """How lies, glances and quarrels change beliefs, and what counts as a betrayal."""

    lie_base: float
    lie_trust: float
    lie_suspected: float
    lie_unmasked: float  # times the liar's missing composure
    watch: float
    watch_composed: float
    watch_unmasked: float  # times the missing composure of the person watched
    watch_idle: float  # added to the watcher's truth_seeking
    forced: float  # times the missing composure of the accused
    betrayal_trust: float  # above this trust in a person, being wronged by them is a betrayal
    confide_leak: float
    hint_caught: float  # how likely those who are there catch what somebody who suspects a secret only hints at


class Time(NamedTuple):
    """How long a tick lasts."""

    catastrophe: float
    clash: float
    exchange: float
    quiet: float


class Acts(NamedTuple):
    """What acts do to those who take part."""

    chat_affection_from: float
    chat_affection_to: float
    conflict_trust_from: float
    conflict_trust_to: float
    conflict_accused_from: float
    conflict_accused_to: float
    conflict_anger_from: float
    conflict_anger_to: float
    confide_trust: float
    confided_trust: float
    confide_stress: float
    lie_trust: float
    lie_stress: float
    lie_commitment: float
    move_budget: float
    slam_stress: float
    slam_fear: float
    shun_stress: float
    shun_trust: float
    comfort_stress: float
    comfort_affection: float
    forgive_kept: float  # the share of the grievance that is left when a wrong is forgiven
    forgive_trust: float
    forgiven_stress: float
    forgiven_affection: float
    break_trust: float  # what both lose when one breaks with the other
    break_affection: float
    break_stress: float
    glass: float
    outburst_trust_from: float
    outburst_trust_to: float
    outburst_others_from: float
    outburst_others_to: float


class Feelings(NamedTuple):
    """The steps of emotions."""

    conflict_accused_anger: float
    conflict_accused_fear: float
    conflict_accused_shame: float
    question_fear: float
    question_suspicion: float
    wrong_suspicion: float
    shunned_shame: float
    forgiven_shame: float
    left_shame: float  # of somebody with whom another breaks
    found_suspicion: float
    outburst_fear: float
    outburst_anger: float
    outburst_shame: float
    said_kept: float


class Grievance(NamedTuple):
    """What people hold against each other, how they tire of quarrelling, and how they make up."""

    decay: float
    accuser: float
    accused: float
    fatigue_accuser: float
    fatigue_accused: float
    fatigue_kept: float
    fatigue_most: float
    mending: float
    mending_affection: float
    mending_private: float
    mending_public: float
    mending_trust: float
    mending_above: float
    mending_shame: float
    reconciled_from: float
    reconciled_below: float
    reconciled_stress: float
    throwing_out_trust: float
    throwing_out_grievance: float
    throwing_out_from: float


class Consequences(NamedTuple):
    """What the truth does to those who learn it, and to those it is about."""

    harm_trust: float
    harm_grievance: float
    harm_resolve: float
    harm_anger: float
    wrong_from: float  # from this harm times weight on, a secret is a wrong
    judgement: float
    lie_found_trust: float
    lie_found_grievance: float
    lie_failed_trust: float
    lie_failed_grievance: float
    lie_failed_suspicion: float
    exposed_stress: float
    exposed_fear: float
    exposed_shame: float
    exposed_grievance: float
    exposed_trust: float
    question_stress: float
    question_commitment: float
    disturbing_weight: float
    disturbing_affection: float
    protege_grievance: float


class Wants(NamedTuple):
    """How needs begin and grow."""

    start: float
    growth: float
    personal: float
    most: float
    glass_relief: float


class Service(NamedTuple):
    """When a task lapses, and who may serve."""

    lapse_course: float
    lapse_pour: float
    spoil_minutes: float
    calm: int


class Opening(NamedTuple):
    """What two people bring along who had words on the way."""

    words_trust: float
    words_grievance: float
    words_anger: float
