"""The scribe: applies the changes of one event, and records them together with its strains."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from volition.core.chance import stream, uid, uniform, word
from volition.drama.rules.passing import grievance_after, spread
from volition.drama.rules.physics import affection_after, clash_stress, emotion_after, trust_after
from volition.drama.stage.changes import value, write
from volition.drama.stage.events import Delta, Strain
from volition.drama.world.model import DEPARTED

if TYPE_CHECKING:
    from volition.drama.rules.tables import Tables
    from volition.drama.world.model import AgentState, Secret, WorldState


class EventScribe:
    """Applies and records what one event does; there is one scribe per event, and `details` become part of the event."""

    def __init__(self, world: WorldState, tables: Tables, seed: int) -> None:
        self.world, self.tables, self.seed = world, tables, seed
        self.deltas: list[Delta] = []
        self.strains: list[Strain] = []
        self.details: dict[str, Any] = {}

    def change(
        self, kind: str, agent: str, after: Any, reason: str, key: Any = None, attribute: str | None = None
    ) -> None:
        """Set a part of the state; without a change nothing is recorded."""
        before = value(self.world, kind, agent, key, attribute)
        if before != after:
            delta = Delta(kind, agent, key, before, after, reason, attribute)
            self.deltas.append(delta)
            write(self.world, delta)

    def strain(self, agent: str, number: str, amount: float, reason: str) -> None:
        """Strain somebody's pacing; it is applied at the end of the tick."""
        if amount:
            self.strains.append(Strain(agent, number, amount, reason))

    def trust(self, who: str, whom: str, change: float, reason: str) -> None:
        bond = self.world.agents[who].bonds[whom]
        self.change("bond", who, trust_after(bond.trust, change, self.tables.physics), reason, whom, "trust")

    def affection(self, who: str, whom: str, change: float, reason: str) -> None:
        bond = self.world.agents[who].bonds[whom]
        self.change("bond", who, affection_after(bond.affection, change), reason, whom, "affection")

    def emotion(self, who: str, emotion: str, change: float, reason: str) -> None:
        felt = emotion_after(self.world.agents[who].emotions[emotion], change)
        self.change("emotion", who, felt, reason, emotion)

    def grievance(self, who: str, whom: str, change: float, reason: str) -> None:
        """Change somebody's grievance against another, and record its peak."""
        me = self.world.agents[who]
        after = grievance_after(me.grievance.get(whom, 0.0), change)
        self.change("grievance", who, after or None, reason, whom)
        if after > me.peaks.get(whom, 0.0):
            self.change("peaks", who, after, reason, whom)

    def ground(self, who: str, whom: str, reason: str) -> None:
        """Give somebody another reason to confront somebody."""
        self.change("grounds", who, self.world.agents[who].grounds.get(whom, 0) + 1, reason, whom)

    def glass(self, who: str, reason: str) -> None:
        """Let somebody drink a glass, which also adds to the scenario's `glass_need`."""
        me, tables = self.world.agents[who], self.tables
        self.change("alcohol", who, min(1.0, me.alcohol + tables.acts.glass), reason)
        self.strain(who, "drinks", 1, reason)
        first = self.world.scenario.evening.glass_need
        if tables.departures.needs and first is not None:
            self.change("needs", who, me.needs[first] + tables.wants.glass_relief, reason, first)

    def clash(self, room: str, between: frozenset[str], reason: str) -> None:
        """Strain those who take part in a confrontation or an outburst, witness it, or overhear it."""
        rooms = self.world.scenario.rooms
        for me in self.here():
            overhears = room in rooms[me.location].overhears
            amount = clash_stress(me.id in between, me.location == room, overhears, self.tables.physics)
            self.strain(me.id, "stress", amount, reason)

    def here(self) -> list[AgentState]:
        """Everybody who has not left."""
        return [me for me in self.world.agents.values() if me.location != DEPARTED]

    def in_room(self, room: str) -> list[str]:
        """Everybody in a room."""
        return [me.id for me in self.world.agents.values() if me.location == room]

    def share(self, who: str, purpose: str, what: str = "") -> float:
        """A random number in [0, 1) that depends on this tick, person, purpose and thing alone."""
        return draw_share(self.seed, self.world.tick, who, purpose, what)

    def between(self, least: float, most: float, who: str, purpose: str, what: str = "") -> float:
        """A random number between two bounds, drawn in the same way."""
        return spread(least, most, self.share(who, purpose, what))

    def held_by(self, person: str) -> list[Secret]:
        """The secrets that somebody holds, weightiest first."""
        held = [secret for secret in self.world.scenario.secrets.values() if person in secret.holders]
        return sorted(held, key=lambda secret: -secret.weight)


def draw_share(seed: int, tick: int, who: str, purpose: str, what: str) -> float:
    """A random number in [0, 1) that is a function of its purpose."""
    return uniform(word(stream(seed, tick, uid(who), uid(purpose)), uid(what)))
