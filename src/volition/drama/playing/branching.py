"""What a fork means: whose act is forbidden or forced, and whether that can be done."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from volition.core.errors import InvalidInput, Problem, check_known, did_you_mean, refuse
from volition.drama.stage.interference import Interference, offers_of, who_can

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from volition.arbitration import Decision
    from volition.drama.mind.mind import Mind
    from volition.drama.stage.events import TickRecord
    from volition.drama.stage.stage import Stage
    from volition.drama.world.model import Action, WorldState


def choice_under(decision: Decision[Action], weights: Mapping[str, float] | None, without: str | Iterable[str]) -> str:
    """The act that somebody would have chosen with other weights, which must not be the one they did choose."""
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


def check_forced(stage: Stage, given: Iterable[Interference]) -> None:
    """Refuse to force an act that a gate forbids, before anything is played."""
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
