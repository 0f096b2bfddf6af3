"""The index of places: finds the resources that may meet a resource without comparing all pairs.

Every resource lies at a node of one tree: a path at itself, a pattern at the folder that holds all its paths, a module at
each path where it may lie, a part of a file below the file. Two resources meet only if a node of one is the node of the
other, or above or below it. So a resource is compared with those on its way to the root, and the cost follows the claims
and not the pairs.
"""

from __future__ import annotations

import itertools
from collections import defaultdict
from functools import lru_cache
from typing import TYPE_CHECKING

from volition.governance.claims.names import MODULE, PART, SERVICE, holder, lines_of, split_part
from volition.governance.claims.patterns import anchor_of
from volition.governance.claims.spelling import stem_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from volition.governance.claims.spelling import Spelling


@lru_cache(maxsize=2**16)
def chain_of(node: str) -> tuple[str, ...]:
    """A node and all nodes above it. A source file lies below its name without extension, where a module may lie; a named
    part of a file lies below all lines of it, with which it cannot be compared.

    >>> chain_of("src/a.py"), chain_of("a.go#Cart.add")
    (('src/a.py', 'src/a', 'src', '.'), ('a.go#Cart.add', 'a.go#Cart', 'a.go#', 'a.go', 'a', '.'))
    """
    if node.startswith(SERVICE):
        return (node,)
    path, part = split_part(node)
    if part:
        above = holder(node)
        above = f"{path}{PART}" if above == path else above
    elif node.endswith(PART):
        above = node[:-1]
    else:
        above = stem_of(node) or holder(node)
    return (node,) if above is None else (node, *chain_of(above))


class PlaceIndex:
    """Resources by the nodes at which they lie."""

    def __init__(self, spelling: Spelling, resources: Iterable[str] = ()) -> None:
        self._spelling = spelling
        self._at: dict[str, dict[str, None]] = {}
        self._parts: dict[str, dict[str, None]] = {}
        """File -> the resources that are parts of it."""
        for resource in resources:
            self.add(resource)

    def add(self, resource: str) -> None:
        """Add a resource."""
        for node in self.nodes_of(resource):
            self._at.setdefault(node, {})[resource] = None
        if path := _whole_of(resource):
            self._parts.setdefault(path, {})[resource] = None

    def nodes_of(self, resource: str) -> tuple[str, ...]:
        """The nodes at which a resource lies."""
        if resource.startswith(MODULE):
            return self._spelling.places(resource)
        if PART not in resource:
            return (anchor_of(resource),)
        path, part = split_part(resource)
        if not part or anchor_of(path) != path:
            return (anchor_of(path),)
        return (f"{path}{PART}" if lines_of(part) else resource,)

    def above(self, resource: str) -> dict[str, None]:
        """The resources at the nodes of a resource and above them, without itself: a few of them may not meet it."""
        found: dict[str, None] = {}
        at, parts = self._at, self._parts
        for node in self.nodes_of(resource):
            for place in chain_of(node):
                if place in at:
                    found |= at[place]
                if place in parts and node.startswith(f"{place}/"):
                    found |= parts[place]
        found.pop(resource, None)
        return found

    def pairs(self) -> Iterator[tuple[str, str]]:
        """All pairs of resources that meet, each once: the one that names the meeting, and the other."""
        outer, seen = self._spelling.outer, set[tuple[str, str]]()
        for resource in dict.fromkeys(one for held in self._at.values() for one in held):
            for other in self.above(resource):
                pair = (resource, other) if resource < other else (other, resource)
                if pair not in seen:
                    seen.add(pair)
                    place = outer(*pair)
                    if place is not None:
                        yield place, pair[1] if place == pair[0] else pair[0]


def _whole_of(resource: str) -> str:
    """The file of which a resource is a part; empty for anything else, and for a part of many files."""
    path, part = split_part(resource) if PART in resource else (resource, "")
    return path if part and anchor_of(path) == path else ""


class LivePlaceIndex(PlaceIndex):
    """An index from which resources can be taken out again, and which also finds what lies below a resource."""

    def __init__(self, spelling: Spelling) -> None:
        super().__init__(spelling)
        self._children: defaultdict[str, set[str]] = defaultdict(set)

    def add(self, resource: str) -> None:
        super().add(resource)
        for node in self.nodes_of(resource):
            chain = chain_of(node)
            for below, above in itertools.pairwise(chain):
                if below in self._children[above]:
                    break
                self._children[above].add(below)

    def remove(self, resource: str) -> None:
        """Take a resource out, and the nodes at which nothing is left."""
        if path := _whole_of(resource):
            del self._parts[path][resource]
            if not self._parts[path]:
                del self._parts[path]
        for node in self.nodes_of(resource):
            held = self._at[node]
            del held[resource]
            if not held:
                del self._at[node]
            chain = chain_of(node)
            for below, above in itertools.pairwise(chain):
                if below in self._at or self._children.get(below):
                    break
                self._children.pop(below, None)
                self._children[above].discard(below)
                if not self._children[above]:
                    del self._children[above]

    def meeting(self, resource: str) -> Iterator[tuple[str, str]]:
        """The resources that meet a resource, itself among them if it is there: what names the meeting, and the other."""
        found = self.above(resource)
        ahead = list(self.nodes_of(resource))
        if path := _whole_of(resource):
            ahead += [node for node in self._children.get(path, ()) if node.startswith(f"{path}/")]
        for node in ahead:
            found |= self._at.get(node, {})
            ahead += self._children.get(node, ())
        for other in found:
            place = self._spelling.outer(resource, other)
            if place is not None:
                yield place, other
