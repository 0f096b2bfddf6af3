"""The kit has a law for every sentence of the protocol that binds an executor, and no law without a sentence."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

import pytest

from volition.execution.conformance.laws import CHECKS

PAGE: Final = (Path(__file__).parents[4] / "docs" / "protocol.md").read_text(encoding="utf-8")

BRIDGE: Final = "bridge"
"""Binds the bridge: held by the tests of its session."""
INSIDE: Final = "inside"
"""Binds the executor, and cannot be seen from outside: held by the tests of the host and of the Java module."""
TEXT: Final = "text"
"""Explains, and binds nobody."""

SENTENCES: Final[dict[str, dict[str, str]]] = {
    "Lines": {
        "One JSON object per line": "framing.not_json framing.utf8 framing.objects_only framing.any_cut conduct.strict_lines",
        "Strict both ways": """framing.no_nan framing.duplicate_keys framing.trailing_text framing.whole_numbers framing.depth
            framing.longest_line framing.length_in_bytes conduct.line_length""",
        "Every frame has": "framing.wire_version framing.known_types framing.unknown_fields",
        "An integer is written": "framing.integers",
        "Half of a surrogate pair": "framing.surrogates",
        "A line that breaks a rule": """framing.garbage_then_valid framing.line_too_long framing.too_many_faults
            framing.error_unanswered robustness.random_lines robustness.random_bytes""",
        "Only lines that cannot be read": "framing.refused_do_not_count",
        "Lines that break each rule": TEXT,
        "The codes of faults": "cancel.never_sent framing.fields",
        "A party": "framing.fields",
        "A JSON Schema checks": TEXT,
    },
    "Handshake": {
        "The bridge sends the greeting": """handshake.nothing_before_hello handshake.ping_before_hello
            handshake.silent_caller handshake.greeting_twice handshake.nothing_remembered conduct.executor_frames""",
        "`spec` is the version": "handshake.version_refused handshake.minor_accepted handshake.welcome",
        "`token` may be left out": "handshake.token_refused",
        "`state_schema` in `hello`": "handshake.schema_refused",
        "`features` in `welcome`": "handshake.features_shared handshake.features_off",
        "`tick_hz` is 0": "conduct.timestamp_unit conduct.tick_pace conduct.same_welcome",
        "`move_frame` says": TEXT,
        "`intents` names which": "handshake.welcome intents.not_offered conduct.each_succeeds",
        "`reject` has one of the codes": "handshake.order_of_refusals",
        "One bridge at a time": "handshake.second_bridge",
        "An executor may limit": "robustness.storm",
        "A bridge with the feature `observe`": """observe.welcome observe.states observe.drives_nothing observe.leaves
            observe.events""",
        "The bridge distinguishes": BRIDGE,
    },
    "Places": {
        "`places` in the `state_schema`": TEXT,
        "`unit`: `metre` or": "conduct.strict_lines",
        "`tolerance`, from 0": "places.tolerance truth.move truth.stop_stands",
        "`coast_ms`, from 0": "places.coasting truth.stop_stands",
    },
    "Opening": {
        "After every welcome": "opening.full_state opening.first_stop opening.together opening.ready",
        "Who may send what": TEXT,
        "Both may send": "handshake.wrong_direction",
    },
    "Intents": {
        "The seven names": """intents.not_canonical intents.name_echoed intents.empty_parameters intents.not_offered""",
        "Ids are integers": """ids.largest ids.repeated ids.remembered ids.repeated_while_open ids.stale truth.repeated_id
            truth.repeated_while_open states.any_id""",
        "`ttl_ms` (1 to 3 600 000)": "deadlines.not_started_late deadlines.stop_never_expires deadlines.move_ends",
        "`based_on` is the": "states.based_on_now states.no_such_state states.former_episode",
        "At most `limits.max_inflight`": """window.fits window.one_more window.stop_apart window.stop_not_counted
            window.free_again soak.window_free""",
        "Where there are several reasons": "intents.order_of_refusals requests.order_of_refusals",
        "`agent`, a name": "stop.means_all states.agent_echoed",
        "STOP overtakes": """stop.overtakes stop.ahead_of_the_queue stop.ends_what_is_open stop.each_has_its_result stop.idle
            truth.stop_stands truth.stop_ends_all truth.stop_releases truth.stop_ends_evade conduct.stop_is_last""",
    },
    "Declared intents": {
        "The seven mean the same": TEXT,
        "`name`: a capital letter": "declared.readable",
        "`parameters`: a JSON Schema": "declared.readable",
        "`results`: how an attempt": "declared.readable conduct.declared_results",
        "`description`: for people": "declared.attempted",
        "A declared intent is": "declared.attempted declared.stopped declared.parameters conduct.declared_results",
        "`declared.json` of the export": TEXT,
    },
    "Results": {
        "Exactly one for every intent": """intents.every_intent conduct.one_result conduct.bound_by_id deadlines.hold_at_once
            deadlines.move_ends truth.move truth.obstructed truth.move_in_time truth.superseded_move truth.cut_short
            truth.dying_move soak.one_result soak.own_result soak.moves_true""",
        "`status`: `SUCCESS`": "truth.evade truth.jump truth.hold_and_release soak.none_faked",
        "`failure_reason`: `NONE`": "conduct.result_schema truth.cooldown truth.swing_cooldown truth.swing_at_nobody",
        "SUCCESS has the reason": "conduct.result_flags",
        "`invalid_environment`: the": "truth.in_the_air states.the_dead_do_nothing",
        "`damage_dealt`, `damage_received`": """truth.damage_dealt truth.damage_received truth.health_shown truth.no_aiming
            soak.damage_true""",
        "`engine_timestamp`: an integer": "conduct.timestamps conduct.time_measured",
        "An executor attempts an intent once": "truth.no_retries truth.blocked_stands",
        "All fields are required": "conduct.result_schema",
        "The bridge treats": BRIDGE,
        "An unreadable line may": BRIDGE,
        "The labels of attempts": BRIDGE,
    },
    "Once only": {
        "Ids are those of a session": "requests.only_where_agreed",
        "`request` names what": "requests.texts_compared requests.whole_marks",
        "A request is written down": "requests.remembered requests.other_digest restart.requests_remembered",
        "A request that was begun": "requests.under_way requests.under_way_open requests.under_way_digest",
        "To cancel it is": "requests.under_way_cancel",
        "Its `ttl_ms` limits": "requests.under_way_overdue",
        "A STOP ends the request": "requests.under_way_stop",
        "When the bridge or the executor ends": "requests.interrupted restart.interrupted",
        "STOP is carried out": "requests.marked_stop",
        "Refusals that need no attempt": "requests.refusals_forgotten",
        "A request that cannot be written": INSIDE,
        "`token` is the number": "requests.stale_token",
        "`fences` in `hello`": "requests.fences restart.tokens_remembered",
        "`requests.json` of the export": TEXT,
    },
    "Cancel and progress": {
        "A cancel is acknowledged": """cancel.acknowledged cancel.result_follows cancel.at_once cancel.each_time cancel.twice
            cancel.finished cancel.only_its_own cancel.beside_a_newer_one cancel.one_of_many truth.cancel_stands""",
    },
    "States and events": {
        "An event needs": "conduct.event_ids",
        "`seq` grows": """states.seq_grows states.answered states.tick_grows states.tick_agrees states.show_what_moves
            conduct.seq_never_back conduct.tick_never_back conduct.next_state conduct.state_ids""",
        "`episode` changes": "states.episode_changes states.dead_in_its_episode conduct.episode_never_back",
        "`full: true` means": "states.full_has_map states.answered",
    },
    "Episodes": {
        "An executor with the feature": "episodes.answered episodes.ends_what_is_open",
        "A reset overtakes": "episodes.ends_what_is_open",
        "What arrives after": "episodes.goes_on_at_once episodes.former_states",
        "`episode` changes": "episodes.answered episodes.seed_alone",
        "Requests that are remembered": INSIDE,
        "Without the feature": "episodes.needs_the_feature",
        "`deterministic` in": "episodes.deterministic",
    },
    "Heartbeat": {
        "Either side pings": """heartbeat.pong heartbeat.unasked_pong heartbeat.tick_grows heartbeat.open_ids
            heartbeat.pings_when_idle heartbeat.silence_is_death heartbeat.refused_is_life dead_man.after_silence
            dead_man.after_the_end dead_man.after_goodbye dead_man.after_torn_line robustness.flood""",
    },
    "Probe": {
        "For tests only": "handshake.probe_refused",
        "`id` is counted with": "states.match_the_probe",
        "`place`: three numbers": "states.match_the_probe",
        "`alive`, `grounded`": "states.match_the_probe",
        "`cooling`, `tired`": "states.match_the_probe",
        "`target`: an opponent": "states.match_the_probe",
        "The rest are vectors": "conduct.probe_vectors",
        "What a state shows": "states.match_the_probe",
    },
    "Errors and the end": {
        "The `reason` of `goodbye`": "goodbye.ends goodbye.before_hello",
        "When a connection ends": "handshake.free_again",
    },
}  # fmt: skip
"""Section -> how a paragraph or a bullet of it begins -> the laws that hold it."""


def paragraphs() -> dict[str, list[str]]:
    """Section -> its paragraphs and bullets, each in one line; without examples and tables."""
    text = re.sub(r"^```.*?^```$", "", PAGE, flags=re.MULTILINE | re.DOTALL)
    found: dict[str, list[str]] = {}
    for heading, body in re.findall(r"^## ([^\n]+)\n(.*?)(?=^## |\Z)", text, re.MULTILINE | re.DOTALL):
        parts = [" ".join(part.split()) for part in re.split(r"\n\s*\n|\n(?= *- )", body)]
        found[heading] = [part.removeprefix("- ") for part in parts if part and not part.startswith(("#", "|"))]
    return found


@pytest.mark.req("EX-26")
def test_every_sentence_has_its_laws() -> None:
    """Every paragraph and bullet of a section of the wire is held by laws of the kit, or binds somebody else, or nobody."""
    page = paragraphs()
    assert set(page) == {*SENTENCES, "From Python"}
    for section, parts in page.items():
        if section == "From Python":
            continue
        beginnings = SENTENCES.get(section, {})
        unheld = [part[:60] for part in parts if not any(map(part.startswith, beginnings))]
        assert unheld == [], f"{section}: name the laws that hold this, in SENTENCES"
        gone = [words for words in beginnings if not any(part.startswith(words) for part in parts)]
        assert gone == [], f"{section}: no sentence begins like this any more"


@pytest.mark.req("EX-26")
def test_every_law_has_its_sentence() -> None:
    """Every law of the kit holds some sentence, in the section that it names."""
    names = {check.name: check.section for check in CHECKS}
    held = {
        (name, section)
        for section, beginnings in SENTENCES.items()
        for laws in beginnings.values()
        for name in laws.split()
        if name not in {BRIDGE, INSIDE, TEXT}
    }
    assert {name for name, _ in held} == set(names)
    assert [name for name, section in names.items() if (name, section) not in held] == []
