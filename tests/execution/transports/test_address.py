"""An address is read once, means one thing, and a wrong one says how to write it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from volition.core.errors import InvalidInput
from volition.execution.transports.address import Address, check_near, parse_address
from volition.execution.transports.endpoint import dial

if TYPE_CHECKING:
    from tests.sentences import Told

hosts = st.sampled_from(["127.0.0.1", "localhost", "::1", "10.0.0.7", "game.example"])
texts = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1, max_size=20)
addresses = st.one_of(
    st.sampled_from([Address("embedded"), Address("java")]),
    st.builds(Address, st.just("tcp"), host=hosts, port=st.integers(0, 65535)),
    st.builds(Address, st.just("unix"), path=texts),
    st.builds(Address, st.just("stdio"), command=st.lists(texts, min_size=1, max_size=4).map(tuple)),
)


@given(addresses)
def test_an_address_reads_back_from_its_text(address: Address) -> None:
    """`str` writes what `parse_address` reads, blanks and quotes in commands and paths included."""
    assert parse_address(str(address)) == address == parse_address(address)


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("", "tcp://HOST:PORT"),
        ("5001", "did you mean 'tcp://127.0.0.1:5001'?"),
        ("localhost:5001", "did you mean 'tcp://localhost:5001'?"),
        ("tcp://127.0.0.1", "tcp://HOST:PORT"),
        ("tcp://:5001", "tcp://HOST:PORT"),
        ("tcp://127.0.0.1:65536", "65535"),
        ("tcp://127.0.0.1:\N{ARABIC-INDIC DIGIT FIVE}", "tcp://HOST:PORT"),
        ("tcp://127.0.0.1:5001/path", "tcp://HOST:PORT"),
        ("http://127.0.0.1:5001", "tcp://HOST:PORT"),
        ("unix:", "unix:PATH"),
        ("unix:a\0b", "unix:PATH"),
        ("stdio:", "name the program"),
        ("stdio:''", "name the program"),
        ("stdio:java 'arena", "close the quotes"),
        ("Embedded", "embedded"),
    ],
)
def test_what_is_no_address(text: str, hint: str) -> None:
    """A text that is not an address is refused, with the valid forms or a suggestion."""
    with pytest.raises(InvalidInput) as refused:
        parse_address(text)
    assert hint in str(refused.value)


@pytest.mark.parametrize(
    ("text", "near"),
    [
        ("tcp://127.0.0.1:1", True),
        ("tcp://127.8.8.8:1", True),
        ("tcp://[::1]:1", True),
        ("tcp://localhost:1", True),
        ("unix:/tmp/x", True),
        ("stdio:x", True),
        ("tcp://0.0.0.0:1", False),
        ("tcp://[::]:1", False),
        ("tcp://192.168.0.2:1", False),
        ("tcp://localhost.example:1", False),
    ],
)
def test_only_this_computer_unless_allowed(text: str, near: bool, told: Told) -> None:
    """An address beyond this computer is refused, unless remote ones are allowed on purpose."""
    address = parse_address(text)
    check_near(address, allow_remote=True)
    if near:
        check_near(address, allow_remote=False)
    else:
        with told.raises(InvalidInput):
            check_near(address, allow_remote=False)


@pytest.mark.parametrize("text", ["embedded", "java"])
def test_what_is_made_cannot_be_dialled(text: str) -> None:
    """An address of something that must be started first cannot be dialled, and the error says what starts it."""
    with pytest.raises(InvalidInput, match=r"connect\(\)"):
        dial(text)
