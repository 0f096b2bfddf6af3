"""A language model's server that is slow, wrong, rude, malformed, enormous, refusing or dropping never harms an evening."""

from __future__ import annotations

import json
from functools import cache
from typing import TYPE_CHECKING, Any

import pytest
from msgspec import structs

from tests.minds.server import (
    answers,
    choosing,
    completion,
    drips_its_body,
    drops_at_once,
    drops_mid_answer,
    lags,
    never_ends,
    send,
    serving,
    speaks_no_http,
)
from volition.drama import Evening, play, scenario
from volition.drama.minds import Consulted, OutsideMinds
from volition.minds import ChatMind

if TYPE_CHECKING:
    from tests.minds.server import Behaviour, Handler
    from volition.minds.contract import Asked

pytestmark = pytest.mark.req("DE-35")
TICKS = 5
PATIENT_S, HASTY_S = 60.0, 0.5
"""How long a tick waits: for servers that answer in whatever way, and for those that never do."""
HOSTILE: dict[str, tuple[Behaviour, set[str]]] = {
    "slow": (lags, {"late", "unreachable"}),
    "dripping": (drips_its_body, {"late", "unreachable"}),
    "wrong": (answers(choosing("conflict:nobody")), {"invalid"}),
    "rude": (answers(b"<html>Go away.</html>", 403), {"unreachable"}),
    "malformed": (answers(completion("I would rather not say.")), {"invalid"}),
    "not even JSON": (answers(b"\xff\xfe{{{"), {"invalid"}),
    "enormous": (never_ends, {"invalid"}),
    "refusing": (answers(completion(None, refusal="I cannot help with that.")), {"silent"}),
    "dropping": (drops_mid_answer, {"unreachable"}),
    "hanging up": (drops_at_once, {"unreachable"}),
    "a mail server": (speaks_no_http, {"unreachable"}),
}


@cache
def plain() -> Evening:
    return play(scenario("dinner-party"), 24, ticks=TICKS)


def asked_of(evening: Evening) -> list[Asked]:
    return [asked for tick in evening.run.ticks for asked in tick.asked.values()]


@pytest.mark.parametrize("kind", HOSTILE)
def test_a_hostile_server_changes_nothing(kind: str) -> None:
    """Whatever a server does, whether its choice is a vote or final, the evening is the engine's own, every question has its
    named reason, and after three misses in a row nobody waits for it any more."""
    behaviour, reasons = HOSTILE[kind]
    ways: dict[str, Any] = {"victor": "vote", "elena": "choose"}
    with serving(behaviour) as server:
        asking = {who: Consulted(ChatMind(server.url, "hostile"), way, kinds=None) for who, way in ways.items()}
        minds = OutsideMinds(asking, deadline_s=HASTY_S if "late" in reasons else PATIENT_S)
        evening = play(scenario("dinner-party"), 24, ticks=TICKS, outside=minds)
    assert [structs.replace(tick, asked={}) for tick in evening.run.ticks] == list(plain().run.ticks)
    for who, way in ways.items():
        asked = [tick.asked[who] for tick in evening.run.ticks if who in tick.asked]
        assert asked, way
        assert {one.fallback for one in asked} <= reasons
        assert all(one.fault for one in asked)
        if "late" in reasons:
            assert sum(one.fault.startswith("no answer within") for one in asked) <= 3
    assert Evening(evening.run).verify() == TICKS


def test_a_good_server_is_heard_and_not_needed_again() -> None:
    """What a server answers is voted, explained and recorded; with the server gone the evening is verified and explained
    from its record, and the question had the situation in words with acts by their ids."""

    def answer(handler: Handler, body: dict[str, Any]) -> None:
        ids = body["response_format"]["json_schema"]["schema"]["properties"]["choice"]["enum"]
        send(handler, choosing(ids[-1], "the last one is the best"))

    with serving(answer) as server:
        mind = Consulted(ChatMind(server.url, "good"), weight=16.0, kinds=None)
        evening = play(scenario("dinner-party"), 24, ticks=TICKS, outside=OutsideMinds({"victor": mind}, deadline_s=60))
        words = json.dumps(server.asked[0]["messages"])
    assert "You are Victor Hale" in words
    assert {one.fallback for one in asked_of(evening)} == {""}
    alone = Evening(evening.run)
    assert alone.verify() == TICKS
    for tick in alone.run.ticks:
        for who, asked in tick.asked.items():
            assert tick.choices[who].id == asked.choice
            assert "the last one is the best" in alone.decision(tick.tick, who).why().text
            assert (asked.tokens, asked.kind) == (21, "vote")
