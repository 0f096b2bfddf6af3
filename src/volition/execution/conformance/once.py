"""Requests: done once whatever is sent again, and never under an outdated token. For executors with the feature.

That results outlive a restart cannot be seen from outside; the kit sees that they outlive a connection.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from volition.execution.conformance.bench import FEATURES, expect, expect_failure, payload, words
from volition.execution.conformance.law import Group
from volition.execution.conformance.verdict import NotApplicable
from volition.execution.wire.marks import REQUESTS as FEATURE

if TYPE_CHECKING:
    from volition.execution.conformance.bench import Bench
    from volition.execution.conformance.log import Frame
    from volition.execution.conformance.talk import Talk

REQUESTS: Final = Group("requests")

_RESOURCE: Final = "volition-conformance"


@REQUESTS.law("Once only")
def remembered(bench: Bench) -> None:
    """The same request, over another connection, is answered with the result that it had, and not attempted."""
    request = _new(bench)
    first = _ask(bench, _session(bench), request)
    talk = _session(bench)
    talk.gather(3 * bench.tick)
    again = _ask(bench, talk, request)
    expect(payload(first) == payload(again), f"{words(again)} after {words(first)}", "the same result, field by field")


@REQUESTS.law("Once only")
def other_digest(bench: Bench) -> None:
    """A request that was used for something else fails with INVALID_STATE, detail OTHER_DIGEST."""
    request, talk = _new(bench), _session(bench)
    _ask(bench, talk, request)
    expect_failure(_ask(bench, talk, {**request, "digest": "another"}), "INVALID_STATE", "OTHER_DIGEST")


@REQUESTS.law("Once only")
def stale_token(bench: Bench) -> None:
    """A token below the highest for its resource fails with INVALID_STATE, detail STALE_TOKEN; no other token does."""
    request, talk = _new(bench), _session(bench)
    _ask(bench, talk, request)
    outdated = {**_new(bench), "token": request["token"] - 1}
    expect_failure(_ask(bench, talk, outdated), "INVALID_STATE", "STALE_TOKEN")
    for other in ({"token": request["token"]}, {"token": 0, "resource": f"{_RESOURCE}-{request['token']}"}):
        answer = _ask(bench, talk, {**_new(bench), **other})
        expect(answer.get("detail") != "STALE_TOKEN", words(answer), f"not STALE_TOKEN for {other}")


@REQUESTS.law("Once only")
def fences(bench: Bench) -> None:
    """A token in the fences of a greeting outdates lower ones before anything is asked for, over connections too."""
    request = _new(bench)
    _session(bench, fences={_RESOURCE: request["token"]})
    talk = _session(bench)
    expect_failure(_ask(bench, talk, {**request, "token": request["token"] - 1}), "INVALID_STATE", "STALE_TOKEN")


def _session(bench: Bench, **changes: Any) -> Talk:
    talk = bench.open_session(features=[*FEATURES, FEATURE], **changes)
    if FEATURE not in talk.frames("welcome")[0].get("features", []):
        raise NotApplicable(f"the executor does not offer the feature {FEATURE!r}")
    return talk


def _new(bench: Bench) -> Frame:
    """The fields of a request that no earlier check has used, with a higher token."""
    number: int = bench.findings.get("requests", 0) + 2
    bench.findings["requests"] = number
    run = f"{bench.seed:x}-{bench.clock.monotonic():.6f}"
    # Milliseconds since some moment, so that a later run of the kit has higher tokens.
    token = int(bench.clock.now() * 1000) * 1000 + number
    return {"request": f"kit-{run}-{number}", "digest": "kit", "token": token, "resource": _RESOURCE}


def _ask(bench: Bench, talk: Talk, request: Frame) -> Frame:
    return talk.do(bench.pick("RELEASE", "JUMP"), **request)
