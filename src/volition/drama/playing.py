"""An evening that can be asked what happened, why, why not, and what if."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from volition.core.errors import BrokenRecord, InvalidInput, NotPossible, Problem, did_you_mean, refuse
from volition.core.ledger import verify as verify_ledger
from volition.drama.audience.narrator import transcript
from volition.drama.audience.summary import summary
from volition.drama.comparison import Comparison, compare, first_difference
from volition.drama.mind.mind import Mind
from volition.drama.mind.others import thoughts_of_others
from volition.drama.stage.archive import Recorder, check_rules, load_run
from volition.drama.stage.causes import Causes
from volition.drama.stage.interference import Interference, offers_of, parse_setting, who_can
from volition.drama.stage.replay import state_at
from volition.drama.stage.run import finish, run
from volition.drama.stage.stage import Stage
from volition.drama.world.model import DEPARTED

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from os import PathLike

    from volition.arbitration import Decision
    from volition.drama.audience.narrator import Narrator
    from volition.drama.audience.summary import EveningSummary
    from volition.drama.mind.mind import Sheet
    from volition.drama.mind.others import ThoughtOfOther
    from volition.drama.stage.events import Ending, Event, TickRecord
    from volition.drama.stage.record import Run
    from volition.drama.world.model import Action, Scenario, WorldState


def verify_run(path: str | PathLike[str]) -> Evening:
    """Load a recorded evening and verify every byte of its ledger, and every tick by playing it again.

    Raises BrokenRecord at the first place that does not hold, InvalidInput if other rules made the run.
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
    """Play an evening to its ending, or for at most `ticks`; the same scenario and seed give the same evening."""
    mind = Mind(scenario)
    return Evening(run(scenario, seed, ticks=ticks, mind=mind, on_tick=on_tick), mind)


