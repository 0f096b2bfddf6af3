"""Signatures: every event is signed, a name stays with its key, and what was forged, altered or swapped is named."""

from __future__ import annotations

import stat
from contextlib import suppress
from typing import TYPE_CHECKING

import pytest
from sqlalchemy import select, update

from tests.keys import VARIABLE, key_text
from tests.workflow.forging import Forger, seal_again
from tests.workflow.plans import PROJECT, document
from tests.workflow.scenes import HandClock, flows_of
from volition.core.errors import InvalidInput, MissingPart, NotPossible
from volition.core.signing import (
    AGENTS_VARIABLE,
    PASSPHRASE_VARIABLE,
    adopt_next,
    agents_signer,
    is_locked,
    is_signed,
    key_place,
    lock_key,
    next_key,
    own_signer,
    unlock_key,
)
from volition.workflow import Store, Team, parse_store_address, verify_registry
from volition.workflow.law.members import WrongSigner
from volition.workflow.store.events import CLOCK
from volition.workflow.store.tables import EVENT

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.sentences import Told
    from volition.workflow import Signer

pytestmark = pytest.mark.req("WF-06")
NOTIFY = '[[bind]]\nname = "by hand"\naction = "notify"\n'


@pytest.fixture
def eve(monkeypatch: pytest.MonkeyPatch) -> Signer:
    """The key of another user."""
    with monkeypatch.context() as other:
        other.setenv(VARIABLE, key_text(bytes(32)))
        return own_signer()


@pytest.fixture
def team(store: Store) -> Team:
    """A team in which ann has registered a plan and pat has judged it: events 1 to 6."""
    found = Team(store, PROJECT)
    found.register(document("aaaaaa", "a.py"), "ann")
    flows_of(store).start(NOTIFY, "pat")
    return found


@pytest.fixture
def theirs(store: Store, eve: Signer) -> Iterator[Team]:
    """The same team, as eve's process has it."""
    with Store(store.address, signer=eve) as other:
        yield Team(other, PROJECT)


def test_every_event_is_signed_by_the_key_of_who_did_it(team: Team, theirs: Team) -> None:
    """Each event carries a public key and a signature of its hash; verification says which key signed in which names."""
    theirs.register(document("bbbbbb", "b.py"), "eve")
    found = verify_registry(team.store, PROJECT)
    assert found.faults == ()
    assert {key: (use.count, use.names) for key, use in found.keys.items()} == {
        team.store.signer.public: (6, {"ann", "pat"}),
        theirs.store.signer.public: (2, {"eve"}),
    }
    assert f"2 signed with {theirs.store.signer.public[:16]}... in the name of eve" in str(found)
    with team.store.read() as connection:
        rows = connection.execute(select(EVENT)).all()
    assert all(is_signed(row.hash, row.signer, row.signature) for row in rows)


def test_nobody_acts_in_a_name_that_belongs_to_another_key(team: Team, theirs: Team, told: Told) -> None:
    """A name belongs to the key that first signed in it: another process is refused, and nothing is recorded; with the token
    too, because what a holder does is recorded in the holder's name."""
    before = team.history()
    with told.raises(WrongSigner):
        theirs.register(document("bbbbbb", "b.py"), "ann")
    with told.raises(WrongSigner):
        theirs.withdraw("intent_aaaaaa", team.show("intent_aaaaaa").token)
    assert team.history() == before
    assert theirs.register(document("bbbbbb", "b.py"), "eve").outcome == "granted"
    with pytest.raises(WrongSigner, match="'eve'"):
        team.register(document("cccccc", "c.py"), "eve")


def test_a_name_that_was_not_committed_belongs_to_nobody(store: Store, theirs: Team) -> None:
    """A transaction that is undone gives no name away, also not in the memory of its process."""
    team = Team(store, PROJECT)
    with suppress(ZeroDivisionError), team.transaction() as transaction:
        transaction.admit("ann")
        assert 1 / 0
    assert team.history() == ()
    theirs.register(document("aaaaaa", "a.py"), "ann")
    with pytest.raises(WrongSigner):
        team.register(document("bbbbbb", "b.py"), "ann")


