"""Notifications: a command or an address of the user's choice hears of questions, permits that are wanted, held flows and ends.

Each is delivered once, also over restarts: the number of the last event that was delivered is in a small file, which processes
on one machine share. It is written after the delivery, so a crash in between delivers that one again, under the same number.
A target that fails is tried again after a pause, and those that follow wait for it: the order is that of the events.
"""

from __future__ import annotations

import contextlib
import os
import random
import shlex
import subprocess
from hashlib import sha256
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Any, Final, Protocol
from urllib.error import URLError
from urllib.parse import urlsplit
from urllib.request import Request, urlopen

import msgspec
import orjson
from msgspec import Struct
from sqlalchemy import func, select

from volition.core.errors import refuse
from volition.core.folder import replace_file
from volition.workflow.flow.worker import BackOff
from volition.workflow.store.database import StoreUnavailable
from volition.workflow.store.events import moment, read_event, select_events
from volition.workflow.store.tables import EVENT, PROJECT

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from threading import Event

    from volition.workflow.store.address import StoreAddress
    from volition.workflow.store.events import RecordedEvent
    from volition.workflow.team.team import Team

KINDS: Final = {
    "asked": "question",
    "judged": "permit wanted",
    "held": "held",
    "done": "done",
    "void": "void",
    "abandoned": "abandoned",
    "nothing to do": "refused",
}
"""The events that are told, and what they are called."""
COMMAND_LIMIT: Final = 30.0
"""Seconds that a command may take."""
ANSWER_LIMIT: Final = 10.0
"""Seconds that an address may take to answer."""


class NotDeliveredError(Exception):
    """A target did not take a notification; the text says why."""


class NotificationTarget(Protocol):
    """Who hears of it. `name` tells targets apart."""

    name: str

    def deliver(self, content: bytes) -> None:
        """Deliver JSON; NotDeliveredError if it was not taken."""
        ...


