"""Resource conflicts: several intents use one file, module or service, and at least one of them writes.

A reader and a writer clash at medium, two writers at high, a writer and a deleter at critical; so do two intents that
meet like that on more than ten resources. Two writers whom a hint calls complementary clash at medium. Removing or renaming
what the result of another plan relies on breaks its contract: that is high, because no order mends it. Plans that work on
different parts of one file do not clash; that is said at low severity, because the parts are only named, and two changes to
one file still have to be merged.
"""

from __future__ import annotations

from collections import defaultdict
from itertools import combinations
from typing import TYPE_CHECKING, Final

from volition.governance.conflicts.contests import SHIFT, Contest, clashes, plain_flags, profiles
from volition.governance.conflicts.ledger import HIGH, LOW, RESOURCE
from volition.governance.documents.effects import DELETE, TOUCH, USES, WRITES
from volition.governance.paths.names import PART, parts_meet, split_part

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from volition.governance.conflicts.contests import Index, Profile
    from volition.governance.conflicts.ledger import ConflictLedger

READ_WRITE, WRITE_WRITE, WRITE_DELETE, CONTRACT = 1, 2, 4, 1024
FLAGS: Final = READ_WRITE | WRITE_WRITE | WRITE_DELETE | CONTRACT
RULES: Final = {
    CONTRACT: "resource_contract",
    READ_WRITE: "resource_read_write",
    WRITE_WRITE: "resource_write_write",
    WRITE_DELETE: "resource_write_delete",
}
MANY: Final = 10
"""If two intents clash on more resources than this, all these clashes become critical."""
SHARED_FILE: Final = "resource_shared_file"
SHARED: Final = "file:"
"""The prefix of what a conflict by `SHARED_FILE` is about; the path of the file follows."""


def clash(one: int, other: int) -> int:
    """How two claims on one resource clash.

    >>> clash(TOUCH, TOUCH), clash(TOUCH, TOUCH | DELETE) == READ_WRITE
    (0, True)
    """
    mine, yours = one & WRITES, other & WRITES
    if not (mine or yours) or not one & other & TOUCH:
        return 0
    if not (mine and yours):
        return CONTRACT if (one & USES and yours & DELETE) or (other & USES and mine & DELETE) else READ_WRITE
    if (mine & DELETE and yours & ~DELETE) or (yours & DELETE and mine & ~DELETE):
        return WRITE_DELETE
    return WRITE_WRITE


class Crowds:
    """The pairs of intents that clash on more than `MANY` resources.

    Only intents in more than `MANY` contests are looked at; those that do the same in the same contests are one; and
    two that share as many share one of the contests that are left when each leaves out the `MANY` largest.
    """

    def __init__(self) -> None:
        self._contests: list[Contest] = []
        self._taken: defaultdict[int, list[int]] = defaultdict(list)

    def note(self, contest: Contest, members: set[int]) -> None:
        """Remember a contest in which these clash."""
        place = len(self._contests)
        self._contests.append(contest)
        for number in members:
            self._taken[number].append(place)

    def pairs(self, clash: Callable[[int, int], int]) -> Iterator[tuple[list[int], list[int], dict[str, bool]]]:
        """Two groups of intents, each of one with each of the other, and the more than `MANY` resources they contest; of
        each, whether both declare it.

        The groups are the same where the members of one clash among themselves.
        """
        busy = {number: places for number, places in self._taken.items() if len(places) > MANY}
        if len(busy) < 2:
            return
        known = {place: profiles(self._contests[place]) for place in {p for places in busy.values() for p in places}}
        alike: dict[tuple[tuple[int, Profile], ...], list[int]] = {}
        for number in sorted(busy):
            alike.setdefault(tuple((place, known[place][number][0]) for place in busy[number]), []).append(number)
        crowds = [(dict(signature), numbers) for signature, numbers in alike.items()]
        for one, other in self._candidates([list(signature) for signature, _ in crowds]):
            (mine, left), (yours, right) = crowds[one], crowds[other]
            if one == other and len(left) < 2:
                continue
            flags = {p: clashes(profile, yours[p], clash) for p, profile in mine.items() if p in yours}
            shared = {p: bool(flag & FLAGS) for p, flag in flags.items() if plain_flags(flag) & FLAGS}
            if len(shared) > MANY:
                yield left, right, {self._contests[p].resource: declared for p, declared in shared.items()}

    def _candidates(self, signatures: list[list[int]]) -> list[tuple[int, int]]:
        """The pairs that may share enough contests; each also with itself."""
        sizes = {p: len(self._contests[p].direct) + len(self._contests[p].inside) for s in signatures for p in s}
        where: defaultdict[int, list[int]] = defaultdict(list)
        for at, places in enumerate(signatures):
            rare = sorted(places, key=lambda place: (sizes[place], place))[: len(places) - MANY]
            for place in rare:
                where[place].append(at)
        several = {pair for crowds in where.values() for pair in combinations(crowds, 2)}
        return [*((at, at) for at in range(len(signatures))), *sorted(several)]


def raise_crowds(findings: ConflictLedger, crowds: Crowds, clash: Callable[[int, int], int]) -> None:
    """Raise the severity of what the members of a crowd contest, and connect them; what follows from the words of a text
    alone is not critical."""
    severity = findings.severity("resource_many")
    by_words = severity if "resource_many" in findings.policy.severities else min(severity, HIGH)
    for left, right, resources in crowds.pairs(clash):
        if findings.declared and not findings.declared.free_parts(left, right):
            continue
        findings.clash_unless_ordered(next(iter(resources)), severity, left, right)
        for resource, declared in resources.items():
            finding = findings.get(RESOURCE, resource)
            assert finding is not None
            finding.rules.add("resource_many")
            finding.severity = max(finding.severity, severity if declared else by_words)


def find_shared(findings: ConflictLedger, index: Index) -> None:
    """Report each file of which different plans write different parts."""
    files: defaultdict[str, dict[str, list[int]]] = defaultdict(dict)
    for resource, claimed in index.items():
        if PART in resource:
            path, part = split_part(resource)
            if part and (codes := [code for code in claimed if code & TOUCH]):
                files[path][part] = codes
    severity = findings.severity(SHARED_FILE)
    for path, parts in sorted(files.items()):
        writing = {part: some for part, codes in parts.items() if (some := [code for code in codes if code & WRITES])}
        apart: dict[int, None] = {}
        gravest = LOW
        for one, other in combinations(sorted(writing), 2):
            left, right = _apart(writing[one], writing[other]), _apart(writing[other], writing[one])
            if left and right and not parts_meet(one, other):
                apart |= dict.fromkeys((*left, *right))
                both = ([code >> SHIFT for code in codes] for codes in (left, right))
                gravest = max(gravest, findings.clash_unless_ordered(path, severity, *both))
        if apart:
            detail = f"they write different parts of {path}"
            findings.add(RESOURCE, SHARED + path, SHARED_FILE, gravest, apart, detail=detail)


def _apart(mine: list[int], yours: list[int]) -> list[int]:
    """The codes of one part whose plans meet a different plan at the other part."""
    others = {code >> SHIFT for code in yours}
    return [code for code in mine if others != {code >> SHIFT}]
