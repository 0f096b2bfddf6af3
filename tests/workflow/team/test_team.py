"""The team's registry: what is granted, refused and put in line; tokens, leases, and who may do what."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.workflow.plans import PROJECT, document
from tests.workflow.scenes import HandClock
from volition.core.errors import InvalidInput
from volition.governance import ConflictIndex, IntentDocument, parse_document
from volition.workflow import Store, Team, parse_store_address
from volition.workflow.law.plans import NotHeld
from volition.workflow.team.registration import grave_collisions

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.sentences import Told
    from volition.workflow import Registration


@pytest.fixture
def clock() -> HandClock:
    return HandClock()


@pytest.fixture
def team(place: str, clock: HandClock) -> Iterator[Team]:
    """A team whose time a test sets."""
    with Store(parse_store_address(place), clock=clock) as store:
        yield Team(store, PROJECT)


def token_of(made: Registration) -> int:
    assert made.grant is not None, made
    return made.grant.token


def test_a_plan_that_meets_nobody_is_granted(team: Team) -> None:
    """A plan without a grave collision gets a token and a lease by the database's clock."""
    one = team.register(document("aaaaaa", "src/a.py"), "ann", lease=60)
    two = team.register(document("bbbbbb", "src/b.py"), "bob", lease=60)
    assert (one.outcome, two.outcome) == ("granted", "granted")
    assert token_of(two) > token_of(one)
    assert one.grant is not None
    assert one.grant.lease_until == 1_060_000
    assert [(plan.plan_id, plan.state, plan.holder) for plan in team.list()] == [
        ("intent_aaaaaa", "active", "ann"),
        ("intent_bbbbbb", "active", "bob"),
    ]


@pytest.mark.req("WF-01")
@pytest.mark.parametrize(
    ("theirs", "mine"),
    [("src/a.py", "src/a.py"), ("src/a.py", "src"), ("src/**", "src/api/a.py"), ("src/a.py", "./src//a.py")],
)
def test_a_collision_is_refused_with_evidence_and_ways_out(team: Team, theirs: str, mine: str) -> None:
    """A file, its folder, a glob and another spelling collide; the refusal names plan, resource, evidence and ways out,
    and stores nothing but the event."""
    team.register(document("aaaaaa", theirs), "ann")
    made = team.register(document("bbbbbb", mine), "bob")
    assert (made.outcome, made.grant) == ("refused", None)
    (obstacle,) = made.obstacles
    assert obstacle.plans == ("intent_aaaaaa",)
    assert "Ways out" in obstacle.because
    assert any("ann" in way for way in obstacle.ways_out)
    assert obstacle.evidence
    assert [plan.plan_id for plan in team.list()] == ["intent_aaaaaa"]
    assert team.why("intent_bbbbbb").what == "refused"


@pytest.mark.req("WF-01")
def test_modules_services_and_exclusive_state_collide(team: Team) -> None:
    """A module collides with its file, and two deploys of one service with each other, as in an evaluation."""
    team.register(document("aaaaaa", modules=["shop.cart"]), "ann")
    assert team.register(document("bbbbbb", "shop/cart.py"), "bob").outcome == "refused"
    deploy = ("deploy_it: deploy: deploy it",)
    team.register(document("cccccc", modules=["service:api"], commands=deploy), "ann")
    assert team.register(document("dddddd", modules=["service:api"], commands=deploy), "bob").outcome == "refused"


def test_readers_are_granted_beside_each_other(team: Team) -> None:
    """Plans that only read never stand in each other's way."""
    look = ("look_at_it: read: look at it",)
    for name in ("aaaaaa", "bbbbbb", "cccccc"):
        assert team.register(document(name, "a.py", commands=look), name).outcome == "granted"


