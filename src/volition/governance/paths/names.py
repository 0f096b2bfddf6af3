"""Resources: what two plans can both touch, under one name however it is spelled.

A resource is a text. A file, folder or pattern is its path from the project's root (`src/api/routes.py`; the whole
project is `.`), and a part of a file has its name or its lines behind a `#` (`src/cart.py#Cart.add`,
`src/cart.py#L10-L40`). A module is `module:shop.cart`, and `module:services/x/shop.cart` if its plan's root is
`services/x`. A service, which a scope writes as the module `service:NAME`, is `service:NAME`, and `service:*` is every
service. `scope:unknown` is what a plan may change that writes but names no target.

Names are normalised, so that one thing has one name, and what cannot be normalised is refused by `path_fault`.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Final

from volition.governance.paths.patterns import ALTERNATIVES, WHOLE_PROJECT, expand_braces, is_pattern

MODULE, SERVICE = "module:", "service:"
ALL_SERVICES: Final = "service:*"
UNKNOWN: Final = "scope:unknown"
PART: Final = "#"
_LINES = re.compile(r"L([1-9][0-9]*)(?:-L?([1-9][0-9]*))?").fullmatch
_NAME = re.compile(r"[^\s#/*?{}\[\]<>]+").fullmatch
_PLAIN = re.compile(r"[A-Za-z0-9_./-]+").fullmatch
_TRAILING = re.compile(r"(?:/\.?)+\Z").sub
_ABSOLUTE = re.compile(r"(?:[A-Za-z]:)?[/\\]").match


def clean_path(path: str, root: str = WHOLE_PROJECT) -> str:
    """The one name of a path or pattern, from the project's root: no `.`, no empty name, `..` taken back.

    A path is relative to the plan's `root`, if that is a folder of the project. An absolute path counts from the project's
    root, with or without an absolute `root` in front of it. Names are separated by `/` or `\\`. A part is kept.

    >>> [clean_path(p) for p in ("./src//api/../a.py", "/src/a.py", "src/", "../x", "./", "src\\\\a.py", "**")]
    ['src/a.py', 'src/a.py', 'src', '../x', '.', 'src/a.py', '.']
    >>> clean_path("a.py", "services/x"), clean_path("/home/me/shop/src/a.py", "/home/me/shop/")
    ('services/x/a.py', 'src/a.py')
    >>> clean_path("./src/cart.py#Cart::add/"), clean_path("src/cart.py#L7")
    ('src/cart.py#Cart.add', 'src/cart.py#L7-L7')
    """
    if root == WHOLE_PROJECT and is_plain(path):
        return path
    path, part = _split_written(unicodedata.normalize("NFC", path))
    root = unicodedata.normalize("NFC", root).replace("\\", "/")
    if is_absolute(path):
        names = clean_segments(path)
        above = clean_segments(root) if is_absolute(root) else []
        names = names[len(above) :] if names[: len(above)] == above else names
    else:
        names = clean_segments(path if is_absolute(root) else f"{root}/{path}")
    whole = "/".join(names) if names not in ([], ["**"]) else WHOLE_PROJECT
    return f"{whole}{PART}{clean_part(part)}" if part else whole


def is_absolute(path: str) -> bool:
    """Whether a path begins at the root of a file system, with or without the letter of a drive."""
    return _ABSOLUTE(path) is not None


def clean_segments(path: str) -> list[str]:
    """The names of a path without `.`, empty ones and, as far as possible, `..`."""
    parts: list[str] = []
    for segment in path.replace("\\", "/").split("/"):
        if segment == ".." and parts and parts[-1] != "..":
            parts.pop()
        elif segment not in {"", "."}:
            parts.append(segment)
    return parts


def lexical(path: str) -> str:
    """A path without `.`, empty names and, as far as possible, `..`."""
    return path if is_plain(path) else "/".join(clean_segments(path)) or WHOLE_PROJECT


def split_part(path: str) -> tuple[str, str]:
    """A path, and the part of the file that it names; the part is empty for a whole file.

    >>> split_part("src/cart.py#Cart.add"), split_part("c#/notes.md"), split_part("src")
    (('src/cart.py', 'Cart.add'), ('c#/notes.md', ''), ('src', ''))
    """
    if PART not in path:
        return path, ""
    file, mark, part = path.rpartition(PART)
    return (file, part) if mark and file and part and "/" not in part else (path, "")


def _split_written(path: str) -> tuple[str, str]:
    """A path as it is written, and its part; slashes at the end mean nothing, so what they follow may be a part."""
    path = path.replace("\\", "/")
    file, part = split_part(_TRAILING("", path))
    return (file, part) if part else (path, "")


def clean_part(part: str) -> str:
    """The one name of a part: lines as `L10-L40`, a qualified name with dots.

    >>> clean_part("L10-40"), clean_part("Cart::add")
    ('L10-L40', 'Cart.add')
    """
    lines = _LINES(part)
    return f"L{lines[1]}-L{lines[2] or lines[1]}" if lines else part.replace("::", ".")


def lines_of(part: str) -> tuple[int, int] | None:
    """The first and last line of a part that is given by its lines; None for a name."""
    lines = _LINES(part)
    return (int(lines[1]), int(lines[2] or lines[1])) if lines else None


def parts_meet(one: str, other: str) -> bool:
    """Whether two parts of one file have something in common; an empty part is the whole file.

    A name and lines cannot be compared without the file, so they count as meeting.

    >>> parts_meet("Cart", "Cart.add"), parts_meet("Cart", "Carton"), parts_meet("L1-L9", "L9-L12"), parts_meet("", "Cart")
    (True, False, True, True)
    """
    mine, yours = lines_of(one), lines_of(other)
    if mine and yours:
        return mine[0] <= yours[1] and yours[0] <= mine[1]
    return bool(mine or yours) or part_covers(one, other) or part_covers(other, one)


def part_covers(one: str, other: str) -> bool:
    """Whether a part of a file contains another part of it.

    >>> part_covers("Cart", "Cart.add"), part_covers("L1-L9", "L2-L4"), part_covers("Cart", ""), part_covers("", "Cart")
    (True, True, False, True)
    """
    mine, yours = lines_of(one), lines_of(other)
    if mine and yours:
        return mine[0] <= yours[0] and yours[1] <= mine[1]
    return not one or one == other or (not mine and not yours and other.startswith(f"{one}."))


def is_plain(path: str) -> bool:
    """Whether a path is its own name and nothing can be wrong with it; most are.

    >>> is_plain("src/.github/a.py"), is_plain("src/a."), is_plain("src/*"), is_plain("./src")
    (True, False, False, False)
    """
    return bool(_PLAIN(path)) and not (
        path[0] == "/" or path[-1] in "/." or "./" in path or "//" in path or ".." in path
    )


def path_fault(path: str, root: str = WHOLE_PROJECT) -> str:
    """What is wrong with a path in the project; empty if nothing is.

    >>> [path_fault(path) for path in ("src/a.py", ".", "./src/", "src/*.py", "../x", "notes.", " ", "a.py#L9-L2")]
    ['', '', '', '', 'leads out of the project', 'has a name that ends in a dot', 'is blank', 'names no lines: L9-L2']
    """
    if root == WHOLE_PROJECT and is_plain(path):
        return ""
    file, part = _split_written(path)
    names = [name for name in file.split("/") if name not in {"", ".", ".."}]
    if not path.strip():
        return "is blank"
    if any(name != name.strip() for name in names):
        return "has a name that begins or ends with a blank"
    if any(name.endswith(".") for name in names):
        return "has a name that ends in a dot"
    if any(unicodedata.category(letter) in {"Cc", "Cf", "Cs"} for letter in path):
        return "has a character in it that cannot be seen"
    if part and names and PART in names[-1]:
        return "names a part twice"
    if "[:" in file:
        return "has a class of characters by name, such as [:alpha:]: write the range, such as [a-z]"
    if is_pattern(file):
        if ".." in file.split("/"):
            return "goes up with `..` and has a wildcard"
        if len(expand_braces(file)) > ALTERNATIVES:
            return f"has braces with more than {ALTERNATIVES} alternatives"
    if clean_path(file, root).partition("/")[0] == "..":
        return "leads out of the project"
    if file.rstrip("/").endswith("/.."):
        return "ends in `..`"
    return _part_fault(part) if part else ""


def _part_fault(part: str) -> str:
    part = clean_part(part)
    lines = lines_of(part)
    if lines or re.fullmatch(r"L[0-9]+(?:-L?[0-9]*)?", part):
        return "" if lines and lines[0] <= lines[1] else f"names no lines: {part}"
    if all(name and _NAME(name) for name in part.split(".")):
        return ""
    return f"names no part of a file: {part}"


def root_fault(root: str) -> str:
    """What is wrong with the root of a plan; empty if nothing is."""
    return "has a wildcard" if is_pattern(root) or PART in root else path_fault(root)


def module_name(name: str, root: str = WHOLE_PROJECT) -> str:
    """The resource of a module in a plan's root or, written `service:NAME`, of a service.

    >>> module_name("shop.cart"), module_name("service:api"), module_name(".shop..cart.")
    ('module:shop.cart', 'service:api', 'module:shop.cart')
    >>> module_name("shop.cart", "services/x"), module_name("packages/cart")
    ('module:services/x/shop.cart', 'module:packages/cart')
    """
    if name.startswith(SERVICE):
        return name
    folder, _, dotted = name.replace("\\", "/").rpartition("/")
    if ".." in dotted or dotted[:1] == "." or dotted[-1:] == ".":
        dotted = ".".join(part for part in dotted.split(".") if part)
    if not folder and root == WHOLE_PROJECT:
        return MODULE + dotted
    path = clean_path(f"{folder}/{dotted}" if folder else dotted, root)
    return MODULE + (unicodedata.normalize("NFC", path))


def holder(resource: str) -> str | None:
    """The folder, file, part or module that directly contains a resource; None if there is none.

    >>> [holder(r) for r in ("src/a.py", "src", ".", "module:shop.cart", "module:shop", "service:api")]
    ['src', '.', None, 'module:shop', None, 'service:*']
    >>> [holder(r) for r in ("a.py#Cart.add", "a.py#Cart", "a.py#L1-L9")]
    ['a.py#Cart', 'a.py', 'a.py']
    """
    if resource.startswith((MODULE, SERVICE)):
        return _holder_by_name(resource)
    if resource == WHOLE_PROJECT:
        return None
    if PART in resource:
        path, part = split_part(resource)
        if part:
            outer = "" if lines_of(part) else part.rpartition(".")[0]
            return f"{path}{PART}{outer}" if outer else path
    return resource.rpartition("/")[0] or WHOLE_PROJECT


def _holder_by_name(resource: str) -> str | None:
    """What contains a module or a service."""
    if resource.startswith(SERVICE):
        return ALL_SERVICES if resource != ALL_SERVICES else None
    around, dot, _ = resource.rpartition(".")
    return around if dot and "/" not in resource[len(around) :] else None


def holders(resource: str) -> tuple[str, ...]:
    """All that contains a resource, the nearest first.

    >>> holders("src/api/a.py"), holders("module:shop.cart")
    (('src/api', 'src', '.'), ('module:shop',))
    """
    around = holder(resource)
    return () if around is None else (around, *holders(around))
