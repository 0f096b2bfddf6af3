"""One command with its arguments, taken for what it does: what it writes, where it goes, or what it runs in turn."""

from __future__ import annotations

import os.path
from typing import TYPE_CHECKING, Final

from volition.agents.guard.clients import PATCH_BEGINS, patched_files
from volition.agents.guard.sessions import SESSION_VARIABLES
from volition.agents.guard.shell.commands import COMMANDS, HARMLESS
from volition.agents.guard.shell.git import CONFIG, git_writes
from volition.agents.guard.shell.programs import CARRIERS, INTERPRETERS, is_kept_tool, is_program, program_writes
from volition.agents.guard.shell.words import Aimed, Into, ShellWrite, WriteKind, sort_words
from volition.agents.reserved import act_of_people

if TYPE_CHECKING:
    from collections.abc import Sequence

_SHELLS: Final = frozenset({"bash", "sh", "dash", "zsh", "ksh"})
_PREFIXES: Final = {
    "sudo": "u g h p C D R T user group", "env": "u C S unset chdir", "nohup": "", "nice": "n adjustment", "command": "",
    "exec": "a", "builtin": "", "timeout": "s k signal kill-after", "stdbuf": "i o e", "time": "o f", "setsid": "",
    "ionice": "c n p", "doas": "u C", "busybox": "", "chronic": "", "unbuffer": "", "caffeinate": "t w",
}  # fmt: skip
"""Commands that run the command in their arguments, with their options that take a value."""
_SETS_VARIABLES: Final = frozenset({"read", "mapfile", "readarray", "getopts", "unset", "printf", "let", "wait"})
_GUARD: Final = "volition.agents.guard"
"""The module that hooks run; whoever sends it events says what a session does."""


