"""Command lines, read with a parser for bash: what they are seen to write, and what cannot be known of them.

Every redirection counts, and every known command in a pipe, a subshell, a function, a condition, a substitution or a
`bash -c`. After `cd` a relative path means something else; after a `cd` that is not known, it is not known either. A
variable has the value that the line gave it, if nothing else could have changed it.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Final, NamedTuple

from volition.agents.guard.shell.calls import CallReader
from volition.agents.guard.shell.words import ShellWrite, word_of, words_of

if TYPE_CHECKING:
    from tree_sitter import Node, Parser

DEEPEST: Final = 12
"""How many command lines within command lines are read."""
MOST: Final = 40
"""How many values of a loop are followed."""
_OPENS: Final = frozenset({">", ">>", ">|", "&>", "&>>", "<>", ">&"})
_LOOPS: Final = frozenset(
    {"while_statement", "for_statement", "c_style_for_statement", "until_statement", "select_statement"}
)
_BRANCHES: Final = frozenset({"if_statement", "case_statement", "function_definition", *_LOOPS})
_APART: Final = frozenset({"subshell", "command_substitution", "process_substitution"})


class ShellReading(NamedTuple):
    """What a command line is seen to write, what cannot be known of it, and which programs in it are judged by what they
    changed."""

    writes: list[ShellWrite]
    doubts: list[str]
    programs: list[str]


def read_shell(text: str, folder: str) -> ShellReading:
    """Read a command line: everything once, and in order."""
    reader = _Reader(folder)
    reader.read(text, 0)
    texts = (list(dict.fromkeys(repeated)) for repeated in (reader.doubts, reader.programs))
    return ShellReading(list(dict.fromkeys(reader.writes)), *texts)


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
        if (binding := compiled.find_spec("_binding")) and binding.loader:
            module = binding.loader.create_module(binding)
            binding.loader.exec_module(module)  # type: ignore[arg-type]
            return module.language()  # type: ignore[union-attr]
    import tree_sitter_bash

    return tree_sitter_bash.language()


class _Reader(CallReader):
    """Walks the tree of a command line with the folder in which each command runs; None if that is not known."""

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
            self.functions.add((name.text or b"").decode(errors="replace") if name else "")
        elif kind == "variable_assignment":
            self._assignment(node)
        elif kind == "unset_command":
            self._unset(node)
        elif kind == "heredoc_body":
            self._inner(node, depth)
        if kind in {"heredoc_body", "comment", "command"}:
            return
        before, values = self.folder, dict(self.known)
        if kind in _LOOPS:
            self._forget(node)
        if kind == "for_statement":
            self._loop(node, depth)
        else:
            for child in node.children:
                self._walk(child, depth)
        if kind in _APART or (kind == "pipeline" and node.named_child_count > 1):
            self.folder, self.known = before, values
        elif kind in _BRANCHES:
            self.folder = self.folder if self.folder == before else None
            self.known = {name: value for name, value in self.known.items() if values.get(name) == value}

    def _loop(self, node: Node, depth: int) -> None:
        """Read the body of a `for` once for each value, where all are known."""
        variable = node.child_by_field_name("variable")
        name = (variable.text or b"").decode(errors="replace") if variable else ""
        value_nodes = node.children_by_field_name("value")
        values = [word for value_node in value_nodes for word in words_of(value_node, self.folder, self.known)]
        for node_of_value in value_nodes:
            self._inner(node_of_value, depth)
        sure = [value for value in values if value is not None]
        body = node.child_by_field_name("body")
        for value in sure if sure and len(sure) == len(values) <= MOST else [None]:
            self.known.pop(name, None)
            if value is not None:
                self.known[name] = value
            if body is not None:
                self._walk(body, depth)
        self.known.pop(name, None)

    def _forget(self, node: Node) -> None:
        """A variable that a loop sets may have any of its values when the body begins."""
        for child in node.children:
            if child.type == "variable_assignment" and (name := child.child_by_field_name("name")):
                self.known.pop((name.text or b"").decode(errors="replace"), None)
            self._forget(child)

    def _inner(self, node: Node, depth: int) -> None:
        """Read what is inside the words of a command: substitutions and redirections."""
        for child in (node, *node.children) if node.type in _APART else node.children:
            if child.type in {*_APART, "file_redirect"}:
                self._walk(child, depth)
                if child is node:
                    return
            else:
                self._inner(child, depth)

    def _redirect(self, node: Node) -> None:
        operator = next((child.type for child in node.children if child.type in _OPENS), "")
        target = node.child_by_field_name("destination")
        if not operator or target is None:
            return
        words = words_of(target, self.folder, self.known)
        path = words[0] if len(words) == 1 else None
        if operator == ">&" and path is not None and (path.isdigit() or path == "-"):
            return
        self.write(path)

    def _assignment(self, node: Node) -> None:
        name, value = node.child_by_field_name("name"), node.child_by_field_name("value")
        text = (name.text or b"").decode(errors="replace") if name else ""
        self.check_variable(text)
        assigned = word_of(value, self.known) if value else ""
        plain = (
            name is not None
            and name.type == "variable_name"
            and "+=" not in (node.text or b"").decode(errors="replace")
        )
        if assigned is None or not plain:
            self.known.pop(text, None)
        else:
            self.known[text] = assigned

    def _unset(self, node: Node) -> None:
        for child in node.named_children:
            name = (child.text or b"").decode(errors="replace")
            self.known.pop(name, None)
            self.check_variable(name)

    def _command(self, node: Node, depth: int) -> None:
        before = dict(self.known)
        for child in node.children:
            if child.type == "variable_assignment":
                self._assignment(child)
        self.known = before  # it holds for the command alone, and its words do not see it
        self._inner(node, depth)
        arguments = node.children_by_field_name("argument")
        words = [
            word
            for child in node.children
            if child.type == "command_name" or child in arguments
            for word in words_of(child, self.folder, self.known)
        ]
        self.run(words, depth, body=_input_text(node, self.known))


def _input_text(node: Node, known: dict[str, str]) -> str | None:
    """The text that a command gets from a heredoc or a herestring, if nothing in it depends on the shell."""
    for child in node.children:
        if child.type == "herestring_redirect" and child.named_children:
            return word_of(child.named_children[-1], known)
    around = node.parent
    while around is not None and around.type in {"list", "pipeline"}:
        around = around.parent
    if around is None or around.type != "redirected_statement":
        return None
    for redirect in around.children_by_field_name("redirect"):
        if redirect.type == "herestring_redirect" and redirect.named_children:
            return word_of(redirect.named_children[-1], known)
        if redirect.type != "heredoc_redirect":
            continue
        body = next((child for child in redirect.children if child.type == "heredoc_body"), None)
        if body is not None:
            return (body.text or b"").decode(errors="surrogateescape")
    return None
