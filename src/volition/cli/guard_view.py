"""The guard's journal in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from volition.workflow.team.evidence import moment

if TYPE_CHECKING:
    from volition.agents.guard.journal import JournalEntry


def entry_line(entry: JournalEntry) -> str:
    """An entry on one line."""
    data = entry.data
    who = "/".join(part for part in (str(data.get("session", "?"))[:12], data.get("agent")) if part)
    about = "; ".join(data.get("reasons") or data.get("targets") or [])
    line = f"{entry.id}  {moment(data.get('at', 0))}  {data.get('what', '?'):<7}  {data.get('client', '?')} {who}"
    return f"{line}  {data.get('tool', '')}  {about}".rstrip().replace("\n", " ")


def entry_text(entry: JournalEntry) -> str:
    """An entry with everything that it says."""
    data = entry.data
    lines = [entry_line(entry)]
    for name, title in (("tree", "worktree"), ("folder", "folder"), ("text", "call")):
        if data.get(name):
            lines.append(f"  {title}: {data[name]}")
    for name, title in (("plans", "plans"), ("targets", "files")):
        if data.get(name):
            lines.append(f"  {title}: {', '.join(data[name])}")
    return "\n".join([*lines, *(f"  because: {reason}" for reason in data.get("reasons") or [])])