class CallReader:
    """Reads commands, and notes what they write and what cannot be known; a subclass reads command lines."""

    def __init__(self, folder: str | None) -> None:
        self.folder = folder
        self.start = folder or "."
        self.writes: list[ShellWrite] = []
        self.doubts: list[str] = []
        self.programs: list[str] = []
        self.functions: set[str] = set()
        kept = {name: os.environ[name] for name in ("HOME", "TMPDIR", "PATH", "USER") if os.environ.get(name)}
        self.known: dict[str, str] = {**kept, **({"PWD": folder} if folder else {})}

    def read(self, text: str, depth: int) -> None:
        """Read a command line."""
        raise NotImplementedError

    def write(self, path: str | None, kind: WriteKind = "write") -> None:
        """Note that a path is written; None is one that is not known."""
        if path is None:
            self.doubts.append("a file that the shell will name")
        elif self.folder is None and not os.path.isabs(os.path.expanduser(path)):
            self.doubts.append(f"{path} in a folder that the shell will name")
        else:
            self.writes.append(ShellWrite(self.folder or "/", path, kind))

    def check_variable(self, name: str) -> None:
        """A variable by which git or the guard would obey other settings is an attempt to disarm."""
        if name.startswith(("GIT_CONFIG", "VOLITION_")) or name in {
            "GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY", "GIT_EXEC_PATH",
        }:  # fmt: skip
            self.writes.append(ShellWrite(self.start, CONFIG))
        elif name in SESSION_VARIABLES:
            self.writes.append(ShellWrite(self.start, f"set or unset {name}", "people"))

    def run(self, words: list[str | None], depth: int, body: str | None) -> None:
        """Take a command with its arguments for what it does; `body` is what it gets as its input, if that is known."""
        if words[:1] == ["command"] and words[1:2] in (["-v"], ["-V"]):
            return  # it says where a command is
        while words and words[0] is not None and os.path.basename(words[0]) in _PREFIXES:
            if "-o" in words and os.path.basename(words[0]) == "time":
                self.doubts.append("the report of time")
            words = self._find_inner_command(os.path.basename(words[0]), words[1:])
        if not words:
            return
        if words[0] is None:
            self.doubts.append("a command that the shell will name")
            return
        name, rest = os.path.basename(words[0]), words[1:]
        if name in self.functions:
            return  # its body was read where it is defined
        if not is_kept_tool(words[0]):
            self.doubts.append(f"what {words[0]} does")
        self._note_variables(name, rest)
        if name in {"cd", "pushd", "popd"}:
            self._go(name, rest)
        elif name == "git":
            self._git(rest)
        elif name in _SHELLS:
            self._shell(name, rest, depth, body)
        elif name in {"eval", "trap"}:
            self._evaluate(name, rest, depth)
        elif name in {"apply_patch", "applypatch"}:
            self._patch(rest, body)
        elif name == "find":
            self._find(rest, depth)
        elif name == "xargs":
            self._xargs(rest, depth)
        elif name in {".", "source"}:
            self._source(rest)
        elif name == "volition":
            self._volition(rest)
        elif name in INTERPRETERS or name in CARRIERS or name == "node":
            self._carry(name, rest, depth)
        else:
            self._look_up(name, rest)

    def _look_up(self, name: str, words: list[str | None]) -> None:
        if name in COMMANDS:
            self._note(*COMMANDS[name](words))
        elif is_program(name):
            writes, is_judged_afterwards = program_writes(name, words)
            self._note(*writes)
            self.programs += [name] if is_judged_afterwards else []
        elif name not in HARMLESS and not _asks_for_version(words):
            self.doubts.append(f"what {name} does")

    def _note(self, writes: Sequence[str | Into | Aimed], doubts: Sequence[str]) -> None:
        for write in writes:
            if isinstance(write, Into):
                there = os.path.join(self.folder or "/", os.path.expanduser(write.target))
                self.write(os.path.join(write.target, write.name) if os.path.isdir(there) else write.target)
            elif isinstance(write, Aimed):
                self.write(write.path, write.kind)
            else:
                self.write(write)
        self.doubts += doubts

    def _note_variables(self, name: str, words: Sequence[str | None]) -> None:
        for word in words if name in _SETS_VARIABLES else ():
            self.known.pop(word or "", None)
        if name in {"export", "declare", "local", "readonly", "typeset"}:
            for word in words:
                self.check_variable((word or "").partition("=")[0])

    def _find_inner_command(self, name: str, words: list[str | None]) -> list[str | None]:
        """The command that another one runs."""
        takes = set(_PREFIXES[name].split())
        rest = list(words)
        while rest:
            word = rest[0]
            if word is not None and word.startswith("-") and word != "-":
                rest.pop(0)
                if word == "--":
                    break
                if name == "env" and word.startswith("--unset="):
                    self.check_variable(word.partition("=")[2])
                if word.lstrip("-") in takes and rest:
                    value = rest.pop(0)
                    if name == "env" and word in {"-u", "--unset"}:
                        self.check_variable(value or "")
            elif name in {"env", "sudo"} and word is not None and "=" in word:
                rest.pop(0)
                self.check_variable(word.partition("=")[0])
            else:
                break
        return rest[1:] if name == "timeout" else rest

    def _go(self, name: str, words: list[str | None]) -> None:
        operands = [word for word in words if word not in {"-P", "-L", "--"}]
        target = operands[0] if operands else "~"
        if name == "popd" or target is None or target == "-" or self.folder is None:
            self.folder = target if name != "popd" and target and os.path.isabs(target) else None
        else:
            self.folder = os.path.join(self.folder, os.path.expanduser(target))
        self.known.pop("PWD", None)
        if self.folder is not None:
            self.known["PWD"] = os.path.normpath(self.folder)

    def _git(self, words: list[str | None]) -> None:
        folder, (writes, doubts) = git_writes(words, self.folder)
        before = self.folder
        if CONFIG in writes:
            self.writes.append(ShellWrite(self.start, CONFIG))
            writes = [write for write in writes if write != CONFIG]
        if folder and self.folder is not None:
            self.folder = os.path.join(self.folder, os.path.expanduser(folder))
        self._note(writes, doubts)
        self.folder = before

    def _shell(self, name: str, words: list[str | None], depth: int, body: str | None) -> None:
        arguments = sort_words(words, "c o O rcfile init-file")
        lines = arguments.value("c")
        if arguments.has("n", "version") and not lines:
            return
        inner = lines[0] if lines else body if not arguments.operands else None
        before, values = self.folder, dict(self.known)
        if inner is None:
            self.doubts.append(f"what {name} does")
        else:
            self.read(inner, depth + 1)
        self.folder, self.known = before, values

    def _evaluate(self, name: str, words: list[str | None], depth: int) -> None:
        code = words if name == "eval" else [word for word in words if word not in {"--", "-l", "-p"}][:1]
        known = [word for word in code if word is not None]
        if len(known) == len(code):
            self.read(" ".join(known), depth + 1)
        else:
            self.doubts.append(name)
        if name == "eval":
            self.known.clear()

    def _patch(self, words: list[str | None], body: str | None) -> None:
        texts = [text for text in (*words, body) if text is not None and PATCH_BEGINS in text]
        files = [path for text in texts for path in patched_files(text)]
        self._note(files, [] if files else ["a patch that is not on the command line"])

    def _find(self, words: list[str | None], depth: int) -> None:
        """find: files that it prints into, files that it deletes, and commands that it runs for each."""
        for option in ("-fprint", "-fprint0", "-fprintf", "-fls"):
            for at, word in enumerate(words):
                if word == option:
                    self.write(words[at + 1] if at + 1 < len(words) else None)
        for at, word in enumerate(words):
            if word not in {"-delete", "-exec", "-execdir", "-ok", "-okdir"}:
                continue
            inner = [None if argument == "{}" else argument for argument in _until_end(words[at + 1 :])]
            if word == "-delete" or inner[:1] == ["rm"]:
                self._sweep(words)
            else:
                self.run([*inner], depth, None)

    def _sweep(self, words: list[str | None]) -> None:
        """Note what a search by name alone would delete; of any other search it is not known."""
        options = [word for word in words if word is not None and word.startswith("-")]
        simple = options.count("-name") == 1 and not set(options) & {"-o", "-or", "-not", "-iname", "-path", "-regex"}
        name = words[words.index("-name") + 1] if simple and words[-1] != "-name" else None
        starts = []
        for word in words:
            if word is None or word.startswith(("-", "(", "!")):
                break
            starts.append(word)
        if name is None or "!" in words:
            self.doubts.append("what find deletes")
        for start in starts or ["."]:
            self._note([Aimed(os.path.join(start, name), "sweep")] if name is not None else [], [])

    def _xargs(self, words: list[str | None], depth: int) -> None:
        """xargs: a command that gets more names, which are not known here."""
        rest = list(words)
        while rest and rest[0] is not None and rest[0].startswith("-"):
            word = rest.pop(0) or ""
            if (
                word in {"-I", "-n", "-P", "-d", "-L", "-s", "-a", "-E", "--max-args", "--max-procs", "--delimiter"}
                and rest
            ):
                rest.pop(0)
        if rest:
            self.run([*rest, None], depth, None)

    def _source(self, words: list[str | None]) -> None:
        """A script that is read into this shell; that of a virtual environment sets variables and nothing else."""
        word = words[0] if words else None
        if word is None or not word.endswith(("bin/activate", "/nvm.sh", "/.cargo/env")):
            self.doubts.append("what a sourced script does")
            self.known.clear()

    def _volition(self, words: list[str | None]) -> None:
        if act := act_of_people(words):
            self.writes.append(ShellWrite(self.start, act, "people"))
        else:
            self.programs.append("volition")

    def _carry(self, name: str, words: list[str | None], depth: int) -> None:
        """A program that runs another one: an interpreter with a module, a package manager with a tool."""
        if _asks_for_version(words) or (name == "node" and "--test" in words):
            self.programs.append(name)
        elif name in INTERPRETERS:
            at = words.index("-m") if "-m" in words else -1
            before = [word for word in words[: max(at, 0)] if word is None or not word.startswith("-")]
            module = words[at + 1] if 0 <= at < len(words) - 1 else None
            if module is None or before:
                self.doubts.append(f"what {name} does")
            elif module in {"volition.cli", "volition.cli.main"}:
                self._volition(words[at + 2 :])
            elif module.startswith(_GUARD):
                self._volition(["guard", "hook"])
            else:
                self.run([module, *words[at + 2 :]], depth, None)
        elif name == "node":
            self.doubts.append("what node does")
        else:
            self._tool(name, words, depth)

    def _tool(self, name: str, words: list[str | None], depth: int) -> None:
        verbs = CARRIERS[name]
        verb = next((word for word in words if word is not None and not word.startswith("-")), None)
        if verbs and verb not in verbs:
            self._look_up(name, words)
            return
        rest = list(words)
        while rest and (rest[0] is None or rest[0].startswith("-") or rest[0] in verbs):
            rest = rest[2:] if rest[0] in {"--with", "--python", "-p", "--package", "--group"} else rest[1:]
            if name == "coverage" and len(rest) > 1 and rest[0] == "-m":
                rest = rest[1:]
        if rest:
            self.programs.append(name)
            if name != "hatch":  # its scripts are written down in the project
                self.run(rest, depth, None)


def _asks_for_version(words: Sequence[str | None]) -> bool:
    return len(words) == 1 and words[0] in {"--version", "-V", "-v", "-version", "--help", "-h", "version"}


def _until_end(words: list[str | None]) -> list[str | None]:
    ends = [at for at, word in enumerate(words) if word in {";", "+", "\\;"}]
    return words[: ends[0]] if ends else words
