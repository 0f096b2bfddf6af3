"""What well-known commands write, by their arguments: the files they name, or a doubt.

A command that is not listed here may do anything.
"""

from __future__ import annotations

import os.path
import re
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias

from volition.agents.guard.shell_words import sort_words

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    Words: TypeAlias = Sequence[str | None]
    Found: TypeAlias = "tuple[Sequence[str | Into], list[str]]"
    """The files that are written, and what cannot be known."""


class Into(NamedTuple):
    """A target that is written itself or, if it is a folder, a file of this name in it."""

    target: str
    name: str


HARMLESS: Final = frozenset(
    """
    : [ basename bg break cal cat cd cksum clear cmp column comm continue cut date df diff dirname du
    echo egrep export expr false fg fgrep file fold getopts grep groups head hexdump hostname
    id jobs join jq kill let local look ls lsof md5sum mkdir nl nproc od paste pgrep printenv
    printf ps pwd read readlink readonly realpath return rev rg rmdir seq set sha1sum sha256sum shift shopt
    sleep stat stty sum tac tail test times tput tr true tsort tty type ulimit umask uname
    unset uptime wait wc which who whoami yes
    """.split()  # noqa: SIM905  a list of words reads best as words
)
"""Commands that write no file, unless the shell redirects them."""


def _operands(with_value: str = "", first: int | None = None, end: int | None = None) -> Callable[[Words], Found]:
    def find(words: Words) -> Found:
        return _certain_paths(sort_words(words, with_value).operands[first:end])

    return find


def _values(with_value: str, *options: str) -> Callable[[Words], Found]:
    def find(words: Words) -> Found:
        return _certain_paths(sort_words(words, with_value).value(*options))

    return find


def _certain_paths(paths: Words) -> tuple[list[str], list[str]]:
    found = [path for path in paths if path is not None]
    return found, [] if len(found) == len(paths) else ["a file that the shell will name"]


def _cp(words: Words) -> Found:
    """cp, install and ln: the last operand, or the file of the same name in it if it is a folder."""
    sorted_ = sort_words(words, "t target-directory S suffix m mode o owner g group")
    return _into(sorted_.operands, sorted_.value("t", "target-directory"))


def _into(operands: Words, folders: Words) -> Found:
    if folders:
        sources, target = list(operands), folders[-1]
    else:
        sources, target = list(operands[:-1]), operands[-1] if operands else None
    if target is None or None in sources:
        return ([target] if target is not None else []), ["a file that the shell will name"]
    names = [os.path.basename(source.rstrip("/")) for source in sources if source is not None]
    if folders or target.endswith("/") or len(sources) > 1 or target in {".", ".."}:
        return [os.path.join(target, name) for name in names], []
    return [Into(target, name) for name in names] or [target], []


def _mv(words: Words) -> Found:
    sorted_ = sort_words(words, "t target-directory S suffix")
    found, doubts = _into(sorted_.operands, sorted_.value("t", "target-directory"))
    sources, more = _certain_paths(
        sorted_.operands if sorted_.value("t", "target-directory") else sorted_.operands[:-1]
    )
    return [*found, *sources], doubts + more


def _sed(words: Words) -> Found:
    """sed: its files with -i, and a backup of each if a suffix is given; a script may name more files."""
    sorted_ = sort_words(words, "e f l expression file line-length")
    scripts = sorted_.value("e", "expression")
    operands = list(sorted_.operands)
    if not scripts and not sorted_.has("f", "file") and operands:
        scripts = [operands.pop(0)]
    doubts = ["a sed script that may write files"] if sorted_.has("f", "file") or any(map(_may_write, scripts)) else []
    inplace = [word for word in words if word is not None and re.match(r"-[nErsuz]*i|--in-place", word)]
    if not inplace:
        return [], doubts
    suffix = inplace[0].partition("=")[2] if inplace[0].startswith("--") else inplace[0].partition("i")[2]
    found, more = _certain_paths(operands)
    backups = [path.replace("*", suffix) if "*" in suffix else path + suffix for path in found] if suffix else []
    return found + backups, doubts + more


