"""The dinner party with the specification's own characters, in one table, independent of the scenario file.

Order matters: a group chat is scored by the first person it addresses, and the golden values were made with this one.
"""

from __future__ import annotations

from tests.drama.rulebook import RULES
from volition.drama.rules.catalog import EMOTIONS, Effect, Trigger
from volition.drama.world.model import (
    Commitment,
    EveningSetup,
    Flaw,
    Person,
    Room,
    Scenario,
    Secret,
)

IDS = ("thorne", "elena", "marcus", "lydia", "diana", "victor")

AFFAIR, EMBEZZLE, DEBT = "secret_affair_01", "secret_embezzle_01", "secret_diana_debt"
LYDIA_KNOWS, INVESTIGATION = "secret_lydia_knows", "secret_victor_investigation"

GOALS = {
    "thorne": (0.4, 0.9, 0.3, 0.6, 0.7, 0.8),
    "elena": (0.7, 0.4, 0.9, 0.3, 0.8, 0.3),
    "marcus": (0.8, 0.7, 1.0, 0.1, 0.6, 0.2),
    "lydia": (0.8, 0.3, 0.4, 0.8, 0.5, 0.9),
    "diana": (0.6, 0.5, 0.7, 0.4, 0.6, 0.7),
    "victor": (0.3, 0.6, 0.6, 1.0, 0.8, 0.4),
}

CLOSENESS = {
    "thorne": (0.0, 0.7, 0.6, 0.3, 0.4, 0.5),
    "elena": (0.1, 0.0, 0.8, 0.2, 0.6, 0.2),
    "marcus": (0.3, 0.6, 0.0, 0.1, 0.2, -0.3),
    "lydia": (0.5, 0.1, -0.2, 0.0, 0.3, 0.4),
    "diana": (0.3, 0.7, -0.1, 0.3, 0.0, 0.2),
    "victor": (0.5, 0.1, -0.2, 0.3, 0.1, 0.0),
}

NOBODY = (0.0, 0.0, 0.0)
BONDS = {
    "thorne": (NOBODY, (0.8, 0.6, 0.3), (0.7, 0.4, 0.2), (0.3, 0.2, 0.0), (0.5, 0.3, 0.1), (0.6, 0.3, 0.1)),
    "elena": ((0.3, 0.1, 0.6), NOBODY, (0.7, 0.8, 0.2), (0.2, 0.1, 0.0), (0.7, 0.5, 0.1), (0.3, 0.1, 0.0)),
    "marcus": ((0.2, 0.1, 0.5), (0.5, 0.5, 0.3), NOBODY, (0.1, 0.0, 0.0), (0.2, 0.1, 0.0), (-0.3, -0.2, 0.0)),
    "lydia": ((0.7, 0.4, 0.6), (0.2, 0.1, 0.0), (-0.2, -0.1, 0.0), NOBODY, (0.4, 0.3, 0.0), (0.5, 0.2, 0.0)),
    "diana": ((0.4, 0.3, 0.1), (0.7, 0.6, 0.2), (0.1, -0.1, 0.7), (0.3, 0.2, 0.0), NOBODY, (0.3, 0.2, 0.0)),
    "victor": ((0.5, 0.4, 0.1), (0.3, 0.1, 0.0), (-0.1, 0.0, 0.0), (0.3, 0.1, 0.0), (0.2, 0.1, 0.0), NOBODY),
}

FLAWS = {
    "thorne": (Flaw("pride", 0.8, Trigger.STATUS_THREAT, Effect.OVERWEIGHT_STATUS),),
    "elena": (
        Flaw("guilt", 0.7, Trigger.INTIMACY_OFFERED, Effect.SELF_SACRIFICE),
        Flaw("cowardice", 0.5, Trigger.CONFLICT_NEARBY, Effect.AVOID_CONFRONTATION),
    ),
    "marcus": (
        Flaw("ambition", 0.8, Trigger.LOSS_IMMINENT, Effect.OVERCOMMIT),
        Flaw("denial", 0.6, Trigger.BETRAYAL_DETECTED, Effect.DENY_EVIDENCE),
    ),
    "lydia": (
        Flaw("cowardice", 0.7, Trigger.CONFLICT_NEARBY, Effect.AVOID_CONFRONTATION),
        Flaw("loyalty", 0.6, Trigger.BETRAYAL_DETECTED, Effect.SELF_SACRIFICE),
    ),
    "diana": (
        Flaw("guilt", 0.6, Trigger.INTIMACY_OFFERED, Effect.SELF_SACRIFICE),
        Flaw("jealousy", 0.4, Trigger.REJECTION, Effect.ESCALATE_CONFLICT),
    ),
    "victor": (
        Flaw("obsession", 0.8, Trigger.SECRET_EXPOSURE, Effect.FIXATE_ON_TARGET, "marcus"),
        Flaw("vanity", 0.4, Trigger.AUTHORITY_CHALLENGE, Effect.SEEK_VALIDATION),
    ),
}

