"""A check's result in the forms that CI systems show beside the changed files.

`github` are workflow commands, which GitHub, Gitea and Forgejo read from the log; `gitlab` is a report of Code Quality;
`sarif` is SARIF 2.1.0, which code scanning of GitHub, Azure and many editors take. The same result gives the same bytes.
"""

from __future__ import annotations

import os
from hashlib import sha256
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import quote_from_bytes

from volition import __version__
from volition.agents.check.escaping import command_data, command_property, dump_safely, in_unicode, visible

if TYPE_CHECKING:
    from collections.abc import Callable

    from volition.agents.check.report import PlanCheck, StrayPath

_RULES: Final = {
    "in-no-plan": "A changed file is in none of the plans of the change.",
    "held-by-another": "A changed file belongs to the plan of somebody else.",
}
_REMEDY: Final = "Leave it out, or revise the plan and have it granted: volition team revise"


def format_check(report: PlanCheck, form: str) -> str:
    """A result in one of the forms of `FORMS`, without the end of its last line."""
    return FORMS[form](report)


def github_commands(report: PlanCheck) -> str:
    """An error for each stray, and the result in words."""
    lines = [
        f"::error file={command_property(visible(_file(stray)))},title={command_property(_title(stray))}"
        f"::{command_data(_message(stray))}"
        for stray in report.strays
    ]
    return "\n".join([*lines, report.summary])


def gitlab_report(report: PlanCheck) -> str:
    """A finding of Code Quality for each stray."""
    return dump_safely([
        {
            "description": _message(stray),
            "check_name": f"volition/{_rule(stray)}",
            "fingerprint": _fingerprint(stray),
            "severity": "critical" if stray.held_by else "major",
            "location": {"path": in_unicode(_file(stray)), "lines": {"begin": 1}},
        }
        for stray in report.strays
    ])  # fmt: skip


def sarif_log(report: PlanCheck) -> str:
    """A log with one run, and a result for each stray."""
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
            "ruleId": _rule(stray),
            "ruleIndex": places[_rule(stray)],
            "level": "error",
            "message": {"text": _message(stray)},
            "locations": [{
                "physicalLocation": {
                    "artifactLocation": {"uri": quote_from_bytes(os.fsencode(_file(stray))), "uriBaseId": "%SRCROOT%"},
                    "region": {"startLine": 1},
                }
            }],
            "partialFingerprints": {"strayPath/v1": _fingerprint(stray)},
        }
        for stray in report.strays
    ]  # fmt: skip
    run = {"tool": {"driver": driver}, "columnKind": "unicodeCodePoints", "results": results}
    return dump_safely({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json", "version": "2.1.0", "runs": [run],
    })  # fmt: skip


FORMS: Final[dict[str, Callable[[PlanCheck], str]]] = {
    "text": str,
    "json": lambda report: dump_safely(report.to_data()),
    "github": github_commands,
    "gitlab": gitlab_report,
    "sarif": sarif_log,
}
"""Name -> how a result is written in it."""


def _file(stray: StrayPath) -> str:
    return stray.file or stray.path


def _rule(stray: StrayPath) -> str:
    return "held-by-another" if stray.held_by else "in-no-plan"


def _title(stray: StrayPath) -> str:
    return "Held by another plan" if stray.held_by else "In no plan"


def _message(stray: StrayPath) -> str:
    return f"{stray}. {_REMEDY}"


def _fingerprint(stray: StrayPath) -> str:
    """What stays the same while the same path strays for the same reason."""
    return sha256(f"{_rule(stray)}\0".encode() + os.fsencode(stray.path)).hexdigest()
