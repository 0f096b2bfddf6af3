"""What all documents have in common: closed objects, and the forms of ids.

A type says which fields a document has. What a field may hold is written in the JSON Schemas of `schemas/`, and nowhere
else. The rules between fields are there too; those that keep people safe are also held by the types, so that no program can
make a document against them. A field that may be missing is None then, and a null in the JSON is an error.
"""

from __future__ import annotations

from typing import Final

from msgspec import Struct

INTENT_ID: Final = r"^intent_[a-z0-9_]{6,64}\Z"
UNSEALED: Final = "0" * 64
"""The placeholder for a checksum until the document is sealed."""


class StrictStruct(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True, gc=False):
    """The base of all documents: an unknown key is an error. Documents have no cycles, so the collector need not track them."""
