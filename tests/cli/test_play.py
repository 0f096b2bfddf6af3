"""`volition play` with custom code, as a guest, and continued; and what `explain`, `fork` and others make of it."""

from __future__ import annotations

import io
import json
import re
from importlib import resources
from typing import TYPE_CHECKING, Any

import pytest

from tests.cli.lines import run, run_json
from tests.drama.playing import own_code
from tests.sentences import lines_about
from volition.core.errors import InvalidInput
from volition.drama import Evening, play, scenario
from volition.drama.audience.deeds import describe_act
from volition.drama.world.scenario import literal
from volition.drama.world.settings import Setting, apply_settings

if TYPE_CHECKING:
    from pathlib import Path

    from tests.sentences import Told

OWN = ["--with", "victor=tests.drama.playing.own_code:brood", "--with", "tests.drama.playing.own_code:sociable"]


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def type_in(monkeypatch: pytest.MonkeyPatch, *lines: str) -> None:
    """Let these lines be the standard input."""
    monkeypatch.setattr("sys.stdin", io.StringIO("".join(f"{line}\n" for line in lines)))


def recorded(home: Path, name: str) -> Evening:
    return Evening.load(home / "volition-runs" / name)


@pytest.mark.req("DE-28")
def test_own_code_takes_part(home: Path, capsys: pytest.CaptureFixture[str], told: Told) -> None:
    """--with names minds and terms; the run is that of Python, is verified and explained without the code, and is only
    continued with it."""
    assert run(capsys, "play", "--seed", "8", "--ticks", "6", *OWN).code == 0
    python = play(scenario("dinner-party"), 8, ticks=6, minds=own_code.minds, terms=[own_code.sociable])
    labels = {"victor": "tests.drama.playing.own_code:brood"}
    assert recorded(home, "dinner-party-8").run == python.run
    assert python.run.custom.minds == labels
    assert run_json(capsys, "replay", "dinner-party-8", "--verify")[1]["verified"] == 6
    shown = run(capsys, "explain", "dinner-party-8", "--tick", "3", "--agent", "victor")
    told(*lines_about(shown.out, "played by"))
    _, data = run_json(
        capsys, "explain", "dinner-party-8", "--tick", "4", "--agent", "elena", "--what-if", "sociable=0"
    )
    assert data["what_if"]["before"] == data["choice"]["id"]
    missing = run(capsys, "play", "--continue", "dinner-party-8")
    assert missing.code == 2
    told(missing.err)
    assert run(capsys, "play", "--continue", "dinner-party-8", "--ticks", "8", *OWN).code == 0
    assert recorded(home, "dinner-party-8.2").run == python.play_on(ticks=8).run


@pytest.mark.req("DE-28")
def test_a_guest_plays_from_a_file(
    home: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, told: Told
) -> None:
    """Choices are numbers or ids, mistakes are answered and asked again, and the end of the input puts the evening down:
    exit code 3, and nothing told that a guest does not know. It is continued where it stopped."""
    type_in(monkeypatch, "?", "999", "more", "help", "1", "internal")
    put_down = run(capsys, "play", "--as", "victor", "--seed", "8")
    assert put_down.code == 3
    told(*lines_about(put_down.out, "Victor Hale", "thoughts to yourself.", "--continue"), put_down.err)
    short, whole = (
        put_down.out.split("> ?")[0].partition("composure")[2],
        put_down.out.split("> more")[1].split("> ")[0],
    )
    for menu in (short, whole):
        numbers = [int(number) for number in re.findall(r"(?<=  )(\d+) ", menu)]
        assert numbers == list(range(1, len(numbers) + 1))
    assert len(re.findall(r"  \d+ ", short)) <= len(re.findall(r"  \d+ ", whole))
    assert not any(word in put_down.out for word in ("lovers", "tension", "CHAT"))
    begun = recorded(home, "dinner-party-8")
    assert (begun.guest, begun.ending, begun.last) == ("victor", None, 2)
    type_in(monkeypatch, "auto")
    on = run(capsys, "play", "--continue", "dinner-party-8", "--ticks", "3")
    assert on.code == 0
    told(*lines_about(on.out, "ending:"))
    offer = begun.offer()
    assert offer is not None
    assert recorded(home, "dinner-party-8.2").run.ticks == begun.choose(offer.own).run.ticks
    type_in(monkeypatch, "internal", "rest")
    code, data = run_json(capsys, "play", "--as", "victor", "--seed", "3", "--ticks", "4")
    assert (code, data["ticks"]) == (0, 4)
    assert [record.played for record in recorded(home, "dinner-party-3").run.ticks] == [("victor",), (), (), ()]
    assert run(capsys, "replay", "dinner-party-3", "--verify").code == 0


