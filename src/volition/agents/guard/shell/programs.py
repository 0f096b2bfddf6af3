"""Programs of a working day: test runners and builds, which run in every mode and are judged by what they changed,
formatters, which go through files, and package managers, which write the manifests that they own.

A program that is not listed here, in `shell_commands` or in `shell_git` may do anything.
"""

from __future__ import annotations

import os.path
from typing import TYPE_CHECKING, Final, NamedTuple

from volition.agents.guard.shell.words import Aimed, sort_words

if TYPE_CHECKING:
    from volition.agents.guard.shell.words import Found, GivenWords

BUILDS: Final = frozenset(
    """
    pytest py.test tox nox mypy pyright pyre flake8 pylint pyflakes bandit vulture codespell pip pip3 pipx conda mamba
    virtualenv unittest doctest venv compileall build twine timeit json.tool coverage pre-commit sphinx-build mkdocs
    make gmake ninja meson cmake ctest bazel bazelisk buck2 scons waf msbuild xcodebuild just task earthly
    gcc g++ cc c++ clang clang++ ld ar as nvcc cppcheck clang-tidy valgrind gdb lldb strace ltrace perf
    tsc jest vitest mocha ava tap playwright cypress webpack vite rollup esbuild parcel turbo nx lerna next eslint stylelint
    rustc rustup javac java mvn mvnw gradle gradlew sbt ant kotlinc scalac lein
    golangci-lint staticcheck govulncheck dlv rake rspec rubocop bundle gem dotnet swift mix rebar3 stack cabal ghc dune opam
    docker podman docker-compose kubectl helm terraform psql mysql redis-cli mongosh gh glab ssh nc shellcheck hadolint
    actionlint yamllint markdownlint open xdg-open
    """.split()  # noqa: SIM905  a list of words reads best as words
)
"""Programs that test, check, build or talk to something else. They may write anything, so the worktree is compared."""
CARRIERS: Final = {
    "npx": (), "bunx": (), "uvx": (), "poetry": ("run",), "uv": ("run",), "hatch": ("run",), "pipenv": ("run",),
    "pdm": ("run",), "rye": ("run",), "bundle": ("exec",), "pnpm": ("exec", "dlx"), "yarn": ("exec", "dlx"),
    "npm": ("exec",), "coverage": ("run",), "conda": ("run",),
}  # fmt: skip
"""Programs that run the program in their arguments, after one of these words if there are any."""
INTERPRETERS: Final = ("python", "python3", "pypy", "pypy3")
_OUTPUTS: Final = frozenset({"gcc", "g++", "cc", "c++", "clang", "clang++", "ld", "nvcc", "rustc"})
_TOOLS: Final = (".venv/", "venv/", "env/", "node_modules/.bin/", "gradlew", "mvnw", "vendor/bin/")
"""Where a repository keeps programs that it did not write."""


class Formatter(NamedTuple):
    """A program that rewrites files: the option that makes it write, if it needs one, the word before its files, if there is
    one, and the options by which it only looks."""

    writes: tuple[str, ...] = ()
    verb: str = ""
    looks: tuple[str, ...] = ("check", "diff", "version", "help")
    takes: str = ""


