"""The policy: the limits, orders and weights that a team sets for its evaluations, read from one TOML file.

Everything has a documented default, so no policy is a policy too: `BUILT_IN`. A policy that is named and cannot be read
is refused, never replaced by the default. Every policy has a hash, which the results made under it contain.

    priority_order = ["explicit", "risk", "newer_same_author", "status"]
    exclusive_resources = ["service:billing"]
    exclusive_folders = ["**/*.tf", "**/migrations/*"]
    exclusive_envs = ["prod"]

    [limits]                  # what all intents of a set may use together
    max_files = 500
    max_commits = 50
    max_tokens = 2000000
    max_cost_usd = 10000

    [severities]              # by rule; the rules are in RULES
    resource_write_write = "critical"

    [criticality]             # by area; weighs the blast radius
    security = 2.0

    [names]                   # which names mean one thing
    ignore_case = true
    [names.modules]           # where modules lie that lie neither in the project's root nor in its src
    billing = "services/billing"
    [names.bindings]          # touching one of these touches the resource too
    "service:checkout" = ["deploy/checkout.yaml"]

    [check]                   # what `volition check` goes by; an evaluation does not
    generated = ["**/*_pb2.py"]             # files that need no claim
    [check.approvers]                       # who may approve a draft, by the public part of a key
    ann = "64 hexadecimal digits"

    [registry]                # which ids exist; without it, registration is not checked but warned about
    workflows = ["api_review"]
    agents = ["reviewer"]
    commands = ["generate_schema", "generate_sdk"]
    [registry.produces]
    generate_schema = ["api_schema"]
    [registry.requires]
    generate_sdk = ["api_schema"]
"""

from __future__ import annotations

from collections.abc import Mapping  # noqa: TC003 - msgspec reads the annotations
from dataclasses import asdict, dataclass, field, fields
from graphlib import CycleError, TopologicalSorter
from typing import TYPE_CHECKING, Any, Final

import msgspec

from volition.core.canonical import digest
from volition.core.document import parse_toml, read_document
from volition.core.errors import InvalidInput, Problems, did_you_mean, format_value, refuse
from volition.core.typed import convert
from volition.governance.documents.findings import schema_findings

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable

    from volition.governance.documents.intent import Level

DEFAULT_ORDER: Final = ("explicit", "risk", "newer_same_author", "status")
"""The keys that decide unless a policy says otherwise: the clock alone settles nothing between different authors."""

EXCLUSIVE_FOLDERS: Final = ("**/*.tf", "**/*.tfvars", "**/migrations/*", "**/alembic/versions/*")
"""Files that are, with all others of their kind in one folder, one state: what Terraform applies, a chain of migrations."""
_NAMES: Final = frozenset({"ignore_case", "modules", "bindings"})
"""The settings in the table `names`."""
_APART: Final = frozenset({"hash", "registry", "check"})
"""The fields of a policy that are no settings of a file by their own names."""
RULES: Final[dict[str, Level]] = {
    "resource_read_write": "medium",
    "resource_write_write": "high",
    "resource_write_delete": "critical",
    "resource_many": "critical",
    "resource_unknown": "high",
    "resource_unplaced": "low",
    "resource_contract": "high",
    "resource_shared_file": "low",
    "effect_deploy_rollback": "critical",
    "effect_create_delete": "high",
    "effect_exclusive": "high",
    "order_dependency": "medium",
    "order_removal": "medium",
    "order_unmet": "medium",
    "order_cycle": "high",
    "constraint_mode": "low",
    "constraint_lock": "medium",
    "constraint_freeze": "high",
    "constraint_budget": "high",
    "constraint_capacity": "high",
}
"""The rules whose severity a policy may set, with their default severities."""


@dataclass(frozen=True, slots=True)
class Registry:
    """The ids that exist, and what each command needs first and leaves behind."""

    workflows: tuple[str, ...] = ()
    agents: tuple[str, ...] = ()
    commands: tuple[str, ...] = ()
    requires: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    produces: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def __hash__(self) -> int:
        return hash(digest(asdict(self)))


@dataclass(frozen=True, slots=True)
class CheckRules:
    """What a check of changes goes by: files that need no claim because a program writes them, and who may approve a
    draft, as name -> public key."""

    generated: tuple[str, ...] = ()
    approvers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Policy:
    """The settings of an evaluation; equal policies have equal hashes.

    A policy that no file could state, such as a limit above what one intent may hold, is refused.

    >>> Policy().max_cost_usd, Policy(exclusive_envs=("prod",)) == Policy()
    (10000, False)
    """

    max_files: int = 500
    max_commits: int = 50
    max_tokens: int = 2_000_000
    max_cost_usd: float = 10_000
    priority_order: tuple[str, ...] = DEFAULT_ORDER
    severities: Mapping[str, Level] = field(default_factory=dict)
    criticality: Mapping[str, float] = field(default_factory=dict)
    exclusive_resources: tuple[str, ...] = ()
    exclusive_folders: tuple[str, ...] = EXCLUSIVE_FOLDERS
    exclusive_envs: tuple[str, ...] = ()
    ignore_case: bool = False
    modules: Mapping[str, str] = field(default_factory=dict)
    bindings: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    registry: Registry | None = None
    check: CheckRules = field(default_factory=CheckRules)
    hash: str = field(init=False, compare=False)

    def __post_init__(self) -> None:
        _refuse_impossible(self)
        if self.registry is not None:
            problems = Problems()
            _add_cycle(self.registry, "policy", problems)
            problems.raise_if_any(InvalidInput)
        said = {item.name: getattr(self, item.name) for item in fields(self) if item.name not in _APART}
        said["registry"] = asdict(self.registry) if self.registry else None
        if self.check != CheckRules():
            said["check"] = asdict(self.check)
        object.__setattr__(self, "hash", digest(said))

    def __hash__(self) -> int:
        return hash(self.hash)

    def severity(self, rule: str) -> Level:
        """The severity of a conflict by `rule`.

        >>> Policy(severities={"constraint_mode": "high"}).severity("constraint_mode")
        'high'
        """
        return self.severities.get(rule) or RULES[rule]

    def weight(self, areas: Iterable[str]) -> float:
        """The criticality of the most critical of `areas`; unnamed areas and no area count 1.

        >>> Policy(criticality={"docs": 0.5}).weight(["docs"]), Policy(criticality={"docs": 0.5}).weight(["docs", "ops"])
        (0.5, 1.0)
        """
        if not self.criticality:
            return 1.0
        return max((self.criticality.get(area, 1.0) for area in areas), default=1.0)


