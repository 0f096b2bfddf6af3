"""Citations: which resources that other plans make or remove are named by the references of an intent.

A reference names whole paths, from its plan's root or from the project's: `file://cart/README.md` is not about `README.md`.
What stands first in a reference of any other scheme may be the name of a collection: `scan://files/src/a.py` may be about
`src/a.py`. A dotted name is a module, and whatever lies there.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from volition.governance.claims.index import PlaceIndex
from volition.governance.claims.spelling import modules_named_in, stem_of
from volition.governance.paths.names import (
    MODULE,
    PART,
    SERVICE,
    clean_path,
    is_plain,
    module_name,
    path_fault,
    split_part,
)
from volition.governance.paths.patterns import WHOLE_PROJECT, covers_path, is_pattern

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from volition.governance.claims.spelling import Spelling

_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+-]*(?=:/)|file):/*").match
_BREAKS: Final = re.compile(r"[\s\"'`()<>,;=|]+")
_SIMPLE = re.compile(
    r"(?!module|service)([A-Za-z][A-Za-z0-9+-]*)://([A-Za-z0-9_./-]+/[A-Za-z0-9_./-]*[A-Za-z0-9_-])"
).fullmatch
"""A reference by a scheme to a path with a folder."""
_LINE = re.compile(r":[0-9]+(?::[0-9]+)?\Z")
_ENDS: Final = ".:!?"


class Citations:
    """Some resources, indexed so that they can be found in references."""

    def __init__(self, resources: Iterable[str], spelling: Spelling) -> None:
        self._spelling = spelling
        self._known = set(resources)
        self._places = PlaceIndex(spelling, self._known)
        self._by_stem: dict[str, list[str]] = {}
        """Path -> the source files of this name: they are the modules that lie there."""
        for resource in self._known:
            if not resource.startswith((SERVICE, MODULE)) and (stem := stem_of(resource)):
                self._by_stem.setdefault(stem, []).append(resource)

    def named_by(self, refs: Iterable[str], root: str) -> set[str]:
        """The resources that one of the references names, or names something of."""
        resources: set[str] = set()
        if self._known:
            for ref in refs:
                for cited in cited_in(ref, root, self._spelling):
                    resources |= self._holding(cited)
        resources.discard(WHOLE_PROJECT)
        return resources

    def _holding(self, cited: str) -> set[str]:
        """The resources that are what is cited, or hold it."""
        near = self._places.above(cited)
        if cited.startswith(MODULE):
            near |= {
                resource: None for place in self._spelling.places(cited) for resource in self._by_stem.get(place, ())
            }
        holding = {resource for resource in near if is_cited_by(cited, resource, self._spelling)}
        return holding | {cited} if cited in self._known else holding


def is_cited_by(cited: str, resource: str, spelling: Spelling) -> bool:
    """Whether a resource is what is cited, or holds it; of a module it is enough to be, or to hold, what may be it.

    >>> from volition.governance.claims.spelling import spelling_of
    >>> from volition.governance.documents.policy import BUILT_IN
    >>> [is_cited_by("module:shop.cart", one, spelling_of(BUILT_IN)) for one in ("src/shop/cart.py", "shop", "shop/cart/a.py")]
    [True, True, False]
    """
    if spelling.covers(resource, cited):
        return True
    if not cited.startswith(MODULE) or resource.startswith((MODULE, SERVICE)):
        return False
    return any(covers_path(resource, place) or stem_of(resource) == place for place in spelling.places(cited))


def cited_in(ref: str, root: str, spelling: Spelling) -> Iterator[str]:
    """The resources that a reference may name.

    >>> from volition.governance.claims.spelling import spelling_of
    >>> from volition.governance.documents.policy import BUILT_IN
    >>> [*cited_in("file://src/a.py#Cart", ".", spelling_of(BUILT_IN))], [*cited_in("see a/b.md:12, c", ".", spelling_of(BUILT_IN))]
    (['src/a.py#Cart'], ['see', 'a/b.md', 'c'])
    >>> [*cited_in("scan://files/src/a.py", ".", spelling_of(BUILT_IN))]
    ['files/src/a.py', 'src/a.py']
    """
    simple = _SIMPLE(ref)
    if simple and root == WHOLE_PROJECT and not spelling.ignore_case and is_plain(simple[2]):
        # Nearly every reference is a file or an entry of a collection, in a fraction of the time.
        yield simple[2]
        if simple[1] != "file":
            yield simple[2].partition("/")[2]
        return
    for word in _BREAKS.split(ref.replace("\\", "/")):
        scheme = _SCHEME(word)
        name = word[scheme.end() :] if scheme else word
        name = _LINE.sub("", name.rstrip(_ENDS)).strip("[]{}")
        if scheme and scheme[1] in {"module", "service"}:
            name = f"{scheme[1]}:{name}"
        if name.startswith((SERVICE, MODULE)):
            if name.partition(":")[2].strip("./") and PART not in name and not is_pattern(name):
                yield spelling.fold(module_name(name.removeprefix(MODULE), root))
            continue
        yield from _paths(name, root, spelling)
        if scheme and scheme[1] != "file":
            yield from _paths(name.partition("/")[2], root, spelling)
        elif "/" not in name:
            yield from _modules(name, root, spelling)


def _paths(name: str, root: str, spelling: Spelling) -> Iterator[str]:
    """A name as a path from the plan's root, and from the project's; nothing if it cannot be one."""
    if not name or is_pattern(name):
        return
    for start in dict.fromkeys((root, WHOLE_PROJECT)):
        if is_plain(name) or not path_fault(name, start):
            path = clean_path(name, start)
            if path != WHOLE_PROJECT:
                yield spelling.fold(path)


def _modules(name: str, root: str, spelling: Spelling) -> Iterator[str]:
    """A dotted name as a module, from the project's root and from the plan's; a single name, or a file, is none."""
    word = spelling.fold(split_part(name)[0])
    for module in modules_named_in(word) if not is_pattern(word) else ():
        yield from dict.fromkeys((module, spelling.fold(module_name(module.removeprefix(MODULE), root))))
