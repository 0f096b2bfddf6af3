"""By which version of the rules something was judged: only what this program knows is judged again, and nobody goes back."""

from __future__ import annotations

from volition.workflow.team.registration import JUDGEMENT, JUDGEMENTS


class VersionCheck:
    """Follows the versions in the events of a project."""

    def __init__(self) -> None:
        self.not_judged = 0
        """How many judgements are of an older version, so that they cannot be repeated."""
        self._newest = 0

    def fault(self, version: str) -> str:
        """Why something cannot have been judged by a version: it is unknown, or older than one before; empty if it can."""
        if version not in JUDGEMENTS:
            return f"it was judged by version {version!r} of the rules, and this program knows {', '.join(JUDGEMENTS)}"
        place = JUDGEMENTS.index(version)
        if place < self._newest:
            return f"it was judged by version {version!r} of the rules, after {JUDGEMENTS[self._newest]!r} was in use"
        self._newest = place
        return ""

    def judges(self, version: str) -> bool:
        """Whether what was judged by a version is judged again; counted if it is not."""
        self.not_judged += version != JUDGEMENT
        return version == JUDGEMENT
