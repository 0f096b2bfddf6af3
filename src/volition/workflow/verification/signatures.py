"""Whose signatures the events carry: each must fit, and every name must have stayed with the key that first signed in it.

Events of an older version are not signed. From the first signed event on, all are.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from volition.workflow.store.signing import is_signed
from volition.workflow.store.turn import BY_CLOCK, CLOCK

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from sqlalchemy import Row


@dataclass(slots=True)
class KeyUse:
    """What one key has signed: how many events, and in which names."""

    count: int = 0
    names: set[str] = field(default_factory=set)


class SignatureAccount:
    """Hears every event of a project, in order. `pinned` are names whose public keys are known from elsewhere."""

    def __init__(self, pinned: Mapping[str, str]) -> None:
        self.keys: dict[str, KeyUse] = {}
        self.unsigned = 0
        self._pinned = pinned
        self._first = 0
        self._owners: dict[str, tuple[int, str]] = {}
        self._found: dict[str, list[int]] = {}

    def hear(self, event: Row[Any]) -> None:
        """Take the next event into account."""
        if fault := self._fault(event):
            self._found.setdefault(fault, []).append(event.seq)
            return
        if not event.signer:
            self.unsigned += 1
            return
        self._first = self._first or event.seq
        use = self.keys.setdefault(event.signer, KeyUse())
        use.count += 1
        use.names.add(event.actor)
        if event.actor != CLOCK:
            self._owners.setdefault(event.actor, (event.seq, event.signer))

    def faults(self) -> Iterator[str]:
        """Every kind of fault, with the events that have it."""
        for what, numbers in self._found.items():
            more = f" and {len(numbers) - 3} more" if len(numbers) > 3 else ""
            which = f"event{'s' if len(numbers) > 1 else ''} {', '.join(map(str, numbers[:3]))}{more}"
            yield f"{which} in the name of {what}"

    def _fault(self, event: Row[Any]) -> str:
        name, key = event.actor, event.signer
        if not key:
            return f"{name}: not signed, and all events are since event {self._first}" if self._first else ""
        if not is_signed(event.hash, key, event.signature):
            return f"{name}: the signature is not of the key {key[:16]}..."
        if name == CLOCK:
            return "" if event.what in BY_CLOCK else f"{name}: it does not do such things"
        if self._pinned.get(name, key) != key:
            return f"{name}: signed with the key {key[:16]}..., which is not theirs"
        since, owner = self._owners.get(name, (0, key))
        return f"{name}: signed with the key {key[:16]}..., not with that of event {since}" if owner != key else ""
