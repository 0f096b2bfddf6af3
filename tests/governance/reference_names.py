"""The naive evaluator, part one: the names of resources, and where two of them meet, tried by sample paths.

This file, `reference_sides`, `reference` and `reference_merge` are the executable specification: no cleverness, so that a
reader can hold each rule against its sentence. The evaluator that people use must agree with it on every set of intents.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from typing import TYPE_CHECKING, Final, NamedTuple

from tests.governance.naive_patterns import pattern_covers, patterns_meet

if TYPE_CHECKING:
    from volition.governance.documents.policy import Policy

SOURCES: Final = tuple("c cc cpp cs go h hpp java js jsx kt mjs php py pyi rb rs scala swift ts tsx".split())  # noqa: SIM905
FOLDERS: Final = ("", "src/", "src/main/java/", "src/main/kotlin/")
"""Where modules lie in the root of their plan."""


class Resource(NamedTuple):
    """A path or pattern with the part of the file that is meant, a module with its folder, or a service."""

    kind: str
    name: str
    part: str = ""

    def __str__(self) -> str:
        if self.kind == "file":
            return f"{self.name}#{self.part}" if self.part else self.name
        return f"{self.kind}:{self.name}"


def segments(path: str) -> list[str]:
    """The names of a path: none is empty or `.`, and `..` is taken back where that is possible."""
    names: list[str] = []
    for name in path.replace("\\", "/").split("/"):
        if name == ".." and names and names[-1] != "..":
            names.pop()
        elif name not in {"", "."}:
            names.append(name)
    return names


def is_absolute(path: str) -> bool:
    return bool(re.match(r"([A-Za-z]:)?/", path.replace("\\", "/")))


@lru_cache(maxsize=2**14)
def file(text: str, root: str = ".") -> Resource:
    """What a path or pattern means, seen from the project's root.

    >>> str(file("./src//api/../routes.py")), str(file("/home/me/shop/src/**", "/home/me/shop")), str(file("a.py", "x"))
    ('src/routes.py', 'src/**', 'x/a.py')
    >>> file("src/a.py#L7"), file("src/a.py#Cart::add").part, file("c#/a").part
    (Resource(kind='file', name='src/a.py', part='L7-L7'), 'Cart.add', '')
    """
    text, root = (unicodedata.normalize("NFC", one).replace("\\", "/") for one in (text, root))
    path, part = text, ""
    before, mark, after = re.sub(r"(/\.?)+$", "", text).rpartition("#")
    if mark and before and after and "/" not in after:
        path, part = before, after
    if is_absolute(path):
        names, above = segments(path), segments(root) if is_absolute(root) else []
        if names[: len(above)] == above:
            names = names[len(above) :]
    else:
        names = segments(path if is_absolute(root) else f"{root}/{path}")
    lines = re.fullmatch(r"L(\d+)(?:-L?(\d+))?", part)
    part = f"L{lines[1]}-L{lines[2] or lines[1]}" if lines else part.replace("::", ".")
    return Resource("file", "/".join(names) if names not in ([], ["**"]) else ".", part)


def module(text: str, root: str = ".") -> Resource:
    """The module, in the folder of its plan, or, written `service:NAME`, the service.

    >>> module("shop.cart").name, module("shop", "services/x").name, module("packages/cart").name, module("service:api").kind
    ('shop.cart', 'services/x/shop', 'packages/cart', 'service')
    """
    if text.startswith("service:"):
        return Resource("service", text.removeprefix("service:"))
    folder, slash, dotted = text.replace("\\", "/").rpartition("/")
    dotted = ".".join(part for part in dotted.split(".") if part)
    return Resource("module", file(f"{folder}{slash}{dotted}", root).name)


def place(text: str, root: str = ".") -> Resource:
    """What a scope declares, or a policy names: a path, `module:NAME` or `service:NAME`."""
    if text.startswith(("module:", "service:")):
        return module(text.removeprefix("module:"), root)
    return file(text, root)


def folded(resource: Resource, policy: Policy) -> Resource:
    """The resource under its one name, where case is ignored in small letters; lines are lines all the same."""
    if not policy.ignore_case:
        return resource
    part = resource.part if lines_of(resource.part) else resource.part.lower()
    return Resource(resource.kind, resource.name.lower(), part)


def lines_of(part: str) -> range | None:
    """The lines of a part that is given by its lines.

    >>> lines_of("L2-L4"), lines_of("Cart")
    (range(2, 5), None)
    """
    lines = re.fullmatch(r"L(\d+)-L(\d+)", part)
    return range(int(lines[1]), int(lines[2]) + 1) if lines else None


def parts_meet(one: str, other: str) -> bool:
    """Whether two parts of one file have something in common; a name and lines cannot be compared."""
    mine, yours = lines_of(one), lines_of(other)
    if mine is not None and yours is not None:
        return bool(set(mine) & set(yours))
    return mine is not None or yours is not None or part_covers(one, other) or part_covers(other, one)


def part_covers(one: str, other: str) -> bool:
    """Whether a part of a file has all that another has; the whole file has everything."""
    mine, yours = lines_of(one), lines_of(other)
    if not one or one == other:
        return True
    if mine is not None and yours is not None:
        return set(mine) >= set(yours)
    return mine is None and yours is None and other.startswith(f"{one}.")


def covers(one: Resource, other: Resource) -> bool:
    """Whether a path has every path, and every part of it, that another has.

    >>> covers(file("src"), file("src/*.py")), covers(file("a.py#Cart"), file("a.py#Cart.add")), covers(file("a"), file("b"))
    (True, True, False)
    """
    return part_covers(one.part, other.part) and pattern_covers(one.name, other.name)


@lru_cache(maxsize=2**16)
def meeting(one: Resource, other: Resource, policy: Policy) -> Resource | None:
    """Where two resources meet: at the one that covers the other, else at the first by name; None if they do not.

    >>> from volition.governance.documents.policy import BUILT_IN
    >>> meeting(file("src"), file("src/a.py"), BUILT_IN) == file("src"), meeting(file("src"), file("src2/a.py"), BUILT_IN)
    (True, None)
    >>> str(meeting(module("shop.cart"), file("shop/cart.py"), BUILT_IN))
    'module:shop.cart'
    """
    first, second = sorted((one, other), key=str)
    kinds = [first.kind, second.kind]
    if "service" in kinds:
        everything = [each for each in (one, other) if each == Resource("service", "*")]
        return one if one == other else everything[0] if everything and kinds == ["service", "service"] else None
    if kinds == ["module", "module"]:
        return meeting_of_modules(first, second, policy)
    if kinds == ["file", "file"]:
        if not (parts_meet(first.part, second.part) and patterns_meet(first.name, second.name)):
            return None
        return second if covers(second, first) and not covers(first, second) else first
    dotted, path = (first, second) if first.kind == "module" else (second, first)
    lying = places(dotted, policy)
    whole = [*lying, *(f"{where}.{ending}" for where in lying if where != "." for ending in SOURCES)]
    if whole and pattern_covers("{" + ",".join([*whole, whole[0]]) + "}", path.name):
        return dotted
    if any(pattern_covers(path.name, where) for where in lying):
        return path
    return dotted if any(patterns_meet(where, path.name) for where in whole) else None


def meeting_of_modules(one: Resource, other: Resource, policy: Policy) -> Resource | None:
    """The module that holds the other: one of its places has a place of the other."""
    mine, yours = places(one, policy), places(other, policy)
    if any(pattern_covers(a, b) for a in mine for b in yours):
        return one
    return other if any(pattern_covers(b, a) for a in mine for b in yours) else None


@lru_cache(maxsize=2**14)
def places(dotted: Resource, policy: Policy) -> tuple[str, ...]:
    """The paths at which a module may lie: in its folder, in the usual folders of sources there, and where a policy says."""
    folder, slash, name = dotted.name.rpartition("/")
    if not name:
        return ()
    found = [folder + slash + around + name.replace(".", "/") for around in FOLDERS]
    for row, path in policy.modules.items():
        known = folded(module(row), policy).name
        if not folder and f"{name}.".startswith(f"{known}."):
            found.append(
                file(without_ending(folded(file(path), policy).name) + name[len(known) :].replace(".", "/")).name
            )
    return tuple(found)


def without_ending(path: str) -> str:
    """The path of a source file without its ending; of anything else, the path.

    >>> without_ending("src/a.py"), without_ending("a.md"), without_ending("src/.py")
    ('src/a', 'a.md', 'src/.py')
    """
    before, dot, ending = path.rpartition(".")
    return before if dot and ending in SOURCES and before and not before.endswith("/") else path


def may_be(dotted: Resource, path: Resource, policy: Policy) -> bool:
    """Whether a path has the names of a module in a row, though it lies elsewhere as far as anybody has said."""
    if (dotted.kind, path.kind) != ("module", "file") or "/" in dotted.name or meeting(dotted, path, policy):
        return False
    if any(f"{dotted.name}.".startswith(f"{folded(module(name), policy).name}.") for name in policy.modules):
        return False
    wanted = dotted.name.split(".")
    names = without_ending(path.name).removesuffix("/__init__").split("/")
    if len(wanted) == 1:
        return names[-1:] == wanted
    return any(names[at : at + len(wanted)] == wanted for at in range(len(names)))
