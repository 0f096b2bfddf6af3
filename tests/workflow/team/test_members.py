"""People: roles say who may do what, names belong to keys, and keys are replaced without losing what was signed."""

from __future__ import annotations

import stat
from typing import TYPE_CHECKING

import pytest

from tests.keys import VARIABLE, key_text
from tests.workflow.bodies import Body
from tests.workflow.forging import Forger, signer_of
from tests.workflow.plans import PROJECT, document
from tests.workflow.scenes import BINDINGS, STEPS
from volition.core.errors import InvalidInput, MissingPart
from volition.core.signing import own_signer
from volition.workflow import FlowDriver, Flows, Members, Store, Team, parse_store_address, verify_registry
from volition.workflow.law.members import NotEntitled, WrongSigner
from volition.workflow.team import members
from volition.workflow.team.members import rotate_own_key, signing_keys

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from tests.sentences import Told

pytestmark = pytest.mark.req("WF-09")


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store(parse_store_address(tmp_path / "team.db")) as opened:
        yield opened


@pytest.fixture
def team(store: Store) -> Team:
    """ann keeps the project, and bob has joined."""
    found = Team(store, PROJECT)
    found.register(document("aaaaaa", "a.py", commands=STEPS), "ann")
    Members(found).join("bob")
    return found


def roles(team: Team) -> dict[str, str]:
    return {each.name: each.role for each in Members(team).list()}


# Roles.


def test_the_first_keeps_and_others_join(team: Team, told: Told) -> None:
    """The first who acts is the keeper; whoever joins gets the role of newcomers, once; a keeper says which that is."""
    people = Members(team)
    people.join("bob")
    assert roles(team) == {"ann": "keeper", "bob": "approver"}
    people.change_settings("ann", newcomers="member")
    team.register(document("cccccc", "c.py"), "cyd")
    people.change_settings("ann", newcomers="refused")
    assert people.settings() == {"own_approval": "refuse", "newcomers": "refused"}
    for stranger in (lambda: people.join("dan"), lambda: team.register(document("dddddd", "d.py"), "dan")):
        with told.raises(NotEntitled):
            stranger()
    people.give_role("dan", "member", "ann")
    assert roles(team) == {"ann": "keeper", "bob": "approver", "cyd": "member", "dan": "member"}
    assert verify_registry(team.store, PROJECT).intact


def test_only_keepers_appoint_and_one_stays(team: Team, told: Told) -> None:
    """Roles, settings and rules are the keepers' to change; the last keeper, with a key that is valid, stays one."""
    people = Members(team)
    acts: list[Callable[[], object]] = [
        lambda: people.give_role("bob", "keeper", "bob"),
        lambda: people.give_role("new", "member", "bob"),
        lambda: people.change_settings("bob", own_approval="allow"),
        lambda: people.change_key("ann", "0" * 64, "bob"),
        lambda: people.revoke_key("ann", "bob"),
        lambda: team.release("intent_aaaaaa", "bob", why="mine"),
    ]
    for act in acts:
        with told.raises(NotEntitled):
            act()
    for act in (lambda: people.give_role("ann", "member", "ann"), lambda: people.revoke_key("ann", "ann")):
        with told.raises(InvalidInput):
            act()
    people.give_role("bob", "keeper", "ann")
    people.revoke_key("ann", "ann")
    with told.raises(InvalidInput):
        people.give_role("bob", "member", "bob")


def test_a_member_neither_answers_nor_approves(team: Team, told: Told) -> None:
    """What takes a person's judgement takes an approver, and never the holder of the plan, unless the keeper allows that."""
    people, flows = Members(team), Flows(team)
    people.give_role("bob", "member", "ann")
    flow = flows.start(BINDINGS, "bob").flow_id
    acts: list[Callable[[], object]] = [lambda: flows.approve(flow, "bob"), lambda: flows.abandon(flow, "bob")]
    for act in acts:
        with told.raises(NotEntitled):
            act()
    with told.raises(NotEntitled):
        flows.approve(flow, "ann")
    people.change_settings("ann", own_approval="allow")
    assert flows.approve(flow, "ann").state == "approved"


@pytest.mark.req("AG-05")
def test_a_person_releases_the_plan_of_a_session(store: Store, told: Told) -> None:
    """Where the first session in a project is its only keeper, a person who approves releases its plan when it died; another
    session does not, and a person's plan is a keeper's to release."""
    team = Team(store, PROJECT)
    team.register(document("dddddd", "d.py"), "eve@dead")
    team.register(document("bbbbbb", "b.py"), "bob")
    team.register(document("cccccc", "c.py"), "eve@alive")
    assert roles(team)["bob"] == "approver"
    with told.raises(NotEntitled):
        team.release("intent_dddddd", "eve@alive", why="in my way")
    team.release("intent_dddddd", "bob", why="its session is gone")
    assert team.show("intent_dddddd").state == "withdrawn"
    Members(team).join("cyd")
    with told.raises(NotEntitled):
        team.release("intent_bbbbbb", "cyd", why="in my way")
    assert verify_registry(store, PROJECT).intact


