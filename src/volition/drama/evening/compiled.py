"""The laws compiled by Numba: the same functions over packed records, kept on disk as a whole.

A compiled function cannot call a plain one. So every law is copied, and the globals of a copy hold copies in place of the
laws, of the rules and of chance. Copies are made for one size of packed records, and compiled for this machine's
processor here, for a graphics processor in `cuda`. What is compiled is kept in a folder named by a hash of all the modules that it is
made of.
"""

from __future__ import annotations

import inspect
import sys
from enum import IntEnum
from functools import cache
from importlib import import_module
from types import FunctionType
from typing import TYPE_CHECKING, Any, Final, NamedTuple, get_type_hints

import numpy as np

from volition.core import chance, chance_arrays, compiling, linking
from volition.core.compiling import compile_cached, compiled_folder
from volition.drama.evening import (
    acts,
    breaking,
    changes,
    checksum,
    choose,
    clock,
    components,
    deciding,
    dramatic,
    ending,
    happening,
    learning,
    limits,
    log,
    look,
    many,
    measure,
    perceive,
    quarrel,
    quiet,
    record,
    resolve,
    sets,
    settle,
    stance,
    state,
    story,
    tables,
    talk,
    tension,
    tick,
    weigh,
)
from volition.drama.evening.limits import LIMITS, SMALL
from volition.drama.evening.log import EveningLog
from volition.drama.evening.look import EveningLooks, EveningSpreads
from volition.drama.evening.measure import EveningMeasures
from volition.drama.evening.perceive import Perceived
from volition.drama.evening.record import packed_type
from volition.drama.evening.state import EveningState
from volition.drama.evening.tables import ScenarioTables
from volition.drama.evening.tension import EveningMoments
from volition.drama.evening.weigh import ScoreSheet
from volition.drama.rules import catalog, stage_tables
from volition.drama.rules import tables as rule_tables
from volition.drama.rules.compiled import MODULES, compiled_rules
from volition.drama.rules.physics import Pace

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from types import ModuleType

LAWS: Final = (
    sets, state, log, changes, perceive, weigh, quiet, dramatic, choose, breaking, resolve, stance, learning, quarrel,
    happening, talk, acts, clock, settle, ending, tick, look, components, tension, measure, story, deciding, checksum, many,
)  # fmt: skip
"""The modules whose functions are compiled; what they hold beside them is not."""

ENTRIES: Final = (many.play_evenings, deciding.decide_everything, checksum.sum_up)
"""The laws that are called from Python; each is kept on disk with all that it calls."""


def _itemise_nothing(sheet: ScoreSheet, item: int, value: float) -> float:
    return value


def _write_no_terms(
    sheet: ScoreSheet,
    utility: float,
    flaws: float,
    pacing: float,
    bonds: float,
    alcohol: float,
    movement: float,
    situation: float,
) -> None:
    pass


def _write_no_recency(tables: ScenarioTables, sheet: ScoreSheet) -> None:
    pass


UNASKED: Final[dict[Any, Any]] = {
    weigh.itemise: _itemise_nothing,
    weigh.write_terms: _write_no_terms,
    weigh.write_recency: _write_no_recency,
}
"""What laws write down for those who ask why, and what compiled code does in its place: nobody asks it."""

INNER: Final[dict[str, Any]] = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}
"""Options of what only compiled code calls: it waits for its callers and is optimised with them."""


class PackedTypes(NamedTuple):
    """The numpy types of the packed records of one size."""

    state: np.dtype[Any]
    tables: np.dtype[Any]
    log: np.dtype[Any]
    perceived: np.dtype[Any]
    sheet: np.dtype[Any]
    moments: np.dtype[Any]
    measures: np.dtype[Any]
    looks: np.dtype[Any]
    spreads: np.dtype[Any]


_RECORDS: Final = (
    EveningState, ScenarioTables, EveningLog, Perceived, ScoreSheet, EveningMoments, EveningMeasures, EveningLooks, EveningSpreads,
)  # fmt: skip
PACKED: Final = {
    size: PackedTypes(*[packed_type(record, sizes) for record in _RECORDS]) for size, sizes in LIMITS.items()
}
"""The types of packed records, by their size."""


@cache
def compiled_loop(size: str = SMALL, entry: Any = many.play_evenings) -> Any:
    """One of ENTRIES compiled for a size of packed records, from the disk where it was compiled before."""
    copy = compiled_laws(size)[entry]
    copy.__qualname__ = _stored_name(size, entry)
    return compile_cached(copy, made_of(), late=True, nogil=True)


@cache
def compiled_laws(size: str) -> dict[Any, Any]:
    """Every law with its copy: compiled when it is first called for, but for those that are called from Python."""
    from numba import njit  # noqa: PLC0415 - half a second, for those alone who compile

    def compile_law(copy: FunctionType, law: FunctionType) -> Any:
        if law in ENTRIES:
            return copy
        # Numba numbers the types of records as each process meets them, so code of two processes may use one symbol for
        # different records; and where both are loaded the first is called for either. A size in the name tells them apart.
        copy.__qualname__ = _stored_name(size, law)
        compiled: Any = njit(copy, error_model="numpy", fastmath=False, **INNER)
        return compile_as_annotated(compiled, compiled.compile, law, size)

    return compile_laws(compile_law)


