"""The conformance kit: drives an executor through the whole contract, and reports which laws hold and which break."""

from __future__ import annotations

from volition.execution.conformance.kit import check
from volition.execution.conformance.law import Check
from volition.execution.conformance.laws import CHECKS, select_checks
from volition.execution.conformance.verdict import CheckResult, EvidenceLine, LawVerdict, Report
from volition.execution.wire.probe import Probe, ProbeTarget, Sight

__all__ = [  # noqa: RUF022  grouped as a reader meets them
    # to test an executor
    "check", "Report", "CheckResult", "EvidenceLine", "LawVerdict",
    # the laws
    "Check", "CHECKS", "select_checks",
    # what is known about a world
    "Probe", "Sight", "ProbeTarget",
]  # fmt: skip
