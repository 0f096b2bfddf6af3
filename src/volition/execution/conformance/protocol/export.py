"""Everything needed to write an executor or a bridge in another language, as files in one folder.

One of them is a recorded session: every frame of a bridge that drives the arena, on a manual clock. It is recorded on
demand, so it always matches this version, and its bytes are the same each time.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from volition.core.clock import ManualClock
from volition.core.document import dump_json
from volition.core.folder import write_folder
from volition.execution.client.bridge import Bridge
from volition.execution.conformance.protocol import VECTORS
from volition.execution.conformance.protocol.schemas import UNSAYABLE, frame_schema
from volition.execution.executor.host import Host
from volition.execution.wire.session.handshake import Offer
from volition.execution.worlds.arena import Arena, shipped_map
from volition.execution.worlds.arena.executor import ArenaExecutor
from volition.execution.worlds.java import project_files

if TYPE_CHECKING:
    import os

    from volition.execution.transports.stream import Stream


_CHECKOUT: Final = Path(__file__).parents[5] / "docs"
_README: Final = f"""# The intent protocol

| file | what it is |
|---|---|
| `protocol.md` | the contract: frames, and what each side does when |
| `frames.schema.json` | JSON Schema (2020-12) of every frame; `$defs` has each type under its name |
| `hostile.json` | lines that break a rule, with the code of the error, and valid lines that look as if they did |
| `requests.json` | conversations with an executor that has the feature `requests`, over connections and restarts, with every answer |
| `declared.json` | schemas of parameters, right and wrong, and conversations with a game that declares intents and begins again |
| `session.jsonl` | a recorded session of a bridge with the arena, one frame a line, with its time and its sender |
| `arena.md` | the rules of the arena, a small world to test an executor with |
| `golden.json` | traces of the arena that every implementation reproduces exactly |

A schema describes the value on a line, not the line. It cannot express {", ".join(f"`{code}`" for code in UNSAYABLE)}, and takes
a whole number that is written as `7.0` for an integer, which the protocol does not. It holds what each side may send; a
receiver ignores fields that it does not know.

`volition conformance ADDRESS` tests an executor against the whole contract.
"""


def protocol_files() -> dict[str, bytes]:
    """The files by name; always the same bytes for this version."""
    lines = [json.dumps(note, ensure_ascii=False, separators=(",", ":")) + "\n" for note in record_session()]
    return {
        "README.md": _README.encode(),
        "arena.md": _page("arena.md"),
        "declared.json": (VECTORS / "declared.json").read_bytes(),
        "frames.schema.json": dump_json(frame_schema()).encode(),
        "golden.json": (VECTORS / "golden.json").read_bytes(),
        "hostile.json": (VECTORS / "hostile.json").read_bytes(),
        "protocol.md": _page("protocol.md"),
        "requests.json": (VECTORS / "requests.json").read_bytes(),
        "session.jsonl": "".join(lines).encode(),
    }


def export(directory: str | os.PathLike[str]) -> list[str]:
    """Write the files into a new or empty folder, completely or not at all; returns their names."""
    files = protocol_files()
    write_folder(directory, files)
    return list(files)


def export_java(directory: str | os.PathLike[str]) -> list[str]:
    """Write the Maven project of the Java executor and the arena into a new or empty folder, completely or not at all;
    returns the names of its files.

    The protocol's files are in the folder `protocol`, where the tests of both modules find the vectors.
    """
    files = {name: path.read_bytes() for name, path in project_files().items()}
    files |= {f"protocol/{name}": content for name, content in protocol_files().items()}
    write_folder(directory, files)
    return list(files)


def _page(name: str) -> bytes:
    """A page of the documentation: shipped in the package, and in docs/ of a checkout."""
    shipped = Path(__file__).with_name(name)
    return (shipped if shipped.exists() else _CHECKOUT / name).read_bytes()


SEED: Final = 7
FEATURES: Final = ("events", "next_state", "progress")
"""All but pushed states, which would be most of the recording."""


class Tap:
    """A stream that records its traffic: `{"at_ms", "from", "frame"}` for every line."""

    def __init__(self, stream: Stream, clock: ManualClock, notes: list[dict[str, Any]]) -> None:
        self._stream, self._clock, self._notes = stream, clock, notes

    def send(self, data: bytes) -> None:
        self._note("bridge", data)
        self._stream.send(data)

    def receive(self, timeout: float | None) -> bytes | None:
        data = self._stream.receive(timeout)
        self._note("executor", data or b"")
        return data

    def close(self) -> None:
        self._stream.close()

    def _note(self, side: str, data: bytes) -> None:
        at = round(self._clock.monotonic() * 1000)
        self._notes += [{"at_ms": at, "from": side, "frame": json.loads(line)} for line in data.splitlines()]


def record_session() -> list[dict[str, Any]]:
    """Drive the arena through every intent, a cancel, an expired deadline and a silence; the frames in order."""
    clock = ManualClock()
    notes: list[dict[str, Any]] = []
    host = Host(ArenaExecutor(Arena(shipped_map("courtyard"), seed=SEED)), now=clock.monotonic())
    with Bridge(
        lambda timeout: Tap(host.connect(clock), clock, notes),
        offer=Offer(features=FEATURES),
        clock=clock,
        keep=False,
    ) as bridge:
        bridge.execute("MOVE", {"vector": [1, 0, 0]}, deadline=2.0)
        bridge.execute("MOVE", {"vector": [4, 0, 0]}, deadline=0.3)
        given_up = bridge.submit("MOVE", {"vector": [0, 3, 0]}, deadline=3.0)
        bridge.cancel(given_up)
        bridge.wait(given_up)
        bridge.execute("MOVE", {"vector": [0, -2, 0]}, deadline=1.0)
        bridge.execute("HOLD")
        bridge.execute("RELEASE")
        bridge.execute("JUMP")
        bridge.next_state(timeout=1.5)
        bridge.execute("EVADE")
        bridge.execute("EVADE")
        bridge.execute("PRIMARY_ATTACK")
        bridge.refresh()
        bridge.execute("STOP")
    return notes