@pytest.mark.req("DE-28")
def test_a_mind_that_fails_leaves_a_run_that_goes_on(
    home: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, told: Told
) -> None:
    """What was played before a mind failed is recorded and can be continued with a mind that works."""
    text = "def mind(offer):\n    if offer.tick == 2 and not OK:\n        raise ValueError('no idea')\n    return 'internal'\n"
    (home / "failing_mind.py").write_text("OK = False\n" + text)
    monkeypatch.syspath_prepend(home)
    failed = run(capsys, "play", "--ticks", "4", "--with", "victor=failing_mind:mind")
    assert failed.code == 2
    told(failed.err)
    assert recorded(home, "dinner-party-1").last == 2
    monkeypatch.setattr("failing_mind.OK", True)
    again = run(capsys, "play", "--continue", "dinner-party-1", "--ticks", "4", "--with", "victor=failing_mind:mind")
    assert again.code == 0
    assert run(capsys, "replay", "dinner-party-1.2", "--verify").code == 0


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("play --with tests.drama.playing.own_code:brood", "a mind is given as PERSON=MODULE:NAME"),
        ("play --with viktor=tests.drama.playing.own_code:brood", "did you mean 'victor'"),
        ("play --with tests.drama.playing.own_code:nothing", "has no 'nothing'"),
        ("play --as viktor", "did you mean 'victor'"),
        ("play --continue nowhere", "there is no run 'nowhere'"),
        ("play dinner-party --continue short --seed 3", "--continue is given together with SCENARIO, --seed"),
        ("explain short --tick 0 --agent elena --what-if bonds", "'bonds' is not ID=WEIGHT"),
        ("explain short --tick 0 --agent elena --what-if bond=2", "did you mean 'bonds'"),
        ("fork short --at 0 --weights bonds=2", "without an agent"),
        ("fork short --at 0 --veto internal --as-told-by lydia", "it is not said what lydia told"),
        ("arcs short --genre comedy", "comedy"),
        ("play --continue whole", "the evening is over"),
    ],
)
def test_mistakes_are_named(home: Path, capsys: pytest.CaptureFixture[str], line: str, said: str) -> None:
    """What cannot be done is said, with what can; nothing is recorded."""
    party = scenario("dinner-party")
    if "short" in line:
        play(party, 8, ticks=1).save(home / "short")
    if "whole" in line:
        play(party, 8).save(home / "whole")
    done = run(capsys, *line.split())
    assert done.code == (3 if "whole" in line else 2)
    assert said in done.err
    assert not (home / "volition-runs").exists()


