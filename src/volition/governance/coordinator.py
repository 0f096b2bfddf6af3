"""The coordinator: a merged intent as an ordered, acyclic graph of its planned commands. Data only; nothing runs.

Commands that meet on a resource keep the order in which the intent plans them; what a command requires by the registry
comes before it; and where nothing else decides, earlier phases come first.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final, get_args

from msgspec.structs import replace

from volition.core.errors import refuse
from volition.governance.claims import DEPLOY, MASK, ROLLBACK, WRITES, claims_of, done_by
from volition.governance.conflicts import resource as rule
from volition.governance.documents.intent import Phase
from volition.governance.resources import Holders

if TYPE_CHECKING:
    from collections.abc import Sequence

    from volition.governance.documents import Command, Intent
    from volition.governance.policy import Registry

PHASES: Final[tuple[Phase, ...]] = get_args(Phase)


@dataclass(frozen=True, slots=True)
class Node:
    """One planned command, in the phase in which it belongs."""

    node_id: str
    command_id: str
    phase: Phase
    effects: tuple[str, ...]
    risk_level: str


@dataclass(frozen=True, slots=True)
class Edge:
    """One command comes before another, and why."""

    before: str
    after: str
    reason: str


@dataclass(frozen=True, slots=True)
class ExecutionGraph:
    """The commands of an intent in an order in which they may be carried out, and what forces that order."""

    intent_id: str
    intent_checksum: str
    nodes: tuple[Node, ...]
    edges: tuple[Edge, ...]

    def to_data(self) -> dict[str, Any]:
        """The graph as plain data."""
        return {**asdict(self), "constraints": {"execution": "forbidden"}}

    def to_dot(self) -> str:
        """The graph as Graphviz text."""
        lines = [f'digraph "{self.intent_id}" {{', "  rankdir=LR;"]
        lines += [f'  {node.node_id} [label="{node.command_id}\\n{node.phase}"];' for node in self.nodes]
        lines += [f"  {e.before} -> {e.after} [label={_quoted(e.reason)}];" for e in self.edges]
        return "\n".join([*lines, "}", ""])


def coordinate(intent: Intent, registry: Registry | None = None) -> ExecutionGraph:
    """The execution graph of an intent; a registry whose needs contradict the plan is refused."""
    commands = intent.planned_commands
    reasons = _met(intent) | _required(commands, registry)
    after = _reach(len(commands), reasons)
    circle = next((place for place in range(len(commands)) if after[place] >> place & 1), None)
    if circle is not None:
        refuse(
            f"{commands[circle].command_id} would have to come before itself",
            where=f"{intent.id}, $.planned_commands[{circle}]",
            expected="commands that can be put in an order",
            remedy="plan what it requires before it, or correct the registry",
        )
    phases = [phase_of(command, intent) for command in commands]
    _add_phases(phases, reasons, after)
    order = _order(len(commands), reasons, phases)
    names = {place: f"node_{rank:04d}" for rank, place in enumerate(order, 1)}
    return ExecutionGraph(
        intent_id=intent.id,
        intent_checksum=intent.audit.checksum,
        nodes=tuple(
            Node(names[p], commands[p].command_id, phases[p], commands[p].effects, commands[p].risk_level)
            for p in order
        ),
        edges=tuple(
            sorted(
                (Edge(names[a], names[b], why) for (a, b), why in reasons.items()), key=lambda e: (e.before, e.after)
            )
        ),
    )


def phase_of(command: Command, intent: Intent) -> Phase:
    """The phase of a command: the one in which such a thing is done, or the next one that the intent has.

    Reading is analysis, deploying and rolling back are release, everything else is implementation.
    """
    done = done_by(command)
    natural: Phase = "release" if done & (DEPLOY | ROLLBACK) else "implementation" if done & WRITES else "analysis"
    chosen = {phase for workflow in intent.selected_workflows for phase in workflow.phases}
    later = [phase for phase in PHASES[PHASES.index(natural) :] if phase in chosen]
    return later[0] if later else max(chosen, key=PHASES.index)


def _met(intent: Intent) -> dict[tuple[int, int], str]:
    """Commands that clash on a resource, in the order of the plan."""
    claims = [claims_of(replace(intent, planned_commands=(command,))) for command in intent.planned_commands]
    reasons: dict[tuple[int, int], str] = {}
    for later, mine in enumerate(claims):
        holders = Holders(mine)
        for earlier in range(later):
            for resource, claim in claims[earlier].items():
                places = [p for p in (resource, *holders.of(resource)) if p in mine]
                places += [p for p in mine if p != resource and resource in Holders({resource}).of(p)]
                if any(rule.clash(claim & MASK, mine[place] & MASK) for place in places):
                    reasons[earlier, later] = f"both use {resource}, in the order of the plan"
                    break
    return reasons


def _required(commands: Sequence[Command], registry: Registry | None) -> dict[tuple[int, int], str]:
    """What the registry says that a command needs of another one."""
    reasons: dict[tuple[int, int], str] = {}
    for place, command in enumerate(commands if registry else ()):
        assert registry is not None
        for artifact in registry.requires.get(command.command_id, ()):
            for other, maker in enumerate(commands):
                if other != place and artifact in registry.produces.get(maker.command_id, ()):
                    reasons[other, place] = f"{command.command_id} requires {artifact}"
    return reasons


def _reach(size: int, edges: dict[tuple[int, int], str]) -> list[int]:
    """Which nodes come after each node, as bits."""
    after = [0] * size
    for before, later in edges:
        after[before] |= 1 << later
    for middle in range(size):
        for node in range(size):
            if after[node] >> middle & 1:
                after[node] |= after[middle]
    return after


def _add_phases(phases: Sequence[Phase], reasons: dict[tuple[int, int], str], after: list[int]) -> None:
    """Let each phase come before the next one that is there, except where something else already decides."""
    ranks = [PHASES.index(phase) for phase in phases]
    present = sorted(set(ranks))
    for one, two in pairwise(present):
        for before in (n for n, rank in enumerate(ranks) if rank == one):
            for later in (n for n, rank in enumerate(ranks) if rank == two):
                if not (after[later] >> before & 1 or after[before] >> later & 1):
                    reasons[before, later] = f"{PHASES[one]} comes before {PHASES[two]}"
                    gained = after[later] | 1 << later
                    for node in range(len(after)):
                        if node == before or after[node] >> before & 1:
                            after[node] |= gained


def _order(size: int, edges: dict[tuple[int, int], str], phases: Sequence[Phase]) -> list[int]:
    """The nodes, each after all that comes before it; among those that may come next, by phase and then as planned."""
    waits = {node: {before for before, later in edges if later == node} for node in range(size)}
    order: list[int] = []
    while waits:
        free = min((n for n, before in waits.items() if not before), key=lambda n: (PHASES.index(phases[n]), n))
        del waits[free]
        order.append(free)
        for before in waits.values():
            before.discard(free)
    return order


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
