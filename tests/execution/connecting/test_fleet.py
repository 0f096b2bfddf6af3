"""A fleet: many bodies in one call, with one deadline, one journal and one summary, and no body waits for a dead one."""

from __future__ import annotations

from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

import pytest

from tests.execution.client.bridges import EAST, Stamping, eventually, served
from tests.execution.transports.stream_bridge import Toy
from tests.execution.wire.samples import of
from volition.core.errors import InvalidInput
from volition.execution import BridgeClosed, Fleet, HandshakeFailed, Jump
from volition.execution.journal.entries import read_journal
from volition.execution.journal.records import Attempt, Connected
from volition.execution.journal.summary import summarise_journal
from volition.execution.journal.verification import verify_journal
from volition.execution.wire.session.handshake import NothingListening
from volition.execution.wire.session.link import Timing

if TYPE_CHECKING:
    from pathlib import Path

    from tests.sentences import Told
    from volition.execution import Outcome
    from volition.execution.transports.address import Address

QUICK = Timing(handshake=60.0, idle=0.2, dead=60.0, grace=0.1, stop=60.0, opening=60.0)


def test_every_body_gets_its_own_intent(tmp_path: Path) -> None:
    """Each body attempts what it was sent, and the one journal tells the bodies apart and keeps every law."""
    games = {"ann": Stamping(hz=100), "bob": Stamping(hz=100), "cid": Stamping(hz=100)}
    path = tmp_path / "journal"
    with ExitStack() as stack:
        places = {name: stack.enter_context(served(game)) for name, game in games.items()}
        with Fleet.connect(places, journal=path, timing=QUICK) as fleet:
            assert fleet.bodies == ("ann", "bob", "cid")
            for _ in range(20):
                outcomes = fleet.execute({"ann": Jump(), "bob": EAST, "cid": "EVADE"}, deadline=60.0)
                assert {name: outcome.sent and outcome.sent.name for name, outcome in outcomes.items()} == {
                    "ann": "JUMP",
                    "bob": "MOVE",
                    "cid": "EVADE",
                }
                assert {outcome.status for outcome in outcomes.values()} == {"SUCCESS"}
            assert list(fleet.execute({"bob": ("MOVE", {"vector": [1, 0, 0]})}, deadline=60.0)) == ["bob"]
            assert all(state is not None and state.full for state in fleet.refresh(60.0).values())
            assert None not in fleet.states.values()
            assert fleet.errors == {}
            told = fleet.summary()
        assert fleet.summary().attempts == 61 + 3
    assert (games["ann"].calls.count("JUMP"), games["ann"].calls.count("EVADE")) == (20, 0)
    assert told.by_body["ann"] == {"positive": 21}
    assert told.by_body["bob"] == {"positive": 22}
    assert "bob" in str(told)
    found = verify_journal(path)
    assert (found.intact, found.attempts, found.unfinished) == (True, 64, 0)
    records = [entry.record for entry in read_journal(path)]
    met = {record.connection: record.body for record in of(Connected, records)}
    assert sorted(met.values()) == ["ann", "bob", "cid"]
    assert all(met[record.connection] == record.body for record in of(Attempt, records))


def test_a_dead_body_does_not_stall_the_others(tmp_path: Path) -> None:
    """While one of three is dead, a call for all of them returns with the outcomes of the other two, whatever the deadline: the
    intent of the dead one ends unsent. When it is back, it takes part again. The summary has the outcomes of each."""
    address, games = f"unix:{tmp_path}/bob.sock", (Toy(hz=0), Toy(hz=0))
    wishes = dict.fromkeys(("bob", "ann", "cid"), Jump())
    outcomes: list[dict[str, Outcome]] = []
    with served(games[0]) as ann, served(games[1]) as cid, ExitStack() as stack:
        dying = ExitStack()
        dying.enter_context(served(Toy(hz=0), address=address))
        bodies = {"bob": address, "ann": ann, "cid": cid}
        fleet = stack.enter_context(Fleet.connect(bodies, journal=tmp_path / "journal", timing=QUICK))
        outcomes.append(fleet.execute(wishes, deadline=3600.0))
        dying.close()
        eventually(lambda: isinstance(fleet.errors.get("bob"), NothingListening))
        assert set(fleet.errors) == {"bob"}
        without = fleet.execute(wishes, deadline=3600.0)
        unsent = without.pop("bob")
        assert (unsent.label, unsent.sent, unsent.detail) == ("unknown", None, "not sent: it has no connection")
        outcomes.append(without)
        assert all(game.calls.count("JUMP") == 2 for game in games)
        assert fleet.refresh(0.2)["bob"] is None
        with served(Toy(hz=0), address=address):
            eventually(lambda: fleet.states["bob"] is not None)
            outcomes.append(fleet.execute(wishes, deadline=3600.0))
            fleet.close()
    assert [{outcome.status for outcome in each.values()} for each in outcomes] == [{"SUCCESS"}] * 3
    short = summarise_journal(tmp_path / "journal")
    assert short.by_body["bob"]["unknown"] == 1
    assert short.by_body["ann"] == {"positive": 4}
    assert verify_journal(tmp_path / "journal").intact


