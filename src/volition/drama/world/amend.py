"""Changing settings in the text of a scenario's own file: comments, order and every other line stay as they are.

Whatever is written reads as the scenario with exactly those changes, or nothing is: `amend` reads its result back.
"""

from __future__ import annotations

import json
from difflib import SequenceMatcher, unified_diff
from typing import TYPE_CHECKING, Any, Final

from volition.core.document import parse_toml
from volition.core.errors import InvalidInput, refuse
from volition.drama.world.clock import SERVED_AS
from volition.drama.world.layout import Layout, Path
from volition.drama.world.scenario import scenario_from_data, scenario_to_data
from volition.drama.world.settings import Setting, apply_settings, split_path
from volition.drama.world.wording import PHRASES

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

EVENTS: Final = ("evening", "events")
LISTED: Final = (("events",), ("circumstances",))


def amend(text: str, settings: Iterable[Setting], where: str) -> str:
    """The text of a TOML file with some settings changed; InvalidInput if that cannot be done in this file."""
    wanted = list(settings)
    data = {section: part for section, part in parse_toml(text, where=where).items() if section != PHRASES}
    expected = apply_settings(scenario_from_data(data), wanted)
    changes = _Changes(Layout(text))
    for setting in wanted:
        steps = split_path(setting.path)
        if (*steps[:2],) == EVENTS and (served := SERVED_AS.get(str(steps[2]))) is not None:
            _serve(changes, data, str(steps[2]), served, setting.to)
        else:
            changes.put(_by_number(data, steps), setting.to)
    amended = changes.text()
    if not _reads_as(amended, scenario_to_data(expected)):
        refuse(
            "the settings cannot be changed in this file as it is written",
            where=where,
            expected="a TOML file in which every setting has a line, or a place for one",
            remedy="leave out --apply, and copy the lines of the file that is written instead",
        )
    return amended


def diff_of(before: str, after: str, file: str) -> str:
    """The lines that differ, as `diff -u` shows them."""
    old, new = (text.splitlines(keepends=True) for text in (before, after))
    return "".join(unified_diff(old, new, file, file))


def to_toml(value: Any) -> str:
    """A value on one line; texts are written as JSON writes them, which is the same."""
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{key} = {to_toml(inner)}" for key, inner in value.items()) + " }" if value else "{}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(to_toml, value)) + "]"
    return json.dumps(value, ensure_ascii=False)


def _reads_as(text: str, expected: Mapping[str, Any]) -> bool:
    try:
        data = {section: part for section, part in parse_toml(text).items() if section != PHRASES}
        return scenario_to_data(scenario_from_data(data)) == expected
    except InvalidInput:
        return False


def _by_number(data: Any, steps: Iterable[Any]) -> Path:
    """The path of a setting in the file, where entries of a list have numbers instead of ids."""
    path: Path = ()
    for step in steps:
        entries = [] if data is None and path[-1:] in LISTED else data
        is_list = isinstance(entries, list)
        named = is_list and isinstance(step, str)
        key = next((at for at, entry in enumerate(entries) if entry["id"] == step), len(entries)) if named else step
        is_there = key < len(entries) if is_list else isinstance(entries, dict) and key in entries
        data = entries[key] if is_there else None
        path = (*path, key)
    return path


def _serve(changes: _Changes, data: Mapping[str, Any], id: str, what: str, to: Any) -> None:
    """Change when something is served. A file may have several events that serve the same: each keeps what remains of it."""
    minutes = to["minutes"] if isinstance(to, dict) else list(to)
    events = data["evening"].get("events", [])
    serving = [number for number, event in enumerate(events) if event.get("serve") == what]
    if not serving:
        changes.put((*EVENTS, len(events)), {"id": id, "serve": what, "minutes": minutes})
    fresh = [minute for minute in minutes if all(minute not in events[number]["minutes"] for number in serving)]
    for number in serving:
        kept = [minute for minute in events[number]["minutes"] if minute in minutes]
        changes.put((*EVENTS, number, "minutes"), sorted([*kept, *fresh]))
        fresh = []


