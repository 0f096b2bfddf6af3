"""The laws compiled by Numba: the same functions over packed records, kept on disk as a whole.

A compiled function cannot call a plain one. So every law gets a twin whose globals hold twins in place of the laws, of
the rules and of chance. What is compiled is kept in a folder named by a hash of all the modules that it is made of.
"""

from __future__ import annotations

import inspect
from enum import IntEnum
from functools import cache
from importlib import import_module
from types import FunctionType
from typing import TYPE_CHECKING, Any, Final, get_type_hints

import numpy as np

from volition.core import chance, chance_arrays
from volition.core.compiling import compile_cached, compiled_folder
from volition.drama.evening import (
    acts,
    breaking,
    changes,
    choose,
    components,
    deciding,
    dramatic,
    draws,
    ending,
    happening,
    house,
    learning,
    log,
    look,
    many,
    measure,
    perceive,
    quarrel,
    quiet,
    record,
    resolve,
    service,
    settle,
    stance,
    state,
    tension,
    tick,
    weigh,
)
from volition.drama.evening.house import HOUSE_LIMITS, House
from volition.drama.evening.log import LOG_LIMITS, EveningLog
from volition.drama.evening.look import EveningLooks
from volition.drama.evening.measure import MEASURE_LIMITS, EveningMeasures
from volition.drama.evening.perceive import Perceived
from volition.drama.evening.record import packed_type
from volition.drama.evening.state import LIMITS, EveningState
from volition.drama.evening.tension import EveningMoments
from volition.drama.evening.weigh import Desk
from volition.drama.rules import catalog, stage_tables, tables
from volition.drama.rules.compiled import MODULES, compiled_rules
from volition.drama.rules.physics import Pace

if TYPE_CHECKING:
    from types import ModuleType

LAWS: Final = (
    state, log, draws, changes, perceive, weigh, quiet, dramatic, choose, breaking, resolve, stance, learning, quarrel,
    happening, acts, settle, service, ending, tick, look, components, tension, measure, deciding, many,
)  # fmt: skip
"""The modules whose functions are compiled; what they hold beside them is not."""

STATE_TYPE: Final = packed_type(EveningState, LIMITS)
HOUSE_TYPE: Final = packed_type(House, HOUSE_LIMITS)
LOG_TYPE: Final = packed_type(EveningLog, LOG_LIMITS)
PERCEIVED_TYPE: Final = packed_type(Perceived, LIMITS)
DESK_TYPE: Final = packed_type(Desk, HOUSE_LIMITS)
MOMENTS_TYPE: Final = packed_type(EveningMoments, MEASURE_LIMITS)
MEASURES_TYPE: Final = packed_type(EveningMeasures, MEASURE_LIMITS)
LOOKS_TYPE: Final = packed_type(EveningLooks, MEASURE_LIMITS)

ENTRIES: Final = (many.play_evenings, deciding.decide_everything)
"""The laws that are called from Python; each is kept on disk with all that it calls."""


@cache
def compiled_loop() -> Any:
    """`many.play_evenings` compiled, from the disk where it was compiled before."""
    return compile_cached(_twins()[many.play_evenings], made_of(), nogil=True)


@cache
def compiled_decisions() -> Any:
    """`deciding.decide_everything` compiled, likewise."""
    return compile_cached(_twins()[deciding.decide_everything], made_of(), nogil=True)


@cache
def _twins() -> dict[Any, Any]:
    """Every law with its twin: compiled when it is first called for, but for those that are called from Python."""
    scopes = {module.__name__: _globals_of(module) for module in LAWS}
    twins: dict[Any, Any] = {}
    for function in {value for scope in scopes.values() for value in scope.values() if isinstance(value, FunctionType)}:
        home, name = function.__module__, function.__name__
        if home in scopes:
            twin = FunctionType(function.__code__, scopes[home], name, function.__defaults__)
            twins[function] = twin if function in ENTRIES else _compiled_law(twin, function)
        elif home == chance.__name__:
            twins[function] = _chance()[name]
        elif home.startswith(f"{tables.__package__}."):
            twins[function] = getattr(getattr(compiled_rules(), home.rpartition(".")[2]), name)
    for scope in scopes.values():
        scope.update({name: twins[value] for name, value in scope.items() if _has_twin(value, twins)})
    return twins


