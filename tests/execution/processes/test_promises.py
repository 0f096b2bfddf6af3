"""A driving process is killed in the middle of its work: whatever its journal promised to know, it knows."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass, field
from random import Random
from typing import TYPE_CHECKING

import pytest

from tests.execution.client.bridges import Stamping, eventually, served
from tests.execution.processes.killing import forking
from tests.execution.processes.programs import keep_promises
from volition.execution.journal.entries import read_journal
from volition.execution.journal.records import AskedIntent, Attempt
from volition.execution.journal.verification import verify_journal

if TYPE_CHECKING:
    from pathlib import Path

    from volition.execution import IncomingIntent
    from volition.execution.executor.contract import News
    from volition.execution.journal.journal import Durable

KILLS = int(os.environ.get("VOLITION_KILLS", "6"))
MODES: tuple[Durable | None, ...] = ("outcome", "asked", None)


@dataclass
class Witness(Stamping):
    """A game that remembers under which ids it was asked for something."""

    arrived: list[int] = field(default_factory=list)

    def attempt(self, attempt: IncomingIntent) -> list[News]:
        if attempt.intent.name != "STOP":
            self.arrived.append(attempt.id)
        return super().attempt(attempt)


@pytest.mark.req("EX-22", "EX-09")
def test_nothing_that_was_promised_is_missing_after_a_kill(tmp_path: Path) -> None:
    """Killed in mid-flight, a durable journal knows every intent that the executor saw, one of outcomes every outcome
    that was returned, and any journal what it counted as written; what was asked and never answered is counted."""
    random, context, game = Random(7), forking(), Witness(hz=200)
    unanswered = 0
    with served(game) as address:
        for kill in range(KILLS):
            durable, path = MODES[kill % len(MODES)], tmp_path / f"{kill}"
            written, returned = context.Value("L", 0), context.Value("L", 0)
            game.arrived.clear()
            arguments = (address, str(path), durable, written, returned)
            policy = context.Process(target=keep_promises, args=arguments)
            policy.start()
            eventually(lambda written=written: written.value > 0)  # type: ignore[misc]
            time.sleep(random.uniform(0.0, 0.1))
            policy.kill()
            policy.join()
            eventually(lambda kill=kill: game.calls.count("stopped") == kill + 1)  # type: ignore[misc]
            records = [entry.record for entry in read_journal(path)]
            asked = {record.ticket: record.id for record in records if isinstance(record, AskedIntent)}
            finished = {record.ticket for record in records if isinstance(record, Attempt)}
            assert len(finished) >= written.value
            if durable is not None:
                assert set(game.arrived) <= set(asked.values())
            if durable == "outcome":
                assert set(range(1, returned.value + 1)) <= finished
            found = verify_journal(path)
            assert found.intact
            assert found.unanswered == len(asked.keys() - finished) <= found.unfinished
            unanswered += found.unanswered
    assert unanswered or KILLS < 3
