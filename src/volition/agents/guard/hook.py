"""The hook: one event on stdin, one answer. Whatever fails here is an objection: exit code 2, with a reason.

Exit codes: 0, no objection; 2, an objection, and the reason is on stderr. There is no third one. The installed command
turns everything else (no interpreter, a kill, a hang) into 2.
"""

from __future__ import annotations

import os
import sys
import time

from volition.agents.guard.clients import (
    CLIENTS,
    OBJECTION,
    HookAnswer,
    HookEvent,
    MalformedEvent,
    Moment,
    client_of,
)
from volition.agents.guard.git import StatusRequest
from volition.agents.guard.lean import TYPE_CHECKING, read_json
from volition.agents.guard.setting import GuardFailure, read_setting

if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import FrameType
    from typing import Any, Final

PATIENCE: Final = 10
"""Seconds after which the guard gives up on itself; the clients wait longer, and would then go on."""
LARGEST: Final = 64 * 2**20


class OutOfTime(Exception):
    """The guard took too long for a verdict."""


def main(arguments: Sequence[str]) -> int:
    """Answer the event on stdin; `arguments` are the guard's folder and the client."""
    try:
        _set_alarm()
        home, name = arguments
        answer = answer_event(home, name, sys.stdin.buffer.read(LARGEST + 1))
        _print(answer)
    except BaseException as error:  # noqa: BLE001  an interruption is not a verdict either
        _print(HookAnswer(OBJECTION, err=_no_verdict(error)))
        return OBJECTION
    return answer.code


def answer_event(home: str, client_name: str, content: bytes) -> HookAnswer:
    """The answer to one event of a client; a failure of any kind is an objection, and is recorded where it can be."""
    moment: Moment = "before"
    event: HookEvent | None = None
    status: StatusRequest | None = None
    try:
        event = client_of(client_name).read(_parse(content))
        moment = event.moment
        status = ask_status(event, home)
        from volition.agents.guard.handling import handle  # git reads the worktree meanwhile

        objection = handle(read_setting(home), client_name, event, status)
    except Exception as error:  # noqa: BLE001  every failure is a no
        objection = _no_verdict(error)
        _record_failure(home, client_name, event, content, objection)
        if client_name not in CLIENTS:
            return HookAnswer(OBJECTION, err=objection)
        if event is not None and event.moment == "end" and event.again:
            objection = ""
    finally:
        if status is not None:
            status.drop()
    return client_of(client_name).answer(moment, objection)


def ask_status(event: HookEvent, home: str) -> StatusRequest | None:
    """Let git read the worktree around an event, if it will be looked at: it does so while the rest of the guard is imported, and
    neither waits for the other. Before a call git is not asked where nothing can have changed."""
    if event.kind in {"read", "plan"} or "\0" in event.folder:
        return None
    if event.moment == "after" and event.kind in {"write", "patch"}:
        return None
    folder = os.path.realpath(event.folder)
    while folder != "/" and not os.path.lexists(os.path.join(folder, ".git")):
        folder = os.path.dirname(folder)
    if folder == "/":
        return None
    return StatusRequest(folder, still=event.moment == "before" and _is_still(home, folder))


def _is_still(home: str, tree: str) -> bool:
    from volition.agents.guard.tree import is_still  # after a call git is at work before this is imported

    try:
        return is_still(tree, os.path.realpath(home))
    except GuardFailure:
        return False  # the look itself says what is wrong


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

    entry: dict[str, Any] = {"at": int(time.time() * 1000), "client": client, "what": "failure", "reasons": [reason]}
    if event is not None:
        entry |= {"moment": event.moment, "session": event.session, "agent": event.agent, "tool": event.tool}
        entry |= {"folder": event.folder, "text": event.text[: journal.LONGEST], "targets": list(event.files[:50])}
    else:
        entry["text"] = content[: journal.LONGEST].decode(errors="replace")
    try:
        journal.append(home, entry)
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


def _print(answer: HookAnswer) -> None:
    """Print an answer; a name that is not text is shown with escapes."""
    for stream, text in ((1, answer.out), (2, answer.err)):
        if text:
            os.write(stream, (text + "\n").encode(errors="backslashreplace"))
