"""Studios of one process: they share their routes, and nothing else."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.studio.served import serving

if TYPE_CHECKING:
    from pathlib import Path

    from volition.drama import Evening


def test_each_studio_knows_its_own_folder(tmp_path: Path, evening: Evening) -> None:
    """What is in the folder of one studio is neither shown nor found in another that runs at the same time."""
    for name in ("one", "other"):
        (tmp_path / name).mkdir()
    evening.save(tmp_path / "one" / "volition-runs" / "mine")
    with serving(tmp_path / "one") as one, serving(tmp_path / "other") as other:
        assert [record["id"] for record in one.get("/records")["records"]] == ["mine"]
        assert other.get("/records")["records"] == []
        assert other.refusal("GET", "/runs/mine")[0] == 404
        assert one.get("/runs/mine")["seed"] == evening.run.seed
