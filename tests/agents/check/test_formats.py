"""What a check prints: no file name can inject an annotation, a line or an escape sequence, and every form is valid."""

from __future__ import annotations

import json
import os
import re
from typing import TYPE_CHECKING
from urllib.parse import unquote_to_bytes

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.agents.check.test_check import change
from tests.agents.desks import MINE, git
from tests.cli.lines import run
from volition.agents.check.checking import PlanCheck, UnplannedPath
from volition.agents.check.escaping import command_data, command_property, dump_safely, visible
from volition.agents.check.formats import FORMS, format_check

if TYPE_CHECKING:
    from tests.agents.desks import Desk

pytestmark = pytest.mark.req("AG-03")
NASTY = (
    "a\n::error file=b::c", "::error::x", "##[error]x", "##vso[task.complete]", "##teamcity[x]", "\x1b[31mred", "\u202egnp.exe",
    "a%0A::error::x", "a\r::stop-commands::x", "###[x]", ":::x", "a\u2028b", "\udcff", "café", "\\n", "a,title=b", "\u200b",
    "#", ":", "]]>", "<b>",
)  # fmt: skip
names = st.one_of(
    st.sampled_from(NASTY),
    st.lists(st.sampled_from([*NASTY, "x", "/", " "]), min_size=1, max_size=4).map("".join),
    st.binary(min_size=1, max_size=12).map(os.fsdecode),
).filter(lambda name: "\0" not in name)
_ESCAPE = re.compile(r"\\(?:\\|n|x[0-9a-f]{2}|u[0-9a-f]{4}|U[0-9a-f]{8})")


def read_back(text: str) -> str:
    """The name that was made visible."""

    def letter(found: re.Match[str]) -> str:
        code = found[0][1:]
        if code in {"\\", "n"}:
            return {"\\": "\\", "n": "\n"}[code]
        number = int(code[1:], 16)
        return chr(number + 0xDC00 if code[0] == "x" and number >= 0x80 else number)

    return _ESCAPE.sub(letter, text)


@given(names)
@example("\\x3a:")
@example(":")
def test_a_visible_name_is_one_harmless_line_from_which_the_name_can_be_read(name: str) -> None:
    """A visible name has only printable characters and no mark of a CI system's command; it can be read back."""
    shown = visible(name)
    assert shown.isprintable()
    assert "::" not in shown
    assert "##" not in shown
    assert shown.encode()
    assert read_back(shown) == name


def commands_in(printed: str) -> list[str]:
    """The lines that a runner takes for commands: those that begin with two colons, or have a mark of another system."""
    lines = re.split(r"[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]", printed)
    return [line for line in lines if line.strip().startswith("::") or re.search(r"##(\[|vso\[|teamcity\[)", line)]


@example([(":", ["#"])], ["#"])
@given(st.lists(st.tuples(names, st.lists(names, max_size=2)), max_size=4), st.lists(names, max_size=3))
def test_no_name_injects_an_annotation_or_a_line(unplanned: list[tuple[str, list[str]]], generated: list[str]) -> None:
    """Whatever files, plans and holders are called, the number of lines and of commands depends on their number alone, and
    nothing that a terminal obeys is printed, in any form."""

    def made(rename: bool) -> PlanCheck:
        found = tuple(UnplannedPath(f"f{n}" if rename else path, ("h",) * len(by) if rename else tuple(by))
                      for n, (path, by) in enumerate(unplanned))  # fmt: skip
        return PlanCheck(9, (MINE,), found, tuple("g" if rename else name for name in generated))

    for form in FORMS:
        printed, plain = format_check(made(False), form), format_check(made(True), form)
        assert all(letter == "\n" or letter.isprintable() for letter in printed)
        assert printed.count("\n") == plain.count("\n")
        wanted = len(unplanned) if form == "github" else 0
        assert (len(commands_in(printed)), len(commands_in(plain))) == (wanted, wanted)
        assert printed.encode()


