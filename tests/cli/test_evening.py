"""`volition play`, `explain`, `transcript`, `replay`, `fork` and `runs`, as a person uses them one after the other."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
from shutil import copytree
from typing import TYPE_CHECKING, Any

import pytest

from tests.cli.lines import run, run_json
from tests.minds.server import answers, completion, serving
from tests.processes import PATIENCE
from tests.sentences import lines_about
from volition.core.document import dump_json
from volition.drama.evening.play_many import play_many
from volition.drama.playing.evening import Evening, play
from volition.drama.stage import archive, record
from volition.drama.world.scenario import scenario, scenario_to_data
from volition.drama.world.settings import Setting, apply_settings

if TYPE_CHECKING:
    from pathlib import Path

    from tests.sentences import Told
    from volition.drama.world.model import Scenario

RUN = "dinner-party-8"
SHORT = "short.json"


def short_party() -> Scenario:
    """The dinner party, which ends after 44 ticks."""
    return apply_settings(scenario("dinner-party"), [Setting("evening.ticks", None, 44)])


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder in which one whole evening was played, of a scenario that ends soon after what is asked about here."""
    folder = tmp_path_factory.mktemp("home")
    (folder / SHORT).write_text(dump_json(scenario_to_data(short_party())))
    subprocess.run(
        [sys.executable, "-m", "volition.cli", "play", SHORT, "--seed", "8"],
        cwd=folder,
        check=True,
        capture_output=True,
        timeout=PATIENCE,
    )
    return folder


