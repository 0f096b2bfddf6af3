"""The law of a registry: for every kind of event who may do it, when, from which state, and which rows follow from it.

A transaction lets nothing happen that the law refuses, and writes no row that does not follow from an event. Verification lets all
events happen again, from the first one, by the same law, and compares the rows.
"""
