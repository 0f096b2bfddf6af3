from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from volition.drama.words.people import PRONOUNS, RELATIONS, pronouns_of, relation_noun, relations_between
from volition.drama.words.phrase import PersonWords, Phrase, Picker, fill, find_malformed, placeholders, spoken_parts

ANN = PersonWords("Ann", PRONOUNS["she"], "wife")
ALEX = PersonWords("Alex", PRONOUNS["they"])
XE = PersonWords("Kit", pronouns_of(("xe", "xem", "xyr", "xyrs", "xemself")))


@pytest.mark.parametrize(("spoken", "expected"), [("So.", '"So," Al.'), ("So?", '"So?" Al.'), ("So!", '"So!" Al.')])
def test_a_full_stop_becomes_a_comma(spoken: str, expected: str) -> None:
    """Speech in the middle of a sentence ends with a comma instead of a full stop; a question mark stays."""
    assert fill('"{line,}" {name}.', {"line": spoken, "name": "Al"}, {}) == expected
    assert placeholders('"{line,}" {who}.') == {"line", "who"}


@pytest.mark.parametrize(
    ("person", "expected"),
    [
        (ANN, "Ann knows that she is late. Her coat is hers; she hurts herself. Ask her."),
        (ALEX, "Alex knows that they are late. Their coat is theirs; they hurt themself. Ask them."),
        (XE, "Kit knows that xe is late. Xyr coat is xyrs; xe hurts xemself. Ask xem."),
    ],
)
def test_pronouns_and_their_verbs(person: PersonWords, expected: str) -> None:
    """Every pronoun has its forms, its verbs agree with it, and a capital letter begins a sentence."""
    text = (
        "{who} knows that {who.they} {who.is|are} late. {who.Their} coat is {who.theirs}; "
        "{who.they} {who.hurts|hurt} {who.themself}. Ask {who.them}."
    )
    assert find_malformed(text) == []
    assert fill(text, {}, {"who": person}) == expected


def test_capitals_and_relations() -> None:
    """A placeholder with a capital letter begins with one; a relation is what one is to the other."""
    assert fill("{Room}. {who}'s {whom.relation}.", {"room": "the hall"}, {"who": ALEX, "whom": ANN}) == (
        "The hall. Alex's wife."
    )


@pytest.mark.parametrize("text", ["{who", "who}", "{}", "{who.thy}", "{line.their}", "{who.is|are|be}", "{a b}"])
def test_what_is_no_placeholder_is_found(text: str) -> None:
    """Braces that are no placeholder, and forms that do not exist, are found."""
    assert find_malformed(text) != []


@given(st.sampled_from(sorted(RELATIONS)))
def test_relations_go_both_ways(relation: str) -> None:
    """What one person says of another holds the other way round, and turning it twice changes nothing."""
    given = {"a": {"b": (relation,)}, "b": {}}
    (back,) = relations_between("b", "a", given)
    assert relations_between("a", "b", {"a": {}, "b": {"a": (back,)}}) == (relation,)
    assert relations_between("a", "c", given) == ()
    assert relation_noun(relation, "she")


@given(st.lists(st.text(st.characters(exclude_characters='"'), min_size=1), max_size=5))
def test_a_text_is_cut_at_its_quotation_marks(parts: list[str]) -> None:
    """Every other piece is spoken, and nothing is lost."""
    found = spoken_parts('"'.join(parts))
    assert "".join(piece for _, piece in found) == "".join(parts)
    assert [spoken for spoken, _ in found] == [number % 2 == 1 for number, _ in enumerate(parts)]


def phrases(count: int) -> list[Phrase]:
    return [Phrase((str(number),), (), frozenset(), 1 + number % 3) for number in range(count)]


@given(st.integers(0, 2**64 - 1), st.integers(1, 20), st.integers(1, 60))
def test_nothing_is_repeated_while_there_is_something_new(seed: int, size: int, times: int) -> None:
    """Every phrase that fits is used once before any is used twice, and so on."""
    picker = Picker(seed)
    heard = [picker.pick(phrases(size), number, f"e{number}", "pool").parts[0] for number in range(times)]
    for start in range(0, times, size):
        block = heard[start : start + size]
        assert len(set(block)) == len(block)


@given(st.integers(0, 2**64 - 1), st.integers(2, 20))
def test_what_was_just_said_is_not_said_again(seed: int, size: int) -> None:
    """Of phrases used as often, none comes again before half of the others have."""
    picker = Picker(seed)
    heard = [picker.pick(phrases(size), number, f"e{number}", "pool").parts[0] for number in range(4 * size)]
    last: dict[str, int] = {}
    for number, phrase in enumerate(heard):
        assert number - last.get(phrase, -size) > size // 2
        last[phrase] = number


@given(st.integers(0, 2**64 - 1))
def test_nobody_hears_a_phrase_again_while_there_is_a_new_one(seed: int) -> None:
    """What others have heard is still new, also where all phrases were used as often."""
    picker = Picker(seed)
    heard = [
        picker.pick(phrases(2), number, f"e{number}", "pool", people).parts[0]
        for number, people in enumerate([("ann", "ben"), ("cal", "dot"), ("ann", "ben"), ("cal", "dot")])
    ]
    assert heard[0] != heard[2]
    assert heard[1] != heard[3]


def test_picks_do_not_depend_on_other_picks() -> None:
    """What was picked from other phrases makes no difference."""
    alone, beside = Picker(7), Picker(7)
    others = [Phrase((f"other {number}",), (), frozenset(), 1) for number in range(5)]
    picked = [alone.pick(phrases(9), number, f"e{number}", "a") for number in range(20)]
    again = []
    for number in range(20):
        beside.pick(others, number, f"e{number}", "b")
        again.append(beside.pick(phrases(9), number, f"e{number}", "a"))
    assert picked == again
