"""The sections of a scenario file: each is read as a part of the definition, and its problems are noted."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, cast

from volition.drama.rules.catalog import (
    BREAK_WITH,
    CHOSEN,
    COMFORT,
    CONTENT,
    DRINK,
    EMOTIONS,
    FLAWS,
    FORGIVE,
    GOALS,
    LEAVE,
    SHUN,
    SLAM,
    TASKS,
    Effect,
    Trigger,
)
from volition.drama.world.clock import ClockNames, read_circumstances, read_events, read_things
from volition.drama.world.model import Commitment, EveningSetup, Flaw, Person, Room, Secret
from volition.drama.world.table import RESERVED, Known, Table
from volition.drama.world.wording import read_pronouns, read_relations, read_tags

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from volition.drama.rules.tables import Goals

MOST_FLAWS: Final = 3
ACTS: Final = tuple(sorted((BREAK_WITH, COMFORT, DRINK, FORGIVE, LEAVE, SHUN, SLAM, *TASKS)))
"""Names of physical acts, which no need may have."""
IMPLIED: Final = ("knows", "suspects")
"""What one secret may make people believe of another."""

_TRIGGERS = {trigger.name.lower(): trigger for trigger in Trigger}
_EFFECTS = {effect.name.lower(): effect for effect in Effect}
_OBJECTS = {"conceal": "secret", "expose": "secret", "protect": "person"}
_BOND = "trust, affection, obligation"


def read_evening(table: Table, rooms: Known, people: Known, secrets: Known) -> EveningSetup:
    """`[evening]`: where people gather and leave, who serves, what the clock brings, and what the seed draws."""
    optional = ("kitchen", "minutes", "ticks", "time_scale", "servers", "needs", "need_rates", "glass_need")
    table.keys(("gathering", "exit"), (*optional, "things", "events", "circumstances"))
    minutes = table.number("minutes", 1, 24 * 60, 150.0)
    needs = table.table("needs")
    wanted = Known("need", needs.ids((*RESERVED, *ACTS)))
    things = read_things(table, people)
    names = ClockNames(rooms, people, secrets, Known("thing", tuple(things)))
    clock = read_events(table, names, minutes)
    evening = EveningSetup(
        gathering=table.name("gathering", rooms) or "",
        exit=table.name("exit", rooms) or "",
        kitchen=table.name("kitchen", rooms),
        minutes=minutes,
        ticks=table.whole("ticks", 1, 100_000, 300),
        time_scale=table.number("time_scale", 0.1, 100, 1.0),
        servers=table.names("servers", people),
        courses=clock.courses,
        pours=clock.pours,
        needs={need: needs.name(need, rooms) or "" for need in wanted.ids},
        need_rates=table.table("need_rates").shares(wanted, 0, 1),
        glass_need=table.name("glass_need", wanted),
        things=things,
        events=clock.events,
        circumstances=read_circumstances(table, names, minutes),
    )
    if (clock.courses or clock.pours) and not table.data.get("servers"):
        table.note("nobody serves", "servers", expected="somebody who brings what is served", remedy="name the servers")
    if clock.courses and "kitchen" not in table.data:
        table.note("there is no kitchen", "kitchen", expected="a room courses come from", remedy="name the kitchen")
    return evening


def read_room(id: str, table: Table, rooms: Known) -> Room:
    """`[rooms.ID]`."""
    table.keys(("name", "privacy", "capacity", "adjacent"), ("overhears", "description", "tags"))
    others = Known("other room", tuple(room for room in rooms.ids if room != id))
    return Room(
        id=id,
        name=table.text("name"),
        privacy=table.number("privacy", 0, 1),
        capacity=table.whole("capacity", 1, 1000, 1),
        adjacent=table.names("adjacent", others),
        overhears=table.table("overhears").shares(others, 0, 1),
        description=table.text("description", prose=True),
        tags=read_tags(table, "tags"),
    )


def read_person(id: str, table: Table, rooms: Known, people: Known, secrets: Known, gathering: str) -> Person:
    """`[people.ID]`; people start in the gathering room unless another room is given.

    Closeness and bonds are those that the table names; `fill_ties` adds the others.
    """
    optional = ("role", "room", "resident", "sensitivity", "pacing", "emotions", "commitments", "closeness", "bonds")
    table.keys(("name", "goals", "flaws"), (*optional, "pronouns", "familiar", "voice", "relations", "mind"))
    others = Known("other person", tuple(person for person in people.ids if person != id))
    pacing = table.table("pacing").keys((), ("stress", "composure", "commitment"))
    emotions = table.table("emotions").keys((), EMOTIONS)
    return Person(
        id=id,
        name=table.text("name"),
        role=table.text("role", prose=True),
        goals=_goals(table),
        closeness=table.table("closeness").shares(others, -1, 1),
        bonds=_bonds(table, others),
        flaws=_flaws(table, others),
        commitments=tuple(_commitment(entry, secrets, others) for entry in table.tables("commitments")),
        stress=pacing.number("stress", 0, 1),
        composure=pacing.number("composure", 0.05, 1, 1.0),
        commitment=pacing.number("commitment", 0, 1),
        emotions={emotion: emotions.number(emotion, 0, 1) for emotion in EMOTIONS},
        room=(table.name("room", rooms) or "") if "room" in table.data else gathering,
        sensitivity=table.number("sensitivity", 0, 10, 1.0),
        resident=table.flag("resident"),
        pronouns=read_pronouns(table),
        familiar=table.text("familiar"),
        voice=read_tags(table, "voice"),
        relations=read_relations(table, others),
        mind=_mind(table),
    )


def _mind(table: Table) -> dict[str, Any]:
    """`[people.ID.mind]`: a language model that may decide for them; only what is given."""
    if "mind" not in table.data:
        return {}
    mind = table.table("mind").keys(("url", "model"), ("way", "weight", "best", "margin", "kinds"))
    kinds = Known("kind of act", tuple(kind.name.lower() for kind in CHOSEN))
    read: dict[str, Callable[[], Any]] = {
        "url": lambda: mind.text("url"),
        "model": lambda: mind.text("model"),
        "way": lambda: mind.choice("way", ("vote", "choose")),
        "weight": lambda: mind.number("weight", 0, 16),
        "best": lambda: mind.whole("best", 2, 1000),
        "margin": lambda: mind.number("margin", 0, 1000),
        "kinds": lambda: list(mind.names("kinds", kinds)),
    }
    return {key: value() for key, value in read.items() if key in mind.data}


def read_secret(id: str, table: Table, people: Known, secrets: Known) -> Secret:
    """`[secrets.ID]`."""
    required = ("description", "holders", "content", "weight", "knowers")
    table.keys(required, ("about", "suspecters", "harm", "implies"))
    implies = table.table("implies")
    others = Known("other secret", tuple(secret for secret in secrets.ids if secret != id))
    before = len(table.problems)
    secret = Secret(
        id=id,
        description=table.text("description"),
        holders=table.names("holders", people),
        about=table.name("about", people),
        content=table.choice("content", CONTENT),
        weight=table.number("weight", 0, 1),
        knowers=table.names("knowers", people),
        suspecters=table.names("suspecters", people),
        harm=table.table("harm").shares(people, 0, 1),
        implies={other: implies.choice(other, IMPLIED) for other in implies.known_keys(others)},
    )
    if len(table.problems) == before:
        _check_knowledge(secret, table)
    return secret


def read_known(table: Table, people: Known, secrets: Mapping[str, Secret]) -> frozenset[tuple[str, str, str]]:
    """`[known.SECRET]`, `who = [whom, ...]`: whom each person thinks to know the secret at the start."""
    known: set[tuple[str, str, str]] = set()
    for id in table.known_keys(Known("secret", tuple(secrets))):
        entries = table.table(id)
        aware = (*secrets[id].knowers, *secrets[id].suspecters)
        for who in entries.known_keys(people):
            others = Known("other person", tuple(person for person in people.ids if person != who))
            known.update((who, whom, id) for whom in entries.names(who, others))
            if who not in aware:
                entries.note(
                    f"{who!r} has not heard of this secret",
                    who,
                    expected="somebody who knows or suspects it",
                    remedy=f"remove the line, or add {who!r} to secrets.{id}.suspecters",
                )
    return frozenset(known)


def _check_knowledge(secret: Secret, table: Table) -> None:
    if "holders" in table.data and not secret.holders:
        table.note("nobody holds this secret", "holders", expected="at least one holder", remedy="name one")
    for index, holder in enumerate(secret.holders):
        if "knowers" in table.data and holder not in secret.knowers:
            table.note(
                f"{holder!r} holds the secret but does not know it",
                *("holders", index),
                expected="holders among the knowers",
                remedy=f"add {holder!r} to the knowers",
            )
    for index, person in enumerate(secret.suspecters):
        if person in secret.knowers:
            table.note(
                f"{person!r} both knows and suspects the secret",
                *("suspecters", index),
                expected="nobody among both knowers and suspecters",
                remedy=f"remove {person!r} from one of the two",
            )


def _goals(table: Table) -> Goals:
    weights = table.table("goals").keys((), GOALS)
    before = len(table.problems)
    goals = tuple(weights.number(goal, 0, 1, 0.5) for goal in GOALS)
    if "goals" in table.data and len(table.problems) == before and max(goals) <= 0.5:
        table.note("no goal is above 0.5", "goals", expected="at least one goal above 0.5", remedy="raise a goal")
    return cast("Goals", goals)


def _bonds(table: Table, others: Known) -> dict[str, tuple[float, float, float]]:
    inner = table.table("bonds")
    bonds = {}
    for other in inner.known_keys(others):
        trust, affection, obligation = inner.numbers(other, ((-1, 1), (-1, 1), (0, 1)), _BOND)
        bonds[other] = (trust, affection, obligation)
    return bonds


def _flaws(table: Table, others: Known) -> tuple[Flaw, ...]:
    before = len(table.problems)
    flaws = tuple(_flaw(entry, others) for entry in table.tables("flaws"))
    if "flaws" in table.data and not 1 <= len(flaws) <= MOST_FLAWS and (flaws or len(table.problems) == before):
        what = f"{len(flaws) or 'no'} flaws"
        table.note(what, "flaws", expected=f"1 to {MOST_FLAWS} flaws", remedy="keep those that matter most")
    return flaws


def _flaw(table: Table, others: Known) -> Flaw:
    table.keys(("kind", "strength", "trigger", "effect"), ("target",))
    flaw = Flaw(
        kind=table.choice("kind", FLAWS),
        strength=table.number("strength", 0, 1),
        trigger=_TRIGGERS[table.choice("trigger", _TRIGGERS)],
        effect=_EFFECTS[table.choice("effect", _EFFECTS)],
        target=table.name("target", others),
    )
    fixation = _EFFECTS.get(_word(table.data.get("effect"))) is Effect.FIXATE_ON_TARGET
    if fixation and "target" not in table.data:
        table.note("a fixation without a target", "target", expected="another person", remedy="name the person")
    if "target" in table.data and "effect" in table.data and not fixation:
        table.note("only a fixation has a target", "target", expected="no target here", remedy="remove it")
    return flaw


def _commitment(table: Table, secrets: Known, others: Known) -> Commitment:
    kind: Any = table.choice("kind", tuple(_OBJECTS))
    if _word(table.data.get("kind")) == kind:
        table.keys(("kind", _OBJECTS[kind]))
    else:
        table.keys(("kind",), ("secret", "person"))
    return Commitment(kind, table.name("secret", secrets), table.name("person", others))


def _word(value: Any) -> str:
    return value if isinstance(value, str) else ""