def test_a_waiting_plan_is_granted_when_the_way_is_free(team: Team) -> None:
    """A plan in line holds nothing and keeps its place: who comes later waits behind it. It is granted at once when the other has
    ended, under the token that it waited with."""
    first = team.register(document("aaaaaa", "a.py"), "ann")
    second = team.register(document("bbbbbb", "a.py"), "bob", wait=True)
    assert second.outcome == "waiting"
    assert team.renew("intent_bbbbbb", second.place).outcome == "waiting"
    third = team.register(document("cccccc", "a.py"), "cyd")
    assert [obstacle.plans for obstacle in third.obstacles] == [("intent_aaaaaa",), ("intent_bbbbbb",)]
    team.finish("intent_aaaaaa", token_of(first))
    assert team.show("intent_bbbbbb").state == "active"
    assert team.register(document("cccccc", "a.py"), "cyd").outcome == "refused"
    assert token_of(team.renew("intent_bbbbbb", second.place)) == second.place
    team.finish("intent_bbbbbb", second.place)


@pytest.mark.req("WF-01")
def test_a_plan_in_a_declared_order_waits_for_its_turn(team: Team, told: Told) -> None:
    """Two plans that write one file in a declared order can be merged, and never be active at the same time."""
    first = team.register(document("aaaaaa", "a.py"), "ann")
    later = document("bbbbbb", "a.py", depends_on=["intent_aaaaaa"])
    refused = team.check(later)
    assert refused.outcome == "refused"
    told(refused.obstacles[0].because)
    second = team.register(later, "bob", wait=True)
    assert second.outcome == "waiting"
    team.finish("intent_aaaaaa", token_of(first))
    assert team.renew("intent_bbbbbb", second.place).outcome == "granted"


def test_a_waiting_plan_cannot_be_finished(team: Team) -> None:
    """Nothing of a plan that was never granted can be done."""
    team.register(document("aaaaaa", "a.py"), "ann")
    place = team.register(document("bbbbbb", "a.py"), "bob", wait=True).place
    with pytest.raises(NotHeld, match="never granted"):
        team.finish("intent_bbbbbb", place)


def test_registering_again_is_the_same_registration(team: Team, told: Told) -> None:
    """Who did not hear the answer asks again, and gets the same grant; other content or another holder is refused."""
    content = document("aaaaaa", "a.py")
    once = team.register(content, "ann")
    again = team.register(content, "ann")
    assert (token_of(again), once.repeated, again.repeated) == (token_of(once), False, True)
    with told.raises(InvalidInput):
        team.register(content, "bob")
    with pytest.raises(InvalidInput, match="other content"):
        team.register(document("aaaaaa", "b.py"), "ann")
    assert len(team.list()) == 1


def test_checking_a_plan_changes_nothing(team: Team) -> None:
    """A check says how registering would end, with the same evidence, for a plan that is known too; it leaves no event."""
    assert team.find("intent_aaaaaa") is None
    team.register(document("aaaaaa", "a.py"), "ann")
    before = team.history()
    assert team.check(document("cccccc", "c.py")).outcome == "free"
    assert team.check(document("aaaaaa", "a.py", "d.py")).outcome == "free"
    checked = team.check(document("bbbbbb", "a.py"))
    assert team.history() == before
    made = team.register(document("bbbbbb", "a.py"), "bob")
    assert (checked.outcome, checked.collisions, checked.obstacles) == ("refused", made.collisions, made.obstacles)
    assert team.find("intent_aaaaaa") == team.show("intent_aaaaaa")


@pytest.mark.req("WF-02")
def test_a_lease_that_is_over_frees_what_was_claimed(team: Team, clock: HandClock) -> None:
    """After its lease a plan is expired: another is granted, and every write under the old token is refused."""
    old = token_of(team.register(document("aaaaaa", "a.py"), "ann", lease=10))
    clock.now += 9_999
    assert team.show("intent_aaaaaa").state == "active"
    clock.now += 1
    assert team.show("intent_aaaaaa").state == "expired"
    new = token_of(team.register(document("bbbbbb", "a.py"), "bob", lease=10))
    assert new > old
    for verb in (team.renew, team.finish, team.withdraw):
        with pytest.raises(NotHeld, match="expired"):
            verb("intent_aaaaaa", old)
    with pytest.raises(NotHeld):
        team.revise(document("aaaaaa", "c.py"), old)


@pytest.mark.req("WF-02")
def test_a_renewed_lease_lasts(team: Team, clock: HandClock) -> None:
    """Renewing lets the lease begin again, with the same token."""
    token = token_of(team.register(document("aaaaaa", "a.py"), "ann", lease=10))
    for _ in range(5):
        clock.now += 9_000
        assert token_of(team.renew("intent_aaaaaa", token)) == token
    assert team.register(document("bbbbbb", "a.py"), "bob").outcome == "refused"


