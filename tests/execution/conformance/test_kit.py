"""The kit itself: good executors conform, whatever they are written in, and a bad one cannot block it."""

from __future__ import annotations

import json
import re
import shlex
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import ClassVar

import pytest

from tests.execution.conformance.defects_world import MoveWithoutMovement
from tests.execution.conformance.subject import (
    TOKEN,
    AtTicks,
    Braking,
    Frame,
    Modest,
    Narrow,
    Probed,
    Pushy,
    Queued,
    Queueing,
    ShortSighted,
    Slow,
    Sparse,
    Subject,
    Timeless,
    Unread,
    Wide,
    Wire,
    read,
)
from volition.core.clock import ManualClock, SystemClock
from volition.core.errors import InvalidInput, MissingPart
from volition.execution import (
    BadToken,
    Bridge,
    NoAnswer,
    NothingListening,
    NotReady,
    Offer,
    Outcome,
    RequestMark,
    RequestMemory,
    VersionMismatch,
)
from volition.execution.conformance import CHECKS, Check, Report, check, kit, select_checks
from volition.execution.conformance.bed import TestBed
from volition.execution.conformance.law import in_time
from volition.execution.conformance.patience import LoadMeter, LoadReading
from volition.execution.conformance.reach import reach
from volition.execution.conformance.verdict import Breaks, TooLate, Unseen
from volition.execution.executor.host import Host
from volition.execution.executor.server import ExecutorServer
from volition.execution.transports import Stream, dial
from volition.execution.worlds.arena import Arena, shipped_map
from volition.execution.worlds.arena.executor import ArenaExecutor
from volition.execution.worlds.arena.probe import ArenaProbe
from volition.execution.worlds.java import arena_command

DOCS = Path(__file__).parents[3] / "docs"


@pytest.mark.req("EX-18")
@pytest.mark.parametrize("seed", [0, 1])
@pytest.mark.parametrize("map_", ["courtyard", "foundry"])
def test_the_embedded_arena_conforms(map_: str, seed: int, tmp_path: Path) -> None:
    """The embedded executor keeps every law, and hardly one cannot be tried."""
    clock = ManualClock()
    with RequestMemory(tmp_path / "requests") as memory:
        host = Host(ArenaExecutor(Arena(shipped_map(map_), seed=seed)), token=TOKEN, requests=memory)
        report = check(lambda: host.connect(clock), token=TOKEN, seed=seed, clock=clock, known_probes=(ArenaProbe(),))
    assert report.broken == ()
    assert report.holds
    assert report.count("not applicable") <= 20  # what it does not offer: memory, restarts, intents of its own


@pytest.mark.req("EX-18")
@pytest.mark.parametrize(
    "kind",
    [
        Subject,
        Modest,
        Sparse,
        AtTicks,
        Pushy,
        Braking,
        Queued,
        Queueing,
        Timeless,
        Narrow,
        Wide,
        Slow,
        Probed,
        ShortSighted,
    ],
)
def test_other_good_executors_conform(kind: type[Subject]) -> None:
    """Whatever the protocol allows breaks no law: fewer intents, small and large windows, work done only at ticks, pushes
    during the opening, a slow STOP, a queue, MOVEs that wait for one another, slow ticks or none, vectors of any length."""
    report = kind().tested(limit=400.0)
    assert report.broken == ()
    assert report.holds


PATIENT = ("handshake.silent_caller", "heartbeat")
"""What waits for seconds, to see what an executor does of a silent bridge."""
BUSY = tuple(each.name for each in CHECKS if each.name not in PATIENT and not each.name.startswith("heartbeat."))


@pytest.mark.req("EX-18")
def test_the_arena_conforms_over_tcp() -> None:
    """The arena conforms over a real socket, in real time; its world goes fast, so that this does not last."""
    executor = ArenaExecutor(Arena(shipped_map("courtyard")), hz=100)
    with ExecutorServer.listen("tcp://127.0.0.1:0", executor, token=TOKEN).running() as address:
        report = check(lambda: dial(address), token=TOKEN, only=BUSY, known_probes=(ArenaProbe(),))
    assert report.broken == (), str(report)


