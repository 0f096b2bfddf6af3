"""The conformance kit: tries the laws of the protocol on an executor.

check   tries the laws on an executor
Report  which laws hold, which are broken and why
CHECKS  all laws
Probe   what the kit may know about a world
"""

from volition.execution.conformance.kit import check
from volition.execution.conformance.laws import CHECKS
from volition.execution.conformance.verdict import Report
from volition.execution.wire.probe import Probe

__all__ = [  # noqa: RUF022  in the order of the page above
    "check",
    "Report",
    "CHECKS",
    "Probe",
]
