"""The laws of an evening, written once: interpreted over plain records, or compiled over packed ones.

A tick runs in this order, a module each: `breaking`, `perceive`, `choose` (with `quiet` and `dramatic` acts), `resolve`,
`acts` (with `quarrel`, `learning`, `stance`), `happening`, `settle`, `service`, `ending`; `tick` puts them together.
`many` plays evenings one after the other, and `deciding` asks for choices alone. The numbers of an evening are read
while it is played: `look` from every decision, `measure` and `tension` (by the formulas of `components`) from the log.
People, rooms, secrets, needs and acts are numbers: places in the scenario. Sets of them are ints, a bit for each:
`1 << who` is the set of one, and `has(people, who)` asks whether `who` is in a set.

The laws keep to the part of Python that Numba compiles: numbers only, one type for each variable, attributes and
chained indices of records, no closures and no exceptions. State updates are not leaves, so the order of their
operations is law; scores are sums of leaves, and theirs is free.
"""
