"""Claim on first edit: the first visible write of a file that nobody has registers it for the session, if the guard's setting
says so (`volition agents install --auto-claim`).

The session's plan is revised so that it names the file; a session without an active plan gets a new one. The
registry decides, in one turn: of two sessions that want one file, one gets it. Only here does a hook open the registry.
"""

from __future__ import annotations

import os

from volition.agents.guard.index import RegistryUnreachable
from volition.agents.guard.lean import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Final

    from volition.agents.guard.index import PlanExtent
    from volition.agents.guard.sessions import Identity
    from volition.agents.guard.setting import GuardSetting
    from volition.workflow import Registration, Team

LEASE: Final = 4 * 3600.0
"""Seconds for which a file is claimed after the last claim of its session."""
TRIES: Final = 5
"""How often a plan is revised that another call of the session revises too."""


def claim_files(
    setting: GuardSetting, who: Identity, active: Sequence[PlanExtent], paths: Sequence[str]
) -> tuple[str, str]:
    """Register files under a plan of the session: that plan, and why it was refused; empty if it was granted.
    RegistryUnreachable if the registry cannot be written."""
    from volition.core.errors import InvalidInput, VolitionError
    from volition.workflow import Store, Team, parse_store_address

    own = [plan for plan in active if who.holds(plan)] or list(active)
    try:
        with Store(parse_store_address(setting.registry), new=False, patience=2.0) as store:
            team = Team(store, setting.project)
            made = _revise(team, own[0].plan, paths) if own else _register(team, who, paths)
    except InvalidInput as error:
        return own[0].plan if own else "", str(error).splitlines()[0]
    except (OSError, VolitionError) as error:
        raise RegistryUnreachable(f"nothing can be claimed: {str(error).splitlines()[0]}") from None
    if made.grant is not None:
        return made.plan_id, ""
    return made.plan_id, "; ".join(obstacle.because for obstacle in made.obstacles[:3]) or "the registry refused it"


def _revise(team: Team, name: str, paths: Sequence[str]) -> Registration:
    """Add files to a plan; another call of the session may do so at the same time, and then the token is another."""
    from volition.agents.proposal import Proposal, redraft_plan
    from volition.core.document import parse_json
    from volition.core.errors import InvalidInput

    for left in reversed(range(TRIES)):
        plan = team.show(name)
        files = dict.fromkeys([*parse_json(plan.document)["scope"]["targets"]["files"], *paths])
        try:
            return team.revise(redraft_plan(plan.document, Proposal(files=list(files))), plan.token, lease=LEASE)
        except InvalidInput:
            if not left or team.show(name).token == plan.token:
                raise
    raise AssertionError("the last try returns or raises")


def _register(team: Team, who: Identity, paths: Sequence[str]) -> Registration:
    """Make the plan of a session, or add to the one that another call has just made."""
    from getpass import getuser

    from volition.agents.guard.sessions import Identity, clean_id
    from volition.agents.proposal import Proposal, draft_plan, plan_id_of
    from volition.workflow.law.states import OPEN_PLANS
    from volition.workflow.store.events import moment

    session = clean_id(who.session)
    holder = Identity(session, name=os.environ.get("VOLITION_HOLDER") or getuser()).holder
    title = f"Work of {session}"
    known = team.find(plan_id_of(title, holder))
    if known is not None and known.state in OPEN_PLANS:
        return _revise(team, known.plan_id, paths)
    with team.store.read() as connection:
        now = team.store.clock(connection)
    proposal = Proposal(title=title, files=list(paths), goal="What the session edits, claimed file by file.")
    return team.register(
        draft_plan(proposal, project=team.project, holder=holder, created_at=moment(now)), holder, lease=LEASE
    )
