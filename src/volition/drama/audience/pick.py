"""Picking phrases by keyed chance, without repeating recent ones."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from volition.core.chance import stream, uid, uniform, word

if TYPE_CHECKING:
    from collections.abc import Sequence

Phrase = TypeVar("Phrase")


class Picker:
    """Picks phrases for one transcript.

    A pick depends on the seed, the event, the pool and the earlier picks from that pool, so the same transcript gets the
    same phrases. A phrase is repeated only after two thirds of its pool were used.
    """

    def __init__(self, seed: int) -> None:
        self._seed = seed
        self._heard: dict[str, list[int]] = {}

    def pick(self, pool: str, phrases: Sequence[Phrase], event: str) -> Phrase:
        """A phrase of a pool, for an event."""
        heard = self._heard.setdefault(pool, [])
        index = word(self._key(event, pool), uid("phrase")) % len(phrases)
        while index in heard:
            index = (index + 1) % len(phrases)
        heard.append(index)
        del heard[: max(0, len(heard) - len(phrases) * 2 // 3)]
        return phrases[index]

    def chance(self, purpose: str, event: str) -> float:
        """A random number in [0, 1) for an event and a purpose."""
        return uniform(word(self._key(event, purpose), uid("chance")))

    def _key(self, event: str, purpose: str) -> int:
        return stream(self._seed, 0, uid(event), uid(purpose))
