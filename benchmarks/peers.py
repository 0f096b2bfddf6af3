"""A separate environment for a benchmark's peers: the packages that it is compared with are not dependencies of ours.

The newest interpreter that can be found makes a virtual environment in `.venv-peers-NAME`, and the benchmark runs itself
again there, with this source tree on the path, to measure both sides in that one process. What cannot be had is left
out, and the benchmark says so.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

from rows import Row

ROOT = Path(__file__).resolve().parent.parent
PATIENCE = 300
"""Seconds that each step of making the environment may take; a quick run makes none."""


def inside() -> bool:
    """Whether this process is the one that runs in the peers' environment."""
    return "VOLITION_PEERS" in os.environ


def _made(packages: list[str], script: str) -> bool:
    """Whether the environment of a benchmark is there already, so that nothing needs to be installed."""
    stamp = _folder(script) / "installed"
    return stamp.is_file() and stamp.read_text() == "\n".join(packages)


def rows_beside(packages: list[str], script: str, *, quick: bool) -> list[Row]:
    """The rows that a benchmark prints in the peers' environment; with `quick` nothing is installed for them."""
    if (python := python_with(packages, script, quick=quick)) is None:
        return []
    path = os.pathsep.join([str(ROOT / "src"), os.environ.get("PYTHONPATH", "")])
    environment = {**os.environ, "VOLITION_PEERS": "1", "PYTHONPATH": path}
    command = [python, script, "--json", *(["--quick"] if quick else [])]
    printed = subprocess.run(command, env=environment, check=False, stdout=subprocess.PIPE).stdout
    return [Row(**row) for row in json.loads(printed)]


def python_with(packages: list[str], script: str, *, quick: bool) -> str | None:
    """The interpreter of a script's environment; with `quick` nothing is installed, and there may be none."""
    if quick and not _made(packages, script):
        print(f"without {', '.join(packages)}, whose environment a run without --quick makes", file=sys.stderr)
        return None
    return _environment(packages, script)


def _folder(script: str) -> Path:
    return ROOT / f".venv-peers-{Path(script).stem}"


def _environment(packages: list[str], script: str) -> str:
    folder = _folder(script)
    python = folder / "bin" / "python"
    if _made(packages, script):
        return str(python)
    shutil.rmtree(folder, ignore_errors=True)
    try:
        print(f"making {folder.name} with {', '.join(packages)}", file=sys.stderr)
        subprocess.run([_newest(), "-m", "venv", str(folder)], check=True, timeout=PATIENCE, capture_output=True)
        pip = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        subprocess.run([*pip, *_own()], check=True, timeout=PATIENCE, capture_output=True)
        for package in packages:
            if subprocess.run([*pip, package], check=False, timeout=PATIENCE, capture_output=True).returncode:
                print(f"{package} cannot be had here", file=sys.stderr)
        (folder / "installed").write_text("\n".join(packages))
    except (OSError, subprocess.SubprocessError) as error:
        print(f"the peers' environment cannot be made ({error}); going on without them", file=sys.stderr)
        return sys.executable
    return str(python)


def _own() -> list[str]:
    """What this project itself needs."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    return list(project["dependencies"])


def _newest() -> str:
    """The newest interpreter on the path or among pyenv's; some peers need one that is newer than ours."""
    kept = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    for minor in (14, 13, 12):
        for found in (f"python3.{minor}", *map(str, kept.glob(f"3.{minor}.*/bin/python"))):
            try:
                subprocess.run([found, "-c", "import venv, ensurepip"], check=True, timeout=20, capture_output=True)
            except (OSError, subprocess.SubprocessError):
                continue
            return found
    return sys.executable
