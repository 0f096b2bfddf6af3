"""What an intent claims: which resources, under which names, and what it does there."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.governance.plans import claimed, command, plan, reader
from volition.governance.documents.effects import (
    CREATE,
    DECLARED,
    DELETE,
    FREEZE,
    LOCK,
    TOUCH,
    USES,
    WRITE,
    WRITES,
    effect_bits,
    undeclared_verbs,
)
from volition.governance.paths.names import clean_path, holder, holders, module_name

if TYPE_CHECKING:
    from volition.governance.documents.intent import IntentDocument

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


@pytest.mark.req("GV-25")
def test_a_root_is_applied() -> None:
    """A path is relative to the plan's root; one below an absolute root is the same resource as the path from there."""
    assert clean_path("a.py", "src") == clean_path("src/a.py") == clean_path("./a.py", "./src/")
    assert clean_path("../lib/a.py", "src") == "lib/a.py"
    assert clean_path("/lib/a.py", "src") == "lib/a.py"
    assert (clean_path(".", "src"), clean_path("*.py", "src")) == ("src", "src/*.py")
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


def writes(intent: IntentDocument) -> set[str]:
    """What a plan writes."""
    return {resource for resource, claim in claimed(intent).items() if claim & WRITES}


@pytest.mark.req("GV-03", "GV-25")
def test_a_command_claims_what_its_text_names() -> None:
    """A command claims the targets that its text names; what another command names is not its own."""
    both = [command("one_thing", text="Change src/a.py."), reader("Look at src/b.py")]
    assert writes(plan("by_text", ["src/a.py", "src/b.py"], commands=both)) == {"src/a.py"}


@pytest.mark.req("GV-25")
@pytest.mark.parametrize(
    "refs", [["scan://all/src/b.py#L3"], ["file://src/a.py"], [f"file://src/{n}.py" for n in range(30)]]
)
def test_evidence_narrows_nothing(refs: list[str]) -> None:
    """Whatever a command names as evidence, it claims all targets of its plan."""
    intent = plan("by_evidence", ["src/a.py", "src/b.py"], ["service:api"], [command(refs=refs)])
    assert writes(intent) == {"src/a.py", "src/b.py", "service:api"}


@pytest.mark.req("GV-25")
@given(st.integers(1, 60), st.sets(st.integers(0, 59)), st.booleans())
def test_what_a_scope_declares_is_claimed(count: int, named: set[int], reading: bool) -> None:
    """Every declared target is claimed by some command, however many there are and whichever of them texts name."""
    files = [f"src/f{n}.py" for n in range(count)]
    said = " and ".join(files[n] for n in sorted(named) if n < count)
    first = reader(f"Look at {said}") if reading else command("change_it", text=f"Change {said}")
    intent = plan("all_of_it", files, ["shop.cart", "service:api"], [first, command("work_on", text="Do the rest")])
    assert set(claimed(intent)) >= {*files, "module:shop.cart", "service:api"}


@pytest.mark.req("GV-25")
def test_what_no_command_names_is_claimed_by_all_that_write() -> None:
    """A target that no text names is claimed by every command that writes; where none does, by all that read."""
    some = [command("one_thing", text="Change a.py"), reader("Look at b.py")]
    found = claimed(plan("the_rest", ["a.py", "b.py", "c.py"], commands=some))
    assert {name: bool(claim & WRITES) for name, claim in found.items()} == {"a.py": True, "b.py": False, "c.py": True}
    assert set(claimed(plan("the_rest", ["a.py", "c.py"], commands=[reader("Look at a.py")]))) == {"a.py", "c.py"}


@pytest.mark.req("GV-03")
def test_a_command_that_names_nothing_claims_everything() -> None:
    """A command that names no target claims all of them, and what else it names; a part of a name is no name."""
    intent = plan(
        "all_of_it", ["src/a.py", "src/api"], ["service:api"], [command(text="Change src/a.pyc and src/api2")]
    )
    assert set(claimed(intent)) == {"src/a.py", "src/api", "service:api", "src/a.pyc"}


@pytest.mark.req("GV-03", "GV-25")
def test_a_folder_is_named_by_what_is_in_it() -> None:
    """Naming a file in a folder or of a pattern, or a submodule, names the folder, the pattern or the module."""
    rest = reader("Look at docs and other")
    fix = command(text="Fix src/api/a.py in shop.cart")
    assert writes(plan("the_folder", ["src/api", "docs"], ["shop", "other"], [fix, rest])) == {"src/api", "module:shop"}
    assert writes(plan("the_pattern", ["src/api/*.py", "docs"], commands=[fix, rest])) == {"src/api/*.py"}


@pytest.mark.req("GV-26")
def test_a_part_is_named_by_its_name_and_by_its_file() -> None:
    """A text names a part by its whole name, by its qualified name, or by its file; it does not claim the whole file then."""
    for text in ("Fix src/cart.py#Cart.add", "Fix Cart.add", "Fix src/cart.py", "Fix cart.py"):
        found = writes(plan("the_part", ["src/cart.py#Cart.add"], commands=[command(text=text), reader()]))
        assert found == {"src/cart.py#Cart.add"}, text


