"""Intents of a game's own, from the call to the journal: they are guarded, recorded, verified and replayed like the seven."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from msgspec.structs import replace

from tests.execution.door.doorway import Doorway
from tests.execution.quarry import DIG, LISTEN, Quarry, dig, driving
from tests.execution.wire.samples import WELCOME
from volition.execution import (
    Custom,
    ExecutorServer,
    Journal,
    RequestMark,
    RequestMemory,
    connect,
    make_result,
    read_journal,
    summarise_journal,
    verify_journal,
)
from volition.execution.client.replay import recorded_intents, replay
from volition.execution.journal.records import Attempt

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.req("EX-24")


def test_a_declared_intent_is_done_and_its_forms_are_the_same() -> None:
    """An object, a name with parameters, a pair in `execute_many` and a typed class ask for the same."""
    game = Quarry()
    with driving(game) as body:
        Dig = body.declared["DIG"].make_class()  # noqa: N806  a class
        outcomes = [
            body.execute(Custom("DIG", {"at": [1, 0, 0]})),
            body.execute("DIG", {"at": [2, 0, 0], "tool": "pick"}),
            *body.execute_many([("DIG", {"at": [4, 0, 0]}), Dig((5, 0, 0))]),
        ]
        assert [outcome.status for outcome in outcomes] == ["SUCCESS"] * 4
        assert game.dug == [(1, 0, 0), (2, 0, 0), (4, 0, 0), (5, 0, 0)]
        assert (outcomes[0].requested.intent, outcomes[0].requested.parameters) == ("DIG", {"at": [1, 0, 0]})
        assert body.execute(dig(3)).reason == "BLOCKED"
        assert list(body.declared) == ["DIG", "LISTEN"]


def test_over_a_socket_too() -> None:
    """The declaration travels in the welcome, and the intent to the game."""
    with ExecutorServer.listen("tcp://127.0.0.1:0", Quarry()).running() as address, connect(address) as body:
        assert body.declared["DIG"] == DIG
        assert body.execute(dig(1), deadline=30.0).status == "SUCCESS"


@pytest.mark.parametrize(
    ("name", "parameters"), [("DIG", {}), ("DIG", {"at": "here"}), ("DUG", None), ("LISTEN", {"x": 1})]
)
def test_nonsense_is_intercepted(name: str, parameters: object) -> None:
    """What was not declared, or does not fit, is not sent: STOP is, and the outcome says everything that is wrong."""
    game = Quarry()
    with driving(game) as body:
        outcome = body.execute(name, parameters)
        assert (outcome.label, outcome.sent, game.under_way) == ("intercepted", None, [])
        assert outcome.detail


def test_a_custom_intent_beside_parameters_is_nonsense() -> None:
    """An intent that has its parameters takes no others."""
    with driving(Quarry()) as body:
        assert body.execute(dig(1), {"at": [2, 0, 0]}).label == "intercepted"


def test_the_retry_rule_holds_for_the_same_parameters() -> None:
    """The fifth attempt of the same act in a row is not sent; another place is another act."""
    with driving(Quarry()) as body:
        labels = [body.execute(dig(3)).label for _ in range(5)]
        assert labels == ["environmental_constraint"] * 4 + ["refused_retry"]
        assert body.execute(dig(6)).label == "environmental_constraint"
        assert body.execute(dig(3)).label == "environmental_constraint"


def test_it_ends_like_any_other() -> None:
    """A cancel, the end of its time and a STOP end it as PARTIAL, and the game knows."""
    game = Quarry()
    with driving(game) as body:
        ticket = body.submit("LISTEN", deadline=5.0)
        body.cancel(ticket)
        assert (body.wait(ticket).status, game.under_way) == ("PARTIAL", [])
        assert body.execute("LISTEN", deadline=0.2).status == "PARTIAL"
        ticket = body.submit("LISTEN", deadline=5.0)
        assert body.execute("STOP").status == "SUCCESS"
        assert body.wait(ticket).status == "PARTIAL"


def test_a_game_that_ends_it_otherwise_is_told(tmp_path: Path) -> None:
    """The author of a game learns of an undeclared result where it is reported, and nobody remembers it."""
    mark = RequestMark(request="r", digest="d", token=1, resource="quarry")
    with RequestMemory(tmp_path / "requests") as memory:
        with (
            driving(Quarry(ends_as=make_result("FAILURE", "COOLDOWN")), requests=memory) as body,
            pytest.raises(Exception, match="not declared"),
        ):
            body.execute(dig(1), mark=mark)
        assert memory.admit(mark) == (make_result("FAILURE", "UNKNOWN"), "INTERRUPTED")


def test_it_is_recorded_verified_summarised_and_replayed(tmp_path: Path) -> None:
    """The journal holds the declaration and every attempt; the laws hold, and a replay gives the same results."""
    with Journal(tmp_path / "j") as journal, driving(Quarry(), journal=journal) as body:
        for x in range(1, 5):
            body.execute(dig(x))
        body.execute("DUG")
    assert verify_journal(tmp_path / "j").intact
    found = summarise_journal(tmp_path / "j")
    assert found.by_intent["DIG"] == {"environmental_constraint": 1, "positive": 3}
    assert list(found.by_intent) == ["STOP", "DIG", "(other)"]
    run, intents = recorded_intents(tmp_path / "j")
    with driving(Quarry()) as body:
        assert replay(intents, body, run=run).same
    with driving(Quarry(seed=1)) as body:
        assert not replay(intents, body, run=run).same


def test_a_journal_with_what_nobody_declared_is_unlawful(tmp_path: Path) -> None:
    """An intent that crossed the bridge without a declaration breaks a law of the journal."""
    from tests.execution.journal.journals import answered
    from volition.execution.door.events import Connected

    with Journal(tmp_path / "j") as journal:
        journal.tell(Connected(connection=1, welcome=replace(WELCOME, declares=(LISTEN,))))
        journal.tell(replace(answered(1), sent=Custom("LISTEN")))
        journal.tell(replace(answered(2), sent=dig(1)))
    (wrong,) = verify_journal(tmp_path / "j").unlawful
    assert wrong.law == "only canonical and declared intents cross the bridge"
    sent = [entry.record.sent for entry in read_journal(tmp_path / "j") if isinstance(entry.record, Attempt)]
    assert [each.intent for each in sent if each] == ["LISTEN", "DIG"]


# Before the welcome.


def test_it_waits_for_the_first_welcome_and_is_judged_then() -> None:
    """Before anything is known of an executor, an own intent is held; what turns out not to be declared is intercepted."""
    door = Doorway()
    good, bad = door.ask(Custom("LISTEN")), door.ask(Custom("DANCE"))
    door.ready(replace(WELCOME, declares=(LISTEN,)))
    assert door.the(bad).label == "intercepted"
    assert "LISTEN" in door.sent
    assert good not in [outcome.ticket for outcome in door.outcomes]
