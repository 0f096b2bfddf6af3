"""What makes an intent happen once: a request id that outlives connections, and a token that outdates others."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec import Struct

from volition.core.errors import refuse
from volition.execution.wire.frames import MAX_NAME

if TYPE_CHECKING:
    from typing import Self

    from volition.execution.wire.frames import IntentFrame

REQUESTS: Final = "requests"
"""The feature of an executor that remembers requests, over connections and restarts."""


class RequestMark(Struct, frozen=True, kw_only=True, gc=False):
    """The same `request` is never done twice; with another `digest` it is a mistake, and refused.

    `token` is the number under which the sender acts on a `resource`; once an executor has seen a higher one, it
    refuses this. It takes both sides to have the feature `requests`; a bridge refuses to send a mark otherwise.
    """

    request: str
    digest: str
    token: int
    resource: str

    def __post_init__(self) -> None:
        for name in ("request", "digest", "resource"):
            if not 0 < len(getattr(self, name)) <= MAX_NAME:
                refuse(
                    f"the {name} has {len(getattr(self, name))} characters",
                    where=name,
                    expected=f"1 to {MAX_NAME} characters",
                    remedy="use a hash",
                )
        if self.token < 0:
            refuse(f"the token is {self.token}", where="token", expected="a number from 0 up", remedy="count upwards")

    @classmethod
    def of(cls, frame: IntentFrame) -> Self | None:
        """The mark of an intent as it arrived; None if it has none, or only a part of one."""
        request, digest, token, resource = frame.request, frame.digest, frame.token, frame.resource
        if request is None or digest is None or token is None or resource is None:
            return None
        return cls(request=request, digest=digest, token=token, resource=resource)