@pytest.mark.req("WF-02")
def test_a_clock_that_goes_back_prolongs_no_lease(team: Team, clock: HandClock) -> None:
    """However far the clock is set back, a lease lasts no longer than its length; and what has expired stays so."""
    gone = token_of(team.register(document("cccccc", "c.py"), "cyd", lease=1))
    clock.now += 5_000
    team.register(document("aaaaaa", "a.py"), "ann", lease=10)
    clock.now -= 1_000_000
    assert team.register(document("bbbbbb", "a.py"), "bob").outcome == "refused"
    clock.now += 10_000
    assert team.register(document("bbbbbb", "a.py"), "bob").outcome == "granted"
    with pytest.raises(NotHeld, match="expired"):
        team.renew("intent_cccccc", gone)


@pytest.mark.req("WF-02")
@pytest.mark.parametrize("guess", [0, 1, 4])
def test_a_guessed_token_does_nothing(team: Team, guess: int, told: Told) -> None:
    """A wrong token ends nothing, renews nothing and revises nothing, and the error says what to do."""
    token = token_of(team.register(document("aaaaaa", "a.py"), "ann"))
    assert token != guess
    for verb in (team.renew, team.finish, team.withdraw):
        with told.raises(NotHeld):
            verb("intent_aaaaaa", guess)
    assert team.show("intent_aaaaaa").state == "active"


def test_a_revised_plan_is_judged_again(team: Team) -> None:
    """A revision that collides is refused and changes nothing; another replaces the plan under a higher token."""
    token = token_of(team.register(document("aaaaaa", "a.py"), "ann"))
    team.register(document("bbbbbb", "b.py"), "bob")
    assert team.revise(document("aaaaaa", "b.py"), token).outcome == "refused"
    assert team.show("intent_aaaaaa").token == token
    new = token_of(team.revise(document("aaaaaa", "c.py"), token))
    assert new > token
    assert team.register(document("cccccc", "a.py"), "cyd").outcome == "granted"
    with pytest.raises(NotHeld):
        team.finish("intent_aaaaaa", token)
    team.finish("intent_aaaaaa", new)


def test_a_plan_that_was_edited_is_refused(team: Team) -> None:
    """A document whose content does not match its checksum is not registered."""
    content = document("aaaaaa", "a.py").replace(b"change it", b"erase it")
    with pytest.raises(InvalidInput, match="checksum"):
        team.register(content, "ann")
    assert team.list() == ()


def test_the_rules_of_a_project_are_one(store: Store) -> None:
    """The first registration stores the policy; another one is refused while plans are open, and accepted when none is."""
    strict = '[severities]\nresource_read_write = "high"\n'
    team = Team(store, PROJECT, policy=strict)
    token = token_of(team.register(document("aaaaaa", "a.py"), "ann"))
    look = document("bbbbbb", "a.py", commands=("look_at_it: read: look at it",))
    assert Team(store, PROJECT).register(look, "bob").outcome == "refused"
    with pytest.raises(InvalidInput, match="other rules"):
        Team(store, PROJECT, policy="").register(look, "bob")
    with pytest.raises(InvalidInput, match="other rules"):
        Team(store, PROJECT, env="prod").register(look, "bob")
    team.finish("intent_aaaaaa", token)
    assert Team(store, PROJECT, policy="", env="prod").register(look, "ann").outcome == "granted"


def test_a_plan_of_another_project_is_refused(store: Store) -> None:
    """A plan is registered in the project that it names."""
    with pytest.raises(InvalidInput, match="project 'shop'"):
        Team(store, "bakery").register(document("aaaaaa", "a.py"), "ann")


FILES = ("src/a.py", "src/b.py", "src", "docs/c.md")
STEPS = st.lists(
    st.tuples(
        st.sampled_from(["register", "wait", "renew", "finish", "withdraw", "revise", "pass"]),
        st.integers(0, 3),
        st.sampled_from(FILES),
        st.integers(0, 1),
    ),
    max_size=14,
)


