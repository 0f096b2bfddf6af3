"""The files that a patch in the form of `apply_patch` touches: those it adds, updates, deletes and moves to."""

from __future__ import annotations

from volition.agents.guard.lean import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Final


BEGIN: Final = "*** Begin Patch"
_HEADS: Final = ("*** Add File: ", "*** Update File: ", "*** Delete File: ", "*** Move to: ")


def patched_files(text: str) -> tuple[str, ...]:
    """All paths that the patch names, in order; relative to the folder where it is applied.

    >>> patched_files("*** Begin Patch\\n*** Update File: a.py\\n*** Move to: b.py\\n@@\\n-x\\n+y\\n*** End Patch")
    ('a.py', 'b.py')
    """
    lines = (line.strip() for line in text.splitlines())
    found = (line[len(head) :].strip() for line in lines for head in _HEADS if line.startswith(head))
    return tuple(dict.fromkeys(found))
