"""The fixed lists of the specification: kinds of acts, beliefs, triggers, effects, goals and emotions."""

from __future__ import annotations

from enum import IntEnum


class EventType(IntEnum):
    """What can happen. The first nine can be chosen; a catastrophe, and what the clock brings, cannot."""

    CHAT = 0
    OBSERVE = 1
    SOCIAL_MOVE = 2
    REVEAL = 3
    CONFLICT = 4
    INTERNAL = 5
    PHYSICAL = 6
    CONFIDE = 7
    LIE = 8
    CATASTROPHE = 9
    CLOCK = 10


# The members as constants: comparing with one is 4 times as fast: `benchmarks/tricks.py`.
CHAT, OBSERVE, SOCIAL_MOVE = EventType.CHAT, EventType.OBSERVE, EventType.SOCIAL_MOVE
REVEAL, CONFLICT, INTERNAL = EventType.REVEAL, EventType.CONFLICT, EventType.INTERNAL
PHYSICAL, CONFIDE, LIE, CATASTROPHE = EventType.PHYSICAL, EventType.CONFIDE, EventType.LIE, EventType.CATASTROPHE
CLOCK = EventType.CLOCK

CHOSEN = tuple(EventType)[:9]
"""The acts that can be chosen."""

DRAMATIC = frozenset({REVEAL, CONFLICT, CONFIDE, LIE})
"""The acts that pacing limits."""

DRINK, LEAVE, SLAM, SHUN, COMFORT = "drink", "leave", "slam", "shun", "comfort"
FORGIVE, BREAK_WITH = "forgive", "break_with"
TASKS = FETCH, SERVE, POUR = ("fetch", "serve", "pour")
"""The manners of PHYSICAL acts that the engine knows; a scenario adds one for each of its needs."""


class Belief(IntEnum):
    """What a person believes about a secret."""

    UNKNOWN = 0
    SUSPECTS = 1
    BELIEVES_TRUE = 2
    BELIEVES_FALSE = 3


class Trigger(IntEnum):
    """What activates a flaw."""

    STATUS_THREAT = 0
    BETRAYAL_DETECTED = 1
    SECRET_EXPOSURE = 2
    REJECTION = 3
    AUTHORITY_CHALLENGE = 4
    INTIMACY_OFFERED = 5
    CONFLICT_NEARBY = 6
    LOSS_IMMINENT = 7


class Effect(IntEnum):
    """What an active flaw does."""

    OVERWEIGHT_STATUS = 0
    AVOID_CONFRONTATION = 1
    DENY_EVIDENCE = 2
    ESCALATE_CONFLICT = 3
    SEEK_VALIDATION = 4
    SELF_SACRIFICE = 5
    FIXATE_ON_TARGET = 6
    OVERCOMMIT = 7


SWALLOWING = frozenset({Effect.AVOID_CONFRONTATION, Effect.DENY_EVIDENCE})
"""The effects of flaws that make a person swallow a wrong."""

FLAWS = ("pride", "loyalty", "trauma", "ambition", "jealousy", "cowardice", "vanity", "guilt", "obsession", "denial")

GOALS = ("safety", "status", "secrecy", "truth_seeking", "autonomy", "loyalty")
"""The scalar goals, in the order of goal vectors."""

EFFECTS = ("safety", "status", "closeness", "secrecy", "truth_seeking", "autonomy", "loyalty")
"""What an act may affect, in the order of effect profiles."""

EMOTIONS = ("anger", "fear", "hope", "shame", "affection", "suspicion")

CONTENT = ("affair", "financial", "identity", "investigation", "knowledge", "plan")
"""What a secret may be about."""
