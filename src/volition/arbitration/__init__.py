"""One mind choosing: filter, aggregate, tie-break, explain."""
