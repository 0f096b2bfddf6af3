"""`volition scenario` as a person runs it, in their folder."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from tests.cli.lines import Ended, run_in
from volition.drama.world.scenario import load_scenario, scenario, scenario_from_data, scenario_names

if TYPE_CHECKING:
    from pathlib import Path

    from tests.sentences import Told

pytestmark = pytest.mark.req("DE-18")


def run(folder: Path, *arguments: str) -> Ended:
    return run_in(folder, "scenario", *arguments)


def test_new_then_check(tmp_path: Path, told: Told) -> None:
    """`check` accepts what `new` writes, under the name of the file and with the hash of its content."""
    code, out, _ = run(tmp_path, "new", "night-train")
    assert (code, [path.name for path in tmp_path.iterdir()]) == (0, ["night-train.toml"])
    told(out)
    code, out, err = run(tmp_path, "check", "night-train.toml", "--evenings", "1")
    read = load_scenario(tmp_path / "night-train.toml")
    assert (code, err) == (0, "")
    assert out == f"night-train can be played: people 6, rooms 5, secrets 5\nhash {read.hash}\n"


def test_new_overwrites_nothing(tmp_path: Path, told: Told) -> None:
    """An existing file stays as it is, and so does the target of an existing link."""
    (tmp_path / "mine.toml").write_text("mine")
    (tmp_path / "link.toml").symlink_to(tmp_path / "nowhere.toml")
    for name in ("mine", "link"):
        code, _, err = run(tmp_path, "new", "night-train", "--out", f"{name}.toml")
        assert code == 2
        told(err)
    assert (tmp_path / "mine.toml").read_text() == "mine"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["link.toml", "mine.toml"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["new", "Night Train"], "lower-case words"),
        (["new", "x", "--out", "x.txt"], "ends in .toml"),
        (["new", "x", "--out", "no/folder/x.toml"], "no such file or folder"),
        (["new", "x", "--from", "dinner-part"], "did you mean 'dinner-party'?"),
        (["new", "x", "--from", "dinner-party", "--people", "3"], "leave out one or the other"),
        (["new", "x", "--without-table", "--people", "9"], "a number from 2 to 8"),
        (["check", "dinner-part"], "did you mean 'dinner-party'?"),
        (["check", "none.toml"], "no such file"),
        (["show", "winter"], "winter-station"),
        (["play", "x"], "play"),
    ],
)
def test_invalid_input(tmp_path: Path, arguments: list[str], said: str) -> None:
    """What cannot be found or used ends with 2, says what is wrong, and leaves nothing behind."""
    code, out, err = run(tmp_path, *arguments)
    assert (code, out) == (2, "")
    assert said in err
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", scenario_names())
def test_new_from_a_built_in_one(tmp_path: Path, name: str, told: Told) -> None:
    """A copy of a built-in scenario is accepted under its own id, with the phrases in a file beside it."""
    code, out, _ = run(tmp_path, "new", "my-own", "--from", name)
    assert (code, sorted(path.name for path in tmp_path.iterdir())) == (0, ["my-own.phrases.toml", "my-own.toml"])
    assert out == "wrote my-own.toml and my-own.phrases.toml; change it, then: volition scenario check my-own.toml\n"
    read = load_scenario(tmp_path / "my-own.toml")
    assert (read.id, read.phrases) == ("my-own", scenario(name).phrases)
    code, _, err = run(tmp_path, "new", "other", "--from", name, "--out", "my-own.toml")
    assert (code, len(list(tmp_path.iterdir()))) == (2, 2)
    told(err)


def test_new_without_a_table(tmp_path: Path) -> None:
    """A start without a table has six people, and no wine."""
    assert run(tmp_path, "new", "night-train", "--without-table")[0] == 0
    read = load_scenario(tmp_path / "night-train.toml")
    assert (len(read.people), read.evening.pours, read.evening.kitchen) == (6, (), None)


def test_check_names_all_problems(tmp_path: Path, told: Told) -> None:
    """A scenario with several errors ends with 2 and all of them, as text and as JSON."""
    run(tmp_path, "new", "night-train")
    file = tmp_path / "night-train.toml"
    text = file.read_text(encoding="utf-8")
    text = (
        text.replace('exit = "hall"', 'exit = "hal"')
        .replace('content = "affair"', "content = 9")
        .replace("manners", "maners")
    )
    file.write_text(text, encoding="utf-8")
    code, out, err = run(tmp_path, "check", file.name, "--json")
    assert code == 2
    places = {problem["where"] for problem in json.loads(out)["problems"]}
    assert places == {"evening.exit", "secrets.affair.content", "rules.departures.maners"}
    assert all(place in err for place in places)
    told(err)


def test_check_a_name_as_json(tmp_path: Path) -> None:
    """A built-in scenario can be checked by name, and --json gives its numbers."""
    code, out, _ = run(tmp_path, "check", "winter-station", "--evenings", "0", "--json")
    read = scenario("winter-station")
    assert (code, json.loads(out)) == (
        0,
        {
            "id": read.id,
            "name": read.name,
            "people": 7,
            "rooms": 6,
            "secrets": 5,
            "hash": read.hash,
            "words": {"loose": [], "contradictions": []},
        },
    )


def test_words_that_contradict_are_listed(tmp_path: Path, told: Told) -> None:
    """A scenario whose words contradict their moment can be played; `check` lists them and ends with 3."""
    run(tmp_path, "new", "night-train")
    (tmp_path / "night-train.phrases.toml").write_text(
        "replace = ['talk.plain', 'talk.warm', 'chat.plain', 'chat.warm']\n"
        "[talk]\nplain = [['Rosa is late.', 'More soup?']]\nwarm = [['Rosa is late.', 'More soup?']]\n"
        '[chat]\nplain = [\'{who}, {whom}: "{line}" "{reply}"\']\nwarm = [\'{who}, {whom}: "{line}" "{reply}"\']\n'
    )
    code, out, _ = run(tmp_path, "check", "night-train.toml", "--evenings", "1")
    assert code == 3
    told(out)
    code, out, _ = run(tmp_path, "check", "night-train.toml", "--evenings", "0", "--json")
    words = json.loads(out)["words"]
    assert code == 3
    assert words["contradictions"] == []
    assert {loose["word"] for loose in words["loose"]} == {"soup"}


def test_list(tmp_path: Path) -> None:
    """`list` names every built-in scenario, as text and as JSON."""
    code, out, _ = run(tmp_path, "list")
    assert code == 0
    assert [line.partition(":")[0] for line in out.splitlines() if not line.startswith(" ")] == list(scenario_names())
    assert [entry["id"] for entry in json.loads(run(tmp_path, "list", "--json")[1])] == list(scenario_names())


def test_show(tmp_path: Path) -> None:
    """`show` prints the cast, the rooms and who knows what; its JSON reads back to the same scenario."""
    code, out, _ = run(tmp_path, "show", "dinner-party")
    assert code == 0
    assert "marcus  H  H  H  .  S" in out
    data = json.loads(run(tmp_path, "show", "dinner-party", "--json")[1])
    assert scenario_from_data(data["scenario"]).hash == data["hash"] == scenario("dinner-party").hash
