"""Runs on disk: one ledger for each, from which the run comes back whole.

The header names the rules' version, the scenario and its hash, and the seed. The first record holds the scenario itself
and the opening state, so a run needs nothing beside it; then comes a record for every tick, and one for the ending. A run
that was cut ends with its last whole tick and has no ending.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Self

from volition.core.errors import BrokenRecord, InvalidInput, Problem
from volition.core.ledger import Ledger, Reader
from volition.drama.rules.catalog import EventType
from volition.drama.stage.events import Choice, Delta, Ending, Event, Strain, TickRecord
from volition.drama.stage.interference import Interference
from volition.drama.stage.record import RULES_VERSION, Run
from volition.drama.stage.replay import state_at
from volition.drama.stage.state import state_digest, tupled
from volition.drama.world.scenario import scenario_from_data, scenario_to_data

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from os import PathLike

    from volition.core.ledger import Record
    from volition.drama.world.model import Scenario, WorldState

KIND: Final = "evening"
FORMAT: Final = 1

_OPTIONAL = ("focus", "destination", "secret", "manner")
_PEOPLE = ("targets", "witnesses", "overheard", "causes")


class Recorder:
    """Writes a run while it is played: `begin` it, write every `tick`, then `end` it."""

    def __init__(self, path: str | PathLike[str]) -> None:
        self.path = Path(path)
        self._ledger: Ledger | None = None

    def begin(self, run: Run) -> None:
        """Write the header and the opening."""
        self._ledger = Ledger(self.path, kind=KIND, meta=meta_of(run), durability="close")
        self._write({"record": "begin", **_begin_to_data(run)})

    def tick(self, record: TickRecord) -> None:
        """Write one tick."""
        self._write({"record": "tick", **tick_to_data(record)})

    def end(self, run: Run) -> None:
        """Write the ending, with a digest of the last state as the log rebuilds it."""
        if run.ending is not None:
            self._write({"record": "end", **run.ending._asdict(), "state": state_digest(_last(run))})
        self.close()

    def close(self) -> None:
        """Let the ledger go; a run without an ending stays unfinished."""
        if self._ledger is not None:
            self._ledger.close()
            self._ledger = None

    def _write(self, record: dict[str, Any]) -> None:
        assert self._ledger is not None
        self._ledger.append(record)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def meta_of(run: Run) -> dict[str, Any]:
    """What the header of a run says."""
    return {
        "format": FORMAT,
        "rules": run.rules,
        "scenario": run.scenario.id,
        "scenario_hash": run.scenario.hash,
        "seed": run.seed,
        "interference": [list(one) for one in run.interference],
    }


def load_run(path: str | PathLike[str]) -> Run:
    """Read a run; BrokenRecord names the first place at which it is not as it was written."""
    reader = Reader(path)
    meta = reader.header.meta
    if reader.header.kind != KIND:
        raise InvalidInput(
            Problem(
                f"this is a ledger of the kind {reader.header.kind!r}",
                str(path),
                "the run of an evening",
                "volition ledger show looks into any ledger",
            )
        )
    if meta.get("format") != FORMAT:
        what = f"the run is written in format {meta.get('format')!r}"
        raise InvalidInput(Problem(what, str(path), f"format {FORMAT}", "read it with the version that wrote it"))
    records = reader.records()
    first = next(records, None)
    if first is None:
        raise _broken(path, 1, "nothing was recorded", "play the evening again")
    scenario, opening = _opened(path, first, meta)
    ticks, end, digest = _rest(path, records)
    interference = tuple(Interference(*one) for one in meta["interference"])
    run = Run(scenario, meta["seed"], opening, tuple(ticks), end, meta["rules"], interference)
    if digest is not None and digest != state_digest(_last(run)):
        what = "the log does not lead to the state that its end names"
        raise _broken(path, len(ticks) + 2, what, "the run was put together by hand: play the evening again")
    return run


def _opened(path: str | PathLike[str], record: Record, meta: Mapping[str, Any]) -> tuple[Scenario, dict[str, Any]]:
    body = record.body
    if body.get("record") != "begin":
        raise _broken(path, record.seq, "the first record is no opening", "play the evening again")
    try:
        scenario = scenario_from_data(body["scenario"])
    except InvalidInput as error:
        if meta["rules"] != RULES_VERSION:
            raise other_rules(meta["rules"], str(path)) from error
        raise
    if scenario.hash != meta["scenario_hash"]:
        if meta["rules"] != RULES_VERSION:
            raise other_rules(meta["rules"], str(path))
        what = "the scenario in the run is not the one its header names"
        raise _broken(path, record.seq, what, "the run was put together by hand: play the evening again")
    return scenario, body["opening"]


def _last(run: Run) -> WorldState:
    return state_at(run, run.opening["tick"] + len(run.ticks))


def _rest(path: str | PathLike[str], records: Iterator[Record]) -> tuple[list[TickRecord], Ending | None, str | None]:
    """The ticks, and the ending with the digest of the last state, where there is one."""
    ticks: list[TickRecord] = []
    end, state = None, None
    for record in records:
        if end is not None:
            raise _broken(path, record.seq, "a record follows the ending", "play the evening again")
        body = record.body
        try:
            if body["record"] == "end":
                end, state = Ending(*(body[part] for part in Ending._fields)), body["state"]
            else:
                ticks.append(tick_from_data(body))
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            what = f"this is no tick of an evening ({type(error).__name__}: {error})"
            raise _broken(path, record.seq, what, "play the evening again") from error
    return ticks, end, state


def _broken(path: str | PathLike[str], seq: int, what: str, remedy: str) -> BrokenRecord:
    return BrokenRecord(Problem(what, f"{path}, record {seq}", "a run as it was written", remedy))


def other_rules(rules: object, where: str) -> InvalidInput:
    """The refusal to guess about a run that other rules have made."""
    return InvalidInput(
        Problem(
            f"the run was made by rules {rules!r}, and these are rules {RULES_VERSION}",
            where,
            "a run of these rules",
            "play the scenario and seed again, or use the version that made it",
        )
    )


def _begin_to_data(run: Run) -> dict[str, Any]:
    return {"scenario": scenario_to_data(run.scenario), "opening": run.opening}


def tick_to_data(record: TickRecord) -> dict[str, Any]:
    """A tick as JSON holds it."""
    data: dict[str, Any] = {
        "tick": record.tick,
        "minutes": record.minutes,
        "length": record.length,
        "choices": {agent: list(choice) for agent, choice in record.choices.items()},
        "events": [event_to_data(event) for event in record.events],
        "after": [list(delta) for delta in record.after],
    }
    return data | ({"before": [list(delta) for delta in record.before]} if record.before else {})


def tick_from_data(data: Mapping[str, Any]) -> TickRecord:
    """The tick that such data describe."""
    return TickRecord(
        data["tick"],
        data["minutes"],
        data["length"],
        {agent: Choice(*choice) for agent, choice in data["choices"].items()},
        tuple(_event_from_data(event, data["tick"], data["minutes"]) for event in data["events"]),
        tuple(map(_delta, data["after"])),
        tuple(map(_delta, data.get("before", ()))),
    )


def event_to_data(event: Event) -> dict[str, Any]:
    """An event as JSON holds it; what is empty is left out."""
    data: dict[str, Any] = {"id": event.id, "order": event.order, "type": event.type.name, "source": event.source}
    data["room"] = event.room
    data |= {part: list(getattr(event, part)) for part in _PEOPLE if getattr(event, part)}
    data |= {part: getattr(event, part) for part in _OPTIONAL if getattr(event, part) is not None}
    if event.details:
        data["details"] = dict(event.details)
    data["deltas"] = [list(delta) for delta in event.deltas]
    data["strains"] = [list(strain) for strain in event.strains]
    return data


def _event_from_data(data: Mapping[str, Any], tick: int, minutes: float) -> Event:
    people: dict[str, Any] = {part: tuple(data.get(part, ())) for part in _PEOPLE}
    others: dict[str, Any] = {part: data.get(part) for part in _OPTIONAL}
    return Event(
        id=data["id"],
        tick=tick,
        minutes=minutes,
        order=data["order"],
        type=EventType[data["type"]],
        source=data["source"],
        room=data["room"],
        deltas=tuple(map(_delta, data["deltas"])),
        strains=tuple(Strain(*strain) for strain in data["strains"]),
        details=data.get("details", {}),
        **people,
        **others,
    )


def _delta(data: list[Any]) -> Delta:
    return Delta(*map(tupled, data))
