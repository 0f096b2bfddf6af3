"""The stage: an evening in motion, tick by tick, with everything that happens written down.

The laws of `drama.evening` let a tick pass. The stage adds what they know nothing of: records with names and causes,
interference, and minds that are asked in place of the laws.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from volition.drama.evening.choose import choose, take
from volition.drama.evening.log import clear_log, new_log
from volition.drama.evening.perceive import Perceived, perceive
from volition.drama.evening.record import new_plain
from volition.drama.evening.tick import begin_tick, carry_out, decides, draw_needs
from volition.drama.evening.views import CHAT_TO_ALL, person_of, state_of, world_of
from volition.drama.evening.weigh import Desk
from volition.drama.mind.perception import perceived_of
from volition.drama.stage.changes import forget, remember
from volition.drama.stage.codec import LogReader
from volition.drama.stage.interference import apply_interference, set_by_hand

if TYPE_CHECKING:
    from collections.abc import Callable

    from volition.arbitration import Decision
    from volition.drama.mind.mind import Mind
    from volition.drama.mind.perception import PerceivedState
    from volition.drama.stage.causes import Causes
    from volition.drama.stage.events import Delta, TickRecord
    from volition.drama.stage.interference import Interference
    from volition.drama.world.model import Action, AgentState, WorldState

    Decide = Callable[[AgentState, PerceivedState], Decision[Action]]


class Stage:
    """An evening in motion, from any state of it. `decide` may be given to observe or to interfere.

    Where nobody's mind differs from the laws, these choose alone. A mind with custom terms, `decide`, and whoever is
    forbidden or forced something, are asked, once for everybody present; what they answer is explained like any decision.
    """

    def __init__(
        self,
        world: WorldState,
        mind: Mind,
        seed: int,
        causes: Causes,
        count: int = 0,
        interference: tuple[Interference, ...] = (),
        decide: Decide | None = None,
    ) -> None:
        self.mind, self.seed, self.interference, self.house = mind, seed, interference, mind.house
        self.evening = state_of(world, seed, mind.names)
        draw_needs(self.evening, self.house)
        self._decide = decide
        self._log = new_log(mind.sizes)
        self._seen, self._desk = new_plain(Perceived, mind.sizes), new_plain(Desk, mind.sizes)
        self._reader = LogReader(mind.scenario, self.house, causes, count, mind.names)
        self._recent = world.recent

    @property
    def world(self) -> WorldState:
        """The state now, as objects; what is done to them changes nothing here."""
        return world_of(self.evening, self.mind.scenario, self._recent, self.mind.names)

    @property
    def count(self) -> int:
        """How many events there were."""
        return self._reader.count

    def interfere(self) -> tuple[Delta, ...]:
        """Apply what is set by hand at this tick."""
        clear_log(self._log)
        for one in self.interference:
            if one.at == self.evening.tick and one.kind == "set":
                set_by_hand(self.evening, self._log, self.mind.names, one)
        return tuple(self._reader.deltas(self._log, 0, self._log.deltas))

    def tick(self) -> TickRecord:
        """Play one tick."""
        evening, house, log = self.evening, self.house, self._log
        tick, minutes, by_hand = evening.tick, evening.minutes, self.interfere()
        begin_tick(evening, house, log)
        self._choose()
        carry_out(evening, house, log)
        record = self._reader.tick(evening, log, tick, minutes, by_hand)
        self._recent = forget([*self._recent, *map(remember, record.events)], evening.tick, self.mind.scenario)
        return record

    def decision_of(self, agent: str) -> Decision[Action]:
        """What somebody would choose now, given what is forbidden or forced; what is set by hand is set already."""
        who = self.mind.names.person[agent]
        perceive(self.evening, self.house, who, self._seen)
        return self._ask(who)

    def _choose(self) -> None:
        """Let everybody who decides do so, from the same state."""
        evening, house = self.evening, self.house
        asks = self._decide is not None or not self.mind.is_plain
        by_hand = {one.agent for one in self.interference if one.at == evening.tick and one.kind != "set"}
        for who, id in enumerate(self.mind.names.people):
            if decides(evening, who):
                perceive(evening, house, who, self._seen)
                if not asks and id not in by_hand:
                    choose(evening, house, who, self._seen, self._desk)
                else:
                    tally = self._ask(who).tally
                    if tally.winner is not None:
                        self._take(tally.left[tally.winner], tally.totals[tally.winner])

    def _ask(self, who: int) -> Decision[Action]:
        """What somebody answers, who has just perceived."""
        mind, evening = self.mind, self.evening
        me = person_of(evening, who, mind.names)
        perceived = perceived_of(evening, who, self._seen, mind.scenario, mind.names)
        if self._decide is not None:
            return self._decide(me, perceived)
        given = [
            one for one in self.interference if one.at == evening.tick and one.agent == me.id and one.kind != "set"
        ]
        composite = apply_interference(mind, given) if given else None
        sheet = mind.weigh(evening, who, self._seen, self.seed, me, perceived)
        return mind.choose(me, perceived, self.seed, composite, sheet)

    def _take(self, action: Action, score: float) -> None:
        """Write down what somebody chose; a word to all is meant for those whom it names."""
        names = self.mind.names
        met = sum(1 << names.person[other] for other in action.target_agents) if action.id == CHAT_TO_ALL else 0
        take(self.evening, self.house, names.person[action.agent_id], met, names.act[action.id], score)
