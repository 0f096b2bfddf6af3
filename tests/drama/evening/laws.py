"""The laws of an evening, asked of worlds of objects: a world becomes a state, a law acts on it, and the world follows."""

from __future__ import annotations

from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, NamedTuple, TypeVar

import pytest

from volition.core.chance import uid
from volition.drama.evening import acts, breaking, changes, learning, quarrel, resolve, stance, talk
from volition.drama.evening import ending as endings
from volition.drama.evening import settle as settling
from volition.drama.evening.choose import take
from volition.drama.evening.log import PART_ROOM, REASONS, begin_event, end_event, new_log
from volition.drama.evening.record import NONE, copy_plain, copy_value, parts_of
from volition.drama.evening.resolve import OBSTACLES
from volition.drama.evening.state import EveningState
from volition.drama.evening.tables import PURPOSES
from volition.drama.evening.tick import draw_needs
from volition.drama.mind.mind import Mind
from volition.drama.rules.catalog import CHAT, EMOTIONS
from volition.drama.rules.catastrophe import Breakdown
from volition.drama.stage.codec import LogReader
from volition.drama.stage.run import ending as told_ending

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from typing import Any

    from volition.drama.evening.log import EveningLog
    from volition.drama.evening.tables import ScenarioTables
    from volition.drama.evening.world import WorldState
    from volition.drama.rules.tables import Tables
    from volition.drama.stage.events import Delta, Ending, Strain
    from volition.drama.world.model import Action, Scenario, Secret

    Law = Callable[[EveningState, ScenarioTables, EveningLog], "T"]

T = TypeVar("T")

_MINDS: dict[int, Mind] = {}
_WHY = REASONS.index("talked")
"""The reason of a change for which any reason will do."""


def mind_of(scenario: Scenario) -> Mind:
    """The mind of a scenario, made once; it keeps the scenario alive, so that its id is not reused."""
    return _MINDS.get(id(scenario)) or _MINDS.setdefault(id(scenario), Mind(scenario))


def around(chance: float) -> list[tuple[float, bool]]:
    """Numbers just below and just above a chance, as far as they can be drawn, and whether what has it then happens."""
    nearly = ((chance - 1e-9, True), (chance + 1e-9, False))
    return [(drawn, happens) for drawn, happens in nearly if 0.0 <= drawn < 1.0]


@contextmanager
def drawing(number: float) -> Iterator[None]:
    """Whatever happens with a chance draws this number for it."""
    with pytest.MonkeyPatch.context() as patch:
        for room in (acts, changes, learning, quarrel, talk):
            patch.setattr(room, "draw", lambda *_: number)
        yield


def follow(world: WorldState, evening: EveningState) -> None:
    """Let a world be as a state is; views of it that tests hold follow too."""
    for part in parts_of(EveningState):
        now = getattr(evening, part.name)
        if part.delta is None:
            continue
        if not part.shape:
            setattr(world.evening, part.name, now)
        elif part.name in ("recent_act", "recent_tick") or len(part.shape) == 1:
            getattr(world.evening, part.name)[:] = copy_value(now, len(part.shape))
        else:
            _write_rows(getattr(world.evening, part.name), now)


def _write_rows(rows: list[Any], now: list[Any]) -> None:
    for row, entries in zip(rows, now, strict=True):
        if isinstance(entries[0] if entries else 0, list):
            _write_rows(row, entries)
        else:
            row[:] = entries


