"""`volition doctor` as a person runs it: text for people, JSON for programs, and an exit code that says which."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import pytest
from msgspec import structs

from tests.cli.lines import run, run_json
from tests.drama.doctor.test_cure import Invented
from tests.drama.doctor.test_doctor import HEALTHY
from volition.cli.exits import DONE, INVALID_INPUT, NEEDS_A_PERSON
from volition.cli.printing import progress
from volition.core.document import dump_json
from volition.drama import doctor as doctor_room
from volition.drama import ensemble
from volition.drama.doctor import find_cure, search
from volition.drama.world.rulebook import shipped_text
from volition.drama.world.scenario import scenario, scenario_to_data
from volition.drama.world.settings import Setting, apply_settings

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

    from tests.sentences import Told
    from volition.arbitration import Intention
    from volition.drama.batch.measures import Measures
    from volition.drama.doctor.cure import Cure
    from volition.drama.world.model import Scenario

pytestmark = pytest.mark.req("DE-14")


CURES: dict[tuple[str, str, range, range, int], Cure] = {}


def cure_of(given: Scenario, seeds: range, fresh: range, rounds: int) -> Cure:
    """The cure of a scenario by invented evenings; it is searched once, and given to all who ask for the same."""
    asked = (given.id, given.hash, seeds, fresh, rounds)
    if asked not in CURES:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(search, "DRIFTS", 10)  # invented evenings hang on nothing that is changed by chance
            CURES[asked] = find_cure(given, seeds, fresh, rounds=rounds, play=Invented())
    return CURES[asked]


def test_text_and_json(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """Text and JSON say the same about the same seeds, which are played once for both, with exit code 3 for symptoms."""
    played: dict[tuple[str, range], tuple[Measures, ...]] = {}
    really = ensemble.ensemble

    def once(given: Scenario, seeds: range, **options: Any) -> tuple[Measures, ...]:
        if (given.hash, seeds) not in played:
            played[given.hash, seeds] = really(given, seeds, **options)
        return played[given.hash, seeds]

    monkeypatch.setattr(ensemble, "ensemble", once)
    short = apply_settings(scenario("winter-station"), [Setting("evening.ticks", None, 12)])
    file = tmp_path / "short.json"
    file.write_text(dump_json(scenario_to_data(short)), encoding="utf-8")
    arguments = (file, "--seeds", "2", "--first-seed", "5")
    code, out, err = run(capsys, "doctor", *arguments, "--workers", "1")
    assert (code, err) == (NEEDS_A_PERSON, "")
    assert out.startswith("winter-station: 2 evenings, seeds 5 to 6\n")
    code, report = run_json(capsys, "doctor", *arguments, "--workers", "1")
    assert code == NEEDS_A_PERSON
    assert (report["scenario"], report["evenings"], report["seeds"]) == ("winter-station", 2, [5, 6])
    assert report["hash"] == short.hash
    assert not report["healthy"]
    for symptom in report["symptoms"]:
        assert symptom["name"][1:] in out
        assert all(setting["path"] in out for setting in symptom["settings"])
    assert [row["holds"] for row in report["targets"]] == [
        line.split()[0] == "holds" for line in out.splitlines() if line.startswith(("  holds", "  FAILS"))
    ]


def test_healthy(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """If every target is met and there is no symptom, it ends with 0; it plays the requested seeds."""
    asked: list[tuple[str, list[int], int | None]] = []

    def played(
        given: Scenario,
        seeds: Iterable[int],
        *,
        workers: int | None,
        terms: tuple[Intention, ...],
        progress: Callable[[int, int], None] | None,
        notice: Callable[[str], None],
    ) -> tuple[Measures, ...]:
        asked.append((given.id, list(seeds), workers))
        assert (progress, len(terms)) == (None, 0)
        return tuple(HEALTHY)

    monkeypatch.setattr(ensemble, "ensemble", played)
    code, out, _ = run(capsys, "doctor", "dinner-party", "--seeds", "3", "--first-seed", "11")
    assert (code, asked) == (DONE, [("dinner-party", [11, 12, 13], None)])
    assert out.endswith("Every target holds, and there is no symptom.\n")


def test_fix(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], told: Told) -> None:
    """With --fix the settings that were found are written to a new file; it tunes on a quarter, and judges on others. Where
    symptoms are left there, the exit code is 3."""
    asked: list[tuple[range, range, int]] = []

    def found(given: Scenario, seeds: range, fresh: range, *, rounds: int, **_: object) -> Cure:
        asked.append((seeds, fresh, rounds))
        return cure_of(given, seeds, fresh, rounds)

    monkeypatch.setattr(doctor_room, "find_cure", found)
    file = tmp_path / "new.toml"
    arguments = (
        "doctor",
        "dinner-party",
        "--fix",
        "--seeds",
        "8",
        "--first-seed",
        "5",
        "--rounds",
        "3",
        "--out",
        str(file),
    )
    code, out, err = run(capsys, *arguments)
    assert (code, err, asked) == (DONE, "", [(range(5, 7), range(7, 15), 3)])
    told(out)
    assert out.splitlines()[-1].startswith(f"wrote {file}")
    assert file.read_text(encoding="utf-8").count("sigma = ") == 1
    assert [entry.name for entry in tmp_path.iterdir()] == ["new.toml"]
    code, out, err = run(capsys, *arguments)
    assert (code, out, len(asked)) == (INVALID_INPUT, "", 1)
    told(err)
    code, data = run_json(capsys, *arguments[:-1], str(tmp_path / "other.toml"))
    assert (code, data["scenario"]) == (DONE, "dinner-party")
    assert all(entry["reason"] for entry in data["settings"])

    def of_no_use(given: Scenario, seeds: range, fresh: range, *, rounds: int, **_: object) -> Cure:
        cure = cure_of(given, seeds, fresh, rounds)
        return structs.replace(cure, after=cure.before)

    monkeypatch.setattr(doctor_room, "find_cure", of_no_use)
    assert run(capsys, *arguments[:-1], str(tmp_path / "third.toml"))[0] == NEEDS_A_PERSON


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A file of an author's, for which a cure is found at once."""
    monkeypatch.setattr(
        doctor_room,
        "find_cure",
        lambda given, seeds, fresh, *, rounds, **_: cure_of(given, seeds, fresh, rounds),
    )
    file = tmp_path / "mine.toml"
    file.write_text(shipped_text("dinner-party")[0], encoding="utf-8")
    return file


