"""The languages of source files: which one a file is in, and its outline.

Python is read with `ast`, all other languages with the grammars of tree-sitter.

A grammar is an optional package of the extra `outline`; what a language calls its parts is one row of a table. A part
begins with the comments, decorators and attributes directly above it, which describe it.
"""

from __future__ import annotations

import re
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Final

from msgspec import Struct

from volition.core.errors import MissingPart, Problem, refuse
from volition.core.extras import install_line
from volition.governance.outline.parts import Outline, SourcePart, python_parts, refuse_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tree_sitter import Node, Parser

    from volition.governance.outline.parts import Kind

    Kinds = dict[str, frozenset[str]]


class Grammar(Struct, frozen=True):
    """How the parts of a language are found: kinds of nodes, as the grammar names them."""

    language: str
    module: str
    """The module with the grammar, and the function that returns it where that is not `language`."""
    extensions: str
    classes: str
    """Nodes that are a class, or something like one."""
    functions: str
    """Nodes that are a function; in a class, a method."""
    constants: str = ""
    """Nodes that are a part at the top level only, and anywhere where their value is a function."""
    wrappers: str = ""
    """Nodes that lie around a part and belong to it, where it is the only one in them."""


_JAVASCRIPT: Final = (
    "function_declaration generator_function_declaration method_definition",
    "variable_declarator field_definition pair",
    "export_statement lexical_declaration variable_declaration",
)
_C: Final = (
    "function_definition preproc_function_def",
    "init_declarator preproc_def",
    "declaration template_declaration",
)
_TYPESCRIPT: Final = (
    "class_declaration abstract_class_declaration interface_declaration enum_declaration type_alias_declaration internal_module",
    f"{_JAVASCRIPT[0]} function_signature method_signature abstract_method_signature",
    f"{_JAVASCRIPT[1]} public_field_definition",
    f"{_JAVASCRIPT[2]} ambient_declaration",
)
GRAMMARS: Final = (
    Grammar("JavaScript", "tree_sitter_javascript", ".js .jsx .mjs .cjs", "class_declaration", *_JAVASCRIPT),
    Grammar("TypeScript", "tree_sitter_typescript:language_typescript", ".ts .mts .cts", *_TYPESCRIPT),
    Grammar("TypeScript", "tree_sitter_typescript:language_tsx", ".tsx", *_TYPESCRIPT),
    Grammar(
        "Java", "tree_sitter_java", ".java",
        "class_declaration interface_declaration enum_declaration record_declaration annotation_type_declaration",
        "method_declaration constructor_declaration compact_constructor_declaration",
    ),
    Grammar(
        "Go", "tree_sitter_go", ".go", "type_spec type_alias", "function_declaration method_declaration",
        "const_spec var_spec", "type_declaration const_declaration var_declaration var_spec_list",
    ),
    Grammar(
        "Rust", "tree_sitter_rust", ".rs", "struct_item enum_item union_item trait_item impl_item mod_item type_item",
        "function_item function_signature_item macro_definition", "const_item static_item",
    ),
    Grammar("C", "tree_sitter_c", ".c .h", "struct_specifier union_specifier enum_specifier type_definition", *_C),
    Grammar(
        "C++", "tree_sitter_cpp", ".cc .cpp .cxx .hh .hpp .hxx",
        "class_specifier struct_specifier union_specifier enum_specifier type_definition alias_declaration", *_C,
    ),
    Grammar(
        "C#", "tree_sitter_c_sharp", ".cs",
        "class_declaration struct_declaration interface_declaration record_declaration enum_declaration",
        "method_declaration constructor_declaration property_declaration delegate_declaration local_function_statement",
    ),
    Grammar("Ruby", "tree_sitter_ruby", ".rb", "class module", "method singleton_method"),
    Grammar(
        "PHP", "tree_sitter_php:language_php", ".php",
        "class_declaration interface_declaration trait_declaration enum_declaration",
        "function_definition method_declaration",
    ),
)  # fmt: skip
BY_EXTENSION: Final = {extension: grammar for grammar in GRAMMARS for extension in grammar.extensions.split()}
_NAMED_BY: Final = ("name", "property", "key", "declarator", "type")
"""The fields of a node that may hold its name, the first one first."""
_FUNCTIONS: Final = frozenset({"arrow_function", "function_expression", "generator_function"})
_ABOVE: Final = frozenset({"comment", "line_comment", "block_comment", "attribute_item", "decorator"})
_AROUND: Final = re.compile(r"preproc_\w+|linkage_specification|namespace_\w+|declaration_list")
"""Nodes around the top level of a file that are no parts."""
_SIGNS: Final = re.compile(r"[#@~&*]*([\w$]+)[?!=]?")
"""A name with the signs that it is called without: `valid?` is `valid`, and `#secret` is `secret`."""


