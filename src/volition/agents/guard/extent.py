"""Extents: what plans may write, as paths from the root of the repository, each with everything below it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable

WHOLE: Final = "."


class PlanExtent(NamedTuple):
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
        return covers(self.writes, path)

    def keeps(self, path: str) -> bool:
        """Whether the plan writes or locks a path."""
        return covers(self.writes, path) or covers(self.locks, path)


def covers(extent: Iterable[str], path: str) -> bool:
    """Whether a path is in an extent, by whole segments.

    >>> covers(["src/api"], "src/api/a.py"), covers(["src/api"], "src/api2"), covers(["src/api"], "src")
    (True, False, False)
    """
    return any(one in {path, WHOLE} or path.startswith(f"{one}/") for one in extent)


def read_extent(plan: str, data: dict[str, Any]) -> PlanExtent:
    """A plan of the index file."""
    return PlanExtent(
        plan, str(data["title"]), str(data["holder"]), str(data["state"]), int(data["until"]),
        tuple(map(str, data["writes"])), tuple(map(str, data["locks"])),
    )  # fmt: skip
