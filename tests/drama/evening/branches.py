"""The laws with a probe at every branch: copies of their functions that also write down which way each went."""

from __future__ import annotations

import ast
import inspect
from contextlib import contextmanager
from types import CodeType, FunctionType
from typing import TYPE_CHECKING, Any, Final

from volition.drama.evening import compiled

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import ModuleType

    import pytest

_FUTURE: Final = ast.parse("from __future__ import annotations").body


class Branches:
    """Every branch of the laws: the two ways of each condition, and the body of each loop."""

    def __init__(self) -> None:
        self.names: list[str] = []
        self.taken: list[int] = []
        scopes = {module.__name__: self._scope(module) for module in compiled.LAWS}
        self.laws = {
            (home, name): value
            for home, scope in scopes.items()
            for name, value in scope.items()
            if isinstance(value, FunctionType) and value.__globals__ is scope
        }
        for scope in scopes.values():
            for name, value in list(scope.items()):
                if isinstance(value, FunctionType):
                    scope[name] = self.laws.get((value.__module__, value.__name__), value)

    def law(self, module: str, name: str) -> Any:
        """A law with its probes, to be called by hand."""
        return self.laws[f"{compiled.__package__}.{module}", name]

    def missing(self) -> list[str]:
        """The branches that nothing has taken."""
        return [name for name, taken in zip(self.names, self.taken, strict=True) if not taken]

    @contextmanager
    def probed(self, patch: pytest.MonkeyPatch, *modules: ModuleType) -> Iterator[None]:
        """While it lasts, some modules call the laws with probes."""
        with patch.context() as patched:
            for module in modules:
                for name, value in list(vars(module).items()):
                    law = isinstance(value, FunctionType) and self.laws.get((value.__module__, value.__name__))
                    if law:
                        patched.setattr(module, name, law)
            yield

    def _scope(self, module: ModuleType) -> dict[str, Any]:
        """The globals of a module, whose own functions have probes."""
        tree = ast.parse(inspect.getsource(module))
        functions = [node for node in tree.body if isinstance(node, ast.FunctionDef)]
        probed = ast.Module([*_FUTURE, *(_Probes(self, module).visit(function) for function in functions)], [])
        code: CodeType = compile(ast.fix_missing_locations(probed), str(module.__file__), "exec")
        scope = {**vars(module), "_taken": self.taken, "_way": self._way, "_index": _index}
        exec(code, scope)
        return scope

    def _way(self, place: int, test: Any) -> Any:
        self.taken[place + (not test)] = 1
        return test

    def add(self, name: str) -> int:
        """A place for a branch."""
        self.names.append(name)
        self.taken.append(0)
        return len(self.names) - 1


def _index(index: Any) -> Any:
    """An index that a law uses: one that counts from the end is a mistake, for nobody and nowhere are -1."""
    assert isinstance(index, str) or index >= 0, f"a law counts from the end of a table: {index}"
    return index


class _Probes(ast.NodeTransformer):
    """Puts a probe at every branch of a function, and at every index."""

    def __init__(self, branches: Branches, module: ModuleType) -> None:
        self.branches, self.where = branches, module.__name__.rpartition(".")[2]

    def visit_If(self, node: Any) -> Any:
        return self._probe(node)

    def visit_While(self, node: Any) -> Any:
        return self._probe(node)

    def visit_IfExp(self, node: Any) -> Any:
        return self._probe(node)

    def visit_Subscript(self, node: ast.Subscript) -> Any:
        self.generic_visit(node)
        if not isinstance(node.slice, ast.Constant):
            node.slice = ast.Call(ast.Name("_index", ast.Load()), [node.slice], [])
        return node

    def visit_For(self, node: ast.For) -> Any:
        place = self.branches.add(
            f"{self._place(node)} never runs: for {ast.unparse(node.target)} in {ast.unparse(node.iter)}"
        )
        self.generic_visit(node)
        node.body = [*ast.parse(f"_taken[{place}] = 1").body, *node.body]
        return node

    def _probe(self, node: Any) -> Any:
        text = f"if {ast.unparse(node.test)}"
        place = self.branches.add(f"{self._place(node)} never true: {text}")
        self.branches.add(f"{self._place(node)} never false: {text}")
        self.generic_visit(node)
        node.test = ast.Call(ast.Name("_way", ast.Load()), [ast.Constant(place), node.test], [])
        return node

    def _place(self, node: Any) -> str:
        return f"{self.where}:{node.lineno}"
