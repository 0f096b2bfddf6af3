"""What a stage can be asked to do: intents that every stage declares, in the same words.

A stage is an executor with one actor for each guest. Its floor is flat: x grows to the east and y to the south, in blocks. A
guest is named by the `agent` of an intent, once ENTER has brought them in. Those who watch may ask: the stage reports it as an
event, `asked` about a guest, `instead` for the evening in which that guest had done the next best thing, `pause` or `resume`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from volition.core.errors import refuse
from volition.execution import Declaration, object_schema
from volition.execution.wire.parameter_schema import without_annotations

if TYPE_CHECKING:
    from collections.abc import Mapping

ASKED: Final = "asked"
INSTEAD: Final = "instead"
PAUSE: Final = "pause"
RESUME: Final = "resume"
EVERYBODY: Final = "*"
"""Whom an ANSWER is for that all who watch may read, however many they are."""

MOST_ROOMS: Final = 64
MOST_STEPS: Final = 64
LONGEST_TEXT: Final = 2_000
LONGEST_NAME: Final = 200
WIDEST: Final = 100_000

_Schema = dict[str, Any]


def _text(longest: int = LONGEST_TEXT) -> _Schema:
    return {"type": "string", "maxLength": longest}


_PLACE: Final[_Schema] = {"type": "number", "minimum": -WIDEST, "maximum": WIDEST}
_POINT: Final[_Schema] = {"type": "array", "items": _PLACE, "minItems": 2, "maxItems": 2}
_NAME: Final = _text(LONGEST_NAME)
_ROOM: Final = object_schema(id=_NAME, name=_NAME, x=_PLACE, y=_PLACE, width=_PLACE, height=_PLACE)
_DOOR: Final = object_schema(start=_POINT, end=_POINT)
GESTURES: Final = ("burst", "break", "drink", "touch", "slam")
"""An outburst, a breakdown, something drunk or eaten, a hand on somebody, and a door that is slammed."""


_GUEST: Final = "ann"
"""Whom the example of ENTER brings in: the examples of all who act need somebody who is there."""


def _list(items: _Schema, most: int) -> _Schema:
    return {"type": "array", "items": items, "maxItems": most}


STAGE_INTENTS: Final[tuple[Declaration, ...]] = (
    Declaration(
        name="SET",
        parameters=object_schema(title=_NAME, rooms=_list(_ROOM, MOST_ROOMS), doors=_list(_DOOR, 4 * MOST_ROOMS)),
        description="Build the rooms, with a gap in the wall for each door, and send everybody off.",
        examples=({"title": "A house", "rooms": [], "doors": []},),
    ),
    Declaration(
        name="ENTER",
        parameters=object_schema(who=_NAME, name=_NAME, at=_POINT),
        description="Bring a guest in at a place; one who is there is put there.",
        examples=({"who": _GUEST, "name": "Ann", "at": [1, 1]},),
    ),
    Declaration(
        name="WALK",
        parameters=object_schema(way=_list(_POINT, MOST_STEPS)),
        results=("SUCCESS/NONE", "PARTIAL/BLOCKED", "FAILURE/BLOCKED"),
        description="Walk from point to point; the last one is where to stay.",
        examples=({"way": [[2, 1], [2, 3]]},),
        agents=(_GUEST,),
    ),
    Declaration(name="LOOK", parameters=object_schema(at=_POINT), description="Turn to a place.", agents=(_GUEST,)),
    Declaration(
        name="SAY",
        parameters=object_schema(text=_text(), aloud={"type": "boolean"}),
        description="Say something: beside the guest, and, if it is aloud, for all who watch to read later.",
        agents=(_GUEST,),
    ),
    Declaration(
        name="GESTURE",
        parameters=object_schema(manner={"type": "string", "enum": list(GESTURES)}),
        description="Do something that is seen from afar.",
        agents=(_GUEST,),
    ),
    Declaration(name="LEAVE", description="Go off the stage.", agents=(_GUEST,)),
    Declaration(
        name="CAPTION",
        parameters=object_schema(text=_text()),
        description="Write something over the stage: what time it is, or how it ended.",
    ),
    Declaration(
        name="ANSWER",
        parameters=object_schema(to=_NAME, text=_text()),
        description=f"Tell one of those who watch what they asked for, or {EVERYBODY} for all of them.",
        examples=({"to": EVERYBODY, "text": "because"},),
    ),
)

BY_A_GUEST: Final = frozenset(intent.name for intent in STAGE_INTENTS if intent.agents)
"""What only a guest can do, who is the agent of it."""


def check_stage(declared: Mapping[str, Declaration], where: str) -> None:
    """InvalidInput if an executor does not declare what a stage has to be able to do, with the same parameters; how it
    describes them is its own."""
    lacking = [
        intent.name
        for intent in STAGE_INTENTS
        if intent.name not in declared or not _is_same(declared[intent.name], intent)
    ]
    if lacking:
        refuse(
            f"this executor cannot do {', '.join(lacking)}",
            where=where,
            expected="an executor that declares what volition.staging.STAGE_INTENTS lists",
            remedy="show it on paper, in volition body minestom --stage, or on a stage of yours that declares them",
        )


def _is_same(one: Declaration, other: Declaration) -> bool:
    return without_annotations(one.schema) == without_annotations(other.schema)
