"""Texts are compressed for clients that accept it, and arrive unchanged."""

from __future__ import annotations

from gzip import decompress
from typing import TYPE_CHECKING

import pytest

from tests.studio.conftest import RUN

if TYPE_CHECKING:
    import httpx

    from tests.studio.served import Served


def fetch_raw(served: Served, path: str, accept: str) -> tuple[httpx.Response, bytes]:
    """A response, and its body as it was sent."""
    with served.client.stream("GET", path, headers={"Accept-Encoding": accept}) as answer:
        return answer, b"".join(answer.iter_raw())


@pytest.mark.parametrize("path", ["/", f"/api/v1/runs/{RUN}/ticks", "/api/v1/openapi.json", "/static/threads.js"])
def test_texts_are_compressed_for_clients_that_accept_it(served: Served, path: str) -> None:
    """With gzip a text is shorter and decompresses to the same bytes; without it, or where it is declined, it is not compressed."""
    plain, body = fetch_raw(served, path, "identity")
    assert "content-encoding" not in plain.headers
    for accept in ("gzip", "gzip, deflate, br", "br;q=1.0, GZIP;q=0.5", "*"):
        packed, sent = fetch_raw(served, path, accept)
        assert packed.headers["content-encoding"] == "gzip"
        assert int(packed.headers["content-length"]) == len(sent)
        assert decompress(sent) == body
    for accept in ("", "br", "gzip;q=0", "gzip; q=0.000", "deflate, gzip;q=0.0"):
        assert fetch_raw(served, path, accept)[1] == body
    assert "accept-encoding" in plain.headers["vary"]


def test_ticks_and_scripts_become_small(served: Served) -> None:
    """The states of an evening shrink to a tenth, a long script to a half."""
    for path, part in ((f"/api/v1/runs/{RUN}/ticks", 10), ("/static/threads.js", 2)):
        body, sent = (fetch_raw(served, path, accept)[1] for accept in ("identity", "gzip"))
        if len(body) > 10_000:
            assert len(sent) * part < len(body)


def test_a_tag_serves_for_both_forms(served: Served) -> None:
    """A file has one tag, compressed or not; a client that sends it back gets 304 either way."""
    tags = {fetch_raw(served, "/", accept)[0].headers["etag"] for accept in ("gzip", "identity")}
    assert len(tags) == 1
    (tag,) = tags
    assert tag.startswith("W/")
    for accept in ("gzip", "identity"):
        answer = served.client.get("/", headers={"If-None-Match": tag, "Accept-Encoding": accept})
        assert (answer.status_code, answer.content, answer.headers["etag"]) == (304, b"", tag)


def test_streams_and_pictures_are_not_compressed(served: Served) -> None:
    """Event streams and short texts are not compressed."""
    stream, _ = fetch_raw(served, f"/api/v1/runs/{RUN}/live", "gzip")
    assert stream.headers["content-type"].startswith("text/event-stream")
    assert "content-encoding" not in stream.headers
    assert "content-encoding" not in fetch_raw(served, "/api/v1/about", "gzip")[0].headers
