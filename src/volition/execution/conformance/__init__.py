"""The conformance kit: tries the laws of the protocol on an executor.

Testing an executor:
    check  tries the laws on an executor
    Probe  what the kit may know about a world
"""

from volition.execution.conformance.kit import check
from volition.execution.wire.probe import Probe

__all__ = [  # noqa: RUF022  in the order of the page above
    "check",
    "Probe",
]
