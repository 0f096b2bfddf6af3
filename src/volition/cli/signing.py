"""Who signs at the command line, outside any registry, and whose signatures count there.

This user signs, or the agents in whose session a command runs. Whoever has a key signs with it, unless a command says otherwise;
no key is made here, and without one nothing is signed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, TypeVar

import click

from volition.cli.options import by_option

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from volition.core.signing import Signer
    from volition.governance.documents.packs import AnswerPack

    C = TypeVar("C", bound=Callable[..., Any])

BEGINNING: Final = 16
"""How much of a public key is shown."""
known_keys_option = click.option(
    "--key",
    "keys",
    type=(str, str),
    metavar="NAME PUBLIC",
    multiple=True,
    help="Count signed answers of these names and keys alone; may be repeated.",
)


class CommandSigner:
    """The name and the key with which a command signs; `why_not` says why it has no key."""

    def __init__(self, by: str, signer: Signer | None, why_not: str = "") -> None:
        self.by = by
        self.signer = signer
        self.why_not = why_not

    def __str__(self) -> str:
        if self.signer is None:
            return f"not signed: {self.why_not}"
        return describe_signature(self.by, self.signer.public)


def describe_signature(by: str | None, key: str | None) -> str:
    """Who signed something, in words.

    >>> describe_signature("ann", "0f6e1b33d58a02c4" * 4), describe_signature(None, None)
    ('signed by ann with the key 0f6e1b33d58a02c4...', 'not signed')
    """
    return "not signed" if key is None else f"signed by {by} with the key {key[:BEGINNING]}..."


def signing_options(command: C) -> C:
    """Give a command the options that say who signs, and whether."""
    unsigned = click.option("--unsigned", is_flag=True, help="Sign nothing, though there is a key.")
    return by_option(unsigned(command))


def find_signer(by: str, *, unsigned: bool = False) -> CommandSigner:
    """Who signs what a command does. NotPossible if the key is locked, and nobody can type; InvalidInput if the name cannot be read."""
    from volition.agents.persons import agent_around
    from volition.core.errors import refuse
    from volition.core.names import is_readable_name
    from volition.core.signing import agents_signer, has_agents_key, has_key, own_signer

    if unsigned:
        return CommandSigner(by, None, "--unsigned")
    session = agent_around()
    if session is not None:
        if not session.id or not has_agents_key():
            return CommandSigner(by, None, "this is the session of an agent that has no name or key")
        return CommandSigner(f"{by.partition('@')[0]}@{session.id}", agents_signer())
    if not has_key():
        return CommandSigner(by, None, "this user has no key; volition team key makes one")
    if not is_readable_name(by):
        refuse(
            f"the name {by!r} is blank, or has letters that cannot be seen",
            where="--by",
            expected="a name that can be read",
            remedy="say who you are with --by or VOLITION_HOLDER",
        )
    return CommandSigner(by, own_signer())


def keys_of(pairs: Sequence[tuple[str, str]]) -> dict[str, set[str]]:
    """Name -> its public keys, as they are given with --key."""
    keys: dict[str, set[str]] = {}
    for name, public in pairs:
        keys.setdefault(name, set()).add(public.lower())
    return keys


def signer_of(pack: AnswerPack) -> tuple[str | None, str | None]:
    """The name and the key that signed an answer; None where it is not signed."""
    return (None, None) if pack.signature is None else (pack.signature.by, pack.signature.key)