class Hand:
    """What laws did to a world: the deltas, strains and details that they wrote down."""

    def __init__(self, world: WorldState, seed: int = 1) -> None:
        self.world, self.seed, self.mind = world, seed, mind_of(world.scenario)
        self.deltas: list[Delta] = []
        self.strains: list[Strain] = []
        self.details: dict[str, Any] = {}

    @property
    def names(self) -> Any:
        return self.mind.names

    def state(self) -> EveningState:
        evening = self.world.state(self.seed)
        draw_needs(evening, self.mind.tables)
        return evening

    def lets(self, law: Law[T], *, begins: bool = False) -> T:
        """Let a law act, as part of an event unless it `begins` one, and the world follow."""
        tables, log, evening = self.mind.tables, new_log(self.mind.sizes), self.state()
        if not begins:
            begin_event(log)
        result = law(evening, tables, log)
        if not begins:
            end_event(log, CHAT, 0, 0, 0, NONE, 0, 0)
        log.settled = log.deltas
        if log.events:
            event = LogReader(self.mind.scenario, tables, names=self.names)._event(log, 0, evening.tick, 0.0, 0)
            self.deltas += event.deltas
            self.strains += event.strains
            self.details.update(event.details)
        follow(self.world, evening)
        return result

    def who(self, *ids: str) -> list[int]:
        return [self.names.person[id] for id in ids]

    def trust(self, who: str, whom: str, change: float) -> None:
        one, other = self.who(who, whom)
        self.lets(lambda evening, tables, log: changes.change_trust(evening, tables, log, one, other, change, _WHY))

    def affection(self, who: str, whom: str, change: float) -> None:
        one, other = self.who(who, whom)
        self.lets(lambda evening, tables, log: changes.change_affection(evening, log, one, other, change, _WHY))

    def grievance(self, who: str, whom: str, change: float) -> None:
        one, other = self.who(who, whom)
        self.lets(lambda evening, tables, log: changes.change_grievance(evening, log, one, other, change, _WHY))

    def emotion(self, who: str, emotion: str, change: float) -> None:
        (one,), felt = self.who(who), EMOTIONS.index(emotion)
        self.lets(lambda evening, tables, log: changes.change_emotion(evening, log, one, felt, change, _WHY))

    def ground(self, who: str, whom: str) -> None:
        one, other = self.who(who, whom)
        self.lets(lambda evening, tables, log: changes.add_ground(evening, log, one, other, _WHY))

    def glass(self, who: str) -> None:
        (one,) = self.who(who)
        self.lets(lambda evening, tables, log: changes.drink_glass(evening, tables, log, one, _WHY))

    def stress(self, who: str, amount: float) -> None:
        (one,) = self.who(who)
        self.lets(lambda evening, tables, log: changes.strain_stress(evening, log, one, amount, _WHY))

    def room(self, who: str, room: str) -> None:
        (one,), place = self.who(who), self.names.place[room]
        self.lets(lambda evening, tables, log: changes.set_own(log, evening.room, PART_ROOM, one, place, _WHY))

    def clash(self, room: str, between: Iterable[str]) -> None:
        parties, place = bits(self, between), self.names.place[room]
        source = min(self.who(*between))
        self.lets(
            lambda evening, tables, log: changes.strain_by_clash(evening, tables, log, place, source, parties, _WHY)
        )

    def share(self, who: str, purpose: str, what: str) -> float:
        (one,), number = self.who(who), PURPOSES.index(purpose)
        return changes.draw(self.state(), self.mind.tables, one, number, uid(what))

    def between(self, least: float, most: float, who: str, purpose: str, what: str) -> float:
        (one,), number = self.who(who), PURPOSES.index(purpose)
        return changes.draw_between(self.state(), self.mind.tables, least, most, one, number, uid(what))


def bits(hand: Hand, people: Iterable[str]) -> int:
    return sum(1 << who for who in hand.who(*people))


def perform(hand: Hand, action: Action) -> None:
    """Carry out an act."""
    (me,), met = hand.who(action.agent_id), bits(hand, action.target_agents)

    def law(evening: EveningState, tables: ScenarioTables, log: EveningLog) -> None:
        take(evening, tables, me, met, hand.names.act[action.id], 0.0)
        evening.became[me] = evening.choice[me]
        acts.perform(evening, tables, log, me)

    hand.lets(law, begins=True)


def tell(hand: Hand, secret: Secret, speaker: str, listeners: Iterable[str], *, exposes: bool = True) -> None:
    (who,), what, whom = hand.who(speaker), hand.names.secret[secret.id], bits(hand, listeners)
    hand.lets(lambda evening, tables, log: learning.tell(evening, tables, log, what, who, whom, exposes, _WHY))


def learn(hand: Hand, who: str, secret: Secret) -> None:
    (one,), what = hand.who(who), hand.names.secret[secret.id]
    hand.lets(lambda evening, tables, log: learning.learn(evening, tables, log, one, what, _WHY))


