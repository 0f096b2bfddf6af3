"""The Java executor that is shipped: built from its sources with the user's JDK, and launched as an arena.

The sources are a Maven module. They are built into one jar, cached under a hash of the sources, so that it is built only
once, in a second or two, and is never stale.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
import zipfile
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal

from volition.core.cache import cache_folder
from volition.core.document import write_atomically
from volition.core.errors import MissingPart, VolitionError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from volition.execution.worlds.arena import ArenaMap

MAIN_CLASS: Final = "volition.executor.arena.Main"
RELEASE: Final = 11
"""The version of Java that the sources are written in; any later version runs them."""

_SHIPPED: Final = Path(__file__).parents[1] / "executor_java"
_CHECKOUT: Final = Path(__file__).parents[4]
_COMPILE_TIME: Final = 120.0
_MANIFEST: Final = f"Manifest-Version: 1.0\nMain-Class: {MAIN_CLASS}\nAutomatic-Module-Name: volition.executor\n\n"
# A small heap and the simplest collector: the arena starts faster, and has little garbage.
_JVM: Final = ("-XX:+UseSerialGC", "-Xms32m", "-Xmx256m")


def module_files() -> dict[str, Path]:
    """The files of the Maven module by name."""
    root, licence = (_SHIPPED, _SHIPPED) if _SHIPPED.exists() else (_CHECKOUT / "java", _CHECKOUT)
    found = [root / "pom.xml", root / "README.md", *(root / "src").rglob("*")]
    files = {path.relative_to(root).as_posix(): path for path in found if path.is_file()}
    return dict(sorted((files | {"LICENSE": licence / "LICENSE"}).items()))


def find_tool(name: Literal["java", "javac"]) -> Path:
    """The tool of that name, from JAVA_HOME first; MissingPart where there is none."""
    home = os.environ.get("JAVA_HOME")
    found = shutil.which(name, path=str(Path(home) / "bin")) if home else None
    found = found or shutil.which(name)
    if found is None:
        raise _no_jdk(f"{name} was not found", "JAVA_HOME and PATH")
    return Path(found)


def build() -> Path:
    """The jar of the Java executor, built unless the cache has it for these sources."""
    sources = {name: path.read_bytes() for name, path in module_files().items() if name.startswith("src/main/")}
    jar = cache_folder("java", _hash(sources)) / "volition-executor.jar"
    if jar.exists():
        return jar
    javac = find_tool("javac")
    try:
        jar.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=jar.parent, prefix="building-") as folder:
            draft = _compile(javac, sources, Path(folder))
            draft.replace(jar)
    except OSError as error:
        raise MissingPart.of(
            f"the Java executor cannot be cached: {error.strerror or error}",
            where=str(jar.parent),
            expected="a writable folder",
            remedy="set VOLITION_CACHE to another one",
        ) from error
    return jar


def arena_command(
    *,
    map: str | Path | ArenaMap | None = None,
    seed: int = 0,
    token: str | None = None,
    hz: float | None = None,
    window: int | None = None,
    listen: Sequence[str] = ("--port", "0"),
    leash: bool = False,
    probe: bool = False,
    requests: Path | None = None,
) -> tuple[str, ...]:
    """The command that serves the arena in a JVM; its first line of output is the address.

    `hz` is its pace, 20 for real time; `window` is how many intents may be open at once, by default 8.
    `listen` is one of `--port N`, `--unix PATH` and `--stdio`. With a `leash` it ends with its standard input. With
    `probe`, for tests, it answers probes. `requests` is a file in which requests are remembered, so that none is done
    twice.
    """
    command = [str(find_tool("java")), *_JVM, "-jar", str(build()), *listen, "--seed", str(seed)]
    if map is not None:
        command += ["--map", _map_argument(map)]
    if token:
        command += ["--token", token]
    if hz is not None:
        command += ["--hz", str(hz)]
    if window is not None:
        command += ["--window", str(window)]
    if requests is not None:
        command += ["--requests", str(requests)]
    flags = {"--leash": leash, "--probe": probe}
    return (*command, *(flag for flag, given in flags.items() if given))


def _compile(javac: Path, sources: Mapping[str, bytes], folder: Path) -> Path:
    """Compile the sources in `folder` and pack them into a jar there."""
    classes = folder / "classes"
    for name, content in sources.items():
        java = name.startswith("src/main/java/")
        place = folder / name if java else classes / name.removeprefix("src/main/resources/")
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(content)
    files = [str(folder / name) for name in sources if name.endswith(".java")]
    options = ["--release", str(RELEASE), "-encoding", "UTF-8", "-proc:none", "-d", str(classes)]
    try:
        done = subprocess.run(  # noqa: S603  the user's compiler, our own sources
            [str(javac), *options, *files], capture_output=True, text=True, timeout=_COMPILE_TIME, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise _no_jdk(f"javac does not run: {error}", str(javac)) from error
    if done.returncode:
        raise _no_jdk(f"javac fails: {(done.stderr or done.stdout).strip()[:400]}", str(javac))
    jar = folder / "executor.jar"
    with zipfile.ZipFile(jar, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("META-INF/MANIFEST.MF", _MANIFEST)
        for path in sorted(classes.rglob("*")):
            if path.is_file():
                archive.write(path, path.relative_to(classes).as_posix())
    return jar


def _map_argument(map: str | Path | ArenaMap) -> str:
    """The map as an argument of the Java arena: a name or a file. An ArenaMap object is written into the cache."""
    from volition.execution.worlds.arena import SHIPPED_MAPS  # noqa: PLC0415  only who plays on another map pays for it
    from volition.execution.worlds.arena.executor import find_map  # noqa: PLC0415

    if isinstance(map, str | Path):
        find_map(str(map))
        return str(map) if str(map) in SHIPPED_MAPS else str(Path(map).resolve())
    content = f"{map.to_text()}\n".encode()
    file = cache_folder("maps") / f"{map.name}-{sha256(content).hexdigest()[:16]}.txt"
    file.parent.mkdir(parents=True, exist_ok=True)
    write_atomically(file, content)
    return str(file)


def _hash(sources: Mapping[str, bytes]) -> str:
    seal = sha256(_MANIFEST.encode())
    for name, content in sources.items():
        seal.update(f"{name}\0{len(content)}\0".encode())
        seal.update(content)
    return seal.hexdigest()[:32]


def _no_jdk(what: str, where: str) -> VolitionError:
    return MissingPart.of(
        what,
        where=where,
        expected=f"a Java Development Kit, version {RELEASE} or later",
        remedy="install one (on Debian: apt install openjdk-17-jdk-headless), or set JAVA_HOME to its folder",
    )
