"""What happens in a journal is found in its records: each event once, by its kind."""

from __future__ import annotations

from typing import Any

from tests.execution.journal.journals import answered
from tests.execution.wire.samples import WELCOME
from volition.execution import Stop, make_result
from volition.execution.door.events import Connected, Lost
from volition.execution.journal.builder import RecordBuilder
from volition.execution.journal.marks import MarkFinder
from volition.execution.journal.records import State, parse
from volition.execution.wire.request import Request


def finder_told(*records: Any) -> list[str]:
    finder = MarkFinder()
    return [kind for record in records for kind, _ in finder.take(record, None)]


def test_every_kind_of_mark_is_found() -> None:
    """A death, a blow, a lost connection that comes back, and a stop that the bridge sends; not the end of a drive."""
    states = [
        State(key=(1, seq), tick=seq, episode=1, full=True, data={"actor": {"health": health, "alive": health > 0}})
        for seq, health in enumerate((100, 60, 0))
    ]
    assert finder_told(*states) == ["hurt", "hurt", "death"]
    lost, back = Lost(connection=1, reason="eof"), Connected(connection=2, welcome=WELCOME)
    assert finder_told(back, lost, back) == ["lost", "lost"]
    assert finder_told(Lost(connection=1, reason="local")) == []
    made = RecordBuilder()
    stop = Request("STOP", None)
    fallback = answered(1, make_result(), purpose="fallback", requested=stop, sent=Stop())
    opening = answered(2, make_result(), purpose="opening", requested=stop, sent=Stop())
    for outcome in (fallback, opening):
        made.write(outcome)
    assert finder_told(*map(parse, made.out)) == ["stop"]
