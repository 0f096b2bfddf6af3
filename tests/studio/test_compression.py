"""Texts are sent compressed to those who take it, and are the same when they arrive."""

from __future__ import annotations

from gzip import decompress
from typing import TYPE_CHECKING

import pytest

from tests.studio.conftest import RUN

if TYPE_CHECKING:
    import httpx

    from tests.studio.served import Served


def raw(served: Served, path: str, accept: str) -> tuple[httpx.Response, bytes]:
    """An answer, and its body as it came over the wire."""
    with served.client.stream("GET", path, headers={"Accept-Encoding": accept}) as answer:
        return answer, b"".join(answer.iter_raw())


@pytest.mark.parametrize("path", ["/", f"/api/v1/runs/{RUN}/ticks", "/api/v1/openapi.json", "/vendor/plotly.min.js"])
def test_texts_are_compressed_for_those_who_take_it(served: Served, path: str) -> None:
    """With gzip the bytes are fewer and come to the same; without it, or where it is declined, they come as they are."""
    plain, body = raw(served, path, "identity")
    assert "content-encoding" not in plain.headers
    for accept in ("gzip", "gzip, deflate, br", "br;q=1.0, GZIP;q=0.5", "*"):
        packed, sent = raw(served, path, accept)
        assert packed.headers["content-encoding"] == "gzip"
        assert int(packed.headers["content-length"]) == len(sent)
        assert decompress(sent) == body
    for accept in ("", "br", "gzip;q=0", "gzip; q=0.000", "deflate, gzip;q=0.0"):
        assert raw(served, path, accept)[1] == body
    assert "accept-encoding" in plain.headers["vary"]


def test_ticks_and_plotly_become_small(served: Served) -> None:
    """What is large shrinks to a fraction: the states of an evening to a tenth, the chart library to a third."""
    for path, part in ((f"/api/v1/runs/{RUN}/ticks", 10), ("/vendor/plotly.min.js", 3)):
        body, sent = (raw(served, path, accept)[1] for accept in ("identity", "gzip"))
        if len(body) > 10_000:
            assert len(sent) * part < len(body)


def test_a_tag_serves_for_both_forms(served: Served) -> None:
    """A file has one tag, whether it was sent compressed or not; who sends it back gets 304 either way."""
    tags = {raw(served, "/", accept)[0].headers["etag"] for accept in ("gzip", "identity")}
    assert len(tags) == 1
    (tag,) = tags
    assert tag.startswith("W/")
    for accept in ("gzip", "identity"):
        answer = served.client.get("/", headers={"If-None-Match": tag, "Accept-Encoding": accept})
        assert (answer.status_code, answer.content, answer.headers["etag"]) == (304, b"", tag)


def test_streams_and_pictures_are_not_compressed(served: Served) -> None:
    """Events arrive as they are told; what is short is not worth it."""
    stream, _ = raw(served, f"/api/v1/runs/{RUN}/live", "gzip")
    assert stream.headers["content-type"].startswith("text/event-stream")
    assert "content-encoding" not in stream.headers
    assert "content-encoding" not in raw(served, "/api/v1/about", "gzip")[0].headers
