"""Killed writers: nothing acknowledged is lost, and the ledger can be continued."""

from __future__ import annotations

import random
import select
import subprocess
import sys
import time
from pathlib import Path
from typing import get_args

import pytest

from tests.core.ledger.child import body
from volition.core.ledger import Ledger, verify
from volition.core.ledger.fault import FaultKind
from volition.core.ledger.reader import Reader
from volition.core.ledger.segment import CLOSED
from volition.core.ledger.writer import Durability

KILLS = 4
"""For each of the three durability modes."""


def killed_writer(folder: Path, mode: str, seed: int) -> int:
    """Let a process write for a random time, kill it, and return the last number it acknowledged."""
    chance = random.Random(seed)
    child = Path(__file__).with_name("child.py")
    with subprocess.Popen(
        [sys.executable, str(child), "write", str(folder), mode, str(seed)], stdout=subprocess.PIPE
    ) as writer:
        assert writer.stdout is not None
        if chance.random() < 0.8:
            select.select([writer.stdout], [], [], 20)
            time.sleep(chance.random() * 0.03)
        else:
            time.sleep(chance.random() * 0.2)
        writer.kill()
        reported = writer.stdout.read()
    assert writer.returncode == -9, "the writer must die of the kill and of nothing else"
    whole = reported[: reported.rfind(b"\n") + 1].split()
    return int(whole[-1]) if whole else 0


@pytest.mark.parametrize("mode", get_args(Durability))
def test_a_killed_writer_loses_nothing_it_acknowledged(tmp_path: Path, mode: Durability) -> None:
    """However often a writer is killed, every acknowledged record is there and right, the chain is valid, and it continues."""
    folder = tmp_path / "ledger"
    acknowledged = 0
    for kill in range(KILLS):
        acknowledged = max(acknowledged, killed_writer(folder, mode, kill))
        if not folder.exists() or not list(folder.glob("*.jsonl")):
            assert acknowledged == 0
            continue
        found = verify(folder)
        assert found.fault is None or found.fault.reason is FaultKind.TORN
        assert found.count >= acknowledged
        start = max(1, acknowledged - 300)
        assert all(record.body == body(record.seq) for record in Reader(folder).records(start=start))
    assert acknowledged > KILLS
    with Ledger(folder, kind="test", durability=mode) as ledger:
        assert ledger.append(body(ledger.count + 1)) > acknowledged
    assert verify(folder).intact
    assert all(record.body == body(record.seq) for record in Reader(folder).records())


@pytest.mark.parametrize("bytes_left", [1, 40, 73, 90, -1])
def test_a_torn_last_line_is_cut_and_said(tmp_path: Path, bytes_left: int) -> None:
    """Readers do not see an unfinished last line; the next writer cuts it and reports the number of bytes."""
    with Ledger(tmp_path, kind="test") as ledger:
        ledger.append_many(body(seq) for seq in (1, 2, 3))
    path = tmp_path / "000001.jsonl"
    raw = path.read_bytes()
    third = raw.rindex(b"\n", 0, -1) + 1
    left = raw[third:][:bytes_left]
    path.write_bytes(raw[:third] + left)
    (tmp_path / CLOSED).unlink()
    assert [record.seq for record in Reader(tmp_path).records()] == [1, 2]
    with Ledger(tmp_path, kind="test") as ledger:
        assert (ledger.cut, ledger.count) == (len(left), 2)
        assert ledger.append(body(3)) == 3
    assert path.read_bytes() == raw
    with Ledger(tmp_path, kind="test") as ledger:
        assert ledger.cut == 0


def test_a_segment_that_was_being_made_leaves_no_trace(tmp_path: Path) -> None:
    """The remains of files that never got their names are removed by the next writer, and readers never see them."""
    with Ledger(tmp_path, kind="test") as ledger:
        ledger.append(body(1))
    (tmp_path / "000002.new").write_bytes(b'{"hash":"')
    (tmp_path / ".volition-0.tmp").write_bytes(b"1:")
    assert verify(tmp_path).intact
    with Ledger(tmp_path, kind="test") as ledger:
        assert ledger.count == 1
    assert not [*tmp_path.glob("*.new"), *tmp_path.glob("*.tmp")]


def test_the_end_of_a_ledger_that_is_gone_does_not_count(tmp_path: Path) -> None:
    """Where only the recorded end of a ledger is left, another one begins; it is intact from its first record on."""
    with Ledger(tmp_path, kind="test") as ledger:
        ledger.append_many([body(1), body(2)])
    (tmp_path / "000001.jsonl").unlink()
    with Ledger(tmp_path, kind="test") as ledger:
        assert ledger.append(body(1)) == 1
    assert (verify(tmp_path).intact, verify(tmp_path).count) == (True, 1)
