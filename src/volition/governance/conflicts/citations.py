"""Citations: which resources that other plans make are named by the references of an intent."""

from __future__ import annotations

import re
from itertools import accumulate
from typing import TYPE_CHECKING

from volition.governance.claims.effects import MADE, WRITES
from volition.governance.claims.mentions import ends_a_word, spellings, words_of
from volition.governance.claims.spelling import SOURCE, Containers
from volition.governance.conflicts.contests import SHIFT
from volition.governance.resources import MODULE, SERVICE, WHOLE_PROJECT, clean_segments

if TYPE_CHECKING:
    from collections.abc import Iterable

    from volition.governance.claims.spelling import Spelling
    from volition.governance.conflicts.contests import Index


_NAME = re.compile(r"[A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]+)*").fullmatch
"""Whether the last part of a reference is one clean segment that ends no sentence."""


class Citations:
    """The resources that plans make, indexed so that they can be found in references."""

    def __init__(self, index: Index, inside: Index, containers: Containers, spelling: Spelling) -> None:
        self._index, self._inside = index, inside
        self._containers, self._spelling = containers, spelling
        # A resource that no plan makes is never waited for.
        made = {resource for resource, held in index.items() for code in held if code & MADE}
        modules = {resource for resource in made if resource.startswith((MODULE, SERVICE))}
        self._files = made - modules
        # A module is named by the paths at which it may lie, too.
        self._modules_at = {
            path: found for path, found in Containers(spelling, modules).modules_at.items() if path != "."
        }
        paths = self._files | self._modules_at.keys()
        self._known = paths | modules
        self._lasts = {path.rpartition("/")[2] for path in paths}
        self._heads = {path.partition("/")[0] for path in paths}
        self._stems = spelling.stems(paths)
        self._dotted = {resource.partition(":")[2].partition(".")[0] for resource in modules}
        self._folders: dict[str, tuple[list[str], set[str]]] = {}

    def named_by(self, refs: Iterable[str]) -> set[str]:
        """The resources that a plan makes and one of the references names."""
        found: set[str] = set()
        for ref in map(str.lower, refs) if self._spelling.ignore_case else refs:
            folder, _, name = ref.rpartition("/")
            if _NAME(name):
                self._add(folder, name, found)
                continue
            for word in words_of(ref):
                for path in spellings(word):
                    folder, _, name = path.rpartition("/")
                    self._add(folder, name, found)
        found.discard(WHOLE_PROJECT)
        if not self._modules_at:
            return found
        modules = {module for path in found for module in self._modules_at.get(path, ())}
        return modules | {resource for resource in found if resource not in self._modules_at or resource in self._files}

    def _add(self, folder: str, name: str, found: set[str]) -> None:
        """Add what a name in a folder, or the folder itself, names."""
        prefixes, in_folder = self._folders.get(folder) or self._look_into(folder)
        found |= in_folder
        if name in self._lasts:
            found.update(prefix + name for prefix in prefixes if prefix + name in self._known)
        self._add_segment(name, found)

    def _look_into(self, folder: str) -> tuple[list[str], set[str]]:
        """The prefixes of the resources that a name in this folder can be, and what the folder itself names.

        The folder is the text of a reference up to its last slash. Most references share theirs with others, so this
        is computed once.
        """
        words = words_of(folder)
        # The name continues the last word, unless a separator ends the text before it.
        segments = clean_segments(words.pop()) if words and not ends_a_word(folder[-1]) else []
        prefixes = [""]
        found: set[str] = set()
        for at, segment in enumerate(segments):
            self._add_segment(segment, found)
            if segment in self._heads:
                run = ""
                for part in segments[at:]:
                    run += part
                    if run in self._known:
                        found.add(run)
                    run += "/"
                prefixes.append(run)
        self._folders[folder] = prefixes, found
        for word in words:
            for other in spellings(word):
                before, _, name = other.rpartition("/")
                self._add(before, name, found)
        return prefixes, found

    def _add_segment(self, segment: str, found: set[str]) -> None:
        """Add the modules and services that a segment names, and the files of modules that it names."""
        head, dotted, _ = segment.partition(".")
        if head in self._dotted:
            if SERVICE + segment in self._known:
                found.add(SERVICE + segment)
            found |= self._known.intersection(accumulate((MODULE + segment).split("."), "{}.{}".format))
        if dotted and head in self._stems:
            places = self._spelling.places_named_in(segment)
            found.update(one for place in places for one in (place, place + SOURCE) if one in self._known)

    def writers_around(self, resource: str) -> set[int]:
        """The intents that write something in the resource, or something that contains it."""
        found = {code >> SHIFT for code in self._inside.get(resource, ()) if code & WRITES}
        for place in self._containers.of(resource):
            found.update(code >> SHIFT for code in self._index[place] if code & WRITES)
        return found
