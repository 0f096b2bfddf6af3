"""Other languages are outlined by their grammars, which are optional."""

from __future__ import annotations

import re
import sys
import tomllib
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from volition.core.errors import InvalidInput, MissingPart
from volition.core.extras import EXTRAS
from volition.governance.outline.languages import BY_EXTENSION, GRAMMARS, outline_of

if TYPE_CHECKING:
    from tests.sentences import Told

ROOT = Path(__file__).parents[3]
JAVASCRIPT = """import x from "y";

@known
export class Cart extends Box {
  #secret = 1;

  /** Adds. */
  @log
  async add(item) {
    const inner = () => 1;
    return item;
  }

  total = () => 2;
  get ["computed"]() { return 1; }
}

export const LIMIT = 3, price = (x) => {
  return x;
};
// Two of them.
function* both() {}
const api = {
  get() {
    return 1;
  },
  put: function () {},
};
for (let i = 0; i < 3; i++) {}
class Tiny { one() {} two() {} }
"""
SOURCES = {
    "a.js": (JAVASCRIPT, """
        Cart class 3-16 | Cart.add method 7-12 | Cart.add.inner function 10-10 | Cart.total method 14-14
        LIMIT constant 18-18 | price function 18-20 | both function 21-22 | api constant 23-28 | api.get function 24-26
        api.put function 27-27 | Tiny class 30-30 | Tiny.one method 30-30 | Tiny.two method 30-30
    """),
    "a.ts": ("""export interface Item {
  name: string;
  price(): number;
}
export abstract class Cart<T> {
  add(item: T): void;
  add(item: any) {
  }
  abstract size(): number;
}
declare function far(): void;
type Id = string;
enum Color { Red }
export namespace Shop {
  export function open() {}
}
""", """
        Item class 1-4 | Item.price method 3-3 | Cart class 5-10 | Cart.add method 6-6 | Cart.add method 7-8
        Cart.size method 9-9 | far function 11-11 | Id class 12-12 | Color class 13-13 | Shop class 14-16
        Shop.open method 15-15
    """),
    "a.tsx": ("export function Page() {\n  return <b>hi</b>;\n}\n", "Page function 1-3"),
    "A.java": ("""package shop;

/**
 * A cart.
 */
@Known
public class Cart<T> {
    private int size = 0; // how many

    // Adds.
    @Override
    public void add(T item) {
        size++;
    }
    Cart() {}
    enum Color { RED }
}
record Point(int x) {}
interface Shape { int area(); }
""", """
        Cart class 3-17 | Cart.add method 10-14 | Cart.Cart method 15-15 | Cart.Color class 16-16 | Point class 18-18
        Shape class 19-19 | Shape.area method 19-19
    """),
    "a.go": ("""package shop

// Cart holds items.
type Cart[T any] struct {
	items []T
}

// Add adds.
func (c *Cart[T]) Add(item T) {
}

func New() *Cart[int] { return nil }

const (
	A = 1
	B, C = 2, 3
)
var limit = 3
""", """
        Cart class 3-6 | Cart.Add method 8-10 | New function 12-12 | A constant 15-15 | B constant 16-16
        C constant 16-16 | limit constant 18-18
    """),
    "a.rs": ("""/// A cart.
#[derive(Debug)]
pub struct Cart<T> {
    items: Vec<T>,
}
impl<T> Shape for Cart<T> {
    #[inline]
    fn area(&self) -> i32 {
        1
    }
}
const LIMIT: i32 = 3;
mod tests {
    #[test]
    fn adds() {}
}
""", """
        Cart class 1-5 | Cart class 6-11 | Cart.area method 7-10 | LIMIT constant 12-12 | tests class 13-16
        tests.adds method 14-15
    """),
    "a.h": ("""#ifndef A_H
#define A_H
#define MOST 3
struct cart { int size; };
typedef struct { int x; } point;
struct cart *other(struct cart *one);
static struct cart *add(struct cart *one)
{
    return one;
}
int limit = 3;
#endif
""", """
        A_H constant 2-2 | MOST constant 3-3 | cart class 4-4 | point class 5-5 | add function 7-10 | limit constant 11-11
    """),
    "a.cpp": ("""namespace shop {
template <class T>
class Cart {
 public:
  ~Cart() {}
  int size() const { return 1; }
  bool operator==(const Cart& other) { return true; }
};
int& Cart<int>::at(int n) {
  return n;
}
template <class T> T twice(T x) { return x; }
}
""", """
        Cart class 2-8 | Cart.Cart method 5-5 | Cart.size method 6-6 | Cart.at method 9-11 | twice function 12-12
    """),
    "a.cs": ("""using System;
namespace Shop.Core {
    [Known]
    class Cart {
        public int Size { get; set; }
        void Add() {
        }
    }
    record Point(int X);
}
""", "Cart class 3-8 | Cart.Size method 5-5 | Cart.Add method 6-7 | Point class 9-9"),
    "a.rb": ("""module Shop
  # A cart.
  class Cart
    def empty?
      true
    end
    def self.make; end
    def ==(other); end
  end
end
""", "Shop class 1-10 | Shop.Cart class 2-9 | Shop.Cart.empty method 4-6 | Shop.Cart.make method 7-7"),
    "a.php": ("""<?php
namespace Shop;
class Cart {
    public function add($item) {
    }
}
function twice($x) { return $x; }
""", "Cart class 3-6 | Cart.add method 4-5 | twice function 7-7"),
}  # fmt: skip


