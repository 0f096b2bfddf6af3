"""The matrix of faults: every combination of store, target and kind of fault, and the moment that a seed chooses.

A seed fixes the whole case. The moment at which a signal meets a process still depends on the machine, so a case that
failed may have to be run several times before it fails again.

| fault | what happens |
|---|---|
| kill driver | SIGKILL |
| stop driver | SIGSTOP until another driver has taken the flow over, then SIGCONT |
| slow effect | one effect takes longer than the deadline of its binding |
| lost connection | on the way to the target, or before or after the effect; a function raises instead |
| kill executor | SIGKILL of the target, which is started again |
| stop server | `pg_ctl -m immediate stop`, and start |
| full disk | the driver may not let the registry's log grow (RLIMIT_FSIZE, which needs no privilege), then it may again |

A function runs in its driver, so it has no process that could be killed separately. Only a PostgreSQL server can be stopped,
and only in SQLite does the driver itself write the registry's files.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from random import Random
from typing import Final

NODES: Final = {"first": "HOLD", "second": "JUMP", "third": "EVADE"}
"""The three nodes of each flow by the names of their bindings, with the intents that they ask for."""
STORES: Final = ("sqlite", "postgresql")
TARGETS: Final = ("bridge", "forgetful", "function", "http")
"""An executor that remembers requests, one that does not, a function of the driver, and an HTTP server that remembers."""
FAULTS: Final = (
    "kill driver", "stop driver", "slow effect", "lost connection", "kill executor", "stop server", "full disk",
)  # fmt: skip
LOSSES: Final = ("on the way", "before the effect", "after the effect")
LEASE: Final = 0.3
DEADLINE: Final = 0.2


def can_happen(store: str, target: str, fault: str) -> bool:
    """Whether there is something that this fault could hit."""
    impossible = {
        "kill executor": target == "function",
        "stop server": store == "sqlite",
        "full disk": store == "postgresql",
    }
    return not impossible.get(fault, False)


def _combinations() -> list[tuple[str, str, str]]:
    """All combinations in a fixed order in which neighbours differ, so that a short run meets all kinds."""
    found = [each for each in product(STORES, TARGETS, FAULTS) if can_happen(*each)]
    Random(0).shuffle(found)
    return found


COMBINATIONS: Final = _combinations()


@dataclass(frozen=True, slots=True)
class FaultCase:
    """One flow of three nodes, and one fault that hits it. Times are in seconds."""

    seed: int
    store: str
    target: str
    fault: str
    begun: int
    """The fault comes once this many effects have begun,"""
    delay: float
    """and this much later."""
    away: float
    """How long what was killed or filled stays so; how long a driver sleeps after it was taken over."""
    before: float
    """How long an effect takes until it happens,"""
    after: float
    """and from then until it is answered."""
    node: str
    """The node whose effect is slow, or whose connection is lost."""
    slow: bool
    """Whether that effect is slow; an effect that takes long makes room for other faults too."""
    slowness: float
    """How many deadlines a slow effect takes,"""
    share: float
    """and at which part of this time it happens."""
    loss: str
    rival: bool
    """Whether a second driver runs beside the first."""
    at_once: int
    retries: int
    room: int
    """Bytes that are left on the full disk."""

    def __str__(self) -> str:
        at_node = self.fault in {"slow effect", "lost connection"}
        how = f" of {self.node}" if at_node else f" {self.delay:.3f} s after {self.begun} effects began"
        how += f", {self.loss}" if self.fault == "lost connection" else ""
        how += f", {self.node} slow" if self.slow and not at_node else ""
        drivers = "two drivers" if self.rival else "one driver"
        return (
            f"{self.store}, {self.target}: {self.fault}{how}; {drivers}, {self.at_once} at once, {self.retries} retries"
        )


def make_case(seed: int) -> FaultCase:
    """The case of a seed: one combination after the other, and everything else by chance.

    >>> make_case(7) == make_case(7)
    True
    """
    store, target, fault = COMBINATIONS[seed % len(COMBINATIONS)]
    chance = Random(seed)
    node, begun, slowness = chance.choice(tuple(NODES)), chance.randrange(4), chance.uniform(1.1, 7.0)
    delay = chance.uniform(0.0, 0.12 if begun else 0.3)
    slow = chance.random() < 0.4 and fault in {"kill driver", "stop driver", "kill executor"}
    if slow:  # the other fault comes while this effect is under way, or soon after
        begun, delay = [*NODES].index(node) + 1, chance.uniform(0.0, 1.2 * slowness * DEADLINE)
    if slow and fault == "stop driver":  # the effect is still under way when the lease is over
        slowness, delay = slowness + 3.5, delay / 4
    return FaultCase(
        seed, store, target, fault, begun, delay,
        away=chance.uniform(0.0, 0.25),
        before=chance.uniform(0.0, 0.03),
        after=chance.uniform(0.0, 0.03),
        node=node,
        slow=slow or fault == "slow effect",
        slowness=slowness,
        share=chance.random(),
        loss=chance.choice(LOSSES),
        rival=fault == "stop driver" or chance.random() < 0.5,
        at_once=chance.choice((1, 4)),
        retries=chance.choice((0, 0, 1)),
        room=chance.randrange(0, 12_000),
    )  # fmt: skip
