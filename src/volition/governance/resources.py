"""Resources: what two plans can both touch, under one name however it is spelled.

A resource is a text. A file or folder is its cleaned path (`src/api/routes.py`, the whole project is `.`), a module is
`module:shop.cart`, and a service, which a scope writes as the module `service:NAME`, is `service:NAME`. A folder holds
what lies in it, by whole segments; a module holds its submodules, by whole dotted parts; a service holds nothing.
`scope:unknown` is what a plan may change that writes but names no target.
"""

from __future__ import annotations

from functools import lru_cache

WHOLE_PROJECT = "."
MODULE, SERVICE = "module:", "service:"
UNKNOWN = "scope:unknown"


def clean_path(path: str, root: str = "") -> str:
    """The normalized name of a path in the project: no `.`, no empty segment, `..` resolved where possible.

    Segments are separated by `/` or `\\`. An absolute path counts from the project's root, with or without the `root` in
    front of it. A wildcard means the whole folder that it is in, so `src/**` is `src`.

    >>> [clean_path(p) for p in ("./src//api/../a.py", "/src/a.py", "src/", "src/**/*.py", "../x", "./", "src\\\\a.py")]
    ['src/a.py', 'src/a.py', 'src', 'src', '../x', '.', 'src/a.py']
    >>> clean_path("/home/me/shop/src/a.py", root="/home/me/shop/")
    'src/a.py'
    """
    if not (
        "//" in path
        or "./" in path
        or "*" in path
        or "\\" in path
        or path[0] == "/"
        or path[-1] in "/."
        or path[1:3] == ":/"
    ):
        return path
    path, root = path.replace("\\", "/"), root.replace("\\", "/")
    parts = clean_segments(path.partition("*")[0].rpartition("/")[0] if "*" in path else path)
    if (path[0] == "/" and root[:1] == "/") or path[1:3] == ":/" == root[1:3]:
        above = clean_segments(root)
        if parts[: len(above)] == above:
            parts = parts[len(above) :]
    return "/".join(parts) or WHOLE_PROJECT


def lexical(path: str) -> str:
    """A path without `.`, empty segments and, as far as possible, `..`."""
    return "/".join(clean_segments(path)) or WHOLE_PROJECT


def clean_segments(path: str) -> list[str]:
    """The segments of a path without `.`, empty ones and, as far as possible, `..`."""
    parts: list[str] = []
    for segment in path.replace("\\", "/").split("/"):
        if segment == ".." and parts and parts[-1] != "..":
            parts.pop()
        elif segment not in {"", "."}:
            parts.append(segment)
    return parts


def module_name(name: str) -> str:
    """The resource of a module or, written `service:NAME`, of a service.

    >>> module_name("shop.cart"), module_name("service:api"), module_name(".shop..cart.")
    ('module:shop.cart', 'service:api', 'module:shop.cart')
    """
    if name.startswith(SERVICE):
        return name
    if ".." in name or name[0] == "." or name[-1] == ".":
        name = ".".join(part for part in name.split(".") if part)
    return MODULE + name


def holder(resource: str) -> str | None:
    """The folder or module that directly contains a resource; None if there is none.

    >>> [holder(r) for r in ("src/a.py", "src", ".", "module:shop.cart", "module:shop", "service:api")]
    ['src', '.', None, 'module:shop', None, None]
    """
    if resource.startswith(MODULE):
        around, dot, _ = resource.rpartition(".")
        return around if dot else None
    if resource == WHOLE_PROJECT or resource.startswith(SERVICE):
        return None
    return resource.rpartition("/")[0] or WHOLE_PROJECT


def holders(resource: str) -> tuple[str, ...]:
    """All that contains a resource, the nearest first.

    >>> holders("src/api/a.py"), holders("module:shop.cart")
    (('src/api', 'src', '.'), ('module:shop',))
    """
    around = holder(resource)
    return () if around is None else _with_holders(around)


@lru_cache(maxsize=2**14)
def _with_holders(place: str) -> tuple[str, ...]:
    """A folder or module and all that contains it; most resources share theirs with others."""
    return (place, *holders(place))