@pytest.mark.req("WF-01", "WF-02")
@given(STEPS)
@settings(max_examples=12)
def test_the_registry_is_what_a_plain_model_says(
    tmp_path_factory: pytest.TempPathFactory, steps: list[tuple[str, int, str, int]]
) -> None:
    """Whatever is done in whatever order by two processes: the active plans are those of a list that is searched from
    end to end, no two of them collide gravely, and tokens only rise."""
    clock = HandClock()
    address = parse_store_address(tmp_path_factory.mktemp("model") / "team.db")
    with Store(address, clock=clock) as one, Store(address, clock=clock) as other:
        teams = [Team(one, PROJECT), Team(other, PROJECT)]
        model: Model = {}
        highest = 0
        for verb, number, file, which in steps:
            team, name = teams[which], f"plan_{number}"
            plan_id = f"intent_{name}"
            state, token, _, until = model.get(plan_id, ("", 0, "", 0))
            state = state if until > clock.now else ""
            if verb == "pass":
                clock.now += 6_000
            elif (verb in {"register", "wait"} and not state) or (verb == "revise" and state == "active"):
                _move_up(model, clock.now)
                others = _before(model, plan_id, highest + 1000)
                if state:
                    others = [
                        each
                        for each in others
                        if each[1][0] == "active" or not _clashes(name, model[plan_id][2], [each])
                    ]
                free = not _clashes(name, file, others)
                if verb == "revise":
                    made = team.revise(document(name, file, description=str(highest)), token)
                else:
                    made = team.register(document(name, file), "ann", lease=10, wait=verb == "wait")
                assert made.outcome == ("granted" if free else "waiting" if verb == "wait" else "refused")
                if made.outcome != "refused":
                    new = token_of(made) if made.grant else made.place
                    assert new > highest
                    highest = new
                    model[plan_id] = ("active" if free else "waiting", new, file, clock.now + 10_000)
                    _move_up(model, clock.now, again=verb == "revise")
            elif verb == "renew" and state == "active":
                team.renew(plan_id, token)
                _move_up(model, clock.now)
                model[plan_id] = (state, token, model[plan_id][2], clock.now + 10_000)
            elif (verb == "withdraw" and state) or (verb == "finish" and state == "active"):
                _move_up(model, clock.now)
                (team.withdraw if verb == "withdraw" else team.finish)(plan_id, token)
                del model[plan_id]
                _move_up(model, clock.now, again=True)
            said = {(p.plan_id, p.state, p.token) for p in teams[0].list() if p.state in {"active", "waiting"}}
            assert said == {(k, v[0], v[1]) for k, v in model.items() if v[3] > clock.now}


Model = dict[str, tuple[str, int, str, int]]
"""Plan -> state, token, file, end of the lease."""


def _before(model: Model, plan_id: str, token: int) -> list[tuple[str, tuple[str, int, str, int]]]:
    """What may be in the way of a plan: the active ones, and those that have waited longer."""
    return [(k, v) for k, v in model.items() if k != plan_id and (v[0] == "active" or v[1] < token)]


def _move_up(model: Model, now: int, *, again: bool = False) -> None:
    """Drop what is over by time; if anything was, or something has ended, grant those whose way is free, first come first."""
    over = [plan_id for plan_id, plan in model.items() if plan[3] <= now]
    for plan_id in over:
        del model[plan_id]
    for plan_id, (state, token, file, _) in sorted(model.items(), key=lambda each: each[1][1]):
        if (over or again) and state == "waiting":
            free = not _clashes(plan_id.removeprefix("intent_"), file, _before(model, plan_id, token))
            if free:
                model[plan_id] = ("active", token, file, now + 10_000)


def _clashes(name: str, file: str, others: list[tuple[str, tuple[str, int, str, int]]]) -> bool:
    """Whether a plan collides gravely with one of the others, each of them compared by itself."""
    mine = parse_document(document(name, file), IntentDocument)
    for other, (_, _, theirs, _) in others:
        index = ConflictIndex()
        index.add(parse_document(document(other.removeprefix("intent_"), theirs), IntentDocument))
        if grave_collisions(index.check(mine)):
            return True
    return False