FORMATTERS: Final = {
    "black": (Formatter(takes="l t c line-length target-version config"),),
    "isort": (Formatter(looks=("check", "check-only", "diff", "c")),),
    "ruff": (
        Formatter(verb="format", takes="config"), Formatter(("fix", "unsafe-fixes", "add-noqa"), "check", (), "select config"),
    ),
    "autopep8": (Formatter(("i", "in-place")),),
    "yapf": (Formatter(("i", "in-place")),),
    "prettier": (Formatter(("write", "w"), looks=("check", "c", "l")),),
    "eslint": (Formatter(("fix",)),),
    "biome": (Formatter(("write", "apply"), "format"), Formatter(("write", "apply", "fix"), "check"), Formatter((), "lint")),
    "gofmt": (Formatter(("w",), takes="r"),),
    "goimports": (Formatter(("w",)),),
    "rustfmt": (Formatter(),),
    "clang-format": (Formatter(("i",)),),
    "shfmt": (Formatter(("w",)),),
    "rubocop": (Formatter(("a", "A", "autocorrect")),),
}  # fmt: skip
_NPM: Final = (
    ("package.json", "package-lock.json"),
    "install i add uninstall remove rm update up version pkg audit init dedupe",
)
MANAGERS: Final = {
    "npm": _NPM,
    "yarn": (("package.json", "yarn.lock"), "add remove up upgrade version init"),
    "pnpm": (("package.json", "pnpm-lock.yaml"), "add install i remove update up init"),
    "bun": (("package.json", "bun.lockb"), "add remove update init"),
    "cargo": (("Cargo.toml", "Cargo.lock"), "add remove rm update init upgrade generate-lockfile"),
    "poetry": (("pyproject.toml", "poetry.lock"), "add remove update lock init version"),
    "uv": (("pyproject.toml", "uv.lock"), "add remove lock init version"),
    "pdm": (("pyproject.toml", "pdm.lock"), "add remove update lock init"),
    "pipenv": (("Pipfile", "Pipfile.lock"), "install uninstall update lock"),
    "go": (("go.mod", "go.sum"), "get"),
    "hatch": (("pyproject.toml",), "version new"),
    "deno": (("deno.json", "deno.lock"), "add remove init"),
}
"""Package managers: the manifests that they write, and the words with which they do. Every other word builds or looks."""
_NEEDS_NAME: Final = frozenset({"npm", "pnpm", "pipenv"})
"""`npm install` alone installs what is written down; with a name, it writes it down."""
_SWEEPS: Final = {("cargo", "fmt"), ("cargo", "fix"), ("go", "fmt"), ("go", "fix"), ("go", "generate")}


def is_program(name: str) -> bool:
    """Whether this file says what a program does."""
    return name in BUILDS or name in FORMATTERS or name in MANAGERS


def is_kept_tool(word: str) -> bool:
    """Whether a program that is named by a path is a system's or a repository's tool, and not any script of it."""
    return "/" not in word or os.path.isabs(word) or any(part in word for part in _TOOLS)


def program_writes(name: str, words: GivenWords) -> tuple[Found, bool]:
    """What a program is seen to write, and whether it is one that is judged by what it changed."""
    verb = next((word for word in words if word is not None and not word.startswith("-")), "")
    if name in FORMATTERS and (targets := _format_targets(FORMATTERS[name], words)) is not None:
        return (targets, []), False
    if (name, verb) in _SWEEPS:
        return ([] if "--check" in words else [Aimed(".", "sweep")], []), False
    if name in MANAGERS:
        return (_manifests(name, verb, words), []), True
    if name in _OUTPUTS and "-E" not in words:
        return _output(words), True
    if name == "javac":
        return _output(words, "d"), True
    return ([], []), True


def _format_targets(kinds: tuple[Formatter, ...], words: GivenWords) -> list[str | Aimed] | None:
    """The files and folders that a formatter goes through; None if it is not called as one."""
    for kind in kinds:
        arguments = sort_words(words, kind.takes)
        operands = [word for word in arguments.operands if word is not None and word != "-"]
        if kind.verb and operands[:1] != [kind.verb]:
            continue
        if arguments.has(*kind.looks) or (kind.writes and not arguments.has(*kind.writes)):
            return []
        files = operands[1:] if kind.verb else operands
        return [Aimed(path, "sweep") for path in files or ["."]]
    return None


def _manifests(name: str, verb: str, words: GivenWords) -> list[str]:
    files, verbs = MANAGERS[name]
    operands = sort_words(words).operands
    if (name, verb) == ("go", "mod"):
        return list(files) if operands[1:2] in (["tidy"], ["edit"], ["init"], ["vendor"]) else []
    if name == "go" and verb == "build":
        return [path for path in sort_words(words, "o").value("o") if path is not None]
    if verb not in verbs.split() or (name in _NEEDS_NAME and verb in {"install", "i"} and len(operands) == 1):
        return []
    if verb == "audit" and operands[1:2] != ["fix"]:
        return []
    return list(files)


def _output(words: GivenWords, option: str = "o") -> Found:
    outputs = sort_words(words, f"{option} I L D include x std").value(option)
    return [path for path in outputs if path is not None and path != "-"], [
        "a file that the shell will name"
    ] if None in outputs else []
