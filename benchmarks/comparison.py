"""The figures of docs/comparison.md: every benchmark that has peers is run, and the tables of the page are written from its rows.

Takes about half an hour, needs a package index for the peers, and PostgreSQL for the engines; what cannot be had keeps the
figures of the last run. `--write` only writes the page from the stored rows, and `--only NAME` measures one part.

    python benchmarks/comparison.py --only decisions
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import re
import shutil
import sys
from dataclasses import asdict
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from peers import ROOT, rows_beside

if TYPE_CHECKING:
    from collections.abc import Callable

    from rows import Row

STORED = Path(__file__).with_name("comparison.json")
PAGE = ROOT / "docs" / "comparison.md"
_TABLE = re.compile(r"(<!-- figures: (\w+) -->\n).*?(<!-- end -->)", re.DOTALL)
RACES = 20
"""Rounds of a race for each registry, as the peer's own."""


def decisions() -> list[Row]:
    """One decision, beside libraries for decisions."""
    import arbitration

    return rows_beside([*arbitration.PEERS, "orjson"], arbitration.__file__, quick=False)


def crowds() -> list[Row]:
    """Many decisions at once, beside frameworks for populations."""
    import crowds as benchmark

    return benchmark.rows(quick=False)


def claims() -> list[Row]:
    """Agents that want the same thing at the same moment, beside a registry of leases."""
    import agents

    with TemporaryDirectory() as folder:
        ours = agents.race_rows(Path(folder), 8, RACES)
    return [*ours, *rows_beside([agents.PEER], agents.__file__, quick=False)]


def engines() -> list[Row]:
    """Durable steps, beside workflow engines, on one server and under the same kills."""
    sys.path.insert(0, str(ROOT))
    from beside import rows_of_engines

    from tests.keys import use_test_key
    from tests.workflow.clusters import binaries, make_cluster

    if binaries() is None:
        return []
    use_test_key()
    cluster = make_cluster()
    try:
        return rows_of_engines(cluster, quick=False)
    finally:
        cluster.stop()
        shutil.rmtree(cluster.folder, ignore_errors=True)


PARTS: dict[str, Callable[[], list[Row]]] = {
    "decisions": decisions, "crowds": crowds, "claims": claims, "engines": engines,
}  # fmt: skip


def table(rows: list[dict[str, Any]]) -> str:
    """Rows as a table of Markdown; a bar that was not met is shown."""
    lines = [f"| {row['name']} | {row['value']:,g} {row['unit']}{_missed(row)} |" for row in rows]
    return "\n".join(["| case | figure |", "|---|---|", *lines, ""])


def _missed(row: dict[str, Any]) -> str:
    return f" (bar {row['bar']}: not met)" if row.get("holds") is False else ""


def written(page: str, stored: dict[str, Any]) -> str:
    """The page with the tables of the stored rows."""
    return _TABLE.sub(lambda found: f"{found[1]}{table(stored['parts'][found[2]])}{found[3]}", page)


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--write", action="store_true", help="measure nothing")
    parser.add_argument("--only", choices=PARTS, help="measure this part")
    given = parser.parse_args()
    stored = json.loads(STORED.read_text(encoding="utf-8")) if STORED.exists() else {"parts": {}}
    for name, measure in PARTS.items():
        if not given.write and given.only in {None, name} and (rows := measure()):
            stored["parts"][name] = [asdict(row) for row in rows]
            STORED.write_text(json.dumps(stored, indent=1) + "\n", encoding="utf-8")
            print(
                f"{name}, load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores: {len(rows)} rows, Python {platform.python_version()}, {platform.machine()}"
            )
    PAGE.write_text(written(PAGE.read_text(encoding="utf-8"), stored), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
