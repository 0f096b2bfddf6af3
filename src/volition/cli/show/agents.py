"""What holds agents, in words: lines of work, the guard's journal and its corpus, installations, diagnoses and approvals."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from volition.agents.check.escaping import all_in_unicode, visible
from volition.cli.printing import columns

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from volition.agents.check.approval import Approval
    from volition.agents.corpus.trying import TriedLine
    from volition.agents.guard.journal import JournalEntry
    from volition.agents.install.arming import Arming
    from volition.agents.install.doctor import Diagnosis
    from volition.agents.worktrees.lines_of_work import WorkLine
    from volition.agents.worktrees.overview import WorkOverview, WorkPair


_SHOWN = 4


def overview_text(seen: WorkOverview) -> str:
    """An overview as lines of text."""
    rows = [line_row(seen, line) for line in seen.lines]
    lines = list(columns([("line", "changed", "strays", "plans", "worktree"), *rows])) if rows else ["no line of work"]
    return "\n".join([*lines, *map(_pair, seen.pairs), *_unplanned_lines(seen), *map(visible, seen.notes)])


def line_row(seen: WorkOverview, line: WorkLine) -> tuple[str, str, str, str, str]:
    """A line of work as a row: its name, what it changed, how much of that is in no plan, its plans, and where it is."""
    changed = f"{len(line.changed)}{' (not committed)' if line.dirty else ''}"
    unplanned = str(len(seen.unplanned.get(line.name, ())))
    return visible(line.name), changed, unplanned, ", ".join(line.plans) or "-", visible(line.tree) or "-"


def _pair(pair: WorkPair) -> str:
    about = [*map(visible, pair.conflicts or pair.shared or pair.declared)]
    if pair.state == "contract conflict":
        about = [
            visible(f"{broken.remover} removes or renames {broken.part}, which {broken.user} uses in {broken.file}")
            for broken in pair.contracts
        ]
    return f"{pair.state}: {visible(pair.one)} and {visible(pair.other)}: {_some(about)}"


def _unplanned_lines(seen: WorkOverview) -> Iterator[str]:
    for name, paths in sorted(seen.unplanned.items()):
        if paths:
            yield f"stray: {visible(name)}: {_some([*map(visible, paths)])}"


def _some(names: Sequence[str]) -> str:
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return f"{', '.join(names[:_SHOWN])}{more}"


def overview_data(seen: WorkOverview) -> dict[str, Any]:
    """An overview as data."""
    data: dict[str, Any] = all_in_unicode({
        "lines": [
            {"name": line.name, "worktree": line.tree, "commit": line.commit, "plans": list(line.plans),
             "changed": sorted(line.changed), "dirty": line.dirty, "strays": list(seen.unplanned.get(line.name, ()))}
            for line in seen.lines
        ],
        "pairs": [{**msgspec.to_builtins(pair), "state": pair.state} for pair in seen.pairs],
        "notes": list(seen.notes),
    })  # fmt: skip
    return data


def arming_text(arming: Arming) -> str:
    """What arming or disarming a repository changes, as differences of files."""
    from volition.agents.install.arming import KEY, hooks_folder

    folder = hooks_folder(arming.repository)
    changes = [edit for edit in arming.edits if edit.changes]
    lines = (
        [f"make the registry {arming.registry[0]} with the project {arming.registry[1]}\n"] if arming.registry else []
    )
    lines += [edit.difference() for edit in changes if edit.path.parent != folder]
    if scripts := [edit for edit in changes if edit.path.parent == folder]:
        lines.append(f"{'write' if arming.arm else 'remove'} {len(scripts)} hooks in {folder}\n")
    if arming.hooks_path and arming.hooks_path[0] != arming.hooks_path[1]:
        lines.append(f"{KEY}: {arming.hooks_path[0] or '(not set)'} -> {arming.hooks_path[1] or '(not set)'}\n")
    return "".join(lines) or "nothing to change\n"


def arming_data(arming: Arming) -> dict[str, Any]:
    """What arming or disarming a repository changes, as data."""
    data: dict[str, Any] = {"files": [str(edit.path) for edit in arming.edits if edit.changes]}
    data |= {"hooks_path": list(arming.hooks_path) if arming.hooks_path else None, "arm": arming.arm}
    return data | ({"registry": str(arming.registry[0]), "project": arming.registry[1]} if arming.registry else {})


def diagnosis_line(part: Diagnosis) -> str:
    """Whether a part of the guard is in force, and why not."""
    return f"{part.part}: {part.state}" + (f" ({part.because})" if part.because else "")


def approval_text(approval: Approval, file: Path) -> str:
    """An approval, where it was written, and when it counts."""
    return "\n".join((
        f"{approval.plan} is approved: {file}",
        "It counts when it is in the base, and the policy there lists your key:",
        "  [check.approvers]",
        f'  your_name = "{approval.key}"',
    ))  # fmt: skip


def corpus_text(tried: Sequence[TriedLine]) -> str:
    """The verdict on each command of a corpus, and which are not the ones that are wanted."""
    shown = [f"{each.found:<7} {each.line.command.splitlines()[0]}" for each in tried]
    wrong = [
        f"{each.line.where}: wanted {each.line.wanted}, found {each.found}, {each.outcome}: {each.reason.strip()}"
        for each in tried
        if not each.holds
    ]
    return "\n".join([*shown, f"{len(wrong)} of {len(tried)} did not get the verdict that is wanted", *wrong])


def corpus_data(tried: Sequence[TriedLine]) -> dict[str, Any]:
    """The verdict on each command of a corpus, as data."""
    lines = [
        {
            "command": each.line.command, "wanted": each.line.wanted, "found": each.found, "holds": each.holds,
            "outcome": each.outcome, "reason": each.reason, "where": each.line.where,
        }
        for each in tried
    ]  # fmt: skip
    return {"holds": all(each.holds for each in tried), "lines": lines}


def entry_line(entry: JournalEntry) -> str:
    """An entry on one line."""
    from volition.workflow.store.events import moment

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
