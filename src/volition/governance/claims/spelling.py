"""Spelling: which names of a project mean the same thing, according to its policy.

A path is the same whatever its separators; the policy says whether case matters. A module lies where a table says:
`shop.cart` is all of `shop/cart`, or a source file of that name, from its plan's root or from a usual folder of sources
there; `packages/cart` is what lies at that path; and a policy adds rows for modules that lie elsewhere. A policy may also
bind resources: who touches `deploy/checkout.yaml` touches `service:checkout` too, where it says so.
"""

from __future__ import annotations

import unicodedata
from functools import lru_cache
from itertools import product
from typing import TYPE_CHECKING, Final

from volition.governance.claims import algebra
from volition.governance.paths.names import (
    ALL_SERVICES,
    MODULE,
    PART,
    SERVICE,
    clean_path,
    lines_of,
    module_name,
    split_part,
)
from volition.governance.paths.patterns import FILES, SOURCES, WHOLE_PROJECT, covers_path, is_pattern, paths_meet

if TYPE_CHECKING:
    from collections.abc import Iterator

    from volition.governance.documents.policy import Policy

ROOTS: Final = ("", "src/", "src/main/java/", "src/main/kotlin/")
"""The folders of a plan's root, as prefixes, in which modules lie."""
_ANY_SOURCE: Final = f".{{{','.join(sorted(SOURCES))}}}"
PACKAGE: Final = "__init__.py"
"""The file that makes a folder a module."""


def stem_of(path: str) -> str | None:
    """The path of a source file without its extension; None for anything else.

    >>> stem_of("src/shop/cart.py"), stem_of("src/shop"), stem_of("a/.py")
    ('src/shop/cart', None, None)
    """
    stem, dot, extension = path.rpartition(".")
    return stem if dot and extension in SOURCES and stem and stem[-1] != "/" else None


def resource_of(name: str) -> str:
    """The resource that a policy calls by this name.

    >>> [resource_of(name) for name in ("service:api", "module:shop", "./infra/")]
    ['service:api', 'module:shop', 'infra']
    """
    if name.startswith((SERVICE, MODULE)):
        return module_name(name.removeprefix(MODULE))
    return clean_path(name)


def fold_case(name: str) -> str:
    """A name in lower case; lines stay as they are written.

    >>> fold_case("Src/Cart.py#Cart.Add"), fold_case("Src/Cart.py#L1-L9")
    ('src/cart.py#cart.add', 'src/cart.py#L1-L9')
    """
    path, part = split_part(name)
    return f"{path.lower()}{PART}{part}" if lines_of(part) else name.lower()


def spell_file(name: str, *, ignore_case: bool) -> str:
    """A file's name, or a part of the file, as claims spell it: composed, and in lower case if case does not matter.

    >>> spell_file("E\\u0301.py", ignore_case=True) == "\\u00e9.py"
    True
    """
    composed = unicodedata.normalize("NFC", name)
    return fold_case(composed) if ignore_case else composed


