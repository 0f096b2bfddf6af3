"""Runs on disk: one ledger per run, from which the whole run can be read back.

The header names the version of the rules, the scenario and its hash, and the seed. The first record holds the scenario
itself and the opening state, so a run needs no other file; then there is one record per tick, and one for the ending. A
run that was cut off ends with its last complete tick and has no ending.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Self

from msgspec import structs

from volition.core.errors import BrokenRecord, InvalidInput, Problem
from volition.core.ledger import Ledger
from volition.core.ledger.reader import Reader
from volition.core.typed import convert
from volition.drama.mind.outside import Voice
from volition.drama.rules.catalog import EventType
from volition.drama.stage.events import Ending, Event, TickRecord
from volition.drama.stage.interference import Interference
from volition.drama.stage.record import NOTHING_DECLARED, RULES_VERSION, Declared, DeclaredIntention, Run
from volition.drama.stage.replay import state_at
from volition.drama.stage.state import state_digest
from volition.drama.world.scenario import scenario_from_data, scenario_to_data

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from os import PathLike

    from volition.core.ledger.line import Record
    from volition.drama.world.model import Scenario

KIND: Final = "evening"
FORMAT: Final = 1
CUSTOM_FORMAT: Final = 2
"""The format of a run in which user code took part: it also has what that code answered."""
FORMATS: Final = (FORMAT, CUSTOM_FORMAT)

_HEAD = ("id", "order", "type", "source", "room")
_OPTIONAL = ("targets", "witnesses", "overheard", "causes", "focus", "destination", "secret", "manner", "details")
_CHANGES = ("deltas", "strains")
"""The parts of an event in the order in which a record holds them; optional ones are omitted if they are empty."""


class Recorder:
    """Writes a run while it is played: `begin` it, write every `tick`, then `end` it."""

    def __init__(self, path: str | PathLike[str]) -> None:
        self.path = Path(path)
        self._ledger: Ledger | None = None

    def begin(self, run: Run) -> None:
        """Write the header and the opening."""
        self._ledger = Ledger(self.path, kind=KIND, meta=meta_of(run), durability="close")
        self._write({"record": "begin", **_begin_to_data(run)})

    def begin_again(self, run: Run) -> None:
        """Write a run as far as it went, to go on from there."""
        self.begin(run)
        for record in run.ticks:
            self.tick(record)

    def resume(self) -> None:
        """Open a run that has no ending, to write on at its end; refused while another process writes it."""
        Reader(self.path)  # what is missing is refused, and not begun
        self._ledger = Ledger(self.path, kind=KIND, durability="close")

    def tick(self, record: TickRecord) -> None:
        """Write one tick."""
        self._write({"record": "tick", **tick_to_data(record)})

    def end(self, run: Run) -> None:
        """Write the ending, with a digest of the final state as rebuilt from the log."""
        if run.ending is not None:
            self._write({"record": "end", **structs.asdict(run.ending), "state": state_digest(state_at(run, run.last))})
        self.close()

    def close(self) -> None:
        """Close the ledger; a run without an ending stays unfinished."""
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
    """The header of a run."""
    custom: dict[str, Any] = {
        "minds": dict(run.custom.minds),
        "intentions": [each._asdict() | {"range": list(each.range)} for each in run.custom.intentions],
    }
    if run.custom.outside:
        custom["outside"] = {who: structs.asdict(voice) for who, voice in run.custom.outside.items()}
    meta = {
        "format": CUSTOM_FORMAT if run.custom else FORMAT,
        "rules": run.rules,
        "scenario": run.scenario.id,
        "scenario_hash": run.scenario.hash,
        "seed": run.seed,
        "interference": [list(each if each.by is not None else each[:-1]) for each in run.interference],
    }
    return {**meta, "custom": custom} if run.custom else meta


def load_run(path: str | PathLike[str]) -> Run:
    """Read a run; BrokenRecord names the first place where it was changed."""
    reader = Reader(path)
    meta = reader.header.meta
    if reader.header.kind != KIND:
        raise InvalidInput(
            Problem(
                f"this is a ledger of the kind {reader.header.kind!r}",
                str(path),
                "the run of an evening",
                "volition ledger show prints any ledger",
            )
        )
    if meta.get("format") not in FORMATS:
        what = f"the run is written in format {meta.get('format')!r}"
        expected = f"format {' or '.join(map(str, FORMATS))}"
        raise InvalidInput(Problem(what, str(path), expected, "read it with the version that wrote it"))
    records = reader.records()
    first = next(records, None)
    if first is None:
        raise _broken_record(path, 1, "nothing was recorded", "play the evening again")
    scenario, opening = _read_opening(path, first, meta)
    ticks, end, digest = _read_ticks(path, records)
    interference = convert(meta["interference"], tuple[Interference, ...])
    custom = _read_custom(path, meta)
    run = Run(scenario, meta["seed"], opening, tuple(ticks), end, meta["rules"], interference, custom)
    if digest is not None and digest != state_digest(state_at(run, run.last)):
        what = "the log does not lead to the final state that its last record names"
        raise _broken_record(path, len(ticks) + 2, what, "the run was put together by hand: play the evening again")
    return run


def _read_custom(path: str | PathLike[str], meta: Mapping[str, Any]) -> Declared:
    """Which user code took part, by the header."""
    if "custom" not in meta:
        return NOTHING_DECLARED
    try:
        minds = convert(meta["custom"]["minds"], dict[str, str])
        intentions = [[each[part] for part in DeclaredIntention._fields] for each in meta["custom"]["intentions"]]
        outside = convert(meta["custom"].get("outside", {}), dict[str, Voice])
        return Declared(minds, convert(intentions, tuple[DeclaredIntention, ...]), outside)
    except (KeyError, TypeError, ValueError) as error:
        what = f"the header does not say what took part ({type(error).__name__}: {error})"
        raise _broken_record(path, 0, what, "play the evening again") from error


def _read_opening(
    path: str | PathLike[str], record: Record, meta: Mapping[str, Any]
) -> tuple[Scenario, dict[str, Any]]:
    body = record.body
    if body.get("record") != "begin":
        raise _broken_record(path, record.seq, "the first record is not an opening", "play the evening again")
    try:
        scenario = scenario_from_data(body["scenario"])
    except InvalidInput as error:
        if meta["rules"] != RULES_VERSION:
            raise _other_rules(meta["rules"], str(path)) from error
        raise
    if scenario.hash != meta["scenario_hash"]:
        check_rules(meta["rules"], str(path))
        what = "the scenario in the run is not the one its header names"
        raise _broken_record(path, record.seq, what, "the run was put together by hand: play the evening again")
    return scenario, body["opening"]


def _read_ticks(
    path: str | PathLike[str], records: Iterator[Record]
) -> tuple[list[TickRecord], Ending | None, str | None]:
    """The ticks, and the ending with the digest of the final state, if there is one."""
    ticks: list[TickRecord] = []
    end, state = None, None
    for record in records:
        if end is not None:
            raise _broken_record(path, record.seq, "a record follows the ending", "play the evening again")
        body = record.body
        try:
            if body["record"] == "end":
                end, state = convert(body, Ending), body["state"]
            else:
                ticks.append(tick_from_data(body))
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            what = f"this is not a tick of an evening ({type(error).__name__}: {error})"
            raise _broken_record(path, record.seq, what, "play the evening again") from error
    return ticks, end, state


def _broken_record(path: str | PathLike[str], seq: int, what: str, remedy: str) -> BrokenRecord:
    return BrokenRecord(Problem(what, f"{path}, record {seq}", "a run as it was written", remedy))


def check_rules(rules: object, where: str) -> None:
    """Refuse a record that was made by other rules, rather than guess what they would have decided."""
    if rules != RULES_VERSION:
        raise _other_rules(rules, where)


def _other_rules(rules: object, where: str) -> InvalidInput:
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
    """A tick as JSON-compatible data."""
    data: dict[str, Any] = {
        "tick": record.tick,
        "minutes": record.minutes,
        "length": record.length,
        "choices": {agent: list(choice) for agent, choice in record.choices.items()},
        "events": [event_to_data(event) for event in record.events],
        "after": [list(delta) for delta in record.after],
    }
    if record.before:
        data["before"] = [list(delta) for delta in record.before]
    if record.played:
        data["played"] = list(record.played)
    if record.wishes:
        data["wishes"] = dict(record.wishes)
    if record.asked:
        data["asked"] = {who: asked.to_data() for who, asked in record.asked.items()}
    return data | {"said": record.said} if record.said else data


def tick_from_data(data: Mapping[str, Any]) -> TickRecord:
    """The tick that such data describe."""
    events = [_event_fields(event, data["tick"], data["minutes"]) for event in data["events"]]
    return convert({**data, "events": events}, TickRecord)


def event_to_data(event: Event) -> dict[str, Any]:
    """An event as JSON-compatible data."""
    data = structs.asdict(event) | {"type": event.type.name}
    parts = (*_HEAD, *(part for part in _OPTIONAL if data[part]), *_CHANGES)
    return {part: _to_lists(data[part]) for part in parts}


def _event_fields(data: Mapping[str, Any], tick: int, minutes: float) -> dict[str, Any]:
    fields = {"tick": tick, "minutes": minutes, "targets": (), "causes": (), **data}
    return {**fields, "type": EventType[fields["type"]]}


def _to_lists(value: Any) -> Any:
    """A tuple, and the tuples in it, as lists; deeper ones are written as lists anyway."""
    if not isinstance(value, tuple):
        return value
    return [list(part) if isinstance(part, tuple) else part for part in value]
