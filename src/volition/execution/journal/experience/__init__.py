"""Experience from journals in the formats of offline learning and data tools: Minari and Parquet."""
