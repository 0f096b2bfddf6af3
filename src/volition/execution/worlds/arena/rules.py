"""The constants of the arena, shared by all of its implementations.

Lengths are milli-tiles (1000 to a tile), times are ticks, everything is an integer. `RULES_VERSION` changes with every
change of a number here or of a rule of the arena, and so does the golden trace.
"""

from __future__ import annotations

RULES_VERSION = 3

TILE = 1000
TICK_MS = 50
LARGEST_MAP = 64
"""Tiles along either side of a map."""
FARTHEST = 1000
"""Tiles: a larger component of a MOVE vector leads off any map."""
LARGEST_SEED = 2**53 - 1

HEALTH = 100
STAMINA = 100

WALK_SPEED = 200
GUARD_SPEED = 100
"""Milli-tiles per tick of a MOVE, without and with HOLD."""
MOVE_HORIZON = 40

ATTACK_REACH = 1500
ATTACK_DAMAGE = 25
ATTACK_COST = 20
ATTACK_COOLDOWN = 10

DASH_SPEED = 400
DASH_TICKS = 3
EVADE_COST = 30
EVADE_COOLDOWN = 20

AIR_TICKS = 8
RISE = 50
"""Height in tick k of a jump: RISE * k * (AIR_TICKS - k)."""
JUMP_COST = 15
JUMP_COOLDOWN = 10

HAZARD_DAMAGE = 2
"""Health lost in every tick that ends with the actor on the ground of a hazard."""
DOWN_TICKS = 20
"""From the actor's death to the next episode."""

PATROL_SPEED = 100
CHASE_SPEED = 150
SIGHT = 6000
STRIKE_FROM = 1000
"""The opponent winds up at this distance or less."""
STRIKE_REACH = 1200
"""The strike lands if the actor is still this close."""
STRIKE_DAMAGE = 20
GUARDED_DAMAGE = 5
WINDUP_TICKS = 6
RECOVER_TICKS = 11
RECOVER_SPREAD = 8
"""A recovery takes RECOVER_TICKS, and chance adds less than RECOVER_SPREAD."""
RETURN_TICKS = 60
"""From the opponent's defeat to its return."""

SIGHT_PARTS = 32
"""A line of sight is sampled in this many parts."""
