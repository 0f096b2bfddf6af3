# ruff: noqa: INP001  a program, no part of a package
"""Builds and tests the Java modules: with Maven where it can resolve its plugins, else with javac and JUnit's console.

`make java` runs it. Before the tests, javac compiles the sources for the oldest Java that they are meant for, each module
with those before it alone. It says which way it went, and ends with 0 where the tests passed, 1 where they did not, and
4 where there is no JDK or no JUnit to be had. Sources that have passed are not tested again. NO_JAVA=1 leaves Java out,
aloud; JAVA_WAY=maven or JAVA_WAY=javac chooses; JUNIT_CONSOLE names a console jar of JUnit 5.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import xml.etree.ElementTree as ET
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Final

from volition.core.errors import MissingPart
from volition.execution.conformance.protocol import VECTORS
from volition.execution.worlds.java import MODULES, RELEASE, SDK, find_tool, project_files

if TYPE_CHECKING:
    from collections.abc import Sequence

PROJECT: Final = Path(__file__).parent
ROOT: Final = PROJECT.parent
TARGET: Final = PROJECT / "target"
STAMP: Final = TARGET / "checked"
SHARED: Final = {
    "volition.declared": VECTORS / "declared.json",
    "volition.golden": VECTORS / "golden.json",
    "volition.hostile": VECTORS / "hostile.json",
    "volition.requests": VECTORS / "requests.json",
}
PROPERTIES: Final = [f"-D{name}={path}" for name, path in SHARED.items()]
MAVEN_TIME: Final = 240.0
TEST_TIME: Final = 300.0
DEBIAN: Final = Path("/usr/share/java")
DEBIAN_JARS: Final = (
    "junit-platform-console", "junit-platform-commons", "junit-platform-engine", "junit-platform-launcher",
    "junit-platform-reporting", "junit-jupiter-api", "junit-jupiter-engine", "junit-jupiter-params", "opentest4j",
    "opentest4j-reporting-events", "opentest4j-reporting-schema", "apiguardian-api", "picocli", "univocity-parsers",
)  # fmt: skip


class Failed(Exception):
    """The sources do not compile, or a test failed."""


def main() -> int:
    if os.environ.get("NO_JAVA") == "1":
        say("NOT TESTED, because NO_JAVA=1 is set: the Java executor may be broken")
        return 0
    try:
        seal = _seal()
        before, _, way = STAMP.read_text(encoding="utf-8").partition("\n") if STAMP.exists() else ("", "", "")
        if before == seal:
            say(f"unchanged since {way.strip()}")
            return 0
        _compile_modules(TARGET / "release")
        way = f"{_by_maven() or _by_javac()}; the sources are Java {RELEASE}"
    except MissingPart as error:
        say(f"NOT TESTED\nerror: {error}\n  (NO_JAVA=1 leaves Java out)")
        return error.exit_code
    except Failed as error:
        say(f"FAILED\n{error}")
        return 1
    TARGET.mkdir(exist_ok=True)
    STAMP.write_text(f"{seal}\n{way}\n", encoding="utf-8")
    say(way)
    return 0


def say(words: str) -> None:
    print(f"java: {words}", flush=True)  # noqa: T201


def _seal() -> str:
    """What the outcome depends on: the project, the shared files, this program, the compiler."""
    files = [*project_files().values(), *SHARED.values(), Path(__file__)]
    version = subprocess.run([find_tool("javac"), "-version"], capture_output=True, check=False)  # noqa: S603
    seal = sha256(version.stdout + version.stderr)
    for path in files:
        seal.update(sha256(path.read_bytes()).digest())
    return seal.hexdigest()


def _by_maven() -> str:
    """Test with Maven; an empty text where it is not there or did not come as far as the tests."""
    maven = shutil.which("mvn")
    if os.environ.get("JAVA_WAY") == "javac" or maven is None:
        return ""
    reports = [PROJECT / module.folder / "target/surefire-reports" for module in MODULES]
    for folder in reports:
        shutil.rmtree(folder, ignore_errors=True)
    command = [maven, "-q", "-B", f"-Dmaven.repo.local={ROOT / '.venv/m2'}", *PROPERTIES, "test"]
    try:
        done = subprocess.run(  # noqa: S603  our own project
            command, cwd=PROJECT, capture_output=True, text=True, timeout=MAVEN_TIME, check=False
        )
        code, output = done.returncode, done.stdout + done.stderr
    except subprocess.TimeoutExpired:
        code, output = 1, f"no end within {MAVEN_TIME:.0f} s"
    ran = sum(_count(folder) for folder in reports)
    if code == 0 and ran:
        return f"{ran} tests passed with Maven"
    if ran or "COMPILATION ERROR" in output or os.environ.get("JAVA_WAY") == "maven":
        raise Failed(output[-6000:])
    say(f"Maven did not come as far as the tests, so on with javac ({_first_error(output)})")
    return ""


def _by_javac() -> str:
    """Test with javac and the console of JUnit."""
    console, style = _console()
    classes, tests = _compile_modules(TARGET / "plain"), []
    for module in MODULES:
        tests.append(TARGET / "plain" / module.folder / "tests")
        _compile(PROJECT / module.folder / "src/test/java", tests[-1], [*classes, *tests[:-1], console])
    done = subprocess.run(  # noqa: S603  our own project
        [
            find_tool("java"), *PROPERTIES, "-cp", console, "org.junit.platform.console.ConsoleLauncher", *style,
            "--class-path", _path([*classes, *tests]), "--scan-class-path", _path(tests),
            "--fail-if-no-tests", "--disable-banner", "--disable-ansi-colors", "--details=summary",
        ],
        cwd=PROJECT / SDK.folder, capture_output=True, text=True, timeout=TEST_TIME, check=False,
    )  # fmt: skip
    passed = re.search(r"(\d+) tests successful", done.stdout)
    if done.returncode or passed is None:
        raise Failed((done.stdout + done.stderr)[-6000:])
    return f"{passed[1]} tests passed with javac and JUnit's console"


def _compile_modules(target: Path) -> list[Path]:
    """Compile each module against those before it; the folders of their classes and resources."""
    shutil.rmtree(target, ignore_errors=True)
    done: list[Path] = []
    for module in MODULES:
        main, classes = PROJECT / module.folder / "src/main", target / module.folder / "classes"
        if (main / "resources").exists():
            shutil.copytree(main / "resources", classes)
        _compile(main / "java", classes, done)
        done.append(classes)
    return done


def _compile(sources: Path, classes: Path, class_path: Sequence[Path | str]) -> None:
    files = sorted(str(path) for path in sources.rglob("*.java"))
    # What JUnit's jars say of one another is not ours to mend.
    options = ["--release", str(RELEASE), "-encoding", "UTF-8", "-Xlint:all,-path", "-Werror", "-d", str(classes)]
    # Never an empty class path: javac would read that as the folder in which it runs.
    command = [str(find_tool("javac")), *options, "-cp", _path([classes, *class_path]), *files]
    done = subprocess.run(command, capture_output=True, text=True, timeout=TEST_TIME, check=False)  # noqa: S603
    if done.returncode:
        raise Failed((done.stdout + done.stderr)[-6000:])


def _path(parts: Sequence[Path | str]) -> str:
    return os.pathsep.join(map(str, parts))


def _console() -> tuple[str, list[str]]:
    """The class path of JUnit's console, and the word that newer ones want before their options."""
    given = os.environ.get("JUNIT_CONSOLE")
    debian = [path for name in DEBIAN_JARS if (path := DEBIAN / f"{name}.jar").exists()]
    jars = [Path(given)] if given else debian
    if not jars or not jars[0].exists() or "console" not in jars[0].name:
        raise MissingPart.of(
            "JUnit 5 was not found",
            where=given or str(DEBIAN),
            expected="Maven with a repository that it can reach, or the console of JUnit 5",
            remedy="install it (on Debian: apt install junit5), or name a console jar with JUNIT_CONSOLE",
        )
    version = re.search(r"-(\d+)\.(\d+)[^/]*\.jar$", str(jars[0].resolve()))
    new = version is not None and (int(version[1]), int(version[2])) >= (1, 10)
    return os.pathsep.join(map(str, jars)), ["execute"] if new else []


def _count(reports: Path) -> int:
    return sum(int(ET.parse(path).getroot().get("tests", 0)) for path in reports.glob("TEST-*.xml"))  # noqa: S314


def _first_error(output: str) -> str:
    lines = [line.removeprefix("[ERROR]").strip() for line in output.splitlines() if line.strip()]
    return lines[0][:200] if lines else "it said nothing"


if __name__ == "__main__":
    sys.exit(main())
