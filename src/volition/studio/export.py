"""A run as one file that opens without a server: a template of the pages, filled with the data they would request."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final, Literal

import msgspec
from msgspec import Struct

from volition import __version__
from volition.core.errors import MissingPart, VolitionError
from volition.core.pausing import pause
from volition.drama.audience.tension import GENRES
from volition.drama.audience.timeline import TickShape  # noqa: TC001
from volition.studio.audience import Audience  # noqa: TC001  msgspec reads the annotations
from volition.studio.evenings import Chosen, EveningShape  # noqa: TC001

if TYPE_CHECKING:
    from pathlib import Path

    from volition.studio.evenings import OpenEvening

Which = Literal["none", "dramatic"]
MOST_DECISIONS: Final = 60
"""How many decisions a bundle holds."""
TEMPLATE: Final = "export.html"
_PLACE: Final = re.compile(rb"\{\{(bundle|include:([A-Za-z0-9_][A-Za-z0-9._-]*))\}\}")


class ExportBundle(Struct, frozen=True):
    """A run as one document: everything that a page without a server can show."""

    version: str
    """The version of Volition that made it."""
    evening: EveningShape
    """The evening."""
    ticks: list[TickShape]
    """Every tick."""
    audiences: dict[str, Audience]
    """The audience of every genre."""
    decisions: dict[str, Chosen]
    """Decisions by TICK/PERSON."""


def bundle(shown: OpenEvening, which: Which) -> ExportBundle:
    """Everything that a page without a server can show, optionally with the decisions of its dramatic acts."""
    return ExportBundle(
        version=__version__,
        evening=shown.shape,
        ticks=shown.ticks,
        audiences={genre: shown.audience(genre) for genre in GENRES},
        decisions=dict(_decisions(shown, which)),
    )


def page(folder: Path, content: ExportBundle) -> bytes:
    """Fill the template: `{{bundle}}` with the data, `{{include:NAME}}` with a file next to it."""
    names = {file.name: file for file in folder.iterdir() if file.is_file() and not file.is_symlink()}
    if TEMPLATE not in names:
        raise MissingPart.of(
            "the template for exports is missing",
            where="the studio's pages",
            expected=TEMPLATE,
            remedy="install volition again",
        )

    def fill(place: re.Match[bytes]) -> bytes:
        if place[2] is None:
            return _encode_for_html(content)
        file = names.get(place[2].decode())
        return b"" if file is None else file.read_bytes()

    return _PLACE.sub(fill, names[TEMPLATE].read_bytes())


def _encode_for_html(content: ExportBundle) -> bytes:
    """JSON that is safe inside a script element: nothing in it can end the script or begin a comment."""
    return msgspec.json.encode(content).replace(b"<", b"\\u003c").replace(b">", b"\\u003e").replace(b"&", b"\\u0026")


def _decisions(shown: OpenEvening, which: Which) -> list[tuple[str, Any]]:
    evening = shown.evening
    dramatic = {(event.tick, event.source) for event in shown.shape.events if event.dramatic}
    choices = ((record.tick, who) for record in evening.run.ticks for who in record.choices if which == "dramatic")
    wanted = [choice for choice in choices if choice in dramatic][:MOST_DECISIONS]
    decisions = []
    for tick, who in wanted:
        pause()
        try:
            decisions.append((f"{tick}/{who}", shown.choice(tick, who)))
        except VolitionError:
            continue  # a run of other rules cannot be decided again; the rest of the bundle is still useful
    return decisions