def test_no_lease_lasts_for_months(team: Team, told: Told) -> None:
    """A lease that is asked for is at most two weeks long: nobody who is gone blocks others for longer."""
    with told.raises(InvalidInput):
        team.register(document("dddddd", "d.py"), "ann", lease=90 * 86400.0)
    assert team.register(document("dddddd", "d.py"), "ann", lease=14 * 86400.0).grant


def test_who_is_alone_approves_an_own_plan(store: Store) -> None:
    """Where nobody else is, one's own plan may be approved."""
    team = Team(store, PROJECT)
    team.register(document("aaaaaa", "a.py", commands=STEPS), "ann")
    flows = Flows(team)
    assert flows.approve(flows.start(BINDINGS, "ann").flow_id, "ann").state == "approved"


NOBODY = ["", " ", " ann", "ann ", "a\nb", "a\u200bb", "the clock", "x" * 301, "\uff41nn"]


@pytest.mark.parametrize("name", NOBODY)
def test_what_is_nobodys_name_is_refused_everywhere(team: Team, name: str, told: Told) -> None:
    """Blank, padded, invisible, too long and doubly spelled names are refused by every verb, and nothing is recorded."""
    people, flows = Members(team), Flows(team)
    flow = flows.start(BINDINGS, "ann").flow_id
    before = team.history()
    acts: list[Callable[[], object]] = [
        lambda: people.join(name),
        lambda: people.give_role(name, "member", "ann"),
        lambda: people.give_role("bob", "member", name),
        lambda: people.change_settings(name, own_approval="allow"),
        lambda: people.change_key("ann", "0" * 64, name),
        lambda: people.revoke_key("bob", name),
        lambda: team.register(document("bbbbbb", "b.py"), name),
        lambda: team.release("intent_aaaaaa", name, why="gone"),
        lambda: flows.start(BINDINGS, name),
        lambda: flows.approve(flow, name),
        lambda: flows.abandon(flow, name),
    ]
    refusals = set[str]()
    for act in acts:
        with pytest.raises(InvalidInput) as refused:
            act()
        refusals.add(str(refused.value))
    told(*sorted(refusals))
    assert team.history() == before


def test_a_name_that_nobody_knows_decides_nothing(team: Team, told: Told) -> None:
    """Whoever has not joined cannot approve, settle or give up; the message says how to join."""
    flows = Flows(team)
    flow = flows.start(BINDINGS, "bob").flow_id
    acts: list[Callable[[], object]] = [lambda: flows.approve(flow, "bb"), lambda: flows.abandon(flow, "bb")]
    for act in acts:
        with told.raises(NotEntitled):
            act()


# Keys.


def test_a_replaced_key_signs_no_more_and_what_it_signed_is_valid(team: Team, told: Told) -> None:
    """From the event that replaces a key on, only the new one signs in that name; all that was signed before verifies."""
    new = signer_of("n")
    with Store(team.store.address, signer=new) as other:
        theirs = Team(other, PROJECT)
        Members(team).change_key("bob", new.public, "bob")
        with told.raises(WrongSigner):
            team.register(document("bbbbbb", "b.py"), "bob")
        theirs.register(document("bbbbbb", "b.py"), "bob")
    found = verify_registry(team.store, PROJECT)
    assert (found.faults, found.remarks) == ((), ())
    with Store(team.store.address) as old:
        Forger(old, old.signer).append(
            "withdrawn", "intent_bbbbbb", "bob", token=team.show("intent_bbbbbb").token, why=""
        )
    (fault,) = verify_registry(team.store, PROJECT).faults
    told(fault)


def test_a_revoked_name_is_silent_until_a_keeper_gives_it_a_key(team: Team, told: Told) -> None:
    """Nobody acts in a name whose key was revoked, and it cannot be taken by whoever comes first; a keeper gives it another
    key, which verification shows."""
    people, new = Members(team), signer_of("n")
    people.revoke_key("bob", "bob")
    with Store(team.store.address, signer=new) as other:
        for each in (team, Team(other, PROJECT)):
            with told.raises(WrongSigner):
                each.register(document("bbbbbb", "b.py"), "bob")
        people.change_key("bob", new.public, "ann")
        assert Team(other, PROJECT).register(document("bbbbbb", "b.py"), "bob").grant
    found = verify_registry(team.store, PROJECT)
    assert found.intact
    assert [remark.rpartition(": ")[2] for remark in found.remarks] == [
        f"bob was given the key {new.public[:16]}... by ann"
    ]


@pytest.mark.parametrize("key", ["", "0f", "g" * 64, "0F" * 32, "revoked"])
def test_what_is_no_key_is_refused(team: Team, key: str, told: Told) -> None:
    """A key is 64 hexadecimal digits."""
    with told.raises(InvalidInput):
        Members(team).change_key("bob", key, "bob")


