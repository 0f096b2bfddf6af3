"""The judgement: may this session write there? And the sentence that says whose it is, and what to do."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

from volition.agents.guard.sessions import active_plans

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from volition.agents.guard.index import TeamIndex
    from volition.agents.guard.place import Place

Word: TypeAlias = Literal["pass", "marked", "deny"]


class GuardVerdict(NamedTuple):
    """Whether a call may go on (`marked`: it may, and its work is looked at afterwards), and why or why not."""

    word: Word
    reasons: tuple[str, ...] = ()
    targets: tuple[str, ...] = ()


class GuardJudge:
    """Judges paths by the plans of one session."""

    def __init__(self, index: TeamIndex, plans: Sequence[str], *, strict: bool) -> None:
        self._index, self._plans, self._strict = index, plans, strict
        self._active = active_plans(index, plans)

    def judge(self, places: Iterable[Place], doubts: Sequence[str] = ()) -> GuardVerdict:
        """The verdict on a call that writes to these places, and of which something may not be known."""
        denied, marked, targets = [], [], []
        for place in places:
            targets.append(place.path)
            if reason := self._objection(place):
                denied.append(reason)
            elif place.ground == "outside":
                marked.append(f"{place.path} is outside of the repository")
        marked += doubts
        if self._strict and marked:
            denied += [f"{doubt}, and this guard is strict: write it in a way that names its files" for doubt in marked]
        if denied:
            return GuardVerdict("deny", tuple(dict.fromkeys(denied)), tuple(targets))
        return GuardVerdict("marked" if marked else "pass", tuple(marked), tuple(targets))

    def is_stray(self, path: str) -> bool:
        """Whether a changed path of the worktree is in none of the plans."""
        folded = self._index.fold(path)
        return not any(plan.may_write(folded) for plan in self._active)

    def _objection(self, place: Place) -> str:
        if place.ground == "guarded":
            return f"{place.path} arms the guard or belongs to git: ask a person to change it"
        if place.ground == "another tree":
            return f"{place.path} is in another worktree ({place.tree}): work in your own"
        if place.ground != "tree" or not self.is_stray(place.path):
            return ""
        return f"{place.path} is {self._in_no_plan()}; {self.holder_of(place.path)}"

    def holder_of(self, path: str) -> str:
        """Which other active plan has a path, and what to do."""
        mine = {plan.plan for plan in self._active}
        folded = self._index.fold(path)
        others = [
            plan
            for name in self._index.plans
            if name not in mine and (plan := self._index.active(name)) and plan.keeps(folded)
        ]
        if others:
            first = others[0]
            more = f" and {len(others) - 1} more" if len(others) > 1 else ""
            return (
                f"{first.plan} of {first.holder}{more} has it until {_moment(first.until)}: "
                f"leave it, wait, or ask {first.holder}"
            )
        if self._active:
            return f"no plan has it: revise your plan so that it names {path}, or leave it"
        return "propose a plan that names it, and claim it (volition team register), before you write"

    def _in_no_plan(self) -> str:
        if self._active:
            return f"not in your plan {', '.join(f'{plan.plan} ({plan.title!r})' for plan in self._active)}"
        if not self._plans:
            return "not in a plan: this session has none"
        states = [f"{name} is {self._state(name)}" for name in self._plans]
        return f"not in an active plan: {', '.join(states)}"

    def _state(self, name: str) -> str:
        plan = self._index.plans.get(name)
        return "over" if plan is None else "expired" if plan.until <= self._index.now else plan.state


def _moment(milliseconds: int) -> str:
    import time  # only a denial needs it

    return time.strftime("%H:%M:%SZ", time.gmtime(milliseconds / 1000))
