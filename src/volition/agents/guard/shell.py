"""Command lines, read with a parser for bash: what they are seen to write, and what cannot be known of them.

Every redirection counts, and every known command in a pipe, a subshell, a function, a condition, a substitution or a
`bash -c`. After `cd` a relative path means something else; after a `cd` that is not known, it is not known either.
"""

from __future__ import annotations

import os.path
from functools import cache
from typing import TYPE_CHECKING, Final

from volition.agents.guard.patch import BEGIN, patched_files
from volition.agents.guard.shell_commands import COMMANDS, HARMLESS, Into
from volition.agents.guard.shell_git import CONFIG, git_writes
from volition.agents.guard.shell_words import ShellWrite, sort_words, word_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tree_sitter import Node, Parser

DEEPEST: Final = 12
"""How many command lines within command lines are read."""
_OPENS: Final = frozenset({">", ">>", ">|", "&>", "&>>", "<>", ">&"})
_SHELLS: Final = frozenset({"bash", "sh", "dash", "zsh", "ksh"})
_BRANCHES: Final = frozenset({
    "if_statement", "while_statement", "for_statement", "c_style_for_statement", "case_statement", "function_definition",
    "until_statement", "select_statement",
})  # fmt: skip
_CARRIERS: Final = {
    "sudo": "u g h p C D R T user group", "env": "u C S unset chdir", "nohup": "", "nice": "n adjustment", "command": "",
    "exec": "a", "builtin": "", "timeout": "s k signal kill-after", "stdbuf": "i o e", "time": "o f", "setsid": "",
    "ionice": "c n p", "doas": "u C",
}  # fmt: skip
"""Commands that run the command in their arguments, with their options that take a value."""


def read_shell(text: str, folder: str) -> tuple[list[ShellWrite], list[str]]:
    """What a command line is seen to write, and its doubts, each once and in order."""
    reader = _Reader(folder)
    reader.read(text, 0)
    return list(dict.fromkeys(reader.writes)), list(dict.fromkeys(reader.doubts))


@cache
def _parser() -> Parser:
    from tree_sitter import Language, Parser  # only a command line needs it

    return Parser(Language(_grammar()))


def _grammar() -> object:
    """The grammar of bash. Its package is not imported where its compiled part can be: half of the time of reading a
    command line would go into what the package imports for other purposes."""
    from importlib import machinery

    spec = machinery.PathFinder.find_spec("tree_sitter_bash")
    for folder in (spec and spec.submodule_search_locations) or ():
        compiled = machinery.FileFinder(folder, (machinery.ExtensionFileLoader, machinery.EXTENSION_SUFFIXES))
        if (found := compiled.find_spec("_binding")) and found.loader:
            module = found.loader.create_module(found)
            found.loader.exec_module(module)  # type: ignore[arg-type]
            return module.language()  # type: ignore[union-attr]
    import tree_sitter_bash

    return tree_sitter_bash.language()


