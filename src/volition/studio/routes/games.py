"""Guests played from a page."""
# ruff: noqa: TC001, TC002  Litestar reads the annotations

from __future__ import annotations

from litestar import Response, Router
from litestar.params import JSONBody

from volition.studio.game_view import GameShape
from volition.studio.games import GameAnswer, GameAsked, GameMove
from volition.studio.routes.common import Here, Id, get, post, respond_from_pool
from volition.studio.scenarios import PlayableScenario


@get("/games/scenarios", sync_to_thread=True, summary="The scenarios that a guest can be played in, and their people")
def list_playable(studio: Here) -> list[PlayableScenario]:
    return studio.scenarios.all()


@post("/games", summary="Begin an evening as a guest")
async def begin_game(studio: Here, data: JSONBody[GameAsked]) -> Response[GameShape]:
    return await respond_from_pool(studio, lambda: studio.begin_game(data))


@get("/games/{game_id:str}", summary="How a game stands, as far as its guest knows")
async def read_game(studio: Here, game_id: Id) -> Response[GameShape]:
    return await respond_from_pool(studio, lambda: studio.games.look(game_id))


@post("/games/{game_id:str}/answer", status_code=200, summary="Answer the question of a tick")
async def answer_game(studio: Here, game_id: Id, data: JSONBody[GameAnswer]) -> Response[GameShape]:
    return await respond_from_pool(studio, lambda: studio.games.answer(game_id, data))


@post("/games/{game_id:str}/rest", status_code=200, summary="Let the evening pass without the person")
async def rest_game(studio: Here, game_id: Id, data: JSONBody[GameMove]) -> Response[GameShape]:
    return await respond_from_pool(studio, lambda: studio.games.rest(game_id, data))


@post("/games/{game_id:str}/stop", status_code=200, summary="End the evening here")
async def stop_game(studio: Here, game_id: Id, data: JSONBody[GameMove]) -> Response[GameShape]:
    return await respond_from_pool(studio, lambda: studio.games.stop(game_id, data))


routers = (
    Router(
        "/",
        route_handlers=[list_playable, begin_game, read_game, answer_game, rest_game, stop_game],
        tags=["games"],
    ),
)
