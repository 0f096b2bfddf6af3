"""The shipped Java modules: built once, exported completely, equal on both sides, and explicit where a JDK is missing."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import xml.etree.ElementTree as ET
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.processes import PATIENCE
from volition import __version__
from volition.core.errors import InvalidInput, MissingPart
from volition.execution.conformance.protocol.export import export_java
from volition.execution.worlds import java
from volition.execution.worlds.arena.ground import SHIPPED_MAPS, parse_map

if TYPE_CHECKING:
    from tests.sentences import Told

DEN = parse_map("name: den\n######\n#.-..#\n#@&..#\n######")


def test_the_maps_and_the_version_are_the_same() -> None:
    """What exists on both sides is equal: the shipped maps, and the version."""
    files = java.project_files()
    for name in SHIPPED_MAPS:
        here = Path(java.__file__).parent / "arena" / "maps" / f"{name}.txt"
        assert files[f"arena/src/main/resources/volition/executor/arena/{name}.txt"].read_bytes() == here.read_bytes()
    assert words_of("version") == [__version__]


POM = "{http://maven.apache.org/POM/4.0.0}"


def words_of(path: str, pom: str = "pom.xml") -> list[str]:
    """The texts at a path of a POM, by default that of the project."""
    root = ET.fromstring(java.project_files()[pom].read_text(encoding="utf-8"))
    return [found.text or "" for found in root.findall("/".join(POM + part for part in path.split("/")))]


def test_the_pom_has_what_a_repository_asks_for() -> None:
    """A group that is a reversed domain, licence, source control, and jars of sources and Javadoc; for Java 11."""
    (group,) = words_of("groupId")
    assert re.fullmatch(r"[a-z]+(\.[a-z][a-z0-9-]*)+", group)
    assert words_of("licenses/license/name") == ["MIT"]
    assert all(
        words_of(path) for path in ("scm/url", "scm/connection", "url", "developers/developer/name", "description")
    )
    plugins = words_of("build/plugins/plugin/artifactId")
    assert {"maven-source-plugin", "maven-javadoc-plugin"} <= set(plugins)
    assert words_of("properties/maven.compiler.release") == [str(java.RELEASE)] == ["11"]


def test_a_game_depends_on_the_executor_alone() -> None:
    """The executor has no dependency but for its tests, and the arena none but the executor; both are of one version."""
    assert words_of("modules/module") == [module.folder for module in java.MODULES] == ["sdk", "arena"]
    assert set(words_of("dependencies/dependency/scope")) == {"test"}
    assert len(words_of("dependencies/dependency")) == len(words_of("dependencies/dependency/scope"))
    assert words_of("dependencies", "sdk/pom.xml") == []
    assert set(words_of("dependencies/dependency/artifactId", "arena/pom.xml")) == {java.SDK.artefact}
    for module in java.MODULES:
        assert words_of("artifactId", f"{module.folder}/pom.xml") == [module.artefact]
        parent = [
            words_of(f"parent/{part}", f"{module.folder}/pom.xml") for part in ("groupId", "artifactId", "version")
        ]
        assert parent == [words_of(part) for part in ("groupId", "artifactId", "version")]
        named = words_of(
            "build/plugins/plugin/configuration/archive/manifestEntries/Automatic-Module-Name",
            f"{module.folder}/pom.xml",
        )
        assert f"Automatic-Module-Name: {named[0]}\n" in module.manifest


def test_the_executor_s_jar_has_no_example_in_it() -> None:
    """The jar that a game depends on has the package volition.executor and nothing else; the arena's has only its own,
    names the executor's jar beside it, and runs.
    """
    arena = java.build()
    contents: dict[str, set[str]] = {}
    manifests: dict[str, str] = {}
    for module in java.MODULES:
        with zipfile.ZipFile(arena.with_name(module.jar)) as jar:
            manifests[module.folder] = jar.read("META-INF/MANIFEST.MF").decode()
            contents[module.folder] = {name.rpartition("/")[0] for name in jar.namelist()} - {"META-INF"}
    assert contents == {"sdk": {"volition/executor"}, "arena": {"volition/executor/arena"}}
    assert "Class-Path: volition-executor.jar\n" in manifests["arena"]
    assert "Main-Class" not in manifests["sdk"]
    command = [str(java.find_tool("java")), *java.LIGHT_JVM, "-jar", str(arena), "--port", "none"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert (done.returncode, done.stderr.startswith("error: ")) == (2, True)


def test_the_readme_names_what_the_pom_makes() -> None:
    """The coordinates in the Gradle snippet are the POM's, and the games in the README are those that are tested."""
    files = java.project_files()
    readme = files["README.md"].read_text(encoding="utf-8")
    group, version = words_of("groupId")[0], words_of("version")[0]
    assert f"implementation '{group}:{java.SDK.artefact}:{version}'" in readme
    for module in java.MODULES:
        assert f"| `{module.artefact}` | `{module.folder}` |" in readme
        assert f"{module.folder}/target/{module.artefact}-{version}.jar" in readme
    games = re.findall(r"^```java\n(.*?)^```", readme, re.MULTILINE | re.DOTALL)
    assert games == [
        files[f"sdk/src/test/java/example/{name}.java"].read_text(encoding="utf-8") for name in ("Lane", "Quarry")
    ]


