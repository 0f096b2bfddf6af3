"""The coordinator: an intent as an ordered, acyclic graph of its planned commands. Data only; nothing is executed.

A merged intent carries the order that its evaluation found, so its graph is the graph of that evaluation; of any other
intent the order is found here. Earlier phases come first among the commands of one plan, where nothing else decides.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Final, get_args

from msgspec import Struct

from volition.core.errors import refuse
from volition.governance.conflicts.graphs import in_order
from volition.governance.documents.effects import DEPLOY, ROLLBACK, WRITES, effect_bits
from volition.governance.documents.intent import Phase, commands_with_sources, parts_of_merge
from volition.governance.documents.policy import BUILT_IN
from volition.governance.documents.result import ResultConstraints
from volition.governance.merge.ordering import Order, links

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from volition.governance.documents.intent import Command, IntentDocument
    from volition.governance.documents.policy import Policy

PHASES: Final[tuple[Phase, ...]] = get_args(Phase)


class Node(Struct, frozen=True):
    """One planned command: its index, its plan, its agents, and what it waits for and why."""

    node_id: str
    """The id of the node."""
    command_id: str
    """The id of its command."""
    place: int
    """Its index among the commands."""
    intent_id: str
    """The plan that it belongs to."""
    agents: tuple[str, ...]
    """Who carries it out."""
    phase: Phase
    """When in the work it comes."""
    effects: tuple[str, ...]
    """What it does to the world."""
    risk_level: str
    """How risky it is."""
    waits: tuple[str, ...] = ()
    """The nodes that come before it."""


class Edge(Struct, frozen=True):
    """One command comes before another, and why."""

    before: str
    """The node that comes first."""
    after: str
    """The node that waits for it."""
    reason: str
    """Why it waits."""


class ExecutionGraph(Struct, frozen=True):
    """The commands of an intent in an order in which they can be executed, and the reasons for that order.

    Like a result, it is never executable itself.
    """

    intent_id: str
    """The intent whose commands these are."""
    intent_checksum: str
    """The checksum of that intent."""
    nodes: tuple[Node, ...]
    """The commands, in an order in which they can be executed."""
    edges: tuple[Edge, ...]
    """What comes before what."""
    constraints: ResultConstraints = ResultConstraints(execution="forbidden")
    """The red line: a graph is not executable."""

    def to_dot(self) -> str:
        """The graph as Graphviz text."""
        lines = [f'digraph "{self.intent_id}" {{', "  rankdir=LR;"]
        lines += [
            f'  {node.node_id} [label="{node.command_id}\\n{node.intent_id}\\n{node.phase}"];' for node in self.nodes
        ]
        lines += [f"  {e.before} -> {e.after} [label={_quote(e.reason)}];" for e in self.edges]
        return "\n".join([*lines, "}", ""])


def coordinate(intent: IntentDocument, policy: Policy = BUILT_IN) -> ExecutionGraph:
    """The execution graph of an intent; the policy applies to plans that were not merged by an evaluation."""
    commands = commands_with_sources([intent])
    order = _known_order(intent, len(commands), policy)
    by_plan = {part.intent_id: part for part in parts_of_merge([intent])}
    sources = [command.source or intent.id for command in commands]
    phases = [phase_of(command, by_plan[source].phases) for command, source in zip(commands, sources, strict=True)]
    for source in by_plan:
        _add_phases([at for at, each in enumerate(sources) if each == source], phases, order)
    ranks = in_order({at: {before for before, later in order.reasons if later == at} for at in range(len(commands))})
    names = {at: f"node_{rank:04d}" for rank, at in enumerate(ranks, 1)}
    edges = sorted((names[a], names[b], why) for (a, b), why in order.reasons.items())
    return ExecutionGraph(
        intent_id=intent.id,
        intent_checksum=intent.audit.checksum,
        nodes=tuple(
            Node(
                node_id=names[at],
                command_id=commands[at].command_id,
                place=at,
                intent_id=sources[at],
                agents=by_plan[sources[at]].agents,
                phase=phases[at],
                effects=commands[at].effects,
                risk_level=commands[at].risk_level,
                waits=tuple(f"{before}: {why}" for before, after, why in edges if after == names[at]),
            )
            for at in ranks
        ),
        edges=tuple(Edge(*edge) for edge in edges),
    )


def _known_order(intent: IntentDocument, size: int, policy: Policy) -> Order:
    """The order that an evaluation found, or that of a plan by itself."""
    merged = intent.metadata is not None and bool(intent.metadata.parts)
    known = intent.metadata.order if merged and intent.metadata else links([intent], {}, policy)
    order = Order(size)
    for place, link in enumerate(known):
        if max(link.before, link.after) >= size or not order.add(link.before, link.after, link.reason):
            refuse(
                f"the command {link.before} cannot come before the command {link.after}",
                where=f"{intent.id}, $.metadata.order[{place}]",
                expected=f"commands from 0 to {size - 1} that can be put in an order",
                remedy="evaluate the set again, and take the merged intent as it is written",
            )
    return order


def phase_of(command: Command, chosen: Iterable[Phase]) -> Phase:
    """The phase of a command: the natural phase of its effects, or the next one that its plan has.

    Reading is analysis, deploying and rolling back are release, everything else is implementation.
    """
    effects = effect_bits(command)
    natural: Phase = (
        "release" if effects & (DEPLOY | ROLLBACK) else "implementation" if effects & WRITES else "analysis"
    )
    later = [phase for phase in PHASES[PHASES.index(natural) :] if phase in chosen]
    return later[0] if later else max(chosen, key=PHASES.index)


def _add_phases(mine: Sequence[int], phases: Sequence[Phase], order: Order) -> None:
    """Let each phase of a plan come before its next one, except where something else decides."""
    present = sorted({PHASES.index(phases[at]) for at in mine})
    for one, two in pairwise(present):
        for before in (at for at in mine if phases[at] == PHASES[one]):
            for later in (at for at in mine if phases[at] == PHASES[two]):
                if not order.decides(before, later):
                    order.add(before, later, f"{PHASES[one]} comes before {PHASES[two]}")


def _quote(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