@pytest.mark.req("DE-14", "DE-34")
def test_apply(own: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """With --fix --apply the scenario's own file is changed, and nothing else is written: every line but those of the changed
    settings stays. What differs is shown, and is in the JSON."""
    before = own.read_text(encoding="utf-8")
    code, out, err = run(capsys, "doctor", str(own), "--fix", "--apply", "--seeds", "8", "--rounds", "3")
    after = own.read_text(encoding="utf-8")
    assert (code, err, [entry.name for entry in own.parent.iterdir()]) == (DONE, "", ["mine.toml"])
    assert out.endswith(f"changed {own}\n")
    lines = [line for line in out.splitlines() if line.startswith(("+", "-")) and line[:3] not in {"+++", "---"}]
    kept = [line for line in before.splitlines() if f"-{line}" not in lines]
    assert [line for line in after.splitlines() if f"+{line}" not in lines] == kept
    assert {line.split()[0] for line in lines} == {"-sigma", "+sigma", "-lie_pull", "+lie_pull"}
    own.write_text(before, encoding="utf-8")
    code, data = run_json(capsys, "doctor", str(own), "--fix", "--apply", "--seeds", "8", "--rounds", "3")
    assert (code, data["file"], own.read_text(encoding="utf-8")) == (DONE, str(own), after)
    assert all(line in data["diff"] for line in lines)
    assert {setting["path"] for setting in data["settings"]} == {"rules.noise.sigma", "rules.departures.lie_pull"}


def test_nothing_is_applied_to_what_changed_meanwhile(
    own: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], told: Told
) -> None:
    """If the file is changed while the search runs, that change stays and nothing is written."""
    found = doctor_room.find_cure

    def slow(*given: Any, **options: Any) -> Cure:
        own.write_text(own.read_text(encoding="utf-8") + "# a thought\n", encoding="utf-8")
        return found(*given, **options)

    monkeypatch.setattr(doctor_room, "find_cure", slow)
    code, _, err = run(capsys, "doctor", str(own), "--fix", "--apply", "--seeds", "8", "--rounds", "3")
    assert code == INVALID_INPUT
    told(err)
    assert own.read_text(encoding="utf-8") == shipped_text("dinner-party")[0] + "# a thought\n"


@pytest.mark.parametrize(
    ("arguments", "places", "said"),
    [
        (("mine.toml", "--apply"), ["--apply"], "add --fix"),
        (("mine.toml", "--fix", "--apply", "--out", "x.toml"), ["--out"], "one file to write"),
        (("dinner-party", "--fix", "--apply"), ["--apply"], "volition scenario new NAME --from dinner-party"),
        (("mine.json", "--fix", "--apply"), ["--apply"], "not TOML"),
        (("dinner-party", "--apply", "--out", "x.toml"), ["--apply", "--out", "--apply"], "nothing to apply"),
    ],
)
def test_what_cannot_be_applied(
    arguments: tuple[str, ...], places: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """--apply needs --fix and a TOML file of one's own; every problem is named at once, before anything is played."""
    code, _, err = run(capsys, "doctor", *arguments)
    assert (code, said in err) == (INVALID_INPUT, True)
    assert err.count("where:") == len(places)


def test_a_bar_for_somebody_who_looks_on(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """On a terminal the bar goes to stderr and leaves stdout alone."""
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    with progress("a title") as tell:
        assert tell is not None
        tell(1, 2)
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize(
    "arguments",
    [("dinner-party", "--seeds", "0"), ("dinner-party", "--workers", "0"), ("dinner-party", "--seeds", "x"), ()],
)
def test_invalid_input(arguments: tuple[str, ...], capsys: pytest.CaptureFixture[str]) -> None:
    """Invalid options end with 2."""
    code, out, _ = run(capsys, "doctor", *arguments)
    assert (code, out) == (INVALID_INPUT, "")


def test_help(capsys: pytest.CaptureFixture[str]) -> None:
    """Help says what it does, how it ends, and how it is called."""
    code, out, _ = run(capsys, "doctor", "--help")
    assert code == 0
    assert "volition doctor dinner-party --first-seed 50001 --json" in out
    for option in ("--seeds", "--first-seed", "--workers", "--fix", "--rounds", "--out", "--apply", "--json"):
        assert option in out