def needs_grammar(name: str) -> None:
    module = BY_EXTENSION[Path(name).suffix].module.partition(":")[0]
    if find_spec(module) is None:
        pytest.skip(f"SKIPPED: {module} is not installed")


@pytest.mark.req("GV-26")
@pytest.mark.parametrize("name", SOURCES)
def test_a_language_is_outlined_by_its_grammar(name: str) -> None:
    """Classes, functions and methods, with what stands directly above them, and constants at the top level are parts."""
    needs_grammar(name)
    text, expected = SOURCES[name]
    for end in ("\n", "\r\n"):
        parts = outline_of(name, text.replace("\n", end).encode()).parts
        found = [f"{part.name} {part.kind} {part.first}-{part.last}" for part in parts]
        assert found == [line.strip() for line in re.split(r"[|\n]", expected) if line.strip()]


def test_lines_shared_with_the_surroundings_count_for_them() -> None:
    """Where a class and its methods are on one line, a change of the line is a change of the class."""
    needs_grammar("a.js")
    owners = outline_of("a.js", JAVASCRIPT.encode()).owners(30)
    assert (owners[29], owners[8], owners[9], owners[14]) == (("Tiny",), ("Cart.add",), ("Cart.add.inner",), ("Cart",))
    assert owners[17] == ("LIMIT", "price")
    for shared in (b"class A {\n  one() {\n  } }\n", b"class A { one() {\n  }\n}\n"):
        assert outline_of("a.js", shared).owners(3) == [("A",)] * 3


@pytest.mark.parametrize(
    ("name", "text", "line"), [("a.js", "let x = 1;\nfunction (\n", 2), ("A.java", "class A {\n\n  int f( }\n", 3)]
)
def test_an_error_is_said_with_its_line(name: str, text: str, line: int, told: Told) -> None:
    """A file that its grammar does not know has no outline."""
    needs_grammar(name)
    with told.raises(InvalidInput) as caught:
        outline_of(name, text.encode())
    assert caught.value.problems[0].where == f"{name}, line {line}"


@pytest.mark.parametrize("module", ["tree_sitter", "tree_sitter_java"])
def test_a_missing_grammar_is_named_with_what_installs_it(module: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the grammar, or what reads grammars, the answer names it and the extra."""
    needs_grammar("A.java")
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(MissingPart, match=f"^{module} is not installed") as caught:
        outline_of("A.java", b"class A {}")
    assert (
        caught.value.problems[0].remedy
        == "pip install '.[outline]' in volition's repository, or its wheel file in place of the dot"
    )


def test_the_table_is_what_the_project_installs() -> None:
    """The grammars of the table are those of the extra, which the tests install too, in the same versions."""
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]
    modules = {grammar.module.partition(":")[0] for grammar in GRAMMARS}
    installed = {re.split("[<>=]", name)[0].replace("-", "_") for name in extras["outline"]}
    assert installed == {"tree_sitter", *modules}
    assert set(extras["outline"]) <= set(extras["test"])
    assert {module for module, extra in EXTRAS.items() if extra == "outline"} == modules
    assert all(sum(extension in grammar.extensions.split() for grammar in GRAMMARS) == 1 for extension in BY_EXTENSION)
