"""A user's own code in an evening: minds that choose for one person, and terms and constraints for everybody.

All three are intentions, so they travel together: a mind is a constraint that leaves nothing but the act it has chosen.
Minds from outside travel with them, and are told of in `outside`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Final, NoReturn

from msgspec import Struct

from volition.arbitration import CompositeIntention, Constraint, Decision, Heuristic, Intention, constraint, heuristic
from volition.arbitration.intent import CONSTRAINT, Function, Kind, label_of
from volition.core.errors import Problem, VolitionError, check_known, did_you_mean, format_value, refuse
from volition.drama.evening.record import NONE
from volition.drama.mind.outside import OUTSIDE, OutsideMinds, consult
from volition.drama.mind.wishes import Wish
from volition.drama.world.model import Action

if TYPE_CHECKING:
    from volition.drama.evening.person import AgentState
    from volition.drama.mind.perception import PerceivedState

PLAYED: Final = "played"
"""The id of the constraint that leaves the act which a custom mind, or a player, has chosen."""
RESERVED: Final = (PLAYED, "interference", OUTSIDE)
"""Ids that the stage uses itself."""


class MindFailed(VolitionError):
    """A custom mind raised, or chose what it was not offered; the tick was not played."""


class OfferedActs(Struct, frozen=True):
    """What a person may do at a tick, and all that they decide from.

    `me` is their own state, as far as they know it: secrets that they have never heard of are not in it, nor who lied to
    them. `perceived` is what they see. `acts` are those that nothing forbids, each with its score by their own mind in
    `utility_score`; `own` is the id of the act that they would choose by themselves. `wishes` are what they may do beyond
    that because their mind is played: ask about something, choose a topic, lie at will, walk out together with somebody.
    `vetoed` are the acts that are forbidden, each with the constraint that forbids it first.
    """

    who: str
    tick: int
    minutes: float
    me: AgentState
    perceived: PerceivedState
    acts: tuple[Action, ...]
    own: str
    wishes: tuple[Wish, ...] = ()
    vetoed: Mapping[str, str] = {}

    @property
    def ids(self) -> tuple[str, ...]:
        """The ids of the acts, in the order offered."""
        return tuple(act.id for act in self.acts)

    @property
    def choices(self) -> tuple[str, ...]:
        """Everything that may be answered: the ids of the acts, then those of the wishes."""
        return (*self.ids, *(wish.id for wish in self.wishes))

    def act(self, id: str) -> Action:
        """The act with an id; InvalidInput names those there are."""
        action = self.find(id)
        return action if isinstance(action, Action) else self._refuse(id)

    def find(self, id: str) -> Action | Wish:
        """The act or the wish with an id; InvalidInput names those there are."""
        offered: dict[str, Action | Wish] = {act.id: act for act in self.acts} | {wish.id: wish for wish in self.wishes}
        return offered[id] if id in offered else self._refuse(id)

    def _refuse(self, id: str) -> NoReturn:
        refuse(
            f"{self.who} is not offered {format_value(id)}",
            where=f"tick {self.tick}",
            expected="the id of one of the acts that are offered",
            remedy=did_you_mean(id, self.choices),
        )


CustomMind = Callable[[OfferedActs], "str | Action | Wish | None"]
"""Chooses one of the acts or wishes of an offer, by its id or as it is; None leaves the choice to the person's own mind."""
Terms = Sequence[Heuristic | Constraint | Callable[..., Any]]
Constraints = Sequence[Constraint | Callable[..., Any]]


@dataclass(frozen=True, slots=True)
class Playing:
    """The intent of `played_by`: whose acts a function chooses. It says nothing itself; the stage asks the function."""

    kinds: ClassVar[tuple[Kind, ...]] = (CONSTRAINT,)

    who: str
    function: Function

    def ask(self, kind: Kind, candidates: Sequence[Any], ids: Sequence[str], context: Any) -> list[bool]:
        return [False] * len(ids)

    def to_data(self) -> dict[str, Any]:
        return {"plays": self.who, "by": label_of(self.function.call)}


@dataclass(frozen=True, slots=True)
class Taken:
    """The intent of the constraint `played`: everything is forbidden but the act that was chosen, or that a wish became."""

    kinds: ClassVar[tuple[Kind, ...]] = (CONSTRAINT,)
    batch: ClassVar[bool] = True

    act: str
    by: str
    wish: Wish | None = None
    reason: str = ""

    def ask(self, kind: Kind, candidates: Sequence[Any], ids: Sequence[str], context: Any) -> list[bool | str]:
        why = f"{self.by} chose {self.act}" + (f": {self.reason}" if self.reason else "")
        return [False if id == self.act else why for id in ids]

    def to_data(self) -> dict[str, Any]:
        return {"taken": self.act, "by": self.by} | ({} if self.wish is None else {"wish": self.wish.id})


