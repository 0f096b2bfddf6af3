"""From slots to acts and back: the readable id and the action of each slot."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from volition.drama.company.kernel import layout
from volition.drama.company.kernel.layout import PEOPLE, SECRETS
from volition.drama.evening.grammar import ALL, ROOM
from volition.drama.rules.catalog import (
    CHAT,
    CONFIDE,
    CONFLICT,
    DRAMATIC,
    DRINK,
    INTERNAL,
    LEAVE,
    LIE,
    OBSERVE,
    PHYSICAL,
    REVEAL,
    SLAM,
    SOCIAL_MOVE,
    TASKS,
    EventType,
)
from volition.drama.world.model import Action

if TYPE_CHECKING:
    from collections.abc import Iterator

    from volition.drama.world.model import Scenario


class Slot(NamedTuple):
    """The act of a slot, without who does it and where; the targets of `chat:all` are those present."""

    id: str
    kind: EventType
    target: str | None = None
    focus: str | None = None
    destination: str | None = None
    secret: str | None = None
    manner: str | None = None

    @property
    def dramatic(self) -> bool:
        """Whether pacing limits it."""
        return self.kind in DRAMATIC or self.manner == SLAM

    def act(self, who: str, where: str, present: tuple[str, ...]) -> Action:
        """The action, when done by somebody in a room."""
        targets = present if self.id == CHAT_TO_ALL else () if self.target is None else (self.target,)
        rest = (self.focus, self.destination, self.secret, self.manner)
        return Action(self.id, who, self.kind, targets, where, self.dramatic, *rest)


CHAT_TO_ALL = f"chat:{ALL}"


def slots_of(scenario: Scenario) -> dict[int, Slot]:
    """The slots that a scenario uses, by number."""
    return dict(_slots(scenario))


def _slots(scenario: Scenario) -> Iterator[tuple[int, Slot]]:
    people, rooms, secrets = list(scenario.people), list(scenario.rooms), list(scenario.secrets)
    yield layout.CHAT_ALL, Slot(CHAT_TO_ALL, CHAT)
    yield layout.OBSERVE_ROOM, Slot(f"observe:{ROOM}", OBSERVE)
    yield layout.INTERNAL_AT, Slot("internal", INTERNAL)
    for number, room in enumerate(rooms):
        yield layout.MOVE_AT + number, Slot(f"move:{room}", SOCIAL_MOVE, destination=room)
    for number, manner in enumerate((DRINK, *TASKS)):
        yield layout.DRINK_AT + number, _physical(manner)
    for number, need in enumerate(scenario.evening.needs):
        yield layout.NEED_AT + number, _physical(need)
    yield layout.SLAM_AT, _physical(SLAM)
    yield layout.LEAVE_AT, _physical(LEAVE)
    for number, person in enumerate(people):
        yield layout.CHAT_AT + number, Slot(f"chat:{person}", CHAT, person)
        yield layout.OBSERVE_AT + number, Slot(f"observe:{person}", OBSERVE, focus=person)
        yield layout.CONFLICT_AT + number, Slot(f"conflict:{person}", CONFLICT, person)
        for place, secret in enumerate(secrets):
            yield layout.REVEAL_AT + place * PEOPLE + number, _about(REVEAL, secret, person)
            yield layout.CONFIDE_AT + number * SECRETS + place, _about(CONFIDE, secret, person)
            yield layout.LIE_AT + number * SECRETS + place, _about(LIE, secret, person)


def _physical(manner: str) -> Slot:
    return Slot(f"physical:{manner}", PHYSICAL, manner=manner)


def _about(kind: EventType, secret: str, person: str) -> Slot:
    return Slot(f"{kind.name.lower()}:{secret}:{person}", kind, person, secret=secret)
