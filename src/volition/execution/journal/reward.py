"""The reward of an attempt: named parts and their sum.

A reward is about one attempt only. SUCCESS says that the attempt was made, never that a goal was met, so by itself it is
worth little; what counts is what changed in the world. The reward of a failure is always negative.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import fsum, isfinite
from typing import TYPE_CHECKING, Final, TypeAlias, get_args

from msgspec import Struct
from msgspec.structs import fields

from volition.core.errors import InvalidInput, Problems, format_value
from volition.execution.wire.results import Label

if TYPE_CHECKING:
    from volition.execution.wire.request import Outcome
    from volition.execution.wire.results import Result

LABELS: Final[tuple[Label, ...]] = get_args(Label)


class Reward(Struct, frozen=True):
    """A total and the named parts that it is the exact sum of.

    >>> Reward.of({"goal": 1.0, "time": -0.25})
    Reward(total=0.75, parts={'goal': 1.0, 'time': -0.25})
    """

    total: float
    parts: dict[str, float]

    @classmethod
    def of(cls, parts: Mapping[str, float]) -> Reward:
        """The reward of these parts."""
        return cls(fsum(parts.values()), dict(parts))


RewardFunction: TypeAlias = Callable[["Outcome"], Reward]
"""Outcome -> reward, which must be finite, and below 0 for a FAILURE."""


def is_death(result: Result) -> bool:
    """Whether the actor died during the attempt; where it was dead before, the environment is invalid."""
    return not result.outcomes.is_alive and not result.safety_flags.invalid_environment


class RewardWeights(Struct, frozen=True, kw_only=True):
    """The default reward function; its fields are the weights, and any of them may be set.

    Each label has its weight. `dealt` and `received` are per point of damage, from -1 to 1; `wasted` and `death` are added
    where they apply. Damage dealt does not count in a failure: that attempt did not cause it.

    >>> RewardWeights(intercepted=0.1)
    Traceback (most recent call last):
    ...
    volition.core.errors.InvalidInput: the weight of 'intercepted' is 0.1
      where:    intercepted
      expected: a finite number below 0
      remedy:   a failure must cost something to be a lesson
    """

    positive: float = 0.05
    partial: float = 0.0
    environmental_constraint: float = -0.1
    out_of_sync: float = -0.2
    unknown: float = -0.2
    timeout: float = -0.3
    malformed: float = -0.3
    refused_retry: float = -0.3
    intercepted: float = -0.5
    dealt: float = 0.01
    received: float = -0.01
    wasted: float = -0.05
    death: float = -1.0

    def __post_init__(self) -> None:
        problems = Problems()
        for field in fields(self):
            value = getattr(self, field.name)
            holds, expected = _RULES.get(field.name, _FAILURE)
            if isinstance(value, bool) or not isinstance(value, int | float) or not isfinite(value) or not holds(value):
                problems.add(
                    f"the weight of {field.name!r} is {format_value(value)}",
                    where=field.name,
                    expected=expected,
                    remedy="a failure must cost something to be a lesson"
                    if field.name not in _RULES
                    else "leave it out to take the default",
                )
        problems.raise_if_any(InvalidInput)

    def __call__(self, outcome: Outcome) -> Reward:
        """The reward of an outcome; parts that are 0 are left out."""
        result = outcome.result
        outcomes = result.outcomes
        parts: dict[str, float] = {}
        failed = result.status == "FAILURE"
        # In lenient mode a failure may carry the label of another status, which the reader had to correct: the status decides.
        label = "unknown" if failed and outcome.label in {"positive", "partial"} else outcome.label
        if status := getattr(self, label):
            parts["status"] = status
        if outcomes.damage_dealt and not failed:
            parts["dealt"] = self.dealt * outcomes.damage_dealt
        if outcomes.damage_received:
            parts["received"] = self.received * outcomes.damage_received
        if outcomes.action_wasted:
            parts["wasted"] = self.wasted
        if is_death(result):
            parts["death"] = self.death
        return Reward.of(parts)


_FAILURE: Final = (lambda value: value < 0, "a finite number below 0")
_COST: Final = (lambda value: value <= 0, "a finite number, 0 or less")
_RULES: Final[dict[str, tuple[Callable[[float], bool], str]]] = {
    "positive": (lambda value: value >= 0, "a finite number, 0 or more"),
    "partial": (lambda value: True, "a finite number"),
    "dealt": (lambda value: 0 <= value <= 1, "a number from 0 to 1"),
    "received": (lambda value: -1 <= value <= 0, "a number from -1 to 0"),
    "wasted": _COST,
    "death": _COST,
}

USUAL: Final = RewardWeights()
"""The reward function used by default."""


def fault_of(reward: object, result: Result) -> str:
    """What is wrong with the value of a reward function for this result; empty where nothing is."""
    if not isinstance(reward, Reward):
        return f"{format_value(reward)} is not a Reward"
    numbers = (reward.total, *reward.parts.values())
    if not all(isinstance(number, int | float) and isfinite(number) for number in numbers):
        return f"{format_value(reward)} is not finite"
    if not all(isinstance(name, str) for name in reward.parts):
        return f"{format_value(reward.parts)} has a part without a name"
    if reward.total != fsum(reward.parts.values()):
        return f"{format_value(reward)} is not the sum of its parts"
    if result.status == "FAILURE" and not reward.total < 0:
        return f"{reward.total} for a FAILURE, which must be below 0"
    return ""
