"""The judgement: may this session write there? And the sentence that says whose it is, and what to do.

Without a plan a session may write files that git ignores, what becomes its own file or is gone again, and what undoes its
own change. Git is asked once for all paths of a call, and only where a plan does not permit them.
"""

from __future__ import annotations

import os
import os.path

from volition.agents.guard.git import end_git, git, names_in, start_git
from volition.agents.guard.index import SPECIAL, is_claimed
from volition.agents.guard.lean import TYPE_CHECKING, LeanTuple
from volition.agents.guard.sessions import active_plans

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Final, Literal, TypeAlias

    from volition.agents.guard.index import PlanExtent, TeamIndex
    from volition.agents.guard.place import Place


HISTORY: Final = ".git/refs"
"""What a plan names among its files if its holder may push by force, reset, and delete branches."""
NAMED: Final = 4
"""How many files of a folder a refusal names."""
Word: TypeAlias = 'Literal["pass", "marked", "deny"]'
BACKUPS: Final = (".bak", ".orig", ".tmp", ".temp", ".new", ".old", ".swp", ".rej", ".backup", ".save", "~")
"""How tools call the file beside a file that they work on."""


class UnplannedChange(LeanTuple):
    """A change of a path that is in no plan."""

    was: str
    """How the path differed from the commit before."""
    session: str
    """The session that it is put down to; empty if that is nobody here."""


class GuardVerdict(LeanTuple):
    """Whether a call may go on (`marked`: it may, and its work is looked at afterwards), and why or why not."""

    word: Word
    reasons: tuple[str, ...] = ()
    targets: tuple[str, ...] = ()


