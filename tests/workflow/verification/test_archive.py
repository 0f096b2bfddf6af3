"""Archives: the first events leave the registry, the record stays intact with and without them, and no forgery goes unnoticed."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.workflow.archived import LATER, Archived, seqs
from tests.workflow.bodies import Body
from tests.workflow.forging import Forger
from tests.workflow.lived import BEGIN
from tests.workflow.plans import PROJECT, document
from tests.workflow.scenes import BINDINGS, STEPS, HandClock, approved, drive, flows_of, photograph, put_back
from tests.workflow.verification.test_histories import NAMES, STEPS_TAKEN, History
from volition.core.errors import BrokenRecord, InvalidInput
from volition.core.ledger import Anchor
from volition.workflow import (
    Members,
    Store,
    Team,
    archive_events,
    parse_store_address,
    restore_backup,
    verify_registry,
    write_backup,
)
from volition.workflow.law.members import NotEntitled
from volition.workflow.verification.backup import read_backup
from volition.workflow.verification.verify import verify_archives

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.sentences import Told

pytestmark = pytest.mark.req("WF-08")


def test_the_record_is_intact_before_and_after(store: Store, tmp_path: Path) -> None:
    """On either kind of database: the events leave, every row stays, and the record verifies without the file, with it, and the file
    without the record; the anchor goes on."""
    flows = flows_of(store)
    drive(flows, approved(flows).flow_id, Body(fails={"JUMP": 1}))
    flows.team.register(document("aaaaaa", "b.py", commands=STEPS), "bob", lease=1000)
    before, events = photograph(store), len(flows.team.history())
    file = tmp_path / "spring.archive"
    made = archive_events(flows.team, file, LATER, "ann")
    assert (made.after, made.through) == (0, events)
    assert [event.what for event in flows.team.history()] == ["archived"]
    after = photograph(store)
    for name in set(before) - {"event", "project", "checkpoint"}:
        assert after[name] == before[name], name
    alone, both, only = (
        verify_registry(store, PROJECT),
        verify_registry(store, PROJECT, archives=[file]),
        verify_archives([file]),
    )
    assert alone.faults == both.faults == only.faults == ()
    assert (alone.count, alone.head) == (both.count, both.head)
    assert (only.count, only.head) == (events, made.head)
    assert [remark for remark in alone.remarks if "the archive" in remark]
    assert not both.remarks
    flows.team.register(document("cccccc", "c.py"), "cyd")
    assert verify_registry(store, PROJECT).intact


def test_life_goes_on(archived: Archived) -> None:
    """After the archive: the question is answered, the flow approved and driven, the line moves up, plans end under their old tokens, and
    who was asked before is told what to do; the record stays intact throughout."""
    held = archived.team.show("intent_aaaaaa").token
    file = archived.archive()
    flow = archived.flows.status(archived.asked)
    assert flow.pack is not None
    choices = {each.question_id: max(option.option_id for option in each.options) for each in flow.pack.questions}
    flow = archived.flows.answer(archived.asked, choices, "pat", patience=1000)
    archived.flows.abandon(archived.asked, "pat")
    archived.team.finish("intent_aaaaaa", held)
    assert archived.team.show("intent_bbbbbb").state == "active"
    started = archived.flows.start(BINDINGS, "pat", plans=["intent_cccccc"])
    archived.archive("summer.archive", before=archived.clock.now + 1)
    archived.flows.approve(started.flow_id, "pat")
    assert drive(archived.flows, started.flow_id, Body()).state == "done"
    assert archived.faults() == archived.faults(file, archived.folder / "summer.archive") == ()


def test_what_was_open_before_still_counts(archived: Archived, told: Told) -> None:
    """Plans from before the archive are in the way of later ones, and what was over is over: a plan that is granted against them, and an
    act after the end of a lease that nobody noticed, are faults as ever."""
    archived.archive(before=LATER)
    second = document("dddddd", "b.py", commands=STEPS)
    assert archived.team.register(second, "ann", lease=5000, wait=True).outcome == "waiting"
    assert archived.faults() == ()
    before = photograph(archived.store)
    (waiting,) = (event for event in archived.team.history() if event.what == "waiting")
    free = document("eeeeee", "b.py", commands=STEPS)
    body = waiting.body | {
        "document": free.decode(),
        "checksum": json.loads(free)["audit"]["checksum"],
        "collisions": [],
    }
    forger, seq = Forger(archived.store, archived.store.signer), waiting.seq + 1
    forger.append("granted", "intent_eeeeee", "ann", **(body | {"token": seq}))
    told(archived.faults()[0])
    put_back(archived.store, before)
    forger.append("settings", PROJECT, "ann", at=BEGIN + 1_000_001, own_approval="allow", newcomers="member")
    archived.clock.now = BEGIN + 1_000_001
    assert re.search("the plan intent_(aaaaaa|bbbbbb) was over at .+, and no event says so", archived.faults()[0])


def test_a_flow_whose_bindings_were_changed_after_the_archive_is_not_approved(archived: Archived, told: Told) -> None:
    """What a flow was started with is known though the event is in an archive: other bindings in its row are refused."""
    started = archived.flows.start(BINDINGS, "pat", plans=["intent_cccccc"])
    archived.archive(before=LATER)
    archived.run("UPDATE flow SET bindings = ? WHERE flow_id = ?", BINDINGS + "\n", started.flow_id)
    with told.raises(Exception):
        archived.flows.approve(started.flow_id, "pat")


def test_a_node_of_which_nobody_knows_is_still_told(archived: Archived) -> None:
    """A flow that is held over an unknown node can be looked at and settled though the node was sent before the archive."""
    from volition.workflow.flow.review import unanswered_nodes

    started = archived.flows.start(BINDINGS, "pat", plans=["intent_cccccc"])
    archived.flows.approve(started.flow_id, "pat")
    body = Body(remembers=False, claims_to=False, silent={"HOLD"})
    flow = drive(archived.flows, started.flow_id, body)
    assert flow.state == "held"
    archived.archive(before=LATER)
    (node,) = unanswered_nodes(flow, archived.team.history(flow.flow_id))
    assert (node.sent_at, node.sent_by) == (0, "")
    archived.flows.settle(flow.flow_id, node.node_id, "done", "pat")
    assert archived.faults() == ()


def test_numbers_and_tokens_never_repeat(archived: Archived) -> None:
    """Events are numbered on, and every token is above all that were given before, also if everything was archived."""
    last, tokens = max(seqs(archived.team)), {plan.token for plan in archived.team.list()}
    archived.archive(before=LATER)
    made = archived.team.register(document("dddddd", "d.py"), "ann")
    assert made.grant is not None
    assert made.grant.token > max(tokens)
    assert min(seqs(archived.team)) == last + 1
    number = archived.flows.start(BINDINGS, "pat", plans=["intent_cccccc"]).flow_id
    assert number != archived.asked
    assert archived.faults() == ()


def test_archives_form_a_chain(archived: Archived, told: Told) -> None:
    """Each archive begins where the one before it ends. Together they verify from the first event, in any order; the last alone does from
    its beginning; and one that is missing between them is named."""
    one = archived.archive()
    archived.clock.now += 1000
    archived.team.register(document("dddddd", "d.py"), "ann")
    two = archived.archive("two", before=LATER)
    archived.clock.now += 1000
    archived.team.register(document("eeeeee", "e.py"), "ann")
    three = archived.archive("three", before=LATER)
    assert (
        archived.faults()
        == archived.faults(three, one, two)
        == archived.faults(three)
        == archived.faults(three, two)
        == ()
    )
    assert verify_archives([two, one]).faults == ()
    assert verify_archives([one, two, three]).head == verify_archives([three]).head
    told(archived.faults(one, three)[0])
    told(archived.faults(one, two)[0])
    with told.raises(InvalidInput):
        archived.archive("four", before=BEGIN)


def test_two_archives_on_one_day(archived: Archived) -> None:
    """The second archive may end before the event that tells of the first one."""
    one = archived.archive(before=archived.middle)
    two = archived.archive("two", before=archived.middle + 1)
    archived.clock.now += 1
    assert archived.faults() == archived.faults(one, two) == archived.faults(two) == ()
    assert verify_archives([one, two]).intact


def test_what_is_archived_is_said(archived: Archived, told: Told) -> None:
    """Whoever asks why is told in which archive the event is; anchors, first keys and journals that need the archive are named, not
    failed; and with the archive they are compared."""
    anchor = Anchor(*_anchor_at(archived, 5))
    wrong = Anchor(5, "f" * 64)
    file = archived.archive(before=LATER)
    with told.raises(InvalidInput):
        archived.team.why("intent_aaaaaa")
    with told.raises(InvalidInput):
        archived.team.why("intent_none")
    keys = {"bob": archived.store.signer.public}
    found = verify_registry(archived.store, PROJECT, wrong, keys=keys, journals=[archived.folder / "none"])
    assert found.intact
    for noun in ("the anchor: event 5", "the key of bob", "the journals"):
        assert any(remark.startswith(noun) for remark in found.remarks), noun
    assert archived.faults(file, anchor=anchor) == ()
    assert "was rewritten" in archived.faults(file, anchor=wrong)[0]
    told(archived.faults(file, keys={"bob": "0" * 64})[0])
    assert archived.faults(keys={"nobody": "0" * 64})


def _anchor_at(archived: Archived, seq: int) -> tuple[int, str]:
    return seq, next(event.hash for event in archived.team.history() if event.seq == seq)


def test_only_a_keeper_archives(archived: Archived, told: Told) -> None:
    """Who is no keeper, or unknown, is refused before a file is written; so is a name that is taken, and a record that is broken."""
    before = photograph(archived.store)
    for name in ("bob", "eve"):
        with pytest.raises(NotEntitled):
            archived.archive(by=name)
    (archived.folder / "taken").write_text("x")
    with pytest.raises(InvalidInput, match="taken"):
        archived.archive("taken")
    archived.run("UPDATE plan SET holder = 'eve' WHERE plan_id = 'intent_aaaaaa'")
    with told.raises(BrokenRecord):
        archived.archive()
    put_back(archived.store, before)
    assert sorted(path.name for path in archived.folder.iterdir() if "archive" in path.name) == []
    assert photograph(archived.store) == before


def test_a_failure_leaves_everything(archived: Archived, monkeypatch: pytest.MonkeyPatch) -> None:
    """If removing the events fails, all of them are in the registry, nothing tells of an archive, and there is no file."""
    from volition.workflow.verification import archiving

    def fail(*_: object) -> None:
        raise RuntimeError

    before = photograph(archived.store)
    monkeypatch.setattr(archiving, "_remove_events", fail)
    with pytest.raises(RuntimeError):
        archived.archive()
    assert photograph(archived.store) == before
    assert not (archived.folder / "spring.archive").exists()


def test_a_file_on_disk_comes_before_the_removal(archived: Archived, monkeypatch: pytest.MonkeyPatch) -> None:
    """When the first event is removed, the archive is whole, under its name, and verifies."""
    from volition.workflow.verification import archiving

    remove, seen = archiving._remove_events, list[bool]()

    def look(*given: Any) -> None:
        seen.append(verify_archives([archived.folder / "spring.archive"]).intact)
        remove(*given)

    monkeypatch.setattr(archiving, "_remove_events", look)
    archived.archive()
    assert seen == [True]


def test_an_archived_registry_is_backed_up_and_restored(archived: Archived, tmp_path: Path) -> None:
    """A backup holds the checkpoint; what is restored verifies without the archive and with it, and is archived further."""
    file = archived.archive()
    assert write_backup(archived.store, tmp_path / "backup", [PROJECT]).faults == ()
    with Store(parse_store_address(tmp_path / "new.db"), clock=archived.clock) as other:
        (made,) = restore_backup(other, read_backup(tmp_path / "backup"), "ann")
        assert not made.differs
        assert verify_registry(other, PROJECT).faults == ()
        assert verify_registry(other, PROJECT, archives=[file]).faults == ()
        archive_events(Team(other, PROJECT), tmp_path / "next", LATER, "ann")
        assert verify_registry(other, PROJECT, archives=[file, tmp_path / "next"]).faults == ()
        restore_backup(other, read_backup(tmp_path / "backup"), "ann", replace=True)
        assert verify_registry(other, PROJECT).faults == ()


@pytest.fixture(scope="module")
def history(tmp_path_factory: pytest.TempPathFactory) -> Iterator[History]:
    clock = HandClock()
    store = Store(parse_store_address(tmp_path_factory.mktemp("histories") / "team.db"), clock=clock)
    yield History(store, clock)
    store.close()


@given(STEPS_TAKEN, STEPS_TAKEN, st.integers(0, 10**6), st.integers(0, 10**6))
@settings(max_examples=8, suppress_health_check=[HealthCheck.too_slow])
def test_every_lawful_history_can_be_archived_anywhere(
    history: History,
    tmp_path_factory: pytest.TempPathFactory,
    steps: list[tuple[str, int, int, int]],
    more: list[tuple[str, int, int, int]],
    first: int,
    second: int,
) -> None:
    """Whatever was done, archived at any event, goes on in any way, is archived again, and verifies: without the archives, and with them
    from the first event."""
    store, clock, folder = history.store, history.clock, tmp_path_factory.mktemp("archives")
    empty = photograph(store)
    clock.now = BEGIN
    try:
        lived = History(store, clock)
        lived.team("kim").register(document("first_plan", "first.py"), "kim", lease=100)
        files = list[Path]()
        for acts, place in ((steps, first), (more, second)):
            for step in acts:
                lived.step(*step)
            events = lived.team("kim").history()
            keepers = [each.name for each in Members(Team(store, PROJECT)).list() if each.role == "keeper"]
            by = next(name for name in NAMES if name in keepers and _signs(lived, name))
            before = events[place % len(events)].at + 1
            archive_events(lived.team(by), folder / str(place % 7 + 10 * len(files)), before, by)
            files.append(folder / str(place % 7 + 10 * len(files)))
            assert verify_registry(store, PROJECT).faults == ()
            assert verify_registry(store, PROJECT, archives=files).faults == ()
            assert verify_archives(files).faults == ()
        for step in steps:
            lived.step(*step)
        assert verify_registry(store, PROJECT).faults == ()
        assert verify_registry(store, PROJECT, archives=files).faults == ()
    finally:
        put_back(store, empty)


def _signs(lived: History, name: str) -> bool:
    """Whether the key of this name is the one that the registry knows."""
    found = {each.name: each.key for each in Members(Team(lived.store, PROJECT)).list()}
    return found[name] in {"", lived.signers[name].public}
