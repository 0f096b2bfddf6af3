"""A flow: plans that are judged together, asked about, approved, and carried out node by node."""
