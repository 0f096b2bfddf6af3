"""The checker names the law that an intention breaks, for every law, and passes those that break none."""

from __future__ import annotations

import json
import math
import random
from dataclasses import dataclass
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest

from volition.arbitration.checker import CheckReport, check_intention
from volition.arbitration.curves import linear
from volition.arbitration.habits import Cooldown, Inertia, Recency
from volition.arbitration.intention import Constraint, Heuristic, heuristic
from volition.arbitration.lookahead import lookahead
from volition.arbitration.samples import BUILT_IN_SAMPLES
from volition.arbitration.tables import RawMeasures, Scores, Violates
from volition.arbitration.tilemap import TileMap, TileSituation
from volition.arbitration.tiles import avoid, hold, reach
from volition.core.errors import InvalidInput

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from tests.sentences import Told

pytestmark = pytest.mark.req("AR-18")

NAMES = ["a", "b", "c", "d"]
SEEN: list[Any] = []


def broken(report: CheckReport) -> list[str]:
    return [finding.law for finding in report.findings if not finding.holds]


def test_the_law_abiding_pass() -> None:
    """Plain functions, decorated ones, and every intent of ours keep the laws."""
    world = TileMap.parse("..~\n...")
    here = TileSituation(world, (1, 0))
    lawful: list[tuple[Any, Any, Any]] = [
        (lambda name: name == "a", NAMES, None),
        (lambda name: "no a's here" if name == "a" else False, NAMES, None),
        (lambda name: None if name == "a" else 0.5, NAMES, None),
        (lambda name, context: context[name], NAMES, dict.fromkeys(NAMES, 1)),
        (Constraint("never", lambda name: False), NAMES, None),
        (heuristic(curve=linear(0, 9))(len), NAMES, None),
        (Violates({"a": "why"}), NAMES, None),
        (Scores({"a": 0.5}), NAMES, None),
        (RawMeasures({"a": 3}, linear(9, 0)), NAMES, None),
        (Inertia("a"), NAMES, None),
        (Cooldown({"a": 2.0}, 1.0), NAMES, None),
        (Recency({"a": 1.0}, 2.0, 5.0), NAMES, None),
        (lookahead(lambda name: [name, name * 2], lambda name: len(name) / 9), NAMES, None),
        (avoid("hazard"), world.moves((1, 0)), here),
        (reach((0, 1), around=["hazard"]), world.moves((1, 0)), here),
        (hold(), world.moves((1, 0)), here),
    ]
    for intention, samples, context in lawful:
        report = check_intention(intention, samples, context=context)
        assert report.ok, str(report)


def test_answers_is_caught() -> None:
    """A function that raises on a candidate is named with the candidate and the error."""
    report = check_intention(lambda name: {"a": 1.0, "b": 0.5, "d": 0.0}[name], NAMES)
    assert broken(report) == ["answers"]
    finding = report.findings[0]
    assert (finding.candidate, finding.evidence) == ("c", "raised KeyError: 'c'")


@pytest.mark.parametrize(
    ("call", "kind", "candidate"),
    [
        (lambda name: None if name == "b" else True, "constraint", "b"),
        (lambda name: 0 if name == "b" else False, "constraint", "b"),
        (lambda name: "" if name == "b" else False, "constraint", "b"),
        (lambda name: name == "b", "heuristic", "a"),
        (lambda name: "0.5" if name == "c" else 0.5, "heuristic", "c"),
        (lambda name: [0.5], None, "a"),
        (lambda name: True if name == "d" else 0.5, None, "d"),
        (lambda name: 0.5 if name == "d" else True, None, "d"),
    ],
)
def test_type_is_caught(call: Callable[[str], Any], kind: Any, candidate: str) -> None:
    """An answer of the wrong type is named with the first candidate that got it; the kind is that of most answers."""
    report = check_intention(call, NAMES, kind=kind)
    assert broken(report) == ["type"]
    assert report.findings[1].candidate == candidate


