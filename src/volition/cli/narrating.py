"""Which narrator tells a transcript: templates, a class of the user, or an endpoint."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from volition.cli.options import load_reference
from volition.core.document import read_document
from volition.core.errors import refuse
from volition.drama.audience.narrator import Narrator, TemplateNarrator
from volition.drama.words.phrasebook import add_layer
from volition.drama.world.wording import phrases_of, terms_of

if TYPE_CHECKING:
    from pathlib import Path

    from volition.drama.stage.record import Run
    from volition.drama.words.phrasebook import Phrasebook


def choose_narrator(
    run: Run,
    phrases: Path | None,
    narrator: str | None,
    endpoint: str | None,
    model: str | None,
    at_once: int | None = None,
) -> Narrator:
    """The narrator that the options of `transcript` ask for."""
    if (endpoint is None) != (model is None):
        _refuse_options("--endpoint and --model are given one without the other", "give both, or neither")
    if narrator is not None and endpoint is not None:
        _refuse_options("--narrator and --endpoint are given together", "give one of them")
    if at_once is not None and endpoint is None:
        _refuse_options("--at-once is given without --endpoint", "give --endpoint and --model too, or leave it out")
    book = phrases_of(run.scenario)
    if phrases is not None:
        book = add_layer(book, read_document(phrases), terms_of(run.scenario), str(phrases))
    if narrator is not None:
        return _load_narrator(narrator, run, book, phrases)
    if endpoint is None or model is None:
        return TemplateNarrator(run.seed, book)
    from volition.core.folder import cache_folder
    from volition.drama.audience.endpoint import EndpointNarrator, WordEndpoint

    asked = WordEndpoint(endpoint, model) if at_once is None else WordEndpoint(endpoint, model, at_once=at_once)
    return EndpointNarrator(run.seed, asked, book, cache_folder("words"))


def print_report(narrator: Narrator) -> None:
    """Say on stderr where the words of an endpoint's narrator came from."""
    counts = getattr(narrator, "counts", None)
    if counts is None:
        return
    asked, cached, templates = (counts[part] for part in ("asked", "cached", "templates"))
    click.echo(f"lines asked for: {asked}, from the cache: {cached}, from templates: {templates}", err=True)
    if fault := getattr(narrator, "fault", None):
        click.echo(f"the endpoint failed: {fault}", err=True)


def _load_narrator(reference: str, run: Run, book: Phrasebook, phrases: Path | None) -> Narrator:
    """What MODULE:CLASS names: an instance of the class, or the object itself; a template narrator gets seed and phrases."""
    named = load_reference(reference, "--narrator")
    is_template = isinstance(named, type) and issubclass(named, TemplateNarrator)
    if phrases is not None and not is_template:
        _refuse_options(f"{reference} takes no phrases", "leave out --phrases, or derive it from TemplateNarrator")
    try:
        made = named(run.seed, book) if is_template else named() if isinstance(named, type) else named
    except Exception as error:  # noqa: BLE001  whatever their code raises
        refuse(
            f"{reference} cannot be made: {type(error).__name__}: {error}",
            where="--narrator",
            expected="a class whose instances are made without arguments, or that derives from TemplateNarrator",
            remedy="fix its __init__, or name an object instead of a class",
        )
    lacking = [name for name in ("opening", "heading", "tell", "closing") if not callable(getattr(made, name, None))]
    if lacking:
        refuse(
            f"{reference} lacks {', '.join(lacking)}",
            where="--narrator",
            expected="a class with the methods of volition.drama.Narrator",
            remedy="see docs/words.md",
        )
    narrator: Narrator = made
    return narrator


def _refuse_options(what: str, remedy: str) -> None:
    refuse(what, where="the options", expected="options that go together", remedy=remedy)
