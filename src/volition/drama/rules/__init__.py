"""The specification's formulas, each once, as pure functions that Python and a compiler read alike."""
