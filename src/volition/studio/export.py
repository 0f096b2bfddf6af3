"""A run as one file that opens without a server: the template of the pages, filled with what they would ask for."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final, Literal

import msgspec

from volition import __version__
from volition.core.errors import MissingPart, VolitionError
from volition.drama.audience.genres import GENRES
from volition.studio.shapes.plays import ExportBundle

if TYPE_CHECKING:
    from pathlib import Path

    from volition.studio.evenings import Shown

Which = Literal["none", "dramatic"]
MOST: Final = 60
"""How many decisions a bundle holds at most."""
TEMPLATE: Final = "export.html"
_PLACE: Final = re.compile(rb"\{\{(bundle|include:([A-Za-z0-9_][A-Za-z0-9._-]*))\}\}")


def bundle(shown: Shown, which: Which) -> ExportBundle:
    """Everything that a page without a server can show, with the decisions of its dramatic acts where they are wanted."""
    return ExportBundle(
        version=__version__,
        evening=shown.shape,
        ticks=shown.ticks,
        audiences={genre: shown.audience(genre) for genre in GENRES},
        decisions=dict(_decisions(shown, which)),
    )


def page(folder: Path, content: ExportBundle) -> bytes:
    """The template with its places filled: `{{bundle}}` by the data, `{{include:NAME}}` by a file beside it."""
    names = {file.name: file for file in folder.iterdir() if file.is_file() and not file.is_symlink()}
    if TEMPLATE not in names:
        raise MissingPart.of(
            "the page for exports is not there",
            where="the studio's pages",
            expected=TEMPLATE,
            remedy="install volition anew",
        )

    def filled(place: re.Match[bytes]) -> bytes:
        if place[2] is None:
            return _inert(content)
        file = names.get(place[2].decode())
        return b"" if file is None else file.read_bytes()

    return _PLACE.sub(filled, names[TEMPLATE].read_bytes())


def _inert(content: ExportBundle) -> bytes:
    """JSON that no HTML reader takes for anything else: nothing in it can end a script or begin a comment."""
    return msgspec.json.encode(content).replace(b"<", b"\\u003c").replace(b">", b"\\u003e").replace(b"&", b"\\u0026")


def _decisions(shown: Shown, which: Which) -> list[tuple[str, Any]]:
    evening = shown.evening
    dramatic = {(event.tick, event.source) for event in shown.shape.events if event.dramatic}
    choices = ((record.tick, who) for record in evening.run.ticks for who in record.choices if which == "dramatic")
    wanted = [one for one in choices if one in dramatic][:MOST]
    found = []
    for tick, who in wanted:
        try:
            found.append((f"{tick}/{who}", shown.chosen(tick, who)))
        except VolitionError:
            continue  # what cannot be decided again, as under other rules, is left out: the rest is worth having
    return found
