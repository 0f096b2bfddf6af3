"""Results that depend on a scenario alone, computed once and kept for the last few scenarios."""

from __future__ import annotations

from functools import lru_cache, wraps
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

    from volition.drama.world.model import Scenario

T = TypeVar("T")


class _Identical:
    """A scenario as the key of a cache: equal to itself alone, whatever it holds."""

    __slots__ = ("scenario",)

    def __init__(self, scenario: Scenario) -> None:
        self.scenario = scenario

    def __hash__(self) -> int:
        return id(self.scenario)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Identical) and self.scenario is other.scenario


def make_once(make: Callable[[Scenario], T]) -> Callable[[Scenario], T]:
    """Let a function return the same result again for the last few scenarios; nobody may change that result."""

    @lru_cache(maxsize=32)
    def make_for(key: _Identical) -> T:
        return make(key.scenario)

    @wraps(make)
    def give(scenario: Scenario) -> T:
        return make_for(_Identical(scenario))

    return give