def wish_taken(composite: CompositeIntention) -> Wish | None:
    """The wish by which a choice was played, if it was."""
    intent = composite[PLAYED].intent if PLAYED in composite else None
    return intent.wish if isinstance(intent, Taken) else None


def played_by(who: str, mind: CustomMind) -> Constraint:
    """Let a function choose for `who`; to be passed wherever custom terms are.

    >>> played_by("ada", lambda offer: "internal").id
    'played:ada'
    """
    if not callable(mind):
        refuse(
            f"the mind of {who} is {format_value(mind)}",
            where="minds",
            expected="a function of an offer that returns the id of an act",
            remedy="pass a callable",
        )
    return Constraint(f"{PLAYED}:{who}", Playing(who, Function(mind)))


def gather(
    minds: Mapping[str, CustomMind] | None = None,
    terms: Terms = (),
    constraints: Constraints = (),
    outside: OutsideMinds | None = None,
) -> tuple[Intention, ...]:
    """Minds, terms and constraints as intentions; a plain function gets its name as id, and scores in [-1, 1].

    >>> def calm(act):
    ...     return 0.5
    >>> [intention.id for intention in gather({"ada": lambda offer: None}, [calm])]
    ['played:ada', 'calm']
    """
    return (
        *(played_by(who, mind) for who, mind in (minds or {}).items()),
        *(term if isinstance(term, Heuristic | Constraint) else heuristic(term) for term in terms),
        *(rule if isinstance(rule, Constraint) else constraint(rule) for rule in constraints),
        *(() if outside is None else (consult(outside),)),
    )


def split(
    intentions: Sequence[Intention], people: Mapping[str, Any]
) -> tuple[dict[str, CustomMind], OutsideMinds | None, list[Intention]]:
    """The minds by whom they play, those from outside, and the rest.

    A person who is not there, or who has two minds, and an id that is taken are refused.
    """
    minds: dict[str, CustomMind] = {}
    outside: OutsideMinds | None = None
    rest: list[Intention] = []
    for intention in intentions:
        intent = intention.intent
        if intention.id in RESERVED and not isinstance(intent, OutsideMinds):
            refuse(
                f"the id {intention.id!r} is taken",
                where="terms and constraints",
                expected=f"another id than {' or '.join(RESERVED)}",
                remedy="rename it",
            )
        if isinstance(intent, OutsideMinds):
            outside = intent
        elif isinstance(intent, Playing):
            minds[check_known("person", intent.who, people, where="minds")] = intent.function.call
        else:
            rest.append(intention)
    for who in outside.people if outside is not None else ():
        if check_known("person", who, people, where="outside minds") in minds:
            refuse(f"{who} has two minds", where="minds", expected="one mind for a person", remedy="leave one out")
    return minds, outside, rest


def offer_of(
    me: AgentState, perceived: PerceivedState, decision: Decision[Action], wishes: Iterable[Wish] = ()
) -> OfferedActs:
    """What `me` is offered, of whose own mind this is the decision; `me` is a copy that is nobody else's."""
    tally = decision.tally
    me.evening.belief[me.who] = [belief or NONE for belief in me.evening.belief[me.who]]
    me.planted = {}
    acts = (act._replace(utility_score=total) for act, total in zip(tally.left, tally.totals, strict=True))
    own = tally.winner_id or ""
    vetoed = {id: next(iter(tally.vetoed_by(id))) for id in tally.vetoed}
    return OfferedActs(me.id, perceived.tick, perceived.minutes, me, perceived, tuple(acts), own, tuple(wishes), vetoed)


def ask_mind(mind: CustomMind, offer: OfferedActs) -> str | None:
    """What a custom mind chooses; MindFailed if it raises, or chooses what it is not offered."""
    name = f"the mind of {offer.who} ({label_of(mind)})"
    try:
        answer = mind(offer)
    except VolitionError:
        raise
    except Exception as error:
        raise MindFailed(
            Problem(
                f"{name} raised {type(error).__name__}: {error}",
                f"tick {offer.tick}",
                "the id of one of the acts that are offered, or None",
                "fix the mind; what was played so far can be continued",
            )
        ) from error
    chosen = answer.id if isinstance(answer, Action | Wish) else answer
    if chosen is None or chosen in offer.choices:
        return chosen
    raise MindFailed(
        Problem(
            f"{name} answered {format_value(answer)}",
            f"tick {offer.tick}",
            "the id of one of the acts that are offered, or None to leave it to the person",
            did_you_mean(chosen, offer.choices) if isinstance(chosen, str) else "return one of offer.ids",
        )
    )