class GuardJudge:
    """Judges paths by the plans of one session, and by what it may do without one: `unplanned` are the
    changes of its worktree that are in no plan."""

    def __init__(
        self,
        index: TeamIndex,
        plans: Sequence[str],
        *,
        strict: bool,
        session: str = "",
        unplanned: Mapping[str, UnplannedChange] | None = None,
    ) -> None:
        self._index, self._plans, self._strict = index, plans, strict
        self._session = session
        self._unplanned = {index.fold(path): change for path, change in (unplanned or {}).items()}
        self._active = active_plans(index, plans)

    def judge(self, places: Iterable[Place], doubts: Sequence[str] = ()) -> GuardVerdict:
        """The verdict on a call that writes to these places, and of which something may not be known."""
        targets = list(places)
        denied, marked = [], []
        for place in self._without_permit(targets):
            if reason := self._objection(place):
                denied.append(reason)
            elif place.kind == "sweep" and place.ground == "tree":
                marked.append(f"what it changes in {place.path}")
        marked += [f"{place.path} is outside of the repository" for place in targets if place.ground == "outside"]
        marked += doubts
        if self._strict and marked:
            denied += [f"{doubt}, and this guard is strict: write it in a way that names its files" for doubt in marked]
        paths = tuple(place.path for place in targets)
        if denied:
            return GuardVerdict("deny", tuple(dict.fromkeys(denied)), paths)
        return GuardVerdict("marked" if marked else "pass", tuple(marked), paths)

    def is_unplanned(self, path: str) -> bool:
        """Whether a changed path of the worktree is in none of the plans, and is not generated either."""
        folded = self._index.fold(path)
        if any(plan.may_write(folded) for plan in self._active):
            return False
        return not is_claimed(self._index.generated, folded) or bool(self._others(path))

    def is_sibling(self, path: str) -> bool:
        """Whether a path is a working copy beside a file of the plans, which nobody else has."""
        beside = without_backup_ending(path)
        return bool(beside) and not self.is_unplanned(beside) and not self._others(path)

    def find_unclaimed(self, places: Sequence[Place], doubts: Sequence[str] = ()) -> list[str]:
        """The files that a call writes and nobody has, if the call would pass with a claim on them; none otherwise."""
        denied = [place for place in self._without_permit(list(places)) if self._objection(place)]
        free = list(dict.fromkeys(place.path for place in denied if self._is_claimable(place)))
        if len({place.path for place in denied}) > len(free) or (self._strict and doubts):
            return []
        return free if not any(place.ground == "outside" for place in places) or not self._strict else []

    def _is_claimable(self, place: Place) -> bool:
        """Whether a place is a file, there or not, that a plan can name and nobody has."""
        is_file = place.ground == "tree" and place.kind in {"write", "remove"} and SPECIAL.isdisjoint(place.path)
        return is_file and not self._others(place.path) and not os.path.isdir(os.path.join(place.tree, place.path))

    def _without_permit(self, places: list[Place]) -> list[Place]:
        """Those places that are not permitted: by a plan, by git's rules for ignored files, or as a way back."""
        asked = [place for place in places if self._needs_permit(place)]
        inside = [place for place in asked if place.ground == "tree" and place.kind in {"write", "remove", "sweep"}]
        if not inside:
            return asked
        tree = inside[0].tree
        ignored = ignored_paths(tree, list(dict.fromkeys(place.path for place in inside)))
        removed = {place.path for place in places if place.kind == "remove"}
        return [place for place in asked if place not in inside or not self._is_permitted(place, ignored, removed)]

    def _needs_permit(self, place: Place) -> bool:
        if place.ground in {"guarded", "another tree"}:
            return True
        if place.ground != "tree" or place.kind == "visit":
            return False
        if place.kind == "history":
            return not any(claim.startswith(HISTORY) for plan in self._active for claim in plan.writes)
        if place.kind in {"undo", "clean"} and self.is_unplanned(place.path):
            return bool(self._lost_by(place))
        return self.is_unplanned(place.path)

    def _is_permitted(self, place: Place, ignored: set[str], removed: set[str]) -> bool:
        path = place.path
        if path in ignored:
            return True
        if place.kind == "sweep":
            return False
        there = os.path.lexists(os.path.join(place.tree, path))
        if place.kind == "remove" and there:
            return self._is_own_change(place)
        if self._others(path) or tracked_paths(place.tree, [path]):
            return False
        is_passing = not there and path in removed  # made and gone again, or moved, in one command line
        return is_passing or self.is_sibling(path)

    def _is_own_change(self, place: Place) -> bool:
        """Whether removing a path undoes a change of this session: a new file, or a working copy of a file that it may write."""
        if tracked_paths(place.tree, [place.path]):
            return False
        return is_way_back(self._unplanned.get(self._index.fold(place.path)), self._session) or self.is_sibling(
            place.path
        )

    def _lost_by(self, place: Place) -> list[str]:
        """What setting a path back would take from others."""
        paths = (undone_paths if place.kind == "undo" else cleaned_paths)(place.tree, place.path)
        return [
            path
            for path in paths
            if self.is_unplanned(path)
            and not is_way_back(self._unplanned.get(self._index.fold(path)), self._session)
            and not (place.kind == "clean" and self.is_sibling(path))
        ]

    def _objection(self, place: Place) -> str:
        if place.kind == "people":
            return f"only a person may {place.path}: ask a person, and go on with what your plan allows"
        if place.ground == "guarded":
            return f"{place.path} arms the guard or belongs to git: ask a person to change it"
        if place.ground == "another tree":
            return f"{place.path} is in another worktree ({place.tree}): work in your own"
        if place.kind == "history":
            return (
                f"{place.path} takes commits or changes away from others: ask a person, "
                f"or revise your plan so that it names {HISTORY}"
            )
        if place.kind in {"undo", "clean"}:
            lost = self._lost_by(place)
            more = f" and {len(lost) - 1} more" if len(lost) > 1 else ""
            return f"{lost[0]}{more} was changed by somebody else, and this would undo it: name your own files"
        is_file = os.path.isfile(os.path.join(place.tree, place.path))
        if place.kind == "sweep" and not is_file and not self._others(place.path):
            return ""
        inside = self._name_inside(place) if os.path.isdir(os.path.join(place.tree, place.path)) else ""
        return f"{place.path} is {self._in_no_plan()}; {inside or self.holder_of(place.path)}"

    def _name_inside(self, place: Place) -> str:
        """Which files of a folder are not the session's, and who has them; those of others come first."""
        inside = dict.fromkeys([*tracked_paths(place.tree, [place.path]), *cleaned_paths(place.tree, place.path)])
        foreign = [path for path in inside if self.is_unplanned(path)]
        held = {path: others[0] for path in foreign if (others := self._others(path))}
        named = [f"{path} ({plan.plan} of {plan.holder} until {_moment(plan.until)})" for path, plan in held.items()]
        named += [f"{path} (no plan has it)" for path in foreign if path not in held]
        if not named:
            return ""
        more = f" and {len(named) - NAMED} more" if len(named) > NAMED else ""
        return f"in it are {', '.join(named[:NAMED])}{more}: name the files that are yours"

    def _others(self, path: str) -> list[PlanExtent]:
        """The active plans of others that have a path."""
        mine = {plan.plan for plan in self._active}
        folded = self._index.fold(path)
        return [
            plan
            for name in self._index.plans
            if name not in mine and (plan := self._index.active(name)) and plan.keeps(folded)
        ]

    def holder_of(self, path: str) -> str:
        """Which other active plan has a path, and what to do."""
        if others := self._others(path):
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