def _refuse_impossible(policy: Policy) -> None:
    """Validate the settings that differ from the built-in policy against the schema of policy files."""
    said: dict[str, Any] = {}
    for item in fields(policy):
        value = getattr(policy, item.name, None)
        if item.name in _APART or not value or value == item.default:
            continue
        table = "limits" if item.name.startswith("max_") else "names" if item.name in _NAMES else None
        place = said.setdefault(table, {}) if table else said
        place[item.name] = msgspec.to_builtins(value)
    if said and (faults := schema_findings("policy", said)):
        raise InvalidInput(*(fault.problem("policy") for fault in faults))


BUILT_IN: Final = Policy()
"""The default policy."""


def read_policy(path: str | os.PathLike[str]) -> Policy:
    """The policy in the TOML file at `path`; anything wrong with it is refused."""
    return policy_of(read_document(path), where=str(path))


def parse_policy(text: bytes | str, *, where: str = "policy") -> Policy:
    """The policy that this TOML text states.

    >>> parse_policy('[limits]\\nmax_files = 20').max_files
    20
    """
    return policy_of(parse_toml(text, where=where), where=where)


def policy_of(data: Any, *, where: str = "policy") -> Policy:
    """The policy in plain data; InvalidInput lists everything that is wrong with it."""
    problems = Problems()
    faults = schema_findings("policy", data)
    for fault in faults:
        problems.include(InvalidInput(fault.problem(where)))
    registry = None
    if isinstance(data, dict) and "registry" in data and not any(f.path.startswith("$.registry") for f in faults):
        registry = _registry(data["registry"], where, problems)
    problems.raise_if_any(InvalidInput)
    names = data.get("names", {})
    return Policy(
        **data.get("limits", {}),
        ignore_case=names.get("ignore_case", False),
        modules=names.get("modules", {}),
        bindings={name: tuple(bound) for name, bound in names.get("bindings", {}).items()},
        exclusive_resources=tuple(data.get("exclusive_resources", ())),
        exclusive_folders=tuple(data.get("exclusive_folders", EXCLUSIVE_FOLDERS)),
        exclusive_envs=tuple(data.get("exclusive_envs", ())),
        priority_order=tuple(data.get("priority_order", DEFAULT_ORDER)),
        severities=data.get("severities", {}),
        criticality={area: float(weight) for area, weight in data.get("criticality", {}).items()},
        registry=registry,
        check=convert(data.get("check", {}), CheckRules),
    )


def _registry(data: dict[str, Any], where: str, problems: Problems) -> Registry:
    """The registry, checked for unknown commands and cycles."""
    registry = convert(data, Registry)
    for name, table in (("requires", registry.requires), ("produces", registry.produces)):
        for command in table:
            if command not in registry.commands:
                problems.add(
                    f"the command {format_value(command)} is not registered",
                    where=f"{where}, $.registry.{name}",
                    expected="a command of $.registry.commands",
                    remedy=did_you_mean(command, registry.commands),
                )
    _add_cycle(registry, where, problems)
    return registry


def _add_cycle(registry: Registry, where: str, problems: Problems) -> None:
    """Report a cycle of commands, each needing the next, if there is one."""
    makers: dict[str, list[str]] = {}
    for command, artifacts in registry.produces.items():
        for artifact in artifacts:
            makers.setdefault(artifact, []).append(command)
    needs = {
        command: [maker for artifact in needed for maker in makers.get(artifact, ())]
        for command, needed in registry.requires.items()
    }
    try:
        TopologicalSorter(needs).prepare()
    except CycleError as error:
        problems.add(
            f"the registry is cyclic: {' needs '.join(reversed(error.args[1]))}",
            where=f"{where}, $.registry.requires",
            expected="commands that can be put in an order",
            remedy="remove one of these requirements, or split a command",
        )


def chosen_policy(path: str | os.PathLike[str] | None) -> Policy:
    """The policy at `path`, or the built-in one where no path was given."""
    if path is None:
        return BUILT_IN
    if not str(path):
        refuse("the policy's name is empty", where="policy", expected="a TOML file", remedy="name one, or none at all")
    return read_policy(path)