@given(names)
def test_annotations_say_which_file_is_meant(name: str) -> None:
    """A workflow command, a finding of GitLab, a result of SARIF and JSON each have one file, which is the one that strayed;
    a name that is no text is given in its visible form, and exactly in the address of SARIF."""
    report = PlanCheck(1, (), (UnplannedPath(name, ()),))
    (line, _) = format_check(report, "github").split("\n")
    found = re.fullmatch(r"::error file=([^,:]*),title=([^,:]*)::([^\n]*)", line)
    assert found
    decoded = found[1].replace("%3A", ":").replace("%2C", ",").replace("%0A", "\n").replace("%0D", "\r")
    assert read_back(decoded.replace("%25", "%")) == name
    in_text = name if not any("\ud800" <= letter <= "\udfff" for letter in name) else visible(name)
    (finding,) = json.loads(format_check(report, "gitlab"))
    assert finding["location"]["path"] == in_text
    assert json.loads(format_check(report, "json"))["strays"][0]["path"] == in_text
    (result,) = json.loads(format_check(report, "sarif"))["runs"][0]["results"]
    uri = result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
    assert os.fsdecode(unquote_to_bytes(uri)) == name
    assert re.fullmatch(r"[A-Za-z0-9_.~/%-]*", uri)


MARKED = st.text(st.sampled_from(':#[%]\\"\n\x85aü\U0001f600'))
"""Texts in which the marks of commands are frequent."""


@given(st.dictionaries(MARKED, st.lists(MARKED | st.integers() | st.dictionaries(MARKED, MARKED))))
def test_safe_json_is_the_same_json(data: object) -> None:
    """Escaping the marks of commands changes no value."""
    assert json.loads(dump_safely(data)) == data


def test_a_message_and_a_property_are_escaped_as_runners_decode_them() -> None:
    """Percent signs first, so that nothing is decoded twice."""
    assert command_data("%0A\r\n:,") == "%250A%0D%0A:,"
    assert command_property("%3A:,") == "%253A%3A%2C"


def test_sarif_has_what_code_scanning_asks_for() -> None:
    """A log of version 2.1.0 names its tool, its rules, and for each result a rule of them, a place and a fingerprint."""
    report = PlanCheck(3, (MINE,), (UnplannedPath("a.py", ()), UnplannedPath("b.py#Cart", ("x (bob)",), "b.py")))
    log = json.loads(format_check(report, "sarif"))
    (ran,) = log["runs"]
    assert (log["version"], ran["tool"]["driver"]["name"]) == ("2.1.0", "volition check")
    rules = [rule["id"] for rule in ran["tool"]["driver"]["rules"]]
    assert [rules[result["ruleIndex"]] for result in ran["results"]] == ["in-no-plan", "held-by-another"]
    assert [result["ruleId"] for result in ran["results"]] == ["in-no-plan", "held-by-another"]
    places = [result["locations"][0]["physicalLocation"] for result in ran["results"]]
    assert [place["artifactLocation"]["uri"] for place in places] == ["a.py", "b.py"]
    assert all(place["region"]["startLine"] == 1 for place in places)
    assert len({result["partialFingerprints"]["strayPath/v1"] for result in ran["results"]}) == 2


def test_real_files_with_nasty_names(
    desk: Desk, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Files with line feeds, commands and bytes in their names pass through git and the command line as one stray each; the
    report goes to a file as a whole, and the text for people to stdout."""
    monkeypatch.chdir(desk.repo)
    git(desk.repo, "checkout", "-qb", "work")
    nasty = [name for name in NASTY if "/" not in name]
    change(desk.repo, *nasty)
    line = ("check", "main..HEAD", "--registry", str(desk.registry), "--plan", MINE)
    done = run(capsys, *line, "--format", "github")
    assert (done.code, len(commands_in(done.out))) == (3, len(nasty))
    out = desk.repo.parent / "check.sarif"
    out.write_text("old")
    done = run(capsys, *line, "--format", "sarif", "--output", str(out))
    assert (done.code, commands_in(done.out), len(done.out.splitlines())) == (3, [], len(nasty) + 2)
    assert len(json.loads(out.read_text())["runs"][0]["results"]) == len(nasty)
    assert [file.name for file in out.parent.iterdir() if file.name.startswith("check.sarif")] == ["check.sarif"]
    assert run(capsys, *line, "--json", "--format", "sarif").code == 2
    assert run(capsys, *line, "--format", "json", "--output", str(desk.repo / "no" / "x")).code == 2


def test_a_trailer_cannot_inject_either(
    desk: Desk, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The name of a plan in a commit message is the branch's word: it is refused in visible characters."""
    monkeypatch.chdir(desk.repo)
    git(desk.repo, "checkout", "-qb", "work")
    change(desk.repo, "src/mine.py", message="x\n\nVolition-Plan: ::error::\x1b[31m##[error]x")
    done = run(capsys, "check", "main..HEAD", "--registry", str(desk.registry))
    assert (done.code, commands_in(done.err), "\x1b" in done.err) == (2, [], False)