class NotifiedCommand:
    """A program that reads the JSON from its standard input; no shell is involved."""

    def __init__(self, line: str) -> None:
        self.name = f"command {line}"
        try:
            self._words = shlex.split(line)
        except ValueError:
            self._words = []
        if not self._words:
            refuse(
                f"{line!r} is not a command", where="--notify-command", expected="a program and its arguments",
                remedy="quote it for your shell",
            )  # fmt: skip

    def deliver(self, content: bytes) -> None:
        try:
            process = subprocess.run(  # noqa: S603  the user's own command
                self._words, input=content, capture_output=True, timeout=COMMAND_LIMIT, check=False
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            raise NotDeliveredError(str(error)) from None
        if process.returncode:
            reason = process.stderr.decode(errors="replace").strip().partition("\n")[0]
            raise NotDeliveredError(f"it ended with {process.returncode}{reason and ': '}{reason}")


class NotifiedAddress:
    """An HTTP address that takes the JSON as a POST, and answers with a code from 200 to 299."""

    def __init__(self, url: str) -> None:
        self.name = f"address {url}"
        self._url = url
        if urlsplit(url).scheme not in {"http", "https"} or not urlsplit(url).hostname:
            refuse(
                f"{url!r} is not an address",
                where="--notify-url",
                expected="http:// or https://",
                remedy="write it out",
            )

    def deliver(self, content: bytes) -> None:
        request = Request(self._url, content, {"Content-Type": "application/json"}, method="POST")  # noqa: S310  checked above
        try:
            with urlopen(request, timeout=ANSWER_LIMIT):  # noqa: S310  checked above
                pass
        except (URLError, OSError, ValueError) as error:
            raise NotDeliveredError(str(error)) from None


class Notification(Struct, frozen=True):
    """What a target hears. `event` is the number of the event: whoever gets it twice may drop the second."""

    event: int
    project: str
    registry: str
    kind: str
    flow: str
    by: str
    at: str
    why: str

    @classmethod
    def of(cls, event: RecordedEvent, project: str, registry: str) -> Notification:
        """The notification for an event."""
        why = event.body.get("why", "")
        return cls(event.seq, project, registry, KINDS[event.what], event.subject, event.actor, moment(event.at), why)


class Notifier:
    """Tells one target of the events of a team's project, from its first look on. For one thread, with a separate `Team`."""

    def __init__(
        self,
        team: Team,
        target: NotificationTarget,
        *,
        place: Path | None = None,
        back_off: BackOff | None = None,
        clock: Callable[[], float] = monotonic,
        chance: Callable[[], float] = random.random,
    ) -> None:
        self.team, self.target = team, target
        self._place = place or notified_file(team.store.address)
        self._key = f"{team.project} {sha256(target.name.encode()).hexdigest()[:16]}"
        self._back_off, self._clock, self._chance = back_off or BackOff(), clock, chance
        self._failures, self._after = 0, 0.0
        with self._hold_lock() as held:
            if held and self._key not in self._read():
                self._write(*self._now())

    def run(self, stop: Event, tell: Callable[[str], None], *, poll: float = 1.0) -> None:
        """Tell of everything, until the event is set and once more then; `tell` hears of what could not be delivered."""
        while True:
            last = stop.is_set()
            if why := self.deliver():
                tell(f"{self.target.name}: {why}; again in {max(0.0, self._after - self._clock()):.0f} s")
            if last:
                return
            stop.wait(poll)

    def deliver(self) -> str:
        """Deliver what is due, in order; why it stopped, if something was not taken."""
        if self._clock() < self._after:
            return ""
        try:
            with self._hold_lock() as held:
                for note in self._due() if held else ():
                    self.target.deliver(msgspec.json.encode(note))
                    self._write(note.event, self._now()[1])
        except (NotDeliveredError, StoreUnavailable, OSError) as error:
            self._failures += 1
            self._after = self._clock() + self._back_off.pause(self._failures, self._chance())
            return error.problems[0].what if isinstance(error, StoreUnavailable) else str(error)
        self._failures = 0
        return ""

    def _due(self) -> list[Notification]:
        store, project = self.team.store, self.team.project
        mine = EVENT.c.project == project
        seq, epoch = self._read().get(self._key, (0, 0))
        with store.read() as connection:
            if epoch != self._epoch(connection):
                # After a backup was restored, numbers that were delivered belong to other events.
                wanted = select(func.max(EVENT.c.seq)).where(mine, EVENT.c.what == "restored")
                seq = connection.execute(wanted).scalar() or 0
            rows = select(EVENT).where(mine, EVENT.c.seq > seq, EVENT.c.what.in_(KINDS)).order_by(EVENT.c.seq)
            events = map(read_event, select_events(connection, rows))
            return [Notification.of(event, project, str(store.address)) for event in events]

    def _now(self) -> tuple[int, int]:
        """The number of the last event, and the epoch."""
        with self.team.store.read() as connection:
            wanted = select(PROJECT.c.seq, PROJECT.c.epoch).where(PROJECT.c.project == self.team.project)
            project = connection.execute(wanted).first()
        return (project.seq, project.epoch) if project is not None else (0, 0)

    def _epoch(self, connection: Any) -> int:
        epoch = connection.execute(select(PROJECT.c.epoch).where(PROJECT.c.project == self.team.project)).scalar()
        return int(epoch or 0)

    def _read(self) -> dict[str, tuple[int, int]]:
        try:
            places = orjson.loads(self._place.read_bytes())
            return {str(key): (int(seq), int(epoch)) for key, (seq, epoch) in places.items()}
        except (OSError, ValueError, AttributeError, TypeError):
            return {}

    def _write(self, seq: int, epoch: int) -> None:
        replace_file(self._place, orjson.dumps(self._read() | {self._key: (seq, epoch)}))

    @contextlib.contextmanager
    def _hold_lock(self) -> Iterator[bool]:
        """Whether this process may deliver now: one at a time does."""
        import fcntl  # noqa: PLC0415  not there on every system

        self._place.parent.mkdir(parents=True, exist_ok=True)
        with self._place.with_name(f"{self._place.name}.lock").open("wb") as file:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                yield False
            else:
                yield True


def notified_file(address: StoreAddress) -> Path:
    """Where it is kept what was delivered: beside the registry's file or, for a server, in the user's cache."""
    if address.kind == "sqlite":
        return Path(f"{address.place}.notified.json")
    cache = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return Path(cache) / "volition" / f"{sha256(str(address).encode()).hexdigest()[:24]}.notified.json"