def test_the_gradle_snippet_builds_a_game(tmp_path: Path) -> None:
    """Where there is a Gradle, the snippet with the exported folder compiles a game against the executor."""
    gradle = shutil.which("gradle")
    if gradle is None:
        pytest.skip("there is no gradle here")
    readme = java.project_files()["README.md"].read_text(encoding="utf-8")
    (snippet,) = re.findall(r"^```gradle\n((?:(?!```).)*?srcDir.*?)^```", readme, re.MULTILINE | re.DOTALL)
    export_java(tmp_path / "volition")
    (tmp_path / "build.gradle").write_text(snippet, encoding="utf-8")
    game = tmp_path / "src/main/java/example/Lane.java"
    game.parent.mkdir(parents=True)
    game.write_bytes(java.project_files()["sdk/src/test/java/example/Lane.java"].read_bytes())
    command = [gradle, "--offline", "--no-daemon", "-g", str(tmp_path / "home"), "jar"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    (jar,) = (tmp_path / "build/libs").glob("*.jar")
    with zipfile.ZipFile(jar) as made:
        names = set(made.namelist())
    assert {"example/Lane.class", "volition/executor/ExecutorServer.class"} <= names
    assert not any(name.startswith("volition/executor/arena") for name in names)


def test_the_jars_are_for_java_11() -> None:
    """Every class in a jar has the version of Java 11, and names no class that came later but by its name as text."""
    classes: dict[str, bytes] = {}
    for module in java.MODULES:
        with zipfile.ZipFile(java.build().with_name(module.jar)) as jar:
            classes |= {name: jar.read(name) for name in jar.namelist() if name.endswith(".class")}
    assert {int.from_bytes(content[6:8], "big") for content in classes.values()} == {55}
    later = [name for name, content in classes.items() if b"java/net/UnixDomainSocketAddress" in content]
    assert later == []


def test_the_jars_are_built_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Cached jars are taken as they are, without a compiler; nothing else is left in the cache."""
    base, game, cache = tmp_path / "A.java", tmp_path / "B.java", tmp_path / "cache"
    base.write_text("package a; public class A { }\n")
    game.write_text("package a.b; class B extends a.A { }\n")
    monkeypatch.setenv("VOLITION_CACHE", str(cache))
    files = {"sdk/src/main/java/a/A.java": base, "arena/src/main/java/a/b/B.java": game}
    monkeypatch.setattr(java, "project_files", lambda: files)
    jar = java.build()
    assert {path for path in cache.rglob("*") if path.is_file()} == {jar.with_name(each.jar) for each in java.MODULES}
    made = jar.stat().st_mtime_ns
    monkeypatch.setattr(java, "find_tool", _nothing_found)
    assert java.build() == jar
    assert jar.stat().st_mtime_ns == made


def _nothing_found(name: str) -> Path:
    raise AssertionError(f"{name} is not needed")


def test_without_a_jdk_it_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, told: Told) -> None:
    """No JDK, one that is too old, and a cache that cannot be written are missing parts: exit code 4, with a remedy."""
    monkeypatch.setenv("VOLITION_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("JAVA_HOME", raising=False)
    with told.raises(MissingPart) as raised:
        java.build()
    assert raised.value.exit_code == 4
    old = tmp_path / "jdk" / "bin" / "javac"
    old.parent.mkdir(parents=True)
    old.write_text("#!/bin/sh\necho 'error: release version 11 not supported' >&2\nexit 2\n")
    old.chmod(0o755)
    monkeypatch.setenv("JAVA_HOME", str(tmp_path / "jdk"))
    with told.raises(MissingPart):
        java.build()
    assert [path for path in (tmp_path / "cache").rglob("*") if path.is_file()] == []
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("VOLITION_CACHE", str(tmp_path / "file"))
    with pytest.raises(MissingPart, match="VOLITION_CACHE"):
        java.build()


def test_the_project_is_exported_whole_and_overwrites_nothing(tmp_path: Path, told: Told) -> None:
    """Every file arrives as it is; a folder that is not empty stays untouched."""
    target = tmp_path / "new" / "module"
    names = export_java(target)
    expected = {"pom.xml", "README.md", "LICENSE", "sdk/src/main/java/volition/executor/Executor.java"}
    assert expected | {"arena/src/main/java/volition/executor/arena/Main.java"} <= set(names)
    for name, path in java.project_files().items():
        assert (target / name).read_bytes() == path.read_bytes()
    (target / "pom.xml").write_text("mine")
    with told.raises(InvalidInput):
        export_java(target)
    assert (target / "pom.xml").read_text() == "mine"
    (tmp_path / "empty").mkdir()
    assert export_java(tmp_path / "empty") == names
    assert sorted(path.name for path in tmp_path.iterdir()) == ["empty", "new"]


def test_a_map_that_cannot_be_read_is_refused_here() -> None:
    """A bad map is an error of the caller's, before any process starts; `map` may be a name, a file or a map."""
    with pytest.raises(InvalidInput):
        java.arena_command(map="nowhere.txt")
    named = java.arena_command(map="foundry")
    assert named[named.index("--map") + 1] == "foundry"
    made: Any = java.arena_command(map=DEN)
    assert parse_map(Path(made[made.index("--map") + 1]).read_text(encoding="utf-8")) == DEN


def test_it_is_found_without_being_imported_by_others() -> None:
    """Nobody who drives another executor looks for a JDK."""
    program = "import sys; import volition.execution, volition.execution.client.bridge; print('volition.execution.worlds.java' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=PATIENCE, check=True)
    assert done.stdout.strip() == "False"
