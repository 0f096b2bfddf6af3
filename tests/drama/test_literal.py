"""The oracle agrees with the specification: golden values, both worked traces, gates and order."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings

from tests.drama import literal
from tests.drama.party import AFFAIR, IDS, TABLE, party
from tests.drama.readings import action_of, perceive
from tests.drama.traces import ELENA, GOLDEN, PULL, VICTOR, Row, Trace, action_named, elena_under_pressure
from tests.drama.worlds import worlds
from volition.drama.evening.world import begin
from volition.drama.rules.catalog import DRAMATIC, EventType
from volition.drama.world.model import DEPARTED

if TYPE_CHECKING:
    from collections.abc import Iterator

    from volition.drama.evening.world import WorldState
    from volition.drama.world.model import Action

DOCUMENT = Path(__file__).parents[2] / "docs" / "traces.md"
PRINTED = ("utility", "flaws", "pacing", "bonds")
NEAR = 1e-12


def scored(world: WorldState, id: str) -> dict[str, dict[str, float]]:
    """The oracle's terms of everything that somebody might do."""
    agent = world.agents[id]
    perception = perceive(agent, world)
    actions = literal.prune_candidates(literal.generate_candidate_actions(agent, perception, world), agent)
    return {action.id: literal.terms(agent, action, perception, world) for action in actions}


def printed_total(terms: dict[str, float]) -> float:
    """The total as section 3 adds it up: without alcohol and movement."""
    return sum(terms[name] for name in PRINTED)


@pytest.mark.parametrize("id", IDS)
def test_golden_values(id: str) -> None:
    """At tick 0 everybody has the golden number of candidates, and the golden totals lead in their order."""
    count, leading = GOLDEN[id]
    totals = {name: printed_total(terms) for name, terms in scored(begin(party()), id).items()}
    assert len(totals) == count
    assert {name: totals[name] for name in leading} == pytest.approx(leading, abs=NEAR)
    rest = [total for name, total in totals.items() if name not in leading]
    assert list(leading.values()) == sorted(leading.values(), reverse=True)
    assert max(rest) <= min(leading.values()) + NEAR


@pytest.mark.parametrize("id", IDS)
def test_movement_is_what_the_golden_values_leave_out(id: str) -> None:
    """Section 6 adds at tick 0 nothing but the pull of private rooms on those with a secret at risk."""
    rooms = party().rooms
    for name, terms in scored(begin(party()), id).items():
        room = name.removeprefix("move:")
        assert terms["alcohol"] == 0.0
        assert terms["movement"] == pytest.approx(0.3 * rooms[room].privacy if room in PULL[id] else 0.0, abs=NEAR)


def test_winners_at_tick_0_with_and_without_movement() -> None:
    """Movement, once it is added, sends the three secretive guests to the bathroom at once."""
    with_it, without = {}, {}
    for id in IDS:
        rows = scored(begin(party()), id)
        with_it[id] = max(rows, key=lambda name: sum(rows[name].values()))
        without[id] = max(rows, key=lambda name: printed_total(rows[name]))
    away = {"elena", "marcus", "diana"}
    assert {id for id in IDS if with_it[id] != without[id]} == away
    assert {with_it[id] for id in away} == {"move:bathroom"}


@pytest.mark.parametrize("trace", [VICTOR, ELENA], ids=lambda trace: trace.agent)
def test_traces_term_by_term(trace: Trace) -> None:
    """Each row of a trace comes out of the formulas as corrected, and is offered exactly if it is legal."""
    world = trace.world()
    agent = world.agents[trace.agent]
    perception = perceive(agent, world)
    offered = scored(world, trace.agent)
    for row in trace.rows:
        terms = literal.terms(agent, action_named(agent, row.id), perception, world)
        total = printed_total(terms) + row.computed.noise
        found = (*(terms[name] for name in PRINTED), row.computed.noise, total)
        assert found == pytest.approx(row.computed, abs=NEAR), row.id
        assert (row.id in offered) is row.legal
        assert action_named(agent, row.id).id == row.id


@pytest.mark.parametrize("trace", [VICTOR, ELENA], ids=lambda trace: trace.agent)
def test_printed_rows_add_up(trace: Trace) -> None:
    """The printed totals are the sums of the printed terms: what is wrong is in the terms."""
    for row in trace.rows:
        assert sum(row.printed[:-1]) == pytest.approx(row.printed.total, abs=NEAR)
        assert row.printed.noise == row.computed.noise


def test_what_the_traces_leave_out() -> None:
    """Victor's best act is not in his trace; Elena's is the bathroom by a hair, once movement counts."""
    victor, elena = scored(VICTOR.world(), "victor"), scored(ELENA.world(), "elena")
    missing = {"chat:all": 0.550, "reveal:secret_victor_investigation:marcus": 0.688}
    missing["reveal:secret_victor_investigation:thorne"] = 0.538
    assert {name: sum(victor[name].values()) for name in missing} == pytest.approx(missing, abs=NEAR)
    assert max(victor, key=lambda name: sum(victor[name].values())) == "reveal:secret_victor_investigation:marcus"
    pulls = {"move:balcony": 0.53, "move:bathroom": 0.45, "move:kitchen": 0.25, "move:foyer": 0.10}
    assert {name: elena[name]["movement"] for name in pulls} == pytest.approx(pulls, abs=NEAR)
    totals = {name: sum(terms.values()) for name, terms in elena.items()}
    best, second = sorted(totals, key=totals.__getitem__, reverse=True)[:2]
    assert (best, second) == ("move:bathroom", "move:balcony")
    assert [totals[best], totals[second]] == pytest.approx([1.364, 1.362], abs=NEAR)


