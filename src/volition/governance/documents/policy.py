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
from functools import cached_property
from graphlib import CycleError, TopologicalSorter
from typing import TYPE_CHECKING, Any, Final

from msgspec import Struct, field, to_builtins

from volition.core.canonical import digest
from volition.core.document import parse_toml, read_document
from volition.core.errors import InvalidInput, Problems, did_you_mean, format_value, refuse
from volition.core.typed import convert
from volition.governance.documents.findings import schema_findings
from volition.governance.documents.intent import Level  # noqa: TC001 - msgspec reads the annotations

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable

DEFAULT_ORDER: Final = ("explicit", "risk", "newer_same_author", "status")
"""The keys that decide unless a policy says otherwise: the clock alone settles nothing between different authors."""

EXCLUSIVE_FOLDERS: Final = ("**/*.tf", "**/*.tfvars", "**/migrations/*", "**/alembic/versions/*")
"""Files that are, with all others of their kind in one folder, one state: what Terraform applies, a chain of migrations."""
_TABLES: Final = {
    "limits": ("max_files", "max_commits", "max_tokens", "max_cost_usd"),
    "names": ("ignore_case", "modules", "bindings"),
}
"""The tables of a file whose settings are fields of a policy."""
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


class Registry(Struct, frozen=True):
    """The ids that exist, and what each command needs first and leaves behind."""

    workflows: tuple[str, ...] = ()
    agents: tuple[str, ...] = ()
    commands: tuple[str, ...] = ()
    requires: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    produces: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def __hash__(self) -> int:
        return hash(digest(to_builtins(self)))


class CheckRules(Struct, frozen=True):
    """What a check of changes goes by: files that need no claim because a program writes them, and who may approve a
    draft, as name -> public key."""

    generated: tuple[str, ...] = ()
    approvers: Mapping[str, str] = field(default_factory=dict)


class Policy(Struct, frozen=True, dict=True):
    """The settings of an evaluation; equal policies have equal hashes.

    A policy that no file could state, such as a limit above what one intent may hold, is refused.

    >>> Policy().max_cost_usd, Policy(exclusive_envs=("prod",)) == Policy()
    (10000, False)
    """

    max_files: int = 500
    max_commits: int = 50
    max_tokens: int = 2_000_000
    max_cost_usd: int | float = 10_000
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

    def __post_init__(self) -> None:
        _refuse_impossible(self)
        if self.registry is not None:
            problems = Problems()
            _add_cycle(self.registry, "policy", problems)
            problems.raise_if_any(InvalidInput)

    @cached_property
    def hash(self) -> str:
        """The hash of all settings; rules for checks count where there are some."""
        settings = to_builtins(self)
        if self.check == CheckRules():
            del settings["check"]
        return digest(settings)

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
    settings: dict[str, Any] = {
        name: to_builtins(value)
        for name in Policy.__struct_fields__
        if name not in {"registry", "check"} and (value := getattr(policy, name)) and value != _DEFAULTS[name]
    }
    for table, names in _TABLES.items():
        if inside := {name: settings.pop(name) for name in names if name in settings}:
            settings[table] = inside
    if settings and (faults := schema_findings("policy", settings)):
        raise InvalidInput(*(fault.problem("policy") for fault in faults))


_DEFAULTS: Final = dict(zip(Policy.__struct_fields__, Policy.__struct_defaults__, strict=True))


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
    if isinstance(data, dict) and "registry" in data and not any(f.path.startswith("$.registry") for f in faults):
        _check_registry(convert(data["registry"], Registry), where, problems)
    problems.raise_if_any(InvalidInput)
    settings = {name: value for name, value in data.items() if name not in _TABLES}
    for table in _TABLES:
        settings |= data.get(table, {})
    return convert(settings, Policy)


def _check_registry(registry: Registry, where: str, problems: Problems) -> None:
    """Report unknown commands and cycles of a registry."""
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