@pytest.mark.req("AR-08")
@pytest.mark.parametrize("bad", [1.0000001, -2, math.nan, math.inf])
def test_range_is_caught(bad: float) -> None:
    """A score outside [-1, 1], NaN or infinite, is named with its candidate."""
    report = check_intention(lambda name: bad if name == "c" else 1, NAMES)
    assert broken(report) == ["range"]
    assert (report.findings[2].candidate, report.findings[2].evidence) == (
        "c",
        f"answered {bad!r} ({type(bad).__name__})",
    )


def drawing() -> Callable[[str], float]:
    generator = random.Random(1)
    return lambda name: generator.random()


def by_position() -> Callable[[str], float]:
    asked: list[str] = []

    def score(name: str) -> float:
        asked.append(name)
        return 1.0 if asked[-2:] == ["b", "a"] else 0.0

    return score


@dataclass
class Copied:
    """Equal by name; an intention that looks at identity tells copies apart."""

    id: str


ORIGINALS = [Copied("a"), Copied("b")]


@pytest.mark.parametrize(
    ("call", "samples", "when"),
    [
        (drawing(), NAMES, "when asked again"),
        (by_position(), NAMES, "in another order"),
        (lambda thing: any(thing is one for one in ORIGINALS), ORIGINALS, "about an equal copy"),
    ],
)
def test_deterministic_is_caught(call: Callable[[Any], Any], samples: Any, when: str) -> None:
    """An answer that changes when asked again, in another order, or about an equal copy, is shown twice."""
    report = check_intention(call, samples)
    finding = next(finding for finding in report.findings if finding.law == "deterministic")
    assert not finding.holds
    assert finding.evidence.endswith(when)
    assert finding.candidate in {"a", "b"}


def remembers(name: str) -> bool:
    SEEN.append(name)
    return False


def test_pure_is_caught() -> None:
    """Changing the candidate, the context, a global, a cell or a default is reported with what was changed."""

    def marks(thing: Any) -> bool:
        thing.marks.append(1)
        return False

    def counts(name: str, kept: list[str] = []) -> bool:  # noqa: B006  the offence
        kept.append(name)
        return False

    def tells(name: str, context: list[str]) -> bool:
        context.append(name)
        return False

    def recalls(name: str) -> bool:
        cell.append(name)
        return False

    cell: list[str] = []
    things = [SimpleNamespace(id="x", marks=[]), SimpleNamespace(id="y", marks=[])]
    offences: list[tuple[Any, Any, Any, str]] = [
        (marks, things, None, "asking changed the candidate"),
        (tells, NAMES, [], "asking changed the context"),
        (remembers, NAMES, None, "asking changed global 'SEEN'"),
        (recalls, NAMES, None, "asking changed closure cell 'cell'"),
        (counts, NAMES, None, "asking changed its defaults"),
    ]
    for call, samples, context, evidence in offences:
        report = check_intention(call, samples, context=context)
        assert broken(report) == ["pure"]
        assert report.findings[-1].evidence == evidence


@pytest.mark.parametrize(
    ("answer", "evidence"),
    [
        (lambda names: [0.5] * max(1, len(names) - 1), "3 answers for 4 candidates"),
        (
            lambda names: [n / 9 for n in range(len(names))],
            "0.0 (float) alone, 0.1111111111111111 (float) among others",
        ),
        (lambda names: [0.1 / (2 - len(names))] if len(names) < 3 else 1 / 0, "raised ZeroDivisionError"),
    ],
)
def test_batch_is_caught(answer: Callable[[Sequence[str]], Any], evidence: str) -> None:
    """A batch form that gives another count, or other answers than one by one, is reported."""
    report = check_intention(heuristic(id="many", batch=True)(answer), NAMES)
    assert broken(report) == ["batch"]
    assert report.findings[-1].evidence.startswith(evidence)


MODULE = """
from volition.arbitration.intention import Constraint, heuristic
from volition.arbitration.tables import Scores

LETTERS = set("abcdefghijklmnopqrstuvwxyz")

def seeded(name):
    return (ord(next(iter(LETTERS))) - 97) / 100

@heuristic
def decorated(name):
    print("noise on standard output")
    return 0.25

unnamed = Constraint("unnamed", lambda name: name == "a")
"""