def _compiled_law(twin: FunctionType, law: FunctionType) -> Any:
    """The twin of a law, compiled for the types that the law's annotations name, and for no others.

    Left alone, Numba compiles a function again for every constant that it is called with: a hundred times for the one
    that writes a row of the log, and three times as long for all. So a law is compiled when it is first called for, as
    it is annotated, and then closed; calls convert what they pass.
    """
    from numba import njit  # noqa: PLC0415 - half a second, for those alone who compile

    options: Any = {"error_model": "numpy", "fastmath": False}
    options |= {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}  # nobody calls it from Python
    compiled: Any = njit(twin, **options)
    find_template = compiled.get_call_template

    def get_call_template(args: Any, kws: Any) -> Any:
        if not compiled.overloads:
            known = _types()
            compiled.compile(tuple([known[law.__annotations__[name]] for name in inspect.signature(law).parameters]))
            compiled.disable_compile()
        return find_template(args, kws)

    compiled.get_call_template = get_call_template
    return compiled


@cache
def _types() -> dict[str, Any]:
    """The compiler's types of what laws take, by how annotations name them."""
    from numba import from_dtype  # noqa: PLC0415

    types: Any = import_module("numba").types
    pace = [types.int64 if kind is int else types.float64 for kind in get_type_hints(Pace).values()]
    return {
        "int": types.int64,
        "float": types.float64,
        "bool": types.boolean,
        "Name": types.uint64,
        "Pace": types.NamedTuple(pace, Pace),
        "EveningState": from_dtype(STATE_TYPE),
        "House": from_dtype(HOUSE_TYPE),
        "EveningLog": from_dtype(LOG_TYPE),
        "Perceived": from_dtype(PERCEIVED_TYPE),
        "Desk": from_dtype(DESK_TYPE),
        "RealCube": types.Array(types.float64, 3, "C"),
        "EveningMoments": from_dtype(MOMENTS_TYPE),
        "EveningMeasures": from_dtype(MEASURES_TYPE),
        "EveningLooks": from_dtype(LOOKS_TYPE),
    }


def is_kept() -> bool:
    """Whether this machine has the compiled loop on its disk, so that it is loaded and not compiled."""
    return any(compiled_folder(made_of()).rglob(f"*{many.play_evenings.__name__}*.nbi"))


def made_of() -> list[ModuleType]:
    """All that the compiled loop is made of: where one of these changes, it is compiled again."""
    rules = [import_module(f"{tables.__package__}.{name}") for name in MODULES]
    return [*LAWS, house, record, chance, chance_arrays, catalog, tables, stage_tables, *rules]


def _chance() -> dict[str, Any]:
    """Chance compiled. A tick is a signed number, and beside the unsigned ones of a key it would make floats of both."""
    from numba import njit  # noqa: PLC0415

    from volition.core import chance_numba  # noqa: PLC0415

    keyed = chance_numba.stream

    @njit(error_model="numpy", fastmath=False)
    def stream(seed: Any, at: int, who: Any, purpose: Any) -> Any:
        return keyed(seed, np.uint64(at), who, purpose)

    return {"stream": stream, **{name: getattr(chance_numba, name) for name in ("word", "uniform", "gauss")}}


def _globals_of(module: ModuleType) -> dict[str, Any]:
    """The globals of a module, with plain numbers for members of enumerations.

    A law is compiled once for each kind of arguments, and to the compiler a member is another kind than a number.
    """
    return {name: int(value) if isinstance(value, IntEnum) else value for name, value in vars(module).items()}


def _has_twin(thing: object, twins: dict[Any, Any]) -> bool:
    return isinstance(thing, FunctionType) and thing in twins
