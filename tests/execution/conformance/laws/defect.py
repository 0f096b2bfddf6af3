"""What a defect is: the good executor with one change, and the checks that must notice it."""

from __future__ import annotations

from typing import ClassVar

from tests.execution.conformance.subject import Frame, Subject


class Defect(Subject):
    """`caught_by` are the checks that are made for it; in `also` the same change may show too.

    `needs` are other checks, or groups of them, after which it shows.
    """

    caught_by: ClassVar[set[str]]
    also: ClassVar[set[str]] = set()
    needs: ClassVar[set[str]] = set()

    @classmethod
    def laws(cls) -> set[str]:
        """The checks that catch it, and those after which it shows: conduct judges what was said before."""
        talk = {"intents", "stop"} if "conduct" in cls._groups() else set()
        return cls.caught_by | cls.needs | talk

    @classmethod
    def neighbours(cls) -> set[str]:
        """The same, with whole groups in the place of the checks that catch it."""
        return cls.laws() | cls._groups()

    @classmethod
    def _groups(cls) -> set[str]:
        return {name.partition(".")[0] for name in cls.caught_by}


def parts(frame: Frame) -> tuple[Frame, Frame, Frame]:
    """The flags, outcomes and metadata of a result frame, to be changed."""
    inner = frame["result"]
    return inner["safety_flags"], inner["outcomes"], inner["metadata"]
