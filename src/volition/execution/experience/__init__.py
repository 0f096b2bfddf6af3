"""What a journal taught, in the formats of offline learning and of data tools: Minari and Parquet."""

from __future__ import annotations

from volition.execution.experience.episodes import Episode, read_episodes
from volition.execution.experience.minari_export import Dataset, export_minari
from volition.execution.experience.parquet_export import export_parquet

__all__ = ["Dataset", "Episode", "export_minari", "export_parquet", "read_episodes"]
