"""Interfering with an evening: forbid an act, force one, or set a part of the state, at one tick.

Forbidding and forcing are an additional constraint beside those of the mind, so the resulting choice is explained like
any other.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Final, Literal, NamedTuple

from volition.arbitration import CompositeIntention, Constraint
from volition.arbitration.intent import CONSTRAINT, Kind
from volition.core.errors import InvalidInput, Problem, check_known, did_you_mean, format_value, refuse
from volition.drama.evening.changes import set_entry
from volition.drama.evening.learning import hint, tell
from volition.drama.evening.log import PART_BELIEF, PART_PLANTED, SET_BY_HAND, EveningLog, note, part_number
from volition.drama.evening.names import ScenarioNames, names_of
from volition.drama.evening.person import PACING_NUMBERS
from volition.drama.evening.record import NONE
from volition.drama.evening.settle import set_pace
from volition.drama.rules.catalog import EMOTIONS, Belief
from volition.drama.rules.physics import Pace
from volition.drama.world.model import DEPARTED, Scenario

if TYPE_CHECKING:
    from collections.abc import Sequence

    from volition.drama.evening.state import EveningState
    from volition.drama.evening.tables import ScenarioTables
    from volition.drama.evening.world import WorldState
    from volition.drama.mind.mind import Mind

INTERFERENCE: Final = "interference"
"""The id of the constraint that forbids or forces."""

_PACING = dict(zip(PACING_NUMBERS, Pace._fields, strict=True))
_WHOLE = ("recovery_timer", "suppression_count")
_BONDS = {"trust": (-1.0, 1.0), "affection": (-1.0, 1.0), "obligation": (0.0, 1.0), "grievance": (0.0, 1.0)}
_MOST = 1000


class Interference(NamedTuple):
    """One act of interference.

    "veto" and "force" name the id of an act in `what`. "set" names a part of the state, such as `stress`, `anger`,
    `location`, `trust.PERSON` or `belief.SECRET`, and its `value`. A belief that is set `by` a person has the
    consequences of being told by them.
    """

    at: int
    kind: Literal["veto", "force", "set"]
    agent: str
    what: str
    value: Any = None
    by: str | None = None

    def __str__(self) -> str:
        if self.kind != "set":
            return f"at tick {self.at}, {self.agent}: {self.kind} {self.what}"
        source = "" if self.by is None else f", as told by {self.by}"
        return f"at tick {self.at}, {self.agent}.{self.what} = {self.value}{source}"


def parse_setting(scenario: Scenario, at: int, text: str, told_by: str | None = None) -> Interference:
    """Read `PERSON.PART=VALUE`, for instance `anna.stress=0.9`; InvalidInput says what may be set.

    With `told_by`, what others believe is told by that person; anything else is set as it is.
    """
    path, equals, value = text.partition("=")
    agent, _, part = path.strip().partition(".")
    if not equals or not part:
        refuse(
            f"this is {format_value(text)}",
            where="set",
            expected="PERSON.PART=VALUE",
            remedy="write for instance anna.stress=0.9 or anna.trust.bertil=-0.5",
        )
    check_known("person", agent, scenario.people, where="set")
    setting = Interference(at, "set", agent, part, value.strip())
    part, _, read = _target(names_of(scenario), setting)
    if told_by is not None:
        check_known("person", told_by, scenario.people, where="set")
    if part != "belief":
        return setting if part == "room" else setting._replace(value=read)
    if told_by in (None, agent):
        return setting
    if read == Belief.UNKNOWN:
        refuse(
            f"nobody can tell {text.strip()}",
            where=f"set, as told by {told_by}",
            expected="belief.SECRET=suspects, believes_true or believes_false",
            remedy="set it without saying who told it",
        )
    return setting._replace(by=told_by)


def check_telling(world: WorldState, setting: Interference) -> None:
    """Refuse what nobody could have been told: `by` is elsewhere or does not know it, or it is no news."""
    assert setting.by is not None
    agent, by, secret = setting.agent, setting.by, setting.what.partition(".")[2]
    rooms = {id: world.agents[id].location for id in (by, agent)}
    where, belief = f"tick {setting.at}, set as told by {by}", world.agents[agent].beliefs[secret]
    gone = [id for id, room in rooms.items() if room == DEPARTED]
    if gone:
        refuse(
            f"{gone[0]} has left",
            where=where,
            expected="two people in one room",
            remedy="fork at an earlier tick, or let somebody else tell it",
        )
    if rooms[by] != rooms[agent]:
        refuse(
            f"{by} is in {rooms[by]!r}, and {agent} in {rooms[agent]!r}",
            where=where,
            expected="two people in one room",
            remedy=f"fork at another tick, or set {by}.location={rooms[agent]} first",
        )
    if setting.value == Belief.BELIEVES_FALSE.name.lower():
        if belief == Belief.BELIEVES_TRUE:
            _refuse_old_news(where, f"{agent} knows {secret}, and cannot be talked out of it")
        return
    if belief == Belief.BELIEVES_TRUE or (setting.value == Belief.SUSPECTS.name.lower() and belief != Belief.UNKNOWN):
        _refuse_old_news(where, f"{agent} knows, suspects or denies {secret} already")
    knowing = [person.id for person in world.agents.values() if person.beliefs[secret] == Belief.BELIEVES_TRUE]
    if by not in knowing:
        refuse(
            f"{by} does not know {secret} then",
            where=where,
            expected=f"somebody who knows it: {', '.join(knowing)}",
            remedy=f"let one of them tell it, or set {by}.belief.{secret}=believes_true first",
        )


def _refuse_old_news(where: str, what: str) -> None:
    refuse(what, where=where, expected="news", remedy="fork at an earlier tick, or tell somebody else")


def set_by_hand(
    evening: EveningState, tables: ScenarioTables, log: EveningLog, names: ScenarioNames, setting: Interference
) -> None:
    """Apply a setting to a state, and write down what it changes."""
    part, key, value = _target(names, setting)
    if setting.by is not None and key is not None:
        _tell(evening, tables, log, names.person[setting.agent], key, Belief(int(value)), names.person[setting.by])
        return
    who, place = names.person[setting.agent], NONE if key is None else key
    entries = getattr(evening, part) if key is None else getattr(evening, part)[who]
    at = who if key is None else place
    if entries[at] == value:
        return
    if part in Pace._fields:
        before = Pace(*[getattr(evening, name)[who] for name in Pace._fields])
        numbers = {**before._asdict(), part: value}
        set_pace(evening, log, who, before, Pace(**numbers), SET_BY_HAND)
        return
    note(log, part_number(part), who, place, NONE, entries[at], value, SET_BY_HAND)
    entries[at] = value


def _tell(
    evening: EveningState, tables: ScenarioTables, log: EveningLog, who: int, secret: int, belief: Belief, by: int
) -> None:
    """Let `who` learn, suspect or be talked out of a secret, as if another had told them in private."""
    if belief == Belief.BELIEVES_TRUE:
        tell(evening, tables, log, secret, by, 1 << who, False, SET_BY_HAND)
    elif belief == Belief.SUSPECTS:
        hint(evening, tables, log, who, secret, SET_BY_HAND)
    elif evening.belief[who][secret] != Belief.BELIEVES_TRUE:
        set_entry(log, evening.belief, PART_BELIEF, who, secret, int(belief), SET_BY_HAND)
        set_entry(log, evening.planted, PART_PLANTED, who, secret, by, SET_BY_HAND)


def apply_interference(mind: Mind, interferences: Sequence[Interference]) -> CompositeIntention:
    """The composite of a mind, with a constraint for what it must not, or must, choose."""
    vetoed = frozenset(each.what for each in interferences if each.kind == "veto")
    forced = frozenset(each.what for each in interferences if each.kind == "force")
    return mind.composite.with_intention(Constraint(INTERFERENCE, ByHand(vetoed, forced)))


@dataclass(frozen=True, slots=True)
class ByHand:
    """The intent of a constraint that forbids some acts, and everything but a forced one."""

    kinds: ClassVar[tuple[Kind, ...]] = (CONSTRAINT,)
    batch: ClassVar[bool] = True

    vetoed: frozenset[str]
    forced: frozenset[str]

    def ask(self, kind: Kind, candidates: Sequence[Any], ids: Sequence[str], context: Any) -> list[bool | str]:
        return [
            "forbidden by hand" if id in self.vetoed else "another is forced" if self.forced - {id} else False
            for id in ids
        ]

    def to_data(self) -> dict[str, Any]:
        return {"by_hand": {"vetoed": sorted(self.vetoed), "forced": sorted(self.forced)}}


def who_can(world: WorldState, mind: Mind, act: str) -> list[str]:
    """Everybody who is offered an act now, whether it is forbidden or not."""
    return [id for id, ids in offers_of(world, mind).items() if act in ids]


def offers_of(world: WorldState, mind: Mind) -> dict[str, list[str]]:
    """The ids of the acts that everybody present is offered now."""
    present = [me.id for me in world.agents.values() if me.location != DEPARTED]
    return {id: list(mind.decide(world, id).tally.ids) for id in present}


def _target(names: ScenarioNames, setting: Interference) -> tuple[str, int | None, float]:
    """What a setting changes: a part of the layout, the entry of the person's row if it has several, and the number."""
    part_named, _, key = setting.what.partition(".")
    if part_named in _PACING:
        part = _PACING[part_named]
        if part_named in _WHOLE:
            return part, None, int(_number(setting, 0, _MOST))
        return part, None, _number(setting, 0.0, 1.0)
    if part_named in EMOTIONS and not key:
        return "emotions", EMOTIONS.index(part_named), _number(setting, 0.0, 1.0)
    if part_named == "alcohol":
        return part_named, None, _number(setting, 0.0, 1.0)
    if part_named == "location":
        return "room", None, names.place[check_known("room", str(setting.value), names.rooms, where="set")]
    if part_named in _BONDS:
        others = [id for id in names.people if id != setting.agent]
        return (
            part_named,
            names.person[check_known("person", key, others, where="set")],
            _number(setting, *_BONDS[part_named]),
        )
    if part_named == "belief":
        word = setting.value if isinstance(setting.value, str) else Belief(setting.value).name.lower()
        beliefs = {belief.name.lower(): int(belief) for belief in Belief}
        secret = names.secret[check_known("secret", key, names.secrets, where="set")]
        return part_named, secret, beliefs[check_known("belief", word, beliefs, where="set")]
    parts = list(dict.fromkeys([*_PACING, *EMOTIONS, "alcohol", "location", *_BONDS, "belief"]))
    raise InvalidInput(
        Problem(
            f"{format_value(part_named)} is not a part of a person's state",
            f"set {setting.agent}.{setting.what}",
            f"one of {', '.join(parts)}",
            did_you_mean(part_named, parts),
        )
    )


def _number(setting: Interference, low: float, high: float) -> float:
    try:
        number = float(setting.value)
    except (TypeError, ValueError):
        number = float("nan")
    if not low <= number <= high:
        refuse(
            f"this is {format_value(setting.value)}",
            where=f"set {setting.agent}.{setting.what}",
            expected=f"a number from {low:g} to {high:g}",
            remedy="give a number in that range",
        )
    return number
