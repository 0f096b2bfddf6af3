"""The laws of the contract, in groups."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable

    from volition.execution.conformance.bed import TestBed


Trial: TypeAlias = "Callable[[TestBed], None]"
"""Tries a law: returns where it holds; raises Breaks, or NotApplicable where it cannot be tried."""


@dataclass(frozen=True, slots=True)
class Check:
    """One law: its name (`group.law`), its statement, its section of the protocol, and its trial."""

    name: str
    law: str
    section: str
    trial: Trial


class Group:
    """Checks that belong together, in order."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.checks: list[Check] = []

    def law(self, section: str) -> Callable[[Trial], Trial]:
        """Register a function as a check: its name is the check's, its docstring is the law."""

        def register(trial: Trial) -> Trial:
            self.add(trial.__name__, " ".join((trial.__doc__ or "").split()), section, trial)
            return trial

        return register

    def add(self, name: str, law: str, section: str, trial: Trial) -> None:
        self.checks.append(Check(f"{self.name}.{name}", law, section, trial))
