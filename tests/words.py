"""The words of the project as data: its classes, its glossary, and idioms that have a plainer form."""

from __future__ import annotations

import ast
import keyword
import re
from collections import Counter
from typing import TYPE_CHECKING, Final

from tests.sources import sources

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

IDIOMS: Final = {
    r"stands? (?:once|twice)": "is defined once, is duplicated",
    r"of (?:one's|your) own": "a custom X, your X",
    r"of late": "recently",
    r"anew": "again",
    r"strange": "unknown",
    r"sooner": "earlier, faster",
    r"(?:by|to) the letter": "in the literal reading, literally",
    r"hooks? of git": "git hooks",
    r"code of the user": "user code",
    r"(?:at most|after|for) so (?:long|wide)": "this long, this wide",
    r"for ever|some day": "forever, permanently; later",
    r"ere|hitherto|thereof|thereby|wherein|whosoever": "a common word",
}
"""Phrases that stop a reader, each with what to write instead."""
VAGUE: Final = frozenset({"plain", "again"})
"""Names of functions that say neither what is done nor to what."""
IRREGULAR: Final = frozenset(
    """
    asked begun bought broken brought built caught chosen dealt done drawn driven felt forgotten found fought given gone
    grown heard held hidden hung kept known lent lost made meant met moved risen said seen sent shown sold sought spent
    spoken stood struck taken taught thought thrown told torn understood won worn written
    """.split()  # noqa: SIM905  a list of words reads best as words
)
"""Past participles that do not end in -ed; those that are also verbs, such as read and put, are not listed."""
RULE_IDS: Final = frozenset({"supported"})
"""Names of functions that are also the ids of rules, which records hold."""
NOT_PARTICIPLES: Final = frozenset(
    {"deed", "embed", "exceed", "feed", "need", "proceed", "sed", "seed", "shed", "speed"}
)
_IDIOM: Final = re.compile(rf"\b(?:{'|'.join(IDIOMS)})\b", re.IGNORECASE)
_WORD: Final = re.compile(r"[A-Z]+(?![a-z])|[A-Z][a-z0-9]*")
_CODE_BLOCK: Final = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)


def class_files(source: Path) -> dict[str, list[str]]:
    """Every public class of the package, with the files that define a class of this name."""
    found: dict[str, list[str]] = {}
    for file in sources(source):
        for name in file.classes:
            found.setdefault(name, []).append(str(file.path))
    return found


def may_have_vague_functions(text: str) -> bool:
    """Whether a file has a function with such a name, decorated or not: only then is it worth parsing."""
    return any(_is_vague(name.strip("_")) for name in re.findall(r"\bdef +(\w+)", text))


def vague_functions(tree: ast.Module) -> list[str]:
    """The functions and methods of a module whose names are `VAGUE`, or a past participle and nothing else.

    A property may be one, because it says what its object is; so may what a decorator registers under its name, and a
    method that returns its own object, changed.
    """
    functions = (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))
    return [node.name for node in functions if _is_vague(node.name.strip("_")) and not _may_be_participle(node)]


def _is_vague(name: str) -> bool:
    participle = name in IRREGULAR or (name.endswith("ed") and name not in NOT_PARTICIPLES)
    return name in VAGUE or (participle and "_" not in name and name not in RULE_IDS)


def _may_be_participle(node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    if node.returns is not None and ast.unparse(node.returns) == "Self":
        return True
    names = [ast.unparse(decorator).partition("(")[0] for decorator in node.decorator_list]
    return any(name in {"property", "cached_property", "constraint"} or name.endswith(".law") for name in names)


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