def test_an_event_in_anothers_name_is_named(team: Team, eve: Signer, told: Told) -> None:
    """An event that was appended in another's name behind the registry's back has the wrong key, or the wrong signature."""
    token = team.show("intent_aaaaaa").token
    last = Forger(team.store, eve).append("withdrawn", "intent_aaaaaa", "ann", token=token, why="")
    (fault,) = verify_registry(team.store, PROJECT).faults
    assert fault.startswith(f"event {last} (withdrawn intent_aaaaaa, by ann at ")
    told(fault)
    with team.store.write() as connection:
        connection.execute(update(EVENT).where(EVENT.c.seq == 4).values(signature="00" * 64))
    told(verify_registry(team.store, PROJECT).faults[0])


def test_an_altered_event_is_named_though_all_hashes_fit(team: Team, eve: Signer) -> None:
    """Whoever changes an event and computes all hashes after it again cannot sign them in the old names."""
    with team.store.write() as connection:
        connection.execute(update(EVENT).where(EVENT.c.seq == 2).values(subject="bank"))
    seal_again(team.store, eve, since=2)
    (fault,) = verify_registry(team.store, PROJECT).faults
    assert fault.startswith("event 2 (rules bank, by ann at ")


@pytest.mark.req("WF-08")
@pytest.mark.parametrize("since", [1, 3, 5])
@pytest.mark.parametrize("pinned", [True, False])
def test_signatures_cannot_be_stripped(team: Team, since: int, pinned: bool, told: Told) -> None:
    """A record without signatures, or without some of them, is broken, whether keys are known from elsewhere or not."""
    keys = {"ann": team.store.signer.public} if pinned else {}
    seal_again(team.store, None, since=since)
    (fault,) = verify_registry(team.store, PROJECT, keys=keys).faults
    assert fault.startswith(f"event {since} (")
    told(fault)


@pytest.mark.req("WF-08")
def test_a_record_that_was_signed_again_as_a_whole_is_named_by_a_known_key(team: Team, eve: Signer) -> None:
    """A whole record with other keys looks intact by itself; a public key, or an anchor, that was kept elsewhere tells. A name
    whose key is known, and which does not occur, is named too."""
    mine = team.store.signer.public
    assert verify_registry(team.store, PROJECT, keys={"ann": mine, "pat": mine}).intact
    seal_again(team.store, eve)
    assert Forger(team.store, eve).run(f"UPDATE member SET public_key = '{eve.public}'") == 2
    assert verify_registry(team.store, PROJECT).intact
    (fault,) = verify_registry(team.store, PROJECT, keys={"ann": mine}).faults
    assert fault.startswith("event 1 (role ann, by ann at ")
    assert f"expected that the first event of ann is signed with {mine[:16]}..." in fault
    (fault,) = verify_registry(team.store, PROJECT, keys={"bob": mine}).faults
    assert fault.startswith("no event is signed by bob, whose key is known")


def test_what_the_clock_ends_is_signed_by_whoever_notices(tmp_path: Path, eve: Signer, told: Told) -> None:
    """The end of a lease is nobody's act, so any key may sign it; nobody can act in that name otherwise."""
    clock = HandClock()
    address = parse_store_address(tmp_path / "team.db")
    with Store(address, clock=clock) as one, Store(address, clock=clock, signer=eve) as two:
        Team(one, PROJECT).register(document("aaaaaa", "a.py"), "ann", lease=1)
        clock.now += 2000
        Team(two, PROJECT).register(document("bbbbbb", "a.py"), "eve", lease=1)
        clock.now += 2000
        Team(one, PROJECT).register(document("cccccc", "c.py"), "ann")
        assert verify_registry(one, PROJECT).faults == ()
        with told.raises(InvalidInput):
            Team(two, PROJECT).register(document("dddddd", "d.py"), CLOCK)


