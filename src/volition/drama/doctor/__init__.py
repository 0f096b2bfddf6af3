"""What ails a scenario: measured over many evenings, with the settings to change.

examine       measures a scenario against its targets
DoctorReport  the symptoms that were found, with their evidence
find_cure     searches for settings that hold more targets
Cure          the settings that were found, and what they cost
"""

from volition.drama.doctor.cure import Cure, find_cure
from volition.drama.doctor.report import DoctorReport, examine

__all__ = [  # noqa: RUF022  in the order of the page above
    "examine",
    "DoctorReport",
    "find_cure",
    "Cure",
]
