"""Short names of many packed states at once; each is what `record.digest_of` says of the state alone."""

from __future__ import annotations

from hashlib import sha256
from typing import TYPE_CHECKING, Any

import numpy as np

from volition.drama.evening.record import parts_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray


def digests_of(states: NDArray[Any], cls: type, sizes: Mapping[str, int]) -> NDArray[np.uint8]:
    """The digest of each packed state, 32 bytes in a row: of all parts that a log rebuilds, without their padding."""
    count = len(states)
    columns: list[NDArray[np.uint8]] = []
    for part in parts_of(cls):
        if part.delta is not None:
            name = np.frombuffer(part.name.encode(), np.uint8)
            corner = tuple(slice(size) for size in part.shape_for(sizes))
            held = np.ascontiguousarray(states[part.name][:, *corner], part.kind.code)
            columns += [np.broadcast_to(name, (count, len(name))), held.view(np.uint8).reshape(count, held[:1].nbytes)]
    whole = np.ascontiguousarray(np.concatenate(columns, axis=1))
    digests = b"".join([sha256(row).digest() for row in whole])
    return np.frombuffer(digests, np.uint8).reshape(count, sha256().digest_size)
