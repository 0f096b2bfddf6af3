"""Where a team's registry is: a SQLite file, or a PostgreSQL database by its address."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final, Literal
from urllib.parse import urlsplit, urlunsplit

from msgspec import Struct

from volition.core.errors import refuse

VARIABLE: Final = "VOLITION_REGISTRY"
"""The environment variable that names the registry where no address is given."""
_SERVER: Final = ("postgresql://", "postgres://")
_FORMS: Final = "the path of a file, or postgresql://USER@HOST:PORT/DATABASE"


class StoreAddress(Struct, frozen=True):
    """The address of a database; `str` shows it without a password."""

    kind: Literal["sqlite", "postgresql"]
    place: str

    def __str__(self) -> str:
        return self.place if self.kind == "sqlite" else _without_password(self.place)

    @property
    def server_url(self) -> str:
        """The address of a server as SQLAlchemy writes it."""
        return "postgresql+psycopg://" + self.place.partition("://")[2]


def parse_store_address(text: str | os.PathLike[str]) -> StoreAddress:
    """The address that a text states; InvalidInput if it is not one.

    >>> str(parse_store_address("postgresql://ann:secret@db.example/team"))
    'postgresql://ann:***@db.example/team'
    """
    place = os.fspath(text)
    if place.startswith(_SERVER):
        parts = urlsplit(place)
        if not parts.path.strip("/"):
            refuse("the address names no database", where=_without_password(place), expected=_FORMS, remedy="add /NAME")
        return StoreAddress("postgresql", place)
    if not place or "://" in place or "\0" in place:
        refuse(f"{place!r} is not a registry", where="registry", expected=_FORMS, remedy="name a file or a server")
    file = Path(place).absolute()
    # Unlike Path.is_dir, these do not raise where a folder on the way may not be opened.
    if os.path.isdir(file) or not os.path.isdir(file.parent):  # noqa: PTH112
        what = "this is a folder" if os.path.isdir(file) else f"there is no folder {file.parent}"  # noqa: PTH112
        refuse(what, where=place, expected="a file in a folder that exists", remedy="name a file such as team.db")
    return StoreAddress("sqlite", str(file))


def chosen_address(address: str | None) -> StoreAddress:
    """The address that was given, or else the one in the environment.

    There is no default: agents in different folders would each get a separate registry, and see no collision.
    """
    place = address or os.environ.get(VARIABLE, "")
    if not place:
        remedy = f"name it with --registry, or in the variable {VARIABLE}"
        refuse("no registry is named", where="registry", expected=_FORMS, remedy=remedy)
    return parse_store_address(place)


def _without_password(place: str) -> str:
    parts = urlsplit(place)
    if parts.password is None:
        return place
    around = parts.netloc.rpartition("@")
    return urlunsplit(parts._replace(netloc=f"{around[0].partition(':')[0]}:***@{around[2]}"))
