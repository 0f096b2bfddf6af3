"""Changes line by line: which parts of files a change touches, for plans that claim parts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from volition.agents.guard.git import git

if TYPE_CHECKING:
    from collections.abc import Sequence

    from volition.agents.check.changes import Changes


def touched_parts_of(tree: str, changes: Changes, paths: Sequence[str]) -> dict[str, list[str]]:
    """Path -> what a change touches in it, as claims; a path is missing where git was not asked line by line."""
    from volition.governance.claims.names import split_part  # noqa: PLC0415  most checks need none of this
    from volition.governance.outline.diffs import WHOLE_DIFF, read_diff, whole_texts  # noqa: PLC0415
    from volition.governance.outline.touched import touched_by  # noqa: PLC0415

    found: dict[str, list[str]] = {}
    for command, *arguments in changes.diffs:
        printed = git(tree, command, *WHOLE_DIFF, *arguments, "--", *(f":(literal){path}" for path in paths))
        touched = touched_by(read_diff(printed), whole_texts)
        renamed = [path for names in touched.renames.items() for path in names]
        for claim in (*touched.files, *touched.removes, *renamed):
            found.setdefault(split_part(claim)[0], []).append(claim)
    return {path: list(dict.fromkeys(claims)) for path, claims in found.items()}
