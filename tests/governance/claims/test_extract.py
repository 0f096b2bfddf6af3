"""What an intent claims: which resources, under which names, and what it does there."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.governance.plans import claimed, command, plan, reader
from volition.governance.claims.effects import (
    CREATE,
    DELETE,
    DEPLOY,
    LOCK,
    ROLLBACK,
    TOUCH,
    WRITE,
    effect_bits,
    word_for,
)
from volition.governance.claims.names import clean_path, holder, holders, module_name

SEGMENTS = st.lists(st.sampled_from(["a", "b", "..", ".", ""]), min_size=1, max_size=8)


@pytest.mark.req("GV-03")
@given(SEGMENTS)
def test_a_clean_path_is_clean(segments: list[str]) -> None:
    """Cleaning is idempotent and leaves no empty segment, no dot, and no step back but at the front."""
    path = clean_path("/".join(segments) or "/")
    parts = path.split("/")
    assert clean_path(path) == path
    assert path == "." or not {"", "."} & set(parts)
    assert ".." not in parts[parts.count("..") :]


@pytest.mark.req("GV-03")
@pytest.mark.parametrize(
    ("spelt", "means"),
    [
        ("./src/a.py", "src/a.py"),
        ("src//a.py", "src/a.py"),
        ("src/", "src"),
        ("src/x/../a.py", "src/a.py"),
        ("/src", "src"),
    ],
)
def test_one_path_has_one_name(spelt: str, means: str) -> None:
    """However a path is spelled, it is one resource."""
    assert clean_path(spelt) == means


def test_a_root_is_taken_off_absolute_paths() -> None:
    """A path below the project's root is the same resource as the path from the root."""
    assert clean_path("/home/me/shop/src/a.py", "/home/me/shop") == "src/a.py"
    assert clean_path("/home/me/shop2/a.py", "/home/me/shop") == "home/me/shop2/a.py"


@pytest.mark.parametrize("resource", ["a/b/c.py", "ab/c", "a", ".", "module:a.b.c", "module:abc", "service:a"])
def test_holders_are_found_by_whole_segments(resource: str) -> None:
    """What holds a resource is its chain of holders."""
    chain, around = [], holder(resource)
    while around is not None:
        chain.append(around)
        around = holder(around)
    assert holders(resource) == tuple(chain)


@pytest.mark.req("GV-03")
def test_a_command_claims_what_it_names() -> None:
    """A command claims the targets that its text or its evidence names."""
    by_text = plan("by_text", ["src/a.py", "src/b.py"], commands=[command(text="Change src/a.py.")])
    by_evidence = plan("by_evidence", ["src/a.py", "src/b.py"], commands=[command(refs=["scan://all/src/b.py#L3"])])
    assert set(claimed(by_text)) == {"src/a.py"}
    assert set(claimed(by_evidence)) == {"src/b.py"}


@pytest.mark.req("GV-03")
def test_a_command_that_names_nothing_claims_everything() -> None:
    """A command that names no target claims all of them, and what else it names; a part of a name is no name."""
    intent = plan(
        "all_of_it", ["src/a.py", "src/api"], ["service:api"], [command(text="Change src/a.pyc and src/api2")]
    )
    assert set(claimed(intent)) == {"src/a.py", "src/api", "service:api", "src/a.pyc"}


@pytest.mark.req("GV-03")
def test_a_folder_is_named_by_what_is_in_it() -> None:
    """Naming a file in a folder, or a submodule, names the folder or module."""
    intent = plan("the_folder", ["src/api", "docs"], ["shop", "other"], [command(text="Fix src/api/a.py in shop.cart")])
    assert set(claimed(intent)) == {"src/api", "module:shop"}


def test_services_are_modules_with_a_prefix() -> None:
    """The module `service:NAME` is a service, which its bare name names."""
    assert module_name("service:api") == "service:api"
    intent = plan("the_service", modules=["service:api", "shop"], commands=[command(text="Restart api now")])
    assert set(claimed(intent)) == {"service:api"}


