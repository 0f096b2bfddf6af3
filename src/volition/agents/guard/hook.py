"""The hook: one event on stdin, one answer. Whatever fails here is an objection: exit code 2, with a reason.

Exit codes: 0, no objection; 2, an objection, and the reason is on stderr. There is no third one. The installed command
turns everything else (no interpreter, a kill, a hang) into 2.
"""

from __future__ import annotations

import os
import sys
import time

from volition.agents.guard.early import ask_early
from volition.agents.guard.event import HookAnswer, HookEvent, MalformedEvent, Moment
from volition.agents.guard.lean import TYPE_CHECKING, read_json
from volition.agents.guard.setting import GuardFailure, read_setting

if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import FrameType
    from typing import Any, Final

    from volition.agents.guard.git import StatusAsked


PATIENCE: Final = 10
"""Seconds after which the guard gives up on itself; the clients wait longer, and would then go on."""
LARGEST: Final = 64 * 2**20
OBJECTION: Final = 2


class OutOfTime(Exception):
    """The guard took too long for a verdict."""


def main(arguments: Sequence[str]) -> int:
    """Answer the event on stdin; `arguments` are the guard's folder and the client."""
    try:
        _set_alarm()
        home, name = arguments
        content = sys.stdin.buffer.read(LARGEST + 1)
        given = answer_event(home, name, content)
        _print(given)
    except BaseException as error:  # noqa: BLE001  an interruption is not a verdict either
        _print(HookAnswer(OBJECTION, err=_no_verdict(error)))
        return OBJECTION
    return given.code


def answer_event(home: str, client_name: str, content: bytes) -> HookAnswer:
    """The answer to one event of a client; a failure of any kind is an objection, and is recorded where it can be."""
    moment: Moment = "before"
    event: HookEvent | None = None
    asked: StatusAsked | None = None
    try:
        said = _parse(content)
        asked = ask_early(said, home)
        from volition.agents.guard.clients import client_of  # git reads the worktree meanwhile

        client = client_of(client_name)
        event = client.read(said)
        moment = event.moment
        from volition.agents.guard.handling import handle  # malformed input needs none of it

        objection = handle(read_setting(home), client_name, event, asked)
    except Exception as error:  # noqa: BLE001  every failure is a no
        from volition.agents.guard.clients import CLIENTS, client_of

        objection = _no_verdict(error)
        _record_failure(home, client_name, event, content, objection)
        if client_name not in CLIENTS:
            return HookAnswer(OBJECTION, err=objection)
        client = client_of(client_name)
        if event is not None and event.moment == "end" and event.again:
            objection = ""
    finally:
        if asked is not None:
            asked.drop()
    return client.answer(moment, objection)


def _parse(content: bytes) -> Any:
    if len(content) > LARGEST:
        raise MalformedEvent(f"the input is longer than {LARGEST} bytes")
    try:
        return read_json(content)
    except (ValueError, RecursionError) as error:
        raise MalformedEvent(f"the input is not JSON ({error})") from None


def _no_verdict(error: BaseException) -> str:
    if isinstance(error, MalformedEvent):
        return f"volition: the guard does not understand this event, so no: {error}. Run: volition agents doctor"
    if isinstance(error, GuardFailure):
        return f"volition: the guard cannot judge this, so no: {error}"
    if isinstance(error, OutOfTime):
        return f"volition: the guard had no verdict after {PATIENCE} s, so no. Run: volition agents doctor"
    return f"volition: the guard failed, so no: {type(error).__name__}: {error}. Run: volition agents doctor"


def _record_failure(home: str, client: str, event: HookEvent | None, content: bytes, reason: str) -> None:
    from volition.agents.guard import journal

    said: dict[str, Any] = {"at": int(time.time() * 1000), "client": client, "what": "failure", "reasons": [reason]}
    if event is not None:
        said |= {"moment": event.moment, "session": event.session, "agent": event.agent, "tool": event.tool}
        said |= {"folder": event.folder, "text": event.text[: journal.LONGEST], "targets": list(event.files[:50])}
    else:
        said["text"] = content[: journal.LONGEST].decode(errors="replace")
    try:
        journal.append(home, said)
    except GuardFailure:
        return


def _set_alarm() -> None:
    try:
        import _signal as signal  # type: ignore[import-not-found]  # `signal` makes enumerations of its numbers, which takes 4 ms
    except ImportError:  # another Python
        import signal

    def give_up(number: int, frame: FrameType | None) -> None:
        raise OutOfTime

    signal.signal(signal.SIGALRM, give_up)
    signal.setitimer(signal.ITIMER_REAL, PATIENCE)


def _print(given: HookAnswer) -> None:
    """Print an answer; a name that is not text is shown with escapes."""
    for stream, said in ((1, given.out), (2, given.err)):
        if said:
            os.write(stream, (said + "\n").encode(errors="backslashreplace"))