def test_without_a_conflict_elena_does_not_flee() -> None:
    """Cowardice is inactive until there is a conflict in the room; the trace mentions none."""
    rows = scored(elena_under_pressure(conflict=False), "elena")
    assert {name: terms["flaws"] for name, terms in rows.items() if terms["flaws"]} == {}


@settings(deadline=None)
@given(worlds())
def test_gates(world: WorldState) -> None:
    """Where a gate is closed, what is dramatic is not generated, and would be blocked; all else is as it was."""
    for agent in world.agents.values():
        if agent.location == DEPARTED:
            continue
        perception = perceive(agent, world)
        every = literal.generate_candidate_actions(agent, perception, world, rationed=False)
        left = literal.generate_candidate_actions(agent, perception, world)
        closed = literal.gates_closed(agent.pacing)
        assert left == [action for action in every if not (closed and action.is_dramatic)]
        for action in every:
            blocked = literal.terms(agent, action, perception, world)["pacing"] == literal.BLOCKED
            assert blocked is bool(closed and action.action_type in DRAMATIC)


@settings(deadline=None)
@given(worlds())
def test_the_best_wins_and_the_first_of_equals(world: WorldState) -> None:
    """The oracle selects the highest total, the first generated among equals, with its score and class."""
    for agent in world.agents.values():
        if agent.location == DEPARTED:
            continue
        perception = perceive(agent, world)
        totals = {name: sum(terms.values()) for name, terms in scored(world, agent.id).items()}
        chosen = literal.select_action(agent, perception, world, lambda action: 0.0)
        assert chosen is not None
        assert chosen.id == next(name for name, total in totals.items() if total == max(totals.values()))
        assert chosen.utility_score == totals[chosen.id]
        stressed = agent.pacing.stress > 0.6 and chosen.action_type is EventType.CONFLICT
        assert chosen.priority_class == (3 if stressed else 2 if chosen.is_dramatic else 1)


def test_noise_is_given() -> None:
    """Noise is a function of the action, added to its total."""
    world = begin(party())
    agent = world.agents["thorne"]

    def drunk(action: Action) -> float:
        return 5.0 if action.id == "physical:drink" else 0.0

    chosen = literal.select_action(agent, perceive(agent, world), world, drunk)
    assert chosen is not None
    assert chosen.id == "physical:drink"
    assert chosen.utility_score == pytest.approx(5.0 + sum(scored(world, "thorne")["physical:drink"].values()))


def test_pruning() -> None:
    """Self-targets, secrets that are not held true and moves to where one is are dropped; the rest stays."""
    world = begin(party())
    agent = world.agents["thorne"]
    bad = [
        action_of(agent, EventType.CHAT, "thorne"),
        action_of(agent, EventType.REVEAL, "elena", secret=AFFAIR),
        action_of(agent, EventType.CONFIDE, "elena"),
        action_of(agent, EventType.SOCIAL_MOVE, destination=TABLE),
    ]
    good = [action_of(agent, EventType.CHAT, "elena"), action_of(agent, EventType.SOCIAL_MOVE, destination="foyer")]
    assert literal.prune_candidates([*bad, *good], agent) == good


def tables(text: str) -> Iterator[list[list[str]]]:
    """The rows of each table in a page of Markdown, without its head."""
    for block in re.findall(r"(?:^\|.*\n)+", text, re.MULTILINE):
        yield [[cell.strip() for cell in line.strip("|\n").split("|")] for line in block.splitlines()[2:]]


def shown(value: float) -> str:
    """A number as the page writes it: two decimals, more if needed."""
    return f"{value:.2f}" if round(value, 2) == round(value, 6) else f"{value:.4f}".rstrip("0")


def cell(printed: float, computed: float) -> str:
    """One number where they agree as far as is printed, else both."""
    if abs(printed - computed) <= 0.005 + NEAR:
        return shown(computed)
    return f"{shown(printed)} → **{shown(computed)}**"


def lines(rows: tuple[Row, ...]) -> list[list[str]]:
    return [
        [f"`{row.id}`" + ("" if row.legal else " (not legal)"), *map(cell, row.printed, row.computed)] for row in rows
    ]


@pytest.mark.req("DE-12")
def test_the_page_lists_every_contradiction() -> None:
    """The tables of docs/traces.md hold every row and number of both traces, printed and computed."""
    found = list(tables(DOCUMENT.read_text(encoding="utf-8")))
    assert found[:2] == [lines(VICTOR.rows), lines(ELENA.rows)]


def test_the_page_has_the_golden_values() -> None:
    """The last table of docs/traces.md holds the golden values."""
    rows = [
        [id, str(count), ", ".join(f"`{name}` {total:.3f}" for name, total in leading.items())]
        for id, (count, leading) in GOLDEN.items()
    ]
    assert list(tables(DOCUMENT.read_text(encoding="utf-8")))[-1] == rows
