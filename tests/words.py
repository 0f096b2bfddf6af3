"""The words of the project as data: its classes, its glossary, and idioms that have a plainer form."""

from __future__ import annotations

import ast
import keyword
import re
from collections import Counter
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

IDIOMS: Final = {
    r"stands? (?:once|twice)": "is defined once, is duplicated",
    r"of (?:one's|your) own": "a custom X, your X",
    r"of late": "recently",
    r"anew": "again",
    r"strange": "unknown",
    r"sooner": "earlier, faster",
    r"ere|hitherto|thereof|thereby|wherein|whosoever": "a common word",
}
"""Phrases that stop a reader, each with what to write instead."""
VAGUE: Final = frozenset({"plain", "told", "shown", "kept", "meddled", "named", "asked", "again"})
"""Names of functions that say neither what is done nor to what."""
_IDIOM: Final = re.compile(rf"\b(?:{'|'.join(IDIOMS)})\b", re.IGNORECASE)
_WORD: Final = re.compile(r"[A-Z]+(?![a-z])|[A-Z][a-z0-9]*")
_CODE_BLOCK: Final = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)


def public_classes(text: str) -> Iterator[str]:
    """The names of the public classes of a module, nested ones too; a class inside a function is not public."""
    todo: list[ast.AST] = [ast.parse(text)]
    while todo:
        for node in ast.iter_child_nodes(todo.pop()):
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                yield node.name
            if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
                todo.append(node)


def class_files(source: Path) -> dict[str, list[str]]:
    """Every public class of the package, with the files that define a class of this name."""
    found: dict[str, list[str]] = {}
    for path in sorted(source.rglob("*.py")):
        for name in public_classes(path.read_text(encoding="utf-8")):
            found.setdefault(name, []).append(str(path.relative_to(source)))
    return found


def vague_functions(text: str) -> list[str]:
    """The functions and methods of a module whose names are `VAGUE`."""
    functions = (node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))
    return [node.name for node in functions if node.name.strip("_") in VAGUE]


def idioms(text: str) -> list[str]:
    """The idioms in a text, in any case and across line ends."""
    return _IDIOM.findall(" ".join(text.split()))


def terms(glossary: str) -> list[str]:
    """The terms that a glossary defines, in bold, in lower case."""
    return [" ".join(term.lower().split()) for term in re.findall(r"\*\*([^*]+)\*\*", glossary)]


def defined_twice(glossary: str) -> list[str]:
    """The terms that a glossary defines more than once."""
    return [term for term, count in Counter(terms(glossary)).items() if count > 1]


def class_names_in(glossary: str) -> list[str]:
    """What a glossary writes in code font that looks like the name of a class."""
    spans = re.findall(r"`([A-Z]\w*)(?:\(.*?\))?`", _CODE_BLOCK.sub("", glossary))
    return [name for name in spans if re.search(r"[a-z]", name) and not keyword.iskeyword(name)]


def unexplained(names: Iterable[str], glossary: str) -> list[str]:
    """The classes that a glossary neither names in code font nor defines word by word; a plural is its word.

    >>> unexplained(["Plan", "MergePlan", "AnswerPack"], "- **Plan**: a document. **Answer pack**: what was chosen.")
    ['MergePlan']
    """
    words = {word.removesuffix("s") for term in terms(glossary) for word in re.findall(r"\w+", term)}
    known = set(class_names_in(glossary))
    return [
        name
        for name in names
        if name not in known and not all(word.lower().removesuffix("s") in words for word in _WORD.findall(name))
    ]
