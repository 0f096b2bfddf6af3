"""Validation: all findings on one document, as a list that programs and people can read.

Schema, checksums, red lines (at run time and in the bytes), the rules I1 to I5, and the authoring checklist of its kind:

- I1 nothing to execute (reported as RL-E1); I2 full_auto asks nothing; I3 high risk is never full_auto; I4 every planned
  command has evidence; I5 no_fabrication and registry_only hold, and every id is registered. Without a registry the
  last part is a warning.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from volition.core.document import parse_json
from volition.core.errors import InvalidInput, did_you_mean, refuse
from volition.governance.documents.checklist import checklist_findings
from volition.governance.documents.effects import undeclared_verbs
from volition.governance.documents.findings import Finding
from volition.governance.documents.intent import Command
from volition.governance.documents.kinds import KINDS, kind_of
from volition.governance.documents.policy import BUILT_IN, Policy
from volition.governance.documents.reading import check_size, from_data, inspect
from volition.governance.documents.redlines import static_findings

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_RULES: Final = (
    ("I4", "schema.minItems", re.compile(r"\$(?:\.result_intent)?\.planned_commands\[\d+\]\.evidence_refs")),
    ("I5", "schema.const", re.compile(r"\$(?:\.result_intent)?\.constraints\.(?:no_fabrication|registry_only)")),
)


def validate(kind: str, document: bytes | Mapping[str, Any], *, policy: Policy = BUILT_IN) -> list[Finding]:
    """All findings on a document, given as the bytes of a file or as plain data; it is valid if none is an error.

    >>> [finding.code for finding in validate("intent_set", b'{"a": 1, "a": 2}')]
    ['json']
    """
    if kind not in KINDS:
        refuse(
            f"{kind!r} is not a kind of document",
            where="kind",
            expected="a known kind",
            remedy=did_you_mean(kind, KINDS),
        )
    static: list[Finding] = []
    data: Any = document
    if isinstance(document, bytes):
        try:
            check_size(kind, document, "document")
            data = parse_json(document)
        except InvalidInput as error:
            return [Finding("json", p.where, p.what, p.expected, p.remedy) for p in error.problems]
        static = static_findings(document)
    if other := _another_kind(kind, data):
        return [other, *static]
    findings, warnings = inspect(kind, data), list[Finding]()
    if not findings:
        findings = checklist_findings(kind, data)
        warnings += _registration_findings(kind, data, policy)
        warnings += word_findings(data) if kind == "intent" else ()
    if not any(finding.code == "RL-E1" for finding in findings):
        findings += static
    return [*map(_name_rule, findings), *warnings]


def word_findings(data: Mapping[str, Any]) -> Iterator[Finding]:
    """A warning for each command of an intent whose text has verbs for effects that it does not declare."""
    for place, item in enumerate(data["planned_commands"]):
        command = from_data(item, Command)
        for verb, effect in undeclared_verbs(command):
            what = f"{command.command_id} says {verb!r} and declares {'+'.join(command.effects)}"
            expected = "the declared effects bind, and the text only describes them"
            remedy = f"declare {effect} if it does that"
            yield Finding("words", f"$.planned_commands[{place}].intent", what, expected, remedy, warning=True)


def _another_kind(kind: str, data: Any) -> Finding | None:
    """That a document is of another kind than it is taken for: then nothing else that is wrong with it is of use."""
    try:
        actual = kind_of(data)
    except InvalidInput:
        return None
    if actual == kind:
        return None
    what, remedy = f"this is a document of the kind {actual}", f"take it for what it is: --kind {actual}"
    return Finding("schema.const", "$.type", what, f"the kind {kind}", remedy)


def is_valid(findings: list[Finding]) -> bool:
    """Whether none of the findings is an error."""
    return all(finding.warning for finding in findings)


def _name_rule(finding: Finding) -> Finding:
    """The finding with the code of the rule that it breaks, if there is one."""
    for rule, code, path in _RULES:
        if finding.code == code and path.fullmatch(finding.path):
            return Finding(rule, finding.path, finding.what, finding.expected, finding.remedy)
    return finding


def _registration_findings(kind: str, data: Mapping[str, Any], policy: Policy) -> Iterator[Finding]:
    """The registration part of I5."""
    if kind != "intent":
        return
    registry = policy.registry
    if registry is None:
        what = "no registry is known, so nobody checked that the workflows, agents and commands exist"
        yield Finding("I5", "$", what, "a registry in the policy", "name a policy with a registry", warning=True)
        return
    lists = (
        ("selected_workflows", "workflow_id", registry.workflows),
        ("selected_agents", "agent_id", registry.agents),
        ("planned_commands", "command_id", registry.commands),
    )
    for name, field, known in lists:
        for place, item in enumerate(data[name]):
            if item[field] not in known:
                what = f"{item[field]!r} is not registered"
                path = f"$.{name}[{place}].{field}"
                yield Finding("I5", path, what, f"one of {len(known)} registered ids", did_you_mean(item[field], known))