class _Changes:
    """Changes of a text, made all at once."""

    def __init__(self, layout: Layout) -> None:
        self._layout = layout
        self._pieces: list[tuple[int, int, str]] = []
        self._tables: dict[Path, dict[str, Any]] = {}

    def put(self, path: Path, to: Any) -> None:
        """Give a setting a value: in its place, in the table or list around it, or in a new section."""
        layout, (*parents, key) = self._layout, path
        parent = tuple(parents)
        if path in layout.values:
            self._replace(path, to)
        elif parent in layout.values:
            self._join(parent, to if isinstance(key, int) else {key: to})
        elif parent in layout.sections:
            self._insert(layout.sections[parent], f"{key} = {to_toml(to)}\n")
        else:
            self._tables.setdefault(path if isinstance(key, int) else parent, {}).update(
                to if isinstance(key, int) else {str(key): to}
            )

    def text(self) -> str:
        """The changed text."""
        for path, entries in self._tables.items():
            self._add_table(path, entries)
        text = self._layout.text
        for start, end, piece in sorted(self._pieces, key=lambda change: change[0], reverse=True):
            before = text[:start]
            text = (
                before + ("\n" if piece.endswith("\n") and before and before[-1] != "\n" else "") + piece + text[end:]
            )
        return text

    def _replace(self, path: Path, to: Any) -> None:
        layout, place = self._layout, self._layout.values[path]
        old = [step for step in layout.values if step[:-1] == path and isinstance(step[-1], int)]
        if not isinstance(to, list) or "#" not in layout.value(path):
            self._pieces.append((*place, to_toml(to)))
            return
        written, wanted = [json.loads(layout.value(step)) for step in old], list(to)
        for kind, first, last, start, end in SequenceMatcher(None, written, wanted, autojunk=False).get_opcodes():
            fresh = "".join(f"{to_toml(value)}, " for value in wanted[start:end])
            if kind in ("insert", "replace"):
                at = layout.values[old[first]].start if first < len(old) else layout.values[old[-1]].end
                self._insert(at, fresh if first < len(old) else ", " + fresh.removesuffix(", "))
            for step in old[first:last] if kind in ("delete", "replace") else ():
                place = layout.values[step]
                comma = layout.text[place.end : place.end + 1] == ","
                self._pieces.append((place.start, place.end + comma, ""))

    def _join(self, parent: Path, to: Any) -> None:
        """Add an entry to a table or list that is written on one line, or between brackets."""
        written, closing = self._layout.value(parent), self._layout.values[parent].end - 1
        is_empty = not written[1:-1].strip()
        entry = to_toml(to).removeprefix("{ ").removesuffix(" }") if written[0] == "{" else to_toml(to)
        inner = written[1:-1].rstrip()
        lead = "" if is_empty or inner.endswith(",") else ","
        self._pieces.append((closing - (len(written) - 2 - len(inner)), closing, f"{lead} {entry} "))

    def _insert(self, at: int, piece: str) -> None:
        same = next((number for number, change in enumerate(self._pieces) if change[:2] == (at, at)), None)
        if same is None:
            self._pieces.append((at, at, piece))
        else:
            self._pieces[same] = (at, at, self._pieces[same][2] + piece)

    def _add_table(self, path: Path, entries: Mapping[str, Any]) -> None:
        """Add a table to the section around it, or else a section after the last of its kind."""
        sections = self._layout.sections
        if path[:-1] in sections and not isinstance(path[-1], int):
            self._insert(sections[path[:-1]], f"{path[-1]} = {to_toml(dict(entries))}\n")
            return
        alike = [end for section, end in sections.items() if section[:1] == path[:1]]
        names = ".".join(str(step) for step in path if isinstance(step, str))
        head = f"[[{names}]]" if isinstance(path[-1], int) else f"[{names}]"
        lines = "".join(f"{key} = {to_toml(value)}\n" for key, value in entries.items())
        self._insert(max(alike, default=len(self._layout.text)), f"\n{head}\n{lines}")
