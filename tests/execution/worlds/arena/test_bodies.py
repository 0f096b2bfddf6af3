"""The opponent: patrol, chase, windup, strike, recovery."""

from __future__ import annotations

from tests.execution.worlds.arena.plays import play


def test_it_patrols_until_it_sees() -> None:
    """Out of sight it walks 0.1 tiles a tick, straight on until its way is closed."""
    watch = play("@........#", "........##", "##########", ".......&..")
    places = [moment.after["opponent"]["x"] for moment in watch.steps(70)]
    assert places == list(range(8400, 1300, -100))[:70]
    assert watch.moments[-1].after["opponent"]["mode"] == "patrol"
    turned = [moment.after["opponent"] for moment in watch.steps(20)]
    assert turned[-1]["facing"] == "east"


def test_chance_turns_a_patrol() -> None:
    """Where several ways are open, the seed decides; a patrol does not depend on anything else."""
    rows = ("@#...", "##...", "##.&.", "##...")
    ends = set()
    for seed in range(20):
        watch = play(*rows, seed=seed)
        watch.steps(100)
        ends.add((watch.moments[-1].after["opponent"]["x"], watch.moments[-1].after["opponent"]["y"]))
    assert len(ends) > 5


def test_it_chases_what_it_sees() -> None:
    """In sight it approaches along the longer axis, 0.15 tiles per tick, and winds up within one tile."""
    hunt = play("@....&")
    first = hunt.do("step").after["opponent"]
    assert (first["mode"], first["x"]) == ("chase", 6500 - 150)
    hunt.steps(40)
    modes = [moment.after["opponent"]["mode"] for moment in hunt.moments]
    assert modes == ["chase"] * 27 + ["windup"] * 6 + ["recover"] * 8
    assert hunt.moments[-1].after["actor"]["health"] == 80


def test_it_does_not_see_through_walls() -> None:
    """A wall between them hides the actor."""
    assert play("@#&").do("step").after["opponent"]["mode"] == "patrol"


def test_it_never_enters_a_hazard() -> None:
    """A hazard holds it back, however near the actor is."""
    wait = play("@.~.&")
    assert all(moment.after["opponent"]["x"] >= 4000 for moment in wait.steps(100))


def test_a_dash_escapes_the_strike() -> None:
    """A strike misses who dashes, however near: here a wall keeps the actor in reach."""
    dash = play("@&")
    dash.attempt("MOVE", -0.4, 0, 0)
    while (moment := dash.do("step")).after["opponent"]["timer"] != 1:
        assert moment.after["actor"]["health"] == 100
    dash.attempt("EVADE")
    strike = dash.do("step")
    assert strike.after["opponent"]["mode"] == "recover"
    assert strike.after["opponent"]["x"] - strike.after["actor"]["x"] <= 1200
    assert strike.after["actor"]["health"] == 100


def test_a_blow_takes_no_more_than_there_is() -> None:
    """The last strike counts the health that was left, not its full force."""
    fight = play("@&")
    fight.attempt("HOLD")
    fight.steps(10)
    fight.attempt("RELEASE")
    while fight.do("step").after["actor"]["alive"]:
        pass
    actor = fight.moments[-1].after["actor"]
    assert fight.moments[-1].before["actor"]["health"] == 15
    assert (actor["health"], actor["damage_received"]) == (0, 100)
