"""The scripts of the pages are checked like the rest: their types against the shapes of the API, their style by rules.

`make pages` installs what checks them. Without it the tests here are skipped, and say so.
"""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Final

import pytest

from tests.processes import ROOT
from tests.studio.scripts.shapes import HERE, write_shapes

STATIC: Final = ROOT / "src" / "volition" / "studio" / "static"
TOOLS: Final = HERE / "node_modules" / ".bin"
NO_GARBAGE: Final = {"GOGC": "off"}
"""The type checker ends within seconds: it collects no garbage. Several threads would check what they share several times; alone
it takes half of their CPU time."""
LINTER: Final = (
    "node", "--no-opt", "--max-lazy", "--single-threaded", "--max-semi-space-size=64",
    str(HERE / "node_modules" / "eslint" / "bin" / "eslint.js"),
)  # fmt: skip
"""The linter ends within seconds, too: what is optimised in that time does not pay for it."""
WIDEST: Final = 120
"""The most characters of a line."""
PLANTED: Final = """
import { h } from "%s/dom.js";

/** @param {Api.DriveShape} drive */
export function planted(drive) {
  const unused = 1;
  return h("p", {}, drive.sed, %s);
}
"""
installed = pytest.mark.skipif(
    not (TOOLS / "tsc").exists(), reason="the scripts of the pages are NOT CHECKED: run `make pages`, which needs npm"
)


@pytest.fixture(scope="module")
def planted(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A script with mistakes, which is checked together with the scripts of the pages: one start serves for both."""
    file = tmp_path_factory.mktemp("planted") / "planted.js"
    file.write_text(PLANTED % (STATIC, " + ".join(['"long"'] * 30)), encoding="utf-8")
    return file


@pytest.fixture(scope="module")
def types(planted: Path) -> list[str]:
    """What the type checker says, with the shapes that this server sends: a line for each mistake."""
    write_shapes(planted.with_name("shapes.d.ts"))
    configuration = {
        "extends": str(HERE / "tsconfig.json"),
        "include": [f"{STATIC}/*.js", planted.name, "shapes.d.ts"],
    }
    (planted.parent / "tsconfig.json").write_text(json.dumps(configuration), encoding="utf-8")
    command = (str(TOOLS / "tsc"), "--singleThreaded", "--project", str(planted.parent), "--pretty", "false")
    done = run(*command, cwd=planted.parent, env={**os.environ, **NO_GARBAGE})
    assert done.returncode != 0
    return done.stdout.splitlines()


@pytest.fixture(scope="module")
def style(planted: Path) -> dict[str, list[str]]:
    """The rules that each script breaks, by its path; the linter only looks at files below where it is started."""
    settings = ("--config", str(HERE / "eslint.config.js"), "--format", "json")
    done = run(*LINTER, *settings, str(STATIC), str(planted), cwd=Path(planted.anchor))
    assert done.returncode == 1, done.stderr
    return {one["filePath"]: [found["ruleId"] for found in one["messages"]] for one in json.loads(done.stdout)}


def run(*command: str, cwd: Path, env: dict[str, str] | None = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, cwd=cwd, env=env, capture_output=True, text=True, check=False)


@installed
def test_the_types_of_the_pages_agree(types: list[str], planted: Path) -> None:
    """Every script passes the strict type checker, with the shapes that this server sends."""
    assert [line for line in types if not line.startswith(f"{planted.name}(")] == []


@installed
def test_the_pages_follow_the_rules(style: dict[str, list[str]], planted: Path) -> None:
    """No rule of the linter is broken by any script."""
    scripts = {str(path) for path in STATIC.glob("*.js")}
    assert {path: rules for path, rules in style.items() if path != str(planted)} == {path: [] for path in scripts}


@installed
def test_planted_mistakes_are_found(types: list[str], style: dict[str, list[str]], planted: Path) -> None:
    """A field that the API does not have, an unused name and a long line are each found, and named by their line."""
    assert any(line.startswith("planted.js(7,27): error TS2551: Property 'sed' does not exist") for line in types)
    assert {"max-len", "no-unused-vars"} <= set(style[str(planted)])


def test_no_line_is_too_long() -> None:
    """Lines of scripts, style sheets and documents have at most 120 characters."""
    written = [path for path in sorted(STATIC.iterdir()) if path.suffix in {".js", ".css", ".html"}]
    long = [
        f"{path.name}:{number}"
        for path in written
        for number, line in enumerate(path.read_text("utf-8").splitlines(), 1)
        if len(line) > WIDEST
    ]
    assert not long
    assert len(written) > 60