def compile_laws(compile_law: Callable[[FunctionType, FunctionType], Any]) -> dict[Any, Any]:
    """The compiled copy of every law; `compile` makes it of a plain copy and the law itself."""
    scopes = {module.__name__: numbers_in(vars(module)) for module in LAWS}
    compiled_laws: dict[Any, Any] = {}
    for function in {value for scope in scopes.values() for value in scope.values() if isinstance(value, FunctionType)}:
        home, name = function.__module__, function.__name__
        if home in scopes:
            code = UNASKED.get(function, function).__code__
            copy = FunctionType(code, scopes[home], name, function.__defaults__)
            compiled_laws[function] = compile_law(copy, function)
        elif home == chance.__name__:
            compiled_laws[function] = _chance()[name]
        elif home.startswith(f"{rule_tables.__package__}."):
            compiled_laws[function] = getattr(getattr(compiled_rules(**INNER), home.rpartition(".")[2]), name)
    for scope in scopes.values():
        scope.update(
            {name: compiled_laws[value] for name, value in scope.items() if _is_compiled(value, compiled_laws)}
        )
    return compiled_laws


def compile_as_annotated(compiled: Any, compile_for: Callable[[Any], Any], law: FunctionType, size: str) -> Any:
    """A copy that is compiled for the types that its law's annotations name, and for no others.

    Left alone, Numba compiles a function again for every constant that it is called with: a hundred times for the one
    that writes a row of the log, and three times as long for all. So a law is compiled when it is first called for, as
    it is annotated, and then closed; calls convert what they pass. A law of any `Number` is compiled for every width.
    """
    find_template = compiled.get_call_template

    def get_call_template(args: Any, kws: Any) -> Any:
        if not compiled.overloads:
            named = [law.__annotations__[name] for name in inspect.signature(law).parameters]
            for numbers in _number_types() if "Number" in named else [{}]:
                known = {**record_types(size), **numbers}
                compile_for(tuple([known[name] for name in named]))
            compiled.disable_compile()
        return find_template(args, kws)

    compiled.get_call_template = get_call_template
    return compiled


@cache
def _number_types() -> list[dict[str, Any]]:
    """The compiler's types of a law of any `Number`, for every width in which records hold what changes."""
    types: Any = import_module("numba").types
    whole = (types.int32, types.int16, types.int8)
    widths = [(types.float64, types.float64), *((held, types.int64) for held in whole)]
    return [
        {"Number": number, "list[Number]": types.Array(held, 1, "A"), "list[list[Number]]": types.Array(held, 2, "A")}
        for held, number in widths
    ]


@cache
def record_types(size: str) -> dict[str, Any]:
    """The compiler's types of what laws take, by how annotations name them."""
    from numba import from_dtype  # noqa: PLC0415

    types: Any = import_module("numba").types
    records = {record.__name__: from_dtype(type) for record, type in zip(_RECORDS, PACKED[size], strict=True)}
    sheet = [records[name] for name in ("EveningState", "ScenarioTables", "Perceived", "ScoreSheet")]
    pace = [types.int64 if kind is int else types.float64 for kind in get_type_hints(Pace).values()]
    return {
        "int": types.int64,
        "float": types.float64,
        "bool": types.boolean,
        "Name": types.uint64,
        "Pace": types.NamedTuple(pace, Pace),
        "RealCube": types.Array(types.float64, 3, "C"),
        "PeopleSets": types.Array(types.int32, 1, "A"),
        "AddTerms": types.FunctionType(types.void(*sheet[:2], types.int64, *sheet[2:])),
        **records,
    }


def is_kept(size: str = SMALL) -> bool:
    """Whether this machine has the compiled loop on its disk, so that it is loaded and not compiled."""
    return any(compiled_folder(made_of()).rglob(f"*{_stored_name(size)}*.nbi"))


def _stored_name(size: str, entry: Any = many.play_evenings) -> str:
    return f"{entry.__name__}_{size}"


def made_of() -> list[ModuleType]:
    """All that the compiled loop is made of, and what compiles it: where one of these changes, it is compiled again."""
    rules = [import_module(f"{rule_tables.__package__}.{name}") for name in MODULES]
    how = [compiling, linking, sys.modules[__name__]]
    return [*LAWS, tables, limits, record, chance, chance_arrays, catalog, rule_tables, stage_tables, *rules, *how]


def _chance() -> dict[str, Any]:
    """Chance compiled. A tick is a signed number, and beside the unsigned ones of a key it would make floats of both."""
    from numba import njit  # noqa: PLC0415

    from volition.core import chance_numba  # noqa: PLC0415

    keyed = chance_numba.stream

    @njit(error_model="numpy", fastmath=False)
    def stream(seed: Any, at: int, who: Any, purpose: Any) -> Any:
        return keyed(seed, np.uint64(at), who, purpose)

    return {"stream": stream, **{name: getattr(chance_numba, name) for name in ("word", "uniform", "gauss")}}


def numbers_in(scope: Mapping[str, Any]) -> dict[str, Any]:
    """The globals of a function, with plain numbers for members of enumerations.

    A law is compiled once for each kind of arguments, and to the compiler a member is another kind than a number.
    """
    return {name: int(value) if isinstance(value, IntEnum) else value for name, value in scope.items()}


def _is_compiled(thing: object, compiled_laws: dict[Any, Any]) -> bool:
    return isinstance(thing, FunctionType) and thing in compiled_laws
