"""Builds the Minestom server, tests its laws with JUnit, and runs the whole conformance kit on its yard and its stage; `make minestom` runs it.

Ends with 0 where all hold, 1 where one does not, and 4 where something is missing that it says.
"""

from __future__ import annotations

import shlex
import shutil
import subprocess
import sys
from pathlib import Path

from volition.core.errors import MissingPart
from volition.execution.worlds.minestom import build, find_java, server_command

PROJECT = Path(__file__).parent
LIMIT = "600"
"""Seconds for the kit: a busy machine takes longer."""


def say(line: str) -> None:
    print(f"minestom: {line}", flush=True)


def main() -> int:
    try:
        home, maven = find_java().resolve().parents[1], shutil.which("mvn")
        build(say)
    except MissingPart as error:
        say(f"SKIPPED, NOT TESTED\nerror: {error}")
        return error.exit_code
    assert maven is not None
    tests = [maven, "-q", "-B", "package", f"-Djava25.home={home}"]
    kit = [sys.executable, "-m", "volition.cli", "conformance", "--limit", LIMIT, "--launch"]
    steps = {
        "testing the laws of the server, stepped by hand": tests,
        "running the whole conformance kit on the yard, which takes minutes": [
            *kit,
            shlex.join(server_command(probe=True)),
        ],
        "running the whole conformance kit on the stage": [*kit, shlex.join(server_command(stage=True))],
    }
    codes = []
    for step, command in steps.items():
        say(step)
        codes.append(subprocess.run(command, cwd=PROJECT, check=False).returncode)  # noqa: S603
    return max(codes)


if __name__ == "__main__":
    sys.exit(main())
