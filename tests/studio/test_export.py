"""A run becomes one file that needs no server."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import msgspec
import pytest

from tests.studio.conftest import RUN
from volition.core.errors import MissingPart
from volition.studio.evenings import OpenEvening
from volition.studio.export import bundle, page

if TYPE_CHECKING:
    from pathlib import Path

    from tests.studio.served import Served
    from volition.drama import Evening


def test_the_bundle_holds_what_the_pages_ask(served: Served) -> None:
    """Evening, ticks with bonds, every genre, and the decisions of dramatic acts are those of the API."""
    told = served.get(f"/runs/{RUN}/bundle")
    assert told["evening"] == served.get(f"/runs/{RUN}")
    assert told["ticks"][25] == served.get(f"/runs/{RUN}/ticks/25")
    assert told["audiences"]["mystery"] == served.get(f"/runs/{RUN}/audience?genre=mystery")
    assert told["decisions"]
    key, choice = next(iter(told["decisions"].items()))
    assert choice == served.get(f"/runs/{RUN}/decisions/{key}")
    assert served.get(f"/runs/{RUN}/bundle?decisions=none")["decisions"] == {}


def test_nothing_in_the_data_can_end_its_script(tmp_path: Path, evening: Evening) -> None:
    """A text with markup stays data: no tag, comment or entity of it reaches the page."""
    content = bundle(OpenEvening("</script><script>alert(1)</script><!--&amp;", evening), "none")
    (tmp_path / "export.html").write_bytes(b'<script type="application/json" id="bundle">{{bundle}}</script>')
    made = page(tmp_path, content)
    inside = re.fullmatch(rb'<script type="application/json" id="bundle">(.*)</script>', made, re.DOTALL)
    assert inside is not None
    assert not set(b"<>&") & set(inside[1])
    assert json.loads(inside[1]) == json.loads(msgspec.json.encode(content))


def test_only_files_beside_the_template_are_included(tmp_path: Path, evening: Evening) -> None:
    """A name with a path is not filled in, and a link is not included."""
    folder = tmp_path / "static"
    folder.mkdir()
    (tmp_path / "secret").write_text("secret")
    (folder / "link.js").symlink_to(tmp_path / "secret")
    (folder / "a.css").write_text("body {}")
    content = bundle(OpenEvening("x", evening), "none")
    with pytest.raises(MissingPart):
        page(folder, content)
    (folder / "export.html").write_text("{{include:a.css}}|{{include:../secret}}|{{include:link.js}}|{{include:none}}")
    assert page(folder, content) == b"body {}|{{include:../secret}}||"
