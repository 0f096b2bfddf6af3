"""The columns of an ensemble's table: one row per evening, one number, word or flag per cell."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple

from volition.core.errors import check_known
from volition.drama.ensemble.axes import Names
from volition.drama.evening.look import HUNG
from volition.drama.evening.measure import POURS_VERSION, STORY_VERSION
from volition.drama.rules.catalog import EventType

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from volition.drama.batch.measures import Story
    from volition.drama.ensemble.frames import Played
    from volition.drama.ensemble.plan import EnsemblePlan

Kind = Literal["int", "float", "bool", "text"]
KINDS: Final = tuple(kind.name for kind in EventType)


class Column(NamedTuple):
    """A column: its name, the kind of its cells, and how a cell is read. A `setting` identifies the evening."""

    name: str
    kind: Kind
    cell: Callable[[Played], Any]
    setting: bool = False


def columns(plan: EnsemblePlan) -> tuple[Column, ...]:
    """The columns of a plan's table; the same for every row."""
    story = _story(plan) if plan.measures >= STORY_VERSION else ()
    pours = _pours() if plan.measures >= POURS_VERSION else ()
    return (*_which(plan), *_course(plan), *_people(plan), *story, *pours, *_decisions())


def numbers_of(columns: Iterable[Column]) -> list[Column]:
    """The columns that hold numbers measured of an evening."""
    return [column for column in columns if not column.setting and column.kind in ("int", "float")]


def find_column(columns: Iterable[Column], name: str, what: str = "column", *, where: str, expected: str) -> Column:
    """The column with this name; InvalidInput if there is none."""
    named = {column.name: column for column in columns}
    return named[check_known(what, name, named, where=where, expected=expected)]


def _which(plan: EnsemblePlan) -> Iterator[Column]:
    yield Column("row", "int", lambda one: one.row, setting=True)
    yield Column("point", "int", lambda one: one.point, setting=True)
    yield Column("seed", "int", lambda one: one.measures.seed, setting=True)
    yield Column("scenario", "text", lambda one: plan.hashes[one.point], setting=True)
    now = Names(plan.scenario).now
    points = [dict(point) for point in plan.points]
    for name in plan.names:
        yield Column(name, _kind(now[name]), partial(lambda name, one: points[one.point][name], name), setting=True)
    yield Column("path", "text", lambda one: one.path, setting=True)
    yield Column("state", "text", lambda one: one.measures.state, setting=True)


def _course(plan: EnsemblePlan) -> Iterator[Column]:
    yield Column("ending", "text", lambda one: one.measures.ending)
    yield Column("minutes", "float", lambda one: one.measures.minutes)
    yield Column("ticks", "int", lambda one: one.measures.ticks)
    yield Column("events", "int", lambda one: one.measures.event_count)
    yield from _each("events", "int", KINDS, lambda kind, one: one.measures.events.get(kind, 0))
    yield Column("moves", "int", lambda one: one.measures.events.get("SOCIAL_MOVE", 0))
    yield Column("dramatic", "int", lambda one: one.measures.dramatic_acts)
    yield Column("first_drama", "int", lambda one: one.measures.first_drama)
    yield Column("tension", "float", lambda one: one.measures.mood.tension)
    yield Column("tension.most", "float", lambda one: one.measures.mood.most_tension)
    yield Column("tension.first_half", "float", lambda one: one.measures.tension[0])
    yield Column("tension.second_half", "float", lambda one: one.measures.tension[1])
    yield Column("irony", "float", lambda one: one.measures.mood.irony)
    yield Column("irony.most", "float", lambda one: one.measures.mood.most_irony)
    yield Column("rooms", "int", lambda one: len(one.measures.rooms))
    yield from _each("rooms", "bool", plan.scenario.rooms, lambda room, one: room in one.measures.rooms)


