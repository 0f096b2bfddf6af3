"""An evening that can be asked: what happened, why, why not, and what if."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from volition.core.errors import BrokenRecord, InvalidInput, NotPossible, Problem, did_you_mean, refuse
from volition.core.ledger import verify as verify_ledger
from volition.drama.audience.narrator import transcript
from volition.drama.audience.summary import summary
from volition.drama.comparison import Comparison, compare, parted
from volition.drama.mind.mind import Mind
from volition.drama.mind.perception import perceive
from volition.drama.stage.archive import Recorder, load_run, other_rules
from volition.drama.stage.causes import Causes
from volition.drama.stage.interference import Interference, able, offered, parse_setting
from volition.drama.stage.record import RULES_VERSION, Run
from volition.drama.stage.replay import state_at
from volition.drama.stage.run import finish, run
from volition.drama.stage.tick import Stage
from volition.drama.world.model import DEPARTED

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from os import PathLike

    from volition.arbitration import Decision
    from volition.drama.audience.narrator import Narrator
    from volition.drama.audience.summary import Summary
    from volition.drama.stage.events import Ending, Event, TickRecord
    from volition.drama.world.model import Action, Scenario, WorldState


def verify_run(path: str | PathLike[str]) -> Evening:
    """A recorded evening of which everything holds: every byte of its ledger, and every tick when it is played again.

    Raises BrokenRecord at the first place that does not, InvalidInput where other rules made the run.
    """
    verify_ledger(path).raise_if_broken()
    evening = Evening.load(path)
    evening.verify()
    return evening


def play(
    scenario: Scenario,
    seed: int,
    *,
    ticks: int | None = None,
    on_tick: Callable[[WorldState, TickRecord], None] | None = None,
) -> Evening:
    """Play an evening to its ending, or for at most so many ticks; the same scenario and seed, the same evening."""
    mind = Mind(scenario)
    return Evening(run(scenario, seed, ticks=ticks, mind=mind, on_tick=on_tick), mind)


class Evening:
    """A run and the questions that it answers. Nothing in it changes."""

    def __init__(self, run: Run, mind: Mind | None = None) -> None:
        self.run = run
        if mind is not None:
            self.__dict__["mind"] = mind

    @classmethod
    def load(cls, path: str | PathLike[str]) -> Evening:
        """The evening that was recorded there."""
        return cls(load_run(path))

    def save(self, path: str | PathLike[str]) -> None:
        """Record the evening in a new folder."""
        with Recorder(path) as recorder:
            recorder.begin(replace(self.run, ticks=(), ending=None))
            for record in self.run.ticks:
                recorder.tick(record)
            recorder.end(self.run)

    @cached_property
    def mind(self) -> Mind:
        """How everybody here decides."""
        return Mind(self.run.scenario)

    @property
    def scenario(self) -> Scenario:
        return self.run.scenario

    @property
    def seed(self) -> int:
        return self.run.seed

    @property
    def ending(self) -> Ending | None:
        """How it ended; None where the record ends before that."""
        return self.run.ending

    @property
    def events(self) -> tuple[Event, ...]:
        return self.run.events

    @property
    def first(self) -> int:
        """The first tick."""
        return int(self.run.opening["tick"])

    @property
    def last(self) -> int:
        """The tick after the last: its state is the state at the end."""
        return self.first + len(self.run.ticks)

    def state(self, tick: int) -> WorldState:
        """The state before a tick, rebuilt from the log alone; a copy of its own at every call."""
        return state_at(self.run, tick)

    def decision(self, tick: int, agent: str) -> Decision[Action]:
        """What somebody decided at a tick, with the whole reason: decided again from the recorded state.

        Raises InvalidInput where other rules made the run, and BrokenRecord where the choice comes out another.
        """
        if self.run.rules != RULES_VERSION:
            raise other_rules(self.run.rules, "the run")
        self._check_agent(agent)
        if not self.first <= tick < self.last:
            expected = f"a tick from {self.first} to {self.last - 1}"
            refuse(f"nothing was decided at tick {tick}", where="tick", expected=expected, remedy="ask for one of them")
        stage, record = self._stage(tick), self.run.ticks[tick - self.first]
        choice = record.choices.get(agent)
        if choice is None:
            gone = stage.world.agents[agent].location == DEPARTED
            why = "had left" if gone else "broke down, and chose nothing"
            raise NotPossible(
                Problem(f"{agent} {why}", f"tick {tick}", "somebody who chose", "ask about another person or tick")
            )
        stage.interfere()
        me = stage.world.agents[agent]
        decision = stage.decision(me, perceive(stage.world, agent, self.mind.tables))
        if decision.id != choice.id:
            raise BrokenRecord(
                Problem(
                    f"the record says {choice.id!r} and deciding again says {decision.id!r}",
                    f"tick {tick}, {agent}",
                    "the same choice",
                    "the record was edited, or made by other rules: play the evening again",
                )
            )
        return decision

    def situation(self, tick: int, agent: str, act: str) -> list[tuple[str, float]]:
        """What the situation added to an act that somebody could have done at a tick, item by item."""
        decision = self.decision(tick, agent)
        action = decision.tally.candidates[decision.tally.ids.index(act)]
        stage = self._stage_in_hand(tick)
        return self.mind.itemised(stage.world.agents[agent], perceive(stage.world, agent, self.mind.tables), action)

    def fork(
        self,
        at: int,
        *,
        veto: str | None = None,
        force: str | None = None,
        set: str | Iterable[str] = (),
        agent: str | None = None,
        weights: Mapping[str, float] | None = None,
        without: str | Iterable[str] = (),
        ticks: int | None = None,
    ) -> Evening:
        """The evening as it would have gone: at a tick, an act is forbidden or forced, or a part of the state set.

        `agent` says whose act is meant where several could do it. With other `weights`, or `without` some intentions,
        the act is forced that the agent would have chosen so; later choices are made as ever. All other chance stays
        as it was.
        """
        if self.run.rules != RULES_VERSION:
            raise other_rules(self.run.rules, "the run")
        if at == self.last and self.ending is not None:
            expected = f"a tick from {self.first} to {self.last - 1}"
            refuse(
                f"at tick {at} the evening is over", where="at", expected=expected, remedy="branch off before its end"
            )
        if weights or without:
            force = self._chosen_under(at, agent, force, weights, without)
        settings = [set] if isinstance(set, str) else list(set)
        more = [parse_setting(self.scenario, at, text) for text in settings]
        world = self._branch(at, more)._stage_in_hand(at).world  # noqa: SLF001  one of us
        more += [self._meant(world, at, "veto", veto, agent)] if veto is not None else []
        more += [self._meant(world, at, "force", force, agent)] if force is not None else []
        if not more:
            refuse(
                "nothing is to be different",
                where="fork",
                expected="veto, force, set or weights",
                remedy="say what should have been different",
            )
        branch = self._branch(at, more)
        branch._check_forced(at, more)  # noqa: SLF001  one of us
        return Evening(finish(branch.run, branch._stage(at), ticks), self.mind)  # noqa: SLF001

    def compare(self, other: Evening) -> Comparison:
        """What is different in another evening."""
        return compare(self.run, other.run)

    def verify(self) -> int:
        """Play the evening again and compare every tick with the record; gives the number of ticks.

        Raises BrokenRecord at the first tick that differs, InvalidInput where other rules made the run.
        """
        if self.run.rules != RULES_VERSION:
            raise other_rules(self.run.rules, "the run")
        whole = self.ending is not None and self.ending.kind != "broken_off"
        ticks = None if whole else len(self.run.ticks)
        again = run(self.scenario, self.seed, ticks=ticks, mind=self.mind, interference=self.run.interference)
        tick = parted(self.run, again)
        where = None if tick is None else f"tick {tick}"
        if where is None and self.ending is not None and self.ending != again.ending:
            where = "the ending"
        if where is not None:
            raise BrokenRecord(
                Problem(
                    "the record is not what happens when the evening is played again",
                    where,
                    "the same choices, events, changes and ending",
                    "the record was edited, or made by other rules: play the evening again",
                )
            )
        self.state(self.last)
        return len(self.run.ticks)

    def summary(self) -> Summary:
        """The evening in numbers."""
        return summary(self.run)

    def transcript(self, narrator: Narrator | None = None) -> str:
        """The evening told."""
        return transcript(self.run, narrator)

    def _branch(self, at: int, more: Iterable[Interference]) -> Evening:
        """The evening up to a tick, with what is to be different from there on."""
        interference = (*(one for one in self.run.interference if one.at <= at), *more)
        ticks = self.run.ticks[: at - self.first]
        return Evening(replace(self.run, ticks=ticks, ending=None, interference=interference), self.mind)

    def _stage_in_hand(self, tick: int) -> Stage:
        """The stage before a tick, after what was set by hand at its beginning: what minds decide from."""
        stage = self._stage(tick)
        stage.interfere()
        return stage

    def _stage(self, tick: int) -> Stage:
        """The stage as it stood before a tick."""
        done = self.run.ticks[: tick - self.first]
        events = [event for record in done for event in record.events]
        return Stage(
            self.state(tick), self.mind, self.seed, Causes(events), len(events), interference=self.run.interference
        )

    def _check_agent(self, agent: str) -> None:
        people = self.scenario.people
        if agent not in people:
            refuse(
                f"there is no person {agent!r}",
                where="agent",
                expected=f"one of {', '.join(people)}",
                remedy=did_you_mean(agent, people),
            )

    def _chosen_under(
        self,
        at: int,
        agent: str | None,
        force: str | None,
        weights: Mapping[str, float] | None,
        without: str | Iterable[str],
    ) -> str:
        """The act that somebody would have chosen under other weights; it must be another than they did choose."""
        if force is not None or agent is None:
            refuse(
                "other weights are given with an act to force, or without whose they are",
                where="weights",
                expected="weights and an agent, and no act to force",
                remedy="leave one of them out",
            )
        then = self.decision(at, agent).what_if(weights=weights, without=without, shadow=True)
        if not then.changed or then.after is None:
            refuse(
                f"under these weights {then.text}",
                where="weights",
                expected="weights that choose another act",
                remedy="move a weight past its nearest flip",
            )
        return then.after

    def _meant(self, world: WorldState, at: int, kind: Any, act: str, agent: str | None) -> Interference:
        """Whose act is meant: the one named, the one who chose it, or the only one who could."""
        if agent is not None:
            self._check_agent(agent)
        could = able(world, self.mind, act)
        record = self.run.ticks[at - self.first] if self.first <= at < self.last else None
        chose = [who for who, choice in record.choices.items() if choice.id == act] if record is not None else []
        meant = [agent] if agent is not None else chose if kind == "veto" and len(chose) == 1 else could
        if len(meant) == 1 and meant[0] in could:
            return Interference(at, kind, meant[0], act)
        offers = offered(world, self.mind)
        known = sorted({id for ids in offers.values() for id in ids} if agent is None else set(offers.get(agent, ())))
        if could and agent is None:
            what, remedy = f"{', '.join(could)} could all do {act!r}", "say whose act is meant"
        else:
            what, remedy = f"{agent or 'nobody'} could do {act!r} then", did_you_mean(act, known)
            what = what if agent is None else f"{agent} could not do {act!r} then"
        raise InvalidInput(Problem(what, f"tick {at}, {kind}", f"one of {', '.join(known)}", remedy))

    def _check_forced(self, at: int, given: list[Interference]) -> None:
        """A forced act that a gate forbids cannot happen; say so before anything runs."""
        stage = self._stage_in_hand(at)
        for one in given:
            if one.kind == "force":
                me = stage.world.agents[one.agent]
                decision = stage.decision(me, perceive(stage.world, me.id, self.mind.tables))
                if decision.id != one.what:
                    by = ", ".join(why for why in decision.reason.vetoed_by if why != "interference")
                    refuse(
                        f"{one.agent} could not do {one.what!r} then: {by} forbids it",
                        where=f"tick {one.at}, force",
                        expected="an act that its gates allow",
                        remedy="fork at another tick, or set the pacing first",
                    )