@pytest.mark.req("GV-04")
@pytest.mark.parametrize(
    ("text", "bit"),
    [("Delete it", DELETE), ("Removes the rows", DELETE), ("roll back to 1.8", ROLLBACK), ("Rolls-back", ROLLBACK), ("Creating it", CREATE), ("Deploy v2", DEPLOY)],
)  # fmt: skip
def test_a_verb_says_what_is_done(text: str, bit: int) -> None:
    """A verb in a command's text counts as the effect that it says, and is the evidence for it."""
    said = command("work_on_it", "write", text=f"{text} please")
    assert effect_bits(said) & ~(TOUCH | WRITE) == bit
    assert word_for(said, bit)


@pytest.mark.req("GV-04")
@pytest.mark.parametrize(
    ("text", "done"),
    [
        ("do not remove the old route", 0),
        ("Don't delete it", 0),
        ("never ever deploy", 0),
        ("do not delete or remove it", 0),
        ("instead of deploying", 0),
        ("without rolling back", 0),
        ("do not keep it, delete it", DELETE),
        ("not only delete it", DELETE),
        ("Do not. Delete it", DELETE),
        ("do not delete it but deploy it", DEPLOY),
    ],
)
def test_what_is_said_not_to_be_done_is_no_effect(text: str, done: int) -> None:
    """A verb that is denied says nothing, and is no evidence; what is not clearly denied counts."""
    said = command("work_on_it", "write", text=text)
    assert effect_bits(said) & ~(TOUCH | WRITE) == done
    assert bool(word_for(said, DELETE)) == bool(done & DELETE)


@pytest.mark.parametrize(
    "text", ["redeploy", "deployment", "undelete", "recreate", "recreation", "scroll back", "deletes_"]
)
def test_a_part_of_a_word_is_no_verb(text: str) -> None:
    """A word that only contains a verb says nothing; an underscore parts words."""
    said = effect_bits(command("work_on_it", "write", text=f"{text} it")) & ~(TOUCH | WRITE)
    assert bool(said) == text.endswith("_")


def test_a_declared_effect_needs_no_word() -> None:
    """Where an effect is declared, no word is named as evidence."""
    assert word_for(command("drop_rows", "delete", text="Delete rows"), DELETE) is None


@pytest.mark.req("GV-03")
def test_reading_and_network_do_not_write() -> None:
    """Of all effects, read and network alone write nothing."""
    calm = plan("calm_one", ["src/a.py"], commands=[command("look_at", "read", "network", text="Look at it")])
    assert claimed(calm) == {"src/a.py": TOUCH}
    for effect in ("write", "data", "security", "create", "delete", "deploy", "rollback"):
        busy = plan("busy_one", ["src/a.py"], commands=[command("work_on", effect, text="Do it")])
        assert claimed(busy)["src/a.py"] & ~TOUCH, effect


@pytest.mark.req("GV-03")
@pytest.mark.parametrize("effects", [["read"], ["network"], ["read", "network"]])
@pytest.mark.parametrize(
    "text", ["Create a report", "Review the rollback plan", "See what to delete", "Watch the deploy"]
)
def test_the_words_of_a_command_that_only_looks_say_nothing(effects: list[Any], text: str) -> None:
    """A command that declares only read and network does nothing else, whatever its words and its id speak of."""
    looking = command("rollback_review", *effects, text=text)
    assert effect_bits(looking) == TOUCH
    assert all(word_for(looking, bit) is None for bit in (CREATE, DELETE, DEPLOY, ROLLBACK))
    assert effect_bits(command("rollback_review", *effects, "write", text=text)) & ROLLBACK


def test_a_lock_is_a_claim_without_a_touch() -> None:
    """What is only locked is neither read nor written."""
    assert claimed(plan("the_lock", commands=[reader()], locked=["src/"])) == {"src": LOCK}
