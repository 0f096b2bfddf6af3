"""Extents: what plans may write, as claims from the root of the repository: paths and patterns, each with everything
below it, and parts of files. Who claims a part of a file may write the file; a check of the change judges its lines."""

from __future__ import annotations

from volition.agents.guard.lean import TYPE_CHECKING, LeanTuple

if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any, Final

_SPECIAL: Final = frozenset("*?[{#")


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
    if _SPECIAL.isdisjoint(claim):
        return claim in {path, "."} or path.startswith(f"{claim}/")
    from volition.governance.claims.algebra import claims_file

    return claims_file(claim, path)


def read_extent(plan: str, data: dict[str, Any]) -> PlanExtent:
    """A plan of the index file."""
    return PlanExtent(
        plan, str(data["title"]), str(data["holder"]), str(data["state"]), int(data["until"]),
        tuple(map(str, data["writes"])), tuple(map(str, data["locks"])),
    )  # fmt: skip
