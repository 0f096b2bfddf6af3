"""Who the studio acts as: the person who started it, by the name and the key that the command line would use.

A registry signs what is done, so without a key the studio looks at a registry and does nothing in it. It makes no key: the
command line does, where a person sees it. A locked key is opened when the studio starts, in its terminal.
"""

from __future__ import annotations

import getpass
import os
from typing import TYPE_CHECKING, Final

from volition.core.errors import MissingPart, NotPossible, Problem, VolitionError
from volition.core.extras import require
from volition.core.names import is_readable_name
from volition.core.signing import has_key, is_own_key_locked, own_signer
from volition.studio.errors import NotAllowed

if TYPE_CHECKING:
    from volition.core.signing import Signer

VARIABLE: Final = "VOLITION_HOLDER"
"""The environment variable with the name of a person, where it is not that of the user."""
_WHERE: Final = "the key of this user"


class StudioActor:
    """The person as whom the studio acts; `name` is empty where the user has none that can be read."""

    def __init__(self) -> None:
        name = os.environ.get(VARIABLE) or _user_name()
        self.name = name if is_readable_name(name) else ""
        self._signer: Signer | None = None
        self._is_agent = False

    def be_nobody(self) -> None:
        """Act as nobody: in the session of an agent, which does nothing in a person's name, and signs nothing with their key."""
        self.name, self._is_agent = "", True

    def open_key(self) -> None:
        """Open the key if there is one, which may ask for its passphrase at the terminal; without a terminal it stays locked, and one
        that cannot be read is told of on the pages."""
        if has_key() and not self._is_agent:
            try:
                self._signer = own_signer()
            except (NotPossible, MissingPart):
                return

    def signer(self) -> Signer:
        """The key that signs what the studio does; NotAllowed says how to get one."""
        if (problem := self.problem()) is not None:
            raise NotAllowed(problem)
        assert self._signer is not None
        return self._signer

    def own_signer(self) -> Signer | None:
        """The key that signs what needs none: answers to saved evaluations, and forks. None where this user has no key; NotAllowed
        where there is one and it cannot be used: who has a key does nothing unsigned."""
        return self.signer() if self._may_sign() else None

    def folder_problem(self) -> Problem | None:
        """Why the studio may not act in its folder: without a key it may, and with one it has to be able to sign."""
        return self.problem() if self._may_sign() or not self.name else None

    def _may_sign(self) -> bool:
        """Whether there is a key, and a person."""
        return not self._is_agent and (self._signer is not None or has_key())

    def problem(self) -> Problem | None:
        """Why the studio may not act in a registry, and what to do about it; None where it may."""
        if self._is_agent:
            what, remedy = "this is the session of an agent, which is not a person", "ask a person to start the studio"
            return Problem(what, "who started the studio", "a person's shell", remedy)
        if not self.name:
            what, remedy = "the name of this user is blank, or has letters that cannot be seen", f"set {VARIABLE}"
            return Problem(what, VARIABLE, "a name that can be read", f"{remedy}, and start the studio again")
        if self._signer is None and not has_key():
            remedy = "make one: volition team key; then load this page again"
            return Problem("this user has no key to sign with", _WHERE, "a key, which signs what you do", remedy)
        try:
            require("cryptography")
        except MissingPart as error:
            return error.problems[0]
        try:
            if self._signer is None and is_own_key_locked():
                remedy = "start the studio in a terminal, and type the passphrase there"
                return Problem("the key of this user is locked", _WHERE, "a key that was unlocked", remedy)
            self._signer = self._signer or own_signer()
        except (VolitionError, OSError):
            return Problem("the key of this user cannot be read", _WHERE, "a private key", "see volition team key")
        return None


def belongs_to_another(name: str) -> Problem:
    """The problem of a name that a registry knows with another key than this user's."""
    remedy = "act in another name with VOLITION_HOLDER, or bring that key here and name its file in VOLITION_KEY"
    return Problem(f"the name {name!r} belongs to another key", _WHERE, "the key of this name", remedy)


def _user_name() -> str:
    try:
        return getpass.getuser()
    except (OSError, KeyError):
        return ""
