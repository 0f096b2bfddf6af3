"""What the pages of a site would load from elsewhere: fonts, scripts, styles and pictures. Links to follow are not loaded."""

from __future__ import annotations

import re
import sys
from html.parser import HTMLParser
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

_ADDRESS = re.compile(r"^\s*(?:https?:)?//", re.IGNORECASE)
_STYLE = re.compile(r"(?:url\(\s*|@import\s+)['\"]?((?:https?:)?//[^'\")\s]+)", re.IGNORECASE)
_SCRIPT = re.compile(r"['\"`]((?:https?:)?//[\w.-]+\.\w+[^'\"`\s]*)", re.IGNORECASE)
_NAMESPACE = "http://www.w3.org/"
"""XML namespaces look like addresses, and nobody loads them."""
_LOADING = {"src", "srcset", "poster", "data", "background"}
_FOLLOWED = {"a", "area"}


def outside_requests(site: Path) -> list[str]:
    """A line for everything that a file of a site loads from outside it."""
    found = []
    for file in sorted(site.rglob("*")):
        if file.suffix in _READERS:
            text = file.read_text(encoding="utf-8")
            found += [f"{file.relative_to(site)}: {address}" for address in _READERS[file.suffix](text)]
    return found


def in_style(text: str) -> Iterator[str]:
    """What a style sheet loads from outside."""
    return (address for address in _STYLE.findall(text) if not address.startswith(_NAMESPACE))


def in_script(text: str) -> Iterator[str]:
    """The outside addresses that are texts of a script; those in comments are not."""
    return (address for address in _SCRIPT.findall(text) if not address.startswith(_NAMESPACE))


def in_page(text: str) -> Iterator[str]:
    """What a page loads from outside: by its elements, its styles and its scripts."""
    page = _Page()
    page.feed(text)
    page.close()
    return iter(page.found)


_READERS = {".html": in_page, ".css": in_style, ".js": in_script, ".svg": in_page}


class _Page(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []
        self._inside = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._inside = tag if tag in {"script", "style"} else ""
        for name, value in attrs:
            if name == "style":
                self.found += in_style(value or "")
            elif name in _LOADING or (name.endswith("href") and tag not in _FOLLOWED):
                self.found += [part for part in (value or "").split(",") if _ADDRESS.match(part)]

    def handle_endtag(self, tag: str) -> None:
        self._inside = ""

    def handle_data(self, data: str) -> None:
        if self._inside:
            self.found += in_script(data) if self._inside == "script" else in_style(data)


if __name__ == "__main__":
    sys.exit("\n".join(outside_requests(Path(sys.argv[1]))) or 0)