def _may_write(script: str | None) -> bool:
    return script is None or bool(
        re.search(r"(?:^|[;{}/\d$\s])[wWe]\s", script) or re.search(r"/[gpIi\d]*[we]", script)
    )


def _perl(words: Words) -> Found:
    """perl -i: its files, and whatever the program does."""
    sorted_ = sort_words(words, "e E F I M m")
    if any(word is not None and re.match(r"-[a-zA-Z0-9]*i", word) for word in words):
        found, more = _certain_paths(sorted_.operands)
        return found, [*more, "a program in perl"]
    return [], ["a program in perl"]


def _awk(words: Words) -> Found:
    quiet = all(word is not None and not re.search(r"[>|]|system|inplace|^-f", word) for word in words)
    return [], [] if quiet else ["an awk program that may write files"]


def _dd(words: Words) -> Found:
    found = [word[3:] for word in words if word is not None and word.startswith("of=")]
    return found, ["an argument of dd"] if None in words else []


def _curl(words: Words) -> Found:
    sorted_ = sort_words(
        words, "o output H header d data X request u user A user-agent e referer b cookie T upload-file"
    )
    found, doubts = _certain_paths(sorted_.value("o", "output"))
    by_name = sorted_.has("O", "remote-name", "remote-name-all", "c", "cookie-jar", "D", "dump-header", "K", "config")
    return found, doubts + (["a file that the address names"] if by_name else [])


def _wget(words: Words) -> Found:
    found, doubts = _certain_paths(sort_words(words, "O output-document o output-file P directory-prefix").value("O"))
    return found, doubts or ([] if found else ["a file that the address names"])


def _gzip(words: Words) -> Found:
    sorted_ = sort_words(words, "S suffix")
    if sorted_.has("c", "stdout", "l", "list", "t", "test"):
        return [], []
    found, doubts = _certain_paths(sorted_.operands)
    return found, [*doubts, "the file beside it that compressing makes"]


def _tar(words: Words) -> Found:
    letters = "".join((word or "").lstrip("-") for word in words[:1])
    given = sort_words(words, "f file C directory")
    if letters.startswith("c") or given.has("c", "create"):
        named = given.value("f", "file")
        return _certain_paths(named) if named else _certain_paths(words[1:2])
    quiet = letters.startswith("t") or given.has("t", "list")
    return [], [] if quiet else ["the files of an archive"]


def _find(words: Words) -> Found:
    acting = {"-delete", "-exec", "-execdir", "-ok", "-okdir", "-fprint", "-fprintf", "-fls"}
    acts = [word for word in words if word in acting]
    return [], [f"find {acts[0]}"] if acts else []


def _xargs(words: Words) -> Found:
    """xargs: what it runs gets names that are not known here."""
    operands = sort_words(words, "I n P d L s a E replace max-args max-procs delimiter").operands
    name = operands[0] if operands else "echo"
    return [], [] if name in HARMLESS else [f"xargs {name or '(a command that the shell will name)'}"]


COMMANDS: Final[dict[str, Callable[[Words], Found]]] = {
    "tee": _operands(),
    "cp": _cp,
    "install": _cp,
    "ln": _cp,
    "mv": _mv,
    "rm": _operands(),
    "unlink": _operands(),
    "shred": _operands("n s iterations size"),
    "touch": _operands("r t d reference date"),
    "truncate": _operands("s size r reference"),
    "chmod": _operands("reference", 1),
    "chown": _operands("reference", 1),
    "mkfifo": _operands("m mode"),
    "sponge": _operands(),
    "dd": _dd,
    "sed": _sed,
    "perl": _perl,
    "awk": _awk,
    "gawk": _awk,
    "mawk": _awk,
    "curl": _curl,
    "wget": _wget,
    "sort": _values("o output k t S T key", "o", "output"),
    "uniq": _operands("f s w", 1, 2),
    "gzip": _gzip,
    "gunzip": _gzip,
    "bzip2": _gzip,
    "xz": _gzip,
    "tar": _tar,
    "find": _find,
    "xargs": _xargs,
    "tree": _values("o L P I", "o"),
    "rsync": _operands("e rsh exclude include filter", -1),
}
