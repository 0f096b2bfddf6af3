"""Interfering with an evening: forbid an act, force one, or set a part of the state, at one tick.

Forbidding and forcing are an additional constraint beside those of the mind, so the resulting choice is explained like
any other.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Final, Literal, NamedTuple

from volition.arbitration import CompositeIntention, Constraint
from volition.arbitration.intent import CONSTRAINT, Kind
from volition.core.errors import InvalidInput, Problem, did_you_mean, format_value, refuse
from volition.drama.rules.catalog import EMOTIONS, Belief
from volition.drama.world.model import DEPARTED, PacingState

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from volition.drama.mind.mind import Mind
    from volition.drama.stage.scribe import EventScribe
    from volition.drama.world.model import Scenario, WorldState

INTERFERENCE: Final = "interference"
"""The id of the constraint that forbids or forces."""

REASON: Final = "set by hand"
_PACING = PacingState.__struct_fields__
_WHOLE = ("recovery_timer", "suppression_count")
_BONDS = {"trust": (-1.0, 1.0), "affection": (-1.0, 1.0), "obligation": (0.0, 1.0)}
_MOST = 1000


class Interference(NamedTuple):
    """One act of interference.

    "veto" and "force" name the id of an act in `what`. "set" names a part of the state, such as `stress`, `anger`,
    `location`, `trust.PERSON` or `belief.SECRET`, and its `value`.
    """

    at: int
    kind: Literal["veto", "force", "set"]
    agent: str
    what: str
    value: Any = None

    def __str__(self) -> str:
        said = (
            f"{self.agent}.{self.what} = {self.value}"
            if self.kind == "set"
            else f"{self.agent}: {self.kind} {self.what}"
        )
        return f"at tick {self.at}, {said}"


def parse_setting(scenario: Scenario, at: int, text: str) -> Interference:
    """Read `PERSON.PART=VALUE`, for instance `anna.stress=0.9`; InvalidInput says what may be set."""
    path, equals, value = text.partition("=")
    agent, _, part = path.strip().partition(".")
    if not equals or not part:
        refuse(
            f"this is {format_value(text)}",
            where="set",
            expected="PERSON.PART=VALUE",
            remedy="write for instance anna.stress=0.9 or anna.trust.bertil=-0.5",
        )
    _check_known("person", agent, scenario.people)
    setting = Interference(at, "set", agent, part, value.strip())
    kind, _, read = _target(scenario, setting)
    return setting if kind in ("belief", "location") else setting._replace(value=read)


def set_by_hand(scribe: EventScribe, setting: Interference) -> None:
    """Apply a setting."""
    kind, key, value = _target(scribe.world.scenario, setting)
    agent = setting.agent
    if kind == "pacing":
        pace = [getattr(scribe.world.agents[agent].pacing, name) for name in _PACING]
        pace[_PACING.index(key)] = value
        scribe.change("pacing", agent, tuple(pace), REASON)
    elif kind in _BONDS:
        scribe.change("bond", agent, value, REASON, key, kind)
    else:
        scribe.change(kind, agent, value, REASON, key)


def apply_interference(mind: Mind, given: Sequence[Interference]) -> CompositeIntention:
    """The composite of a mind, with a constraint for what it must not, or must, choose."""
    vetoed = frozenset(one.what for one in given if one.kind == "veto")
    forced = frozenset(one.what for one in given if one.kind == "force")
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


def _target(scenario: Scenario, setting: Interference) -> tuple[str, Any, Any]:
    """What a setting changes: the kind of delta, its key, and the value."""
    part, _, key = setting.what.partition(".")
    value = setting.value
    if part in _PACING:
        if part in _WHOLE:
            return "pacing", part, int(_number(setting, 0, _MOST))
        return "pacing", part, _number(setting, 0.0, 1.0)
    if part in EMOTIONS and not key:
        return "emotion", part, _number(setting, 0.0, 1.0)
    if part == "alcohol":
        return "alcohol", None, _number(setting, 0.0, 1.0)
    if part == "location":
        return "location", None, _check_known("room", str(value), scenario.rooms)
    if part in _BONDS:
        return part, _check_known("person", key, _others(scenario, setting.agent)), _number(setting, *_BONDS[part])
    if part == "grievance":
        held = _number(setting, 0.0, 1.0)
        return part, _check_known("person", key, _others(scenario, setting.agent)), held or None
    if part == "belief":
        beliefs = {belief.name.lower(): int(belief) for belief in Belief}
        word = value if isinstance(value, str) else Belief(value).name.lower()
        return part, _check_known("secret", key, scenario.secrets), beliefs[_check_known("belief", word, beliefs)]
    parts = [*_PACING, *EMOTIONS, "alcohol", "location", *_BONDS, "grievance", "belief"]
    raise InvalidInput(
        Problem(
            f"{format_value(part)} is not a part of a person's state",
            f"set {setting.agent}.{setting.what}",
            f"one of {', '.join(parts)}",
            did_you_mean(part, parts),
        )
    )


def _others(scenario: Scenario, agent: str) -> list[str]:
    return [id for id in scenario.people if id != agent]


def _check_known(kind: str, name: str, known: Collection[str] | Iterable[str]) -> str:
    names = list(known)
    if name not in names:
        refuse(
            f"there is no {kind} {format_value(name)}",
            where="set",
            expected=f"one of {', '.join(names)}",
            remedy=did_you_mean(name, names),
        )
    return name


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
