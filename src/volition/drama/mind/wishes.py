"""What may be wished for a guest beyond the acts of the laws: to ask, to choose a topic, to lie at will, to walk out together.

A wish becomes an act that the laws know, and changes what that act does: a word becomes a question, or is about somebody;
a lie is told though pacing bars it; who leaves takes somebody along. The literal reading has no wishes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal, get_args

from msgspec import Struct

from volition.drama.evening.changes import in_room
from volition.drama.evening.names import CHAT_TO_ALL
from volition.drama.evening.perceive import awaits_passage, wish_to_leave
from volition.drama.evening.sets import has
from volition.drama.evening.tick import decides
from volition.drama.rules.catalog import CHAT, LIE, Belief

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from volition.arbitration.tally import Tally
    from volition.drama.evening.person import AgentState
    from volition.drama.evening.state import EveningState
    from volition.drama.evening.tables import ScenarioTables
    from volition.drama.world.model import Scenario

WishKind = Literal["ask", "talk", "lie", "leave"]
LEAVE_ACT: Final = "physical:leave"
FOND, TRUSTING, RESENTFUL = 0.4, 0.3, 0.2
"""From which affection and trust on somebody follows another out of the house, and from which grievance on they do not."""
EAGER: Final = 0.5
"""From which wish to leave on somebody goes along with anybody whom they have nothing against."""


class Wish(Struct, frozen=True):
    """A wish: `ask:SECRET:PERSON`, `talk:PERSON:LISTENER`, `lie:SECRET:PERSON` or `leave:PERSON`, and the act that it becomes.

    `whom` is who is asked, talked or lied to, or taken along; `secret` is what a question or a lie is about, and `topic`
    the person whom a talk is about.
    """

    id: str
    kind: WishKind
    whom: str
    act: str
    secret: str | None = None
    topic: str | None = None


def read_wish(id: str) -> Wish | None:
    """The wish of an id; None if it is the id of an act. A lie is a wish only where pacing bars it.

    >>> read_wish("ask:forgery:maud")
    Wish(id='ask:forgery:maud', kind='ask', whom='maud', act='chat:maud', secret='forgery', topic=None)
    >>> read_wish("chat:maud") is None
    True
    """
    kind, _, rest = id.partition(":")
    about, _, whom = rest.rpartition(":")
    if kind not in get_args(WishKind):
        return None
    if kind == "ask":
        return Wish(id, "ask", whom, f"chat:{whom}", secret=about)
    if kind == "talk":
        return Wish(id, "talk", whom, f"chat:{whom}", topic=about)
    return Wish(id, "lie", whom, id, secret=about) if kind == "lie" else Wish(id, "leave", rest, LEAVE_ACT)


def wishes_of(
    scenario: Scenario, me: AgentState, tally: Tally, pacing: Sequence[str], companions: Sequence[str]
) -> Iterator[Wish]:
    """Everything that `me` may wish, whose acts were judged as the tally says.

    Anybody may be asked about anything that `me` suspects, so that the list tells nobody whose secret it is. `pacing` are
    the constraints that do not bar a lie; `companions` are those who would come along.
    """
    listeners = [act.target_agents[0] for act in tally.left if act.action_type == CHAT and act.id != CHAT_TO_ALL]
    suspected = [secret for secret, belief in me.beliefs.items() if belief == Belief.SUSPECTS]
    for whom in listeners:
        yield from (wish_for(f"ask:{secret}:{whom}") for secret in suspected)
        yield from (wish_for(f"talk:{topic}:{whom}") for topic in scenario.people if topic not in (me.id, whom))
    for act in tally.candidates:
        vetoes = tally.vetoed_by(act.id)
        if act.action_type == LIE and vetoes and vetoes.keys() <= {*pacing}:
            yield wish_for(act.id)
    yield from (wish_for(f"leave:{whom}") for whom in companions)


def wish_for(id: str) -> Wish:
    """The wish of an id that is known to be one."""
    wish = read_wish(id)
    assert wish is not None
    return wish


def companions_of(evening: EveningState, tables: ScenarioTables, me: int) -> list[int]:
    """Those who would walk out together with `me`, from the room by which one leaves or one next to it.

    They are fond of `me`, or want to leave anyhow and have nothing against `me`; nobody who lives here follows out of
    fondness, and nobody who has a sure departure before them.
    """
    room = evening.room[me]
    near = tables.exit in (room, *tables.door[room][: tables.doors[room]])
    if tables.rules.departures.leaving == 0 or not near:
        return []
    here = in_room(evening, tables, room)
    return [other for other in range(tables.people) if has(here, other) and follows(evening, tables, other, me)]


def follows(evening: EveningState, tables: ScenarioTables, who: int, me: int) -> bool:
    """Whether `who`, in the same room, would leave together with `me`."""
    if who == me or not decides(evening, who) or awaits_passage(evening, tables, who):
        return False
    resents = (
        evening.grievance[who][me] > RESENTFUL or evening.stung[who][me] >= 0.0 or has(evening.broke_with[who], me)
    )
    if resents or evening.trust[who][me] < 0.0 or evening.affection[who][me] < 0.0:
        return False
    fond = evening.affection[who][me] >= FOND and evening.trust[who][me] >= TRUSTING
    return (fond and tables.resident[who] == 0) or wish_to_leave(evening, tables, who) >= EAGER
