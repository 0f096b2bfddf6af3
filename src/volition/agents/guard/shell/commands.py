"""What well-known commands write, by their arguments: the files they name, or a doubt.

A command that is not listed here may do anything.
"""

from __future__ import annotations

import os.path
import re
from typing import TYPE_CHECKING, Final

from volition.agents.guard.shell.words import Aimed, Into, sort_words

if TYPE_CHECKING:
    from collections.abc import Callable

    from volition.agents.guard.shell.words import Found, GivenWords


STREAM: Final = "-"
"""What most commands take for their input or output instead of a file."""


HARMLESS: Final = frozenset(
    """
    : [ basename base64 bg break cal cat cd cksum clear cmp column comm continue cut date df diff dirname dmesg du
    echo egrep env expr false fg fgrep file fold free getconf getent grep groups hash head hexdump host hostname
    id ifconfig ip jobs join jq kill less let local locale logname look ls lsblk lsof man md5sum more nl nproc
    numfmt nm objdump od paste pgrep printenv printf ps pstree pwd read readelf readlink readonly realpath return rev rg
    ripgrep seq set sha1sum sha256sum sha512sum shift shopt size sleep ss stat strings stty sum tac tail test times
    top tput tr true tsort tty type ulimit umask uname unset uptime users vmstat wait wc whereis which who whoami xxd yes
    fd fdfind mktemp export declare typeset exit netstat ping nslookup dig ag ack bat hyperfine md5 cloc tokei
    """.split()  # noqa: SIM905  a list of words reads best as words
)
"""Commands that write no file, unless the shell redirects them."""


def _operands(with_value: str = "", first: int | None = None, end: int | None = None) -> Callable[[GivenWords], Found]:
    def find(words: GivenWords) -> Found:
        return _certain_paths(sort_words(words, with_value).operands[first:end])

    return find


def _values(with_value: str, *options: str) -> Callable[[GivenWords], Found]:
    def find(words: GivenWords) -> Found:
        return _certain_paths(sort_words(words, with_value).value(*options))

    return find


def _certain_paths(paths: GivenWords) -> tuple[list[str], list[str]]:
    """The paths that are known; `-` is a stream."""
    certain = [path for path in paths if path is not None and path != STREAM]
    return certain, ["a file that the shell will name"] if None in paths else []


def _removal(with_value: str = "") -> Callable[[GivenWords], Found]:
    def find(words: GivenWords) -> Found:
        paths, doubts = _certain_paths(sort_words(words, with_value).operands)
        return [Aimed(path, "remove") for path in paths], doubts

    return find


def _visit(with_value: str = "") -> Callable[[GivenWords], Found]:
    """Folders that are made: git does not see them, but another's worktree is another's."""

    def find(words: GivenWords) -> Found:
        paths, doubts = _certain_paths(sort_words(words, with_value).operands)
        return [Aimed(path, "visit") for path in paths], doubts

    return find


def _chmod(words: GivenWords) -> Found:
    """chmod: a mode such as `-x` looks like an option."""
    plain = [word for word in words if word is None or not re.fullmatch(r"-[rwxXst]+", word)]
    taken = 0 if len(plain) < len(words) or sort_words(plain, "reference").has("reference") else 1
    return _certain_paths(sort_words(plain, "reference").operands[taken:])


def _cp(words: GivenWords) -> Found:
    """cp, install and ln: the last operand, or the file of the same name in it if it is a folder."""
    sorted_ = sort_words(words, "t target-directory S suffix m mode o owner g group")
    return _into(sorted_.operands, sorted_.value("t", "target-directory"))


def _into(operands: GivenWords, folders: GivenWords) -> Found:
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


def _mv(words: GivenWords) -> Found:
    sorted_ = sort_words(words, "t target-directory S suffix")
    folders = sorted_.value("t", "target-directory")
    paths, doubts = _into(sorted_.operands, folders)
    sources, more = _certain_paths(sorted_.operands if folders else sorted_.operands[:-1])
    return [*paths, *(Aimed(path, "remove") for path in sources)], doubts + more


def _ln(words: GivenWords) -> Found:
    """ln: what cp writes; a hard link is another name under which its source can be written."""
    sorted_ = sort_words(words, "t target-directory S suffix")
    paths, doubts = _cp(words)
    if sorted_.has("s", "symbolic"):
        return paths, doubts
    sources, more = _certain_paths(sorted_.operands[:-1])
    return [*paths, *sources], doubts + more


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


