"""Valid documents, changed at random: what a writer, a program or an attacker might make of them."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from volition.governance.documents.findings import schema
from volition.governance.gates.fixtures import valid_document

Path = tuple[str | int, ...]


def places(value: Any, path: Path = ()) -> list[Path]:
    """The paths of all values in plain data, the root left out."""
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    found = [] if path == () else [path]
    return found + [place for step, one in inner for place in places(one, (*path, step))]


def words(kind: str) -> list[str]:
    """All words that the schema of a kind knows: field names and enumerations."""
    found: set[str] = set()
    todo: list[Any] = [schema(kind)]
    while todo:
        value = todo.pop()
        if isinstance(value, dict):
            found.update(value.get("properties", ()))
            found.update(word for word in value.get("enum", ()) if isinstance(word, str))
            todo.extend(value.values())
        elif isinstance(value, list):
            todo.extend(value)
    return sorted(found)


ODD: tuple[Any, ...] = (
    None, True, False, 0, 1, -1, 0.0, 1.0, 1.5, 5.0, 50, 51, 100, 101, 500, 501, 10_000, 10_001, -0.0, 2**53 - 1, 2**53,
    "", "x", "xy", "xyz", "a" * 64, "a" * 160, "a" * 161, "0" * 64, "0" * 63, "intent_abcdef", "intent_abcdef\n",
    "intent_set_abcdef", "intent_\u0430bcdef", "op_001", "op_0001", "option_1", "q_0001", "0.9.3", "0.9.3\n", "01.0.0",
    "2026-02-28T23:59:59Z", "2026-02-29T00:00:00Z", "2024-02-29T00:00:00.5+01:00", "0000-01-01T00:00:00Z",
    "2026-01-25T10:00:00Z\n", "\U0001f600" * 5, [], {}, [None], ["x"], {"execute": "x"}, [["intent_abcdef", "intent_bcdefg"]],
)  # fmt: skip


@st.composite
def mutated(draw: st.DrawFn, kind: str) -> dict[str, Any]:
    """A valid document of this kind with one to three changes in it."""
    data = valid_document(kind)
    for _ in range(draw(st.integers(1, 3))):
        spots = places(data)
        if not spots:
            break
        path = draw(st.sampled_from(spots))
        holder: Any = data
        for step in path[:-1]:
            holder = holder[step]
        old = holder[path[-1]]
        match draw(st.sampled_from(["drop", "replace", "word", "repeat", "add", "stretch"])):
            case "drop":
                del holder[path[-1]]
            case "replace":
                holder[path[-1]] = draw(st.sampled_from(ODD))
            case "word":
                holder[path[-1]] = draw(st.sampled_from(words(kind)))
            case "repeat" if isinstance(old, list) and old:
                holder[path[-1]] = (old * draw(st.sampled_from([2, 7, 21, 210])))[: draw(st.integers(0, 250))]
            case "add" if isinstance(old, dict):
                old[draw(st.sampled_from(words(kind)))] = draw(st.sampled_from(ODD))
            case "stretch" if isinstance(old, str):
                holder[path[-1]] = old[:1] * draw(
                    st.sampled_from([1, 2, 3, 128, 129, 256, 257, 300, 301, 512, 513, 4001])
                )
    return data
