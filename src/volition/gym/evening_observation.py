"""The observation of Evening-v0: what one person knows at a tick, as a row of numbers from -1 to 1, each with a name.

It is made from the person's own state and perception, which are all that their own mind decides from. Of others it holds
what the person feels about them, sees of them and thinks that they know: never their stress, their plans or their secrets.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np
from gymnasium.spaces import Box

from volition.drama.rules.catalog import EMOTIONS, Belief

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from volition.drama.evening.person import AgentState
    from volition.drama.mind.perception import PerceivedState
    from volition.drama.world.model import Scenario

_PACING: Final = {"dramatic_budget": 1, "stress": 1, "composure": 1, "commitment": 1, "recovery_timer": 10}
"""The numbers of a person's pacing that are observed, and what each is divided by."""
_FLAGS: Final = ("status_threat", "secret_at_risk", "challenged", "recent_conflict_at_location", "pending")
_BONDS: Final = ("trust", "affection", "obligation")
_HEARD: Final = (Belief.SUSPECTS, Belief.BELIEVES_TRUE, Belief.BELIEVES_FALSE)


class EveningColumns:
    """What each number of a person's observation is; the same at every tick, and for everybody as many.

    >>> from volition.drama import scenario
    >>> EveningColumns(scenario("dinner-party"), "victor").names[:3]
    ('time', 'me.dramatic_budget', 'me.stress')
    """

    def __init__(self, scenario: Scenario, who: str) -> None:
        self._scenario = scenario
        self._others = tuple(other for other in scenario.people if other != who)
        self.names = tuple(self._names())
        self.space = Box(-1.0, 1.0, (len(self.names),), np.float32)

    def row(self, me: AgentState, perceived: PerceivedState | None, minutes: float) -> NDArray[np.float32]:
        """The observation of a person; without a perception, as of one who has left, it holds their own state alone."""
        seen = np.zeros(len(self.names), dtype=np.float32)
        own = [*self._of_me(me, minutes)]
        seen[: len(own)] = own
        if perceived is not None:
            around = [*self._of_others(perceived)]
            seen[len(own) :] = around
        return np.clip(seen, -1.0, 1.0)

    def _names(self) -> Iterator[str]:
        scenario = self._scenario
        yield "time"
        yield from (f"me.{part}" for part in _PACING)
        yield from (f"me.{emotion}" for emotion in EMOTIONS)
        yield from ("me.alcohol", *(f"me.need.{need}" for need in scenario.evening.needs))
        yield from (f"me.belief.{secret}.{belief.name.lower()}" for secret in scenario.secrets for belief in _HEARD)
        for other in self._others:
            yield from (f"{other}.{part}" for part in (*_BONDS, "grievance"))
        yield from (f"here.{room}" for room in scenario.rooms)
        yield from (f"here.{flag}" for flag in (*_FLAGS, "served"))
        for other in self._others:
            yield from (f"{other}.{part}" for part in ("present", "shaken"))
            yield from (f"{other}.seen_in.{room}" for room in scenario.rooms)
            yield from (f"{other}.knows.{secret}" for secret in scenario.secrets)

    def _of_me(self, me: AgentState, minutes: float) -> Iterator[float]:
        """What a person knows of themselves: their state, what they believe, and what they feel about others."""
        scenario = self._scenario
        yield minutes / scenario.evening.minutes
        yield from (getattr(me.pacing, part) / most for part, most in _PACING.items())
        yield from (me.emotions[emotion] for emotion in EMOTIONS)
        yield me.alcohol
        yield from (me.needs.get(need, 0.0) for need in scenario.evening.needs)
        yield from (me.beliefs.get(secret) == belief for secret in scenario.secrets for belief in _HEARD)
        for other in self._others:
            yield from (getattr(me.bonds[other], part) for part in _BONDS)
            yield me.grievance.get(other, 0.0)

    def _of_others(self, perceived: PerceivedState) -> Iterator[float]:
        """What a person perceives: where they are, who is there or was seen nearby, and what others seem to know."""
        scenario = self._scenario
        yield from (perceived.room == room for room in scenario.rooms)
        yield from (getattr(perceived, flag) for flag in _FLAGS)
        yield perceived.course_served is not None
        for other in self._others:
            yield other in perceived.visible_agents
            yield other in perceived.shaken
            yield from (other in perceived.occupants.get(room, ()) for room in scenario.rooms)
            yield from ((other, secret) in perceived.known_by for secret in scenario.secrets)