def test_a_mute_body_costs_one_deadline() -> None:
    """A body that says nothing ends in its deadline and grace; all are asked at once, so that is all it costs."""
    with served(Toy(mute=True)) as mute, Fleet.connect([mute, "embedded", "embedded"], timing=QUICK) as fleet:
        assert fleet.bodies == (mute, "embedded", "embedded-2")
        outcomes = fleet.execute(dict.fromkeys(fleet.bodies, Jump()), deadline=0.3)
        assert [outcome.label for outcome in outcomes.values()] == ["timeout", "positive", "positive"]


def test_a_late_body_delays_nobody_who_is_heard_one_by_one() -> None:
    """Outcomes come as they are known: those of the others before that of a body that says nothing, which comes last."""
    with served(Toy(mute=True)) as mute, Fleet.connect([mute, "embedded", "embedded"], timing=QUICK) as fleet:
        heard = fleet.execute_each(dict.fromkeys(fleet.bodies, Jump()), deadline=0.3)
        assert [name for name, _ in heard] == ["embedded", "embedded-2", mute]
        abandoned = fleet.execute_each(dict.fromkeys(fleet.bodies, Jump()), deadline=3600.0)
        assert next(abandoned)[0] == "embedded"
        abandoned.close()
        assert fleet.execute({"embedded": "STOP"})["embedded"].answered


def test_a_fleet_that_is_not_whole_says_who_is_missing(tmp_path: Path) -> None:
    """Every body that cannot be reached is named, and the others are disconnected."""
    game = Toy()
    gone: dict[str, str | Address] = {"bob": f"unix:{tmp_path}/bob.sock", "cid": f"unix:{tmp_path}/cid.sock"}
    with served(game) as ann:
        with pytest.raises(NothingListening) as caught:
            Fleet.connect(gone | {"ann": ann}, journal=tmp_path / "journal", timing=QUICK)
        eventually(lambda: game.calls[-1:] == ["stopped"])
    assert isinstance(caught.value, HandshakeFailed)
    assert [problem.what.split(":")[0] for problem in caught.value.problems] == ["bob", "cid"]
    assert verify_journal(tmp_path / "journal").intact


def test_some_bodies_are_asked_alone(told: Told) -> None:
    """Those named are refreshed and waited for, and the time of the others stands still."""
    with Fleet.connect({"ann": "embedded", "bob": "embedded"}, seed=7) as fleet:
        before = fleet.refresh()
        waited = fleet.next_states(1.0, bodies=["bob"])
        asked = fleet.refresh(bodies=["ann"])
        assert [*waited, *asked] == ["bob", "ann"]
        ann, bob = before["ann"], before["bob"]
        assert waited["bob"] is not None
        assert asked["ann"] is not None
        assert ann is not None
        assert bob is not None
        assert (asked["ann"].tick, waited["bob"].tick) == (ann.tick, bob.tick + 1)
        assert {welcome and welcome.executor.name for welcome in fleet.welcomes.values()} == {"arena"}
        with told.raises(InvalidInput):
            fleet.next_states(bodies=["cid"])


def test_what_a_fleet_refuses(told: Told) -> None:
    """No body, an unknown body, a summary without a journal, and anything after the end are refused clearly."""
    nobodies: list[Any] = [[], {}, {"": "embedded"}]
    for nobody in nobodies:
        with told.raises(InvalidInput):
            Fleet.connect(nobody)
    with Fleet.connect({"ann": "embedded"}) as fleet:
        with told.raises(InvalidInput):
            fleet.execute({"bob": Jump()})
        with told.raises(InvalidInput):
            fleet.summary()
        assert fleet.events() == {"ann": []}
        assert fleet.execute({}) == {}
    fleet.close()
    with pytest.raises(BridgeClosed):
        fleet.execute({"ann": Jump()})