COMMITMENTS = {
    "thorne": (),
    "elena": (Commitment("conceal", AFFAIR),),
    "marcus": (Commitment("conceal", AFFAIR), Commitment("conceal", EMBEZZLE)),
    "lydia": (),
    "diana": (Commitment("conceal", AFFAIR),),
    "victor": (Commitment("expose", EMBEZZLE),),
}

PACING = {  # stress, composure, commitment
    "thorne": (0.10, 0.90, 0.0),
    "elena": (0.30, 0.70, 0.4),
    "marcus": (0.40, 0.80, 0.6),
    "lydia": (0.20, 0.80, 0.3),
    "diana": (0.15, 0.85, 0.3),
    "victor": (0.10, 0.90, 0.2),
}

FEELINGS = {  # anger, fear, hope, shame, affection, suspicion
    "thorne": (0.0, 0.0, 0.3, 0.0, 0.4, 0.1),
    "elena": (0.0, 0.2, 0.2, 0.3, 0.3, 0.0),
    "marcus": (0.0, 0.3, 0.1, 0.1, 0.2, 0.2),
    "lydia": (0.1, 0.2, 0.1, 0.0, 0.2, 0.5),
    "diana": (0.0, 0.1, 0.2, 0.2, 0.3, 0.1),
    "victor": (0.0, 0.0, 0.3, 0.0, 0.1, 0.3),
}

SECRETS = (  # holders, about, content, weight, knowers, suspecters
    (AFFAIR, "elena marcus", "elena", "affair", 1.0, "elena marcus diana", "lydia"),
    (EMBEZZLE, "marcus", "marcus", "financial", 0.9, "marcus", "lydia victor"),
    (DEBT, "diana", "diana", "financial", 0.6, "diana", "elena"),
    (LYDIA_KNOWS, "lydia", "lydia", "knowledge", 0.5, "lydia", ""),
    (INVESTIGATION, "victor", "victor", "investigation", 0.7, "victor", "marcus"),
)

TABLE = "dining_table"
ROOMS = (  # privacy, capacity, adjacent
    (TABLE, 0.1, 6, ("kitchen", "balcony", "foyer", "bathroom")),
    ("kitchen", 0.5, 3, (TABLE,)),
    ("balcony", 0.7, 3, (TABLE,)),
    ("foyer", 0.2, 4, (TABLE,)),
    ("bathroom", 0.9, 2, (TABLE,)),
)


def party() -> Scenario:
    """The canonical evening under the literal rules; Marcus does not know of Diana's debt to him, as the tables say."""
    people = {id: _person(id) for id in IDS}
    secrets = {
        id: Secret(
            id, id, tuple(holders.split()), about, content, weight, tuple(know.split()), tuple(guess.split()), {}
        )
        for id, holders, about, content, weight, know, guess in SECRETS
    }
    rooms = {id: Room(id, id, privacy, capacity, adjacent, {}) for id, privacy, capacity, adjacent in ROOMS}
    evening = EveningSetup(TABLE, "foyer", "kitchen", 150.0, 300, 1.0, ("thorne",), (), (), {}, {}, None)
    return Scenario("party", "Dinner", "", rooms, people, secrets, evening, RULES, frozenset(), "literal")


def _person(id: str) -> Person:
    others = [other for other in IDS if other != id]
    stress, composure, commitment = PACING[id]
    return Person(
        id,
        id.title(),
        "guest",
        GOALS[id],
        {other: CLOSENESS[id][IDS.index(other)] for other in others},
        {other: BONDS[id][IDS.index(other)] for other in others},
        FLAWS[id],
        COMMITMENTS[id],
        stress,
        composure,
        commitment,
        dict(zip(EMOTIONS, FEELINGS[id], strict=True)),
        TABLE,
    )
