"""A run becomes one file that needs no server."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import msgspec
import pytest

from tests.studio.conftest import RUN
from volition.core.errors import MissingPart
from volition.studio.evenings import Shown
from volition.studio.export import bundle, page

if TYPE_CHECKING:
    from pathlib import Path

    from tests.studio.served import Served
    from volition.drama import Evening


def test_the_bundle_holds_what_the_pages_ask(served: Served) -> None:
    """Evening, ticks with bonds, every genre, and the decisions of dramatic acts are as the API gives them."""
    told = served.get(f"/runs/{RUN}/bundle")
    assert told["evening"] == served.get(f"/runs/{RUN}")
    assert told["ticks"][25] == served.get(f"/runs/{RUN}/ticks/25")
    assert told["audiences"]["mystery"] == served.get(f"/runs/{RUN}/audience?genre=mystery")
    assert told["decisions"]
    key, choice = next(iter(told["decisions"].items()))
    assert choice == served.get(f"/runs/{RUN}/decisions/{key}")
    assert served.get(f"/runs/{RUN}/bundle?decisions=none")["decisions"] == {}


def test_nothing_in_the_data_can_end_its_script(tmp_path: Path, evening: Evening) -> None:
    """A text that holds markup stays data: no tag, no comment and no entity of it reaches the page."""
    content = bundle(Shown("</script><script>alert(1)</script><!--&amp;", evening), "none")
    (tmp_path / "export.html").write_bytes(b'<script type="application/json" id="bundle">{{bundle}}</script>')
    made = page(tmp_path, content)
    inside = re.fullmatch(rb'<script type="application/json" id="bundle">(.*)</script>', made, re.DOTALL)
    assert inside is not None
    assert not set(b"<>&") & set(inside[1])
    assert json.loads(inside[1]) == json.loads(msgspec.json.encode(content))


def test_only_files_beside_the_template_are_included(tmp_path: Path, evening: Evening) -> None:
    """A name with a path in it is no place to fill, and a link is no file."""
    folder = tmp_path / "static"
    folder.mkdir()
    (tmp_path / "secret").write_text("secret")
    (folder / "link.js").symlink_to(tmp_path / "secret")
    (folder / "a.css").write_text("body {}")
    content = bundle(Shown("x", evening), "none")
    with pytest.raises(MissingPart):
        page(folder, content)
    (folder / "export.html").write_text("{{include:a.css}}|{{include:../secret}}|{{include:link.js}}|{{include:none}}")
    assert page(folder, content) == b"body {}|{{include:../secret}}||"