PYTHON: Final = "Python"
_PYTHON_ENDINGS: Final = frozenset({".py", ".pyi", ".pyw"})


def language_of(path: str) -> str | None:
    """The language of a source file, by the ending of its name; None if its parts cannot be read.

    >>> language_of("src/cart.py"), language_of("src/Cart.java"), language_of("README.md")
    ('Python', 'Java', None)
    """
    ending = PurePosixPath(path).suffix
    if ending in _PYTHON_ENDINGS:
        return PYTHON
    return BY_EXTENSION[ending].language if ending in BY_EXTENSION else None


def outline_of(path: str, content: bytes) -> Outline:
    """The outline of a source file.

    InvalidInput if it is in no known language, or does not parse, with the line; MissingPart if the grammar of its
    language is not installed. Nothing is guessed of a file with an error.

    >>> [part.name for part in outline_of("cart.py", b"class Cart:\\n    def add(self): ...\\n").parts]
    ['Cart', 'Cart.add']
    """
    language = language_of(path)
    if language is None:
        refuse(
            "files like this have no known parts",
            where=path,
            expected=f"a name that ends in one of {', '.join(sorted({*_PYTHON_ENDINGS, *BY_EXTENSION}))}",
            remedy="claim the whole file",
        )
    if language == PYTHON:
        return Outline(language, tuple(python_parts(content, path)))
    return Outline(language, tuple(grammar_parts(BY_EXTENSION[PurePosixPath(path).suffix], content, path)))


def grammar_parts(grammar: Grammar, content: bytes, where: str) -> list[SourcePart]:
    """The parts of a source file, in the order of the file; InvalidInput with the line where it does not parse, and
    MissingPart where its grammar is not installed."""
    root = _parser(grammar.module, where).parse(content).root_node
    if root.has_error:
        refuse_text(f"the grammar of {grammar.language} does not know this", where, _first_error(root))
    kinds: Kinds = {name: frozenset(getattr(grammar, name).split()) for name in Grammar.__struct_fields__[3:]}
    parts: list[SourcePart] = []
    ends: list[object] = []
    waiting: list[tuple[Node, int]] = [(root, -1)]
    while waiting:
        node, within = waiting.pop()
        around = parts[within] if within >= 0 else None
        outer = _outer(node, kinds)
        kind = _kind(node, outer, kinds, around)
        names = list(_names(node)) if kind else []
        for name in names:
            assert kind
            first, last = _first_line(outer), _last_line(outer)
            joined = around is not None and (
                around.joined or first == around.first or (last == around.last and ends[within] != outer.end_point)
            )
            qualified = name if around is None else f"{around.name}.{name}"
            owned: Kind = "method" if kind == "function" and "." in name else kind
            parts.append(SourcePart(qualified, owned, first, last, within, joined))
            ends.append(outer.end_point)
        inner = len(parts) - 1 if names else within
        waiting += [(child, inner) for child in reversed(node.named_children)]
    return parts


def _parser(module: str, where: str) -> Parser:
    name = module.partition(":")[0]
    missing = [needed for needed in ("tree_sitter", name) if find_spec(needed) is None]
    if missing:
        what = f"{' and '.join(missing)} {'is' if len(missing) == 1 else 'are'} not installed"
        raise MissingPart(Problem(what, where, "the extra 'outline'", install_line("outline")))
    return _made_parser(module)


