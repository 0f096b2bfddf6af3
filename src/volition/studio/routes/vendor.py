"""Plotly's script, from its installed package: the charts of the ensemble page are drawn with it where it is installed."""

from __future__ import annotations

from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from litestar import Response, Router, get

from volition.studio.routes.pages import KINDS, PageRequest, send_file

ABSENT: Final = b"// Plotly is not installed: the page draws simple charts.\n"


@cache
def plotly() -> Path | None:
    """The path of Plotly's script; None where it is not installed. Nothing of it is imported."""
    found = find_spec("plotly")
    for folder in (found and found.submodule_search_locations) or ():
        script = Path(folder) / "package_data" / "plotly.min.js"
        if script.is_file():
            return script
    return None


@get("/plotly.min.js", sync_to_thread=False)
def script(request: PageRequest) -> Response[bytes]:
    """The script, or a comment where it is not installed: a page may ask without knowing."""
    found = plotly()
    return Response(ABSENT, media_type=KINDS[".js"]) if found is None else send_file(request, found)


router = Router("/vendor", route_handlers=[script], include_in_schema=False)