def test_process_is_caught(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An answer that depends on the hash seed is caught by asking in other processes; other answers agree there."""
    (tmp_path / "asked_elsewhere.py").write_text(MODULE)
    monkeypatch.syspath_prepend(tmp_path)
    import asked_elsewhere  # type: ignore[import-not-found]

    report = check_intention(asked_elsewhere.seeded, NAMES, other_process=True)
    assert broken(report) == ["process"]
    assert "in another process (hash seed" in report.findings[-1].evidence
    assert check_intention(asked_elsewhere.decorated, NAMES, other_process=True).ok
    assert check_intention(Scores({"a": 1.0}), NAMES, other_process=True).ok
    named = check_intention(asked_elsewhere.unnamed, NAMES, other_process=True, reference="asked_elsewhere:unnamed")
    assert named.ok
    assert named.findings[-1].law == "process"


def test_what_cannot_be_asked_elsewhere_is_refused(told: Told) -> None:
    """A function without a name, or samples that cannot be sent, are refused with a remedy."""
    with told.raises(InvalidInput):
        check_intention(lambda name: 0.5, NAMES, other_process=True)
    with pytest.raises(InvalidInput, match="cannot be pickled"):
        check_intention(Scores({}), [lambda: None], other_process=True)
    with told.raises(InvalidInput):
        check_intention(Scores({}), NAMES, other_process=True, reference="nowhere_at_all:x")


@pytest.mark.parametrize(
    ("call", "family"),
    [
        (lambda name: len(name) / 100, "texts"),
        (math.tanh, "numbers"),
        (lambda tile: tile.position == (0, 0), "tiles"),
        (avoid("hazard"), "tiles"),
        (lambda thing: thing["cost"] > 1, "mappings"),
        (lambda thing: thing.value, "namespaces"),
    ],
)
def test_built_in_samples_suit_common_shapes(call: Any, family: str) -> None:
    """Without samples the first family that the intention can read is used, and stays as it was."""
    report = check_intention(call)
    assert report.ok, str(report)
    assert report.samples == f"{len(BUILT_IN_SAMPLES[family].candidates)} built-in samples ({family})"


def test_built_in_samples_cannot_be_spoilt() -> None:
    """An intention that changes its candidates changes copies of the built-in ones."""

    def spoils(thing: Any) -> bool:
        thing["cost"] = -1
        return bool(thing["id"] == "nobody")

    assert broken(check_intention(spoils)) == ["pure"]
    assert [thing["cost"] for thing in BUILT_IN_SAMPLES["mappings"].candidates] == [0.0, 1.0, 0.25]


def test_no_family_suits(told: Told) -> None:
    """Where it raises on every family, the families and their errors are named, and samples asked for."""
    with told.raises(InvalidInput):
        check_intention(lambda ship: ship.hull.strength)


@pytest.mark.parametrize(
    "misuse",
    [
        lambda: check_intention(3),  # type: ignore[arg-type]
        lambda: check_intention(remembers, []),
        lambda: check_intention(remembers, "abc"),
        lambda: check_intention(remembers, kind="veto"),  # type: ignore[arg-type]
        lambda: check_intention(Constraint("a", remembers), kind="heuristic"),
        lambda: check_intention(Violates({"a"}), kind="heuristic"),
    ],
)
def test_misuse_is_refused(misuse: Callable[[], Any]) -> None:
    """What is no intention, no samples and no kind is refused."""
    with pytest.raises(InvalidInput):
        misuse()


def test_report_as_data_and_text(told: Told) -> None:
    """A report is plain data and a short text, and both name each law once."""
    report = check_intention(Heuristic("goal", lambda name: 2.0), NAMES)
    data = json.loads(json.dumps(report.to_data()))
    assert (data["intention"], data["kind"], data["ok"]) == ("goal", "heuristic", False)
    laws = [finding["law"] for finding in data["findings"]]
    assert laws == ["answers", "type", "range", "deterministic", "pure"]
    told(report)


def test_names_hold_no_addresses() -> None:
    """A candidate that prints as an address is named by its number."""
    report = check_intention(lambda thing: 2.0, [object()])
    assert report.findings[2].candidate == "sample 0"
