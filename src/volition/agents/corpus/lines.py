"""The lines of a corpus: a verdict, a tab, and a command; a line that begins with a tab continues the command above it.

Empty lines and lines that begin with `#` are comments. The corpora that ship are `harmless.txt` and `writes.txt` beside
this file; anybody can add more in the same form.
"""

from __future__ import annotations

import os
from typing import Final, Literal, TypeAlias, get_args

from msgspec import Struct
from msgspec.structs import replace

from volition.core.errors import InvalidInput, Problem

Wanted: TypeAlias = Literal["pass", "mark", "refuse", "doubt", "notice"]
"""Of harmless commands: it passes in every mode, or strict mode may refuse it. Of writes: refused in every mode; recorded
after the call and refused in strict mode; or recorded after the call in every mode."""
WANTED: Final[tuple[Wanted, ...]] = get_args(Wanted)
_FOLDER: Final = os.path.dirname(os.path.abspath(__file__))
SHIPPED: Final = {name: os.path.join(_FOLDER, f"{name}.txt") for name in ("harmless", "writes")}


class CorpusLine(Struct, frozen=True):
    """A command, the verdict that is wanted for it, and where that is written."""

    wanted: Wanted
    command: str
    where: str

    @property
    def is_write(self) -> bool:
        """Whether the command is one that must be noticed."""
        return self.wanted in {"refuse", "doubt", "notice"}


def read_corpus(place: str) -> list[CorpusLine]:
    """The lines of a file; InvalidInput with everything that is wrong in it."""
    with open(place, encoding="utf-8") as file:
        return parse_corpus(file.read(), place)


def parse_corpus(text: str, where: str) -> list[CorpusLine]:
    r"""The lines of a corpus.

    >>> (line,) = parse_corpus("# why\npass\tcat <<END\n\tx\n\tEND\n", "mine")
    >>> line.wanted, line.command, line.where
    ('pass', 'cat <<END\nx\nEND', 'mine:2')
    """
    lines: list[CorpusLine] = []
    problems: list[Problem] = []
    for number, line in enumerate(text.splitlines(), 1):
        word, tab, rest = line.partition("\t")
        if not line.strip() or line.startswith("#"):
            continue
        if tab and not word and lines:
            lines[-1] = replace(lines[-1], command=f"{lines[-1].command}\n{rest}")
        elif word in WANTED and rest.strip():
            lines.append(CorpusLine(word, rest, f"{where}:{number}"))
        else:
            expected = f"a verdict ({', '.join(WANTED)}), a tab, and a command"
            problems.append(
                Problem(
                    f"{line!r} is no line of a corpus", f"{where}:{number}", expected, "mend it, or begin it with #"
                )
            )
    if problems:
        raise InvalidInput(*problems)
    return lines