def _sed(words: GivenWords) -> Found:
    """The files that sed writes; a script in a file may name more, and one that runs commands may do anything."""
    sorted_ = sort_words(words, "e f l expression file line-length")
    scripts = sorted_.value("e", "expression")
    operands = list(sorted_.operands)
    if not scripts and not sorted_.has("f", "file") and operands:
        scripts = [operands.pop(0)]
    doubts = ["a sed script that may write files"] if sorted_.has("f", "file") or None in scripts else []
    written: list[str] = []
    for script in scripts:
        named, runs = _read_sed_script(script or "")
        written += named
        doubts += ["a sed script that runs commands"] if runs else []
    inplace = [word for word in words if word is not None and re.match(r"-[nErsuz]*i|--in-place", word)]
    if inplace:
        suffix = inplace[0].partition("=")[2] if inplace[0].startswith("--") else inplace[0].partition("i")[2]
        edited = [path for path in operands if path is not None]
        backups = [path.replace("*", suffix) if "*" in suffix else path + suffix for path in edited] if suffix else []
        written += [*edited, *backups]
        doubts += ["a file that the shell will name"] if None in operands else []
    return written, doubts


def _read_sed_script(script: str) -> tuple[list[str], bool]:
    """The files that a script writes, and whether it runs commands.

    >>> _read_sed_script("1wa.py"), _read_sed_script("s/x/y/gw b.py"), _read_sed_script("s/w a/e b/")
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


_EDITS: Final = r"(?:(?:s|tr|y)(?P<d>[/|,#])[^`]*(?P=d)[gimsxr]*;?\s*|print;?\s*)+"
"""A program in perl that only replaces text."""


def _perl(words: GivenWords) -> Found:
    """perl -i: its files, and whatever the program does."""
    sorted_ = sort_words(words, "e E F I M m")
    if any(word is not None and re.match(r"-[a-zA-Z0-9]*i", word) for word in words):
        paths, more = _certain_paths(sorted_.operands)
        suffix = next(
            (match[2] for word in words if word and (match := re.match(r"-([a-zA-Z0-9]*)i(\.\w+)$", word))), ""
        )
        programs = sorted_.value("e", "E")
        plain = bool(programs) and all(
            program is not None and re.fullmatch(_EDITS, program.strip()) for program in programs
        )
        backups = [path + suffix for path in paths] if suffix else []
        return paths + backups, [*more, *([] if plain else ["a program in perl"])]
    return [], [] if sorted_.has("v", "version") else ["a program in perl"]


def _awk(words: GivenWords) -> Found:
    """awk: a program that may write redirects its output, runs a command, or is in a file."""
    risky = re.compile(r"(?:print|printf)\b[^;}]*>|[^|]\|[^|]|system\s*\(|inplace|^-f|^-i")
    quiet = all(word is not None and not risky.search(word) for word in words)
    return [], [] if quiet else ["an awk program that may write files"]


def _dd(words: GivenWords) -> Found:
    paths = [word[3:] for word in words if word is not None and word.startswith("of=")]
    return paths, ["an argument of dd"] if None in words else []


def _curl(words: GivenWords) -> Found:
    sorted_ = sort_words(
        words, "o output H header d data X request u user A user-agent e referer b cookie T upload-file"
    )
    paths, doubts = _certain_paths([path for path in sorted_.value("o", "output") if path != STREAM])
    by_name = sorted_.has("O", "remote-name", "remote-name-all", "c", "cookie-jar", "D", "dump-header", "K", "config")
    return paths, doubts + (["a file that the address names"] if by_name else [])


def _wget(words: GivenWords) -> Found:
    sorted_ = sort_words(words, "O output-document o output-file P directory-prefix")
    outputs = sorted_.value("O", "output-document")
    written, doubts = _certain_paths([*outputs, *sorted_.value("o", "output-file")])
    return written, doubts or ([] if outputs or sorted_.has("spider") else ["a file that the address names"])


def _gzip(ending: str) -> Callable[[GivenWords], Found]:
    """A program that compresses: the file goes, and one beside it comes."""

    def find(words: GivenWords) -> Found:
        sorted_ = sort_words(words, "S suffix")
        if sorted_.has("c", "stdout", "to-stdout", "l", "list", "t", "test", "V", "version"):
            return [], []
        paths, doubts = _certain_paths(sorted_.operands)
        kept = sorted_.has("k", "keep")
        beside = [path.removesuffix(ending) if path.endswith(ending) else path + ending for path in paths]
        return [*beside, *(Aimed(path, "remove") for path in paths if not kept)], doubts

    return find


def _tar(words: GivenWords) -> Found:
    """tar: the archive that it makes, or the files of an archive, which are not known, in a folder that may be."""
    first = words[0] if words else ""
    if first and not first.startswith("-"):  # the old form: all letters, and then their values in order
        values = iter(words[1:])
        named = {letter: next(values, None) for letter in first if letter in "fCbTXIN"}
        letters, archives, folders = first, [named["f"]] if "f" in named else [], [named["C"]] if "C" in named else []
        arguments = sort_words(list(values), "C directory f file")
        folders += arguments.value("C", "directory")
    else:
        arguments = sort_words(words, "f file C directory b T X I exclude files-from transform")
        letters = "".join(flag for flag in arguments.flags if len(flag) == 1)
        letters += "c" if arguments.begins("create", 2) else ""
        letters += "t" if arguments.begins("list", 2) else ""
        archives, folders = arguments.value("f", "file"), arguments.value("C", "directory")
    if set("cruA") & set(letters) and "x" not in letters:
        return _certain_paths(archives) if archives else ([], [])
    if "t" in letters and "x" not in letters:
        return [], []
    if "O" in letters or arguments.has("to-stdout"):
        return [], []
    into = [Aimed(folder, "sweep") for folder in folders if folder is not None]
    return [*into, *([] if into else [Aimed(".", "sweep")])], ["the files of an archive"] if None in folders else []


def _zip(words: GivenWords) -> Found:
    operands = sort_words(words, "x i b t P").operands
    return _certain_paths(operands[:1])


def _unzip(words: GivenWords) -> Found:
    sorted_ = sort_words(words, "d x P")
    if sorted_.has("l", "p", "t", "v", "Z"):
        return [], []
    folders = sorted_.value("d")
    return [Aimed(folder or ".", "sweep") for folder in folders or ["."]], []


def _patch(words: GivenWords) -> Found:
    """patch: the file that it names or writes; else the patch names them."""
    sorted_ = sort_words(words, "i input p strip d directory o output r reject-file B b z F")
    if sorted_.has("dry-run"):
        return [], []
    if outputs := sorted_.value("o", "output"):
        return _certain_paths(outputs)
    paths, doubts = _certain_paths(sorted_.operands[:1])
    return paths, doubts if paths or doubts else ["the files of a patch"]


def _sqlite(words: GivenWords) -> Found:
    """sqlite3: its database, unless it is only asked."""
    operands = sort_words(words, "cmd init separator").operands
    asked = operands[1:]
    reads = r"\s*(?:select|pragma \w+;?$|explain|\.(?:schema|tables|databases|dump|indexes|mode|headers))"
    if asked and all(word is not None and re.match(reads, word, re.IGNORECASE) for word in asked):
        return [], []
    return _certain_paths(operands[:1])


def _rsync(words: GivenWords) -> Found:
    sorted_ = sort_words(words, "e rsh exclude include filter")
    if sorted_.has("n", "dry-run"):
        return [], []
    target = sorted_.operands[-1] if sorted_.operands else None
    return ([], []) if target is not None and ":" in target else _certain_paths([target])


def _split(words: GivenWords) -> Found:
    """split and csplit: files whose names begin with a prefix."""
    sorted_ = sort_words(words, "l b n a C f n prefix lines bytes")
    prefixes = sorted_.value("f", "prefix") or sorted_.operands[1:2] or ["x"]
    written, doubts = _certain_paths([None if prefix is None else f"{prefix}aa" for prefix in prefixes])
    return written, [*doubts, "how many files it makes"]


COMMANDS: Final[dict[str, Callable[[GivenWords], Found]]] = {
    "tee": _operands(),
    "cp": _cp,
    "install": _cp,
    "ln": _ln,
    "mv": _mv,
    "rm": _removal(),
    "rmdir": _removal(),
    "unlink": _removal(),
    "shred": _removal("n s iterations size"),
    "mkdir": _visit("m mode"),
    "touch": _operands("r t d reference date"),
    "truncate": _operands("s size r reference"),
    "chmod": _chmod,
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
    "gzip": _gzip(".gz"),
    "gunzip": _gzip(".gz"),
    "bzip2": _gzip(".bz2"),
    "bunzip2": _gzip(".bz2"),
    "xz": _gzip(".xz"),
    "unxz": _gzip(".xz"),
    "tar": _tar,
    "zip": _zip,
    "unzip": _unzip,
    "patch": _patch,
    "sqlite3": _sqlite,
    "split": _split,
    "csplit": _split,
    "script": _operands("c command", 0, 1),
    "tree": _values("o L P I", "o"),
    "rsync": _rsync,
}
