"""One tick: who breaks, what everybody else chooses, what comes of it, and what changes at its end."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from volition.drama.mind.mind import chosen_action
from volition.drama.mind.perception import perceive
from volition.drama.rules.catalog import (
    CATASTROPHE,
    CONFIDE,
    CONFLICT,
    INTERNAL,
    LIE,
    OBSERVE,
    REVEAL,
    SOCIAL_MOVE,
    EventType,
)
from volition.drama.rules.passing import tick_length
from volition.drama.stage.acts import perform
from volition.drama.stage.breaking import burst, find_breaking
from volition.drama.stage.changes import forget, remember
from volition.drama.stage.events import Choice, Event, TickRecord
from volition.drama.stage.interference import apply_interference, set_by_hand
from volition.drama.stage.learning import hint
from volition.drama.stage.resolution import Resolved, downgrade, resolve
from volition.drama.stage.scribe import EventScribe
from volition.drama.stage.service import serve
from volition.drama.stage.settle import settle
from volition.drama.world.model import DEPARTED

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from volition.arbitration import Decision
    from volition.drama.mind.mind import Mind
    from volition.drama.mind.perception import PerceivedState
    from volition.drama.stage.causes import Causes
    from volition.drama.stage.events import Delta
    from volition.drama.stage.interference import Interference
    from volition.drama.world.model import Action, AgentState, WorldState

_CLASH, _EXCHANGE = frozenset({CONFLICT, REVEAL}), frozenset({CONFIDE, LIE, SOCIAL_MOVE})
_HEARD = ("secret", "forced", "told")
"""Where an event names a secret that somebody within earshot may overhear."""


class Stage:
    """A world in motion. `decide` may be replaced to observe or to interfere; it is called once for everybody present.

    `propose` may decide for all of them at once: it gets the world and those who break, and returns everybody else's
    choice with score and priority class, in the order of the world's people. Then `decide` is not called, and there is no
    interference.
    """

    def __init__(
        self,
        world: WorldState,
        mind: Mind,
        seed: int,
        causes: Causes,
        count: int = 0,
        interference: tuple[Interference, ...] = (),
        decide: Callable[[AgentState, PerceivedState], Decision[Action]] | None = None,
        propose: Callable[[WorldState, list[str]], list[Action]] | None = None,
    ) -> None:
        self.world, self.mind, self.seed, self.causes, self.count = world, mind, seed, causes, count
        self.interference = interference
        self.decide, self.propose = decide or self.decision, propose

    def decision(self, me: AgentState, perceived: PerceivedState) -> Decision[Action]:
        """What somebody chooses now, given what was forbidden or forced."""
        given = [one for one in self._now() if one.agent == me.id and one.kind != "set"]
        return self.mind.choose(me, perceived, self.seed, apply_interference(self.mind, given) if given else None)

    def _now(self) -> list[Interference]:
        return [one for one in self.interference if one.at == self.world.tick]

    def interfere(self) -> tuple[Delta, ...]:
        """Apply what is set by hand at this tick."""
        hand = EventScribe(self.world, self.mind.tables, self.seed)
        for one in self._now():
            if one.kind == "set":
                set_by_hand(hand, one)
        return tuple(hand.deltas)

    def tick(self) -> TickRecord:
        """Play one tick."""
        world, tables = self.world, self.mind.tables
        began, minutes = world.tick, world.minutes
        by_hand = self.interfere()
        broken = find_breaking(world, tables)
        proposals = self._proposals(broken)
        settled = resolve(world, proposals, broken, tables, self.seed)
        events: list[Event] = []
        for who in broken:
            events += self._burst(who, len(events))
        choices: dict[str, Choice] = {}
        for resolved in settled:
            done = self._still_possible(resolved)
            choices[resolved.proposed.agent_id] = _choice(done)
            events += self._perform(done.action, len(events))
        length = self._length(events)
        after = self._settle(events, length, choices)
        chosen_by = dict(sorted(choices.items()))
        return TickRecord(began, minutes, length, chosen_by, tuple(events), after, by_hand)

    def _proposals(self, broken: list[str]) -> list[Action]:
        if self.propose is not None:
            return self.propose(self.world, broken)
        proposals = []
        for me in self.world.agents.values():
            if me.location != DEPARTED and me.id not in broken:
                decision = self.decide(me, perceive(self.world, me.id, self.mind.tables))
                action = chosen_action(decision, me, self.mind)
                if action is not None:
                    proposals.append(action)
        return proposals

    def _still_possible(self, resolved: Resolved) -> Resolved:
        """Downgrade an act whose target or focus has just left the room."""
        action, agents = resolved.action, self.world.agents
        targets = action.target_agents
        if action.focus is not None and agents[action.focus].location != action.location_id:
            return Resolved(resolved.proposed, downgrade(action), "gone")
        here = tuple(other for other in targets if agents[other].location == action.location_id)
        if len(here) == len(targets):
            return resolved
        if here:
            return resolved._replace(action=action._replace(target_agents=here))
        return Resolved(resolved.proposed, downgrade(action), "gone")

    def _burst(self, who: str, order: int) -> Iterator[Event]:
        scribe = EventScribe(self.world, self.mind.tables, self.seed)
        room = self.world.agents[who].location
        targets = tuple(other for other in scribe.in_room(room) if other != who)
        causes = self.causes.of(self.world.tick, CATASTROPHE, who, targets, room, None)
        burst(scribe, who)
        yield from self._event(scribe, CATASTROPHE, who, targets, room, order, causes)

    def _perform(self, action: Action, order: int) -> Iterator[Event]:
        """Perform an act. It is no event if nobody could notice it and it changed nothing."""
        kind = action.action_type
        if kind == INTERNAL:
            return
        scribe = EventScribe(self.world, self.mind.tables, self.seed)
        source, targets, room = action.agent_id, action.target_agents, action.location_id
        causes = self.causes.of(self.world.tick, kind, source, targets, room, action.secret_id)
        perform(scribe, action)
        if kind == OBSERVE and not scribe.deltas:
            return
        fields = {part: getattr(action, part) for part in ("focus", "destination", "manner")}
        yield from self._event(scribe, kind, source, targets, room, order, causes, secret=action.secret_id, **fields)

    def _event(
        self,
        scribe: EventScribe,
        kind: EventType,
        source: str,
        targets: tuple[str, ...],
        room: str,
        order: int,
        causes: tuple[str, ...],
        **fields: Any,
    ) -> Iterator[Event]:
        """The event that a scribe has recorded, and those of the people who overhear it."""
        world = self.world
        parties = {source, *targets}
        witnesses = tuple(who for who in scribe.in_room(room) if who not in parties)
        secrets = [scribe.details.get(part) or fields.get(part) for part in _HEARD] if kind != LIE else []
        heard = [(who, secret) for secret in secrets if secret for who in self._eavesdroppers(room, source)]
        event = Event(
            self._id(), world.tick, world.minutes, order, kind, source, targets, room, causes,
            tuple(scribe.deltas), tuple(scribe.strains), witnesses, tuple(dict.fromkeys(who for who, _ in heard)),
            details=scribe.details, **fields,
        )  # fmt: skip
        self._keep(event)
        yield event
        for who, secret in heard:
            listening = EventScribe(world, self.mind.tables, self.seed)
            if hint(listening, who, world.scenario.secrets[secret], "overheard"):
                order += 1
                place = world.agents[who].location
                listening.details["heard"] = event.id
                listened = Event(
                    self._id(), world.tick, world.minutes, order, OBSERVE, who, (), place, (event.id,),
                    tuple(listening.deltas), tuple(listening.strains), secret=secret, details=listening.details,
                )  # fmt: skip
                self._keep(listened)
                yield listened

    def _eavesdroppers(self, room: str, source: str) -> Iterator[str]:
        """The people elsewhere who overhear what is said in a room."""
        scribe = EventScribe(self.world, self.mind.tables, self.seed)
        for me in scribe.here():
            chance = self.world.scenario.rooms[me.location].overhears.get(room, 0.0)
            if chance and me.id != source and scribe.share(me.id, "overhear", source) < chance:
                yield me.id

    def _id(self) -> str:
        self.count += 1
        return f"e{self.count:04}"

    def _keep(self, event: Event) -> None:
        self.causes.add(event)
        remember(self.world, event)

    def _length(self, events: list[Event]) -> float:
        kinds = {event.type for event in events}
        scale, time = self.world.scenario.evening.time_scale, self.mind.tables.time
        return tick_length(CATASTROPHE in kinds, bool(kinds & _CLASH), bool(kinds & _EXCHANGE), scale, time)

    def _settle(self, events: list[Event], length: float, choices: dict[str, Choice]) -> tuple[Delta, ...]:
        """Settle the end of the tick, and return its deltas."""
        world, scribe = self.world, EventScribe(self.world, self.mind.tables, self.seed)
        settle(scribe, events)
        for me in scribe.here():
            scribe.change("recent", me.id, self._recent(me, choices), "end of tick")
        scribe.change("world", "", world.minutes + length, "end of tick", "minutes")
        scribe.change("world", "", world.tick + 1, "end of tick", "tick")
        serve(scribe)
        forget(world)
        return tuple(scribe.deltas)

    def _recent(self, me: AgentState, choices: dict[str, Choice]) -> tuple[tuple[int, str], ...]:
        """Recent acts; an act that was downgraded is remembered as what it became."""
        ticks = self.mind.tables.departures.recency_ticks
        kept = [act for act in me.recent if self.world.tick - act[0] < ticks]
        choice = choices.get(me.id)
        if choice is not None:
            kept.append((self.world.tick, choice.id if choice.became == "done" else choice.became))
        return tuple(kept)


def _choice(resolved: Resolved) -> Choice:
    proposed, action = resolved.proposed, resolved.action
    assert proposed.utility_score is not None
    assert proposed.priority_class is not None
    became = "done" if action.id == proposed.id else action.id
    return Choice(proposed.id, proposed.utility_score, proposed.priority_class, became, resolved.because)
