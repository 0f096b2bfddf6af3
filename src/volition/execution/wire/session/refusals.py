"""Why a connection failed: six causes, each with its own error."""

from __future__ import annotations

from volition.core.errors import MissingPart


class HandshakeFailed(MissingPart):
    """There is no session: nothing but the greeting was sent."""


class NothingListening(HandshakeFailed):
    """Nothing listens at the address."""


class NoAnswer(HandshakeFailed):
    """Something listens there, but did not answer the greeting in time, or not in this protocol."""


class VersionMismatch(HandshakeFailed):
    """The executor speaks another major version of the contract."""


class SchemaMismatch(HandshakeFailed):
    """The executor's states have a schema that this side cannot read."""


class NotReady(HandshakeFailed):
    """The executor is there but not ready: no world is loaded, or another bridge is driving it."""


class BadToken(HandshakeFailed):
    """The executor requires a different token."""
