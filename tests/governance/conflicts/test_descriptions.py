"""Ways out: whatever a conflict or a question offers works when it is taken, and what would change nothing is not offered."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from msgspec.structs import replace

from tests.governance.plans import NOW, command, judged, plan
from tests.governance.strategies import Case, cases
from volition.core.errors import InvalidInput
from volition.governance.claims.footprint import footprint_of
from volition.governance.conflicts.descriptions import WAYS_OUT, conflict_of, declared_chain, ways_out
from volition.governance.conflicts.uncertain import PLACE
from volition.governance.documents.intent import Budgets, IntentMetadata, Interaction, LockScope, Targets
from volition.governance.documents.intent_set import MergeHints, SetMetadata
from volition.governance.evaluator import evaluate
from volition.governance.settlement.questions import answer_questions
from volition.governance.settlement.verdict import Verdict
from volition.governance.survey import Survey, survey_plans

if TYPE_CHECKING:
    from volition.governance.conflicts.descriptions import WayOut
    from volition.governance.conflicts.ledger import RawConflict
    from volition.governance.documents.intent import IntentDocument
    from volition.governance.documents.policy import Registry

pytestmark = pytest.mark.req("GV-24")
GRAVE = {"high", "critical"}


def survey_of(case: Case, changed: dict[str, IntentDocument] | None = None, without: set[str] | None = None) -> Survey:
    """What is found when some plans of a case are replaced and others left out."""
    intents = [(changed or {}).get(one.id, one) for one in case.intents if one.id not in (without or ())]
    return survey_plans(case.intent_set, sorted(intents, key=lambda one: one.id), case.policy)


def is_found(survey: Survey, conflict_id: str) -> bool:
    return any(conflict.conflict_id == conflict_id for conflict in survey.conflicts)


def elsewhere(intent: IntentDocument, number: int) -> IntentDocument:
    """The same work on a service that nobody else has; a file might lie in what the pattern of another plan means."""
    place = f"service:elsewhere{number}"
    return replace(
        intent,
        scope=replace(intent.scope, targets=Targets(files=(), modules=(place,), areas=())),
        planned_commands=tuple(
            replace(
                one, command_id=f"work_{at}", intent=f"change {place}", evidence_refs=("note://meeting",), source=None
            )
            for at, one in enumerate(intent.planned_commands)
        ),
        evidence_refs=("note://meeting",),
        metadata=intent.metadata and replace(intent.metadata, parts=(), order=()),
        constraints=replace(intent.constraints, lock_scope=LockScope(mode="task", paths=())),
    )


def without_reads(intent: IntentDocument) -> IntentDocument:
    """The same plan without what its result relies on."""
    metadata = intent.metadata
    if metadata:
        parts = tuple(replace(part, targets=replace(part.targets, reads=())) for part in metadata.parts)
        metadata = replace(metadata, parts=parts)
    scope = replace(intent.scope, targets=replace(intent.scope.targets, reads=()))
    return replace(intent, scope=scope, metadata=metadata)


def with_priority(intent: IntentDocument, priority: int) -> IntentDocument:
    return replace(intent, metadata=replace(intent.metadata or IntentMetadata(), priority=priority))


def _registry(case: Case) -> Registry:
    assert case.policy.registry is not None
    return case.policy.registry


def works(way: WayOut, finding: RawConflict, case: Case, before: Survey) -> bool:
    """Whether taking a way out ends its conflict."""
    members = [before.intents[number] for number in finding.members]
    conflict_id = conflict_of(finding, before.ledger).conflict_id
    artifact = str(finding.about).removeprefix("artifact:")
    match way:
        case "narrow":
            others = (
                {one.id: elsewhere(one, n) for n, one in enumerate(members) if one is not kept} for kept in members
            )
            return any(not is_found(survey_of(case, changed), conflict_id) for changed in others)
        case "name":
            named = {one.id: elsewhere(one, n) for n, one in enumerate(members) if footprint_of(one).is_unknown()}
            return not is_found(survey_of(case, named), conflict_id)
        case "place":
            module = str(finding.about).removeprefix(PLACE)
            rows = ({module: path} for path in ("nowhere/else.py", f"lib/{module.replace('.', '/')}.py"))
            policies = [replace(case.policy, modules={**case.policy.modules, **row}) for row in rows]
            judged_so = (survey_of(Case(case.intent_set, case.intents, policy)) for policy in policies)
            return not any(is_found(after, conflict_id) for after in judged_so)
        case "produce":
            maker = next(name for name, made in _registry(case).produces.items() if artifact in made)
            more = plan("producer", ["made.txt"], commands=[command(maker, "create", text="Make it")])
            after = survey_of(Case(case.intent_set, (*case.intents, more), case.policy))
            return not any(one.about == finding.about and "order_unmet" in one.rules for one in after.ledger)
        case "keep":
            fewer = ({one.id for one in members if one is not kept} for kept in members)
            return all(not is_found(survey_of(case, without=gone), conflict_id) for gone in fewer)
        case "priority":
            alone = {one.id for one in case.intents} - {one.id for one in members}
            ranked = {one.id: with_priority(one, n) for n, one in enumerate(members)}
            asked = [
                c.conflict_id
                for open_question in Verdict(survey_of(case, ranked, alone)).open_questions
                for c in open_question.conflicts
            ]
            return conflict_id not in asked
        case "complementary":
            pairs = tuple(combinations([one.id for one in members], 2))
            hinted = SetMetadata(merge_hints=MergeHints(complementary=pairs))
            after = survey_of(Case(replace(case.intent_set, metadata=hinted), case.intents, case.policy))
            return all(c.severity not in GRAVE for c in after.conflicts if c.conflict_id == conflict_id)
        case "declare":
            needed: dict[int, set[str]] = {}
            for makers, takers in before.needs.blocks[str(finding.about)]:
                for taker in takers:
                    needed.setdefault(taker, set()).update(before.intents[n].id for n in makers if n != taker)
            said = {}
            for taker, names in needed.items():
                one = before.intents[taker]
                metadata = one.metadata or IntentMetadata()
                depends = tuple(dict.fromkeys((*metadata.depends_on, *sorted(names))))
                said[one.id] = replace(one, metadata=replace(metadata, depends_on=depends))
            return not is_found(survey_of(case, said), conflict_id)
        case "unlock":
            free = LockScope(mode="none", paths=())
            opened = {m.id: replace(m, constraints=replace(m.constraints, lock_scope=free)) for m in members}
            return not is_found(survey_of(case, opened), conflict_id)
        case "rename":
            found = survey_of(case, {m.id: without_reads(m) for m in members}).conflicts
            return all(c.severity not in GRAVE for c in found if c.conflict_id == conflict_id)
        case "mode":
            talk = Interaction(mode="interactive", question_budget=1, question_policy="blockers_only")
            return not is_found(survey_of(case, {m.id: replace(m, interaction=talk) for m in members}), conflict_id)
        case "budgets":
            nothing = Budgets(max_files=0, max_commits=0, max_tokens=0, max_cost_usd=0)
            return not is_found(survey_of(case, {m.id: replace(m, budgets=nothing) for m in members}), conflict_id)
        case "leave_out" if "order_unmet" in finding.rules:
            needs = {name for name, required in _registry(case).requires.items() if artifact in required}
            gone = {one.id for one in members if any(c.command_id in needs for c in one.planned_commands)}
            return not is_found(survey_of(case, without=gone), conflict_id)
        case "leave_out":
            return not is_found(survey_of(case, without={m.id for m in members[1:]}), conflict_id)


@given(cases())
def test_every_way_out_that_a_conflict_offers_works(case: Case) -> None:
    """Each way out of each conflict, taken by itself, ends that conflict: it is found no more, or it asks nobody."""
    before = survey_of(case)
    for finding in before.ledger:
        text = conflict_of(finding, before.ledger).description or ""
        ways = list(ways_out(finding, before.ledger))
        # Parts of one file that do not clash leave nothing to do.
        assert ways or finding.rules == {"resource_shared_file"} or declared_chain(finding, before.ledger)
        for way in ways:
            assert WAYS_OUT[way] in text or text.endswith("...")
            assert works(way, finding, case, before), (way, text)


@given(cases())
def test_every_option_of_a_question_works(case: Case) -> None:
    """Each option, chosen while the other questions get their first, settles its question: it is not asked again, and
    what is asked next, because a plan was left out, can be answered alike. Unless a person chose to unite them, no two
    plans that are kept clash gravely, but for a freeze that priority ends, and none need each other in a circle."""
    outcome = evaluate(case.intent_set, case.intents, case.policy)
    pack = outcome.question_pack
    if pack is None:
        return
    first = {question.question_id: question.options[0].option_id for question in pack.questions}
    for question in pack.questions:
        labels = [option.label for option in question.options]
        assert len(labels) == len(set(labels))
        for option in question.options:
            chosen = {**first, question.question_id: option.option_id}
            packs, asked = [answer_questions(pack, chosen, NOW)], {one.question_text for one in pack.questions}
            try:
                after = evaluate(case.intent_set, case.intents, case.policy, packs)
            except InvalidInput as refused:
                # Answers to several questions may leave nobody: one drops a part, the other leaves out the rest.
                if "nothing to merge" not in str(refused) or len(pack.questions) == 1:
                    raise
                continue
            while after.question_pack is not None:
                more = after.question_pack.questions
                assert asked.isdisjoint(one.question_text for one in more)
                asked |= {one.question_text for one in more}
                packs.append(
                    answer_questions(
                        after.question_pack, {one.question_id: one.options[0].option_id for one in more}, NOW
                    )
                )
                after = evaluate(case.intent_set, case.intents, case.policy, packs)
            if after.merged_intent is None:
                # All may depend on what is not there, at once or one after the other.
                assert option.label.startswith(("Merge nothing", "Drop")) or len(asked) > 1
                continue
            assert after._draft is not None
            roles = after._draft.roles
            assert roles is not None
            alone = survey_plans(case.intent_set, sorted(roles.kept, key=lambda one: one.id), case.policy)
            if not any("One after the other" in o.label for q in pack.questions for o in q.options if chosen[q.question_id] == o.option_id):  # fmt: skip
                # A freeze that priority ends for a plan is no clash for it.
                assert not any(Verdict(alone).relations.near)
                assert alone.ledger.cyclic == set()


def test_what_changes_nothing_is_not_offered() -> None:
    """Two who write one thing may be called complementary; not where one deletes it, both deploy it, or one only reads."""

    def offered(*plans: IntentDocument) -> set[str]:
        return {
            way for c in judged(*plans).conflicts for way, text in WAYS_OUT.items() if text in (c.description or "")
        }

    both = [plan(name, ["x.py"]) for name in ("aaaaaa", "bbbbbb")]
    deleting = plan("bbbbbb", ["x.py"], commands=[command("drop_it", "delete", text="Drop it")])
    deploying = [
        plan(name, modules=["service:api"], commands=[command("ship_it", "deploy", text="Ship it")])
        for name in ("aaaaaa", "bbbbbb")
    ]
    reading = plan("bbbbbb", ["x.py"], commands=[command("look_at_it", "read", text="Look at it")])
    assert offered(*both) == {"narrow", "priority", "complementary", "keep"}
    assert offered(both[0], deleting) == offered(*deploying) == {"narrow", "priority", "keep"}
    assert offered(both[0], reading) == {"narrow", "keep"}
    for plans in (both, deploying, [both[0], deleting]):
        assert not any("one after the other" in (c.description or "") for c in judged(*plans).conflicts)
