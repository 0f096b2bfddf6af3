"""The greeting: what each side offers, and the reasons for which either turns the other down."""

from __future__ import annotations

import hmac
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

import msgspec

from volition import __version__
from volition.core.errors import Problem, shown
from volition.execution.frames import SPEC, Hello, Party, Reject, RejectCode, StateSchema, Welcome
from volition.execution.intents import CANONICAL
from volition.execution.session.refusals import (
    BadToken,
    HandshakeFailed,
    NoAnswer,
    NotReady,
    SchemaMismatch,
    VersionMismatch,
)

if TYPE_CHECKING:
    from volition.execution.session.link import Timing

FEATURES: Final = ("events", "next_state", "progress", "state_push")
"""All that a bridge can make use of."""
OBSERVE: Final = "observe"
"""The feature of a bridge that looks and sends no intent: it is welcome beside the one that drives, if it is offered."""

_MARK: Final = 12
"""How many characters of a hash are enough to tell two apart."""

_REFUSALS: Final[dict[RejectCode, type[HandshakeFailed]]] = {
    "version": VersionMismatch,
    "token": BadToken,
    "schema": SchemaMismatch,
    "not_ready": NotReady,
}
_REMEDIES: Final[dict[RejectCode, tuple[str, str]]] = {
    "version": (f"an executor of contract {SPEC.split('.')[0]}.x", "use a matching version on both sides"),
    "token": ("the token that the executor was started with", "pass that token to both sides"),
    "schema": ("states that this side can read", "use the same state schema on both sides"),
    "not_ready": ("an executor that can play", "load a world, end the other session, then connect again"),
}


@dataclass(frozen=True, slots=True)
class Offer:
    """What the bridge brings: who it is, what it would like, and, where it matters, the states it can read."""

    client: Party = field(default_factory=lambda: Party(name="volition", version=__version__))
    features: tuple[str, ...] = FEATURES
    state_schema: StateSchema | None = None
    token: str | None = field(default=None, repr=False)

    @property
    def observes(self) -> bool:
        return OBSERVE in self.features

    def hello(self) -> Hello:
        return Hello(
            spec=SPEC,
            client=self.client,
            features=self.features,
            state_schema=self.state_schema,
            token=self.token,
        )


def same_token(wanted: str | None, given: str | None) -> bool:
    """Whether the token fits, in a time that does not tell how much of it did.

    >>> same_token("open sesame", "open"), same_token(None, "anything"), same_token("", None)
    (False, True, True)
    """
    if not wanted:
        return True
    return hmac.compare_digest(wanted.encode(), (given or "").encode("utf-8", "surrogatepass"))


def greeted(hello: Hello, welcome: Welcome, *, token: str | None, ready: bool, taken: bool = False) -> Welcome | Reject:
    """The executor's answer to a greeting: its welcome with the features that both have, or why there is none.

    `taken`: another bridge drives; then only an observer is welcome.
    """
    schema, wanted = welcome.state_schema, hello.state_schema
    if _major(hello.spec) != _major(welcome.spec):
        return _reject("version", f"the bridge speaks {hello.spec}", welcome)
    if not same_token(token, hello.token):
        return _reject("token", "the token does not fit", welcome)
    if wanted is not None and wanted.hash != schema.hash:
        what = f"the states are {_named(schema)}, the bridge reads {_named(wanted)}"
        return _reject("schema", what, welcome)
    if not ready:
        return _reject("not_ready", "no world to play in yet", welcome)
    shared = tuple(feature for feature in welcome.features if feature in hello.features)
    if taken and OBSERVE not in shared:
        return _reject("not_ready", "another bridge drives it", welcome)
    return msgspec.structs.replace(welcome, features=shared)


def refusal_of(answer: Welcome | Reject, offer: Offer) -> HandshakeFailed | None:
    """Why the bridge cannot go on after this answer, or None where it can."""
    if isinstance(answer, Reject):
        return refusal(answer.code, f"the executor (contract {answer.supported}) refuses: {answer.message}")
    wanted = offer.state_schema
    if _major(answer.spec) != _major(SPEC):
        return refusal("version", f"the executor speaks contract {answer.spec}, this side {SPEC}")
    if offer.observes and OBSERVE not in answer.features:
        return not_observed()
    if strange := sorted(set(answer.intents) - set(CANONICAL)):
        return refusal("version", f"the executor offers intents that the contract does not know: {strange}")
    if "STOP" not in answer.intents:
        return refusal("version", "the executor cannot STOP")
    if wanted is not None and answer.state_schema.hash != wanted.hash:
        return refusal("schema", f"the states are {_named(answer.state_schema)}, not {_named(wanted)}")
    return None


def refusal(code: RejectCode, what: str) -> HandshakeFailed:
    """The error for a code of `reject`."""
    expected, remedy = _REMEDIES[code]
    return _REFUSALS[code](Problem(what, "handshake", expected, remedy))


def not_observed() -> NotReady:
    """The error for an executor that knows no observers."""
    problem = Problem(
        "the executor does not offer to be observed",
        "observe",
        f"an executor with the feature {OBSERVE!r}",
        "connect without observe=True while nobody drives it, or use an executor that offers it",
    )
    return NotReady(problem)


def no_answer(what: str, *, waited: float, noise: int) -> NoAnswer:
    """The error for a greeting that got no answer, or none but noise."""
    heard = f"; {noise} unreadable lines came" if noise else ""
    problem = Problem(
        f"no answer to the greeting: {what}{heard}",
        "handshake",
        f"a welcome within {waited} s",
        "check that it is an executor of this protocol, and that its loop runs",
    )
    return NoAnswer(problem)


def not_opened(reason: str, *, shown: bool, stopped: bool, timing: Timing) -> HandshakeFailed:
    """The error for an executor that welcomes and then does not show its world, or does not stop."""
    if shown or stopped:
        there, missing = ("the full state", "STOP") if shown else ("STOP", "the full state")
        what = f"{there} was answered, {missing} was not"
    else:
        what = "neither the full state nor STOP was answered"
    in_time = reason in {"refused", "stop_failed"}
    how = "the executor did not open the session" if in_time else f"the connection ended ({reason}) during the opening"
    problem = Problem(
        f"{how}: {what}",
        "opening",
        f"a full state in answer to the request and a result of STOP, within {timing.opening} s",
        "load a world and see that STOP ends; timing=Timing(opening=...) gives it more time"
        if in_time
        else "look into the executor's own log",
    )
    return NotReady(problem) if in_time else NoAnswer(problem)


def _named(schema: StateSchema) -> str:
    """A schema in words that differ where the schemas do: what differs may be the hash alone."""
    mark = schema.hash if len(schema.hash) <= _MARK else f"{schema.hash[:_MARK]}..."
    return f"{shown(schema.name)} {shown(schema.version)} (hash {mark})"


def _major(spec: str) -> str:
    return spec.partition(".")[0]


def _reject(code: RejectCode, message: str, welcome: Welcome) -> Reject:
    return Reject(code=code, message=message, supported=welcome.spec)
