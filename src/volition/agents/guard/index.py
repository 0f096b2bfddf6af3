"""The registry's index as the guard reads it: what each open plan may write, in a small file that is trusted only while it is
known to be fresh.

A registry in a file: the index is fresh if the registry was not written after it. If it was, or the clocks are in doubt,
the number of the last event is compared; if that differs, the index is made again. So a verdict is by the registry as it
is. A registry on a server: the index is a copy on this machine, made again when it is older than `OLDEST`; a verdict is by
the registry as it was at most that long ago. If it cannot be made again, nothing can be judged, and the answer is no.

What a plan may write are claims from the root of the repository: paths and patterns, each with everything below it, and
parts of files. Who claims a part of a file may write the file; a check of the change judges its lines.
"""

from __future__ import annotations

import os
import time

from volition.agents.guard.git import ignores_case
from volition.agents.guard.lean import TYPE_CHECKING, LeanTuple
from volition.agents.guard.place import fold_path
from volition.agents.guard.setting import GuardFailure, GuardSetting, read_object

if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any, Final


OLDEST: Final = 15.0
"""Seconds for which the copy of a registry on a server is used."""
MARGIN: Final = 20_000_000
"""Nanoseconds by which the index has to be newer than the registry: file systems keep time in steps."""
FORMAT: Final = 1
SPECIAL: Final = frozenset("*?[{#")
"""Characters by which a claim is more than a path: wildcards, and the mark before a part."""


class RegistryUnreachable(GuardFailure):
    """What the registry says cannot be known."""


class PlanExtent(LeanTuple):
    """An open plan as the index has it: whose it is, until when (in milliseconds), what it may write and what it keeps
    others from writing."""

    plan: str
    title: str
    holder: str
    state: str
    until: int
    writes: tuple[str, ...]
    locks: tuple[str, ...]

    def may_write(self, path: str) -> bool:
        """Whether a path is one that the plan writes, or lies in one."""
        return is_claimed(self.writes, path)

    def keeps(self, path: str) -> bool:
        """Whether the plan writes or locks a path."""
        return is_claimed(self.writes, path) or is_claimed(self.locks, path)


def is_claimed(extent: Iterable[str], path: str) -> bool:
    """Whether a file is in an extent, or a part of it is.

    >>> is_claimed(["src/api"], "src/api/a.py"), is_claimed(["src/api"], "src/api2"), is_claimed(["*.md"], "a.md")
    (True, False, True)
    """
    return any(_claims(claim, path) for claim in extent)


def _claims(claim: str, path: str) -> bool:
    """As the algebra of claims has it, which most claims do not need: a path without wildcards or a part is compared as text."""
    if SPECIAL.isdisjoint(claim):
        return claim in {path, "."} or path.startswith(f"{claim}/")
    from volition.governance.claims.algebra import claims_file

    return claims_file(claim, path)


def read_extent(plan: str, data: dict[str, Any]) -> PlanExtent:
    """A plan of the index file."""
    return PlanExtent(
        plan, str(data["title"]), str(data["holder"]), str(data["state"]), int(data["until"]),
        tuple(map(str, data["writes"])), tuple(map(str, data["locks"])),
    )  # fmt: skip


class TeamIndex(LeanTuple):
    """The open plans of a project, and the time by the registry's clock, in milliseconds."""

    plans: dict[str, PlanExtent]
    now: int
    ignore_case: bool
    """Whether the project's policy or the repository takes names for the same that differ in case."""
    generated: tuple[str, ...] = ()
    """Claims on files that the project's policy calls generated: they need no plan."""

    def active(self, plan: str) -> PlanExtent | None:
        """A plan that is granted, and whose lease lasts; None otherwise."""
        extent = self.plans.get(plan)
        return extent if extent and extent.state == "active" and extent.until > self.now else None

    def fold(self, path: str) -> str:
        """A path as claims are written: composed, as macOS may not have it, and in lower case if case does not matter."""
        return fold_path(path, ignore_case=self.ignore_case)


