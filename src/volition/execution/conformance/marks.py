"""Marks: what makes an intent a request, and what of it is remembered. For executors with the feature."""

from __future__ import annotations

from typing import TYPE_CHECKING

from volition.execution.conformance.bench import expect, expect_failure, words
from volition.execution.conformance.once import REQUESTS, ask_for, new_request, open_requests_session

if TYPE_CHECKING:
    from volition.execution.conformance.bench import Bench


@REQUESTS.law("Once only")
def texts_compared(bench: Bench) -> None:
    """Requests are compared exactly: texts that only look alike are different requests."""
    request, talk = new_request(bench), open_requests_session(bench)
    for name in ("\u00e9t\u00e9", "e\u0301te\u0301", "\u00c9T\u00c9", "\u00e9t\u00e9 "):
        mark = {**request, "request": f"{request['request']}-{name}", "digest": name}
        answer = ask_for(bench, talk, mark)
        expect(answer.get("detail") != "OTHER_DIGEST", words(answer), f"a new request for {name!r}")


@REQUESTS.law("Once only")
def refusals_forgotten(bench: Bench) -> None:
    """A refusal that needs no attempt is not remembered: the request is still unused."""
    request, talk = new_request(bench), open_requests_session(bench)
    expect_failure(talk.do("DANCE", **request), "UNKNOWN", "NOT_CANONICAL")
    beyond = talk.state()["seq"] + 1000
    expect_failure(ask_for(bench, talk, {**request, "based_on": beyond}), "INVALID_STATE", "NO_SUCH_STATE")
    answer = ask_for(bench, talk, {**request, "digest": "another"})
    expect(answer.get("detail") is None, words(answer), "an attempt")


@REQUESTS.law("Once only")
def whole_marks(bench: Bench) -> None:
    """An intent without one of the four fields is not remembered."""
    talk = open_requests_session(bench)
    for name in ("token", "resource"):
        request = {key: value for key, value in new_request(bench).items() if key != name}
        for digest in ("kit", "another"):
            answer = ask_for(bench, talk, {**request, "digest": digest})
            expect(answer.get("detail") != "OTHER_DIGEST", words(answer), f"an attempt, without its {name}")


@REQUESTS.law("Once only")
def only_where_agreed(bench: Bench) -> None:
    """Where the bridge does not have the feature, marks are ignored."""
    open_requests_session(bench)
    request, talk = new_request(bench), bench.open_session()
    for digest in ("kit", "another"):
        answer = ask_for(bench, talk, {**request, "digest": digest})
        expect(answer.get("detail") != "OTHER_DIGEST", words(answer), "an attempt, without the feature")
