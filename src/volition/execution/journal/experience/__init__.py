"""Experience from journals in the formats of offline learning and data tools: Minari and Parquet."""

from __future__ import annotations

from volition.execution.journal.experience.episodes import Episode, read_episodes
from volition.execution.journal.experience.minari_export import Dataset, export_minari
from volition.execution.journal.experience.parquet_export import export_parquet

__all__ = ["Dataset", "Episode", "export_minari", "export_parquet", "read_episodes"]
