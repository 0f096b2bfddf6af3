"""How long `volition --help` and `--version` take, beside a bare interpreter and one that imports click."""

from __future__ import annotations

import subprocess
import sys
import sysconfig
from functools import partial
from pathlib import Path

from benchmarks.rows import interleaved, options, ratio, show, timed

BAR = 6.0
"""Times a bare interpreter; click alone is most of it. On a machine whose bare start is 0.02 s this is 0.12 s."""


def main() -> int:
    volition = str(Path(sysconfig.get_path("scripts")) / "volition")
    lines = {
        "python -c pass": [sys.executable, "-c", "pass"],
        'python -c "import click"': [sys.executable, "-c", "import click"],
        "volition --help": [volition, "--help"],
        "volition --version": [volition, "--version"],
    }
    run = partial(subprocess.run, check=True, stdout=subprocess.DEVNULL)
    cases = {name: partial(run, line) for name, line in lines.items()}
    timings = interleaved(cases, rounds=7 if options(__doc__ or "").quick else 31)
    bare = timings["python -c pass"]
    rows = [timed(name, timing) for name, timing in timings.items()]
    rows += [
        ratio(name, timings[name], bare, of="a bare interpreter", at_most=BAR)
        for name in ("volition --help", "volition --version")
    ]
    return show("Start-up", rows)


if __name__ == "__main__":
    sys.exit(main())
