"""Every branch of the laws is taken: by evenings of many sorts, and where none leads there, by hand.

A law that is added brings its branches. Where this test names one that nothing takes, add a seed to MEASURED whose evening
does, or a state to `_by_hand`; and where there can be no such state, the branch can go.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tests.drama.evening import stepping
from tests.drama.evening.branches import Branches
from tests.drama.evening.casts import DINNER, invented, shipped
from tests.drama.evening.stepping import InterpretedSteps
from volition.drama.evening import players, tension
from volition.drama.evening.ending import HARDLY_ANYBODY, LONG_ENOUGH
from volition.drama.evening.log import PART_ANSWERED, PART_PLANTED, PART_ROOM, part_number
from volition.drama.evening.look import HUNDREDTHS
from volition.drama.evening.measure import BREAKDOWNS, OVERDUE
from volition.drama.evening.names import names_of
from volition.drama.evening.record import DEPARTED, copy_plain, packed_type, write_packed
from volition.drama.evening.state import EveningState
from volition.drama.evening.tables import ScenarioTables
from volition.drama.evening.terms import BoundedLaw
from volition.drama.evening.world import WorldState
from volition.drama.mind import mind as minds
from volition.drama.rules.catalog import CATASTROPHE, INTERNAL, Belief
from volition.drama.world.model import DEPARTED as HAS_LEFT

if TYPE_CHECKING:
    import pytest

    from volition.drama.world.model import Scenario

MEASURED = ((396, 4), (85, 4), (37, 4), (63, 6), (86, 5), (77, 8), (4, 7), (17, 8))
UNMEASURED = ((6, 12), (95, 8), (54, 3), (22, 7), (369, 7), (58, 7))
"""Seeds of invented evenings and the most people in them."""
PARTY = 41
"""The seed of an evening of the dinner party."""


def test_every_branch_of_the_laws_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    """Both ways of every condition and the body of every loop of the laws are run, interpreted.

    And no index in them is negative, so they can be compiled without asking.
    """
    branches = Branches()
    with branches.probed(monkeypatch, players, stepping, minds):
        for measured, evenings in ((True, MEASURED), (False, UNMEASURED)):
            for seed, people in evenings:
                _play(branches, invented(seed, most_people=people), seed, measured=measured)
        _play(branches, shipped(DINNER), PARTY, measured=True)
        _ask()
        _run_out_of_room()
        _decide()
        _break_up(branches)
        _hold_out(branches)
        _by_hand(branches)
    assert not (missing := branches.missing()), "\n".join(["nothing takes these:", *missing])


def _play(branches: Branches, scenario: Scenario, seed: int, *, measured: bool) -> None:
    player = players.InterpretedPlayer(scenario, logged=measured, brief=seed % 2 == 0)
    player.play(seed, scenario.evening.ticks, measured=measured)
    branches.law("checksum", "sum_up")([player.evening], [player.tables], [0])


def _ask() -> None:
    """A mind asks for every term and item, and again for somebody who has just acted."""
    scenario = shipped(DINNER)
    player, mind = InterpretedSteps(scenario, logged=False), minds.Mind(scenario)
    player.begin(3)
    for _ in range(4):
        player.tick()
    world = WorldState(player.state(), names_of(scenario))
    for id, me in world.agents.items():
        if me.location != HAS_LEFT:
            mind.decide(world, id, 3)


def _run_out_of_room() -> None:
    """Logs and measures have too little room, and an evening is broken off."""
    scenario = shipped(DINNER)
    tight = players.InterpretedPlayer(scenario)
    tight.make_room({tension.HAPPENINGS: 8, BREAKDOWNS: 1, HUNDREDTHS: 128})
    tight.play(12, 10, measured=True)
    tight.log.most_events = tight.log.most_deltas = tight.log.most_strains = 1
    tight.play(12, 10, measured=False)


def _decide() -> None:
    """Choices alone, without noise, with what a law and an array add, and with somebody gone."""
    scenario = shipped(DINNER)
    player = players.InterpretedPlayer(scenario, laws=[BoundedLaw(lambda evening, tables, me, seen, act: 0.5, 1.0)])
    states = np.zeros(1, packed_type(EveningState, player.sizes))
    write_packed(states[0], player.start, EveningState, player.sizes)
    states["room"][0, 0] = DEPARTED
    people, acts = len(scenario.people), player.tables.acts
    added, chosen, totals = np.zeros((1, people, acts)), np.zeros((1, people), np.int64), np.zeros((1, people))
    player.decide(states, added, np.zeros(1, np.uint64), chosen, totals, noisy=False)


def _begun(*, by_the_letter: bool = False) -> InterpretedSteps:
    """A dinner party that has begun, with its own copy of the tables, so that a test may change them."""
    player = InterpretedSteps(shipped(DINNER, by_the_letter=by_the_letter))
    player.tables = copy_plain(player.tables, ScenarioTables)
    player.begin(1)
    return player


def _break_up(branches: Branches) -> None:
    """Two who would leave together, of whom one has broken with the other."""
    player = _begun()
    evening, tables = player.evening, player.tables
    pair = next(event for event in range(tables.clock_events) if tables.departs_then[event].bit_count() == 2)
    one, two = (who for who in range(tables.people) if tables.departs_then[pair] >> who & 1)
    evening.broke_with[one] = 1 << two
    evening.minutes, tables.has_condition[pair] = tables.clock_minute[pair], [0, 0]
    branches.law("clock", "is_due")(evening, tables, pair)


def _hold_out(branches: Branches) -> None:
    """Somebody who chose to comfort a person whose wrong has just had its scene, breaks with them and is overheard, and an
    event that waits for forgiving."""
    player = _begun()
    evening, tables = player.evening, player.tables
    evening.wrong[0][1] = 0
    branches.law("acts", "is_withheld")(evening, tables, 0, tables.comfort + 1)
    tables.has_condition[0][0], tables.likely[0][0], tables.must_forgive[0][0][0] = 1, 2.0, 2
    tables.must_be_here[0][0] = tables.must_be_gone[0][0] = tables.outbursts[0][0] = 0
    branches.law("clock", "is_so")(evening, tables, 0, 0)
    evening.wrong[0][1], player.sheet.severed = -1, 2
    branches.law("weigh", "veto_of")(player.sheet, 1)
    branches.law("acts", "gesture")(evening, tables, player.log, 0, tables.break_with + 1, 1)
    player.log.on, unaware = (
        0,
        next(who for who in range(tables.people) if evening.belief[who][0] == int(Belief.UNKNOWN)),
    )
    branches.law("happening", "overhear")(evening, tables, player.log, unaware, 0, 0)


def _by_hand(branches: Branches) -> None:
    """What no evening leads to, but a change by hand, an audience or an odd scenario may."""
    law = branches.law
    player = _begun(by_the_letter=True)
    evening, tables, log, me = player.evening, player.tables, player.log, 0
    for _ in range(2):  # the second time nothing changes
        law("changes", "set_own")(log, evening.room, PART_ROOM, me, 1, 0)
        law("changes", "set_entry")(log, evening.planted, PART_PLANTED, me, 0, 1, 0)
        law("changes", "set_member")(log, evening.answered, me, PART_ANSWERED, me, 1, -1, 1, 0)
    law("changes", "strain_budget")(evening, log, me, 0.0, 0)
    law("resolve", "goes_before")(evening, 0, 1)  # nobody has proposed anything, so all are equal

    law("learning", "find_out_lie")(evening, tables, log, me, 0)  # by the letter, this and a wrong have no consequences
    law("stance", "wrong")(evening, tables, log, me, 1, 0)
    for gesture in ("shun", "forgive", "break_with"):
        law("stance", gesture)(evening, tables, log, me, 1)
    holder = tables.holder[0][0]
    law("dramatic", "resentment_of_holders")(evening, tables, holder, 0)
    feelings = tables.rules.departures._replace(confide_feelings=1)
    tables.rules = tables.rules._replace(departures=feelings)
    evening.emotions[me], evening.trust[me], evening.room = [1.0] * 6, [1.0] * tables.people, [0] * tables.people
    law("perceive", "perceive")(evening, tables, me, player.seen)
    law("dramatic", "offer_confidences")(evening, tables, me, player.seen, player.sheet)
    law("learning", "is_to_blame")(evening, tables, holder, 0, me)
    law("quarrel", "charge")(evening, tables, log, me, holder, 0)
    law("talk", "reconcile")(evening, tables, log, me, holder)
    evening.belief[holder][0] = int(Belief.UNKNOWN)
    tables.rules = tables.rules._replace(departures=tables.rules.departures._replace(consequences=1, throwing_out=1))
    law("learning", "learn")(evening, tables, log, holder, 0, 0)

    host, guest = tables.resident.index(1), tables.resident.index(0)
    evening.trust[host][guest], evening.grievance[host][guest], evening.minutes = -1.0, 1.0, tables.last_minute - 1.0
    for _ in range(2):  # the second time they have been told already
        law("quarrel", "throw_out")(evening, tables, log, host, guest)

    tables.time_scale = 0.0
    law("tick", "end_tick")(evening, tables, log)  # no time passes
    ends, kinds = law("ending", "stop_of"), law("ending", "ending_of")
    kinds(evening, tables, ends(evening, tables, 0))  # broken off
    for who in range(tables.people):
        evening.timer[who], evening.stress[who] = 3, 0.0
    ends(evening, tables, tables.last_tick)  # all are spent
    evening.room = [DEPARTED] * tables.people
    ends(evening, tables, tables.last_tick)  # nobody is left,
    kinds(evening, tables, HARDLY_ANYBODY)  # and somebody was thrown out
    evening.thrown_out, evening.last_scene[me] = [0] * tables.people, evening.minutes
    kinds(evening, tables, HARDLY_ANYBODY)  # just after a scene
    evening.room[me] = evening.room[guest] = tables.gathering
    evening.tick, evening.reconciled[me], evening.grievance[host][guest] = tables.last_tick, 1 << guest, 0.0
    kinds(evening, tables, LONG_ENOUGH)  # late, and at peace

    evening.room, evening.leads[me], evening.choice[me] = [tables.exit] * tables.people, host, tables.leave
    evening.choice[host] = tables.think
    law("resolve", "resolve")(evening, tables)  # a guest who is played takes another along
    law("acts", "perform")(evening, tables, log, me)
    evening.room, evening.asks[host] = [tables.exit] * tables.people, tables.held[host][0]
    for asked in (host, guest):  # who is played asks one whose secret it is, and one whose it is not
        law("talk", "ask")(evening, tables, log, guest if asked == host else host, asked)

    log.strains = log.most_strains
    law("log", "note_strain")(log, me, 0, 0.1, 0)  # there is no row for it
    log.event_kind[0], log.event_room[0], player.measures.most_breakdowns = CATASTROPHE, 0, 0
    law("measure", "measure_event")(tables, log, 0, player.moments, player.measures)
    log.event_source[0], log.event_out[0], log.event_delta[0] = me, 0, 0
    law("story", "follow_event")(evening, tables, log, 0, 0, player.moments, player.measures)  # a truth that all knew
    log.events, log.settled = 1, 2
    log.delta_part[:2], log.delta_agent[:2], log.delta_key[:2] = [part_number("stung")] * 2, [me] * 2, [guest] * 2
    log.delta_after[:2] = [evening.minutes] * 2
    law("story", "follow_story")(evening, tables, log, player.moments, player.measures)  # wronged twice
    player.measures.opened_at[host][guest], evening.stung[host][guest] = OVERDUE, -1.0
    law("story", "follow_debts")(evening, tables, log, player.measures)  # settled after all
    player.sheet.acts, player.sheet.act[0], evening.choice[me] = 1, tables.think, tables.think
    law("look", "look")(evening, tables, me, player.sheet, player.looks, player.spreads)  # a custom mind left one act
    player.sheet.acts, player.sheet.act[1], player.sheet.itemised, player.sheet.barred = 2, tables.confront, 1, 1
    law("choose", "best_of")(tables, player.sheet)  # somebody asks, so a barred act is on the desk
    law("components", "danger_of")(INTERNAL, 0.0, False, 0.0)
    law("components", "standing_of")(0.0, 0)
    law("components", "frustration_of")(0.0, 0.0, 1.0)
    law("components", "scarcity_of")(0, 0, 0, False, False)