def test_an_evening_to_the_letter(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """--literal plays by the letter."""
    assert run(capsys, "play", "--literal", "--seed", "2", "--ticks", "3").code == 0
    assert recorded(home, "dinner-party-2").run == play(literal(scenario("dinner-party")), 2, ticks=3).run


def test_what_mattered_and_whose_story_it_is(home: Path, capsys: pytest.CaptureFixture[str], told: Told) -> None:
    """`significance` and `arcs` print what Python finds, twice the same; `fork` takes weights and what somebody told."""
    evening = play(apply_settings(scenario("dinner-party"), [Setting("evening.ticks", None, 32)]), 8)
    evening.save(home / "short")
    code, data = run_json(capsys, "significance", "short", "--most", "2")
    found: list[Any] = [one.to_data() for one in evening.significance(most=2)]
    assert (code, data["acts"]) == (0, json.loads(json.dumps(found)))
    shown = run(capsys, "significance", "short", "--most", "2").out
    assert shown == run(capsys, "significance", "short", "--most", "2").out
    assert shown.splitlines()[0].startswith(f"{found[0]['significance']:.3f}  tick {found[0]['tick']} ")
    assert shown.count("without it: ") == len(found)
    _, data = run_json(capsys, "arcs", "short", "--most", "2")
    assert all("significance" in arc["qualities"] for arc in data["arcs"])
    told(*lines_about(run(capsys, "arcs", "short", "--most", "2").out, "mattered"))
    setting = "thorne.belief.secret_affair_01=believes_true"
    forked = run(capsys, "fork", "short", "--at", "31", "--set", setting, "--as-told-by", "diana")
    told(*lines_about(forked.out, "as told by"))
    heavy = run(capsys, "fork", "short", "--at", "25", "--agent", "victor", "--weights", "bonds=40")
    told(*lines_about(heavy.out, "force"))


@pytest.mark.req("DE-28")
def test_a_choice_is_explained_by_names(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Acts are in words and not ids, numbers have at most three decimals, no column is all zeros, and an act can be asked
    about by its words as well as by its id."""
    party = scenario("dinner-party")
    evening = play(party, 8, ticks=26)
    evening.save(home / "short")
    for tick, who in [(5, "elena"), (25, "victor")]:
        asked = next(id for id in evening.decision(tick, who).tally.survivors if id != evening.decision(tick, who).id)
        line = (
            "explain",
            "short",
            "--tick",
            str(tick),
            "--agent",
            who,
            "--what-if",
            "bonds=2",
            "--thinks",
            "--why-not",
        )
        shown = run(capsys, *line, asked).out
        assert not any(id in shown for id in (*evening.decision(tick, who).tally.ids, *party.secrets) if ":" in id)
        assert not re.search(r"\d\.\d{4}", shown)
        table = shown.split("\n\n")[1].splitlines()
        numbers = [
            re.findall(r"(?<= )(?:[+-]\d\.\d{3}|\.|-)(?= |$)", row) for row in table[1:] if not row.startswith("x")
        ]
        assert all(any(cell not in (".", "-") for cell in column) for column in zip(*numbers, strict=True))
        words = describe_act(party, who, asked)
        assert words is not None
        assert run(capsys, *line, words).out == shown


def test_bounds_and_acts_are_said_right(told: Told) -> None:
    """An evening without ticks has no bounds to name, and an act that was not offered is refused by name."""
    party = scenario("dinner-party")
    with told.raises(InvalidInput) as refused:
        play(party, 8, ticks=0).decision(0, "elena")
    assert "-1" not in str(refused.value)
    with told.raises(InvalidInput):
        play(party, 8, ticks=1).decision(1, "elena")
    with told.raises(InvalidInput):
        play(party, 8, ticks=1).situation(0, "elena", "chat:helena")


PATIENT = ["--deadline", "60"]
MIND = ["--mind", "victor=tests.drama.minds.own_minds:moody", *PATIENT]


@pytest.mark.req("DE-35")
def test_a_mind_from_outside_takes_part(home: Path, capsys: pytest.CaptureFixture[str], told: Told) -> None:
    """--mind names a mind for a person; the run is that of Python, is explained with its vote and verified without it, is
    forked by its record, and is continued only with it."""
    played = run(capsys, "play", "--ticks", "8", "--seed", "21", *MIND, "--budget", "calls=3")
    assert played.code == 0
    told(*(line.partition(";")[0] for line in lines_about(played.out, "mind of")))
    evening = recorded(home, "dinner-party-21")
    asked = [(tick.tick, tick.asked["victor"]) for tick in evening.run.ticks if tick.asked]
    assert [one.fallback for _, one in asked[:4]] == ["", "", "", "over_budget"]
    tick, answer = asked[0]
    explained = run(capsys, "explain", "dinner-party-21", "--tick", str(tick), "--agent", "victor")
    assert answer.reason in explained.out
    _, data = run_json(capsys, "explain", "dinner-party-21", "--tick", str(tick), "--agent", "victor")
    assert answer.choice in data["decision"]["remarks"]["outside"]
    assert run(capsys, "replay", "dinner-party-21", "--verify").code == 0
    veto = ["fork", "dinner-party-21", "--at", str(tick), "--veto", evening.run.ticks[tick].choices["victor"].id]
    assert run(capsys, *veto, "--agent", "victor", "--outside", "engine").code == 0
    assert run(capsys, *veto, "--agent", "victor", "--outside", "ask").code == 2
    assert run(capsys, "play", "--continue", "dinner-party-21", "--ticks", "10").code == 2
    assert run(capsys, "play", "--continue", "dinner-party-21", "--ticks", "10", *MIND).code == 0


@pytest.mark.req("DE-35")
def test_a_file_alone_asks_nobody(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A model that a scenario names is asked only with --minds; the key changes neither the evening nor its hash."""
    text = (
        resources.files("volition.drama.scenarios")
        .joinpath("dinner_party.toml")
        .read_text(encoding="utf-8")
        .replace(
            "[people.victor]",
            '[people.victor.mind]\nurl = "http://127.0.0.1:9/v1"\nmodel = "none"\n\n[people.victor]',
            1,
        )
    )
    (home / "named.toml").write_text(text, encoding="utf-8")
    assert run(capsys, "play", "named.toml", "--ticks", "8", "--seed", "21", "--out", "quiet").code == 0
    assert (
        run(capsys, "play", "named.toml", "--ticks", "8", "--seed", "21", "--out", "asking", "--minds", *PATIENT).code
        == 0
    )
    quiet, asking = Evening.load(home / "quiet"), Evening.load(home / "asking")
    assert quiet.scenario.hash == scenario("dinner-party").hash
    assert not any(tick.asked for tick in quiet.run.ticks)
    answers = [asked for tick in asking.run.ticks for asked in tick.asked.values()]
    assert {asked.fallback for asked in answers} == {"unreachable"}
    assert [tick.events for tick in asking.run.ticks] == [tick.events for tick in quiet.run.ticks]


@pytest.mark.req("DE-35")
@pytest.mark.parametrize(
    "wrong",
    [
        ["--mind", "victor"],
        ["--mind", "viktor=http://localhost:9/v1"],
        ["--mind", "victor=ftp://localhost/v1"],
        ["--mind", "victor=http://user@localhost/v1"],
        ["--mind", "victor=http://localhost:9/v1", "--budget", "calls=many"],
        ["--mind", "victor=http://localhost:9/v1", "--budget", "money=1"],
        ["--mind", "victor=http://localhost:9/v1", "--deadline", "0"],
    ],
)
def test_a_mind_that_cannot_be_asked_is_refused(
    home: Path, capsys: pytest.CaptureFixture[str], wrong: list[str]
) -> None:
    """An address that is none, a person who is not there, a limit that is none: refused before anything is played."""
    assert run(capsys, "play", *wrong).code == 2
    assert not (home / "volition-runs").exists()
