"""The end of a transcript: who left because of whom, what is settled between people, what came out, and who knows what."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from volition.drama.audience.moment import HARMED
from volition.drama.audience.prose import clock, join_names, short_names
from volition.drama.audience.summary import lessons
from volition.drama.rules.catalog import (
    BREAK_WITH,
    CATASTROPHE,
    CHAT,
    CONFLICT,
    FORGIVE,
    LEAVE,
    PHYSICAL,
    REVEAL,
    SOCIAL_MOVE,
)
from volition.drama.words.phrase import fill

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from volition.drama.stage.events import Event
    from volition.drama.stage.record import Run
    from volition.drama.words.phrasebook import Phrasebook
    from volition.drama.world.model import Secret

_SETTLED: Final = {FORGIVE: "ending.forgave", BREAK_WITH: "ending.broke"}
_MADE_UP: Final = "ending.made_up"
_TELLS: Final = frozenset({REVEAL, CATASTROPHE})
"""What can tell a secret before others."""
_KNOWN: Final = {"believes_true": "knows", "suspects": "wonders", "believes_false": "deceived"}


def closing_of(run: Run, book: Phrasebook) -> list[str]:
    """The paragraphs after the ending itself, with their headings."""
    names = short_names(run.scenario)
    paragraphs = [*departures(run, book, names), *settlements(run, book, names)]
    paragraphs += [f"## {book.text('ending.came_out')}", came_out(run, book, names)]
    if hidden := hidden_secrets(run):
        lines = [fill(book.text("ending.hidden"), {"secret": _secret(run, id)}, {}) for id in hidden]
        paragraphs += [f"## {book.text('ending.stayed_hidden')}", _list(lines)]
    if run.events:
        paragraphs += [f"## {book.text('ending.knows')}", _list(knowledge_of_all(run, book, names))]
    return paragraphs


def departures(run: Run, book: Phrasebook, names: Mapping[str, str]) -> Iterator[str]:
    """Who has gone, and because of whom."""
    if not run.left:
        return
    sentences = [fill(book.text("ending.gone"), {"company": join_names(run.left, names)}, {})]
    for who, (pool, whom) in reasons_to_leave(run).items():
        sentences.append(fill(book.text(pool), {"who": names[who], "whom": names[whom]}, {}))
    yield " ".join(sentences)


def reasons_to_leave(run: Run) -> dict[str, tuple[str, str]]:
    """For those who left because of another: whether they were thrown out, and by whom they were driven away."""
    reasons: dict[str, tuple[str, str]] = {}
    by_id = {event.id: event for event in run.events}
    thrown: dict[str, str] = {}
    for event in run.events:
        if event.details.get("thrown_out"):
            thrown[event.targets[0]] = event.source
        if event.type != PHYSICAL or event.manner != LEAVE:
            continue
        if event.source in thrown:
            reasons[event.source] = ("ending.thrown", thrown[event.source])
        elif (whom := _driven_by(event, by_id, run.scenario.secrets)) is not None:
            reasons[event.source] = ("ending.left", whom)
    return reasons


def _driven_by(event: Event, by_id: Mapping[str, Event], secrets: Mapping[str, Secret]) -> str | None:
    """Who did to somebody what made them leave, by the causes of it and of their way out; None if it was nobody's doing."""
    causes = [by_id[id] for id in event.causes if id in by_id]
    for cause in causes:
        if cause.type == SOCIAL_MOVE and cause.source == event.source:
            causes.extend(by_id[id] for id in cause.causes if id in by_id)
        elif _is_done_to(event.source, cause, secrets):
            return cause.source
    return None


def _is_done_to(who: str, cause: Event, secrets: Mapping[str, Secret]) -> bool:
    """Whether an event was done to somebody by another: an attack, their own secret told, or a wrong done to them admitted."""
    if cause.source == who or who not in cause.targets:
        return False
    if cause.type == CONFLICT:
        return True
    if cause.type not in _TELLS or (out := cause.details.get("told", cause.secret)) is None:
        return False
    holders, harm = secrets[out].holders, secrets[out].harm.get(who, 0.0)
    return who in holders or (cause.source in holders and harm >= HARMED)


def settlements(run: Run, book: Phrasebook, names: Mapping[str, str]) -> Iterator[str]:
    """Who has forgiven whom, who has broken with whom, and who has made it up: the last word of each about each."""
    last: dict[tuple[str, str], str] = {}
    for event in run.events:
        made_up = event.type == CHAT and event.details.get("reconciled")
        if not made_up and not (event.type == PHYSICAL and event.manner in _SETTLED):
            continue
        who, whom = event.source, event.targets[0]
        last.pop((who, whom), None)
        if made_up or last.get((whom, who)) == _MADE_UP:
            last.pop((whom, who), None)
        last[who, whom] = _MADE_UP if made_up else _SETTLED[event.manner or ""]
    lines = [fill(book.text(pool), {"who": names[who], "whom": names[whom]}, {}) for (who, whom), pool in last.items()]
    if lines:
        yield " ".join(lines)


def came_out(run: Run, book: Phrasebook, names: Mapping[str, str]) -> str:
    """Every secret that was learned, with who did and when."""
    learned: dict[str, list[str]] = {}
    for lesson in lessons(run.events):
        if lesson.after == "believes_true":
            learned.setdefault(lesson.secret, []).append(f"{names[lesson.who]} ({clock(lesson.minutes)})")
    if not learned:
        return book.text("ending.nothing_came_out")
    return _list(
        fill(book.text("ending.learned"), {"secret": _secret(run, secret), "company": _join(who)}, {})
        for secret, who in learned.items()
    )


def hidden_secrets(run: Run) -> list[str]:
    """The secrets that nobody learned who did not know them."""
    out = {lesson.secret for lesson in lessons(run.events) if lesson.after == "believes_true"}
    return [id for id in run.scenario.secrets if id not in out]


def knowledge_of_all(run: Run, book: Phrasebook, names: Mapping[str, str]) -> Iterator[str]:
    """For each person what they know, wonder about or wrongly believe now and did not before."""
    beliefs: dict[str, dict[str, str]] = {who: {} for who in names}
    for lesson in lessons(run.events):
        beliefs[lesson.who].pop(lesson.secret, None)
        beliefs[lesson.who][lesson.secret] = lesson.after
    for who, learned in beliefs.items():
        parts = []
        for belief, part in _KNOWN.items():
            about = [_matter(run, book, secret, who) for secret, after in learned.items() if after == belief]
            if about:
                parts.append(fill(book.text(f"ending.person_{part}"), {"company": _join(about)}, {}))
        words = ", and ".join(parts) if parts else book.text("ending.person_nothing")
        yield fill(book.text("ending.person"), {"who": names[who], "company": words}, {})


def _matter(run: Run, book: Phrasebook, secret: str, who: str) -> str:
    """What a secret is about in a few words that do not name who knows it, if there are any."""
    own, general = f"secrets.{secret}.matter", f"matter.{run.scenario.secrets[secret].content}"
    matters = [phrase.parts[0] for phrase in book.pool(own) or book.pool(general) if not phrase.when]
    name = set(run.scenario.people[who].name.split())
    fitting = [matter for matter in matters if name.isdisjoint(matter.replace("'", " ").split())]
    return (fitting or matters)[0]


def _secret(run: Run, id: str) -> str:
    return run.scenario.secrets[id].description.rstrip(".")


def _join(parts: Iterable[str]) -> str:
    listed = list(parts)
    return join_names(listed, {part: part for part in listed})


def _list(lines: Iterable[str]) -> str:
    return "\n".join(f"- {line}" for line in lines)