@pytest.mark.req("GV-28")
@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("generate the client from openapi.yaml", {"client.ts"}),
        ("generate client.ts using openapi.yaml", {"client.ts"}),
        ("write client.ts based on the openapi.yaml", {"client.ts"}),
        ("remove unused routes from openapi.yaml", {"client.ts", "openapi.yaml"}),
        ("rewrite openapi.yaml", {"client.ts", "openapi.yaml"}),
    ],
)
def test_what_something_is_made_from_is_read(text: str, written: set[str]) -> None:
    """A file after `from`, `using` or `based on` is read; after a verb that takes something away, it is changed."""
    for files in (["client.ts"], ["client.ts", "openapi.yaml"]):
        intent = plan("the_client", files, commands=[command(text=text)])
        assert "openapi.yaml" in claimed(intent)
        assert writes(intent) == written
    alone = plan("the_source", ["a.py"], commands=[command(text="tidy the imports from a.py")])
    assert writes(alone) == {"a.py"}


@pytest.mark.req("GV-27")
def test_reads_removes_and_renames_are_claimed() -> None:
    """What a plan declares to read is read, and its result relies on it if it changes something; what it removes and
    renames is deleted, and a new name is created."""
    given = {"reads": ("lib/a.py#load",), "removes": ("old.py",), "renames": {"b.py#Cart": "b.py#Basket"}}
    found = claimed(plan("the_contract", ["b.py#Cart"], commands=[command(text="Rename Cart")], targets=given))
    assert found["lib/a.py#load"] & (TOUCH | USES | WRITES) == TOUCH | USES
    assert found["old.py"] & WRITES == DELETE
    assert found["b.py#Cart"] & WRITES == WRITE | DELETE
    assert found["b.py#Basket"] & WRITES == CREATE | WRITE
    idle = claimed(plan("the_reader", commands=[reader()], targets={"reads": ("lib/a.py#load",)}))
    assert idle["lib/a.py#load"] & (USES | WRITES) == 0


def test_services_are_modules_with_a_prefix() -> None:
    """The module `service:NAME` is a service, which its bare name names."""
    assert module_name("service:api") == "service:api"
    some = [command(text="Restart api now"), reader("Look at shop")]
    assert writes(plan("the_service", modules=["service:api", "shop"], commands=some)) == {"service:api"}


@pytest.mark.req("GV-28")
@pytest.mark.parametrize(
    ("text", "verbs"),
    [
        ("Delete it", ["delete"]),
        ("Removes the rows", ["removes"]),
        ("roll back to 1.8", ["roll back"]),
        ("Rolls-back", ["rolls back"]),
        ("Creating it", ["creating"]),
        ("Deploy v2", ["deploy"]),
        ("do not remove the old route", []),
        ("Don't delete it", []),
        ("never ever deploy", []),
        ("do not delete or remove it", []),
        ("instead of deploying", []),
        ("without rolling back", []),
        ("do not keep it, delete it", ["delete"]),
        ("not only delete it", ["delete"]),
        ("Do not. Delete it", ["delete"]),
        ("do not delete it but deploy it", ["deploy"]),
        ("redeploy", []),
        ("deployment", []),
        ("undelete", []),
        ("recreate", []),
        ("scroll back", []),
        ("deletes_ it", ["deletes"]),
    ],
)
def test_a_verb_only_warns(text: str, verbs: list[str]) -> None:
    """A verb for an effect that is not declared is worth a warning and has no effect; one that is denied, declared, or part
    of another word is not."""
    said = command("work_on_it", "write", text=text)
    assert effect_bits(said) == TOUCH | WRITE
    assert [verb for verb, _ in undeclared_verbs(said)] == verbs
    everything = command("work_on_it", "write", "create", "delete", "deploy", "rollback", text=text)
    assert undeclared_verbs(everything) == []


@pytest.mark.req("GV-03")
def test_reading_and_network_do_not_write() -> None:
    """Of all effects, read and network alone write nothing."""
    calm = plan("calm_one", ["src/a.py"], commands=[command("look_at", "read", "network", text="Look at it")])
    assert claimed(calm) == {"src/a.py": TOUCH | DECLARED}
    for effect in ("write", "data", "security", "create", "delete", "deploy", "rollback"):
        busy = plan("busy_one", ["src/a.py"], commands=[command("work_on", effect, text="Do it")])
        assert claimed(busy)["src/a.py"] & WRITES, effect


@pytest.mark.req("GV-03")
@pytest.mark.parametrize("effects", [["read"], ["network"], ["read", "network"]])
@pytest.mark.parametrize(
    "text", ["Create a report", "Review the rollback plan", "See what to delete", "Watch the deploy"]
)
def test_the_words_of_a_command_that_only_looks_say_nothing(effects: list[Any], text: str) -> None:
    """A command that declares only read and network does nothing else, whatever its words and its id speak of."""
    looking = command("rollback_review", *effects, text=text)
    assert effect_bits(looking) == TOUCH
    assert undeclared_verbs(looking) == []


@pytest.mark.req("GV-27")
def test_a_lock_is_a_claim_without_a_touch() -> None:
    """What is only locked is neither read nor written. A lock of the whole project, with all services, and one of a plan that
    does nothing are freezes."""
    assert claimed(plan("the_lock", commands=[reader()], locked=["src/"])) == {"src": LOCK | DECLARED}
    assert claimed(plan("the_lock", commands=[], locked=["src/"])) == {"src": LOCK | FREEZE | DECLARED}
    everything = claimed(plan("the_freeze", commands=[reader()], locked=["."]))
    assert everything == {".": LOCK | FREEZE | DECLARED, "service:*": LOCK | FREEZE | DECLARED}
