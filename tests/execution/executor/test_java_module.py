"""The Java module as it comes along: built once, exported whole, equal on both sides, and loud where a JDK is missing."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from volition import __version__
from volition.core.errors import InvalidInput, MissingPart
from volition.execution.arena import SHIPPED_MAPS, parse_map
from volition.execution.executor import java

DEN = parse_map("name: den\n######\n#.-..#\n#@&..#\n######")


def test_the_maps_and_the_version_are_the_same() -> None:
    """What stands on both sides is equal: the maps that come along, and the version."""
    files = java.module_files()
    for name in SHIPPED_MAPS:
        here = Path(java.__file__).parents[1] / "arena" / "maps" / f"{name}.txt"
        assert files[f"src/main/resources/volition/executor/arena/{name}.txt"].read_bytes() == here.read_bytes()
    pom = re.search(r"<version>(.*?)</version>", files["pom.xml"].read_text(encoding="utf-8"))
    assert pom is not None
    assert pom[1] == __version__


def test_the_jar_is_built_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A cached jar is taken as it is, without a compiler; nothing else is left in the cache."""
    monkeypatch.setenv("VOLITION_CACHE", str(tmp_path))
    jar = java.build()
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == [jar]
    made = jar.stat().st_mtime_ns
    monkeypatch.setattr(java, "find_tool", _nothing_found)
    assert java.build() == jar
    assert jar.stat().st_mtime_ns == made


def _nothing_found(name: str) -> Path:
    raise AssertionError(f"{name} is not needed")


def test_without_a_jdk_it_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No JDK, one that is too old, and a cache that cannot be written are missing parts: exit code 4, with a remedy."""
    monkeypatch.setenv("VOLITION_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("JAVA_HOME", raising=False)
    with pytest.raises(MissingPart, match=r"javac was not found[\s\S]*apt install") as raised:
        java.build()
    assert raised.value.exit_code == 4
    old = tmp_path / "jdk" / "bin" / "javac"
    old.parent.mkdir(parents=True)
    old.write_text("#!/bin/sh\necho 'error: release version 11 not supported' >&2\nexit 2\n")
    old.chmod(0o755)
    monkeypatch.setenv("JAVA_HOME", str(tmp_path / "jdk"))
    with pytest.raises(MissingPart, match="release version 11 not supported"):
        java.build()
    assert [path for path in (tmp_path / "cache").rglob("*") if path.is_file()] == []
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("VOLITION_CACHE", str(tmp_path / "file"))
    with pytest.raises(MissingPart, match="VOLITION_CACHE"):
        java.build()


def test_the_module_is_exported_whole_and_overwrites_nothing(tmp_path: Path) -> None:
    """Every file arrives as it is; a folder that is not empty stays untouched."""
    target = tmp_path / "new" / "module"
    names = java.export(target)
    assert {"pom.xml", "README.md", "LICENSE", "src/main/java/volition/executor/Executor.java"} <= set(names)
    for name, path in java.module_files().items():
        assert (target / name).read_bytes() == path.read_bytes()
    (target / "pom.xml").write_text("mine")
    with pytest.raises(InvalidInput, match="something already"):
        java.export(target)
    assert (target / "pom.xml").read_text() == "mine"
    (tmp_path / "empty").mkdir()
    assert java.export(tmp_path / "empty") == names
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
    program = "import sys; import volition.execution, volition.execution.bridge.connect; print('volition.execution.executor.java' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout.strip() == "False"