@pytest.mark.req("EX-18")
def test_an_executor_answers_for_itself() -> None:
    """With the feature probe the kit judges truth without knowing the schema, and catches what its own probe does."""
    plain, boast = Unread(), UnreadBoaster()
    report = plain.tested()
    assert report.broken == ()
    untried = [row.check for row in report.rows if row.verdict == "not applicable"]
    assert len([name for name in untried if name.partition(".")[0] not in {"requests", "restart", "declared"}]) <= 6
    assert {"truth.move", "truth.obstructed"} <= set(boast.tested("truth").broken)


@pytest.mark.req("EX-18")
def test_without_a_probe_the_kit_says_how_to_offer_one() -> None:
    """Where nothing tells what the states mean, the laws of truth are not applicable, and say what would help."""
    report = Unprobed().tested("truth", "handshake")
    assert report.broken == ()
    rows = [row for row in report.rows if row.check.startswith("truth.")]
    assert {row.verdict for row in rows} == {"not applicable"}
    assert all("--probe MODULE:CLASS" in row.found for row in rows)
    assert all("feature probe" in row.found for row in rows)


@pytest.mark.req("EX-18")
def test_the_java_executor_conforms() -> None:
    """The Java executor keeps every law, launched by its command and found by its first line."""
    try:
        command = arena_command(token=TOKEN, hz=100)
    except MissingPart as error:
        pytest.skip(str(error))

    def tried(only: tuple[str, ...]) -> Report:
        with reach(launch=shlex.join(command), token=TOKEN) as way:
            assert way.shared
            return check(
                way.dial, token=TOKEN, clock=way.clock, shared=way.shared, only=only, known_probes=(ArenaProbe(),)
            )

    with ThreadPoolExecutor() as pool:
        reports = [*pool.map(tried, (BUSY, PATIENT))]
    for report in reports:
        assert report.broken == (), str(report)
    assert sum(len(report.rows) for report in reports) == len(CHECKS)


def java_jump(requests: Path) -> Outcome:
    """What a JVM with this memory answers to one request, after it has kept the laws of once only."""
    try:
        command = arena_command(token=TOKEN, hz=100, requests=requests)
    except MissingPart as error:
        pytest.skip(str(error))
    mark = RequestMark(request="r 1", digest="d", token=1, resource="arm")
    with reach(launch=shlex.join(command), token=TOKEN) as way:
        with Bridge(lambda _: way.dial(), offer=Offer(features=("requests",), token=TOKEN)) as bridge:
            answer = bridge.execute("JUMP", deadline=5.0, mark=mark)
        only = ["requests", "restart"]
        report = check(way.dial, token=TOKEN, clock=way.clock, only=only, restart=way.restart)
    assert report.broken == (), str(report)
    assert report.count("not applicable") == 0, str(report)
    return answer


@pytest.mark.req("EX-18", "EX-21")
def test_the_java_executor_does_a_request_once(tmp_path: Path) -> None:
    """With --requests a JVM keeps the laws of once only and of restarts, and one that is started again remembers what the
    first did."""
    answers = [java_jump(tmp_path / "requests") for _ in range(2)]
    assert answers[0].result == answers[1].result
    assert all(answer.answered for answer in answers)


@pytest.mark.req("EX-18")
def test_the_java_executor_answers_for_itself() -> None:
    """With --probe the kit judges a JVM by what its engine says, over the wire: truth holds, and breaks where the wire lies."""
    groups = ["truth", "dead_man", "handshake.probe_refused"]
    try:
        command = arena_command(token=TOKEN, hz=100, probe=True)
    except MissingPart as error:
        pytest.skip(str(error))
    with reach(launch=shlex.join(command), token=TOKEN) as way:
        report = check(way.dial, token=TOKEN, clock=way.clock, only=groups)
        assert report.broken == (), str(report)
        assert report.count("not applicable") <= 4, str(report)
        lied = check(lambda: Misplacing(way.dial()), token=TOKEN, clock=way.clock, only=["truth.move"])
    assert lied.broken == ("truth.move",)


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


def test_an_executor_may_stand_still_once() -> None:
    """A short duration of an intent that waited while the executor was suspended is accepted where the others are measured."""
    assert Stalled().tested().broken == ()


