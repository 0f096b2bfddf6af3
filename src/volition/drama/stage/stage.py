"""The stage: an evening in motion, tick by tick, with everything that happens written down.

The laws of `drama.evening` let a tick pass. The stage adds what they know nothing of: records with names and causes,
interference, minds that are asked in place of the laws, or are given to the people they play, and counsel: what minds from
outside said, of whom the stage itself asks none.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from msgspec import Struct, structs

from volition.arbitration import CompositeIntention, Constraint, Decision, arbitrate
from volition.arbitration.intent import label_of
from volition.drama.evening.choose import choose, take
from volition.drama.evening.log import clear_log, new_log
from volition.drama.evening.names import CHAT_TO_ALL
from volition.drama.evening.perceive import Perceived, perceive, perceive_person, survey
from volition.drama.evening.person import AgentState
from volition.drama.evening.record import new_plain
from volition.drama.evening.tick import begin_tick, carry_out, decides, draw_needs
from volition.drama.evening.weigh import ScoreSheet
from volition.drama.evening.world import WorldState
from volition.drama.mind.custom import PLAYED, OfferedActs, Taken, ask_mind, offer_of, wish_taken
from volition.drama.mind.mind import GATES
from volition.drama.mind.outside import voice_of
from volition.drama.mind.perception import PerceivedState, perceived_of
from volition.drama.mind.wishes import LEAVE_ACT, Wish, companions_of, read_wish, wishes_of
from volition.drama.rules.catalog import CHAT
from volition.drama.stage.codec import LogReader
from volition.drama.stage.interference import Interference, apply_interference, set_by_hand
from volition.drama.stage.record import PLAYER, answers_of
from volition.drama.stage.state import forget, remember

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from collections.abc import Set as AbstractSet

    from volition.arbitration.tally import Tally
    from volition.drama.mind.mind import Appraisal, Mind
    from volition.drama.mind.outside import Advice
    from volition.drama.stage.causes import Causes
    from volition.drama.stage.events import Delta, Event, TickRecord
    from volition.drama.world.model import Action, Scenario
    from volition.minds.contract import Asked


class Counsel(Protocol):
    """Who knows what minds from outside say: the minds themselves, or the record of an evening."""

    def advise(self, stage: Stage, without: AbstractSet[str]) -> Mapping[str, Advice]:
        """What the mind of everybody who has one says at this tick, which has begun; people `without` one are left out."""

    def follow(self, record: TickRecord) -> None:
        """A tick was played."""


class Stage:
    """An evening in motion, from any state of it.

    Where nobody's mind differs from the laws, these choose alone. A mind with custom terms is asked, and so is the
    mind of anyone who is forbidden or forced something, or is played: once for everybody present. The answer is
    explained like any decision.
    """

    def __init__(
        self,
        world: WorldState,
        mind: Mind,
        seed: int,
        causes: Causes,
        count: int = 0,
        interference: tuple[Interference, ...] = (),
        counsel: Counsel | None = None,
    ) -> None:
        self.mind, self.seed, self.interference, self.tables = mind, seed, interference, mind.tables
        self.counsel = counsel
        self.evening = world.state(seed)
        self._world = WorldState(self.evening, mind.names, world.recent)
        draw_needs(self.evening, self.tables)
        self._log = new_log(mind.sizes)
        self._seen, self._sheet = new_plain(Perceived, mind.sizes), new_plain(ScoreSheet, mind.sizes)
        self._reader = LogReader(mind.scenario, self.tables, causes, count, mind.names)
        self._by_hand: tuple[Delta, ...] | None = None

    @property
    def world(self) -> WorldState:
        """The state now, which the next tick changes: read it, and copy what is kept."""
        return self._world

    @property
    def count(self) -> int:
        """How many events there were."""
        return self._reader.count

    def open_tick(self) -> tuple[Delta, ...]:
        """Begin a tick, unless it has begun: what is set by hand is set, and it is known who breaks.

        What a person was told strains them in this tick, so it is told after the strains of the last one are cleared.
        """
        if self._by_hand is None:
            set_now = self._interfere(told=False)
            begin_tick(self.evening, self.tables, self._log)
            self._by_hand = set_now + self._interfere(told=True)
            clear_log(self._log)
        return self._by_hand

    def _interfere(self, *, told: bool) -> tuple[Delta, ...]:
        """Apply what is set by hand at this tick, of what people were told or of the rest."""
        clear_log(self._log)
        for setting in self.interference:
            if setting.at == self.evening.tick and setting.kind == "set" and (setting.by is not None) == told:
                set_by_hand(self.evening, self.tables, self._log, self.mind.names, setting)
        return tuple(self._reader.deltas(self._log, 0, self._log.deltas))

    def tick(self, acts: Mapping[str, str] | None = None) -> TickRecord:
        """Play one tick, in which the acts of some people may be given."""
        evening, tables, log = self.evening, self.tables, self._log
        tick, minutes, by_hand = evening.tick, evening.minutes, self.open_tick()
        chosen = self._choose(acts or {})
        carry_out(evening, tables, log)
        record = self._reader.tick(evening, log, tick, minutes, by_hand)
        if wishes := chosen.wishes:
            marked = (mark_event(self.mind.scenario, event, wishes.get(event.source)) for event in record.events)
            wished = {who: wish.id for who, wish in wishes.items()}
            record = structs.replace(record, events=tuple(marked), wishes=wished)
        recent = [*self._world.recent, *map(remember, record.events)]
        self._world.recent = forget(recent, evening.tick, self.mind.scenario)
        self._by_hand = None
        if chosen.played or chosen.said or chosen.asked:
            record = structs.replace(record, played=tuple(chosen.played), said=chosen.said, asked=chosen.asked)
        if self.counsel is not None:
            self.counsel.follow(record)
        return record

    def offer(self, agent: str) -> OfferedActs | None:
        """What `agent` may choose from in this tick, which begins; None for who has left, or breaks."""
        who = self.mind.names.person[agent]
        self.open_tick()
        if not decides(self.evening, who):
            return None
        perceive(self.evening, self.tables, who, self._seen)
        return self._offer(who, self._weigh(who), self._composite(agent))

    def decision_of(self, agent: str) -> Decision[Action]:
        """What `agent` would choose now, given what is forbidden or forced; what is set by hand is set already."""
        who = self.mind.names.person[agent]
        advice = self._advice({*self.mind.names.people} - {agent}).get(agent)
        perceive(self.evening, self.tables, who, self._seen)
        return self._ask(who, advice=advice)

    def _advice(self, without: AbstractSet[str]) -> Mapping[str, Advice]:
        """What minds from outside say now; nobody is asked whose act is forced, and nobody of those `without` one."""
        if self.counsel is None:
            return {}
        forced = {each.agent for each in self._interference_for() if each.kind == "force"}
        return self.counsel.advise(self, without | forced)

    def _choose(self, acts: Mapping[str, str]) -> TickChoices:
        """Let everybody who decides do so, from the same state."""
        evening, tables, mind, chosen = self.evening, self.tables, self.mind, TickChoices()
        advice = self._advice(acts.keys())
        asked = {each.agent for each in self._interference_for()} | mind.minds.keys() | acts.keys() | advice.keys()
        custom = {each.id for each in mind.custom if each.id in mind.composite}
        survey(evening, tables, self._seen)
        for who, id in enumerate(mind.names.people):
            if decides(evening, who):
                perceive_person(evening, tables, who, self._seen)
                if mind.is_plain and id not in asked:
                    choose(evening, tables, who, self._seen, self._sheet)
                    self._look(who)
                    continue
                tally = self._ask(who, acts.get(id), advice.get(id)).tally
                if tally.winner is not None:
                    self._take(tally.left[tally.winner], tally.totals[tally.winner])
                    self._look(who, tally)
                    wish = wish_taken(tally.composite)
                    if wish is not None:
                        self._grant(who, wish)
                        chosen.wishes[id] = wish
                if PLAYED in tally.composite:
                    chosen.played.append(id)
                if answers := answers_of(tally, custom):
                    chosen.said[id] = answers
                if id in advice:
                    chosen.asked[id] = advice[id].asked
        return chosen

    def _look(self, who: int, tally: Tally | None = None) -> None:
        """What a stage that measures looks at: `who` has chosen, by the laws or by a mind whose tally this is."""

    def _ask(self, who: int, act: str | None = None, advice: Advice | None = None) -> Decision[Action]:
        """What `who` answers, who has just perceived; an act or a wish that is given is taken, and advice is heard."""
        mind, id = self.mind, self.mind.names.people[who]
        appraisal, composite, by, reason = self._weigh(who), self._composite(id), PLAYER, ""
        if advice is not None:
            composite = composite.with_intention(voice_of(advice))
            if advice.voice.chooses and not advice.asked.fallback:
                act, by, reason = advice.asked.choice, advice.voice.label, advice.asked.reason
        elif act is None and id in mind.minds and not self._is_forced(id):
            act, by = ask_mind(mind.minds[id], self._offer(who, appraisal, composite)), label_of(mind.minds[id])
        if act is not None:
            wish = read_wish(act)
            if wish is not None and wish.kind == "lie":
                wish = wish if appraisal.is_gated else None
                composite = composite if wish is None else composite.without(GATES)
            elif wish is not None and wish.kind == "leave":
                appraisal = self._weigh(who, leaving=True)
            taken = Taken(act if wish is None else wish.act, by, wish, reason)
            composite = composite.with_intention(Constraint(PLAYED, taken))
        return mind.choose(appraisal.me, appraisal.perceived, self.seed, composite, appraisal)

    def _grant(self, who: int, wish: Wish) -> None:
        """Write down what a wish adds to the act that it became."""
        names = self.mind.names
        if wish.kind == "ask" and wish.secret is not None:
            self.evening.asks[who] = names.secret[wish.secret]
        elif wish.kind == "leave":
            self.evening.leads[who] = names.person[wish.whom]

    def _offer(self, who: int, appraisal: Appraisal, composite: CompositeIntention) -> OfferedActs:
        """What `who` may choose from; it holds copies, so that nothing can be changed by it."""
        own = arbitrate(appraisal.actions, composite, context=appraisal, version=appraisal.perceived.tick)
        wishes = self._wishes(who, composite, own.tally) if self.tables.departs != 0 else ()
        return offer_of(self._person(who), self._perceive(who), own, wishes)

    def _wishes(self, who: int, composite: CompositeIntention, tally: Tally) -> Iterator[Wish]:
        """What `who` may wish; leaving is judged like any act, where there is somebody who would come along."""
        companions = companions_of(self.evening, self.tables, who)
        if companions:
            appraisal = self._weigh(who, leaving=True)
            (leave,) = (action for action in appraisal.actions if action.id == LEAVE_ACT)
            companions = companions if arbitrate([leave], composite, context=appraisal).id == LEAVE_ACT else []
        people = self.mind.names.people
        return wishes_of(
            self.mind.scenario, self._person(who), tally, GATES, [people[companion] for companion in companions]
        )

    def _weigh(self, who: int, *, leaving: bool = False) -> Appraisal:
        """Everything that `who` may do, who has just perceived; `leaving` too if that is wished."""
        me, perceived = self._person(who), self._perceive(who)
        return self.mind.weigh(self.evening, who, self._seen, self.seed, me, perceived, leaving=leaving)

    def _person(self, who: int) -> AgentState:
        """A copy of a person, which later ticks do not change."""
        return AgentState(self.evening, who, self.mind.names).copy()

    def _perceive(self, who: int) -> PerceivedState:
        return perceived_of(self.evening, who, self._seen, self.mind.scenario, self.mind.names)

    def _composite(self, agent: str) -> CompositeIntention:
        """By whom `agent`'s acts are judged now: the mind, and what is forbidden or forced."""
        interference = self._interference_for(agent)
        return apply_interference(self.mind, interference) if interference else self.mind.composite

    def _interference_for(self, agent: str | None = None) -> list[Interference]:
        """What is forbidden or forced at this tick, to `agent` or to all."""
        tick = self.evening.tick
        return [
            each for each in self.interference if each.at == tick and each.kind != "set" and agent in (None, each.agent)
        ]

    def _is_forced(self, agent: str) -> bool:
        return any(each.kind == "force" for each in self._interference_for(agent))

    def _take(self, action: Action, score: float) -> None:
        """Write down what a person chose; a word to all is meant for those whom it names."""
        names = self.mind.names
        met = sum(1 << names.person[other] for other in action.target_agents) if action.id == CHAT_TO_ALL else 0
        take(self.evening, self.tables, names.person[action.agent_id], met, names.act[action.id], score)


class TickChoices(Struct):
    """What came of the choices of a tick beside the acts: who was played, what custom intentions and minds from outside
    said, and wishes."""

    played: list[str] = []
    said: dict[str, dict[str, dict[str, Any]]] = {}
    wishes: dict[str, Wish] = {}
    asked: dict[str, Asked] = {}


def mark_event(scenario: Scenario, event: Event, wish: Wish | None) -> Event:
    """An event with what a wish of its source made it about: a topic, or what somebody was asked about in vain."""
    if wish is None or event.type != CHAT or event.targets != (wish.whom,) or "known" in event.details:
        return event
    more: dict[str, str] = {}
    topic = wish.topic
    if wish.kind == "ask" and "question" not in event.details and wish.secret is not None:
        more["wondered"] = wish.secret
        topic = scenario.secrets[wish.secret].about
    if topic is not None and topic not in event.participants:
        more["topic"] = topic
    return structs.replace(event, details={**event.details, **more}) if more else event