def read_index(setting: GuardSetting) -> TeamIndex:
    """The fresh index of the project; GuardFailure if there is none."""
    on_server = "://" in setting.registry
    data = _read(setting)
    fresh = _is_recent(data) if on_server else _is_newer(setting, data)
    if not fresh or "generated" not in data.get("projects", {}).get(setting.project, {}):
        make_index(setting)
        data = _read(setting)
    project = data.get("projects", {}).get(setting.project)
    if project is None:
        raise RegistryUnreachable(
            f"the registry {setting.registry} has no project {setting.project!r}: register a plan first"
        )
    try:
        plans = {name: read_extent(name, plan) for name, plan in project["plans"].items()}
        now = int(time.time() * 1000) + int(data["ahead"])
        index = TeamIndex(plans, now, bool(project["ignore_case"]), tuple(map(str, project["generated"])))
    except (KeyError, TypeError, ValueError, AttributeError):
        raise RegistryUnreachable(f"{setting.index_file} is broken: remove it") from None
    return index if index.ignore_case or not ignores_case(setting.common) else _without_case(index)


def _without_case(index: TeamIndex) -> TeamIndex:
    """The index of a project whose policy tells names apart by case, for a repository that cannot."""
    plans = {
        name: plan._replace(writes=tuple(map(str.lower, plan.writes)), locks=tuple(map(str.lower, plan.locks)))
        for name, plan in index.plans.items()
    }
    return TeamIndex(plans, index.now, ignore_case=True, generated=tuple(map(str.lower, index.generated)))


def make_index(setting: GuardSetting) -> None:
    """Make the index again from the registry; this takes a second, and is rarely needed."""
    from volition.workflow.store.address import parse_store_address  # heavy
    from volition.workflow.store.database import Store
    from volition.workflow.team.guard_index import write_index

    if "://" not in setting.registry and not os.path.exists(setting.registry):
        raise RegistryUnreachable(
            f"there is no registry {setting.registry}: restore it, or run: volition agents install"
        )
    try:
        with Store(parse_store_address(setting.registry), new=False, patience=2.0) as store:
            write_index(store, setting.project)
    except Exception as error:  # noqa: BLE001  whatever it is, there is no verdict
        first = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise RegistryUnreachable(
            f"the registry {setting.registry.rpartition('@')[2]} cannot be read: {first}"
        ) from None


def _read(setting: GuardSetting) -> dict[str, Any]:
    """What the file says; nothing if it is missing, broken or of another version."""
    try:
        data = read_object(setting.index_file)
    except GuardFailure:
        return {}
    return data if data and data.get("format") == FORMAT else {}


def _is_recent(data: dict[str, Any]) -> bool:
    made = data.get("made")
    return isinstance(made, int) and 0 <= time.time() * 1000 - made <= OLDEST * 1000


def _is_newer(setting: GuardSetting, data: dict[str, Any]) -> bool:
    """Whether the index shows everything that the registry in a file has; GuardFailure if the file is gone."""
    try:
        written = max(_written_at(setting.registry), _written_at(f"{setting.registry}-wal", missing=0))
        made = _written_at(setting.index_file, missing=0)
    except OSError as error:
        raise RegistryUnreachable(f"the registry {setting.registry} cannot be read ({error.strerror})") from None
    if data.get("made", 0) / 1000 > time.time() + 1:
        return False  # the clock went back, and leases are cut when the index is made
    if written + MARGIN <= made <= time.time_ns() + 1_000_000_000:
        return True
    start = time.time_ns()
    if _last_event(setting) != data.get("projects", {}).get(setting.project, {}).get("seq"):
        return False
    os.utime(setting.index_file, ns=(start, start))
    return True


def _last_event(setting: GuardSetting) -> int | None:
    """The number of the project's last event, read without the workflow; None if that is not possible."""
    import sqlite3  # only where the times of files leave a doubt

    place = setting.registry.replace("%", "%25").replace("?", "%3f").replace("#", "%23")
    try:
        connection = sqlite3.connect(f"file:{place}?mode=ro", uri=True, timeout=1.0)
        try:
            row = connection.execute("SELECT seq FROM project WHERE project = ?", (setting.project,)).fetchone()
        finally:
            connection.close()
    except sqlite3.Error:
        return None
    return int(row[0]) if row else None


def _written_at(file: str, missing: int | None = None) -> int:
    try:
        return os.stat(file).st_mtime_ns
    except FileNotFoundError:
        if missing is None:
            raise
        return missing
