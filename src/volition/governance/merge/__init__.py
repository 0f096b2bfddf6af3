"""Merging the plans that are kept: the merged plan, the order of its commands, and the losses."""
