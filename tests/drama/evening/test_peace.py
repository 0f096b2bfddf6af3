"""What a scene leaves behind: who may be charged with what, what peace means, and what need not be said again.

Laws over whole evenings of every scenario that ships.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.drama.evening.test_subjects import decided, events, moments, quarrels, runs, scenes
from volition.drama.rules.catalog import CATASTROPHE, COMFORT, CONFIDE, CONFLICT, LIE, PHYSICAL, Belief
from volition.drama.stage.replay import steps

if TYPE_CHECKING:
    from volition.drama.evening.person import AgentState
    from volition.drama.evening.world import WorldState
    from volition.drama.stage.events import Event


def rule(world: WorldState, name: str) -> float:
    return float(world.scenario.rules["departures"][name])


def is_forgivable(me: AgentState, other: str) -> bool:
    """Whether a wrong of another was confronted and neither forgiven nor made up for."""
    return other in me.wrong and other not in me.stung


def at_peace(me: AgentState, other: str) -> bool:
    return other in me.forgiven or other in me.reconciled


@pytest.mark.req("DE-30")
def test_an_outburst_tells_only_what_somebody_was_pressed_about() -> None:
    """Who breaks gives away a secret only if they were recently asked or accused about that one, or it was hinted at."""
    told = silent = 0
    for world, event in scenes():
        if event.type == CATASTROPHE:
            secret, span = event.details.get("told"), rule(world, "provocation")
            asked = [tick for (_, about), tick in world.agents[event.source].questions.items() if about == secret]
            assert secret is None or any(event.tick - tick <= span for tick in asked), event.id
            told, silent = told + (secret is not None), silent + (secret is None)
    assert told
    assert silent


@pytest.mark.req("DE-30")
def test_an_accusation_presses_the_accused() -> None:
    """Whoever is confronted about a secret of theirs has been asked about it."""
    pressed = 0
    for world, event in quarrels():
        secret = event.details.get("about", "")
        if event.details.get("wrong") in (None, "harm", "lie") and secret in world.scenario.secrets:
            (accused,) = event.targets
            if accused in world.scenario.secrets[secret].holders:
                asked = {d.key for d in event.deltas if d.kind == "questions" and d.agent == accused}
                before = world.agents[accused].questions.get((event.source, secret))
                assert (event.source, secret) in asked or before == event.tick, event.id
                pressed += 1
    assert pressed


@pytest.mark.req("DE-32")
def test_a_confrontation_ends_silence_and_brings_back_no_friendship() -> None:
    """After a wrong was confronted and until it is forgiven or made up for, who suffered it gives who did it neither
    comfort nor confidences; a cool word is allowed."""
    open_wrongs = 0
    for world, event in moments():
        me = world.agents[event.source]
        open_wrongs += len(set(me.wrong) - set(me.stung))
        kind = event.type == CONFIDE or (event.type == PHYSICAL and event.manner == COMFORT)
        if kind and len(event.targets) == 1 and "known" not in event.details:
            assert not is_forgivable(me, event.targets[0]), event.id
    assert open_wrongs


@pytest.mark.req("DE-32")
def test_a_wrong_is_over_when_it_is_forgiven_or_made_up_for() -> None:
    """A wrong is forgotten by forgiving, reconciliation, a break or leaving, and by nothing else."""
    ways = set()
    for event in events():
        for delta in event.deltas:
            if delta.kind == "wrong" and delta.after is None:
                way = event.manner or ("reconciled" if event.details.get("reconciled") else event.type.name)
                assert way in ("forgive", "break_with", "leave", "reconciled"), event.id
                ways.add(way)
    assert ways >= {"forgive", "break_with"}


@pytest.mark.req("DE-32")
def test_a_lesser_wrong_does_not_take_the_place_of_a_greater() -> None:
    """A wrong that is open or unforgiven is replaced only by one that weighs as much."""
    for world, event in scenes():
        for delta in event.deltas:
            if delta.kind == "wrong" and delta.before is not None and delta.after is not None:
                assert gravity(world, delta.agent, delta.after) >= gravity(world, delta.agent, delta.before), event.id


def gravity(world: WorldState, who: str | None, wrong: str) -> float:
    """What a wrong weighs for somebody: the harm that a secret does them; nothing for any other sort of wrong."""
    sort, _, about = wrong.partition(":")
    secret = world.scenario.secrets.get(about)
    return 0.0 if secret is None or sort != "harm" else secret.weight * secret.harm.get(who or "", 0.0)


@pytest.mark.req("DE-32")
def test_who_was_harmed_may_say_so() -> None:
    """Nobody is wronged by somebody whom their own secret harms, and who says it."""
    exposed = 0
    for world, event in scenes():
        for delta in event.deltas:
            if delta.kind == "wrong" and delta.after is not None and delta.after.startswith("exposure:"):
                secret = world.scenario.secrets[delta.after.partition(":")[2]]
                assert not secret.harm.get(delta.key, 0.0), event.id
                exposed += 1
    assert exposed


@pytest.mark.req("DE-32")
def test_only_the_first_who_tells_exposes() -> None:
    """Nobody resents who tells what, as far as they know, somebody else knew already who did not from the beginning."""
    for world, event in scenes():
        for delta in event.deltas:
            if delta.kind == "wrong" and delta.after is not None and delta.after.startswith("exposure:"):
                secret = world.scenario.secrets[delta.after.partition(":")[2]]
                aware = {whom for whom, about in world.agents[delta.agent or ""].knows if about == secret.id}
                assert not aware - {delta.key, *secret.knowers, *secret.holders}, event.id


@pytest.mark.req("DE-32")
def test_what_all_know_exposes_nobody() -> None:
    """What is stated before people who all know it is marked as said again, and is no wrong to anybody whose secret it is."""
    repeated = 0
    for world, event in quarrels():
        if event.details.get("stated") and "forced" not in event.details:
            heard = (event.source, *event.targets, *event.witnesses)
            beliefs = {world.agents[who].beliefs[event.details["about"]] for who in heard}
            assert (beliefs == {Belief.BELIEVES_TRUE}) is ("repeated" in event.details), event.id
            repeated += "repeated" in event.details
        if "repeated" in event.details:
            assert not [d for d in event.deltas if d.kind == "wrong" and str(d.after).startswith("exposure:")], event.id
    assert repeated


@pytest.mark.req("DE-32")
def test_who_did_a_wrong_does_not_forgive_the_wronged() -> None:
    """Whoever was confronted by somebody about what harms them neither forgives that person nor breaks with them."""
    for run in runs():
        accused: dict[tuple[str, str], int] = {}
        for event in run.events:
            if event.manner in ("forgive", "break_with"):
                assert accused.get((event.source, event.targets[0]), event.tick) == event.tick, event.id
            secret = run.scenario.secrets.get(event.details.get("about", ""))
            if event.type == CONFLICT and secret is not None and event.details.get("wrong") in (None, "harm"):
                (other,) = event.targets
                if secret.harm.get(event.source, 0.0) and other in secret.holders:
                    accused.setdefault((other, event.source), event.tick)


@pytest.mark.req("DE-30")
def test_what_was_said_between_two_is_not_asked_or_hinted_at() -> None:
    """Nobody asks, hints at or denies before somebody what, as they know, was said before both of them."""
    said = 0
    for run in runs():
        for world, record in steps(run):
            for event in record.events:
                about = event.details.get("question")
                if event.type == CONFLICT and event.details.get("stated") is False and "wrong" not in event.details:
                    about = event.details["about"]
                if event.type == LIE:
                    about = event.secret
                if about is not None:
                    assert (event.targets[0], about) not in world.agents[event.source].knows, event.id
            said += sum(len(me.knows) for me in world.agents.values())
    assert said


@pytest.mark.req("DE-30")
def test_nothing_is_admitted_twice_to_the_same_person() -> None:
    """A truth that was said before accuser and accused is not forced out between them again."""
    for world, event in quarrels():
        if (secret := event.details.get("forced")) is not None:
            assert (event.source, secret) not in world.agents[event.targets[0]].knows, event.id


@pytest.mark.req("DE-30")
def test_what_is_open_is_brought_up_again_only_after_a_long_time() -> None:
    """What was said before two people is a subject between them only if the last quarrel is long ago."""
    for world, event in decided():
        if event.type == CONFLICT and "wrong" not in event.details:
            me, (other,) = world.agents[event.source], event.targets
            if (other, event.details.get("about")) in me.knows and other in me.confronted:
                assert event.tick - me.confronted[other] >= rule(world, "said_ticks"), event.id


@pytest.mark.req("DE-32")
def test_peace_holds() -> None:
    """After two made peace neither breaks with the other nor attacks them for nothing, unless there is a new wrong."""
    peaceful = 0
    for world, event in decided():
        bare = event.type == CONFLICT and "about" not in event.details
        if bare or event.manner == "break_with":
            assert not at_peace(world.agents[event.source], event.targets[0]), event.id
        peaceful += sum(len(me.reconciled) for me in world.agents.values())
    assert peaceful


@pytest.mark.req("DE-32")
def test_peace_is_mutual_and_ends_with_a_new_wrong() -> None:
    """Who is forgiven, or makes up with somebody, is at peace with them too; a new wrong ends it for who suffers it."""
    for world, event in scenes():
        for delta in event.deltas:
            if delta.kind == "wrong" and delta.after is not None and delta.agent is not None:
                assert not at_peace_after(world, event, delta.agent, delta.key), event.id
        if event.manner == "forgive":
            pairs = {(d.agent, d.key) for d in event.deltas if d.kind == "reconciled" and d.after}
            known = event.source in world.agents[event.targets[0]].reconciled
            assert known or (event.targets[0], event.source) in pairs, event.id


def at_peace_after(world: WorldState, event: Event, who: str, whom: str) -> bool:
    """Whether somebody is at peace with another after an event."""
    now = {kind: whom in getattr(world.agents[who], kind) for kind in ("forgiven", "reconciled")}
    for delta in event.deltas:
        if delta.kind in now and (delta.agent, delta.key) == (who, whom):
            now[delta.kind] = bool(delta.after)
    return any(now.values())


@pytest.mark.req("DE-30")
def test_an_attack_for_nothing_needs_dislike_or_an_old_grievance() -> None:
    """A quarrel about nothing in particular is between people of whom one dislikes the other, or has held much against
    them."""
    bare = 0
    for world, event in decided():
        if event.type == CONFLICT and "about" not in event.details:
            me, (other,) = world.agents[event.source], event.targets
            held = me.peaks.get(other, 0.0) >= rule(world, "malice") or other in me.wrong
            assert me.bonds[other].affection < 0.0 or held, event.id
            bare += 1
    assert bare