def _people(plan: EnsemblePlan) -> Iterator[Column]:
    people = plan.scenario.people
    yield Column("left", "int", lambda one: len(one.measures.left))
    yield Column("glasses", "int", lambda one: one.measures.glasses)
    yield Column("catastrophes", "int", lambda one: len(one.measures.catastrophes))
    yield from _each("catastrophes", "int", people, _broke)
    yield from _each("composure", "float", people, lambda who, one: one.measures.composure[who])
    yield from _each("potential", "float", people, lambda who, one: one.measures.potential[who])


def _story(plan: EnsemblePlan) -> Iterator[Column]:
    """What makes an evening a story."""
    people, secrets = plan.scenario.people, plan.scenario.secrets
    yield Column("out", "int", _of_story(lambda story: len(story.out)))
    yield from _each("out", "int", secrets, lambda id, one: _of_story(lambda story: int(id in story.out))(one))
    yield Column("stale", "int", _of_story(lambda story: story.stale))
    yield Column("conflicts", "int", _of_story(lambda story: sum(map(_rows, story.conflicts.values()))))
    yield from _each(
        "conflicts", "int", people, lambda who, one: _of_story(lambda story: _rows(story.conflicts[who]))(one)
    )
    yield from _each("made", "int", people, lambda who, one: _of_story(lambda story: story.made[who])(one))
    yield Column("first_act", "text", _of_story(lambda story: None if story.first is None else " ".join(story.first)))
    yield Column("driven_off", "int", _of_story(lambda story: len(story.driven_off)))
    yield from _each(
        "driven_off", "int", people, lambda who, one: _of_story(lambda story: int(who in story.driven_off))(one)
    )
    yield Column("lies.seen_through", "int", _of_story(lambda story: story.seen_through))
    yield Column("lies.found_out", "int", _of_story(lambda story: story.found_out))
    yield Column("wrongs", "int", _of_story(lambda story: sum(story.answers)))
    yield Column("wrongs.answered", "int", _of_story(lambda story: sum(story.answers[:-1])))


def _pours() -> Iterator[Column]:
    yield Column("pours", "int", _of_story(lambda story: story.pours))
    yield Column("pours.amid_rows", "int", _of_story(lambda story: story.pours_amid_rows))


def _of_story(number: Callable[[Story], Any]) -> Callable[[Played], Any]:
    """A cell that is read from an evening's story."""
    return lambda one: None if one.measures.story is None else number(one.measures.story)


def _rows(started: Mapping[str, int]) -> int:
    return sum(started.values())


def _decisions() -> Iterator[Column]:
    yield Column("decisions", "int", lambda one: one.measures.looks.decisions)
    yield from _each("won", "int", KINDS, lambda kind, one: one.measures.looks.won.get(kind, 0))
    yield from _each("hung", "int", HUNG, lambda term, one: one.measures.looks.hung[term])
    yield Column("total.internal", "float", lambda one: one.measures.looks.internal.quantile(0.5))
    yield Column("total.winner", "float", lambda one: one.measures.looks.winners.quantile(0.5))
    yield Column("total.winner_95", "float", lambda one: one.measures.looks.winners.quantile(0.95))
    yield Column("total.dramatic", "float", lambda one: one.measures.looks.dramatic.quantile(0.5))
    yield Column("gap", "float", lambda one: one.measures.looks.gaps.quantile(0.5))
    yield Column("bias", "float", lambda one: one.measures.looks.biases.quantile(0.95))
    yield Column("repeated", "int", lambda one: one.measures.row.times)
    yield Column("repeats", "float", lambda one: one.measures.repeats)


def _each(prefix: str, kind: Kind, names: Iterable[str], cell: Callable[[str, Played], Any]) -> Iterator[Column]:
    """One column per name."""
    return (Column(f"{prefix}.{name}", kind, partial(cell, name)) for name in names)


def _broke(who: str, one: Played) -> int:
    return sum(broken == who for broken, _ in one.measures.catastrophes)


def _kind(value: object) -> Kind:
    if isinstance(value, bool):
        return "bool"
    return "int" if isinstance(value, int) else "float" if isinstance(value, float) else "text"