class _Reader:
    """Walks the tree of a command line with the folder in which each command runs; None if that is not known."""

    def __init__(self, folder: str | None) -> None:
        self.folder = folder
        self.start = folder or "."
        self.writes: list[ShellWrite] = []
        self.doubts: list[str] = []
        self._functions: set[str] = set()

    def read(self, text: str, depth: int) -> None:
        """Read a command line."""
        if depth > DEEPEST:
            self.doubts.append("command lines in command lines")
            return
        root = _parser().parse(text.encode(errors="surrogateescape")).root_node
        if root.has_error:
            self.doubts.append("a command line that cannot be read as a whole")
        self._walk(root, depth)

    def _walk(self, node: Node, depth: int) -> None:
        kind = node.type
        if kind == "command":
            self._command(node, depth)
        elif kind == "file_redirect":
            self._redirect(node)
        elif kind == "function_definition":
            name = node.child_by_field_name("name")
            self._functions.add((name.text or b"").decode(errors="replace") if name else "")
        elif kind == "variable_assignment":
            self._assignment(node)
        elif kind == "heredoc_body":
            self._inner(node, depth)
        if kind in {"heredoc_body", "comment", "command"}:
            return
        before = self.folder
        apart = kind in {"subshell", "command_substitution", "process_substitution"} or (
            kind == "pipeline" and node.named_child_count > 1
        )
        for child in node.children:
            self._walk(child, depth)
        if apart:
            self.folder = before
        elif kind in _BRANCHES and self.folder != before:
            self.folder = None

    def _inner(self, node: Node, depth: int) -> None:
        """Read what is inside the words of a command: substitutions and redirections."""
        for child in node.children:
            if child.type in {"command_substitution", "process_substitution", "file_redirect"}:
                self._walk(child, depth)
            else:
                self._inner(child, depth)

    def _redirect(self, node: Node) -> None:
        operator = next((child.type for child in node.children if child.type in _OPENS), "")
        target = node.child_by_field_name("destination")
        if not operator or target is None:
            return
        path = word_of(target)
        if operator == ">&" and (path is None or path.isdigit() or path == "-"):
            return
        self._write(path)

    def _write(self, path: str | None) -> None:
        if path is None:
            self.doubts.append("a file that the shell will name")
        elif self.folder is None and not os.path.isabs(os.path.expanduser(path)):
            self.doubts.append(f"{path} in a folder that the shell will name")
        else:
            self.writes.append(ShellWrite(self.folder or "/", path))

    def _assignment(self, node: Node) -> None:
        name = node.child_by_field_name("name")
        text = (name.text or b"").decode(errors="replace") if name else ""
        if text.startswith("GIT_CONFIG") or text in {"GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE"}:
            self.writes.append(ShellWrite(self.start, CONFIG))

    def _command(self, node: Node, depth: int) -> None:
        for child in node.children:
            if child.type == "variable_assignment":
                self._assignment(child)
        self._inner(node, depth)
        arguments = node.children_by_field_name("argument")
        words = [word_of(child) for child in node.children if child.type == "command_name" or child in arguments]
        self._run(words, depth, body=_heredoc(node))

    def _run(self, words: list[str | None], depth: int, body: str | None) -> None:
        """Take a command with its arguments for what it does."""
        while words and words[0] is not None and os.path.basename(words[0]) in _CARRIERS:
            if "-o" in words and os.path.basename(words[0]) == "time":
                self.doubts.append("the report of time")
            words = self._find_inner_command(os.path.basename(words[0]), words[1:])
        if not words:
            return
        if words[0] is None:
            self.doubts.append("a command that the shell will name")
            return
        name = os.path.basename(words[0])
        rest = words[1:]
        if name in self._functions:
            return  # its body was read where it is defined
        if name in {"cd", "pushd", "popd"}:
            self._go(name, rest)
        elif name == "git":
            self._git(rest)
        elif name in _SHELLS:
            self._shell(name, rest, depth, body)
        elif name == "eval":
            known = [word for word in rest if word is not None]
            self.read(" ".join(known), depth + 1) if len(known) == len(rest) else self.doubts.append("eval")
        elif name in {"apply_patch", "applypatch"}:
            self._patch(rest, body)
        elif name in COMMANDS:
            found, doubts = COMMANDS[name](rest)
            self._note(found, doubts)
        elif name not in HARMLESS:
            self.doubts.append(f"what {name} does")

    def _note(self, found: Sequence[str | Into], doubts: Sequence[str]) -> None:
        for one in found:
            if isinstance(one, Into):
                there = os.path.join(self.folder or "/", os.path.expanduser(one.target))
                self._write(os.path.join(one.target, one.name) if os.path.isdir(there) else one.target)
            else:
                self._write(one)
        self.doubts += doubts

    def _find_inner_command(self, name: str, words: list[str | None]) -> list[str | None]:
        """The command that another one runs."""
        takes = set(_CARRIERS[name].split())
        rest = list(words)
        while rest:
            word = rest[0]
            if word is not None and word.startswith("-") and word != "-":
                rest.pop(0)
                if word == "--":
                    break
                if word.lstrip("-") in takes and rest:
                    rest.pop(0)
            elif name == "env" and word is not None and "=" in word:
                rest.pop(0)
                if word.startswith("GIT_CONFIG"):
                    self.writes.append(ShellWrite(self.start, CONFIG))
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

    def _git(self, words: list[str | None]) -> None:
        folder, (found, doubts) = git_writes(words)
        before = self.folder
        if CONFIG in found:
            self.writes.append(ShellWrite(self.start, CONFIG))
            found = [one for one in found if one != CONFIG]
        if folder and self.folder is not None:
            self.folder = os.path.join(self.folder, os.path.expanduser(folder))
        self._note(found, doubts)
        self.folder = before

    def _shell(self, name: str, words: list[str | None], depth: int, body: str | None) -> None:
        given = sort_words(words, "c o O rcfile init-file")
        lines = given.value("c")
        inner = lines[0] if lines else body if not given.operands else None
        before = self.folder
        if inner is None:
            self.doubts.append(f"what {name} does")
        else:
            self.read(inner, depth + 1)
        self.folder = before

    def _patch(self, words: list[str | None], body: str | None) -> None:
        texts = [text for text in (*words, body) if text is not None and BEGIN in text]
        files = [path for text in texts for path in patched_files(text)]
        self._note(files, [] if files else ["a patch that is not on the command line"])


def _heredoc(node: Node) -> str | None:
    """The text that a command gets from a heredoc, if nothing in it depends on the shell."""
    around = node.parent
    while around is not None and around.type in {"list", "pipeline"}:
        around = around.parent
    if around is None or around.type != "redirected_statement":
        return None
    for redirect in around.children_by_field_name("redirect"):
        if redirect.type != "heredoc_redirect":
            continue
        body = next((child for child in redirect.children if child.type == "heredoc_body"), None)
        if body is not None:
            return (body.text or b"").decode(errors="surrogateescape")
    return None
