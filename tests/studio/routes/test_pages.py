"""The files of the pages are sent once, and again only when they have changed; those that a page names are not even asked for."""

from __future__ import annotations

import os
import re
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


def test_what_the_document_names_is_kept(served: Served) -> None:
    """Every file that the document names has an address of this edition, where a browser keeps it without asking again."""
    named = re.findall(r'(?:href|src)="(/static/[^"]+)"', served.client.get("/").text)
    assert len(named) > 20
    for path in named:
        plain = served.client.get(f"/static/{path.rpartition('/')[2]}")
        kept = served.client.get(path)
        assert (kept.content, kept.headers["content-type"]) == (plain.content, plain.headers["content-type"])
        assert kept.headers["cache-control"] == "private, max-age=31536000, immutable"
        assert plain.headers["cache-control"] == "no-cache"


def test_another_file_is_another_edition(served: Served, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """When any file changes, the document names all files by a new edition, and its tag no longer matches. The addresses of an
    older edition give the files of today, and no browser is told to keep those."""
    monkeypatch.setattr(pages, "STATIC", tmp_path)
    (tmp_path / "index.html").write_text('<script src="/static/a.js"></script>', encoding="ascii")
    for name in ("a.js", "b.js"):
        (tmp_path / name).write_text("1", encoding="ascii")
    first = served.client.get("/")
    address = first.text.split('"')[1]
    assert served.client.get(address).headers["cache-control"] != "no-cache"
    (tmp_path / "b.js").write_text("23", encoding="ascii")
    then = served.client.get("/", headers={"If-None-Match": first.headers["etag"]})
    assert then.status_code == 200
    assert then.text.split('"')[1] != address
    for name, text in (("a.js", "1"), ("b.js", "23")):
        old = served.client.get(f"{address.rpartition('/')[0]}/{name}")
        assert (old.text, old.headers["cache-control"]) == (text, "no-cache")


def test_a_file_that_is_not_there_stays_so(served: Served) -> None:
    """A file that does not exist is 404, whatever tag is sent, in an edition too."""
    (edition,) = set(re.findall("/static/([^/]+)/", served.client.get("/").text))
    for path in ("none.js", f"{edition}/none.js", f"{edition}/{edition}/app.js", "other/app.js"):
        assert served.client.get(f"/static/{path}", headers={"If-None-Match": "*"}).status_code == 404


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
