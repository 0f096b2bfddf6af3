"""Citations: which resources that somebody makes the references of an intent name, found by looking up what a reference says."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from volition.governance.claims import MADE, WRITES
from volition.governance.conflicts.contests import SHIFT
from volition.governance.mentions import PLAIN, spellings, words_of
from volition.governance.resources import MODULE, SERVICE, WHOLE_PROJECT, Holders
from volition.governance.spelling import SOURCE

if TYPE_CHECKING:
    from collections.abc import Iterable

    from volition.governance.conflicts.contests import Index
    from volition.governance.spelling import Crossings, Spelling

_PLAIN = re.compile(r"(?:[A-Za-z0-9_.+@~-]*[A-Za-z0-9_+@~-])?").fullmatch
"""Whether nothing in the last part of a reference parts words or ends a sentence."""
_LETTERS: Final = PLAIN + b"+@~:\n"
_FOLDER = re.compile(r"(?:[A-Za-z0-9_+-]+://)?[A-Za-z0-9_.+@~/-]*").fullmatch
"""Whether the rest of a reference is a path, or a path after a scheme."""
_NOTHING: Final[tuple[list[str], frozenset[str]]] = ([], frozenset())
_ODD: Final[tuple[None, frozenset[str]]] = (None, frozenset())


def are_plain_refs(lines: str) -> bool:
    """Whether the last part of each of many references is plain, as far as one look at all of them tells.

    >>> are_plain_refs("note://a/b\\nsrc/a.py\\n"), are_plain_refs("note:a\\n"), are_plain_refs("src/a.\\n")
    (True, False, False)
    """
    return (
        lines.isascii()
        and ".\n" not in lines
        and lines.count(":") == lines.count("://")
        and not lines.encode().translate(None, _LETTERS)
    )


class Citations:
    """The claimed resources that somebody makes, ready to be found in references.

    What the folder part of a reference says is worked out once for all references into that folder.
    """

    def __init__(
        self, index: Index, holders: Holders, inside: dict[str, list[int]], crossings: Crossings, spelling: Spelling
    ) -> None:
        self._index = index
        self._spelling = spelling
        self._crossings = crossings
        self._ignore_case = spelling.ignore_case
        self._holders = self._around = holders
        self._inside = inside
        # What nobody makes nobody can be waited for.
        self._made = made = {
            resource
            for resource, held in index.items()
            if (any(code & MADE for code in held) if type(held) is list else held & MADE)  # type: ignore[operator]
        }
        modules = {resource for resource in made if resource.startswith((MODULE, SERVICE))}
        # A module is named by the paths at which it may lie, too: path -> the modules that are made there.
        self._meant: dict[str, list[str]] = {}
        for module in modules:
            if module.startswith(MODULE):
                for place in spelling.places(module):
                    if place != WHOLE_PROJECT:
                        self._meant.setdefault(place, []).append(module)
                        self._meant.setdefault(place + SOURCE, []).append(module)
        self._files = made - modules
        if self._meant:
            self._made = made = made | self._meant.keys()
            self._holders = Holders(made)
        self._heads = {resource.partition("/")[0] for resource in made - modules}
        self._stems = spelling.stems(made - modules)
        self._dotted = {resource.partition(":")[2].partition(".")[0] for resource in modules}
        self._starts = {name[:2] for name in (*self._heads, *self._dotted, *self._stems)}
        self._folders: dict[str, str | tuple[list[str] | None, frozenset[str]]] = {}

    def named_by(self, refs: Iterable[str], *, all_plain: bool = False) -> set[str]:
        """The resources that somebody makes and one of the references names; `all_plain` is what `are_plain_refs` says."""
        found: set[str] = set()
        made, starts, folders = self._made, self._starts, self._folders
        if self._ignore_case:
            refs = [ref.lower() for ref in refs]
        for ref in refs:
            folder, _, name = ref.rpartition("/")
            known = folders.get(folder)
            said = self._folder(folder) if known is None else known
            # To look at letters and digits alone is much faster than the pattern, and most names are no more.
            plain = all_plain or (name.replace(".", "").isalnum() and name[-1] != ".") or _PLAIN(name)
            if type(said) is str and plain:
                path = said + name
                if path in made:
                    found.add(path)
                if name[:2] in starts:
                    self._first(name, found)
            else:
                self._slowly(ref, name if plain else None, said, found)
        return self._made_by_somebody(found) if self._meant and found else found

    def _made_by_somebody(self, found: set[str]) -> set[str]:
        """What is made of what was found: a path at which a module may lie is that module, and a file where it is made."""
        meant, files = self._meant, self._files
        modules = {module for path in found for module in meant.get(path, ())}
        return modules | {resource for resource in found if resource not in meant or resource in files}

    def _slowly(
        self, ref: str, name: str | None, said: str | tuple[list[str] | None, frozenset[str]], found: set[str]
    ) -> None:
        """Add what a reference names whose folder says more than where its tail begins, or whose name is not plain."""
        tails, named = ([said], _NOTHING[1]) if isinstance(said, str) else said
        if tails is None or name is None:
            for word in words_of(ref):
                for path in spellings(word):
                    self._path(path, found)
            return
        found.update(path for tail in tails if (path := tail + name) in self._made)
        found |= named
        self._first(name, found)

    def _first(self, name: str, found: set[str]) -> None:
        """Add what a last part names by itself."""
        head = name.partition(".")[0]
        if name in self._heads or head in self._dotted or head in self._stems:
            self._path(name, found)

    def _folder(self, ref: str) -> str | tuple[list[str] | None, frozenset[str]]:
        """What the folder part of a reference says: the paths with which its tails begin, and what it names itself.

        Most say the beginning of one tail and nothing else, and that is a text.
        """
        scheme, colon, path = ref.partition("://")
        if ref and (not _FOLDER(ref) or "//" in path or "./" in ref or ref[-1] == "."):
            self._folders[ref] = _ODD
            return _ODD
        segments = path.split("/") if colon else scheme.split("/")
        heads, dotted, made = self._heads, self._dotted, self._made
        tails: list[str] = []
        found: set[str] = set()
        if not heads.isdisjoint(segments):
            for at, segment in enumerate(segments):
                if segment in heads:
                    tail = segment
                    for part in segments[at + 1 :]:
                        if tail in made:
                            found.add(tail)
                        tail = f"{tail}/{part}"
                    if tail in made:
                        found.add(tail)
                    tails.append(f"{tail}/")
        # A part without a dot is its own first part, so most folders need no more than one look.
        if dotted and ("." in ref or scheme in dotted or not dotted.isdisjoint(segments)):
            for part in (scheme, *segments):
                if part.partition(".")[0] in dotted:
                    self._module(part, found)
        if "." in ref:
            for part in (scheme, *segments) if colon else segments:
                self._spelt(part, found)
        if colon and scheme in heads:
            self._path(scheme, found)
        found.discard(WHOLE_PROJECT)
        said: str | tuple[list[str] | None, frozenset[str]] = _NOTHING
        if found or len(tails) > 1:
            said = (tails, frozenset(found))
        elif tails:
            said = tails[0]
        self._folders[ref] = said
        return said

    def _path(self, path: str, found: set[str]) -> None:
        """Add the claimed resources that stand in a clean path as a run of its segments."""
        made, segments = self._made, path.split("/")
        for at, segment in enumerate(segments):
            if segment in self._heads:
                tail = "/".join(segments[at:])
                found.update(place for place in (tail, *self._holders.of(tail)) if place in made)
            if segment.partition(".")[0] in self._dotted:
                self._module(segment, found)
            self._spelt(segment, found)
        found.discard(WHOLE_PROJECT)

    def _spelt(self, segment: str, found: set[str]) -> None:
        """Add the paths of what is made that are a module which a segment names, dotted."""
        if "." in segment and segment.partition(".")[0] in self._stems:
            for place in self._spelling.named_in(segment):
                found.update(path for path in (place, place + SOURCE) if path in self._made and path != WHOLE_PROJECT)

    def _module(self, segment: str, found: set[str]) -> None:
        made = self._made
        if SERVICE + segment in made:
            found.add(SERVICE + segment)
        name = MODULE + segment
        found.update(place for place in (name, *self._holders.of(name)) if place in made)

    def writers_around(self, resource: str) -> set[int]:
        """Those who write something in the resource, or something that holds it."""
        found = {code >> SHIFT for code in self._inside.get(resource, ()) if code & WRITES}
        for place in (*self._around.of(resource), *self._crossings.of(resource)):
            held = self._index[place]
            found.update(code >> SHIFT for code in (held if isinstance(held, list) else [held]) if code & WRITES)
        return found
