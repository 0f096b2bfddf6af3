"""What sed writes: its files with -i, a backup of each, and the files that `w` names in a script."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from volition.agents.guard.shell_words import sort_words

if TYPE_CHECKING:
    from volition.agents.guard.shell_words import Found, GivenWords

_ADDRESS: Final = (
    r"(?:\d+(?:[~,+]\d+)?|\$|/(?:\\.|[^/\\])*/I?|(?:\d+|/(?:\\.|[^/\\])*/),(?:\d+|\$|\+\d+|/(?:\\.|[^/\\])*/))"
)
# Compiled when a script is read: most command lines have none, and compiling takes as long as all other imports of one.
_WRITE: Final = rf"(?:^|[;{{}}\n])\s*{_ADDRESS}?\s*!?\s*[wW]\s*(?P<file>[^\n;}}]*)"
_SUBSTITUTION: Final = (
    rf"(?s)(?:^|[;{{}}\n])\s*{_ADDRESS}?\s*!?\s*s(?P<d>[^\w\s\\])(?:\\.|(?!(?P=d)).)*(?P=d)(?:\\.|(?!(?P=d)).)*(?P=d)"
    r"(?P<flags>[gpIiMme\d]*)(?:w\s*(?P<file>[^\n]*))?"
)
_RUN: Final = rf"(?:^|[;{{}}\n])\s*{_ADDRESS}?\s*!?\s*e(?:\s|$)"


def sed_writes(words: GivenWords) -> Found:
    """The files that sed writes; a script in a file may name more, and one that runs commands may do anything."""
    sorted_ = sort_words(words, "e f l expression file line-length")
    scripts = sorted_.value("e", "expression")
    operands = list(sorted_.operands)
    if not scripts and not sorted_.has("f", "file") and operands:
        scripts = [operands.pop(0)]
    doubts = ["a sed script that may write files"] if sorted_.has("f", "file") or None in scripts else []
    found: list[str] = []
    for script in scripts:
        named, runs = _read_script(script or "")
        found += named
        doubts += ["a sed script that runs commands"] if runs else []
    inplace = [word for word in words if word is not None and re.match(r"-[nErsuz]*i|--in-place", word)]
    if inplace:
        suffix = inplace[0].partition("=")[2] if inplace[0].startswith("--") else inplace[0].partition("i")[2]
        edited = [path for path in operands if path is not None]
        backups = [path.replace("*", suffix) if "*" in suffix else path + suffix for path in edited] if suffix else []
        found += [*edited, *backups]
        doubts += ["a file that the shell will name"] if None in operands else []
    return found, doubts


def _read_script(script: str) -> tuple[list[str], bool]:
    """The files that a script writes, and whether it runs commands.

    >>> _read_script("1wa.py"), _read_script("s/x/y/gw b.py"), _read_script("s/w a/e b/")
    ((['a.py'], False), (['b.py'], False), ([], False))
    """
    files: list[str] = []
    runs = False

    def take(match: re.Match[str]) -> str:
        nonlocal runs
        runs = runs or "e" in match["flags"]
        if match["file"]:
            files.append(match["file"].strip())
        return ";"  # what was replaced by what is no command

    rest = re.sub(_SUBSTITUTION, take, script)
    files += [match["file"].strip() for match in re.finditer(_WRITE, rest)]
    return [file for file in files if file and file not in {"/dev/stdout", "/dev/stderr"}], runs or bool(
        re.search(_RUN, rest)
    )