class Spelling:
    """What a policy says about names, ready to be looked up.

    >>> from volition.governance.documents.policy import BUILT_IN
    >>> Spelling(BUILT_IN).places("module:shop.cart")[:2]
    ('shop/cart', 'src/shop/cart')
    """

    def __init__(self, policy: Policy) -> None:
        self.ignore_case = policy.ignore_case
        rows = [(module_name(name), clean_path(path)) for name, path in sorted(policy.modules.items())]
        self._rows = tuple((self.fold(name)[len(MODULE) :], self.fold(stem_of(path) or path)) for name, path in rows)
        self.bindings = tuple(
            (self.fold(resource_of(name)), tuple(self.fold(resource_of(resource)) for resource in bound))
            for name, bound in sorted(policy.bindings.items())
        )

    def fold(self, name: str) -> str:
        """A name in lower case, if this project ignores case; lines stay as they are written."""
        return fold_case(name) if self.ignore_case else name

    @lru_cache(maxsize=2**14)  # noqa: B019  spellings are few, and kept as long as their policies
    def places(self, module: str) -> tuple[str, ...]:
        """The paths at which a module may lie: as a folder, or as a source file with an extension."""
        folder, slash, dotted = module[len(MODULE) :].rpartition("/")
        if not dotted:
            return ()
        path = dotted.replace(".", "/")
        paths = [folder + slash + root + path for root in ROOTS]
        for row, place in self._rows:
            if not folder and (dotted == row or dotted.startswith(f"{row}.")):
                paths.append(clean_path(place + path[len(row) :]))
        return tuple(dict.fromkeys(paths))

    def is_placed(self, module: str) -> bool:
        """Whether the policy says where a module lies, or a module that contains it."""
        name = module[len(MODULE) :]
        return any(name == row or name.startswith(f"{row}.") for row, _ in self._rows)

    def paths_of(self, resource: str) -> tuple[str, ...]:
        """The paths and patterns that a resource consists of; a service has none."""
        if resource.startswith(SERVICE):
            return ()
        if not resource.startswith(MODULE):
            return (resource,)
        places = self.places(resource)
        files = [place + _ANY_SOURCE for place in places if place != WHOLE_PROJECT]
        return (*places, *files)

    def is_everything(self, resource: str) -> bool:
        """Whether a resource is the whole project: the root, or a module that lies there."""
        return resource == WHOLE_PROJECT or (resource.startswith(MODULE) and WHOLE_PROJECT in self.places(resource))

    def holds(self, module: str, path: str) -> bool:
        """Whether a module is, or holds, all that a path or pattern means."""
        file = split_part(path)[0]
        if any(covers_path(place, file) for place in self.places(module)) or self._is_in_source(module, file):
            return True
        return is_pattern(file) and any(covers_path(pattern, file) for pattern in self.paths_of(module))

    def _is_in_source(self, module: str, file: str) -> bool:
        """Whether a path is, or lies in, a source file that is the module by itself."""
        places, ends = self.places(module), [at for at, letter in enumerate(file) if letter == "/"]
        return any(stem_of(file[:end]) in places for end in (*ends, len(file)))

    def covers(self, one: str, other: str) -> bool:
        """Whether the first resource has everything that the second has.

        >>> from volition.governance.documents.policy import BUILT_IN
        >>> Spelling(BUILT_IN).covers("module:shop", "src/shop/cart.py"), Spelling(BUILT_IN).covers("a.py#L1-L9", "a.py#Cart")
        (True, False)
        """
        if one.startswith((MODULE, SERVICE)) or other.startswith((MODULE, SERVICE)):
            return self.outer(one, other) == one
        return algebra.covers(one, other)

    def meets(self, one: str, other: str) -> bool:
        """Whether two resources have something in common."""
        return self.outer(one, other) is not None

    def outer(self, one: str, other: str) -> str | None:
        """Which of two resources names their meeting: the one that holds the other; None if they do not meet.

        >>> from volition.governance.documents.policy import BUILT_IN
        >>> spelling = Spelling(BUILT_IN)
        >>> spelling.outer("module:shop.cart", "src/shop/cart.py"), spelling.outer("src", "module:shop"), spelling.outer("a", "b")
        ('module:shop.cart', 'src', None)
        """
        if one == other:
            return one
        dotted, also_dotted = one.startswith(MODULE), other.startswith(MODULE)
        if one.startswith(SERVICE) or other.startswith(SERVICE):
            both = one.startswith(SERVICE) and other.startswith(SERVICE)
            return ALL_SERVICES if both and ALL_SERVICES in {one, other} else None
        if not dotted and not also_dotted:
            return algebra.outer(one, other)
        if dotted and also_dotted:
            return self._outer_module(*sorted((one, other)))
        module, path = (one, other) if dotted else (other, one)
        if self.holds(module, path):
            return module
        file = split_part(path)[0]
        if any(covers_path(file, place) for place in self.places(module)):
            return path
        # A path without wildcards lies in a place or a source file of the module, or holds a place, or does not meet it.
        met = is_pattern(file) and any(paths_meet(mine, file) for mine in self.paths_of(module))
        return module if met else None

    def _outer_module(self, one: str, other: str) -> str | None:
        pairs = list(product(self.places(one), self.places(other)))
        if any(covers_path(mine, yours) for mine, yours in pairs):
            return one
        return other if any(covers_path(yours, mine) for mine, yours in pairs) else None


def modules_named_in(word: str) -> list[str]:
    """The modules that a dotted word of a text may name; a single name, or a file, names none.

    >>> modules_named_in("shop.cart.Item"), modules_named_in("cart.py")
    (['module:shop.cart', 'module:shop.cart.Item'], [])
    """
    parts = word.rstrip(".").split(".")
    if "/" in word or not all(parts) or parts[-1].lower() in FILES:
        return []
    # The last names may be those of a class or a function; a single name says too little to be a module.
    return [MODULE + ".".join(parts[:size]) for size in range(2, len(parts) + 1)]


def tails(path: str, lasts: frozenset[str] | set[str]) -> Iterator[str]:
    """The modules whose names a path contains, wherever it begins and ends, where the last part of the names is one of
    these; a name of one part has to be the end of the path.

    >>> [*tails("lib/shop/cart.py", {"cart"})], [*tails("lib/shop/__init__.py", {"shop"})], [*tails("lib/x", {"shop"})]
    (['module:cart', 'module:shop.cart', 'module:lib.shop.cart'], ['module:shop', 'module:lib.shop'], [])
    >>> [*tails("app/src/main/java/com/acme/Cart.java", {"acme"})][:2]
    ['module:com.acme', 'module:java.com.acme']
    """
    names = (stem_of(path) or path).removesuffix(f"/{PACKAGE.partition('.')[0]}").split("/")
    for end in range(len(names), 0, -1):
        if names[end - 1] not in lasts:
            continue
        for start in range(end - 1, -1, -1):
            if "." in names[start]:
                break
            if end == len(names) or end - start > 1:
                yield MODULE + ".".join(names[start:end])


@lru_cache(maxsize=64)
def spelling_of(policy: Policy) -> Spelling:
    """The spelling of a policy, computed once."""
    return Spelling(policy)
