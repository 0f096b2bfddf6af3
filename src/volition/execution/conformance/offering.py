"""What an executor offers, by its welcome, and what the kit was given to try it with."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from volition.execution.conformance.verdict import Unoffered

if TYPE_CHECKING:
    from volition.execution.conformance.log import Frame
    from volition.execution.wire.probe import Probe

_NO_PROBE: Final = (
    "the meaning of the states is unknown: pass a probe (--probe MODULE:CLASS), or let the executor offer the feature "
    "probe (docs/conformance-kit.md)"
)


class Offering:
    """The first welcome of a run, and the probe. `shared` is false where every dial starts another executor."""

    def __init__(self, probe: Probe | None, *, shared: bool) -> None:
        self.welcome: Frame = {}
        self.probe = probe
        self.shared = shared

    def limit(self, name: str, usual: int) -> int:
        limits = self.welcome.get("limits")
        value = limits.get(name) if isinstance(limits, dict) else None
        return value if isinstance(value, int) and value > 0 else usual

    def supports(self, name: str) -> bool:
        intents = self.welcome.get("intents")
        return isinstance(intents, list) and name in intents

    def need(self, *names: str) -> None:
        """NotApplicable unless the executor supports these intents."""
        for name in names:
            if not self.supports(name):
                raise Unoffered(f"the executor does not support {name}")

    def need_probe(self, *names: str) -> Probe:
        """The probe, where these intents can be tried; NotApplicable without one."""
        if self.probe is None:
            raise Unoffered(_NO_PROBE)
        self.need(*names)
        return self.probe

    def need_shared(self) -> None:
        """NotApplicable where the next connection does not reach the same executor."""
        if not self.shared:
            raise Unoffered("every connection starts another executor")

    def pick(self, *names: str) -> str:
        """The first of these intents that the executor supports, as every one does STOP; NotApplicable without one."""
        for name in names:
            if self.supports(name):
                return name
        raise Unoffered(f"the executor supports none of {', '.join(names)}")

    @property
    def tick(self) -> float:
        """The length of a tick in seconds; 0 where the world moves only when acted upon."""
        hz = self.welcome.get("tick_hz")
        return 1 / hz if isinstance(hz, int | float) and hz > 0 else 0.0
