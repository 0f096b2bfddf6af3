r"""The building blocks of all documents: strict objects, ids, versions and times.

A pattern ends in `\Z`, because in Python `$` also matches before a newline; the schemas write it as `$`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, ClassVar, Final, TypeAlias, TypeVar

from msgspec import Meta, Struct

if TYPE_CHECKING:
    T = TypeVar("T")
    Maybe: TypeAlias = T | None
else:

    class Maybe:
        """`Maybe[T]` is optional and None if absent; a null in the JSON is an error, as in the schemas."""

        def __class_getitem__(cls, item: object) -> object:
            return item


_LEAP = "(?:[0-9]{2}(?:0[48]|[2468][048]|[13579][26])|(?:0[48]|[2468][048]|[13579][26])00)-02-29"
_DAY = "(?:(?:0[13578]|1[02])-(?:0[1-9]|[12][0-9]|3[01])|(?:0[469]|11)-(?:0[1-9]|[12][0-9]|30)|02-(?:0[1-9]|1[0-9]|2[0-8]))"
_CLOCK = r"(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](?:\.[0-9]{1,9})?"
_ZONE = "(?:Z|[+-](?:[01][0-9]|2[0-3]):[0-5][0-9])"

SEMVER: Final = r"^(0|[1-9][0-9]*)\.(0|[1-9][0-9]*)\.(0|[1-9][0-9]*)\Z"
SHA: Final = r"^[a-f0-9]{64}\Z"
MOMENT: Final = rf"^(?:{_LEAP}|(?:[1-9][0-9]{{3}}|0[1-9][0-9]{{2}}|00[1-9][0-9]|000[1-9])-{_DAY})T{_CLOCK}{_ZONE}\Z"
INTENT_ID: Final = r"^intent_[a-z0-9_]{6,64}\Z"
SET_ID: Final = r"^intent_set_[a-z0-9_]{6,64}\Z"
NAME: Final = r"^[a-z][a-z0-9_]{2,80}\Z"

UNSEALED: Final = "0" * 64
"""The placeholder for a checksum until the document is sealed."""

Semver = Annotated[str, Meta(pattern=SEMVER, max_length=64)]
Sha = Annotated[str, Meta(pattern=SHA)]
Moment = Annotated[str, Meta(pattern=MOMENT)]
"""A date and time with a time zone; only existing days match."""
IntentId = Annotated[str, Meta(pattern=INTENT_ID)]
SetId = Annotated[str, Meta(pattern=SET_ID)]
Integer = Annotated[int, Meta(ge=-(2**53) + 1, le=2**53 - 1)]
"""An integer that every JSON reader represents exactly."""
Count = Annotated[int, Meta(ge=0, le=2**53 - 1)]
"""A non-negative number."""


class StrictStruct(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True, gc=False):
    """The base of all documents: an unknown key is an error. Documents have no cycles, so the collector need not track them."""


class DistinctStruct(StrictStruct, frozen=True):
    """The base of documents with lists that have no duplicates: those that `distinct` names."""

    distinct: ClassVar[tuple[str, ...]] = ()

    def __post_init__(self) -> None:
        for name in self.distinct:
            items = getattr(self, name)
            if len(items) > 1 and len(set(items)) != len(items):
                raise ValueError(f"{name} has a duplicated item")