# Rotation of one's own key.


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The file of this user's key."""
    monkeypatch.setenv(VARIABLE, str(tmp_path / "keys" / "key.pem"))
    return tmp_path / "keys" / "key.pem"


def act_everywhere(store: Store) -> None:
    """Two names of one user, in two projects."""
    for project, name in ((PROJECT, "ann"), (PROJECT, "ann's agent"), ("bank", "ann")):
        plan = document("aaaaaa" if name == "ann" else "bbbbbb", f"{len(name)}.py").replace(
            b'"shop"', f'"{project}"'.encode()
        )
        if project == PROJECT:
            Team(store, project).register(plan, name)
        else:
            Members(Team(store, project)).join(name)


def test_an_own_key_is_replaced_in_every_name_and_project(file: Path, tmp_path: Path) -> None:
    """Every name of the old key gets the new one, in all projects; then the new one is in the file, for its owner only, and the
    old one is kept beside it."""
    address = parse_store_address(tmp_path / "team.db")
    with Store(address) as store:
        act_everywhere(store)
        before = store.signer.public
        done = rotate_own_key(store)
    assert done.before == before != done.public == own_signer().public
    assert done.names == (("bank", "ann"), (PROJECT, "ann"), (PROJECT, "ann's agent"))
    assert sorted(path.name for path in file.parent.iterdir()) == ["key.pem", f"key.pem.{before[:16]}.old"]
    assert {stat.S_IMODE(path.stat().st_mode) for path in file.parent.iterdir()} == {0o600}
    with Store(address) as store:
        Team(store, PROJECT).register(document("cccccc", "c.py"), "ann's agent")
        assert verify_registry(store, PROJECT, keys={"ann": before}).intact
        assert verify_registry(store, "bank").intact


@pytest.mark.parametrize("cut", [0, 1, 2, 3])
def test_an_interrupted_rotation_is_finished_by_the_next(
    file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cut: int
) -> None:
    """Cut off after any event, or before the file is replaced, nothing is lost: the key is there, and the same call finishes."""
    address = parse_store_address(tmp_path / "team.db")
    with Store(address) as store:
        act_everywhere(store)
        before, given = store.signer.public, list[str]()
        change_key = Members.change_key

        def change(people: Members, name: str, public: str, by: str) -> None:
            if len(given) == cut:
                raise KeyboardInterrupt
            change_key(people, name, public, by)
            given.append(public)

        def adopt(_: Path) -> Path:
            raise KeyboardInterrupt

        with monkeypatch.context() as patched:
            patched.setattr(Members, "change_key", change)
            patched.setattr(members, "adopt_next", adopt)
            with pytest.raises(KeyboardInterrupt):
                rotate_own_key(store)
    assert own_signer().public == before
    with Store(address) as store:
        done = rotate_own_key(store)
        assert set(given) <= {done.public}
        assert {each.key for each in Members(Team(store, PROJECT)).list()} == {done.public}
        assert verify_registry(store, PROJECT).intact
    assert own_signer().public == done.public


def test_a_key_that_cannot_be_replaced_is_said_so(
    store: Store, file: Path, monkeypatch: pytest.MonkeyPatch, told: Told
) -> None:
    """A user who has done nothing has no key to replace here; one whose key is in the environment replaces it there."""
    with told.raises(InvalidInput):
        rotate_own_key(store)
    monkeypatch.setenv(VARIABLE, file.read_text())
    with told.raises(MissingPart):
        rotate_own_key(store)


def test_a_driver_signs_with_the_key_of_its_name(team: Team) -> None:
    """What a driver records is signed like everything else, so another key cannot drive in its name."""
    flows = Flows(team)
    flow = flows.approve(flows.start(BINDINGS, "bob").flow_id, "bob").flow_id
    FlowDriver(flows, "driver").claim(flow)
    with Store(team.store.address, signer=signer_of("n")) as other, pytest.raises(WrongSigner, match="'driver'"):
        FlowDriver(Flows(Team(other, PROJECT)), "driver", open_door=Body().door).drive(flow)


def test_the_keys_of_a_name_are_those_of_every_project_that_knows_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A name has the keys with which it signed, the one that it was given, and none that was revoked; somebody who begins a project
    in that name adds none to it, and no keys are known for a name that never signed."""
    address = parse_store_address(tmp_path / "team.db")
    with Store(address) as store:
        mine = own_signer().public
        Team(store, PROJECT).register(document("aaaaaa", "a.py"), "ann")
        assert signing_keys(store, {"ann", "eve"}) == {"ann": {mine}}
        Members(Team(store, PROJECT)).change_key("ann", "cd" * 32, "ann")
        assert signing_keys(store, {"ann"}) == {"ann": {mine, "cd" * 32}}
    monkeypatch.setenv("VOLITION_KEY", key_text(bytes(range(9, 41))))
    with Store(address) as store:
        Members(Team(store, "elsewhere")).join("ann")
        assert own_signer().public != mine
        assert signing_keys(store, {"ann"}) == {"ann": set()}