@cache
def _made_parser(module: str) -> Parser:
    from tree_sitter import Language, Parser  # noqa: PLC0415  only a file in such a language needs it

    name, _, function = module.partition(":")
    return Parser(Language(getattr(import_module(name), function or "language")()))


def _first_error(root: Node) -> int:
    """The line of the first error in a tree that has one."""
    node = root
    while not (node.is_error or node.is_missing):
        node = next(child for child in node.children if child.has_error or child.is_missing)
    return int(node.start_point[0]) + 1


def _outer(node: Node, kinds: Kinds) -> Node:
    """The node with all that lies around it and belongs to it alone."""
    known = frozenset().union(*kinds.values())
    while (parent := node.parent) is not None and parent.type in kinds["wrappers"]:
        if sum(child.type in known for child in parent.named_children) > 1:
            break
        node = parent
    return node


def _kind(node: Node, outer: Node, kinds: Kinds, around: SourcePart | None) -> Kind | None:
    """What kind of part a node is; None if it is none."""
    type = node.type
    if type in kinds["classes"]:  # `struct S x;` uses a structure and defines none
        return "class" if not type.endswith("_specifier") or node.child_by_field_name("body") else None
    value = node.child_by_field_name("value") if type in kinds["constants"] else None
    if type in kinds["functions"] or (value is not None and value.type in _FUNCTIONS):
        return "method" if around is not None and around.kind == "class" else "function"
    if type in kinds["constants"] and around is None and _is_top(outer, kinds["wrappers"]):
        return "constant"
    return None


def _is_top(node: Node, wrappers: frozenset[str]) -> bool:
    parent = node.parent
    while parent is not None and parent.parent is not None:
        if parent.type not in wrappers and not _AROUND.fullmatch(parent.type):
            return False
        parent = parent.parent
    return True


def _names(node: Node) -> Iterator[str]:
    """What a node defines, each name with its owner where the node itself names one, as methods do in Go and C++.

    Where a name is made of other signs, as an operator or a computed key is, the node has no name, and is no part."""
    receiver = node.child_by_field_name("receiver")
    owner = _first_of("type_identifier", receiver) if receiver else ""
    for field in _NAMED_BY:
        named = [child for child in node.children_by_field_name(field) if child.is_named]
        for child in named:
            steps = re.split(r"::|\.|\\", _without_arguments(_text(_innermost(child))))
            words = [_SIGNS.fullmatch(step) for step in ([owner] if owner else []) + steps]
            if all(words):
                yield ".".join(word[1] for word in words if word)
        if named:
            return


def _without_arguments(name: str) -> str:
    """A name without type arguments: `Cart<List<T>>::add` is `Cart::add`."""
    while (shorter := re.sub(r"<[^<>]*>|\[[^][]*\]", "", name)) != name:
        name = shorter
    return name.strip()


def _innermost(node: Node) -> Node:
    """The name in a declarator of C, such as `f` in `*f(int)`."""
    while (inner := node.child_by_field_name("declarator")) or (
        node.type.endswith("_declarator") and node.named_children
    ):
        node = inner or node.named_children[-1]
    return node


def _first_of(type: str, node: Node) -> str:
    waiting = [node]
    while waiting:
        node = waiting.pop()
        if node.type == type:
            return _text(node)
        waiting += reversed(node.named_children)
    return ""


def _text(node: Node) -> str:
    return (node.text or b"").decode(errors="replace")


def _first_line(node: Node) -> int:
    """The first line of a part, with what stands directly above it on separate lines."""
    first, above, around = int(node.start_point[0]) + 1, node.prev_sibling, node.parent
    while above is None and around is not None and around.start_point == node.start_point:
        above, around = around.prev_sibling, around.parent  # a body in Ruby begins with its first statement
    while above is not None and above.type in _ABOVE and _last_line(above) >= first - 1:
        before = above.prev_sibling
        if before is not None and _last_line(before) >= above.start_point[0] + 1:
            break
        first, above = int(above.start_point[0]) + 1, before
    return first


def _last_line(node: Node) -> int:
    row, column = node.end_point
    return int(row) + (1 if column or node.start_point[0] == row else 0)
