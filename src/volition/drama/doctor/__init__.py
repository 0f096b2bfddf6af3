"""What is wrong with a scenario, seen in the measures of many evenings, and which settings to change."""

from volition.drama.doctor.case import Evidence, Symptom
from volition.drama.doctor.cure import Cure, find_cure
from volition.drama.doctor.report import DoctorReport, examine
from volition.drama.doctor.targets import Target

__all__ = ["Cure", "DoctorReport", "Evidence", "Symptom", "Target", "examine", "find_cure"]
