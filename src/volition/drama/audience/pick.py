"""Picking phrases by keyed chance, without repeating those used before."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from volition.core.chance import stream, uid, uniform, word

if TYPE_CHECKING:
    from collections.abc import Sequence

    from volition.drama.words.phrase import Phrase


class Picker:
    """Picks phrases for one transcript.

    A pick depends on the seed, the tick, the event, its purpose, and how often each phrase was used before, so the same
    transcript gets the same phrases. None is used again while another one that fits has been used less often, nor, if all
    were used as often, while half of them were used longer ago; of those that are left, one with more conditions is more
    likely, because it says more.
    """

    def __init__(self, seed: int) -> None:
        self._seed = seed
        self._used: Counter[tuple[str, ...]] = Counter()
        self._picks, self._last = 0, dict[tuple[str, ...], int]()

    def pick(self, phrases: Sequence[Phrase], tick: int, event: str, purpose: str) -> Phrase:
        """One of some phrases that fit an event."""
        least = min(self._used[phrase.parts] for phrase in phrases)
        fresh = [phrase for phrase in phrases if self._used[phrase.parts] == least]
        if least > 0:
            fresh = self._longest_unused(fresh)
        left = self.chance(tick, event, purpose) * sum(phrase.weight for phrase in fresh)
        for phrase in fresh:
            left -= phrase.weight
            if left < 0.0:
                break
        self._used[phrase.parts] += 1
        self._picks += 1
        self._last[phrase.parts] = self._picks
        return phrase

    def _longest_unused(self, phrases: Sequence[Phrase]) -> list[Phrase]:
        """The half of some phrases that were used longest ago, in the order given."""
        times = sorted(self._last[phrase.parts] for phrase in phrases)
        return [phrase for phrase in phrases if self._last[phrase.parts] <= times[(len(times) - 1) // 2]]

    def has_used(self, phrase: Phrase) -> bool:
        """Whether a phrase was picked before."""
        return self._used[phrase.parts] > 0

    def choose(self, people: Sequence[str], tick: int, event: str, purpose: str) -> str | None:
        """One of some people; None if there are none."""
        return people[int(self.chance(tick, event, purpose) * len(people))] if people else None

    def chance(self, tick: int, event: str, purpose: str) -> float:
        """A random number in [0, 1) for an event and a purpose."""
        return uniform(word(stream(self._seed, tick, uid(event), uid(purpose)), uid("phrase")))