def hint(hand: Hand, who: str, secret: Secret) -> bool:
    (one,), what = hand.who(who), hand.names.secret[secret.id]
    return hand.lets(lambda evening, tables, log: learning.hint(evening, tables, log, one, what, _WHY))


def watch(hand: Hand, watcher: str, watched: str) -> list[str]:
    one, other = hand.who(watcher, watched)
    found = hand.lets(lambda evening, tables, log: learning.watch(evening, tables, log, one, other))
    return [secret for place, secret in enumerate(hand.names.secrets) if found >> place & 1]


def lie(hand: Hand, liar: str, target: str, secret: Secret) -> bool:
    (one, other), what = hand.who(liar, target), hand.names.secret[secret.id]
    return hand.lets(lambda evening, tables, log: learning.lie(evening, tables, log, one, other, what))


def burst(hand: Hand, who: str) -> None:
    (one,) = hand.who(who)
    hand.lets(lambda evening, tables, log: breaking.burst(evening, tables, log, one), begins=True)


def find_breaking(world: WorldState) -> list[str]:
    """Those who break, the likeliest first."""
    hand = Hand(world)
    evening = hand.state()
    breaking.find_breaking(evening, hand.mind.tables)
    return [hand.names.people[who] for who in evening.outburst_of[: evening.outbursts]]


def kind_of_breakdown(world: WorldState, who: str) -> str:
    hand = Hand(world)
    (one,) = hand.who(who)
    return Breakdown(breaking.kind_of_breakdown(hand.state(), hand.mind.tables, one)).name.lower()


def settle(hand: Hand) -> None:
    """Let a tick end in which nothing happened."""
    hand.lets(settling.settle)


def serve(hand: Hand) -> None:
    hand.lets(settling.call_for_service)


class Resolved(NamedTuple):
    """A proposal, what became of it, and why it gave way."""

    proposed: Action
    became: str
    because: str | None


def resolved(world: WorldState, actions: Sequence[Action], broken: Iterable[str], seed: int) -> list[Resolved]:
    """What becomes of proposals, in the order in which they are heard."""
    hand = Hand(world, seed)
    evening, tables, names = hand.state(), hand.mind.tables, hand.names
    evening.breaking = bits(hand, broken)
    proposed = {names.person[action.agent_id]: action for action in actions}
    for who, action in proposed.items():
        assert action.utility_score is not None
        take(evening, tables, who, 0, names.act[action.id], action.utility_score)
        assert evening.priority[who] == action.priority_class
    resolve.resolve(evening, tables)
    return [
        Resolved(proposed[who], names.acts[evening.became[who]], OBSTACLES[evening.because[who]] or None)
        for who in evening.order[: evening.proposals]
    ]


def is_public(world: WorldState, room: str) -> bool:
    hand = Hand(world)
    return stance.is_public(hand.mind.tables, hand.names.place[room])


def asks(law: Callable[[EveningState, ScenarioTables, int], bool], world: WorldState, who: str) -> bool:
    """What a law says of somebody."""
    hand = Hand(world)
    return law(hand.state(), hand.mind.tables, hand.names.person[who])


is_asked, is_upheld = partial(asks, stance.is_asked), partial(asks, stance.is_upheld)


def keeps_from(world: WorldState, who: str, other: str) -> bool:
    hand = Hand(world)
    return stance.keeps_from(hand.state(), hand.mind.tables, *hand.who(who, other))


def _with_rules(world: WorldState, rules: Tables | None) -> tuple[EveningState, ScenarioTables]:
    from volition.drama.evening.tables import ScenarioTables

    hand = Hand(world)
    tables = copy_plain(hand.mind.tables, ScenarioTables)
    tables.rules = rules or hand.mind.rules
    return hand.state(), tables


def stop_reason(world: WorldState, ticks: int, rules: Tables | None = None) -> str | None:
    """Why an evening stops now; other rules may be given."""
    return endings.STOPS[endings.stop_of(*_with_rules(world, rules), ticks)] or None


def ending(world: WorldState, why: str, rules: Tables | None = None) -> Ending:
    return told_ending(world.scenario, *_with_rules(world, rules), endings.STOPS.index(why))
