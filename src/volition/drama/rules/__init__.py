"""The specification's formulas, each defined once, as pure functions that both Python and Numba can run."""
