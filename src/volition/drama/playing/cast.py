"""Who decides in an evening: everybody's mind, with the user's code where that is available, or else by the record.

In a fork of it, whose act is forbidden or forced, and whether that can be done.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

from volition.core.errors import InvalidInput, Problem, check_known, did_you_mean, refuse
from volition.drama.mind.mind import Mind
from volition.drama.stage.archive import check_rules
from volition.drama.stage.causes import Causes
from volition.drama.stage.interference import Interference, offers_of, who_can
from volition.drama.stage.record import PLAYER, Run, declare, recorded_intentions
from volition.drama.stage.replay import state_at
from volition.drama.stage.stage import Stage

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from volition.arbitration import Decision, Intention
    from volition.drama.evening.world import WorldState
    from volition.drama.stage.events import TickRecord
    from volition.drama.world.model import Action


class Cast:
    """The minds of a run: `user_mind` has the user's code that took part, if that is available."""

    def __init__(self, run: Run, user_mind: Mind | None = None) -> None:
        self.run, self.user_mind = run, user_mind

    @property
    def players(self) -> tuple[str, ...]:
        """The guests whose acts were given one by one, by a person or by agents; no code is needed to go on without them."""
        return tuple(who for who, label in self.run.custom.minds.items() if label == PLAYER)

    @property
    def guest(self) -> str | None:
        """The guest whom a person plays, if there is one."""
        return next(iter(self.players), None)

    @property
    def mind(self) -> Mind:
        """How everybody decides, by the user's code where that is available."""
        return self.user_mind or self.recorded

    @cached_property
    def recorded(self) -> Mind:
        """The same by the record: what user code answered, it answers again."""
        if self.user_mind is not None and not self.run.custom:
            return self.user_mind
        return Mind(self.run.scenario, tuple(recorded_intentions(self.run.custom, self.run.ticks)))

    @cached_property
    def branching(self) -> Mind:
        """How everybody decides in a branch: the player is not available, so there the record answers."""
        if self.user_mind is None or not self.players:
            return self.mind
        ids = {f"played:{who}" for who in self.players}
        players = (intention for intention in self.recorded.custom if intention.id in ids)
        return Mind(self.run.scenario, (*self.user_mind.custom, *players))

    def stage(self, tick: int, mind: Mind) -> Stage:
        """The stage before a tick, on which a mind decides."""
        run = self.run
        events = [event for record in run.ticks[: tick - run.first] for event in record.events]
        return Stage(state_at(run, tick), mind, run.seed, Causes(events), len(events), run.interference)

    def open_stage(self, tick: int, mind: Mind) -> Stage:
        """The stage as minds see it at a tick: after what is set by hand at its beginning."""
        stage = self.stage(tick, mind)
        stage.open_tick()
        return stage

    def with_custom(self, custom: Sequence[Intention]) -> Cast:
        """The same cast with the user's code that took part; InvalidInput if it is other code."""
        recorded, supplied = self.run.custom, declare(custom)
        before = sorted(
            [*(recorded.minds.keys() - {*self.players}), *(intention.id for intention in recorded.intentions)]
        )
        now = sorted([*supplied.minds, *(intention.id for intention in supplied.intentions)])
        if before != now:
            refuse(
                f"what takes part is {_list(now)}, and in the evening it was {_list(before)}",
                where="minds, terms and constraints",
                expected="the same ones as in the evening",
                remedy="give what it was played with",
            )
        return Cast(self.run, Mind(self.run.scenario, custom)) if custom else self

    def check_code(self) -> None:
        """Refuse to play on without the user's code that took part so far, or by other rules."""
        check_rules(self.run.rules, "the run")
        recorded = self.run.custom
        missing = [
            *(who for who in recorded.minds if who not in self.players),
            *(intention.id for intention in recorded.intentions),
        ]
        if self.user_mind is None and missing:
            refuse(
                f"code that took part is missing: {_list(missing)}",
                where="the evening",
                expected="the minds, terms and constraints that it was played with",
                remedy="give them again: Evening.load(..., minds=..., terms=...), or --with on the command line",
            )

    def check_guest(self) -> str:
        """The guest who is played; InvalidInput if nobody is."""
        if self.guest is None:
            refuse(
                "nobody is played in this evening",
                where="guest",
                expected="an evening that was begun with a guest",
                remedy="Evening.begin(scenario, seed, guest) begins one",
            )
        return self.guest


def _list(names: Sequence[str]) -> str:
    return ", ".join(names) or "nothing"


def choice_under(decision: Decision[Action], weights: Mapping[str, float] | None, without: str | Iterable[str]) -> str:
    """The act that would have been chosen with other weights, which must not be the one that was."""
    then = decision.what_if(weights=weights, without=without, shadow=True)
    if not then.changed or then.after is None:
        refuse(
            f"with these weights {then.text}",
            where="weights",
            expected="weights that choose another act",
            remedy="move a weight past its nearest flip",
        )
    return then.after


def interference_meant(
    world: WorldState, mind: Mind, record: TickRecord | None, at: int, kind: Any, act: str, agent: str | None
) -> Interference:
    """The interference, with whose act is meant: the agent given, the one who chose it, or the only one who could."""
    if agent is not None:
        check_known("person", agent, world.scenario.people, where="agent")
    could = who_can(world, mind, act)
    chose = [who for who, choice in record.choices.items() if choice.id == act] if record is not None else []
    meant = [agent] if agent is not None else chose if kind == "veto" and len(chose) == 1 else could
    if len(meant) == 1 and meant[0] in could:
        return Interference(at, kind, meant[0], act)
    offers = offers_of(world, mind)
    known = sorted({id for ids in offers.values() for id in ids} if agent is None else set(offers.get(agent, ())))
    if could and agent is None:
        what, remedy = f"{', '.join(could)} could all do {act!r}", "say whose act is meant"
    else:
        what, remedy = f"{agent or 'nobody'} could do {act!r} then", did_you_mean(act, known)
        what = what if agent is None else f"{agent} could not do {act!r} then"
    raise InvalidInput(Problem(what, f"tick {at}, {kind}", f"one of {', '.join(known)}", remedy))


def check_forced(stage: Stage, interference: Iterable[Interference]) -> None:
    """Refuse to force an act that a gate forbids, before anything is played."""
    for force in interference:
        if force.kind == "force":
            decision = stage.decision_of(force.agent)
            if decision.id != force.what:
                by = ", ".join(why for why in decision.reason.vetoed_by if why != "interference")
                refuse(
                    f"{force.agent} could not do {force.what!r} then: {by} forbids it",
                    where=f"tick {force.at}, force",
                    expected="an act that its gates allow",
                    remedy="fork at another tick, or set the pacing first",
                )
