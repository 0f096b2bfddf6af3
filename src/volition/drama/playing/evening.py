"""An evening that can be asked what happened, why, why not, and what if."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from volition.core.errors import BrokenRecord, NotPossible, Problem, check_known, refuse
from volition.core.ledger import verify as verify_ledger
from volition.drama.audience.arcs import Arc, arcs
from volition.drama.audience.introduction import Introduction, introduce
from volition.drama.audience.narrator import Narrator, transcript
from volition.drama.audience.summary import EveningSummary, summary
from volition.drama.comparison import Comparison, compare, first_difference
from volition.drama.mind.custom import Constraints, CustomMind, OfferedActs, Terms, gather
from volition.drama.mind.mind import Appraisal, Mind
from volition.drama.mind.perception import ThoughtOfOther, thoughts_of_others
from volition.drama.minds.counsel import counsel_of
from volition.drama.playing.cast import Cast, Outside
from volition.drama.playing.fork import ForkChange, check_weighed, choice_under
from volition.drama.playing.guest import Attendance, GuestStep, GuestTick, step_of
from volition.drama.playing.significance import MOST, ActSignificance, significance
from volition.drama.stage.archive import Recorder, check_rules, load_run
from volition.drama.stage.record import Run, declare
from volition.drama.stage.replay import state_at
from volition.drama.stage.run import begin_run, finish, run
from volition.drama.world.model import DEPARTED, Action, Scenario

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from os import PathLike

    from volition.arbitration import Decision, Intention
    from volition.drama.evening.world import WorldState
    from volition.drama.mind.outside import OutsideMinds
    from volition.drama.stage.events import Ending, Event, TickRecord
    from volition.minds.contract import MindChoice, MindSituation, MindVote

    Minds = Mapping[str, CustomMind] | None
    OnTick = Callable[[WorldState, TickRecord], None] | None


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
    minds: Minds = None,
    terms: Terms = (),
    constraints: Constraints = (),
    outside: OutsideMinds | None = None,
    on_tick: OnTick = None,
) -> Evening:
    """Play an evening to its ending, or for at most `ticks`; the same scenario and seed give the same evening.

    Args:
        scenario: what is played.
        seed: of all random draws.
        ticks: the most ticks, where that is less than the scenario says.
        minds: functions that choose for some people. Each gets an `OfferedActs` and returns the id of one of its acts, or None
            to leave the choice to the person. MindFailed if one raises, or chooses what is not offered.
        terms: heuristics, or plain functions, that take part in every decision of everybody, beside the scenario's terms.
            They get the act and, if they want it, the `Appraisal` of the decision, with `me` and `perceived`.
        constraints: likewise, for what must not be done.
        outside: minds from outside, which are asked at once and never waited for longer than a deadline: `drama.minds`.
        on_tick: gets the state after each tick, and its record.
    """
    mind = Mind(scenario, gather(minds, terms, constraints, outside))
    played = run(scenario, seed, ticks=ticks, mind=mind, on_tick=on_tick, counsel_of=counsel_of(mind))
    return Evening(played, mind)


class Evening:
    """A run, and the questions that it answers. It is immutable.

    A `mind` is given if user code that took part is available. If it is not, the record answers in its place.
    """

    def __init__(self, run: Run, mind: Mind | None = None) -> None:
        self.run = run
        self._cast = Cast(run, mind)

    @classmethod
    def load(
        cls,
        path: str | PathLike[str],
        *,
        minds: Minds = None,
        terms: Terms = (),
        constraints: Constraints = (),
        outside: OutsideMinds | None = None,
    ) -> Evening:
        """Load a recorded evening; to continue one in which user code or minds took part, they are given again."""
        return cls(load_run(path)).with_custom(gather(minds, terms, constraints, outside))

    def with_custom(self, custom: Sequence[Intention]) -> Evening:
        """The same evening with the user's code that took part in it; InvalidInput if it is other code."""
        return Evening(self.run, self._cast.with_custom(custom).user_mind) if custom else self

    @classmethod
    def begin(
        cls,
        scenario: Scenario,
        seed: int,
        guest: str,
        *,
        minds: Minds = None,
        terms: Terms = (),
        constraints: Constraints = (),
        outside: OutsideMinds | None = None,
    ) -> Evening:
        """An evening in which you play a guest: see `offer` and `choose`."""
        check_known("person", guest, scenario.people, where="guest")
        mind = Mind(scenario, gather(minds, terms, constraints, outside))
        begun, _ = begin_run(scenario, seed, mind)
        opened = cls(replace(begun, custom=declare(mind.custom, guest)), mind)
        return opened.until_offered()

    def save(self, path: str | PathLike[str]) -> None:
        """Record the evening in a new folder."""
        with Recorder(path) as recorder:
            recorder.begin_again(self.run)
            recorder.end(self.run)

    @property
    def mind(self) -> Mind:
        """How everybody in this evening decides, by the user's code where that is available."""
        return self._cast.mind

    @property
    def scenario(self) -> Scenario:
        return self.run.scenario

    @property
    def seed(self) -> int:
        return self.run.seed

    @property
    def guest(self) -> str | None:
        """The guest whom a person plays, if there is one."""
        return self._cast.guest

    @property
    def ending(self) -> Ending | None:
        """How it ended; None if the record stops before the ending."""
        return self.run.ending

    @property
    def is_over(self) -> bool:
        """Whether it has come to its end, and was not broken off."""
        return self.run.is_over

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
        """What `agent` decided at a tick, with the whole reason, by deciding again from the recorded state.

        Raises InvalidInput if other rules made the run, and BrokenRecord if the choice is not the recorded one.
        """
        check_rules(self.run.rules, "the run")
        check_known("person", agent, self.scenario.people, where="agent")
        if not self.first <= tick < self.last:
            what, remedy = f"nothing was decided at tick {tick}", "ask for one of them, or play on"
            refuse(what, where="tick", expected=self._played_ticks(), remedy=remedy)
        choice = self.run.ticks[tick - self.first].choices.get(agent)
        if choice is None:
            me = self.state(tick).agents[agent]
            away = "had left" if me.has_left else "was not there yet"
            why = away if me.location == DEPARTED else "broke down, and chose nothing"
            raise NotPossible(
                Problem(f"{agent} {why}", f"tick {tick}", "somebody who chose", "ask about another person or tick")
            )
        cast = self._cast
        decision = cast.open_stage(tick, cast.recorded, cast.recorded_counsel).decision_of(agent)
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
        """What the situation added to an act that `agent` could have chosen at a tick, item by item."""
        appraisal: Appraisal = self.decision(tick, agent).tally.context
        check_known("act", act, appraisal.rows, where=f"tick {tick}, {agent}")
        return appraisal.items_of(act)

    def thoughts(self, tick: int, agent: str) -> tuple[ThoughtOfOther, ...]:
        """What `agent` thought before a tick that others know or suspect, and whether that was right."""
        check_known("person", agent, self.scenario.people, where="agent")
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
        told_by: str | None = None,
        outside: Outside | None = None,
        ticks: int | None = None,
    ) -> Evening:
        """The evening as it would have gone if, at a tick, an act were forbidden or forced, or a part of the state set.

        `agent` says whose act is meant if several people could do it. With other `weights`, or `without` some intentions,
        the act that the agent would then have chosen is forced; later choices are made as usual. With `told_by`, beliefs
        are set as if that person had told them, with all that follows. All other random draws stay the same.

        Where user code took part and is not available, the record answers in its place. Minds from outside are asked again
        if they are available; `outside` says otherwise: "record" lets the record answer at the ticks at which its answers
        are still open, and "engine" lets everybody decide by themselves.
        """
        check_rules(self.run.rules, "the run")
        if at == self.last and self.ending is not None:
            what, expected = f"the evening is over at tick {at}", self._played_ticks()
            refuse(what, where="at", expected=expected, remedy="fork before its end")
        if weights or without:
            force = choice_under(self.decision(at, check_weighed(agent, force)), weights, without)
        settings = [set] if isinstance(set, str) else list(set)
        change = ForkChange(at, veto, force, tuple(settings), agent, told_by)
        branch, mind = change.branch(self._cast), self._cast.branching
        stage = branch.stage(at, mind, self._cast.counsel(at, outside))
        return Evening(finish(branch.run, stage, ticks), self._cast.user_mind)

    def offer(self) -> OfferedActs | None:
        """What your guest may choose from, and all that the guest knows; None if the evening is over.

        Acts are chosen by `choose`. InvalidInput if no guest is played.
        """
        guest = self._cast.check_guest()
        if self.is_over:
            return None
        self._cast.check_code()
        return self._cast.stage(self.last, self.mind).offer(guest)

    def choose(self, act: str, *, on_tick: OnTick = None) -> Evening:
        """The evening after your guest has done one of the acts or wishes offered, up to their next choice or the ending.

        This evening stays as it is, so that another choice can be tried.
        """
        self.check_open()
        offer = self.offer()
        assert offer is not None
        return self.until_offered({offer.who: offer.find(act).id}, on_tick)

    def question(self) -> MindSituation | None:
        """What your guest is asked now, as any mind from outside is: everything that they may do; None once there is nothing.

        The answer is given by `answer`. So a program that can be a mind can also be a guest.
        """
        offer = self.offer()
        return None if offer is None else Attendance(self.run, offer.who).question(offer)

    def answer(self, answer: MindVote | MindChoice | None, *, on_tick: OnTick = None) -> Evening:
        """Like `choose`, by the answer of a mind; None does what the guest would do by themselves."""
        if answer is not None:
            return self.choose(answer.id, on_tick=on_tick)
        offer = self.offer()
        return self.choose("" if offer is None else offer.own, on_tick=on_tick)

    def introduction(self) -> Introduction | None:
        """The page that introduces your guest to the cast; None if they have no choice any more."""
        offer = self.offer()
        return None if offer is None else introduce(self.scenario, offer)

    def step(self, act: str | None = None) -> GuestStep[Evening]:
        """Like `choose`, with what the guest saw and heard, what others took from the act, and what may be done next.

        Without an act nothing happens: it is the step before the first choice.
        """
        guest, after, ticks = self._cast.check_guest(), self, list[GuestTick]()
        if act is not None:
            attendance = Attendance(self.run, guest)
            after = self.choose(act, on_tick=lambda _, record: ticks.append(attendance.live(record)))
        return step_of(after, guest, ticks, after.offer())

    def play_on(self, *, ticks: int | None = None, on_tick: OnTick = None) -> Evening:
        """Continue an evening that was broken off or cut off, to its ending or for at most `ticks` in all.

        It is the same as if it had never stopped. A guest who was played acts by their own mind from here on.
        """
        self.check_open()
        begun = replace(self.run, ending=None)
        stage = self._cast.stage(self.last, self.mind, self._cast.counsel(self.last))
        return Evening(finish(begun, stage, ticks, on_tick), self._cast.user_mind)

    def check_open(self) -> None:
        """Refuse to go on with an evening that is over, or without the user's code that took part in it."""
        if self.is_over:
            raise NotPossible(
                Problem(
                    "the evening is over", f"tick {self.last}", "an evening that goes on", "fork it, or begin another"
                )
            )
        self._cast.check_code()

    def compare(self, other: Evening) -> Comparison:
        """What is different in another evening."""
        return compare(self.run, other.run)

    def verify(self) -> int:
        """Play the evening again, compare every tick with the record, and return the number of ticks.

        Raises BrokenRecord at the first tick that differs, InvalidInput if other rules made the run. User code is
        not asked: what it answered is in the record.
        """
        check_rules(self.run.rules, "the run")
        ticks = None if self.is_over else len(self.run.ticks)
        cast = self._cast
        again = run(
            self.scenario,
            self.seed,
            ticks=ticks,
            mind=cast.recorded,
            interference=self.run.interference,
            counsel_of=lambda _: cast.recorded_counsel,
        )
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

    def significance(
        self, *, most: int = MOST, everything: bool = False, progress: Callable[[int, int], None] | None = None
    ) -> tuple[ActSignificance, ...]:
        """Which acts mattered, by playing the evening without each of them; the most significant first."""
        check_rules(self.run.rules, "the run")
        return significance(self._cast, most=most, everything=everything, progress=progress)

    def arcs(self, genre: str = "default", mattered: Iterable[ActSignificance] | None = None) -> list[Arc]:
        """Whose story it is, the best first; what mattered is found out unless it is given."""
        known = self.significance() if mattered is None else mattered
        return arcs(self.run, genre, {act.event.id: act.score for act in known})

    def summary(self) -> EveningSummary:
        """The evening in numbers."""
        return summary(self.run)

    def transcript(self, narrator: Narrator | None = None) -> str:
        """The evening as a story."""
        return transcript(self.run, narrator)

    def _played_ticks(self) -> str:
        """Which ticks were played, as an error says it."""
        return f"a tick from {self.first} to {self.last - 1}" if self.run.ticks else "a tick that was played; none was"

    def until_offered(self, first: Mapping[str, str] | None = None, on_tick: OnTick = None) -> Evening:
        """Play until the guest has a choice, or to the ending; in the `first` tick acts may be given."""
        guest, acts = self._cast.check_guest(), [first] if first else []
        stage = self._cast.stage(self.last, self.mind, self._cast.counsel(self.last))
        begun = replace(self.run, ending=None)
        stop = lambda: not acts and stage.offer(guest) is not None  # noqa: E731
        run = finish(begun, stage, None, on_tick, stop, given=lambda: acts.pop() if acts else None)
        return Evening(run if run.is_over else replace(run, ending=None), self._cast.user_mind)
