"""A check's result in the forms that people read, and that CI systems show beside the changed files.

`text` is for people; `json` is for programs; `github` are workflow commands, which GitHub, Gitea and Forgejo read from the log;
`gitlab` is a report of Code Quality; `sarif` is SARIF 2.1.0, which code scanning of GitHub, Azure and many editors take. The
same result gives the same bytes.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Final

from volition.agents.check.escaping import command_data, command_property, dump_safely, in_unicode, visible

if TYPE_CHECKING:
    from collections.abc import Callable

    from volition.agents.check.checking import PlanCheck, UnplannedPath

_RULES: Final = {
    "in-no-plan": "A changed file is in none of the plans of the change.",
    "held-by-another": "A changed file belongs to the plan of somebody else.",
}
_REMEDY: Final = "Leave it out, or revise the plan and have it granted: volition team revise"


def format_check(report: PlanCheck, form: str) -> str:
    """A result in one of the forms of `FORMS`, without the end of its last line."""
    return FORMS[form](report)


def check_text(report: PlanCheck) -> str:
    """The result in one line, and a line for each path that is not in the plans."""
    lines = [_summary(report), *(f"  {path_line(path)}" for path in report.unplanned)]
    lines += [f"  {visible(path)}: generated" for path in report.generated]
    if report.unplanned:
        lines.append("leave them out, or revise the plan and have it granted: volition team revise")
    return "\n".join(lines)


def path_line(path: UnplannedPath) -> str:
    """An unplanned path and whose it is, as text that can be printed."""
    reason = f"held by {visible(', '.join(path.held_by))}" if path.held_by else "in no plan"
    return f"{visible(path.path)}: {reason}"


def json_report(report: PlanCheck) -> str:
    """The result as an object."""
    return dump_safely({
        "changed": report.changed, "plans": list(report.plans), "ok": not report.unplanned,
        "strays": [{"path": in_unicode(path.path), "held_by": list(path.held_by)} for path in report.unplanned],
        "generated": [in_unicode(path) for path in report.generated],
    })  # fmt: skip


def github_commands(report: PlanCheck) -> str:
    """An error for each unplanned path, and the result in words."""
    lines = [
        f"::error file={command_property(visible(_file(path)))},title={command_property(_title(path))}"
        f"::{command_data(_message(path))}"
        for path in report.unplanned
    ]
    return "\n".join([*lines, _summary(report)])


def gitlab_report(report: PlanCheck) -> str:
    """A finding of Code Quality for each unplanned path."""
    return dump_safely([
        {
            "description": _message(path),
            "check_name": f"volition/{_rule(path)}",
            "fingerprint": _fingerprint(path),
            "severity": "critical" if path.held_by else "major",
            "location": {"path": in_unicode(_file(path)), "lines": {"begin": 1}},
        }
        for path in report.unplanned
    ])  # fmt: skip


def sarif_log(report: PlanCheck) -> str:
    """A log with one run, and a result for each unplanned path."""
    from urllib.parse import quote_from_bytes  # noqa: PLC0415  a git hook prints text

    from volition import __version__  # noqa: PLC0415

    places = {name: place for place, name in enumerate(_RULES)}
    driver = {
        "name": "volition check",
        "semanticVersion": __version__,
        "rules": [
            {"id": name, "shortDescription": {"text": text}, "help": {"text": _REMEDY}} for name, text in _RULES.items()
        ],
    }
    results: list[dict[str, Any]] = [
        {
            "ruleId": _rule(path),
            "ruleIndex": places[_rule(path)],
            "level": "error",
            "message": {"text": _message(path)},
            "locations": [{
                "physicalLocation": {
                    "artifactLocation": {"uri": quote_from_bytes(os.fsencode(_file(path))), "uriBaseId": "%SRCROOT%"},
                    "region": {"startLine": 1},
                }
            }],
            "partialFingerprints": {"strayPath/v1": _fingerprint(path)},
        }
        for path in report.unplanned
    ]  # fmt: skip
    run = {"tool": {"driver": driver}, "columnKind": "unicodeCodePoints", "results": results}
    return dump_safely({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json", "version": "2.1.0", "runs": [run],
    })  # fmt: skip


FORMS: Final[dict[str, Callable[[PlanCheck], str]]] = {
    "text": check_text,
    "json": json_report,
    "github": github_commands,
    "gitlab": gitlab_report,
    "sarif": sarif_log,
}
"""Name -> how a result is written in it."""


def _summary(report: PlanCheck) -> str:
    plans = visible(", ".join(report.plans)) or "no plan"
    apart = f"; {len(report.generated)} are generated" if report.generated else ""
    if not report.unplanned:
        needed = report.changed - len(report.generated)
        return f"all {needed} changed files are in the plans: {plans}{apart}"
    return f"{len(report.unplanned)} of {report.changed} changed files are not in the plans: {plans}{apart}"


def _file(path: UnplannedPath) -> str:
    return path.file or path.path


def _rule(path: UnplannedPath) -> str:
    return "held-by-another" if path.held_by else "in-no-plan"


def _title(path: UnplannedPath) -> str:
    return "Held by another plan" if path.held_by else "In no plan"


def _message(path: UnplannedPath) -> str:
    return f"{path_line(path)}. {_REMEDY}"


def _fingerprint(path: UnplannedPath) -> str:
    """What stays the same while the same path is unplanned for the same reason."""
    from hashlib import sha256  # noqa: PLC0415  as above

    return sha256(f"{_rule(path)}\0".encode() + os.fsencode(path.path)).hexdigest()
