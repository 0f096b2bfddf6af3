"""The examples in a command's help, as command lines: for usage errors and for the tests."""

from __future__ import annotations

import re
from inspect import cleandoc
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import click

_EXAMPLES = re.compile(r"^Examples?:((?: +\S.*)?(?:\n +\S.*)*)", re.MULTILINE)


def examples(command: click.Command) -> list[str]:
    """The example lines of a command's help, continuation lines joined.

    >>> import click
    >>> examples(click.Command("play", help="Play.\\n\\nExamples:\\n  play one \\\\\\n    --seed 8\\n  play two"))
    ['play one --seed 8', 'play two']
    """
    found = _EXAMPLES.search(cleandoc(command.help or ""))
    whole = re.sub(r" *\\\n *", " ", found[1]) if found else ""
    return [line.strip() for line in whole.splitlines() if line.strip()]
