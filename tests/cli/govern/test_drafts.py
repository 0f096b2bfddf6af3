"""`volition govern new` and `seal`: nobody writes eighteen fields and a hash by hand."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from tests.cli.govern.desk import content_of, govern, lay_out, situation
from volition.core.document import dump_json

if TYPE_CHECKING:
    from pathlib import Path

    from tests.sentences import Told

NOW = "2026-01-25T10:00:00Z"


@pytest.fixture(autouse=True)
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder in which all of it happens."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.req("GV-01", "GV-02")
def test_from_nothing_to_an_evaluation(desk: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Two drafts and a set of them are valid as they are written, and can be evaluated at once."""
    for title, file in (("Add logging", "src/api/routes.py"), ("Fix the cart", "src/cart.py")):
        command = f"do_it: write: change {file}"
        code, out, _ = govern(capsys, "new", "intent", title, "--project", "shop", "--file", file, "--command", command)
        assert (code, out.startswith("wrote intent_")) == (0, True)
    names = ("intent_add_logging.json", "intent_fix_the_cart")
    assert govern(capsys, "new", "set", "monday batch", *names, "--project", "shop", "--env", "dev")[0] == 0
    assert sorted(content_of(desk)) == ["intent_add_logging.json", "intent_fix_the_cart.json", "intent_set_monday_batch.json"]  # fmt: skip
    assert govern(capsys, "validate", "--kind", "intent", "intent_add_logging.json", "intent_fix_the_cart.json")[0] == 0
    assert govern(capsys, "validate", "--kind", "intent_set", "intent_set_monday_batch.json")[0] == 0
    assert govern(capsys, "evaluate", "intent_set_monday_batch.json")[0] == 0


