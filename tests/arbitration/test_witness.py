"""A witness asks in a separate process, under the hash seed it is given."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from volition.arbitration.witness import SEEDS, ask_elsewhere

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.req("AR-18")
def test_the_hash_seed_is_the_one_given(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What depends on the hash seed is the same under the same seed, and differs under another."""
    (tmp_path / "hashes_of_a_user.py").write_text("def hashed(name):\n    return hash(name)\n")
    monkeypatch.syspath_prepend(tmp_path)
    first, again, other = (
        ask_elsewhere("hashes_of_a_user:hashed", "heuristic", ["a"], ["a"], None, seed)
        for seed in (SEEDS[0], SEEDS[0], SEEDS[1])
    )
    assert first == again
    assert first != other
