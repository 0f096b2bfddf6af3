"""A fork of an evening: what is forbidden, forced or set by hand at a tick, by whom, and whether that can be done."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from volition.core.errors import InvalidInput, Problem, check_known, did_you_mean, refuse
from volition.core.ledger.signature import LedgerSignature, sign_ledger
from volition.drama.playing.cast import Cast
from volition.drama.stage.interference import Interference, check_telling, offers_of, parse_setting, who_can

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from volition.arbitration import Decision
    from volition.core.signing import Signer
    from volition.drama.evening.world import WorldState
    from volition.drama.mind.mind import Mind
    from volition.drama.stage.events import TickRecord
    from volition.drama.stage.stage import Stage
    from volition.drama.world.model import Action


class ForkChange(Struct, frozen=True):
    """What is different in a fork from a tick on, as it is asked for: see `Evening.fork`."""

    at: int
    veto: str | None
    force: str | None
    settings: tuple[str, ...]
    agent: str | None
    told_by: str | None

    def branch(self, cast: Cast) -> Cast:
        """The cast of an evening up to the tick, with the change as interference; InvalidInput if it cannot be made."""
        at, run, mind = self.at, cast.run, cast.branching
        more = self._settings(cast)
        world = _branch(cast, at, more).open_stage(at, mind).world
        record = run.ticks[at - run.first] if run.first <= at < run.last else None
        for kind, act in (("veto", self.veto), ("force", self.force)):
            if act is not None:
                more.append(interference_meant(world, mind, record, at, kind, act, self.agent))
        if not more:
            refuse(
                "the fork changes nothing",
                where="fork",
                expected="veto, force, set or weights",
                remedy="say what should be different",
            )
        branch = _branch(cast, at, more)
        check_forced(branch.open_stage(at, mind), more)
        return branch

    def _settings(self, cast: Cast) -> list[Interference]:
        """What is set by hand, each of which can be set once those before it are."""
        scenario, at, told_by = cast.run.scenario, self.at, self.told_by
        more = [parse_setting(scenario, at, text, told_by) for text in self.settings]
        if told_by is not None and not any(change.by for change in more):
            refuse(
                f"it is not said what {told_by} told",
                where="told_by",
                expected="a belief of somebody else to set",
                remedy="set PERSON.belief.SECRET=VALUE too",
            )
        for count, change in enumerate(more):
            if change.by is not None:
                check_telling(_branch(cast, at, more[:count]).open_stage(at, cast.branching).world, change)
        return more


def sign_fork(path: Path, of: str, at: int, by: str, signer: Signer, moment: str) -> LedgerSignature:
    """Sign that a recorded branch is somebody's fork of a run at a tick. The branch itself stays as it is: it says what was done."""
    return sign_ledger(path, LedgerSignature("fork", of, f"tick {at}", by, moment), signer)


def _branch(cast: Cast, at: int, more: Iterable[Interference]) -> Cast:
    """An evening up to a tick, with additional interference from there on."""
    run = cast.run
    interference = (*(earlier for earlier in run.interference if earlier.at <= at), *more)
    return Cast(replace(run, ticks=run.ticks[: at - run.first], ending=None, interference=interference))


def check_weighed(agent: str | None, force: str | None) -> str:
    """Whose weights are changed; InvalidInput if that is not said, or an act is to be forced as well."""
    if force is not None or agent is None:
        refuse(
            "weights are given together with an act to force, or without an agent",
            where="weights",
            expected="weights and an agent, and no act to force",
            remedy="leave out one of them",
        )
    return agent


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
