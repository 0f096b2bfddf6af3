"""The pools of phrases: what each is for, and which placeholders its phrases may use."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal

from msgspec import Struct

from volition.drama.rules.catalog import CONTENT
from volition.drama.rules.catastrophe import Breakdown

if TYPE_CHECKING:
    from collections.abc import Mapping

PoolKind = Literal["frame", "exchange", "line", "fragment", "text"]
ENDINGS: Final = (
    "thrown_out", "broke_up", "only_two_left", "guests_left", "reconciliation", "thinned_out", "ran_its_course",
    "broken_off",
)  # fmt: skip
SECRET_LINES: Final = (
    "matter", "asked", "evaded", "denied", "covered", "hinted", "accused", "confessed", "told", "overheard",
)  # fmt: skip
"""The lines that a secret may have; it is denied by those whose secret it is, and covered up by others who know it.

Who knows it accuses, and says it; who only suspects it hints at it, and does not.
"""
OTHERS: Final = "third absent gone"
"""People who are not always there to be mentioned."""


class Pool(Struct, frozen=True):
    """A pool: a frame is told, a line or an exchange is spoken, a fragment is part of a sentence, a text is one phrase.

    Its phrases may use the placeholders in `always`, and those in `sometimes`: a phrase with one of these is used only
    where there is something to fill in. A pool that is not `needed` may be missing.
    """

    kind: PoolKind
    always: frozenset[str] = frozenset()
    sometimes: frozenset[str] = frozenset()
    needed: bool = True


def _pool(kind: PoolKind, always: str = "", sometimes: str = "", *, needed: bool = True) -> Pool:
    return Pool(kind, frozenset(always.split()), frozenset(sometimes.split()), needed)


_TALK = "who whom line reply says says_back subject room"
_TONES = ("plain", "warm", "cold", "tense", "tipsy", "aside", "after", "facade", "sorry", "reconciled")
_HEARD = ("knew", "faced", "hurt", "struck", "confirmed", "wonders", "guesses", "exposed", "caught")

POOLS: Final[Mapping[str, Pool]] = {
    **{f"chat.{tone}": _pool("frame", _TALK, OTHERS) for tone in _TONES},
    **{
        f"chat.{how}": _pool("frame", "who company line says subject room", OTHERS)
        for how in ("group", "group_tense", "group_after")
    },
    "chat.question": _pool("frame", "who whom line says says_back matter evasion room", "about third"),
    "chat.heard": _pool("frame", "who whom line says says_back evasion room", "third"),
    "chat.topic": _pool("frame", "who whom line reply says says_back about room"),
    "chat.sides": _pool("frame", "who whom line says", OTHERS),
    "chat.known": _pool("frame", "who whom matter room"),
    "conflict.plain": _pool("frame", "who whom line reply says says_back room", "third"),
    "conflict.hint": _pool("frame", "who whom line says says_back matter evasion room", "third"),
    **{
        f"conflict.{wrong}": _pool("frame", "who whom line says says_back retort room", "about third")
        for wrong in ("lie", "exposure", "attack")
    },
    "conflict.matter": _pool("frame", "who whom line says says_back matter retort room", "about third"),
    "conflict.forced": _pool("frame", "who whom line says matter secret room", "confession about third"),
    "conflict.thrown_out": _pool("frame", "who whom"),
    "reveal.own": _pool("frame", "who whom secret matter", "confession"),
    "reveal.other": _pool("frame", "who whom secret matter", "fact news about"),
    "confide.own": _pool("frame", "who whom secret matter room", "confession"),
    "confide.other": _pool("frame", "who whom secret matter room", "fact news about"),
    "confide.feeling": _pool("frame", "who whom room", "line says answer says_back"),
    "lie.believed": _pool("frame", "who whom line says matter"),
    "lie.doubted": _pool("frame", "who whom line says matter"),
    **{f"catastrophe.{kind.name.lower()}": _pool("frame", "who room") for kind in Breakdown},
    "after.told_own": _pool("frame", "who secret", "confession"),
    "after.told_other": _pool("frame", "who secret", "fact news"),
    **{f"after.{how}": _pool("frame", "who whom") for how in _HEARD},
    **{f"after.{how}": _pool("frame", "whom liar") for how in ("lie_found", "lie_remembered")},
    "observe.found": _pool("frame", "who whom matter"),
    "observe.heard": _pool("frame", "who room", "fragment matter"),
    "observe.idle": _pool("frame", "who whom"),
    "observe.room": _pool("frame", "who"),
    "thought.plain": _pool("frame", "who room", "gone"),
    "thought.person": _pool("frame", "who whom"),
    "thought.secret": _pool("frame", "who whom matter"),
    **{f"move.{how}": _pool("frame", "who room destination", "third") for how in ("out", "back", "on")},
    **{f"move.{how}": _pool("frame", "who room destination") for how in ("fetching", "carrying", "banished")},
    "physical.fetch": _pool("frame", "who course"),
    "physical.serve": _pool("frame", "who course"),
    "physical.pour": _pool("frame", "who toast"),
    **{
        f"physical.{act}": _pool("frame", "who room", "third")
        for act in ("drink", "slam", "leave", "leave_thrown_out", "leave_broken")
    },
    **{f"physical.{act}": _pool("frame", "who whom room") for act in ("shun", "swallow")},
    "physical.leave_together": _pool("frame", "who whom room", "third"),
    "physical.comfort": _pool("frame", "who whom room", "line says"),
    "physical.forgive": _pool("frame", "who whom room line says", "third"),
    "physical.break_with": _pool("frame", "who whom room line says", "third"),
    **{f"clock.{deed}": _pool("frame", "who room", "company") for deed in ("arrive", "depart", "hands", "end")},
    "clock.news": _pool("frame", "who room secret"),
    "clock.late": _pool("frame", "who room"),
    "physical.other": _pool("frame", "who manner room", "whom"),
    "link.away": _pool("frame", "room"),
    "link.back": _pool("frame", "room"),
    **{
        f"talk.{tone}": _pool("exchange", "who whom room", OTHERS)
        for tone in ("plain", "warm", "cold", "tense", "tipsy", "aside", "after", "sorry", "reconciled")
    },
    "talk.topic": _pool("exchange", "who whom about room"),
    "quarrel.lines": _pool("exchange", "who whom", OTHERS),
    "talk.group": _pool("line", "who", OTHERS),
    "talk.group_after": _pool("line", "who", OTHERS),
    "talk.sides": _pool("line", "who whom", OTHERS),
    "evaded.lines": _pool("line", "who whom", OTHERS),
    "retort.lines": _pool("line", "who whom", OTHERS),
    "feeling.lines": _pool("line", "who whom"),
    "feeling.answers": _pool("line", "who whom"),
    "comfort.lines": _pool("line", "who whom"),
    "forgive.lines": _pool("line", "who whom"),
    "break.lines": _pool("line", "who whom"),
    **{f"wrong.{wrong}": _pool("line", "who whom", f"about {OTHERS}") for wrong in ("lie", "exposure", "attack")},
    **{
        f"{group}.{content}": _pool("line", "who whom", f"about {OTHERS}")
        for group in ("asked", "denied", "covered", "hinted", "accused")
        for content in CONTENT
    },
    "asked.heard": _pool("line", "who whom", OTHERS),
    "toast.lines": _pool("line", "who", OTHERS),
    **{f"matter.{content}": _pool("fragment") for content in CONTENT},
    "subject.lines": _pool("fragment", "", "absent gone"),
    "course.names": _pool("fragment"),
    "opening.lines": _pool("frame"),
    **{f"ending.{kind}": _pool("frame") for kind in ENDINGS},
    **{f"{text}": _pool("text") for text in ("course.later", "opening.cast", "ending.heading", "ending.came_out")},
    "ending.nothing_came_out": _pool("text"),
    "ending.stayed_hidden": _pool("text"),
    "ending.hidden": _pool("text", "secret"),
    "ending.knows": _pool("text"),
    "ending.person": _pool("text", "who company"),
    **{f"ending.person_{how}": _pool("text", "company") for how in ("knows", "wonders", "deceived")},
    "ending.person_nothing": _pool("text"),
    **{f"ending.{how}": _pool("text", "who whom") for how in ("forgave", "broke", "made_up", "left", "thrown")},
    "ending.ended": _pool("frame"),
    "link.cut": _pool("text", "room"),
    "link.with": _pool("text", "company"),
    "link.alone": _pool("text", "company"),
    "ending.gone": _pool("text", "company"),
    "ending.learned": _pool("text", "secret company"),
}
"""Every pool that the narrator uses in any scenario."""

_NEED = _pool("frame", "who manner room", "whom", needed=False)
_EVENT = _pool("frame", "who room", "company secret", needed=False)
_MATTER = _pool("fragment", needed=False)
_SPOKEN = _pool("line", "who whom", f"about {OTHERS}", needed=False)


def pool_named(
    name: str, needs: tuple[str, ...] = (), secrets: tuple[str, ...] = (), events: tuple[str, ...] = ()
) -> Pool | None:
    """The pool of this name: one of POOLS, one for a need or an event, or the lines of a secret; None if there is none."""
    if name in POOLS:
        return POOLS[name]
    group, _, rest = name.partition(".")
    if group == "physical" and rest in needs:
        return _NEED
    if group == "clock" and rest in events:
        return _EVENT
    if group == "secrets":
        secret, _, kind = rest.rpartition(".")
        if secret in secrets and kind in SECRET_LINES:
            return _MATTER if kind == "matter" else _SPOKEN
    return None
