"""What a person types to call this program: the next step that a command suggests can be typed as it stands."""

from __future__ import annotations

import sys
from pathlib import Path

NAME = "volition"


def called() -> str:
    """`volition` where a shell finds this program by that name; otherwise the path that it was called by.

    The second is so for whoever calls it inside an environment that is not active, as .venv/bin/volition.
    """
    from shutil import which  # noqa: PLC0415  only when a next step is told

    program = sys.argv[0]
    if Path(program).name != NAME or not Path(program).is_file():
        return NAME
    found = which(NAME)
    return NAME if found is not None and Path(found).samefile(program) else program
