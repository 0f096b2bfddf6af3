"""A law of the contract, and the groups in which they are tried."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable

    from volition.execution.conformance.bench import Bench

Trial: TypeAlias = "Callable[[Bench], None]"
"""Tries a law: it returns where the law holds, and raises Breaks or NotApplicable where it does not."""


@dataclass(frozen=True, slots=True)
class Check:
    """One law: its name (`group.law`), what it says in a sentence, where the protocol says so, and its trial."""

    name: str
    law: str
    section: str
    trial: Trial


class Group:
    """Checks that belong together, in the order in which they are tried."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.checks: list[Check] = []

    def law(self, section: str) -> Callable[[Trial], Trial]:
        """Take a function as a check: its name is the check's, its docstring is the law."""

        def take(trial: Trial) -> Trial:
            self.add(trial.__name__, " ".join((trial.__doc__ or "").split()), section, trial)
            return trial

        return take

    def add(self, name: str, law: str, section: str, trial: Trial) -> None:
        self.checks.append(Check(f"{self.name}.{name}", law, section, trial))
