"""Which of several phrases: by keyed chance, and none again that was just heard."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from volition.core.chance import stream, uid, uniform, word

if TYPE_CHECKING:
    from collections.abc import Sequence

Phrase = TypeVar("Phrase")


class Picker:
    """Picks phrases for one telling of a run.

    What it picks depends on the seed, the event, the pool and what was picked from that pool before: the same telling
    gives the same phrases. Two thirds of a pool go by before a phrase comes again.
    """

    def __init__(self, seed: int) -> None:
        self._seed = seed
        self._heard: dict[str, list[int]] = {}

    def pick(self, pool: str, phrases: Sequence[Phrase], event: str) -> Phrase:
        """One of the phrases of a pool, for an event."""
        heard = self._heard.setdefault(pool, [])
        index = word(self._key(event, pool), uid("phrase")) % len(phrases)
        while index in heard:
            index = (index + 1) % len(phrases)
        heard.append(index)
        del heard[: max(0, len(heard) - len(phrases) * 2 // 3)]
        return phrases[index]

    def chance(self, purpose: str, event: str) -> float:
        """A number in [0, 1) for an event and a purpose."""
        return uniform(word(self._key(event, purpose), uid("chance")))

    def _key(self, event: str, purpose: str) -> int:
        return stream(self._seed, 0, uid(event), uid(purpose))
