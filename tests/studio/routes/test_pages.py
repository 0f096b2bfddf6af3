"""The files of the pages are sent once, and again only when they have changed."""

from __future__ import annotations

import os
from itertools import count
from typing import TYPE_CHECKING

from volition.studio.gate import POLICY
from volition.studio.routes import pages

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

    from tests.studio.served import Served

FILES = ("/", "/stage", "/static/app.js", "/static/base.css", "/static/mark.svg")


def test_what_is_known_is_not_sent_again(served: Served) -> None:
    """A client that sends a known tag, among others or without its weak mark, gets 304 without a body; others get the file."""
    for path in FILES:
        first = served.client.get(path)
        tag = first.headers["etag"]
        assert (first.status_code, first.headers["cache-control"]) == (200, "no-cache")
        for told in (tag, tag.removeprefix("W/"), f'"other", {tag}', "*"):
            again = served.client.get(path, headers={"If-None-Match": told})
            assert (again.status_code, again.content) == (304, b"")
            assert again.headers["etag"] == tag
            assert again.headers["content-security-policy"] == POLICY
        for told in ('"other"', tag.strip('"'), "", f'"{tag}"'):
            assert served.client.get(path, headers={"If-None-Match": told}).content == first.content
    assert len({served.client.get(path).headers["etag"] for path in FILES[1:]}) == len(FILES) - 1


def test_a_changed_file_is_sent(served: Served, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A tag depends on the bytes: when they change, even with the same length, the old tag no longer matches."""
    monkeypatch.setattr(pages, "STATIC", tmp_path)
    (tmp_path / "a.js").write_text("1", encoding="ascii")
    old = served.client.get("/static/a.js").headers["etag"]
    (tmp_path / "a.js").write_text("2", encoding="ascii")
    again = served.client.get("/static/a.js", headers={"If-None-Match": old})
    assert (again.status_code, again.text) == (200, "2")


def test_a_file_that_is_not_there_stays_so(served: Served) -> None:
    """A file that does not exist is 404, whatever tag is sent."""
    assert served.client.get("/static/none.js", headers={"If-None-Match": "*"}).status_code == 404


def test_a_new_file_is_found_and_a_link_is_not(served: Served, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file that is added to the folder is sent; one that is removed, or was replaced by a link, is not there."""
    monkeypatch.setattr(pages, "STATIC", tmp_path)
    one, other = tmp_path / "a.js", tmp_path / "b.js"
    one.write_text("1", encoding="ascii")

    def found() -> list[int]:
        os.utime(tmp_path, ns=(0, next(times)))  # two changes may fall into one tick of the file system's clock
        return [served.client.get(f"/static/{file.name}").status_code for file in (one, other)]

    times = count(1)
    assert found() == [200, 404]
    other.write_text("2", encoding="ascii")
    assert found() == [200, 200]
    other.unlink()
    assert found() == [200, 404]
    other.symlink_to(one)
    assert found() == [200, 404]
