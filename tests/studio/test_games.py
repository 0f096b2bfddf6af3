"""Guests are played from a page: one path with the terminal, no question answered twice, nothing told that the guest does not know."""

from __future__ import annotations

import io
from random import Random
from threading import Barrier, Thread
from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from tests.cli.lines import run
from tests.studio.served import Served, serving
from volition.core.errors import InvalidInput, NotPossible
from volition.drama import Evening, scenario
from volition.drama.playing.evening import verify_run
from volition.drama.rules.catalog import Belief
from volition.drama.world.scenario import scenario_to_data
from volition.drama.world.settings import Setting, apply_settings
from volition.studio.errors import NoSuch
from volition.studio.game_view import GameShape
from volition.studio.games import GameAnswer, GameAsked, GameMove, Games
from volition.studio.studio import Studio

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.sentences import Told

SHORT = "short.json"


def write_short(folder: Path, name: str = "dinner-party", ticks: int = 5, file: str = SHORT) -> str:
    """A shipped scenario of a few ticks as a file of a folder; returns its id there."""
    short = apply_settings(scenario(name), [Setting("evening.ticks", None, ticks)])
    (folder / file).write_bytes(msgspec.json.encode(scenario_to_data(short)))
    return file


@pytest.fixture
def studio(tmp_path: Path) -> Iterator[Studio]:
    write_short(tmp_path)
    made = Studio(tmp_path)
    yield made
    made.stop_all()


@pytest.fixture
def fresh(tmp_path: Path) -> Iterator[Served]:
    write_short(tmp_path)
    with serving(tmp_path) as one:
        yield one


def begin(studio: Studio, guest: str = "victor", seed: int = 3) -> GameShape:
    return studio.begin_game(GameAsked(guest, SHORT, seed))


def answer(games: Games, game: GameShape, choice: str | None = None) -> GameShape:
    assert game.question is not None
    return games.answer(game.id, GameAnswer(game.question.tick, choice))


def play_through(games: Games, game: GameShape, chance: Random) -> list[str]:
    """Answer to the end, by chance; returns the answers."""
    given = []
    while game.question is not None:
        group = chance.choice(game.question.groups)
        given.append(chance.choice(group.choices).id)
        game = answer(games, game, given[-1])
    return given


