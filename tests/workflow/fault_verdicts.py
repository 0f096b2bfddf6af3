"""What came of a case of the matrix of faults, and the timeline of who did what: for whoever looks for the reason."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.workflow.fault_cases import FaultCase
    from tests.workflow.fault_targets import FaultLog
    from volition.workflow.flow.status import FlowStatus
    from volition.workflow.store.events import RecordedEvent

Told = tuple[int, str, str, str, str]
"""A line of a timeline: when, who, what, about which node, and details."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What came of a case."""

    case: FaultCase
    effects: int
    twice: tuple[str, ...]
    """The nodes whose effect happened more than once, one entry for each time too many."""
    missing: tuple[str, ...]
    """The nodes that are done without an effect."""
    stuck: str
    """How the flow is, if it did not come to an end."""
    broken: tuple[str, ...]
    """What verification found."""
    crashes: tuple[str, ...]
    """Errors of drivers that are not for people."""
    asked: int
    """How often the person had to look or to decide."""
    timeline: str

    @property
    def holds(self) -> bool:
        return not (self.twice or self.missing or self.stuck or self.broken)

    def __str__(self) -> str:
        faults = [f"{name} happened once too often" for name in self.twice]
        faults += [f"{name} is done and never happened" for name in self.missing]
        faults += [f"stuck: {self.stuck}"] if self.stuck else []
        faults += [f"verification: {fault}" for fault in self.broken]
        return f"seed {self.case.seed}: {self.case}\n  {'; '.join(faults) or 'holds'}\n{self.timeline}"


def tell(flow: FlowStatus, events: tuple[RecordedEvent, ...], log: FaultLog) -> str:
    """Everything that happened, in order: the record of the registry, in capitals, and the log of all processes."""
    names = {node.node_id: node.binding for node in flow.nodes}
    told = [(line.at, line.who, line.what, line.node, line.detail) for line in log.lines()]
    for event in events:
        about = ", ".join(f"{key} {_short(value)}" for key, value in event.body.items() if key != "node")
        told.append((event.at, event.actor, event.what.upper(), names.get(event.body.get("node", ""), ""), about))
    told.sort(key=lambda line: line[0])
    begin = told[0][0] if told else 0
    return "\n".join(
        f"  {(at - begin) / 1000:7.3f} {who:<9} {what:<20} {node:<7} {_short(detail, 110)}".rstrip()
        for at, who, what, node, detail in _without_echoes(told)
    )


def _without_echoes(told: list[Told]) -> list[Told]:
    """The same lines, less those in which somebody only repeats what they last said."""
    last: dict[str, tuple[str, ...]] = {}
    kept = []
    for line in told:
        said = line[2:]
        if last.get(line[1]) != said or line[2] != "cannot go on":
            kept.append(line)
        last[line[1]] = said
    return kept


def _short(value: object, most: int = 60) -> str:
    """A value on one line; of a hash, its beginning."""
    text = " ".join(str(value).split())
    is_hash = len(text) == 64 and " " not in text
    return text[:8] if is_hash else text[:most]
