"""A corpus of command lines with the verdict that each should get, and a scene in which a guard is tried with them."""
