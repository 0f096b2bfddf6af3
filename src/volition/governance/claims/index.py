"""The index of places: finds the resources that may meet a resource without comparing all pairs.

Every resource lies at a node of one tree: a path at itself, a pattern at the folder that holds all its paths, a module at
each path where it may lie, a part of a file below the file. Two resources meet only if a node of one is the node of the
other, or above or below it (or is that of a module which is a source file). So a resource is compared with those on its
way to the root, and the cost follows the claims and not the pairs.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING

from volition.governance.claims.spelling import stem_of
from volition.governance.paths.names import MODULE, PART, SERVICE, holder, lines_of, split_part
from volition.governance.paths.patterns import SOURCES, anchor_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from volition.governance.claims.spelling import Spelling


@lru_cache(maxsize=2**16)
def chain_of(node: str) -> tuple[str, ...]:
    """A node and all nodes above it; a named part of a file lies below all lines of it, with which it cannot be compared.

    >>> chain_of("src/a.py"), chain_of("a.go#Cart.add")
    (('src/a.py', 'src', '.'), ('a.go#Cart.add', 'a.go#Cart', 'a.go#', 'a.go', '.'))
    """
    above = holder(node)
    if PART in node:
        path, part = split_part(node)
        above = node[:-1] if node.endswith(PART) else f"{path}{PART}" if part and above == path else above
    return (node,) if above is None else (node, *chain_of(above))


@lru_cache(maxsize=2**16)
def _stems_of(node: str) -> tuple[str, ...]:
    """The names without extension of the source files that a node is, is a part of, or lies below."""
    return tuple(stem for place in chain_of(node) if PART not in place and (stem := stem_of(place)))


class PlaceIndex:
    """Resources by the nodes at which they lie."""

    def __init__(self, spelling: Spelling, resources: Iterable[str] = ()) -> None:
        self._spelling = spelling
        self._plain: dict[str, None] = {}
        """The resources that are nodes themselves."""
        self._at: dict[str, dict[str, None]] = {}
        """Node -> the patterns, modules and lines that lie there."""
        self._parts: dict[str, dict[str, None]] = {}
        """File -> the resources that are parts of it."""
        for resource in resources:
            self.add(resource)

    def add(self, resource: str) -> None:
        """Add a resource."""
        for node in self.nodes_of(resource):
            if node == resource:
                self._plain[resource] = None
            else:
                self._at.setdefault(node, {})[resource] = None
        if path := _whole_of(resource):
            self._parts.setdefault(path, {})[resource] = None

    def nodes_of(self, resource: str) -> tuple[str, ...]:
        """The nodes at which a resource lies."""
        if resource.startswith(MODULE):
            return self._spelling.places(resource)
        if PART not in resource:
            return (resource if resource.startswith(SERVICE) else anchor_of(resource),)
        path, part = split_part(resource)
        if not part or anchor_of(path) != path:
            return (anchor_of(path),)
        return (f"{path}{PART}" if lines_of(part) else resource,)

    def above(self, resource: str) -> dict[str, None]:
        """The resources at the nodes of a resource and above them, without itself: a few of them may not meet it.

        A module may be a source file, so one that lies at the name of a file without its extension is found, too.
        """
        plain, at, parts = self._plain, self._at, self._parts
        resources: dict[str, None] = {}
        for node in self.nodes_of(resource):
            for place in chain_of(node):
                if place in plain:
                    resources[place] = None
                if place in at:
                    resources |= at[place]
                if parts and place in parts and node.startswith(f"{place}/"):
                    resources |= parts[place]
            for stem in _stems_of(node) if at else ():
                if stem in at:
                    resources |= at[stem]
        resources.pop(resource, None)
        return resources

    def pairs(self) -> Iterator[tuple[str, str]]:
        """All pairs of resources that meet, each once: the one that names the meeting, and the other."""
        outer, seen = self._spelling.outer, set[tuple[str, str]]()
        for resource in [*self._plain, *dict.fromkeys(one for at_node in self._at.values() for one in at_node)]:
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
        self._stems: Counter[str] = Counter()
        """How many source files, or parts of them, there are of each name without an extension."""

    def add(self, resource: str) -> None:
        super().add(resource)
        children = self._children
        for node in self.nodes_of(resource):
            self._stems.update(_stems_of(node))
            for below, above in pairwise(chain_of(node)):
                known = children[above]
                if below in known:
                    break
                known.add(below)

    def remove(self, resource: str) -> None:
        """Take a resource out, and the nodes at which nothing is left."""
        if path := _whole_of(resource):
            del self._parts[path][resource]
            if not self._parts[path]:
                del self._parts[path]
        for node in self.nodes_of(resource):
            if node == resource:
                del self._plain[resource]
            else:
                del self._at[node][resource]
                if not self._at[node]:
                    del self._at[node]
            for stem in _stems_of(node):
                self._stems[stem] -= 1
                if not self._stems[stem]:
                    del self._stems[stem]
            for below, above in pairwise(chain_of(node)):
                if below in self._plain or below in self._at or self._children.get(below):
                    break
                self._children.pop(below, None)
                self._children[above].discard(below)
                if not self._children[above]:
                    del self._children[above]

    def meeting(self, resource: str) -> Iterator[tuple[str, str]]:
        """The resources that meet a resource, itself among them if it is there: what names the meeting, and the other."""
        candidates = self.above(resource)
        self._add_below(self.nodes_of(resource), candidates)
        if resource.startswith(MODULE):
            places = [place for place in self._spelling.places(resource) if place in self._stems]
            self._add_below([f"{place}.{ending}" for place in places for ending in SOURCES], candidates)
        if path := _whole_of(resource):
            # A part of what is called a folder elsewhere meets what lies in it.
            self._add_below([node for node in self._children.get(path, ()) if node.startswith(f"{path}/")], candidates)
        for other in candidates:
            place = self._spelling.outer(resource, other)
            if place is not None:
                yield place, other

    def _add_below(self, nodes: Iterable[str], resources: dict[str, None]) -> None:
        """Add all that lies at some nodes and below them."""
        plain, at, children = self._plain, self._at, self._children
        ahead = list(nodes)
        for node in ahead:
            if node in plain:
                resources[node] = None
            if node in at:
                resources |= at[node]
            if node in children:
                ahead += children[node]
