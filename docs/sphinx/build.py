"""`make docs`: build the site, and refuse one with a broken link or with anything that a page would load from outside."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from importlib.util import find_spec
from pathlib import Path

from docs.sphinx.outside import outside_requests
from docs.sphinx.staging import ROOT, stage

SITE = ROOT / "site"
MISSING_PART = 4


def build(site: Path) -> list[str]:
    """Build the site into a folder, which is replaced; every problem on a line, of which there should be none."""
    shutil.rmtree(site, ignore_errors=True)
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder, "source")
        stage(source)
        warnings = run_sphinx("html", source, Path(folder, "read"), site)
    return [*warnings, *outside_requests(site)]


def run_sphinx(builder: str, source: Path, read: Path, out: Path) -> list[str]:
    """Build staged pages, and return what Sphinx warned of; what it has read is kept in `read`.

    The builder `html` writes pages; `dummy` follows every link and writes nothing, in a third of the time.
    """
    said = read.with_name("warnings.txt")
    settings = ["-q", "-b", builder, "-c", str(Path(__file__).parent), "-d", str(read), "-w", str(said)]
    command = [sys.executable, "-m", "sphinx", *settings, str(source), str(out)]
    code = subprocess.run(command, check=False, stderr=subprocess.DEVNULL).returncode  # noqa: S603  our own pages
    lines = said.read_text(encoding="utf-8").replace(f"{source}/", "").splitlines() if said.exists() else []
    return lines or ([f"sphinx ended with {code}"] if code else [])


def main() -> int:
    """Build the site for a reader; the exit code says whether it is whole."""
    if find_spec("sphinx") is None:
        print("error: Sphinx is not installed\n  remedy: make docs, or pip install '.[docs]'", file=sys.stderr)
        return MISSING_PART
    problems = build(SITE)
    if problems:
        print(*problems, f"the site is not whole: {len(problems)} problems", sep="\n", file=sys.stderr)
        return 1
    pages = len(list(SITE.rglob("*.html")))
    print(f"{pages} pages; to read them, open {SITE / 'index.html'}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
