"""The acts of a scenario by number: what each is, and its readable id."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Final, NamedTuple

from volition.drama.evening.record import NONE
from volition.drama.evening.state import TASKS
from volition.drama.rules.catalog import (
    CHAT,
    CONFIDE,
    CONFLICT,
    DRAMATIC,
    INTERNAL,
    LIE,
    OBSERVE,
    PHYSICAL,
    REVEAL,
    SOCIAL_MOVE,
    EventType,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from volition.drama.world.model import Scenario

ALL: Final = "all"
ROOM: Final = "room"
DRINK: Final = "drink"
LEAVE: Final = "leave"
SLAM: Final = "slam"
SHUN: Final = "shun"
COMFORT: Final = "comfort"
FORGIVE: Final = "forgive"
BREAK_WITH: Final = "break_with"
WRONG: Final = "wrong"
FEELING: Final = "feeling"


class NumberedAct(NamedTuple):
    """An act apart from who does it and where; people, rooms and secrets are places in the scenario.

    `first` names the acts of one sort; the first of them stands under that name in the house.
    """

    first: str
    id: str
    kind: EventType
    target: int = NONE
    focus: int = NONE
    destination: int = NONE
    secret: int = NONE
    manner: str | None = None

    @property
    def dramatic(self) -> bool:
        """Whether pacing rations it."""
        return self.kind in DRAMATIC or self.manner in (SLAM, BREAK_WITH)


def numbered_acts(scenario: Scenario) -> list[NumberedAct]:
    """Every act of a scenario; its place in the list is its number.

    Acts about a secret stand as they are offered: REVEAL by secret and then by listener, CONFLICT, CONFIDE and LIE by
    listener and then by secret.
    """
    names = (scenario.people, scenario.rooms, scenario.secrets, scenario.evening.needs)
    return list(_named_acts(*map(tuple, names)))


@lru_cache(maxsize=32)  # a sweep over settings makes a scenario for each, all with the same acts
def _named_acts(
    people: tuple[str, ...], rooms: tuple[str, ...], secrets: tuple[str, ...], needs: tuple[str, ...]
) -> tuple[NumberedAct, ...]:
    return tuple(_acts(people, rooms, secrets, needs))


def _acts(
    people: tuple[str, ...], rooms: tuple[str, ...], secrets: tuple[str, ...], needs: tuple[str, ...]
) -> Iterator[NumberedAct]:
    pairs = [(other, secret) for other in range(len(people)) for secret in range(len(secrets))]
    for number, person in enumerate(people):
        yield NumberedAct("chat", f"chat:{person}", CHAT, target=number)
    yield NumberedAct("chat_to_all", f"chat:{ALL}", CHAT)
    for number, person in enumerate(people):
        yield NumberedAct("observe", f"observe:{person}", OBSERVE, focus=number)
    yield NumberedAct("look_around", f"observe:{ROOM}", OBSERVE)
    for number, room in enumerate(rooms):
        yield NumberedAct("move", f"move:{room}", SOCIAL_MOVE, destination=number)
    yield NumberedAct("think", "internal", INTERNAL)
    yield _handling("drink", DRINK)
    yield from (_handling("do_task", task) for task in TASKS)
    yield from (_handling("use", need) for need in needs)
    yield _handling("slam", SLAM)
    yield _handling("leave", LEAVE)
    for manner in (SHUN, COMFORT, FORGIVE, BREAK_WITH):
        for number, person in enumerate(people):
            yield NumberedAct(manner, f"physical:{manner}:{person}", PHYSICAL, target=number, manner=manner)
    for secret, other in sorted((secret, other) for other, secret in pairs):
        yield NumberedAct("reveal", f"reveal:{secrets[secret]}:{people[other]}", REVEAL, other, secret=secret)
    for number, person in enumerate(people):
        yield NumberedAct("confront", f"conflict:{person}", CONFLICT, target=number)
    for other, secret in pairs:
        id = f"conflict:{secrets[secret]}:{people[other]}"
        yield NumberedAct("confront_about", id, CONFLICT, other, secret=secret)
    for number, person in enumerate(people):
        yield NumberedAct("confront_wrong", f"conflict:{WRONG}:{person}", CONFLICT, target=number, manner=WRONG)
    for other, secret in pairs:
        yield NumberedAct("confide", f"confide:{secrets[secret]}:{people[other]}", CONFIDE, other, secret=secret)
    for number, person in enumerate(people):
        yield NumberedAct("confide_feeling", f"confide:{FEELING}:{person}", CONFIDE, target=number)
    for other, secret in pairs:
        yield NumberedAct("lie", f"lie:{secrets[secret]}:{people[other]}", LIE, other, secret=secret)


def _handling(first: str, manner: str) -> NumberedAct:
    return NumberedAct(first, f"physical:{manner}", PHYSICAL, manner=manner)
