"""Why no session came about: six causes, six errors, none of which reads like another."""

from __future__ import annotations

from volition.core.errors import MissingPart


class HandshakeFailed(MissingPart):
    """There is no session: nothing was sent but the greeting."""


class NothingListening(HandshakeFailed):
    """Nobody is at the address."""


class NoAnswer(HandshakeFailed):
    """Somebody is there, and did not answer the greeting in time, or not in this protocol."""


class VersionMismatch(HandshakeFailed):
    """The executor speaks another major version of the contract."""


class SchemaMismatch(HandshakeFailed):
    """The executor's states are not the ones that this side can read."""


class NotReady(HandshakeFailed):
    """The executor is there and cannot play yet: no world is loaded, or another bridge drives it."""


class BadToken(HandshakeFailed):
    """The executor wants another token."""
