"""The algebra of claims: whether two of them meet, and whether one covers the other.

A claim is about paths and, in each, a part: both are in its name (`src/*.py`, `src/cart.py#Cart.add`). Two claims meet if
there is a path, and something of it, in both. Everything that compares plans, in an evaluation, a live index, a registry,
a guard or a check, asks these functions.
"""

from __future__ import annotations

from volition.governance.paths.names import PART, part_covers, parts_meet, split_part
from volition.governance.paths.patterns import common_path, covers_path, matches_path, paths_meet


def meets(one: str, other: str) -> bool:
    """Whether there is a path, and a part of it, in both claims.

    >>> meets("src/*.py", "src/a.py#Cart"), meets("a.py#Cart", "a.py#Order"), meets("a.py#Cart", "a.py#Cart.add")
    (True, False, True)
    """
    if PART not in one and PART not in other:
        return paths_meet(one, other)
    (mine, my_part), (yours, your_part) = split_part(one), split_part(other)
    return parts_meet(my_part, your_part) and paths_meet(mine, yours)


def covers(one: str, other: str) -> bool:
    """Whether the first claim has everything that the second has.

    >>> covers("src", "src/a.py#Cart"), covers("src/a.py#Cart", "src/a.py"), covers("src/*", "src/a.py")
    (True, False, True)
    """
    if PART not in one and PART not in other:
        return covers_path(one, other)
    (mine, my_part), (yours, your_part) = split_part(one), split_part(other)
    return part_covers(my_part, your_part) and covers_path(mine, yours)


def claims_file(claim: str, path: str) -> bool:
    """Whether a claim is about a file, or a part of it; the path is that of a real file, so it has no wildcards.

    >>> claims_file("src/a.py#Cart", "src/a.py"), claims_file("src/*.py", "src/b.py"), claims_file("src", "src2/a.py")
    (True, True, False)
    """
    return matches_path(split_part(claim)[0], path)


def example(one: str, other: str) -> str:
    """Something that is in both of two claims that meet, as a name.

    >>> example("src/*.py", "src/api*"), example("a.py#Cart", "*.py")
    ('src/api.py', 'a.py#Cart')
    """
    (mine, my_part), (yours, your_part) = split_part(one), split_part(other)
    path = common_path(mine, yours) or mine
    part = my_part if part_covers(your_part, my_part) else your_part
    return f"{path}{PART}{part}" if part else path


def outer(one: str, other: str) -> str | None:
    """Which of two claims names their meeting: the one that covers the other, else the first by name; None if they do
    not meet.

    >>> outer("src", "src/a.py"), outer("src/*.py", "src/a*"), outer("src/a.py", "src/b.py")
    ('src', 'src/*.py', None)
    """
    if not meets(one, other):
        return None
    if covers(one, other):
        return min(one, other) if one != other and covers(other, one) else one
    return other if covers(other, one) else min(one, other)