def test_all_that_can_be_said(desk: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Every option of a draft is in the document."""
    given = [
        "--project", "shop", "--module", "service:api", "--area", "ops", "--evidence", "note://plan", "--priority", "7",
        "--depends-on", "intent_earlier", "--by", "ada", "--status", "approved", "--lock", "src", "--mode", "semi_auto",
        "--goal", "Bring it out", "--command", "bring_out: deploy+network: deploy the service api", "--now", NOW,
        "--out", "plan.json",
    ]  # fmt: skip
    assert govern(capsys, "new", "intent", "Deploy the API", *given)[0] == 0
    made = json.loads((desk / "plan.json").read_bytes())
    assert made["metadata"] == {"priority": 7, "depends_on": ["intent_earlier"]}
    assert made["constraints"]["lock_scope"] == {"mode": "files", "paths": ["src"]}
    assert (made["interaction"]["mode"], made["status"], made["audit"]["created_by"]) == (
        "semi_auto",
        "approved",
        "ada",
    )
    assert (made["objective"]["goal"], made["created_at"]) == ("Bring it out", NOW)
    assert made["planned_commands"][0]["effects"] == ["deploy", "network"]
    names = ["intent_abcdef", "intent_bcdefg"]
    assert govern(capsys, "new", "set", "pair", *names, "--project", "shop", "--env", "prod", "--purpose", "why", "--complementary", *names, "--out", "s.json")[0] == 0  # fmt: skip
    made = json.loads((desk / "s.json").read_bytes())
    assert made["metadata"] == {"purpose": "why", "merge_hints": {"complementary": [names]}}
    assert made["context"] == {"project_id": "shop", "env": "prod"}


def test_who_works_on_it_and_how(desk: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Agents, phases, risk, reviews and budgets have options; the source of an agent's plan is not human."""
    given = [
        "--project", "shop", "--file", "a.py", "--agent", "coder: engineer", "--agent", "checker", "--phase", "design",
        "--phase", "implementation", "--risk", "high", "--review", "cost", "--max-files", "3", "--max-commits", "2",
        "--max-tokens", "900", "--max-cost-usd", "1.5", "--command", "add_it: create+write: add it", "--out", "plan.json",
    ]  # fmt: skip
    assert govern(capsys, "new", "intent", "Add a thing", *given)[0] == 0
    made = json.loads((desk / "plan.json").read_bytes())
    assert [(agent["agent_id"], agent["role"]) for agent in made["selected_agents"]] == [
        ("coder", "engineer"),
        ("checker", "author"),
    ]
    assert made["selected_workflows"][0]["phases"] == ["design", "implementation"]
    assert (made["risk"]["overall"], made["risk"]["requires_review"]) == ("high", ["cost"])
    assert made["budgets"] == {"max_files": 3, "max_commits": 2, "max_tokens": 900, "max_cost_usd": 1.5}
    assert (made["audit"]["created_by"], made["audit"]["source"]) == ("coder", "agentos")
    assert made["planned_commands"][0]["effects"] == ["create", "write"]
    assert "create+write" in govern(capsys, "new", "intent", "--help")[1]


def test_an_example_to_try_things_on(desk: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Every sample is written completely into a new folder, and the suggested command evaluates it; a taken name is refused."""
    for sample, code in (("same_target", 3), ("read_only", 0), ("dependency", 0)):
        assert govern(capsys, "example", sample, "--sample", sample)[0] == 0
        assert govern(capsys, "evaluate", f"{sample}/set.json")[0] == code
    before = content_of(desk)
    assert govern(capsys, "example", "same_target")[0] == 2
    assert "dependency" in govern(capsys, "example", "new", "--sample", "dependency_")[2]
    assert content_of(desk) == before


@pytest.mark.parametrize(
    ("given", "named"),
    [
        (("intent", "Hm", "--file", "a.py"), "$.title"),
        (("intent", "No evidence"), "$.evidence_refs"),
        (("intent", "Outside", "--file", "../a.py"), "leads out of the project"),
        (("intent", "A dot too many", "--file", "notes."), "ends in a dot"),
        (("intent", "No service", "--module", "service:", "--evidence", "note://x"), "names no service"),
        (("intent", "Bad effect", "--file", "a.py", "--command", "do_this: burn: it"), "'burn' is unknown"),
        (("intent", "No command", "--file", "a.py", "--command", "just words"), "COMMAND_ID: EFFECT"),
        (("intent", "call os.system", "--file", "a.py"), "'os.system' is in a text"),
        (("intent", "Bad area", "--file", "a.py", "--area", "kitchen"), "$.scope.targets.areas[0]"),
        (("set", "lonely", "intent_abcdef"), "$.intent_ids"),
        (("set", "twins", "intent_abcdef", "intent_abcdef"), "duplicated: "),
        (("set", "tricks", "intent_abcdef", "../intent_bcdefg"), "$.intent_ids[1]"),
        (("set", "strangers", "intent_abcdef", "intent_bcdefg", "--complementary", "intent_abcdef", "intent_x"), "merge_hints"),
        (("set", "lookalike", "intent_abcdef", "intent_\u0430bcdef"), "CYRILLIC SMALL LETTER A"),
    ],
    ids=lambda value: value[1] if isinstance(value, tuple) else "",
)  # fmt: skip
def test_what_cannot_be_drafted(
    desk: Path, capsys: pytest.CaptureFixture[str], given: tuple[str, ...], named: str
) -> None:
    """A draft that would be invalid says why, ends with 2 and writes nothing."""
    code, _, err = govern(capsys, "new", *given, "--project", "shop")
    assert (code, named in err) == (2, True), err
    assert content_of(desk) == {}


def test_a_draft_overwrites_nothing(desk: Path, capsys: pytest.CaptureFixture[str], told: Told) -> None:
    """A name that is taken, even by a link that leads nowhere, is refused."""
    given = ("new", "intent", "Add logging", "--project", "shop", "--file", "a.py")
    (desk / "intent_add_logging.json").symlink_to("nowhere.json")
    code, _, err = govern(capsys, *given)
    assert (code, (desk / "nowhere.json").exists()) == (2, False)
    told(err)


def test_seal_mends_the_checksum(desk: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """An edited document is invalid until it is sealed; sealing it again changes nothing."""
    intent_set, intents = situation("read_only")
    lay_out(desk, [{**intent_set, "intent_ids": intent_set["intent_ids"][::-1]}, {**intents[0], "title": "Edited"}])
    files = ("set.json", f"{intents[0]['id']}.json")
    assert govern(capsys, "validate", "--kind", "intent", files[1])[0] == 2
    assert govern(capsys, "seal", *files)[0] == 0
    assert govern(capsys, "validate", "--kind", "intent", files[1])[0] == 0
    first = content_of(desk)
    assert json.loads(first["set.json"])["checksum"] == intent_set["checksum"]
    assert govern(capsys, "seal", *files)[0] == 0
    assert content_of(desk) == first


def test_seal_writes_all_or_nothing(desk: Path, capsys: pytest.CaptureFixture[str], told: Told) -> None:
    """If one of the files is not a document, none is written."""
    _, intents = situation("read_only")
    lay_out(desk, [{**intents[0], "title": "Edited"}])
    (desk / "poem.json").write_text(dump_json({"type": "poem"}), encoding="utf-8")
    before = content_of(desk)
    code, _, err = govern(capsys, "seal", f"{intents[0]['id']}.json", "poem.json")
    assert code == 2
    told(err)
    assert content_of(desk) == before
