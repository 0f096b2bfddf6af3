"""Names of files as text that nothing can be smuggled in with.

A branch chooses the names of its files, and what a check prints is read by machines: a CI system takes a line that begins
with `::`, or has `##[` or `##vso[` anywhere, for a command, a terminal obeys escape sequences, and a reader believes what
bidirectional controls show. So a name is printed as one line of visible characters without these marks, from which the name
can be read back.
"""

from __future__ import annotations

import json
import re
from typing import Any, Final

_MARKS: Final = re.compile(r":(?=:)|#(?=#)")
"""The first of two colons or hashes."""
_LAST_MARK: Final = re.compile(r"[:#]\Z")
"""A mark at the end of a name, which the text that follows might complete."""
_is_harmless: Final = re.compile(r"[A-Za-z0-9_./ -]*").fullmatch
_JSON: Final = {":": "\\u003a", "#": "\\u0023"}


def visible(name: str) -> str:
    r"""A name with everything escaped that is not plainly visible, or begins a command of a CI system.

    >>> visible("src/a b.py"), visible("a\nb\\c"), visible("::error::x"), visible("##[error]x")
    ('src/a b.py', 'a\\nb\\\\c', '\\x3a:error\\x3a:x', '\\x23#[error]x')
    """
    if _is_harmless(name):
        return name
    shown = "".join(map(_visible_letter, name))
    for marks in (_MARKS, _LAST_MARK):
        shown = marks.sub(lambda match: f"\\x{ord(match[0]):02x}", shown)
    return shown


def _visible_letter(letter: str) -> str:
    if letter == "\\":
        return "\\\\"
    if letter.isprintable():
        return letter
    if letter == "\n":
        return "\\n"
    code = ord(letter)
    if 0xDC80 <= code <= 0xDCFF:  # a byte of a name that is not UTF-8
        return f"\\x{code - 0xDC00:02x}"
    if code < 0x80:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def in_unicode(name: str) -> str:
    """The name itself; where it is not UTF-8, and so no text, its visible form."""
    try:
        name.encode()
    except UnicodeEncodeError:
        return visible(name)
    return name


def all_in_unicode(data: Any) -> Any:
    """Data in which every text can be encoded."""
    if isinstance(data, str):
        return in_unicode(data)
    if isinstance(data, dict):
        return {all_in_unicode(key): all_in_unicode(value) for key, value in data.items()}
    return [all_in_unicode(value) for value in data] if isinstance(data, list | tuple) else data


def command_data(text: str) -> str:
    r"""A text as the message of a workflow command of GitHub.

    >>> command_data("100 %\n")
    '100 %25%0A'
    """
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def command_property(text: str) -> str:
    """A text as a property of a workflow command of GitHub.

    >>> command_property("a,b:c")
    'a%2Cb%3Ac'
    """
    return command_data(text).replace(":", "%3A").replace(",", "%2C")


def dump_safely(data: Any) -> str:
    r"""JSON in ASCII, in which no text looks like a command of a CI system; a reader of JSON gets the texts exactly.

    >>> print(dump_safely(["a::b"]))
    [
      "a\u003a:b"
    ]
    """
    # Two colons or two hashes in a row are in no JSON outside of texts.
    return _MARKS.sub(lambda match: _JSON[match[0]], json.dumps(data, indent=2))
