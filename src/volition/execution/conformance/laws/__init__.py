"""Every law of the protocol, in the order in which they are tried.

A group is tried as a whole; several files may hold laws of one group, and those of `conduct` come last, over every line of
the run.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from volition.core.errors import did_you_mean, refuse
from volition.execution.conformance.laws.conduct import CONDUCT
from volition.execution.conformance.laws.control import CANCEL, STOP
from volition.execution.conformance.laws.endings import ENDINGS
from volition.execution.conformance.laws.episodes import EPISODES
from volition.execution.conformance.laws.fights import DEATHS, FIGHTS
from volition.execution.conformance.laws.handshake import HANDSHAKE, OPENING
from volition.execution.conformance.laws.heartbeat import DEAD_MAN, GOODBYE, HEARTBEAT
from volition.execution.conformance.laws.history import HISTORY
from volition.execution.conformance.laws.intents import DEADLINES, IDS, INTENTS, WINDOW
from volition.execution.conformance.laws.lines import FRAMING, ROBUSTNESS
from volition.execution.conformance.laws.observers import OBSERVE
from volition.execution.conformance.laws.offers import DECLARED, OFFERED
from volition.execution.conformance.laws.places import PLACES
from volition.execution.conformance.laws.requests import REQUESTS
from volition.execution.conformance.laws.restart import RESTART
from volition.execution.conformance.laws.soak import SOAK
from volition.execution.conformance.laws.states import SHOWN, STATES
from volition.execution.conformance.laws.truth import TRUTH

if TYPE_CHECKING:
    from collections.abc import Iterable

    from volition.execution.conformance.law import Check

GROUPS: Final = (
    HANDSHAKE, OPENING, FRAMING, INTENTS, DECLARED, IDS, DEADLINES, WINDOW, CANCEL, STOP, HEARTBEAT, DEAD_MAN, GOODBYE,
    OBSERVE, REQUESTS, EPISODES, PLACES, TRUTH, FIGHTS, ENDINGS, STATES, DEATHS, SHOWN, SOAK, ROBUSTNESS, RESTART, CONDUCT,
    HISTORY, OFFERED,
)  # fmt: skip
CHECKS: Final[tuple[Check, ...]] = tuple(check for group in GROUPS for check in group.checks)


def select_checks(only: Iterable[str] | None) -> tuple[Check, ...]:
    """The checks of these names or groups, in their order; InvalidInput where a name is neither."""
    if only is None:
        return CHECKS
    names = list(only)
    known = [*(group.name for group in GROUPS), *(check.name for check in CHECKS)]
    for name in names:
        if name not in known:
            refuse(
                f"{name!r} is not a check",
                where="only",
                expected="the name of a check or of a group",
                remedy=did_you_mean(name, known),
            )
    return tuple(check for check in CHECKS if check.name in names or check.name.partition(".")[0] in names)
