"""What a defect is: the good executor with one change, and the checks that must notice it."""

from __future__ import annotations

from typing import ClassVar

from tests.execution.conformance.subject import Frame, Subject


class Defect(Subject):
    """`caught_by` are the checks that are made for it; in `also` the same change may show too."""

    caught_by: ClassVar[set[str]]
    also: ClassVar[set[str]] = set()


def parts(frame: Frame) -> tuple[Frame, Frame, Frame]:
    """The flags, outcomes and metadata of a result frame, to be changed."""
    inner = frame["result"]
    return inner["safety_flags"], inner["outcomes"], inner["metadata"]
