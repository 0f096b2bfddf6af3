"""Whether flows are what their plans lead to: every question, graph and fate is judged again, with the answers that were given."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from volition.governance import AnswerPack, parse_document
from volition.workflow.law.judgement import Judgement, judge_again, judge_together, store_judgement
from volition.workflow.law.rules import finished_among, known_as_done, prerequisites_of, read_plan, rules_of
from volition.workflow.store.rows import AnswerRow, FlowPlanRow, FlowRow, QuestionRow
from volition.workflow.team.registration import JUDGEMENT, JUDGEMENTS

if TYPE_CHECKING:
    from volition.workflow.store.events import RecordedEvent
    from volition.workflow.verification.replayed import ReplayedRows


class VersionCheck:
    """Follows by which version of the rules things were judged: only what this program knows is judged again, and nobody goes back."""

    def __init__(self) -> None:
        self.not_judged = 0
        """How many judgements are of an older version, so that they cannot be repeated."""
        self._newest = 0

    def fault(self, version: str) -> str:
        """Why something cannot have been judged by a version: it is unknown, or older than one before; empty if it can."""
        if version not in JUDGEMENTS:
            return f"it was judged by version {version!r} of the rules, and this program knows {', '.join(JUDGEMENTS)}"
        place = JUDGEMENTS.index(version)
        if place < self._newest:
            return f"it was judged by version {version!r} of the rules, after {JUDGEMENTS[self._newest]!r} was in use"
        self._newest = place
        return ""

    def judges(self, version: str) -> bool:
        """Whether what was judged by a version is judged again; counted if it is not."""
        self.not_judged += version != JUDGEMENT
        return version == JUDGEMENT


class JudgementCheck:
    """Judges the flows of a replay again."""

    def __init__(self, rows: ReplayedRows, versions: VersionCheck) -> None:
        self._rows, self._versions = rows, versions

    def fault(self, event: RecordedEvent) -> str:
        """Why what is about to be said of a flow does not follow from its plans; empty if it does."""
        if event.what not in {"asked", "judged", "nothing to do", "reworded"}:
            return ""
        if fault := self._versions.fault(event.body["judgement"]):
            return fault
        flow = self._rows.find(FlowRow, event.subject)
        if flow is None or not self._versions.judges(event.body["judgement"]):
            return ""
        if event.what == "reworded":
            stored = judge_again(self._rows, flow)
            same = stored is not None and (stored.graph, stored.merged) == (event.body["graph"], event.body["merged"])
            return "" if same else "its plans lead to another graph"
        return _difference(event, flow, self._judge(flow))

    def _judge(self, flow: FlowRow) -> Judgement:
        parts = self._rows.all(FlowPlanRow, flow_id=flow.flow_id)
        plans = [read_plan(part.document) for part in parts]
        rounds = {row.checksum: row.round for row in self._rows.all(QuestionRow, flow_id=flow.flow_id)}
        answers = sorted(self._rows.all(AnswerRow, flow_id=flow.flow_id), key=lambda row: rounds[row.checksum])
        given = [parse_document(row.pack.encode(), AnswerPack) for row in answers]
        done = known_as_done(flow.set_document)
        if not flow.set_document:
            done = tuple(sorted(finished_among(self._rows, prerequisites_of(plans[0]))))
        return judge_together(plans, *rules_of(flow.policy, flow.env), given, done=done)


def _difference(event: RecordedEvent, flow: FlowRow, judged: Judgement) -> str:
    """What an event says of a flow that the judgement does not; empty if they agree."""
    body = event.body
    if judged.set_document != flow.set_document:
        return "it was started with another set of plans"
    expected = "judged" if judged.graph is not None else "asked" if judged.pack is not None else "nothing to do"
    if event.what != expected:
        return f"by its plans and answers it is {expected!r}"
    if event.what == "asked":
        return "" if body["pack"] == msgspec.json.encode(judged.pack).decode() else "its plans lead to other questions"
    if event.what == "nothing to do":
        why = judged.reason or "nothing is to be done"
        return "" if body["why"] == why else f"the reason is {why!r}"
    stored = store_judgement(judged)
    if body["plans"] != dict(judged.fates):
        return f"the fates of its plans are {dict(judged.fates)}"
    return "" if (stored.graph, stored.merged) == (body["graph"], body["merged"]) else "its plans lead to another graph"
