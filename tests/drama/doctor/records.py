"""Measures of invented evenings: every number anywhere in its range, so that every symptom occurs."""

from __future__ import annotations

from functools import cache
from random import Random
from typing import TYPE_CHECKING

from hypothesis import strategies as st

from volition.core.document import parse_toml
from volition.drama.batch.measures import FirstAct, Looks, Measures, Row, Spread, Story
from volition.drama.evening.look import HUNG, SPREADS
from volition.drama.rules.catalog import EventType
from volition.drama.stage.run import ENDINGS
from volition.drama.world.draft import draft_scenario
from volition.drama.world.scenario import literal, scenario, scenario_from_data
from volition.drama.world.settings import Setting, apply_settings

if TYPE_CHECKING:
    from collections.abc import Callable

    from volition.drama.world.model import Scenario

PARTY = scenario("dinner-party")
SCENARIOS = ("no table", "nobody serves", "party", "station", "three people", "to the letter")


@cache
def scenario_called(name: str) -> Scenario:
    """One of the scenarios whose evenings are invented."""
    match name:
        case "station":
            return scenario("winter-station")
        case "to the letter":
            return literal(PARTY)
        case "three people":
            drafted = parse_toml(draft_scenario("three-people", people=3, rooms=3, secrets=1))
            shorter = {
                "evening.minutes": 90,
                "evening.events[courses].minutes": [10, 40],
                "evening.events[wine].minutes": [20, 30, 50, 60, 70],
            }
            return apply_settings(
                scenario_from_data(drafted), [Setting(path, None, to) for path, to in shorter.items()]
            )
        case "no table":
            text = draft_scenario("no-table", people=4, rooms=4, secrets=2, table=False)
            return scenario_from_data(parse_toml(text))
        case "nobody serves":
            emptied = ("evening.events", "evening.servers")
            return apply_settings(PARTY, [Setting(path, None, []) for path in emptied])
    return PARTY


@st.composite
def cases(draw: st.DrawFn) -> tuple[Scenario, list[Measures]]:
    """A scenario and one to six evenings of it; tendencies make them similar to each other."""
    played = scenario_called(draw(st.sampled_from(SCENARIOS)))
    chance = Random(draw(st.integers(0, 2**32)))
    tendency = [chance.choice((0.0, 0.1, 0.5, 0.9, 1.0)) for _ in range(12)]
    return played, [_measures(played, seed, chance, tendency) for seed in range(draw(st.integers(1, 6)))]


def _measures(played: Scenario, seed: int, chance: Random, tendency: list[float]) -> Measures:
    """One evening; the tendencies say how much there is of everything."""

    def upto(most: float, matter: int) -> float:
        return most * tendency[matter] * chance.uniform(0.8, 1.0)

    people, rooms, evening = sorted(played.people), sorted(played.rooms), played.evening
    breaking = people[: 1 + int(tendency[9] * (len(people) - 1))]
    decisions = 1 + int(upto(700, 0))
    return Measures(
        seed=seed,
        minutes=evening.minutes * chance.uniform(tendency[1], 1.0),
        ticks=chance.choice((evening.ticks, int(upto(evening.ticks, 2)))),
        ending=chance.choice(sorted(ENDINGS)[: 1 + int(tendency[3] * 6)]),
        events={kind.name: int(upto(80, chance.randrange(12))) for kind in EventType},
        first_drama=chance.choice((None, int(upto(100, 4)))),
        rooms=tuple(room for room in rooms if chance.random() < tendency[5]),
        catastrophes=tuple((chance.choice(breaking), upto(evening.minutes, 6)) for _ in range(int(upto(6, 7)))),
        composure={who: chance.uniform(0.05, max(0.05, tendency[8])) for who in people},
        potential={who: upto(1.0, 10) for who in people},
        glasses=int(upto(60, 11)),
        left=tuple(people[: int(tendency[6] * 3)]),
        tension=(tendency[1] * chance.random(), chance.random()),
        row=Row(1 + int(upto(15, 5)), chance.choice(people), chance.choice(("internal", f"observe:{people[0]}"))),
        repeats=tendency[4],
        looks=Looks(
            decisions,
            {kind.name: int(decisions * tendency[2]) for kind in EventType},
            {term: int(decisions * tendency[place]) for place, term in enumerate(HUNG)},
            **{
                name: Spread.of([upto(2.5, place) - 0.3 * place for _ in range(9)])
                for place, name in enumerate(SPREADS)
            },
            decided={who: 1 + int(upto(100, 4)) for who in people},
            awake={who: tuple(int(upto(100, place)) for place in range(3)) for who in people},
            swayed={who: tuple(int(upto(100, place)) for place in range(3, 6)) for who in people},
        ),
        story=_story(played, chance, upto),
    )


def _story(played: Scenario, chance: Random, upto: Callable[[float, int], float]) -> Story:
    people = sorted(played.people)
    first = FirstAct(chance.choice(people), chance.choice(("CONFIDE", "LIE")), chance.choice(people))
    return Story(
        made={who: int(upto(50, chance.randrange(12))) for who in people},
        conflicts={
            who: {whom: 1 + int(upto(4, 8)) for whom in people if upto(1, 7) > chance.random()} for who in people
        },
        first=chance.choice((None, first)),
        out=tuple(secret for secret in played.secrets if upto(1, 9) > chance.random()),
        stale=int(upto(3, 10)),
        driven_off=tuple(people[: int(upto(4, 11))]),
        seen_through=int(upto(3, 2)),
        found_out=int(upto(3, 1)),
        answers=tuple(int(upto(3, minute % 12)) for minute in range(16)),
        pours=8,
        pours_amid_rows=int(upto(8, 4)),
        first_out=chance.choice((None, *played.secrets)),
        remained=tuple(people[: int(upto(len(people), 3))]),
        subjects=(int(upto(9, 5)), int(upto(9, 6)), int(upto(9, 7))),
        owed=int(upto(9, 0)),
        settled=int(upto(1, 1) * int(upto(9, 0))),
    )
