"""Forged plans and people: whatever a member with the right to write to the database, and with a key, does against the law is named."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.workflow.lived import BEGIN, check_named
from tests.workflow.plans import PROJECT, document
from tests.workflow.scenes import STEPS
from volition.governance import IntentDocument, parse_document
from volition.workflow.store.events import CLOCK

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.workflow.forging import Forger
    from tests.workflow.lived import Lived

pytestmark = pytest.mark.req("WF-08")
DAY = 86_400_000


def grant(name: str, *files: str, **changed: Any) -> dict[str, Any]:
    """The details of a grant that nobody judged."""
    text = document(f"{name}_plan", *files, commands=STEPS)
    said = {
        "document": text.decode(), "checksum": parse_document(text, IntentDocument).audit.checksum, "token": 0, "lease_ms": 900_000,
        "lease_until": BEGIN + 900_000, "judgement": "1", "collisions": [],
    }  # fmt: skip
    return said | changed


def take(lived: Lived, forger: Forger, by: str, name: str, *files: str, what: str = "granted", **changed: Any) -> None:
    """Grant a plan to somebody without judging it, under the right token."""
    token = len(lived.team.history()) + 1
    forger.append(what, f"intent_{name}_plan", by, **grant(name, *files, **{"token": token, **changed}))


def clash(plans: tuple[str, ...] = ("intent_idle_plan",)) -> list[dict[str, Any]]:
    return [{"rule": "resource_write_write", "severity": "high", "resource": "idle.py", "plans": list(plans)}]


# Plans of others.


def withdraws_anothers_plan(lived: Lived) -> None:
    lived.eve.append("withdrawn", "intent_idle_plan", "eve", token=lived.token("idle"), why="mine now")
    lived.eve.run("UPDATE plan SET state = 'withdrawn' WHERE plan_id = 'intent_idle_plan'")


def finishes_anothers_plan(lived: Lived) -> None:
    lived.eve.append("finished", "intent_idle_plan", "eve", token=lived.token("idle"))


def takes_a_plan_over(lived: Lived) -> None:
    take(lived, lived.eve, "eve", "idle", "idle.py", revises=lived.token("idle"))


def renews_anothers_lease(lived: Lived) -> None:
    said: dict[str, Any] = {"token": lived.token("idle"), "lease_ms": 1, "lease_until": BEGIN + 1}
    lived.eve.append("renewed", "intent_idle_plan", "eve", **said)


def releases_without_being_keeper(lived: Lived) -> None:
    lived.eve.append("released", "intent_idle_plan", "eve", why="in my way")


def says_that_anothers_plan_was_refused(lived: Lived) -> None:
    lived.eve.append("refused", "intent_idle_plan", "eve", checksum="", collisions=clash())


def refuses_without_a_reason(lived: Lived) -> None:
    lived.eve.append("refused", "intent_new_plan", "eve", checksum="", collisions=[])


def grants_a_collision(lived: Lived) -> None:
    take(lived, lived.eve, "eve", "second", "idle.py")


def grants_by_a_version_that_nobody_knows(lived: Lived) -> None:
    take(lived, lived.eve, "eve", "second", "idle.py", judgement="0")


def hides_a_mild_collision(lived: Lived) -> None:
    (event,) = lived.rehearse(
        lambda flows: flows.team.register(document("look_plan", "idle.py", commands=("a_look: read: look",)), "ann")
    )
    lived.insider.repeat(event, collisions=[])  # fmt: skip


def invents_a_collision(lived: Lived) -> None:
    take(lived, lived.eve, "eve", "second", "free.py", what="waiting", collisions=clash())


def jumps_the_line(lived: Lived) -> None:
    take(lived, lived.eve, "eve", "late", "right.py")


def ends_anothers_wait_with_a_short_lease(lived: Lived) -> None:
    lived.insider.append("withdrawn", "intent_left_plan", "ann", token=lived.token("left"), why="")
    token = lived.token("right")
    said: dict[str, Any] = {
        "checksum": lived.team.show("intent_right_plan").checksum,
        "judgement": "1",
        "collisions": [],
    }
    lived.eve.append("granted", "intent_right_plan", "eve", token=token, lease_ms=1, lease_until=BEGIN + 1, **said)


def takes_the_lease_of_a_century(lived: Lived) -> None:
    long = 100 * 365 * DAY
    lived.eve.append(
        "renewed", "intent_eve_plan", "eve", token=lived.token("eve"), lease_ms=long, lease_until=BEGIN + long
    )


def takes_a_longer_lease_than_it_says(lived: Lived) -> None:
    lived.eve.append(
        "renewed", "intent_eve_plan", "eve", token=lived.token("eve"), lease_ms=1000, lease_until=BEGIN + 900_000
    )


def renews_what_is_over(lived: Lived) -> None:
    lived.clock.now += 901_000
    said: dict[str, Any] = {"token": lived.token("eve"), "lease_ms": 900_000, "lease_until": lived.clock.now + 900_000}
    lived.eve.append("renewed", "intent_eve_plan", "eve", **said)


def revises_what_never_was(lived: Lived) -> None:
    take(lived, lived.eve, "eve", "new", "new.py", revises=3)


def guesses_a_token(lived: Lived) -> None:
    take(lived, lived.eve, "eve", "new", "new.py", token=99)


def registers_in_another_project(lived: Lived) -> None:
    other = document("new_plan", "new.py").replace(b'"shop"', b'"bank"')
    take(lived, lived.eve, "eve", "new", "new.py", document=other.decode())


# The clock.


def lets_the_clock_expire_early(lived: Lived) -> None:
    lived.eve.append("expired", "intent_idle_plan", CLOCK)
    lived.eve.run("UPDATE plan SET state = 'expired', seq = seq + 100 WHERE plan_id = 'intent_idle_plan'")


def lets_the_clock_expire_in_the_future(lived: Lived) -> None:
    lived.eve.append("expired", "intent_idle_plan", CLOCK, at=BEGIN + DAY)


def expires_what_a_flow_keeps(lived: Lived) -> None:
    lived.clock.now += 901_000
    lived.eve.append("expired", "intent_walker_plan", CLOCK)


def expires_in_an_own_name(lived: Lived) -> None:
    lived.clock.now += 901_000
    lived.eve.append("expired", "intent_eve_plan", "eve")


def lets_the_clock_register(lived: Lived) -> None:
    take(lived, lived.eve, CLOCK, "new", "new.py")


def sets_the_clock_back_by_hand(lived: Lived) -> None:
    lived.eve.append("set back", PROJECT, "eve", at=BEGIN - DAY)


def sets_the_clock_back_to_now(lived: Lived) -> None:
    lived.eve.append("set back", PROJECT, CLOCK)


def writes_into_the_past(lived: Lived) -> None:
    lived.eve.append(
        "renewed", "intent_eve_plan", "eve", at=BEGIN - DAY, token=1, lease_ms=1, lease_until=BEGIN - DAY + 1
    )


def lets_the_clock_void_a_flow(lived: Lived) -> None:
    lived.eve.append("void", lived.flows["running"], CLOCK, why="the permit is over")


# People, keys and rules.


def appoints_herself(lived: Lived) -> None:
    lived.eve.append("role", "eve", "eve", role="approver")


def joins_as_keeper(lived: Lived) -> None:
    lived.eve.append("role", "mallory", "mallory", role="keeper")


def gives_anothers_name_her_key(lived: Lived) -> None:
    lived.eve.append("key", "ann", "eve", key=lived.eve.signer.public)
    lived.eve.run("UPDATE member SET public_key = ? WHERE name = 'ann'", lived.eve.signer.public)


def revokes_anothers_key(lived: Lived) -> None:
    lived.eve.append("key revoked", "ann", "eve")


def changes_the_settings(lived: Lived) -> None:
    lived.eve.append("settings", PROJECT, "eve", own_approval="allow", newcomers="approver")


def changes_the_rules(lived: Lived) -> None:
    lived.eve.append("rules", PROJECT, "eve", policy="", env="prod")


def begins_an_epoch(lived: Lived) -> None:
    lived.eve.append("restored", PROJECT, "eve", epoch=1, backup="0" * 64)


def begins_an_epoch_that_no_database_can_hold(lived: Lived) -> None:
    lived.insider.append("restored", PROJECT, "kim", epoch=10**9, backup="0" * 64)


def speaks_of_another_project(lived: Lived) -> None:
    lived.insider.append("settings", "bank", "kim", own_approval="allow", newcomers="approver")


def signs_in_anothers_name(lived: Lived) -> None:
    lived.eve.append("withdrawn", "intent_idle_plan", "ann", token=lived.token("idle"), why="")


def acts_in_no_name(lived: Lived) -> None:
    lived.eve.append("role", " ", " ", role="member")


def acts_as_a_stranger(lived: Lived) -> None:
    lived.eve.append("claimed", lived.flows["running"], "nobody", fence=1, driver="x", lease_until=BEGIN + 1)


Forgery = tuple["Callable[[Lived], None]", str]
FORGERIES: list[Forgery] = [
    (withdraws_anothers_plan, "the plan is held by ann"),
    (finishes_anothers_plan, "the plan is held by ann"),
    (takes_a_plan_over, "the plan is held by ann"),
    (renews_anothers_lease, "the plan is held by ann"),
    (releases_without_being_keeper, "eve is a member in the project, and this takes a keeper"),
    (says_that_anothers_plan_was_refused, "the plan is held by ann"),
    (refuses_without_a_reason, "nothing is in its way"),
    (grants_a_collision, "it collides gravely with intent_idle_plan"),
    (grants_by_a_version_that_nobody_knows, "version '0' of the rules"),
    (hides_a_mild_collision, "on idle.py, and others are recorded"),
    (invents_a_collision, "its collisions are none, and others are recorded"),
    (jumps_the_line, "it collides gravely with intent_right_plan"),
    (ends_anothers_wait_with_a_short_lease, "900000 ms that its holder asked for"),
    (takes_the_lease_of_a_century, "the lease is 3153600000000 ms"),
    (takes_a_longer_lease_than_it_says, "1000 ms after it began"),
    (renews_what_is_over, "was over at 2026-01-25T10:15:00Z, and no event says so"),
    (revises_what_never_was, "there is no open plan to revise"),
    (guesses_a_token, "the token is 99"),
    (registers_in_another_project, "checksum"),
    (lets_the_clock_expire_early, "intent_idle_plan cannot expire yet"),
    (lets_the_clock_expire_in_the_future, "it is in the future"),
    (expires_what_a_flow_keeps, "intent_walker_plan cannot expire yet"),
    (expires_in_an_own_name, "was over at"),
    (lets_the_clock_register, "nobody registers it"),
    (sets_the_clock_back_by_hand, "eve sets the clock back"),
    (sets_the_clock_back_to_now, "the clock was not set back"),
    (writes_into_the_past, "it is earlier than the event before it"),
    (lets_the_clock_void_a_flow, "nothing that it relies on has changed"),
    (appoints_herself, "eve is a member in the project, and this takes a keeper"),
    (joins_as_keeper, "'mallory' joins as keeper; expected member"),
    (gives_anothers_name_her_key, "this takes a keeper"),
    (revokes_anothers_key, "this takes a keeper"),
    (changes_the_settings, "this takes a keeper"),
    (changes_the_rules, "open plans of shop are judged by other rules"),
    (begins_an_epoch, "this takes a keeper"),
    (begins_an_epoch_that_no_database_can_hold, "epoch 1000000000"),
    (speaks_of_another_project, "expected an event about the project 'shop'"),
    (signs_in_anothers_name, "the name 'ann' belongs to the key"),
    (acts_in_no_name, "' ' is not a valid name"),
    (acts_as_a_stranger, "'nobody' is not a member of the project"),
]


def test_the_project_is_intact(lived: Lived) -> None:
    """Before anybody forges anything, everything is as the law says."""
    assert lived.faults() == ()


@pytest.mark.parametrize(("forge", "named"), FORGERIES, ids=lambda given: getattr(given, "__name__", ""))
def test_every_forgery_is_named(lived: Lived, forge: Callable[[Lived], None], named: str) -> None:
    """What a member appends against the law about plans, people or the clock is named: what, who, when, and what was expected."""
    forge(lived)
    check_named(lived, named)
