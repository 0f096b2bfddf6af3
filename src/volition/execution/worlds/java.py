"""The Java that is shipped: the executor for games, and the arena as an example, built with the user's JDK.

The sources are a Maven project of two modules. Each is built into a separate jar, cached under a hash of all sources,
so that they are built only once, in a few seconds, and are never stale.
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

from msgspec import Struct

from volition.core.document import write_atomically
from volition.core.errors import MissingPart, VolitionError
from volition.core.folder import cache_folder

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from volition.execution.worlds.arena import ArenaMap

RELEASE: Final = 11
"""The version of Java that the sources are written in; any later version runs them."""

_SHIPPED: Final = Path(__file__).parents[1] / "executor_java"
_CHECKOUT: Final = Path(__file__).parents[4]
_COMPILE_TIME: Final = 120.0
LIGHT_JVM: Final = ("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1")
"""The simplest collector and the quick compiler: for a JVM that has little garbage and ends soon."""
# A small heap and the simplest collector: the arena starts faster, and has little garbage. Both compilers: with the quick one alone an
# intent takes 1.13 times as long (`benchmarks/bridge.py`, "blocking / raw echo").
_ARENA_JVM: Final = ("-XX:+UseSerialGC", "-Xms32m", "-Xmx256m")
# javac takes half the time with them: 1.6 CPU seconds instead of 3.4 for both modules.
_JAVAC_JVM: Final = tuple(f"-J{option}" for option in LIGHT_JVM)


class JavaModule(Struct, frozen=True):
    """One module of the Maven project."""

    folder: str
    """Where it is in the project."""
    artefact: str
    """What it is built into: the name of the jar, without a version."""
    manifest: str
    """The lines of the jar's manifest."""

    @property
    def jar(self) -> str:
        return f"{self.artefact}.jar"


SDK: Final = JavaModule("sdk", "volition-executor", "Automatic-Module-Name: volition.executor\n")
"""What a game depends on; it depends on nothing."""
ARENA: Final = JavaModule(
    "arena",
    "volition-arena",
    f"Main-Class: volition.executor.arena.Main\nClass-Path: {SDK.jar}\nAutomatic-Module-Name: volition.executor.arena\n",
)
"""A game as an example, which can be run; it depends on SDK."""
MODULES: Final = (SDK, ARENA)
"""Each depends on those before it; no two have a package in common."""


def project_files() -> dict[str, Path]:
    """The files of the Maven project by name."""
    root, licence = (_SHIPPED, _SHIPPED) if _SHIPPED.exists() else (_CHECKOUT / "java", _CHECKOUT)
    paths = [root / "pom.xml", root / "README.md"]
    for module in MODULES:
        paths += [root / module.folder / "pom.xml", *(root / module.folder / "src").rglob("*")]
    files = {path.relative_to(root).as_posix(): path for path in paths if path.is_file()}
    return dict(sorted((files | {"LICENSE": licence / "LICENSE"}).items()))


def find_tool(name: Literal["java", "javac"]) -> Path:
    """The tool of that name, from JAVA_HOME first; MissingPart where there is none."""
    home = os.environ.get("JAVA_HOME")
    tool = shutil.which(name, path=str(Path(home) / "bin")) if home else None
    tool = tool or shutil.which(name)
    if tool is None:
        raise _no_jdk(f"{name} was not found", "JAVA_HOME and PATH")
    return Path(tool)


def build() -> Path:
    """The jar of the arena, with that of the executor beside it, built unless the cache has them for these sources."""
    sources = {name: path.read_bytes() for name, path in project_files().items() if "/src/main/" in name}
    jar = cache_folder("java", _hash(sources)) / ARENA.jar
    if jar.exists():
        return jar
    javac = find_tool("javac")
    try:
        jar.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=jar.parent, prefix="building-") as folder:
            classes = Path(folder) / "classes"
            _compile(javac, sources, classes)
            # The arena last: who finds it finds all that it needs.
            for module in MODULES:
                _pack(module, sources, classes, draft := Path(folder) / module.jar)
                draft.replace(jar.with_name(module.jar))
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
    command = [str(find_tool("java")), *_ARENA_JVM, "-jar", str(build()), *listen, "--seed", str(seed)]
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
    return (*command, *(flag for flag, is_set in flags.items() if is_set))


def _compile(javac: Path, sources: Mapping[str, bytes], classes: Path) -> None:
    """Compile all modules into one folder: javac takes seconds to start, so it is started once."""
    files = []
    for name, content in sources.items():
        if name.endswith(".java"):
            files.append(classes.parent / name)
            files[-1].parent.mkdir(parents=True, exist_ok=True)
            files[-1].write_bytes(content)
    options = ["--release", str(RELEASE), "-encoding", "UTF-8", "-proc:none", "-d", str(classes), "-cp", str(classes)]
    try:
        process = subprocess.run(  # noqa: S603  the user's compiler, our own sources
            [str(javac), *_JAVAC_JVM, *options, *map(str, files)],
            capture_output=True,
            text=True,
            timeout=_COMPILE_TIME,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise _no_jdk(f"javac does not run: {error}", str(javac)) from error
    if process.returncode:
        raise _no_jdk(f"javac fails: {(process.stderr or process.stdout).strip()[:400]}", str(javac))


def _pack(module: JavaModule, sources: Mapping[str, bytes], classes: Path, jar: Path) -> None:
    """Pack the classes of a module's packages, which no other module has, and its resources."""
    code, resources = f"{module.folder}/src/main/java/", f"{module.folder}/src/main/resources/"
    packages = sorted({name.removeprefix(code).rpartition("/")[0] for name in sources if name.startswith(code)})
    files = {
        path.relative_to(classes).as_posix(): path.read_bytes()
        for package in packages
        for path in sorted((classes / package).glob("*.class"))
    }
    files |= {name.removeprefix(resources): sources[name] for name in sources if name.startswith(resources)}
    manifest = {"META-INF/MANIFEST.MF": f"Manifest-Version: 1.0\n{module.manifest}\n".encode()}
    with zipfile.ZipFile(jar, "w") as archive:
        for name, content in (manifest | files).items():
            # Without the time of the build: the same classes make the same jar.
            archive.writestr(zipfile.ZipInfo(name), content, zipfile.ZIP_DEFLATED)


def _map_argument(map: str | Path | ArenaMap) -> str:
    """The map as an argument of the Java arena: a name or a file. An ArenaMap object is written into the cache."""
    from volition.execution.worlds.arena.executor import find_map  # noqa: PLC0415
    from volition.execution.worlds.arena.ground import SHIPPED_MAPS  # noqa: PLC0415  only who plays on another map pays for it

    if isinstance(map, str | Path):
        find_map(str(map))
        return str(map) if str(map) in SHIPPED_MAPS else str(Path(map).resolve())
    content = f"{map.to_text()}\n".encode()
    file = cache_folder("maps") / f"{map.name}-{sha256(content).hexdigest()[:16]}.txt"
    file.parent.mkdir(parents=True, exist_ok=True)
    write_atomically(file, content)
    return str(file)


def _hash(sources: Mapping[str, bytes]) -> str:
    seal = sha256("".join(module.manifest for module in MODULES).encode())
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
