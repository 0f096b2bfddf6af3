"""What a defect is: the good executor with one change, and the checks that must notice it."""

from __future__ import annotations

from typing import ClassVar

from tests.execution.conformance.subject import Frame, Subject


class Defect(Subject):
    """`caught_by` are the checks that are made for it; in `also` the same change may show too.

    `needs` are groups of other checks after which it shows.
    """

    caught_by: ClassVar[set[str]]
    also: ClassVar[set[str]] = set()
    needs: ClassVar[set[str]] = set()

    @classmethod
    def groups(cls) -> set[str]:
        """The groups of checks that catch it. What was said before is judged by conduct, so that something must be."""
        own = {name.partition(".")[0] for name in cls.caught_by}
        return own | cls.needs | ({"opening", "intents", "cancel", "stop"} if "conduct" in own else set())


def parts(frame: Frame) -> tuple[Frame, Frame, Frame]:
    """The flags, outcomes and metadata of a result frame, to be changed."""
    inner = frame["result"]
    return inner["safety_flags"], inner["outcomes"], inner["metadata"]
