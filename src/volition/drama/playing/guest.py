"""An evening step by step for who plays a guest: what they may do, what they see and hear, and what others took from it.

All of it is data that also comes in words; it follows from the run alone, so the same choices give the same steps.
"""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Final, Generic, Protocol, TypeVar

from msgspec import Struct

from volition.drama.audience.guest import Heard, Hearing
from volition.drama.audience.introduction import describe_scene
from volition.drama.audience.offers import Menu, describe_outcome, menu_of
from volition.drama.audience.reactions import Reaction, reactions_of
from volition.drama.evening.names import names_of
from volition.drama.mind.outside import Voice
from volition.drama.mind.wishes import read_wish
from volition.drama.minds.situation import REMEMBERED, situation_of
from volition.drama.stage.record import PLAYER
from volition.drama.stage.replay import unfold

if TYPE_CHECKING:
    from collections.abc import Iterable

    from volition.drama.mind.custom import OfferedActs
    from volition.drama.stage.events import TickRecord
    from volition.drama.stage.record import Run
    from volition.drama.world.model import Scenario
    from volition.minds.contract import MindSituation


GUEST: Final = Voice(PLAYER, "choose", best=None)
"""How a guest takes part whom a person plays: as a mind from outside that may do everything that is open."""


class HasScenario(Protocol):
    """An evening, as far as a step asks it."""

    @property
    def scenario(self) -> Scenario: ...


Played = TypeVar("Played", bound=HasScenario)


class GuestTick(Struct, frozen=True):
    """What a guest lived through in one tick: what became of their choice, what they heard, and what others took from it.

    `outcome` is empty where an event tells what the guest did.
    """

    tick: int
    outcome: str
    heard: tuple[Heard, ...]
    taken: tuple[Reaction, ...]

    def lines(self, scenario: Scenario, guest: str) -> list[str]:
        """The same in words."""
        heard = [line for hearing in self.heard for line in hearing.lines(scenario, guest)]
        outcome = [self.outcome] if self.outcome else []
        return [*heard, *outcome, *(reaction.words for reaction in self.taken)]


class GuestStep(Struct, Generic[Played], frozen=True):
    """An evening after a choice of its guest: the ticks that passed, where the guest is now, and what they may do next.

    `scene` is empty and `menu` None once the guest has no choice any more: the evening is over, or they have left it.
    """

    evening: Played
    guest: str
    ticks: tuple[GuestTick, ...]
    scene: str
    menu: Menu | None

    @property
    def heard(self) -> tuple[Heard, ...]:
        """Everything that the guest saw, heard and learned."""
        return tuple(heard for tick in self.ticks for heard in tick.heard)

    @property
    def taken(self) -> tuple[Reaction, ...]:
        """Everything that others took from the guest's act."""
        return tuple(reaction for tick in self.ticks for reaction in tick.taken)

    def lines(self) -> list[str]:
        """The step in words."""
        lines = [line for tick in self.ticks for line in tick.lines(self.evening.scenario, self.guest)]
        groups = [str(group) for group in self.menu.best] if self.menu is not None else []
        more = ["and more"] if self.menu is not None and self.menu.more else []
        return [*lines, *([self.scene] if self.scene else []), *groups, *more]


class Attendance:
    """Follows an evening with its guest, tick by tick; every tick must be told to it, in order."""

    def __init__(self, run: Run, guest: str) -> None:
        self._world, self._guest, self._hearing = run.opening_state(), guest, Hearing(run.seed)
        self._lately: deque[Heard] = deque(maxlen=REMEMBERED)
        for record in run.ticks:
            self.live(record)

    def live(self, record: TickRecord) -> GuestTick:
        """What the guest lived through in a tick."""
        guest, world = self._guest, self._world
        taken, outcome = reactions_of(world, record, guest), self._outcome(record)
        heard = [
            hearings[guest]
            for event in unfold(world, record)
            if (hearings := self._hearing.hear(world, event, [guest]))
        ]
        self._lately.extend(heard)
        return GuestTick(record.tick, outcome, tuple(heard), taken)

    def _outcome(self, record: TickRecord) -> str:
        """What became of what was chosen for the guest in a tick that begins, where no event tells it."""
        guest, world = self._guest, self._world
        choice = record.choices.get(guest)
        if choice is None or guest not in record.played:
            return ""
        names, here = names_of(world.scenario), world.agents[guest].location
        beside = sum(
            1 << names.person[id] for id, other in world.agents.items() if other.location == here and id != guest
        )
        wish = read_wish(record.wishes[guest]) if guest in record.wishes else None
        chosen = wish or names.actions([names.act[choice.id]], guest, here, beside)[0]
        shows = any(event.source == guest for event in record.events)
        return describe_outcome(world.scenario, chosen, guest, choice, shows=shows)

    def question(self, offer: OfferedActs) -> MindSituation:
        """What the guest is asked, as any mind from outside is: everything that this offer has, and what they heard lately."""
        return situation_of(self._world.scenario, offer, GUEST, tuple(self._lately))


def step_of(evening: Played, guest: str, ticks: Iterable[GuestTick], offer: OfferedActs | None) -> GuestStep[Played]:
    """The step that led to an evening, in which the guest has this offer now."""
    if offer is None:
        return GuestStep(evening, guest, tuple(ticks), "", None)
    scene, menu = describe_scene(evening.scenario, offer), menu_of(evening.scenario, offer)
    return GuestStep(evening, guest, tuple(ticks), scene, menu)