def without_backup_ending(path: str) -> str:
    """The file that a path is a working copy of; empty if it is none.

    >>> without_backup_ending("src/a.py.bak"), without_backup_ending("src/a.py")
    ('src/a.py', '')
    """
    return next((path[: -len(end)] for end in BACKUPS if path.endswith(end) and not path.endswith("/" + end)), "")


def ignored_paths(tree: str, paths: Sequence[str]) -> set[str]:
    """Those of some paths that git ignores, by its own rules: not tracked, and nothing tracked below them."""
    if not paths:
        return set()
    asked = [form for path in paths for form in ((path, f"{path}/") if _may_be_folder(tree, path) else (path,))]
    text = b"\0".join(map(os.fsencode, asked)) + b"\0"
    code, out, _ = end_git(start_git(tree, "check-ignore", "-z", "--stdin", content=text))
    if code not in {0, 1}:
        return set()
    ignored = {name.rstrip("/") for name in names_in(out)}
    return ignored - _holders_of(tracked_paths(tree, sorted(ignored)), ignored)


def tracked_paths(tree: str, paths: Sequence[str]) -> list[str]:
    """The files that git tracks among some paths, and below them."""
    return names_in(git(tree, "ls-files", "-z", "--", *map(_literal, paths))) if paths else []


def undone_paths(tree: str, path: str) -> list[str]:
    """The tracked files below a path that differ from the commit: what setting it back would change."""
    return names_in(git(tree, "diff", "--name-only", "--no-renames", "-z", "HEAD", "--", _literal(path)))


def cleaned_paths(tree: str, path: str) -> list[str]:
    """The files below a path that git neither tracks nor ignores: what cleaning would remove."""
    return names_in(git(tree, "ls-files", "--others", "--exclude-standard", "-z", "--", _literal(path)))


def is_way_back(change: UnplannedChange | None, session: str) -> bool:
    """Whether setting a path back undoes nothing but what a session did to it: it was as committed before."""
    return change is not None and change.session == session and change.was == ""


def _literal(path: str) -> str:
    return f":(literal){path}" if path != "." else "."


def _may_be_folder(tree: str, path: str) -> bool:
    """A rule such as `build/` is about folders, so a path that is not there is asked for as both."""
    return not os.path.lexists(os.path.join(tree, path))


def _holders_of(tracked: Iterable[str], folders: set[str]) -> set[str]:
    return {folder for name in tracked for folder in folders if name == folder or name.startswith(f"{folder}/")}