@pytest.fixture
def home(recorded: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of that folder, to work in."""
    folder = copytree(recorded, tmp_path / "home")
    monkeypatch.chdir(folder)
    return folder


def success(capsys: pytest.CaptureFixture[str], *arguments: str) -> Any:
    """What a command line answers with --json; its exit code is 0."""
    code, data = run_json(capsys, *arguments)
    assert code == 0
    return data


def test_an_evening_is_played_and_recorded(home: Path, capsys: pytest.CaptureFixture[str], told: Told) -> None:
    """`play` says how it ended and where it is; the record says the same, and so does `runs`."""
    code, out, _ = run(capsys, "play", "--seed", "3", "--ticks", "12")
    assert code == 0
    told(*lines_about(out, "seed 3", "--tick"))
    assert len(Evening.load(home / "volition-runs" / "dinner-party-3").run.ticks) == 12
    code, out, _ = run(capsys, "runs")
    assert [line.partition(":")[0] for line in out.splitlines()] == ["dinner-party-3", RUN]
    assert [entry["id"] for entry in success(capsys, "runs")] == ["dinner-party-3", RUN]


def test_a_run_is_never_overwritten(home: Path, capsys: pytest.CaptureFixture[str], told: Told) -> None:
    """The same evening played again gets a new folder, and --out accepts only a new folder."""
    before = (home / "volition-runs" / RUN / "000001.jsonl").read_bytes()
    played = success(capsys, "play", "--seed", "8", "--ticks", "3")
    assert played["run"] == f"{RUN}.2"
    code, _, err = run(capsys, "play", "--seed", "8", "--out", f"volition-runs/{RUN}")
    assert code == 2
    told(err)
    assert (home / "volition-runs" / RUN / "000001.jsonl").read_bytes() == before


def test_the_same_seed_gives_the_same_bytes(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Two processes record the same evening to the byte."""
    assert run(capsys, "play", SHORT, "--seed", "8", "--out", "again")[0] == 0
    files = [folder / "000001.jsonl" for folder in (home / "again", home / "volition-runs" / RUN)]
    assert files[0].read_bytes() == files[1].read_bytes()


@pytest.mark.req("DE-10")
def test_any_choice_is_explained(home: Path, capsys: pytest.CaptureFixture[str], told: Told) -> None:
    """`explain` shows every candidate with every term, what the situation was made of, and why not another."""
    choice = Evening.load(home / "volition-runs" / RUN).run.ticks[40].choices["victor"]
    given = ("explain", RUN, "--tick", "40", "--agent", "victor", "--why-not", "conflict:secret_embezzle_01:marcus")
    code, out, _ = run(capsys, *given)
    assert code == 0
    told(*lines_about(out, "act:", "situation of"))
    assert "more survivors" not in out
    assert "was outscored" in out
    data = success(capsys, *given)
    totals = data["decision"]["trace"]["aggregate"]
    assert data["decision"]["candidate"] == choice.id
    assert totals[choice.id]["total"] == choice.score == data["choice"]["score"]
    votes = totals["conflict:secret_embezzle_01:marcus"]["votes"]
    assert sum(data["situation"]["conflict:secret_embezzle_01:marcus"].values()) == votes["situation"]["contribution"]


@pytest.mark.parametrize(
    ("given", "named"),
    [
        (("explain", "nothing", "--tick", "1", "--agent", "victor"), "there is no run 'nothing'"),
        (("explain", RUN, "--tick", "999", "--agent", "victor"), "nothing was decided at tick 999"),
        (("explain", RUN, "--tick", "5", "--agent", "vctor"), "did you mean 'victor'"),
        (("fork", RUN, "--at", "25"), "the fork changes nothing"),
        (
            ("fork", RUN, "--at", "40", "--force", "conflict:secret_embezzle_01:marcus"),
            "could all do 'conflict:secret_embezzle_01:marcus'",
        ),
        (("fork", RUN, "--at", "25", "--force", "conflict:marcu", "--agent", "victor"), "did you mean"),
        (("fork", RUN, "--at", "25", "--set", "victor.stress=9"), "a number from 0 to 1"),
        (("fork", RUN, "--at", "25", "--set", "victor.strss=0.5"), "did you mean 'stress'"),
        (("fork", RUN, "--at", "25", "--set", "stress"), "PERSON.PART=VALUE"),
        (("play", "no-such-scenario"), "no-such-scenario"),
    ],
    ids=lambda value: "" if isinstance(value, tuple) else value[:24],
)
def test_what_cannot_be_asked_is_named(
    home: Path, capsys: pytest.CaptureFixture[str], given: tuple[str, ...], named: str
) -> None:
    """An invalid question ends with 2, says what would be valid, and leaves nothing behind."""
    before = sorted(home.rglob("*"))
    code, _, err = run(capsys, *given)
    assert (code, named in err) == (2, True), err
    assert sorted(home.rglob("*")) == before


def test_who_has_left_or_breaks_chose_nothing(home: Path, capsys: pytest.CaptureFixture[str], told: Told) -> None:
    """Asking for a choice that was not made says why there was none; `runs` says how such an evening ended."""
    evening = play(scenario("dinner-party"), 9)
    evening.save(home / "volition-runs" / "broken")
    broke = next(event for event in evening.events if event.type.name == "CATASTROPHE")
    code, _, err = run(capsys, "explain", "broken", "--tick", str(broke.tick), "--agent", broke.source)
    assert (code, "broke down" in err) == (3, True)
    code, _, err = run(capsys, "explain", "broken", "--tick", str(evening.last - 1), "--agent", evening.run.left[0])
    assert (code, "had left" in err) == (3, True)
    told(*lines_about(run(capsys, "runs")[1], "broken"))


def test_an_evening_is_told(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """`transcript` is the same every time, and names everybody."""
    code, out, _ = run(capsys, "transcript", RUN)
    assert code == 0
    assert success(capsys, "transcript", RUN)["transcript"] == out
    assert all(name in out for name in ("Marcus", "Elena", "Victor", "Lydia", "Diana", "Thorne"))


def test_an_evening_is_told_with_own_phrases(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """`transcript --phrases` adds a file of phrases; all faults of the file are reported at once, and nothing is told."""
    (home / "mine.toml").write_text('replace = ["talk.warm"]\n[talk]\nwarm = [["So, {whom}.", "So, {who}."]]\n')
    code, out, _ = run(capsys, "transcript", RUN, "--phrases", "mine.toml")
    assert code == 0
    assert '"So, Elena."' in out
    (home / "bad.toml").write_text('[talk]\nwarm = ["{whom}", ["{nobody}", "Yes."]]\n[chat]\nwarms = ["{who}"]\n')
    code, out, err = run(capsys, "transcript", RUN, "--phrases", "bad.toml")
    assert (code, out) == (2, "")
    assert all(f"bad.toml, {place}" in err for place in ("talk.warm[0]", "talk.warm[1]", "chat.warms"))


NARRATORS = """
from volition.drama import TemplateNarrator

class Clerk:
    def opening(self, scenario): return ["Minutes"]
    def heading(self, world, event): return []
    def tell(self, world, event): return [event.id]
    def closing(self, run): return ["Closed"]

class Loud(TemplateNarrator):
    def speak(self, utterance): return utterance.draft.upper()

clerk = Clerk()
nobody = 3
"""


def test_an_evening_is_told_by_another(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """`transcript --narrator` takes a class or an object; a template narrator gets the seed and the phrases."""
    (home / "mouths.py").write_text(NARRATORS)
    for name in ("Clerk", "clerk"):
        code, out, _ = run(capsys, "transcript", RUN, "--narrator", f"mouths:{name}")
        assert (code, out.startswith("Minutes\n\ne0001\n"), out.endswith("Closed\n")) == (0, True, True)
    plain = run(capsys, "transcript", RUN)[1]
    loud = run(capsys, "transcript", RUN, "--narrator", "mouths:Loud")[1]
    assert loud != plain
    assert loud.upper() == plain.upper()


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--narrator", "mouths:nobody"), "lacks opening, heading, tell, closing"),
        (("--narrator", "mouths:Clerk", "--phrases", "mine.toml"), "takes no phrases"),
        (("--narrator", "mouths:Clerk", "--endpoint", "http://localhost:1", "--model", "m"), "together"),
        (("--endpoint", "http://localhost:1"), "--model"),
        (("--at-once", "2"), "without --endpoint"),
        (("--endpoint", "nowhere", "--model", "m"), "no address"),
        (("--phrases", "nowhere.toml"), "no such file"),
    ],
)
def test_options_that_do_not_go_together(
    home: Path, capsys: pytest.CaptureFixture[str], options: tuple[str, ...], said: str
) -> None:
    """Options that cannot be used, alone or together, are refused with a remedy, and nothing is told."""
    (home / "mouths.py").write_text(NARRATORS)
    (home / "mine.toml").write_text('[talk]\nsides = ["So."]\n')
    code, out, err = run(capsys, "transcript", RUN, *options)
    assert (code, out) == (2, "")
    assert said in err


def test_an_endpoint_is_asked_once(
    home: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, told: Told
) -> None:
    """An endpoint's lines are told, with its key and a few at the same time; the second time they come from the cache."""
    monkeypatch.setenv("VOLITION_CACHE", str(home / "cache"))
    monkeypatch.setenv("VOLITION_ENDPOINT_KEY", "mine")
    short = success(capsys, "play", "--seed", "8", "--ticks", "40")["run"]
    with serving(answers(completion("I would rather say nothing"))) as server:
        options = ("--endpoint", server.url, "--model", "small", "--at-once", "2")
        code, out, err = run(capsys, "transcript", short, *options)
    assert (code, out.count("I would rather say nothing") > 20) == (0, True)
    assert f"lines asked for: {len(server.asked)}, " in err
    told(err)
    assert {headers["Authorization"] for headers in server.headers_seen} == {"Bearer mine"}
    again = run(capsys, "transcript", short, *options)
    assert again[:2] == (code, out)
    told(again[2])


def test_an_endpoint_that_fails_is_reported(
    home: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, told: Told
) -> None:
    """Where the endpoint fails, templates speak: the transcript is complete, and stderr says what happened."""
    monkeypatch.setenv("VOLITION_CACHE", str(home / "cache"))
    short = success(capsys, "play", "--seed", "8", "--ticks", "20")["run"]
    plain = run(capsys, "transcript", short)[1]
    code, out, err = run(capsys, "transcript", short, "--endpoint", "http://127.0.0.1:1/v1", "--model", "small")
    assert (code, out) == (0, plain)
    told(err)


@pytest.mark.req("DE-17")
def test_a_replay_fits_and_can_be_verified(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """`replay` rebuilds the evening from its log, and names its state as ensembles do; --verify plays it again; --tick shows a state."""
    whole = success(capsys, "replay", RUN, "--verify")
    assert whole["finished"]
    assert whole["verified"] == whole["ticks"]
    assert whole["packed"] == play_many(short_party(), [8], engine="interpreted").digest(0)
    assert f"packed {whole['packed'][:12]}" in run(capsys, "replay", RUN)[1]
    middle = success(capsys, "replay", RUN, "--tick", "40")
    assert middle["tick"] == 40 == middle["world"]["tick"]
    assert middle["state"] != whole["state"]
    assert run(capsys, "replay", RUN, "--verify")[0] == 0


@pytest.mark.req("DE-17")
def test_a_run_that_was_cut_is_unfinished(home: Path, capsys: pytest.CaptureFixture[str], told: Told) -> None:
    """A file cut in the middle of a line is valid up to its last tick, and is reported to have no ending."""
    file = home / "volition-runs" / RUN / "000001.jsonl"
    file.write_bytes(file.read_bytes()[: file.stat().st_size // 2])
    code, out, _ = run(capsys, "replay", RUN)
    assert code == 3
    told(out.splitlines()[1])
    code, _, err = run(capsys, "replay", RUN, "--verify")
    assert (code, "torn tail" in err) == (3, True)
    told(run(capsys, "runs")[1])
    assert run(capsys, "transcript", RUN)[0] == 0
    assert run(capsys, "explain", RUN, "--tick", "5", "--agent", "victor")[0] == 0


@pytest.mark.req("DE-17")
def test_a_run_that_was_edited_is_broken(home: Path, capsys: pytest.CaptureFixture[str], told: Told) -> None:
    """A changed byte is found, with its place, by every command that reads the run."""
    file = home / "volition-runs" / RUN / "000001.jsonl"
    file.write_bytes(file.read_bytes().replace(b'"conflict:secret_embezzle_01:marcus"', b'"conflict:diana0"', 1))
    for command in (("replay", RUN), ("transcript", RUN), ("explain", RUN, "--tick", "5", "--agent", "victor")):
        code, _, err = run(capsys, *command)
        assert code == 3, err
        told(err)
    assert "broken" in run(capsys, "runs")[1]


@pytest.mark.req("DE-17")
def test_nothing_is_guessed_of_other_rules(
    home: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A run made by other rules can be read and narrated, but not explained, branched or verified."""
    monkeypatch.setattr("volition.drama.stage.archive.RULES_VERSION", record.RULES_VERSION + 1)
    for command in (
        ("explain", RUN, "--tick", "5", "--agent", "victor"),
        ("fork", RUN, "--at", "5", "--veto", "internal", "--agent", "victor"),
        ("replay", RUN, "--verify"),
    ):
        code, _, err = run(capsys, *command)
        assert (code, f"made by rules {record.RULES_VERSION}" in err) == (2, True), err
    assert run(capsys, "replay", RUN)[0] == 0
    assert run(capsys, "transcript", RUN)[0] == 0


@pytest.mark.req("DE-17")
def test_a_header_that_lies_about_its_scenario_is_noticed(
    home: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, told: Told
) -> None:
    """A run put together by hand, whose scenario is not the one its header names, is refused."""
    evening = Evening.load(home / "volition-runs" / RUN)
    honest = archive.meta_of

    def lying(run: record.Run) -> dict[str, Any]:
        return {**honest(run), "scenario_hash": "0" * 64}

    monkeypatch.setattr(archive, "meta_of", lying)
    evening.save(home / "forged")
    code, _, err = run(capsys, "replay", "forged")
    assert code == 3
    told(err)


def test_a_branch_says_what_changed(home: Path, capsys: pytest.CaptureFixture[str], told: Told) -> None:
    """`fork` records the branch, says what differs, and the branch verifies and explains like any run."""
    given = ("fork", RUN, "--at", "40", "--force", "conflict:secret_embezzle_01:marcus", "--agent", "victor")
    data = success(capsys, *given, "--by", "ann")
    assert data["parted"] == 40
    assert data["choices"][0][1] == "victor"
    assert data["choices"][0][3] == "conflict:secret_embezzle_01:marcus"
    branch = data["run"]
    assert success(capsys, "replay", branch, "--verify")["verified"] > 40
    explained = success(capsys, "explain", branch, "--tick", "40", "--agent", "victor")["decision"]
    assert explained["candidate"] == "conflict:secret_embezzle_01:marcus"
    assert explained["trace"]["filter"]["internal"] == {"interference": "another is forced"}
    told(run(capsys, "runs")[1])
    code, out, _ = run(capsys, *given)
    assert code == 0
    told(*out.splitlines()[:2])


def test_on_a_terminal_the_evening_can_be_watched(tmp_path: Path) -> None:
    """On a terminal `play` shows rooms, bars and narration while it runs, and a summary at the end."""
    leader, follower = pty.openpty()
    command = [sys.executable, "-m", "volition.cli", "play", "--ticks", "6", "--pace", "0.2"]
    environment = {**os.environ, "TERM": "xterm-256color", "COLUMNS": "120", "LINES": "40"}
    with subprocess.Popen(command, cwd=tmp_path, stdout=follower, stderr=follower, env=environment) as process:
        os.close(follower)
        shown = b""
        while chunk := _read(leader):
            shown += chunk
        assert process.wait(timeout=PATIENCE) == 0
    os.close(leader)
    for part in (b"composure", b"the dining table", b"just now", b"Victor Hale", b"recorded in"):
        assert part in shown, part


def _read(leader: int) -> bytes:
    try:
        return os.read(leader, 65536)
    except OSError:
        return b""
