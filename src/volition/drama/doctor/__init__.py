"""What ails a scenario: measured over many evenings, with the settings to change.

Examining:
    examine    measures a scenario against its targets
    find_cure  searches for settings that hold more targets
"""

from volition.drama.doctor.cure import find_cure
from volition.drama.doctor.report import examine

__all__ = [
    "examine",
    "find_cure",
]
