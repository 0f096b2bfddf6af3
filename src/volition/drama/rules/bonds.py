"""Bonds in the score: how trust, affection and obligation towards a person affect an act (specification 3.4)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from volition.drama.rules.catalog import CHAT, CONFIDE, CONFLICT, LIE, REVEAL
from volition.drama.rules.leaf import leaf

if TYPE_CHECKING:
    from volition.drama.rules.tables import Bonds


def bond_pull(act: int, trust: float, affection: float, obligation: float, bonds: Bonds) -> float:
    """What the bond with one addressed person adds to an act: a sum of leaves."""
    if act == CHAT:
        return leaf(affection * bonds.chat_affection)
    if act == CONFIDE:
        return leaf(trust * bonds.confide_trust) + leaf(obligation * bonds.confide_obligation)
    if act == CONFLICT:
        return leaf(trust * bonds.conflict_trust) + leaf(affection * bonds.conflict_affection)
    if act == REVEAL:
        return leaf(trust * bonds.reveal_trust)
    if act == LIE:
        return leaf(trust * bonds.lie_trust) + leaf(affection * bonds.lie_affection)
    return 0.0
