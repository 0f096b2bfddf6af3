"""Spelling: which names of a project mean the same thing, according to its policy.

A path is the same whatever its separators; the policy says whether case matters. A module lies where a
table says: `shop.cart` is `shop/cart.py` or all of `shop/cart`, from the project's root or from its `src`, and a policy
adds rows for modules that lie elsewhere. A policy may also bind resources: who touches `deploy/checkout.yaml` touches
`service:checkout` too, where it says so.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Final

from volition.governance.claims.mentions import EXTENSIONS
from volition.governance.resources import MODULE, SERVICE, WHOLE_PROJECT, clean_path, holders, module_name

if TYPE_CHECKING:
    from collections.abc import Collection, Container, Iterable, Iterator

    from volition.governance.documents.policy import Policy

ROOTS: Final = ("", "src/")
"""The folders, as prefixes, in which the modules of a project lie."""
SOURCE: Final = ".py"
PACKAGE: Final = "__init__.py"
"""The file that makes a folder a module."""


def resource_of(name: str) -> str:
    """The resource that a policy calls by this name.

    >>> [resource_of(name) for name in ("service:api", "module:shop", "./infra/")]
    ['service:api', 'module:shop', 'infra']
    """
    if name.startswith((SERVICE, MODULE)):
        return module_name(name.removeprefix(MODULE))
    return clean_path(name)


class Spelling:
    """What a policy says about names, ready to be looked up.

    >>> from volition.governance.documents.policy import BUILT_IN
    >>> Spelling(BUILT_IN).places("module:shop.cart")
    ('shop/cart', 'src/shop/cart')
    >>> Spelling(BUILT_IN).modules_at("src/shop/cart.py")
    ['src.shop.cart', 'shop.cart']
    """

    def __init__(self, policy: Policy) -> None:
        self.ignore_case = policy.ignore_case
        self._rows = tuple(
            (self.fold(module_name(name))[len(MODULE) :], self.fold(clean_path(path)).removesuffix(SOURCE))
            for name, path in sorted(policy.modules.items())
        )
        self.bindings = tuple(
            (self.fold(resource_of(name)), tuple(self.fold(resource_of(one)) for one in bound))
            for name, bound in sorted(policy.bindings.items())
        )

    def fold(self, text: str) -> str:
        """A text in lower case, if this project ignores case."""
        return text.lower() if self.ignore_case else text

    def places(self, module: str) -> tuple[str, ...]:
        """The paths at which a module may lie: as a folder, or as a file with `.py`."""
        name = module[len(MODULE) :]
        if not name or "/" in name or "\\" in name:
            return ()
        path = name.replace(".", "/")
        found = [root + path for root in ROOTS]
        for row, place in self._rows:
            if name == row or name.startswith(f"{row}."):
                found.append(clean_path(place + path[len(row) :]))
        return tuple(dict.fromkeys(found))

    def is_placed(self, module: str) -> bool:
        """Whether the policy says where a module lies, or a module that contains it."""
        name = module[len(MODULE) :]
        return any(name == row or name.startswith(f"{row}.") for row, _ in self._rows)

    def stems(self, paths: Collection[str]) -> set[str]:
        """The first parts of all dotted names that can mean one of these paths."""
        heads = {path[len(root) :].partition("/")[0] for root in ROOTS for path in paths if path.startswith(root)}
        return {head.removesuffix(SOURCE) for head in heads} | {row.partition(".")[0] for row, _ in self._rows}

    def places_named_in(self, segment: str) -> Iterator[str]:
        """Where the modules may lie that a segment of a text names, dotted; a single word, or a file, names none.

        >>> from volition.governance.documents.policy import BUILT_IN
        >>> [*Spelling(BUILT_IN).places_named_in("shop.cart")], [*Spelling(BUILT_IN).places_named_in("cart.py")]
        (['shop', 'src/shop', 'shop/cart', 'src/shop/cart'], [])
        """
        parts = segment.rstrip(".").split(".")
        if len(parts) > 1 and parts[-1].lower() not in EXTENSIONS:
            for size in range(1, len(parts) + 1):
                if not all(parts[:size]):
                    return
                yield from self.places(MODULE + ".".join(parts[:size]))

    def modules_at(self, path: str) -> list[str]:
        """The names of the modules that may lie at a path."""
        path = path.removesuffix(SOURCE)
        found = [("", path[len(root) :]) for root in ROOTS if path.startswith(root)]
        for name, place in self._rows:
            if path == place or path.startswith(f"{place}/"):
                found.append((name, path[len(place) :]))
            elif place == WHOLE_PROJECT:
                found.append((name, f"/{path}"))
        return [head + rest.replace("/", ".") for head, rest in found if not {".", "\\"} & {*rest}]

    def holds(self, module: str, path: str) -> bool:
        """Whether a module is, or holds, what lies at a path."""
        return _lies_at(self.places(module), path)

    def is_everything(self, resource: str) -> bool:
        """Whether a resource is the whole project: the root, or a module that lies there."""
        return resource == WHOLE_PROJECT or (resource.startswith(MODULE) and WHOLE_PROJECT in self.places(resource))

    def folders(self, module: str) -> list[str]:
        """The folders that hold a module and are not part of it."""
        places = self.places(module)
        around = dict.fromkeys(folder for place in places for folder in holders(place))
        return [folder for folder in around if not _lies_at(places, folder)]

    def meeting(self, one: str, other: str) -> str | None:
        """The one of two resources that contains the other; None if neither does."""
        if one == other:
            return one
        if one.startswith(SERVICE) or other.startswith(SERVICE):
            return None
        dotted = one.startswith(MODULE)
        if dotted == other.startswith(MODULE):
            if WHOLE_PROJECT in (one, other):
                return WHOLE_PROJECT
            large, small = (one, other) if len(one) < len(other) else (other, one)
            return large if small.startswith(large + "/."[dotted]) else None
        module, path = (one, other) if dotted else (other, one)
        return module if self.holds(module, path) else path if path in self.folders(module) else None


def _lies_at(places: Iterable[str], path: str) -> bool:
    """Whether a path is a module at one of these places, or lies in it."""
    for place in places:
        if path == place or path == place + SOURCE or path.startswith(f"{place}/") or place == WHOLE_PROJECT:
            return True
    return False


def tails(path: str, lasts: Container[str]) -> Iterator[str]:
    """The modules with whose names a path ends, wherever it begins, where the last part of the names is one of these.

    >>> [*tails("lib/shop/cart.py", {"cart"})], [*tails("lib/shop/__init__.py", {"shop"})], [*tails("lib/x", {"shop"})]
    (['module:cart', 'module:shop.cart', 'module:lib.shop.cart'], ['module:shop', 'module:lib.shop'], [])
    """
    folder, _, last = path.rpartition("/")
    if last == PACKAGE:
        folder, _, last = folder.rpartition("/")
    last = last.removesuffix(SOURCE)
    if not last or last not in lasts:
        return
    name = last
    yield MODULE + name
    while folder:
        folder, _, part = folder.rpartition("/")
        if "." in part:
            return
        name = f"{part}.{name}"
        yield MODULE + name


@lru_cache(maxsize=64)
def spelling_of(policy: Policy) -> Spelling:
    """The spelling of a policy, computed once."""
    return Spelling(policy)


class Containers:
    """Which of some resources contain a resource: folders a path, modules a module, and each the other kind."""

    def __init__(self, spelling: Spelling, among: Collection[str]) -> None:
        self._spelling, self._among = spelling, among
        self.modules_at: dict[str, list[str]] = {}
        """Path -> the modules that are what lies there: a file or a folder."""
        self._folders = set[str]()
        for module in among:
            if module.startswith(MODULE):
                for place in spelling.places(module):
                    self._folders.add(place)
                    for path in (place, place + SOURCE) if place != WHOLE_PROJECT else (place,):
                        self.modules_at.setdefault(path, []).append(module)

    def of(self, resource: str) -> list[str]:
        """The resources that contain this one, those of its kind first, the nearest first."""
        around = holders(resource)
        found = [place for place in around if place in self._among]
        if resource.startswith(MODULE):
            found += [path for path in self._spelling.folders(resource) if path in self._among]
        elif resource in self.modules_at or not self._folders.isdisjoint(around):
            places = (resource, *(folder for folder in around if folder in self._folders))
            found += dict.fromkeys(module for place in places for module in self.modules_at.get(place, ()))
        return found
