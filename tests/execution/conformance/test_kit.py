"""The kit itself: its laws and their page, what it says where there is no executor, and the evidence that it shows."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.execution.conformance.subject import (
    TOKEN,
    Frame,
    Subject,
    Wire,
    read,
)
from tests.sentences import lines_about
from volition.core.clock import ManualClock
from volition.core.errors import InvalidInput
from volition.execution.conformance import check
from volition.execution.conformance.laws import CHECKS, select_checks
from volition.execution.transports.endpoint import dial
from volition.execution.wire.session.handshake import BadToken, NoAnswer, NothingListening, NotReady, VersionMismatch

if TYPE_CHECKING:
    from tests.sentences import Told
    from volition.execution.transports.stream import Stream

DOCS = Path(__file__).parents[3] / "docs"


def test_the_same_seed_gives_the_same_report() -> None:
    """A run on a manual clock gives exactly the same report."""
    once, twice = (json.dumps(Subject().tested("framing", "robustness", seed=7).to_data()) for _ in range(2))
    assert once == twice


@pytest.mark.parametrize("seed", [2, 6])
def test_the_kits_own_noise_blames_nobody(seed: int) -> None:
    """Random lines, with types and ids of any kind, are read by no law of conduct as requests."""
    assert Subject().tested("robustness", "conduct", seed=seed).broken == ()


def test_every_law_is_on_the_page() -> None:
    """Every check has a unique name, a law of one sentence, and a section of the protocol's page."""
    sections = set(re.findall(r"^## (.+)$", (DOCS / "protocol.md").read_text("utf-8"), re.MULTILINE))
    assert len({each.name for each in CHECKS}) == len(CHECKS)
    for each in CHECKS:
        assert each.section in sections, each.name
        assert re.fullmatch(r"[\w\"].+\.", each.law), each.name
        assert len(each.law) <= 120, each.name


def test_the_page_of_the_kit_lists_every_law() -> None:
    """docs/conformance-kit.md has the checks, their laws and their sections as they are."""
    listed = re.findall(
        r"^\| `(.+?)` \| (.+) \| (.+) \|$", (DOCS / "conformance-kit.md").read_text("utf-8"), re.MULTILINE
    )
    assert listed == [(each.name, each.law, each.section) for each in CHECKS]


def test_some_checks_alone() -> None:
    """Checks can be chosen by name and by group; a name that is neither is refused, and a near one named."""
    names = [each.name for each in select_checks(["ids", "framing.depth"])]
    assert names[0] == "framing.depth"
    assert {name.partition(".")[0] for name in names[1:]} == {"ids"}
    for each in CHECKS:
        assert Subject().tested(each.name).broken == ()
    with pytest.raises(InvalidInput, match=r"framing\.depth"):
        select_checks(["framing.deepth"])


def test_nobody_there(told: Told) -> None:
    """Where there is no executor the kit reports the cause."""

    def nobody() -> Stream:
        return dial("tcp://127.0.0.1:1", timeout=0.5)

    with pytest.raises(NothingListening):
        check(nobody)
    with pytest.raises(BadToken):
        check((good := Subject()).dial, token="wrong", clock=good.clock)
    with told.raises(NoAnswer):
        check((mute := Mute()).dial, token=TOKEN, clock=mute.clock)
    with pytest.raises(NoAnswer, match="no connection"):
        check(_refused, clock=ManualClock())
    for code, error in (("not_ready", NotReady), ("version", VersionMismatch), ("because", NotReady)):
        subject = Refusing(code)
        with pytest.raises(error):
            check(subject.dial, token=TOKEN, clock=subject.clock)


def _refused() -> Stream:
    raise ConnectionRefusedError("nobody")


class Mute(Subject):
    """Says nothing at all."""

    def said(self, frame: Frame, wire: Wire) -> list[Frame | bytes]:
        return []


class Refusing(Subject):
    """Refuses everybody."""

    def __init__(self, code: str) -> None:
        super().__init__()
        self.code = code

    def said(self, frame: Frame, wire: Wire) -> list[Frame | bytes]:
        if frame["type"] != "welcome":
            return [frame]
        return [{"v": 1, "type": "reject", "code": self.code, "message": "no", "supported": "1.0.0"}]


class Mortal(Subject):
    """Dies of a line that is nested too deeply, and is gone for good."""

    dead = False

    def dial(self) -> Stream:
        if self.dead:
            raise ConnectionRefusedError("nobody")
        return super().dial()

    def heard(self, line: bytes, wire: Wire) -> list[bytes]:
        if line.count(b"[") > 1000:
            self.dead = True
            wire.guest.end(self.now, "reset")
            return []
        return [line]


def test_an_executor_that_dies() -> None:
    """The check that killed the executor is named; the rest is not judged, and says since when."""
    rows = Mortal().tested().rows
    at = [row.check for row in rows].index("framing.depth")
    assert rows[at].verdict == "breaks"
    after = rows[at + 1 :]
    assert {row.verdict for row in after} == {"not judged"}
    assert {row.found for row in after} == {"not tried: the executor stopped responding in framing.depth"}


def test_a_broken_law_shows_its_frames(told: Told) -> None:
    """A row that breaks shows what was sent, what came back, what was found and what was expected, in a few lines."""

    class Silent(Subject):
        def said(self, frame: Frame, wire: Wire) -> list[Frame | bytes]:
            return [] if frame.get("code") == "unknown_id" else [frame]

    report = Silent().tested("cancel.never_sent")
    (row,) = report.rows
    assert row.verdict == "breaks"
    frames = [(each.by, read(each.line.encode()).get("type")) for each in row.frames]
    assert ("kit", "cancel") in frames
    assert ("executor", "welcome") in frames
    text = str(row)
    told(*lines_about(text, "law:", "found:", "expected:"))
    assert '-> {"v":1,"type":"cancel","id":1125899906842624}' in text
    assert report.to_data()["rows"][0]["frames"][0]["by"] == "kit"


def test_long_evidence_is_shortened() -> None:
    """A line of many bytes is shown by its beginning, its end and its length."""

    class Careless(Subject):
        def heard(self, line: bytes, wire: Wire) -> list[bytes]:
            return [line[:100] + b'"}' if len(line) > 2**16 else line]

    (row,) = Careless().tested("framing.line_too_long").rows
    long = [said.line for said in row.frames if said.line.endswith("(65537 bytes)")]
    assert len(long) == 1
    assert len(long[0]) < 800