def test_nobody_there() -> None:
    """Where there is no executor the kit reports the cause."""

    def nobody() -> Stream:
        return dial("tcp://127.0.0.1:1", timeout=0.5)

    with pytest.raises(NothingListening):
        check(nobody)
    with pytest.raises(BadToken):
        check((good := Subject()).dial, token="wrong", clock=good.clock)
    with pytest.raises(NoAnswer, match="no answer to the greeting"):
        check((mute := Mute()).dial, token=TOKEN, clock=mute.clock)
    with pytest.raises(NoAnswer, match="no connection"):
        check(_refused, clock=ManualClock())
    for code, error in (("not_ready", NotReady), ("version", VersionMismatch), ("because", NotReady)):
        subject = Refusing(code)
        with pytest.raises(error):
            check(subject.dial, token=TOKEN, clock=subject.clock)


def _refused() -> Stream:
    raise ConnectionRefusedError("nobody")


class UnreadBoaster(Unread):
    """The same, and every MOVE is called a success."""

    game = MoveWithoutMovement.game


class Unprobed(Unread):
    """The same, without a probe."""

    probed: ClassVar = False


class Misplacing:
    """A stream on which every sight of a probe has the actor in one place."""

    def __init__(self, inner: Stream) -> None:
        self.inner, self.rest = inner, b""

    def send(self, data: bytes) -> None:
        self.inner.send(data)

    def receive(self, timeout: float | None) -> bytes | None:
        data = self.inner.receive(timeout)
        whole, end, self.rest = (self.rest + (data or b"")).rpartition(b"\n")
        return re.sub(rb'"place":\[[^]]*\]', b'"place":[0,0,0]', whole + end) or (None if data else data)

    def close(self) -> None:
        self.inner.close()


class Stalled(Subject):
    """Says of the first MOVE that it took no time, as one that waited in a line would have it."""

    stood = False

    def said(self, frame: Frame, wire: Wire) -> list[Frame | bytes]:
        if frame["type"] == "result" and frame["intent"] == "MOVE" and not self.stood:
            metadata = frame["result"]["metadata"]
            self.stood = metadata["execution_time_ms"] >= 250
            metadata["execution_time_ms"] = 0.0 if self.stood else metadata["execution_time_ms"]
        return [frame]


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


@pytest.mark.req("EX-18")
@pytest.mark.parametrize(
    ("busy", "late", "verdict", "tries"),
    [
        ([False], [True], "breaks", 1),
        ([True, True, True], [True, True, True], "not judged", 3),
        ([True, True], [True, False], "holds", 2),
        ([True, False], [True, True], "breaks", 2),
    ],
)
def test_a_busy_machine_is_not_the_executors_fault(
    monkeypatch: pytest.MonkeyPatch, busy: list[bool], late: list[bool], verdict: str, tries: int
) -> None:
    """What only the clock of a busy machine calls broken is tried again, and then left without a verdict."""
    calm = iter(busy)
    tried: list[bool] = []

    def trial(bed: TestBed) -> None:
        tried.append(True)
        in_time(not late[len(tried) - 1], "an answer after 9 s", "an answer within 1 s")

    class Reading(LoadMeter):
        def read(self) -> LoadReading:
            # Read before a try, to begin, and after one that was late.
            return (
                LoadReading(0.5 if len(tried) and next(calm) else 0.0, 0.0, 0.0)
                if self.asked()
                else LoadReading(0.0, 0.0, 0.0)
            )

        def asked(self) -> bool:
            self.count = getattr(self, "count", 0) + 1
            return self.count % 2 == 0

    monkeypatch.setattr(kit, "LoadMeter", Reading)
    monkeypatch.setattr(kit, "select_checks", lambda only: (Check("late.law", "It is in time.", "Intents", trial),))
    host = Host(ArenaExecutor(Arena(shipped_map("courtyard"))), now=SystemClock().monotonic())
    report = check(lambda: host.connect(SystemClock()))
    (row,) = report.rows
    assert (row.verdict, len(tried)) == (verdict, tries)
    assert report.holds == (verdict == "holds")
    if verdict == "not judged":
        assert "could not be judged on this machine now" in row.found
        assert "took up to 500 ms too long" in row.found
        assert "1 not judged" in report.summary


