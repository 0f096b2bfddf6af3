"""Genres: the weights of the components of tension in different kinds of story."""

from __future__ import annotations

from math import fsum
from typing import TYPE_CHECKING, Final, NamedTuple

from volition.core.errors import check_known
from volition.drama.rules.leaf import leaf

if TYPE_CHECKING:
    from collections.abc import Mapping


class Components(NamedTuple):
    """One number for each of the eight components of tension: its value, 0 to 1, or its weight."""

    danger: float
    time_pressure: float
    goal_frustration: float
    relationship_volatility: float
    information_gap: float
    resource_scarcity: float
    moral_cost: float
    irony_density: float


GENRES: Final[Mapping[str, Components]] = {
    "default": Components(1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0),
    "thriller": Components(2.5, 2.0, 1.0, 0.5, 1.5, 1.5, 0.5, 1.0),
    "relationship": Components(0.3, 0.5, 1.5, 2.5, 1.0, 0.5, 2.0, 1.5),
    "mystery": Components(1.0, 1.0, 0.5, 0.5, 2.5, 0.3, 1.0, 2.0),
}
"""The weights of each genre."""


def weights_of(genre: str) -> Components:
    """The weights of a genre by its name.

    >>> weights_of("thriller").danger
    2.5
    """
    return GENRES[check_known("genre", genre, GENRES, where="genre")]


def weighted_mean(components: Components, weights: Components) -> float:
    """The weighted mean of the components, a leaf; the weights are not all 0.

    >>> weighted_mean(Components(1, 0, 0, 0, 0, 0, 0, 0), GENRES["default"])
    0.125
    """
    total = sum(leaf(value * weight) for value, weight in zip(components, weights, strict=True))
    return leaf(total / fsum(weights))


def shares(components: Components, weights: Components) -> Components:
    """The contribution of each component to that mean; their sum is the mean.

    >>> shares(Components(1, 0, 0, 0, 0, 0, 0, 1), GENRES["thriller"]).danger
    0.23809523809523808
    """
    total = fsum(weights)
    return Components(*(value * weight / total for value, weight in zip(components, weights, strict=True)))