@pytest.mark.req("WF-08")
def test_a_clock_that_was_set_back_is_shown(tmp_path: Path, told: Told) -> None:
    """A clock that was set back is lawful, also if its future is that of whoever verifies; it is shown, with who noticed."""
    clock = HandClock()
    clock.now = 1_769_335_200_000
    with Store(parse_store_address(tmp_path / "team.db"), clock=clock) as store:
        team = Team(store, PROJECT)
        team.register(document("aaaaaa", "a.py"), "ann")
        clock.now -= 86_400_000
        told(verify_registry(store, PROJECT).faults[0])
        team.register(document("bbbbbb", "b.py"), "ann")
        found = verify_registry(store, PROJECT)
    assert found.intact
    (remark,) = found.remarks
    assert remark.endswith("the clock was set back from 2026-01-25T10:00:00Z; noticed by the key of ann")
    assert f"look at {remark}" in str(found)
    assert found.to_data()["remarks"] == [remark]


def test_a_key_is_made_once_and_for_its_owner_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The first use makes a key that nobody else may read, in the user's configuration; the environment may name another
    file, or hold the key itself."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    monkeypatch.delenv(VARIABLE)
    made = own_signer().public
    file = tmp_path / "volition" / "key.pem"
    assert (key_place(), stat.S_IMODE(file.stat().st_mode)) == (str(file), 0o600)
    assert [path.name for path in file.parent.iterdir()] == ["key.pem"]
    assert own_signer().public == made
    monkeypatch.setenv(VARIABLE, file.read_text())
    assert (own_signer().public, key_place()) == (made, VARIABLE)
    monkeypatch.setenv(VARIABLE, str(tmp_path / "other.pem"))
    assert own_signer().public != made


def test_a_key_that_is_none_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, told: Told) -> None:
    """A file that others may read, that is no key or that cannot be made is named with what to do; nothing is recorded."""
    file = tmp_path / "key.pem"
    monkeypatch.setenv(VARIABLE, str(file))
    own_signer()
    file.chmod(0o644)
    with pytest.raises(MissingPart, match=f"chmod 600 {file}"):
        own_signer()
    file.chmod(0o600)
    file.write_text("no key")
    with Store(parse_store_address(tmp_path / "team.db")) as store:
        with told.raises(MissingPart):
            Team(store, PROJECT).register(document("aaaaaa", "a.py"), "ann")
        assert Team(store, PROJECT).list() == ()
    monkeypatch.setenv(VARIABLE, str(file / "below.pem"))
    with told.raises(MissingPart):
        own_signer()


@pytest.mark.req("AG-05")
def test_a_locked_key_signs_for_whoever_knows_the_passphrase(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, told: Told
) -> None:
    """A key that is locked keeps its public part; without the passphrase, or with a wrong one, nothing is signed; the key
    that follows it is locked too; unlocked, it is as before."""
    file = tmp_path / "key.pem"
    monkeypatch.setenv(VARIABLE, str(file))
    public = own_signer().public
    with pytest.raises(InvalidInput, match="empty"):
        lock_key(file, "")
    assert lock_key(file, "four words of hers") == public
    assert (is_locked(file), stat.S_IMODE(file.stat().st_mode)) == (True, 0o600)

    def nobody(*_: object) -> str:
        raise OSError

    monkeypatch.setattr("volition.core.signing.getpass", nobody)
    with told.raises(NotPossible):
        own_signer()
    monkeypatch.setenv(PASSPHRASE_VARIABLE, "another")
    with told.raises(InvalidInput):
        own_signer()
    monkeypatch.setenv(PASSPHRASE_VARIABLE, "four words of hers")
    assert own_signer().public == public
    following = next_key(file).public
    assert is_locked(adopt_next(file))
    assert (own_signer().public, is_locked(file)) == (following, True)
    assert (unlock_key(file), is_locked(file)) == (following, False)


@pytest.mark.req("AG-05")
def test_agents_have_a_key_of_theirs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Agents of a user sign with another key than the user, whether or not that one is locked."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    monkeypatch.delenv(VARIABLE)
    monkeypatch.delenv(AGENTS_VARIABLE)
    own = own_signer().public
    lock_key(tmp_path / "volition" / "key.pem", "four words of hers")
    assert agents_signer().public != own
    assert sorted(path.name for path in (tmp_path / "volition").iterdir()) == ["agents.pem", "key.pem"]