@pytest.mark.parametrize(("silence", "kind"), [(4.0, TooLate), (1.0, Breaks)])
def test_a_kit_without_a_core_blames_nobody(silence: float, kind: type[Breaks]) -> None:
    """Where the kit itself sent nothing for too long, that the executor hung up is only the clock's evidence."""
    subject = Subject()
    connection = bed_of(subject).open_session()
    subject.clock.sleep(silence)
    subject.host.close(subject.now)
    with pytest.raises(Breaks) as found:
        connection.do("STOP")
    assert type(found.value) is kind


@pytest.mark.req("EX-18")
@pytest.mark.parametrize(
    ("overslept", "verdict", "tries"), [(0.5, "not judged", kit.TRIES), (0.0, "not applicable", 1)]
)
def test_what_a_busy_machine_hides_is_not_judged(
    monkeypatch: pytest.MonkeyPatch, overslept: float, verdict: str, tries: int
) -> None:
    """A law whose subject was not seen on a busy machine may well apply: it is tried again, and then not judged."""
    tried: list[bool] = []

    def trial(bed: TestBed) -> None:
        tried.append(True)
        raise Unseen("it was over too soon")

    monkeypatch.setattr(LoadMeter, "read", lambda meter: LoadReading(overslept, 0.0, 0.0))
    monkeypatch.setattr(kit, "select_checks", lambda only: (Check("brief.law", "It is seen.", "Intents", trial),))
    host = Host(ArenaExecutor(Arena(shipped_map("courtyard"))), now=SystemClock().monotonic())
    report = check(lambda: host.connect(SystemClock()))
    (row,) = report.rows
    assert (row.verdict, len(tried)) == (verdict, tries)
    assert not report.holds


@pytest.mark.parametrize("dies", [False, True])
def test_a_new_episode_under_a_law_may_be_the_clocks_doing(dies: bool) -> None:
    """A law that breaks while another episode begins may break because the kit looked too late; otherwise it does not."""
    subject = Subject()

    def trial(bed: TestBed) -> None:
        connection = bed.session()
        if dies:
            subject.executor.arena.reset(0)
        connection.state()
        raise Breaks("it is elsewhere", expected="an actor that stands still")

    row, late = kit._Run(bed_of(subject), 0.0, 120.0, fail_fast=False, meter=None).try_once(
        Check("a.law", "It stands.", "Intents", trial)
    )
    assert (row.verdict, late) == ("breaks", dies)


def bed_of(subject: Subject) -> TestBed:
    return TestBed(subject.dial, subject.clock, token=TOKEN, seed=0, probe=None, shared=True)


def test_an_executor_that_dies() -> None:
    """The check that killed the executor is named; the rest is not judged, and says since when."""
    rows = Mortal().tested().rows
    at = [row.check for row in rows].index("framing.depth")
    assert rows[at].verdict == "breaks"
    after = rows[at + 1 :]
    assert {row.verdict for row in after} == {"not judged"}
    assert {row.found for row in after} == {"not tried: nobody answers since framing.depth"}


def test_a_broken_law_shows_its_frames() -> None:
    """A row that breaks shows what was sent, what came back, what was found and what was expected, in a few lines."""

    class Silent(Subject):
        def said(self, frame: Frame, wire: Wire) -> list[Frame | bytes]:
            return [] if frame.get("code") == "unknown_id" else [frame]

    report = Silent().tested("cancel.never_sent")
    (row,) = report.rows
    assert row.verdict == "breaks"
    said = [(each.by, read(each.line.encode()).get("type")) for each in row.frames]
    assert ("kit", "cancel") in said
    assert ("executor", "welcome") in said
    text = str(row)
    assert "law:      A cancel of what was never sent is answered with unknown_id. (Lines)" in text
    assert '-> {"v": 1, "type": "cancel", "id": 1125899906842624}' in text
    assert report.to_data()["rows"][0]["frames"][0]["by"] == "kit"


def test_long_evidence_is_shortened() -> None:
    """A line of many bytes is shown by its beginning, its end and its length."""

    class Careless(Subject):
        def heard(self, line: bytes, wire: Wire) -> list[bytes]:
            return [line[:100] + b'"}' if len(line) > 2**16 else line]

    (row,) = Careless().tested("framing.line_too_long").rows
    long = [said.line for said in row.frames if said.line.endswith("(65537 bytes)")]
    assert len(long) == 1
    assert len(long[0]) < 600
