"""Experience as a Minari dataset (hdf5), for offline reinforcement learning."""

from __future__ import annotations

import re
import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from volition.core.errors import refuse
from volition.core.extras import require
from volition.core.typed import DataStruct
from volition.execution.journal.experience.episodes import Episode, read_episodes
from volition.execution.journal.experience.observations import Columns
from volition.execution.journal.reward import LABELS
from volition.execution.wire.intents import CANONICAL
from volition.execution.wire.results import FAILURE_REASONS, STATUSES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from os import PathLike

    from minari.data_collector import EpisodeBuffer

INTENTS: Final = (*CANONICAL, "OTHER")
"""What an action's `intent` indexes; OTHER is every request that was not a canonical intent."""

_ID: Final = re.compile(r"(?:[A-Za-z0-9_]+/)*[A-Za-z0-9_]+(?:-[A-Za-z0-9_]+)*-v[0-9]+")


class Dataset(DataStruct, frozen=True):
    """The dataset `id`, written under `folder`, which is a root of Minari datasets."""

    folder: Path
    id: str
    episodes: int
    steps: int
    observations: tuple[str, ...]
    left_out: tuple[str, ...]


def export_minari(
    journal: str | PathLike[str],
    folder: str | PathLike[str],
    *,
    id: str = "volition/journal-v0",
    progress: Callable[[int], None] | None = None,
) -> Dataset:
    """Write the policy's own attempts as a Minari dataset, completely or not at all, and never over another one.

    `folder` is a root of datasets: with `MINARI_DATASETS_PATH` set to it, `minari.load_dataset(id)` finds the dataset.
    An observation is a row of numbers, named by the metadata's `volition.observations`; an action is an intent and a
    vector; failures, intercepted and timed-out attempts are steps like any other. `progress` is told each number of
    steps written.
    """
    require("minari", "h5py", "PIL")
    from minari.dataset.minari_storage import MinariStorage  # noqa: PLC0415  an extra
    from minari.utils import __version__ as minari_version  # noqa: PLC0415

    if _ID.fullmatch(id) is None:
        refuse(
            f"{id!r} is not a dataset id", where="id", expected="NAME-vN or GROUP/NAME-vN", remedy="as in 'arena-v0'"
        )
    # Minari resolves its data from the root of the file system, so the folder must be absolute.
    root = Path(folder).absolute()
    target = root / id
    if target.exists():
        refuse(
            "there already is a dataset", where=str(target), expected="a new one", remedy="give another id or folder"
        )
    columns = Columns.of(_observations(journal))
    counts = _Counts(progress)
    root.mkdir(parents=True, exist_ok=True)
    draft = Path(tempfile.mkdtemp(prefix=".volition-", dir=root))
    try:
        data = draft / "data"
        observations, actions = _spaces(columns)
        storage = MinariStorage.new(data, observation_space=observations, action_space=actions, data_format="hdf5")
        storage.update_metadata({"dataset_id": id, "minari_version": minari_version, **_metadata(columns)})
        storage.update_episodes(_buffers(journal, columns, counts))
        if not counts.steps:
            refuse(
                "no attempt in the journal was decided by a policy in a known state",
                where=str(journal),
                expected="something to learn from",
                remedy="`volition journal summary` shows what it holds",
            )
        draft.chmod(0o755)
        target.parent.mkdir(parents=True, exist_ok=True)
        draft.rename(target)
    finally:
        shutil.rmtree(draft, ignore_errors=True)
    return Dataset(root, id, counts.episodes, counts.steps, columns.names, columns.left_out)


class _Counts:
    def __init__(self, progress: Callable[[int], None] | None) -> None:
        self.episodes = self.steps = 0
        self._progress = progress

    def add(self, steps: int) -> None:
        self.episodes += 1
        self.steps += steps
        if self._progress is not None:
            self._progress(self.steps)


def _observations(journal: str | PathLike[str]) -> Iterator[Any]:
    for episode in read_episodes(journal):
        for step in episode.steps:
            assert step.state is not None, "an episode has a state for each step"
            yield step.state.data
        yield episode.final.data


def _spaces(columns: Columns) -> tuple[Any, Any]:
    """The spaces of observations and of actions."""
    from gymnasium.spaces import Box, Dict, Discrete  # noqa: PLC0415  an extra

    row, vector = (Box(-np.inf, np.inf, shape=(length,), dtype=np.float64) for length in (len(columns.names), 3))
    return row, Dict({"intent": Discrete(len(INTENTS)), "vector": vector})


def _metadata(columns: Columns) -> dict[str, Any]:
    return {
        "description": "Attempts of a policy, recorded by volition.",
        "volition": {
            "observations": list(columns.names),
            "texts": {name: list(texts) for name, texts in columns.texts.items()},
            "left_out": list(columns.left_out),
            "intents": list(INTENTS),
            "labels": list(LABELS),
            "statuses": list(STATUSES),
            "failure_reasons": list(FAILURE_REASONS),
        },
    }


def _buffers(journal: str | PathLike[str], columns: Columns, counts: _Counts) -> Iterator[EpisodeBuffer]:
    for episode in read_episodes(journal):
        yield _buffer(counts.episodes, episode, columns)
        counts.add(len(episode.steps))


def _buffer(number: int, episode: Episode, columns: Columns) -> EpisodeBuffer:
    from minari.data_collector import EpisodeBuffer  # noqa: PLC0415  an extra

    attempts = [step.attempt for step in episode.steps]
    states = [step.state.data for step in episode.steps if step.state is not None]
    last = [False] * (len(attempts) - 1)
    return EpisodeBuffer(
        id=number,
        observations=np.stack([columns.row(data) for data in (*states, episode.final.data)]),
        actions={
            "intent": np.array([_intent(attempt.requested.intent) for attempt in attempts], dtype=np.int64),
            "vector": np.array([_vector(attempt.requested.parameters) for attempt in attempts], dtype=np.float64),
        },
        rewards=[attempt.reward for attempt in attempts],
        terminations=[*last, episode.terminated],
        truncations=[*last, not episode.terminated],
        infos={
            "run": np.full(len(attempts), episode.run, dtype=np.int64),
            "ticket": np.array([attempt.ticket for attempt in attempts], dtype=np.int64),
            "label": np.array([LABELS.index(attempt.label) for attempt in attempts], dtype=np.int64),
            "status": np.array([STATUSES.index(attempt.result.status) for attempt in attempts], dtype=np.int64),
            "failure_reason": np.array(
                [FAILURE_REASONS.index(attempt.result.failure_reason) for attempt in attempts], dtype=np.int64
            ),
            "sent": np.array([attempt.sent is not None for attempt in attempts], dtype=np.int64),
            "elapsed_us": np.array([attempt.elapsed_us for attempt in attempts], dtype=np.int64),
        },
    )


def _intent(name: str) -> int:
    return INTENTS.index(name if name in CANONICAL else "OTHER")


def _vector(parameters: Any) -> tuple[float, float, float]:
    """A MOVE's vector; zeros where there is none that could have been sent."""
    match parameters:
        case {"vector": [int() | float() as x, int() | float() as y, int() | float() as z]}:
            return float(x), float(y), float(z)
    return 0.0, 0.0, 0.0