class Evening:
    """A run, and the questions that it answers. It is immutable."""

    def __init__(self, run: Run, mind: Mind | None = None) -> None:
        self.run = run
        if mind is not None:
            self.__dict__["mind"] = mind

    @classmethod
    def load(cls, path: str | PathLike[str]) -> Evening:
        """Load a recorded evening."""
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
        """How everybody in this evening decides."""
        return Mind(self.run.scenario)

    @property
    def scenario(self) -> Scenario:
        return self.run.scenario

    @property
    def seed(self) -> int:
        return self.run.seed

    @property
    def ending(self) -> Ending | None:
        """How it ended; None if the record stops before the ending."""
        return self.run.ending

    @property
    def events(self) -> tuple[Event, ...]:
        return self.run.events

    @property
    def first(self) -> int:
        """The first tick."""
        return self.run.first

    @property
    def last(self) -> int:
        """The tick after the last one: the state before it is the final state."""
        return self.run.last

    def state(self, tick: int) -> WorldState:
        """The state before a tick, rebuilt from the log alone; every call returns a new copy."""
        return state_at(self.run, tick)

    def decision(self, tick: int, agent: str) -> Decision[Action]:
        """What somebody decided at a tick, with the whole reason, by deciding again from the recorded state.

        Raises InvalidInput if other rules made the run, and BrokenRecord if the choice is not the recorded one.
        """
        check_rules(self.run.rules, "the run")
        self._check_agent(agent)
        if not self.first <= tick < self.last:
            expected = f"a tick from {self.first} to {self.last - 1}"
            refuse(f"nothing was decided at tick {tick}", where="tick", expected=expected, remedy="ask for one of them")
        stage, record = self._stage(tick), self.run.ticks[tick - self.first]
        choice = record.choices.get(agent)
        if choice is None:
            gone = self.state(tick).agents[agent].location == DEPARTED
            why = "had left" if gone else "broke down, and chose nothing"
            raise NotPossible(
                Problem(f"{agent} {why}", f"tick {tick}", "somebody who chose", "ask about another person or tick")
            )
        stage.interfere()
        decision = stage.decision_of(agent)
        if decision.id != choice.id:
            raise BrokenRecord(
                Problem(
                    f"the record says {choice.id!r}, but deciding again gives {decision.id!r}",
                    f"tick {tick}, {agent}",
                    "the same choice",
                    "the record was edited, or made by other rules: play the evening again",
                )
            )
        return decision

    def situation(self, tick: int, agent: str, act: str) -> list[tuple[str, float]]:
        """What the situation added to an act that somebody could have chosen at a tick, item by item."""
        sheet: Sheet = self.decision(tick, agent).tally.context
        return sheet.items_of(act)

    def thoughts(self, tick: int, agent: str) -> tuple[ThoughtOfOther, ...]:
        """What somebody thought before a tick that others know or suspect, and whether they were right."""
        self._check_agent(agent)
        return thoughts_of_others(self.state(tick), agent)

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
        """The evening as it would have gone if, at a tick, an act were forbidden or forced, or a part of the state set.

        `agent` says whose act is meant if several people could do it. With other `weights`, or `without` some intentions,
        the act that the agent would then have chosen is forced; later choices are made as usual. All other random draws
        stay the same.
        """
        check_rules(self.run.rules, "the run")
        if at == self.last and self.ending is not None:
            expected = f"a tick from {self.first} to {self.last - 1}"
            refuse(f"the evening is over at tick {at}", where="at", expected=expected, remedy="fork before its end")
        if weights or without:
            force = self._choice_under(at, agent, force, weights, without)
        settings = [set] if isinstance(set, str) else list(set)
        more = [parse_setting(self.scenario, at, text) for text in settings]
        world = self._branch(at, more)._stage_in_hand(at).world  # noqa: SLF001  one of us
        more += [self._interference_meant(world, at, "veto", veto, agent)] if veto is not None else []
        more += [self._interference_meant(world, at, "force", force, agent)] if force is not None else []
        if not more:
            refuse(
                "the fork changes nothing",
                where="fork",
                expected="veto, force, set or weights",
                remedy="say what should be different",
            )
        branch = self._branch(at, more)
        branch._check_forced(at, more)  # noqa: SLF001  one of us
        return Evening(finish(branch.run, branch._stage(at), ticks), self.mind)  # noqa: SLF001

    def compare(self, other: Evening) -> Comparison:
        """What is different in another evening."""
        return compare(self.run, other.run)

    def verify(self) -> int:
        """Play the evening again, compare every tick with the record, and return the number of ticks.

        Raises BrokenRecord at the first tick that differs, InvalidInput if other rules made the run.
        """
        check_rules(self.run.rules, "the run")
        whole = self.ending is not None and self.ending.kind != "broken_off"
        ticks = None if whole else len(self.run.ticks)
        again = run(self.scenario, self.seed, ticks=ticks, mind=self.mind, interference=self.run.interference)
        tick = first_difference(self.run, again)
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

    def summary(self) -> EveningSummary:
        """The evening in numbers."""
        return summary(self.run)

    def transcript(self, narrator: Narrator | None = None) -> str:
        """The evening as a story."""
        return transcript(self.run, narrator)

    def _branch(self, at: int, more: Iterable[Interference]) -> Evening:
        """The evening up to a tick, with additional interference from there on."""
        interference = (*(one for one in self.run.interference if one.at <= at), *more)
        ticks = self.run.ticks[: at - self.first]
        return Evening(replace(self.run, ticks=ticks, ending=None, interference=interference), self.mind)

    def _stage_in_hand(self, tick: int) -> Stage:
        """The stage as minds see it at a tick: after what is set by hand at its beginning."""
        stage = self._stage(tick)
        stage.interfere()
        return stage

    def _stage(self, tick: int) -> Stage:
        """The stage before a tick."""
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

    def _choice_under(
        self,
        at: int,
        agent: str | None,
        force: str | None,
        weights: Mapping[str, float] | None,
        without: str | Iterable[str],
    ) -> str:
        """The act that somebody would have chosen with other weights, which must not be the one they did choose."""
        if force is not None or agent is None:
            refuse(
                "weights are given together with an act to force, or without an agent",
                where="weights",
                expected="weights and an agent, and no act to force",
                remedy="leave out one of them",
            )
        then = self.decision(at, agent).what_if(weights=weights, without=without, shadow=True)
        if not then.changed or then.after is None:
            refuse(
                f"with these weights {then.text}",
                where="weights",
                expected="weights that choose another act",
                remedy="move a weight past its nearest flip",
            )
        return then.after

    def _interference_meant(self, world: WorldState, at: int, kind: Any, act: str, agent: str | None) -> Interference:
        """The interference, with whose act is meant: the agent given, the one who chose it, or the only one who could."""
        if agent is not None:
            self._check_agent(agent)
        could = who_can(world, self.mind, act)
        record = self.run.ticks[at - self.first] if self.first <= at < self.last else None
        chose = [who for who, choice in record.choices.items() if choice.id == act] if record is not None else []
        meant = [agent] if agent is not None else chose if kind == "veto" and len(chose) == 1 else could
        if len(meant) == 1 and meant[0] in could:
            return Interference(at, kind, meant[0], act)
        offers = offers_of(world, self.mind)
        known = sorted({id for ids in offers.values() for id in ids} if agent is None else set(offers.get(agent, ())))
        if could and agent is None:
            what, remedy = f"{', '.join(could)} could all do {act!r}", "say whose act is meant"
        else:
            what, remedy = f"{agent or 'nobody'} could do {act!r} then", did_you_mean(act, known)
            what = what if agent is None else f"{agent} could not do {act!r} then"
        raise InvalidInput(Problem(what, f"tick {at}, {kind}", f"one of {', '.join(known)}", remedy))

    def _check_forced(self, at: int, given: list[Interference]) -> None:
        """Refuse to force an act that a gate forbids, before anything is played."""
        stage = self._stage_in_hand(at)
        for one in given:
            if one.kind == "force":
                decision = stage.decision_of(one.agent)
                if decision.id != one.what:
                    by = ", ".join(why for why in decision.reason.vetoed_by if why != "interference")
                    refuse(
                        f"{one.agent} could not do {one.what!r} then: {by} forbids it",
                        where=f"tick {one.at}, force",
                        expected="an act that its gates allow",
                        remedy="fork at another tick, or set the pacing first",
                    )
