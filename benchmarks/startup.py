"""How long `volition --help` and `--version` take, compared with a bare interpreter and one that imports click."""

from __future__ import annotations

import subprocess
import sys
import sysconfig
from functools import partial
from pathlib import Path

from rows import interleaved, options, ratio, show, timed

BAR = 6.0
"""At most this many times the start of a bare interpreter; importing click is most of it."""


def main() -> int:
    given = options(__doc__)
    volition = str(Path(sysconfig.get_path("scripts")) / "volition")
    lines = {
        "python -c pass": [sys.executable, "-c", "pass"],
        'python -c "import click"': [sys.executable, "-c", "import click"],
        "volition --help": [volition, "--help"],
        "volition --version": [volition, "--version"],
    }
    run = partial(subprocess.run, check=True, stdout=subprocess.DEVNULL)
    rounds = interleaved({name: partial(run, line) for name, line in lines.items()}, 9 if given.quick else 31)
    bare = rounds["python -c pass"]
    rows = [timed(name, seconds) for name, seconds in rounds.items()]
    rows += [
        ratio(f"{name} / python -c pass", rounds[name], bare, at_most=BAR)
        for name in ("volition --help", "volition --version")
    ]
    return show("Start-up", rows, as_json=given.json)


if __name__ == "__main__":
    sys.exit(main())
