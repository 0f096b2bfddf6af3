"""The greeting: what each side offers, why either may refuse the other, and the six errors for a connection that failed."""

from __future__ import annotations

import hmac
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

import msgspec

from volition import __version__
from volition.core.errors import InvalidInput, MissingPart, Problem, format_value
from volition.execution.wire.declared import DeclaredIntents
from volition.execution.wire.frames import RESET, SPEC, Hello, Party, Reject, RejectCode, StateSchema, Welcome
from volition.execution.wire.intents import CANONICAL
from volition.execution.wire.request import REQUESTS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from volition.execution.wire.session.link import Timing
    from volition.execution.wire.session.phases import Ending


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


FEATURES: Final = ("events", "next_state", "progress", REQUESTS, RESET, "state_push")
"""What a bridge asks for: all features that it can use while it drives."""
OBSERVE: Final = "observe"
"""The feature of a bridge that observes and sends no intents: executors that offer it accept observers next to the
driver."""

_MARK: Final = 12
"""How many characters of a hash are shown."""

_REFUSALS: Final[dict[RejectCode, tuple[type[HandshakeFailed], str, str]]] = {
    "version": (
        VersionMismatch,
        f"an executor of contract {SPEC.partition('.')[0]}.x",
        "use a matching version on both sides",
    ),
    "token": (BadToken, "the token that the executor was started with", "pass that token to both sides"),
    "schema": (SchemaMismatch, "states that this side can read", "use the same state schema on both sides"),
    "not_ready": (NotReady, "an executor that can play", "load a world, end the other session, then connect again"),
}
"""The error for each code of `reject`, what is expected then, and what to do."""


@dataclass(frozen=True, slots=True)
class Offer:
    """What the bridge sends in its greeting: who it is, which features it wants, and which states it can read, if that
    matters."""

    client: Party = field(default_factory=lambda: Party(name="volition", version=__version__))
    features: tuple[str, ...] = FEATURES
    state_schema: StateSchema | None = None
    token: str | None = field(default=None, repr=False)
    fences: Mapping[str, int] = field(default_factory=dict)
    """Resource -> the number under which this side acts on it: lower ones are outdated from the greeting on."""

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
            fences=dict(self.fences),
        )


def same_token(wanted: str | None, offered: str | None) -> bool:
    """Whether the token matches, compared in constant time.

    >>> same_token("open sesame", "open"), same_token(None, "anything"), same_token("", None)
    (False, True, True)
    """
    if not wanted:
        return True
    return hmac.compare_digest(wanted.encode(), (offered or "").encode("utf-8", "surrogatepass"))


def answer_hello(
    hello: Hello, welcome: Welcome, *, token: str | None, ready: bool, taken: bool = False
) -> Welcome | Reject:
    """The executor's answer to a greeting: its welcome with the shared features, or a rejection.

    `taken`: another bridge is driving, so only observers are accepted.
    """
    schema, wanted = welcome.state_schema, hello.state_schema
    if _major(hello.spec) != _major(welcome.spec):
        return _reject("version", f"the bridge speaks {hello.spec}", welcome)
    if not same_token(token, hello.token):
        return _reject("token", "the token does not match", welcome)
    if wanted is not None and wanted.hash != schema.hash:
        what = f"the states are {_describe_schema(schema)}, the bridge reads {_describe_schema(wanted)}"
        return _reject("schema", what, welcome)
    if not ready:
        return _reject("not_ready", "no world is loaded yet", welcome)
    shared = tuple(feature for feature in welcome.features if feature in hello.features)
    if taken and OBSERVE not in shared:
        return _reject("not_ready", "another bridge drives it", welcome)
    return msgspec.structs.replace(welcome, features=shared)


def find_refusal(answer: Welcome | Reject, offer: Offer) -> HandshakeFailed | None:
    """Why the bridge cannot continue after this answer, or None if it can."""
    if isinstance(answer, Reject):
        return make_refusal(answer.code, f"the executor (contract {answer.supported}) refuses: {answer.message}")
    wanted = offer.state_schema
    if _major(answer.spec) != _major(SPEC):
        return make_refusal("version", f"the executor speaks contract {answer.spec}, this side {SPEC}")
    if offer.observes and OBSERVE not in answer.features:
        return NotReady.of(
            "the executor does not offer to be observed",
            where="observe",
            expected=f"an executor with the feature {OBSERVE!r}",
            remedy="connect without observe=True while no bridge drives it, or use an executor that offers it",
        )
    if unknown := sorted(set(answer.intents) - set(CANONICAL)):
        return make_refusal("version", f"the executor offers intents that the contract does not know: {unknown}")
    try:
        DeclaredIntents(answer.declares)
    except InvalidInput as error:
        return make_refusal("version", f"the executor declares what this side cannot read: {error.problems[0].what}")
    if "STOP" not in answer.intents:
        return make_refusal("version", "the executor cannot STOP")
    if wanted is not None and answer.state_schema.hash != wanted.hash:
        return make_refusal(
            "schema", f"the states are {_describe_schema(answer.state_schema)}, not {_describe_schema(wanted)}"
        )
    return None


def make_refusal(code: RejectCode, what: str) -> HandshakeFailed:
    """The error for a code of `reject`."""
    kind, expected, remedy = _REFUSALS[code]
    return kind(Problem(what, "handshake", expected, remedy))


def no_answer(reason: Ending, farewell: str, *, timing: Timing, noise: int) -> NoAnswer:
    """The error for a greeting without a usable answer; `said` is the reason given in a goodbye."""
    causes: dict[Ending, str] = {
        "refused": "no welcome in time",
        "faults": "only noise",
        "goodbye": f"it said goodbye: {farewell!r}",
    }
    what = causes.get(reason, f"the connection ended ({reason})")
    heard = f"; {noise} unreadable lines came" if noise else ""
    return NoAnswer.of(
        f"no answer to the greeting: {what}{heard}",
        where="handshake",
        expected=f"a welcome within {timing.handshake} s",
        remedy="check that it is an executor of this protocol, and that its loop runs",
    )


def not_opened(reason: Ending, *, shown: bool, stopped: bool, timing: Timing) -> HandshakeFailed:
    """The error for an executor that accepts the bridge but then sends no full state, or does not stop."""
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


def _describe_schema(schema: StateSchema) -> str:
    """A description that differs whenever the schemas differ, even if only in the hash."""
    mark = schema.hash if len(schema.hash) <= _MARK else f"{schema.hash[:_MARK]}..."
    return f"{format_value(schema.name)} {format_value(schema.version)} (hash {mark})"


def _major(spec: str) -> str:
    return spec.partition(".")[0]


def _reject(code: RejectCode, message: str, welcome: Welcome) -> Reject:
    return Reject(code=code, message=message, supported=welcome.spec)
