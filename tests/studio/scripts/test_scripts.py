"""The scripts of the pages are checked like the rest: their types against the shapes of the API, their style by rules.

`make pages` installs what checks them. Without it the tests here are skipped, and say so.
"""

from __future__ import annotations

import json
import subprocess
from typing import TYPE_CHECKING, Final

import pytest

from tests.processes import ROOT
from tests.studio.scripts.shapes import HERE, write_shapes

if TYPE_CHECKING:
    from pathlib import Path

STATIC: Final = ROOT / "src" / "volition" / "studio" / "static"
TOOLS: Final = HERE / "node_modules" / ".bin"
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


def check_types(folder: Path, sources: str) -> subprocess.CompletedProcess[str]:
    """What the type checker says of some sources; its configuration and the shapes of the API are put into a folder."""
    write_shapes(folder / "shapes.d.ts")
    configuration = {"extends": str(HERE / "tsconfig.json"), "include": [sources, "shapes.d.ts"]}
    (folder / "tsconfig.json").write_text(json.dumps(configuration), encoding="utf-8")
    return run(str(TOOLS / "tsc"), "--project", str(folder), "--pretty", "false", cwd=folder)


def check_style(path: Path, where: Path) -> subprocess.CompletedProcess[str]:
    """What the linter says of a file or a folder; it only looks at files below `where`."""
    return run(str(TOOLS / "eslint"), "--config", str(HERE / "eslint.config.js"), str(path), cwd=where)


def run(*command: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False)


@installed
def test_the_types_of_the_pages_agree(tmp_path: Path) -> None:
    """Every script passes the strict type checker, with the shapes that this server sends."""
    found = check_types(tmp_path, f"{STATIC}/*.js")
    assert (found.returncode, found.stdout) == (0, "")


@installed
def test_the_pages_follow_the_rules() -> None:
    """No rule of the linter is broken by any script."""
    found = check_style(STATIC, ROOT)
    assert (found.returncode, found.stdout) == (0, "")


@installed
def test_planted_mistakes_are_found(tmp_path: Path) -> None:
    """A field that the API does not have, an unused name and a long line are each found, and named by their line."""
    planted = tmp_path / "planted.js"
    planted.write_text(PLANTED % (STATIC, " + ".join(['"long"'] * 30)), encoding="utf-8")
    types, style = check_types(tmp_path, "planted.js"), check_style(planted, tmp_path)
    assert types.returncode != 0
    assert "planted.js(7,27): error TS2551: Property 'sed' does not exist" in types.stdout
    assert style.returncode == 1
    assert all(rule in style.stdout for rule in ("max-len", "no-unused-vars"))


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