def test_the_page_and_the_terminal_are_one_path(
    studio: Studio, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The same answers leave the same bytes as `volition play --as`, also where the game was closed in between; the run is
    verified, forked and explained like any other."""
    game = begin(studio)
    assert game.question is not None
    first = game.question.best[0].id
    answer(studio.games, game, first)
    studio.games.close_all()
    given = play_through(studio.games, studio.games.look(game.id), Random(4))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.stdin", io.StringIO("".join(f"{id}\n" for id in [first, *given])))
    assert run(capsys, "play", SHORT, "--as", "victor", "--seed", "3", "--out", "typed").code == 0
    mine, typed = (studio.store.find(game.id).path, tmp_path / "typed")
    assert {file.name: file.read_bytes() for file in mine.iterdir() if file.name != "lock"} == {
        file.name: file.read_bytes() for file in typed.iterdir() if file.name != "lock"
    }
    evening = verify_run(mine)
    assert (evening.guest, evening.is_over) == ("victor", True)
    assert studio.check(game.id).intact
    assert studio.record(game.id).run is not None
    assert evening.decision(2, "elena").id is not None
    assert evening.fork(2, agent="elena", veto=evening.run.ticks[2].choices["elena"].id).is_over


def test_a_question_is_answered_once(studio: Studio, told: Told) -> None:
    """A second tab, or an answer sent twice, is refused with where the evening is now, and changes nothing."""
    game = begin(studio)
    later = answer(studio.games, game)
    with told.raises(NotPossible) as stale:
        answer(studio.games, game)
    assert later.question is not None
    assert f"tick {later.question.tick}" in stale.value.problems[0].expected
    assert studio.games.look(game.id) == later


def test_two_answers_at_once_are_one(fresh: Served) -> None:
    """Of two answers to one question that arrive together, one is taken and one is 409."""
    game = fresh.post("/games", {"scenario": SHORT, "guest": "victor"})
    start, got = Barrier(2), []

    def send() -> None:
        start.wait()
        body = {"tick": game["question"]["tick"]}
        got.append(fresh.client.post(f"/api/v1/games/{game['id']}/answer", json=body).status_code)

    threads = [Thread(target=send) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(got) == [200, 409]


def test_hostile_answers_change_nothing(studio: Studio, told: Told) -> None:
    """An unknown choice, one that is forbidden, one of another person, and an answer in a game that is over are refused."""
    other, game = begin(studio, "elena"), begin(studio)
    assert game.question is not None
    assert other.question is not None
    offered = {choice.id for group in game.question.groups for choice in group.choices}
    foreign = [choice.id for group in other.question.groups for choice in group.choices if choice.id not in offered]
    open_game = studio.games._open[game.id]
    assert open_game.offer is not None
    vetoed = list(open_game.offer.vetoed)
    for choice in ("nothing", "observe:nobody", foreign[0], *vetoed[:2]):
        with told.raises(InvalidInput):
            answer(studio.games, game, choice)
    assert studio.games.look(game.id) == game
    with pytest.raises(InvalidInput, match="person"):
        begin(studio, "nobody")
    ended = studio.games.stop(game.id, GameMove(game.question.tick))
    assert (ended.question, ended.ending and ended.ending.kind) == (None, "broken_off")
    with told.raises(NotPossible):
        answer(studio.games, game)


def test_only_games_are_played(fresh: Served) -> None:
    """A run in which nobody plays a guest, an unknown id and a path are 404; a body with a name too many is 400."""
    run_id = fresh.post("/play", {"seed": 1, "ticks": 1})["id"]
    fresh.stream(f"/runs/{run_id}/live")
    for id in (run_id, "nothing", "..%2Fx"):
        assert fresh.refusal("GET", f"/games/{id}")[0] == 404
        assert fresh.refusal("POST", f"/games/{id}/answer", {"tick": 0})[0] == 404
    assert fresh.refusal("POST", "/games", {"guest": "victor", "as": "somebody"})[0] == 400
    assert fresh.refusal("POST", "/games", {"guest": "victor", "scenario": "/etc/passwd"})[0] == 404


def test_a_game_needs_the_token(tmp_path: Path) -> None:
    """With a token, no game is begun, looked at or played without it."""
    write_short(tmp_path)
    with serving(tmp_path, token="0123456789abcdef0123") as one:
        held = {"Authorization": "Bearer 0123456789abcdef0123"}
        body = {"scenario": SHORT, "guest": "victor"}
        game = one.client.post("/api/v1/games", json=body, headers=held).json()
        assert one.refusal("POST", "/games", body)[0] == 401
        assert one.refusal("GET", f"/games/{game['id']}")[0] == 401
        assert one.refusal("POST", f"/games/{game['id']}/answer", {"tick": game["question"]["tick"]})[0] == 401


def test_games_are_bounded_and_survive_a_restart(tmp_path: Path) -> None:
    """The game that was not played for longest is closed when there are too many; it stays as an unfinished run, and goes on
    from there, as all do in a studio that was started again."""
    write_short(tmp_path)
    studio = Studio(tmp_path)
    studio.games = Games(studio.store, studio.scenarios, at_once=2)
    games = [answer(studio.games, begin(studio, seed=seed)) for seed in (1, 2, 3)]
    assert [studio.games.is_live(game.id) for game in games] == [False, True, True]
    brief = studio.record(games[0].id).run
    assert brief is not None
    assert (brief.guest, brief.ending) == ("victor", None)
    assert studio.games.look(games[0].id).question == games[0].question
    assert not studio.games.is_live(games[1].id)
    studio.stop_all()
    again = Studio(tmp_path)
    for game in games:
        assert again.games.look(game.id) == game
    again.stop_all()


def test_a_game_that_another_process_writes_is_left_alone(studio: Studio) -> None:
    """Two studios of one folder cannot both play a game: the second is refused while the first has it open."""
    game = begin(studio)
    with pytest.raises((NotPossible, InvalidInput)):
        Studio(studio.store.folder).games.look(game.id)
    assert answer(studio.games, game).question is not None


def test_a_live_game_is_told_by_nobody_else(fresh: Served) -> None:
    """While a game is open, no route of runs tells of its evening; once it is over, all of them do."""
    game = fresh.post("/games", {"scenario": SHORT, "guest": "victor", "seed": 2})
    id = game["id"]
    other = fresh.post("/play", {"seed": 1, "ticks": 1})["id"]
    fresh.stream(f"/runs/{other}/live")
    asked = ("", "/ticks", "/ticks/0", "/audience", "/significance", "/live", "/bundle", "/export.html")
    for what in (*asked, f"/comparison?other={other}", "/decisions/0/elena"):
        status, problem = fresh.refusal("GET", f"/runs/{id}{what}")
        assert (status, problem["what"]) == (409, f"a guest of {id} is being played"), what
    assert fresh.refusal("GET", f"/runs/{other}/comparison?other={id}")[0] == 409
    assert fresh.refusal("POST", f"/runs/{id}/forks", {"at": 0, "agent": "elena", "veto": "internal"})[0] == 409
    listed = next(one for one in fresh.get("/records?kind=run")["records"] if one["id"] == id)
    assert (listed["live"], listed["run"]["guest"]) == (True, "victor")
    over = fresh.post(f"/games/{id}/rest", {"tick": game["question"]["tick"]})
    assert over["question"] is None
    assert fresh.get(f"/runs/{id}")["ending"]["kind"] == over["ending"]["kind"]
    assert fresh.get(f"/games/{id}") == over


def assert_no_secret(game: GameShape, evening: Evening, known: set[str]) -> None:
    """Nothing that is sent has a secret that the guest never knew, or what only readers of the scenario are told."""
    told, party = msgspec.json.encode(game).decode(), evening.scenario
    unknown = [secret for id, secret in party.secrets.items() if id not in known]
    assert [secret.id for secret in unknown if secret.description.rstrip(".") in told] == []
    assert party.description not in told
    for person in party.people.values():
        rest = person.role.partition(";")[2].strip()
        assert not rest or person.id == game.guest or rest not in told
    if game.question is not None:
        state = evening.state(evening.last)
        here = {id for id, person in state.agents.items() if person.location == game.question.room}
        assert set(game.question.places) <= here


@pytest.mark.parametrize(
    ("name", "guest"), [("dinner-party", "thorne"), ("night-tide", None), ("winter-station", None)]
)
def test_nothing_is_sent_that_the_guest_does_not_know(tmp_path: Path, name: str, guest: str | None) -> None:
    """In every answer of a game: no secret that the guest neither knew nor heard stated, no place of who is out of sight, no
    role beyond what everybody knows, no description of the scenario; nobody's beliefs have a field at all."""
    write_short(tmp_path, name, ticks=10)
    studio, chance = Studio(tmp_path), Random(5)
    who = guest or list(scenario(name).people)[-1]
    game = studio.begin_game(GameAsked(who, SHORT, 7))
    known: set[str] = set()
    while game.question is not None:
        evening = studio.games._open[game.id].evening
        beliefs = evening.state(evening.last).agents[who].beliefs
        known |= {id for id, belief in beliefs.items() if belief == Belief.BELIEVES_TRUE}
        heard = " ".join(one.subject for tick in studio.games._open[game.id].lived for one in tick.heard)
        known |= {id for id, one in evening.scenario.secrets.items() if one.description.rstrip(".") in heard}
        assert_no_secret(game, evening, known)
        game = answer(studio.games, game, chance.choice(game.question.best).id)
    studio.stop_all()
    assert field_names(GameShape) & {"beliefs", "bonds", "choice", "pacing", "emotions", "secrets"} == set()


def field_names(shape: Any) -> set[str]:
    """The names of all fields of a shape and of the shapes in it."""
    schema = msgspec.json.schema(shape)
    return {name for one in schema["$defs"].values() for name in one.get("properties", {})}


def test_choices_come_in_words(studio: Studio) -> None:
    """At most eight choices, each of another kind and offered; the first is what the guest would do; what is forbidden names
    what forbids it and why; beliefs say how sure the guest is."""
    game = begin(studio, "elena", 8)
    question = game.question
    assert question is not None
    offer = studio.games._open[game.id].offer
    assert offer is not None
    ids = [choice.id for choice in question.best]
    assert 3 < len(ids) <= 8
    assert ids[0] == offer.own
    everything = {choice.id for group in question.groups for choice in group.choices}
    assert everything == set(offer.choices)
    assert len({id.partition(":")[0] for id in ids if not id.startswith("physical")}) >= len(ids) - 2
    assert len(question.forbidden) == len(offer.vetoed)
    assert all(one.by and one.because and ":" not in one.by for one in question.forbidden)
    assert {one.sure for one in question.knows} <= {"own", "sure", "suspected", "denied"}


def test_own_scenarios_are_found_by_their_place(tmp_path: Path) -> None:
    """Files of the folder that are scenarios can be played, with what everybody knows of their people; other files, links and
    paths cannot."""
    (tmp_path / "plays").mkdir()
    own = write_short(tmp_path, file="plays/mine.json")
    (tmp_path / "other.toml").write_text("x = 1", encoding="utf-8")
    (tmp_path / "link.json").symlink_to(tmp_path / own)
    studio = Studio(tmp_path)
    found = {one.id: one for one in studio.scenarios.all()}
    assert [id for id, one in found.items() if one.own] == [own]
    assert {"dinner-party", "night-tide"} <= found.keys()
    assert [person.id for person in found[own].people] == list(scenario("dinner-party").people)
    assert not any(";" in person.role for one in found.values() for person in one.people)
    for id in ("link.json", "other.toml", f"../{tmp_path.name}/{own}", str(tmp_path / own)):
        with pytest.raises(NoSuch):
            studio.begin_game(GameAsked("victor", id))


def test_who_plays_is_noted(fresh: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    """Beginning a game is an act of the person who started the studio, as a fork is."""
    game = fresh.post("/games", {"scenario": SHORT, "guest": "victor"})
    act = fresh.get("/acts")["acts"][0]
    assert (act["what"], act["about"], act["result"]) == ("guest", game["id"], "as victor")
    assert act["who"] == fresh.studio.actor.name


def test_a_guest_who_comes_too_late_leaves_a_finished_run(studio: Studio) -> None:
    """Where the evening is over before its guest arrives, the game is over, and its run is complete."""
    game = begin(studio, "marcus", 8)
    assert (game.question, studio.games.is_live(game.id)) == (None, False)
    assert studio.check(game.id).intact
    assert studio.games.look(game.id) == game
