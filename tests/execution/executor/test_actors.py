"""Games with several actors: states, results and episodes are those of the actor that the bridge names."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from tests.execution.transports.stream_bridge import Toy
from tests.execution.wire.samples import lines, of
from volition.execution.executor.actors import Actors
from volition.execution.executor.contract import Occurred
from volition.execution.executor.host import Guest, Host
from volition.execution.wire.codec import encode
from volition.execution.wire.frames import GameEvent, IntentFrame, ResultFrame, StateFrame, StateRequest
from volition.execution.wire.session.handshake import Offer


@dataclass
class Duo(Toy):
    """Ann, who lives, and Bob, who does not."""

    episodes: dict[str, int] = field(default_factory=lambda: {"ann": 1, "bob": 1})

    def knows(self, agent: str) -> bool:
        return agent in self.episodes

    def state_of(self, agent: str, *, full: bool) -> Any:
        return {"me": agent, "full": full}

    def is_alive(self, agent: str) -> bool:
        return agent == "ann"

    def episode_of(self, agent: str) -> int:
        return 100 * self.episode + self.episodes[agent]


def driven(game: Toy) -> tuple[Host, Guest]:
    host = Host(game)
    guest = host.open(0.0)
    guest.receive(encode(Offer().hello()), 0.0)
    guest.take()
    return host, guest


def asked(guest: Guest, id: int, agent: str | None) -> StateFrame:
    guest.receive(encode(StateRequest(id=id, full=True, agent=agent)), 0.0)
    (state,) = of(StateFrame, lines(guest.take()))
    return state


def jumped(guest: Guest, id: int, agent: str, based_on: int | None = None, name: str = "JUMP") -> ResultFrame:
    guest.receive(encode(IntentFrame(id=id, intent=name, ttl_ms=1000, agent=agent, based_on=based_on)), 0.0)
    (result,) = of(ResultFrame, lines(guest.take()))
    return result


def test_a_state_is_that_of_the_actor_who_was_asked_about() -> None:
    """Its data, its episode and its name are the actor's; of whom the game does not know, the world is shown."""
    _, guest = driven(Duo())
    bob, nobody = asked(guest, 1, "bob"), asked(guest, 2, "eve")
    assert (bob.agent, bob.episode, bob.data) == ("bob", 101, {"me": "bob", "full": True})
    assert (nobody.agent, nobody.episode) == (None, 1)


def test_an_intent_for_nobody_is_refused_and_a_stop_is_not() -> None:
    """A name that the game does not know is INVALID_STATE before the game sees it; STOP never fails for that."""
    game = Duo()
    _, guest = driven(game)
    refused = jumped(guest, 1, "eve")
    assert (refused.result["failure_reason"], refused.detail) == ("INVALID_STATE", "NO_SUCH_AGENT")
    assert game.calls == []
    assert jumped(guest, 2, "eve", name="STOP").result["status"] == "SUCCESS"


def test_a_result_tells_of_its_own_actor() -> None:
    """The state after it is the actor's, and what the session answers by itself knows who lives."""
    _, guest = driven(Duo())
    ended = jumped(guest, 1, "bob")
    assert ended.next_state is not None
    assert ended.next_state.agent == "bob"
    lives = [
        jumped(guest, id, agent, name="FLY").result["outcomes"]["is_alive"] for id, agent in ((2, "ann"), (3, "bob"))
    ]
    assert lives == [True, False]


def test_the_episode_of_one_is_not_that_of_the_other() -> None:
    """When one begins again, only intents for that one are out of date; any later state, also of the world, is a new base."""
    game = Duo()
    _, guest = driven(game)
    ann, bob = asked(guest, 1, "ann").seq, asked(guest, 2, "bob").seq
    game.episodes["bob"] = 2
    assert jumped(guest, 5, "ann", ann).detail is None
    assert jumped(guest, 6, "bob", bob).detail == "FORMER_EPISODE"
    world = asked(guest, 7, None).seq
    assert jumped(guest, 8, "bob", world).detail is None
    game.episode = 2
    assert jumped(guest, 9, "ann", world).detail == "FORMER_EPISODE"


def test_an_event_names_its_actor() -> None:
    """The agent of an event is passed on as it is."""
    host, guest = driven(Duo())
    host.report([Occurred("fell", agent="bob"), Occurred("rain")])
    assert [event.agent for event in of(GameEvent, lines(guest.take()))] == ["bob", None]


def test_a_game_with_one_actor_takes_any_name_for_it() -> None:
    """Names change nothing there: no state bears one, and no intent is refused for it."""
    _, guest = driven(Toy())
    assert asked(guest, 1, "eve").agent is None
    assert jumped(guest, 2, "eve").result["status"] == "SUCCESS"
    actors = Actors(Toy(alive=False))
    assert (actors.knows("eve"), actors.find("eve"), actors.is_alive("eve")) == (True, None, False)
