"""The doctor on invented evenings: whatever the numbers, its advice can be followed."""

from __future__ import annotations

import dataclasses
import json
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from msgspec.structs import replace

from tests.drama.doctor.records import PARTY, SCENARIOS, cases, scenario_called
from volition.core.document import dump_json
from volition.core.errors import InvalidInput
from volition.drama.batch.measures import FirstAct, Looks, Measures, Row, Spread, Story
from volition.drama.doctor import examine
from volition.drama.doctor.case import Proposals
from volition.drama.world.rulebook import default_rules
from volition.drama.world.scenario import scenario_to_data
from volition.drama.world.settings import apply_settings, value_at

if TYPE_CHECKING:
    from typing import Any

    from volition.drama.doctor.case import Symptom
    from volition.drama.world.model import Scenario


@pytest.mark.req("DE-14")
@given(cases())
def test_a_failing_target_has_a_symptom(case: tuple[Scenario, list[Measures]]) -> None:
    """Every target that fails belongs to a symptom, and no symptom names a target that holds."""
    scenario, records = case
    report = examine(records, scenario)
    explained = {id for symptom in report.symptoms for id in symptom.targets}
    assert explained == {target.id for target in report.targets if not target.holds}
    assert report.healthy == (not report.symptoms)
    assert len({symptom.id for symptom in report.symptoms}) == len(report.symptoms)


@pytest.mark.req("DE-14")
@settings(max_examples=8)
@given(cases())
def test_proposals_can_be_made(case: tuple[Scenario, list[Measures]]) -> None:
    """Every symptom has evidence and a setting to change; each setting exists, has the stated value, and may be changed as proposed."""
    scenario, records = case
    wordless = dataclasses.replace(scenario, phrases={})  # as in a search: words take long to read
    for symptom in examine(records, scenario).symptoms:
        check_proposals(symptom, wordless)


def check_proposals(symptom: Symptom, scenario: Scenario) -> None:
    assert symptom.evidence, symptom.id
    assert symptom.settings, symptom.id
    data, rules = scenario_to_data(scenario), default_rules()
    for setting in symptom.settings:
        assert setting.now == _at(data, setting.path) != setting.to
        if setting.path.startswith("rules."):
            _at({"rules": rules}, setting.path)
    changed = apply_settings(scenario, symptom.settings)
    assert changed.hash != scenario.hash
    after = scenario_to_data(changed)
    assert all(_at(after, setting.path) == setting.to for setting in symptom.settings)


NEW_ENTRIES = ("evening.needs.", "evening.need_rates.", "evening.events[", "evening.circumstances[")


def _at(data: Any, path: str) -> Any:
    """The value at a path; a table with custom names may not have an entry yet."""
    try:
        return value_at(data, path)
    except KeyError:
        if not path.startswith(NEW_ENTRIES):
            raise
        return None


@given(cases())
def test_order_says_nothing(case: tuple[Scenario, list[Measures]]) -> None:
    """The order of the evenings does not change the report."""
    scenario, records = case
    assert str(examine(records, scenario)) == str(examine(records[::-1], scenario))


@given(cases())
def test_text_and_data(case: tuple[Scenario, list[Measures]]) -> None:
    """Text and data name every target, every symptom and every change."""
    scenario, records = case
    report = examine(records, scenario)
    text, data = str(report), json.loads(dump_json(report.to_data()))
    assert [row["name"] for row in data["targets"]] == [target.name for target in report.targets]
    assert [symptom["id"] for symptom in data["symptoms"]] == [symptom.id for symptom in report.symptoms]
    assert data["healthy"] is report.healthy
    for target in report.targets:
        assert target.name in text
    for symptom in report.symptoms:
        assert symptom.name[1:] in text
        assert all(str(setting) in text for setting in symptom.settings)


CAST = sorted(PARTY.people)
GOOD_STORY = Story(
    made=dict.fromkeys(CAST, 20),
    conflicts={who: {CAST[(place + 1) % 6]: 1} for place, who in enumerate(CAST)},
    first=None,
    out=tuple(list(PARTY.secrets)[:-1]),
    stale=0,
    driven_off=(),
    seen_through=0,
    found_out=1,
    answers=(6, 0, 0, 0, 2, *(0,) * 10, 2),
    pours=10,
    pours_amid_rows=1,
)
GOOD = Measures(
    seed=1,
    minutes=130.0,
    ticks=120,
    ending="thinned_out",
    events={"CHAT": 100, "CONFLICT": 9, "CONFIDE": 3, "LIE": 1, "SOCIAL_MOVE": 15, "PHYSICAL": 19},
    first_drama=20,
    rooms=tuple(PARTY.rooms),
    catastrophes=(),
    composure=dict.fromkeys(PARTY.people, 0.2),
    potential=dict.fromkeys(PARTY.people, 0.5),
    glasses=50,
    left=("victor",),
    tension=(0.2, 0.3),
    row=Row(3, "victor", "observe:marcus"),
    repeats=0.1,
    looks=Looks(
        600,
        {"CHAT": 300, "SOCIAL_MOVE": 20},
        {"bonds": 100, "flaws": 60, "noise": 270},
        internal=Spread({40: 600}),
        winners=Spread({55: 590, 95: 10}),
        all=Spread({-10: 1, 20: 1, 40: 1, 60: 1, 80: 1, 95: 1}),
        dramatic=Spread({30: 100}),
        gaps=Spread({5: 600}),
        biases=Spread({0: 600}),
        decided=dict.fromkeys(CAST, 100),
        awake=dict.fromkeys(CAST, (50, 50, 50)),
        swayed=dict.fromkeys(CAST, (3, 3, 3)),
    ),
    story=GOOD_STORY,
)


def _good_story(seed: int) -> Story:
    """Stories in which every secret comes out sometimes, and everybody begins and storms off sometimes."""
    secrets, who = list(PARTY.secrets), CAST[seed % 6]
    return replace(
        GOOD_STORY,
        first=FirstAct(who, "CONFLICT", CAST[seed % 6 - 1]),
        out=tuple(secret for place, secret in enumerate(secrets) if place != seed % 5),
        driven_off=(who,),
        first_out=secrets[seed % 5],
        remained=tuple(CAST[: seed % 6]),
        subjects=(1, 1, 1),
        owed=4,
        settled=4,
    )


KINDS = ("thinned_out", "broke_up", "ran_its_course")
HEALTHY = [
    replace(GOOD, seed=seed, ending=KINDS[seed % 3], catastrophes=((who, 100.0),), story=_good_story(seed))
    for seed, who in enumerate(sorted(PARTY.people) * 20)
]


@pytest.mark.req("DE-13", "DE-19")
def test_a_good_scenario_is_healthy() -> None:
    """If all targets hold and there is no symptom, the report says so and nothing else."""
    report = examine(HEALTHY, PARTY)
    assert report.healthy
    assert [target.id for target in report.targets if not target.holds] == []
    assert report.symptoms == ()
    assert str(report).endswith("Every target holds, and there is no symptom.")


def told(**changes: Any) -> list[Measures]:
    """The healthy evenings, all with other values in their stories."""
    return [replace(record, story=replace(record.story, **changes)) for record in HEALTHY]


def spoilt(share: float, **changes: Any) -> list[Measures]:
    """The healthy evenings, a share of them with other values."""
    many = round(share * len(HEALTHY))
    return [replace(record, **changes) for record in HEALTHY[:many]] + HEALTHY[many:]


def events(**counts: int) -> dict[str, int]:
    return {**GOOD.events, **counts}


@pytest.mark.req("DE-13", "DE-19")
@pytest.mark.parametrize(
    ("target", "symptom", "share", "changes"),
    [
        ("minutes", "too_short", 0.11, {"minutes": 119.9}),
        ("rooms", "empty_room", 0.26, {"rooms": GOOD.rooms[:-1]}),
        ("moves", "always_flee", 1.0, {"events": events(SOCIAL_MOVE=24)}),
        ("first", "opening_not_calm", 0.6, {"first_drama": 11}),
        ("first", "nothing_happens", 0.6, {"first_drama": 31}),
        ("first", "nothing_happens", 0.6, {"first_drama": None}),
        ("tension", "no_rise", 0.16, {"tension": (0.3, 0.3)}),
        ("endings", "one_ending", 1.0, {"ending": "ran_its_course"}),
        ("catastrophes", "too_few_catastrophes", 0.21, {"catastrophes": ()}),
        ("catastrophes", "too_many_catastrophes", 0.21, {"catastrophes": HEALTHY[0].catastrophes * 4}),
        ("most", "one_breaks", 0.6, {"catastrophes": HEALTHY[0].catastrophes}),
        ("least", "one_never_breaks", 1.0, {"catastrophes": HEALTHY[0].catastrophes + HEALTHY[1].catastrophes}),
        ("chats", "silent", 0.06, {"events": events(CHAT=20, PHYSICAL=120)}),
        ("conflicts", "never_dramatic", 0.06, {"events": events(CONFLICT=5)}),
        ("tellings", "secrets_kept", 0.06, {"events": events(CONFIDE=1)}),
        ("events", "too_much_happens", 0.6, {"events": events(CHAT=204)}),
        ("events", "too_little_happens", 0.06, {"events": events(CHAT=50)}),
        ("internal", "quiet_pays", 1.0, {"looks": replace(GOOD.looks, internal=Spread({46: 600}))}),
        ("internal", "quiet_costs", 1.0, {"looks": replace(GOOD.looks, internal=Spread({34: 600}))}),
        ("winners", "out_of_range", 1.0, {"looks": replace(GOOD.looks, winners=Spread({55: 500, 115: 100}))}),
        ("bands", "out_of_range", 1.0, {"looks": replace(GOOD.looks, all=Spread({-10: 1, 20: 1, 40: 1, 60: 1, 80: 1}))}),
    ],
)  # fmt: skip
def test_bars(target: str, symptom: str, share: float, changes: dict[str, Any]) -> None:
    """Each bar is where it is stated: slightly beyond it the target fails, and its symptom is named."""
    report = examine(spoilt(share, **changes), PARTY)
    assert target in {row.id for row in report.targets if not row.holds}
    found = {one.id: one for one in report.symptoms}
    assert symptom in found
    check_proposals(found[symptom], PARTY)


@pytest.mark.req("DE-19")
@pytest.mark.parametrize(
    ("target", "share", "changes"),
    [
        ("minutes", 0.10, {"minutes": 119.9}),
        ("minutes", 1.0, {"minutes": 120.0}),
        ("rooms", 0.25, {"rooms": GOOD.rooms[:-1]}),
        ("moves", 1.0, {"events": events(SOCIAL_MOVE=23)}),
        ("first", 1.0, {"first_drama": 12}),
        ("first", 1.0, {"first_drama": 30}),
        ("tension", 0.15, {"tension": (0.3, 0.3)}),
        ("catastrophes", 0.20, {"catastrophes": ()}),
        ("catastrophes", 1.0, {"catastrophes": HEALTHY[0].catastrophes * 3}),
        ("chats", 1.0, {"events": events(CHAT=21)}),
        ("conflicts", 1.0, {"events": events(CONFLICT=6)}),
        ("tellings", 1.0, {"events": events(CONFIDE=1, REVEAL=1)}),
        ("events", 1.0, {"events": events(CHAT=203)}),
        ("events", 1.0, {"events": events(CHAT=53)}),
    ],
)
def test_bars_from_within(target: str, share: float, changes: dict[str, Any]) -> None:
    """At its bar a target still holds."""
    report = examine(spoilt(share, **changes), PARTY)
    assert target not in {row.id for row in report.targets if not row.holds}


FEUD = {who: {CAST[(place + 1) % 6]: 1 + 9 * (who == CAST[0])} for place, who in enumerate(CAST)}


@pytest.mark.req("DE-24", "DE-25", "DE-30", "DE-32", "DE-34")
@pytest.mark.parametrize(
    ("target", "symptom", "bad", "good"),
    [
        ("secret_most", "open_secret", {"out": tuple(PARTY.secrets)}, {}),
        ("secret_least", "kept_secret", {"out": ()}, {}),
        ("firsts", "one_opening", {"first": FirstAct("elena", "LIE", "thorne")}, {}),
        ("firsts", "one_opening", {"first": None}, {}),
        ("pair", "one_feud", {"conflicts": FEUD}, {}),
        ("starters", "peaceful", {"conflicts": {**GOOD_STORY.conflicts, CAST[0]: {}}}, {}),
        ("loudest", "unequal", {"made": {**GOOD_STORY.made, CAST[0]: 43}}, {"made": {**GOOD_STORY.made, CAST[0]: 42}}),
        ("quietest", "unequal", {"made": {**GOOD_STORY.made, CAST[0]: 8}}, {"made": {**GOOD_STORY.made, CAST[0]: 9}}),
        ("driven_off", "same_exit", {"driven_off": CAST[:2]}, {"driven_off": CAST[:3]}),
        ("found_out", "believed", {"found_out": 0}, {}),
        ("answer", "unanswered", {"answers": (4, *(0,) * 9, 1, 0, 0, 0, 0, 5)}, {"answers": (4, *(0,) * 8, 1, 0, 0, 0, 0, 0, 5)}),
        ("answered", "unanswered", {"answers": (7, *(0,) * 14, 2)}, {"answers": (0,) * 16}),
        ("stale", "stale", {"stale": 1}, {}),
        ("subjects", "pointless", {"subjects": (51, 40, 9)}, {"subjects": (50, 41, 9)}),
        ("settled", "unsettled", {"owed": 100, "settled": 84}, {"owed": 100, "settled": 85}),
        ("settled", "unsettled", {"owed": 1, "settled": 0}, {"owed": 0, "settled": 0}),
        ("remained", "same_company", {"remained": ("elena", "thorne")}, {}),
        ("first_out", "same_revelation", {"first_out": "secret_embezzle_01"}, {"first_out": None}),
        ("pours", "unmoved", {"pours": 9}, {"pours": 0, "pours_amid_rows": 0}),
    ],
)  # fmt: skip
def test_story_bars(target: str, symptom: str, bad: dict[str, Any], good: dict[str, Any]) -> None:
    """Slightly beyond its bar a target of the story fails and its symptom is named; within, it holds."""
    report = examine(told(**bad), PARTY)
    assert target in {row.id for row in report.targets if not row.holds}
    check_proposals(next(one for one in report.symptoms if one.id == symptom), PARTY)
    assert target not in {row.id for row in examine(told(**good), PARTY).targets if not row.holds}


@pytest.mark.req("DE-33", "DE-34")
def test_which_event_to_change() -> None:
    """If the same people always remain, departures are named that would take them away; if the same secret comes out first,
    the event and the circumstances that bring it out, and those that could bring out another."""
    stay = next(one for one in examine(told(remained=("lydia", "victor")), PARTY).symptoms if one.id == "same_company")
    moved = {setting.path: (setting.now, setting.to) for setting in stay.settings}
    assert moved["evening.events[cab].when.chance"] == (0.4, 0.52)
    assert moved["evening.events[elopement].when.chance"] == (0.4, 0.28)
    assert any(path.startswith("evening.circumstances[words_") for path in moved)
    news = told(first_out="secret_embezzle_01")
    out = next(one for one in examine(news, PARTY).symptoms if one.id == "same_revelation")
    moved = {setting.path: (setting.now, setting.to) for setting in out.settings}
    assert moved["evening.events[bank].minute"] == (45.0, 82.5)
    assert moved["evening.circumstances[a_glance].chance"] == (0.3, 0.39)
    assert moved["evening.circumstances[a_rumour].chance"] == (0.3, 0.21)


@pytest.mark.req("DE-33")
def test_no_wine_where_nothing_is_served() -> None:
    """If nobody breaks in a house without a kitchen and without servers, strain is to wear people down, not wine."""
    sober = scenario_called("no table")
    calm = replace(
        GOOD,
        composure=dict.fromkeys(sober.people, 1.0),
        potential=dict.fromkeys(sober.people, 0.0),
        rooms=tuple(sober.rooms),
        row=Row(3, "rosa", "internal"),
        **_uneventful(sober),
    )
    found = next(one for one in examine([calm], sober).symptoms if one.id == "too_few_catastrophes")
    paths = {setting.path for setting in found.settings}
    assert "rules.physics.stress_erodes_above" in paths
    assert not any(path.startswith("evening.") for path in paths)
    check_proposals(found, sober)


@pytest.mark.req("DE-24", "DE-25")
@pytest.mark.parametrize(
    ("target", "symptom", "share", "changes"),
    [
        ("lies", "honest", 0.61, {"events": {**GOOD.events, "LIE": 0}}),
        ("noise", "by_chance", 1.0, {"looks": replace(GOOD.looks, hung={"bonds": 100, "flaws": 60, "noise": 271})}),
        ("flaws", "sleeping_flaws", 0.5, {"looks": replace(GOOD.looks, swayed=dict.fromkeys(CAST, (2, 3, 3)))}),
        ("asleep", "sleeping_flaws", 0.71, {"looks": replace(GOOD.looks, awake=dict.fromkeys(CAST, (0, 1, 1)))}),
    ],
)
def test_story_bars_in_a_share(target: str, symptom: str, share: float, changes: dict[str, Any]) -> None:
    """So it is where a share of the evenings decides."""
    report = examine(spoilt(share, **changes), PARTY)
    assert [row.id for row in report.targets if not row.holds] == [target]
    check_proposals(next(one for one in report.symptoms if one.id == symptom), PARTY)


@pytest.mark.parametrize(
    ("symptom", "changes"),
    [
        ("same_act", {"row": Row(8, "victor", "observe:marcus")}),
        ("same_act", {"looks": replace(GOOD.looks, hung={"bonds": 100, "flaws": 60, "noise": 149})}),
        ("ignore_bonds", {"looks": replace(GOOD.looks, hung={"bonds": 29, "flaws": 60, "noise": 270})}),
        ("flaws_dominate", {"looks": replace(GOOD.looks, hung={"bonds": 100, "flaws": 241, "noise": 270})}),
        ("flaws_dominate", {"looks": replace(GOOD.looks, biases=Spread({0: 590, 100: 10}))}),
        ("always_flee", {"looks": replace(GOOD.looks, won={"CHAT": 300, "SOCIAL_MOVE": 73})}),
        ("nobody_leaves", {"left": ()}),
    ],
)
def test_symptoms_without_a_target(symptom: str, changes: dict[str, Any]) -> None:
    """Decisions can show a symptom even if every target holds."""
    report = examine(spoilt(1.0, **changes), PARTY)
    assert [found.id for found in report.symptoms] == [symptom]
    assert not report.healthy
    check_proposals(report.symptoms[0], PARTY)


def _uneventful(scenario: Scenario) -> dict[str, Any]:
    """The looks and the story of an evening of a scenario in which nobody does anything."""
    people = list(scenario.people)
    asleep = dict.fromkeys(people, (0, 0, 0))
    return {
        "looks": replace(GOOD.looks, decided=dict.fromkeys(people, 100), awake=asleep, swayed=asleep),
        "story": Story(
            made=dict.fromkeys(people, 0),
            conflicts={who: {} for who in people},
            first=None,
            out=(),
            stale=0,
            driven_off=(),
            seen_through=0,
            found_out=0,
            answers=(0,) * 16,
            pours=0,
            pours_amid_rows=0,
        ),
    }


@pytest.mark.req("DE-14")
@pytest.mark.parametrize("name", SCENARIOS)
def test_where_nothing_happens(name: str) -> None:
    """For an evening in which nothing happens, every fitting symptom is reported, and all proposals can be applied."""
    scenario = scenario_called(name)
    silent = replace(
        GOOD, minutes=1.0, events={}, first_drama=None, rooms=(), left=(), tension=(0.0, 0.0), glasses=0,
        composure=dict.fromkeys(scenario.people, 1.0), potential=dict.fromkeys(scenario.people, 0.0),
        row=Row(99, next(iter(scenario.people)), "internal"), **_uneventful(scenario),
    )  # fmt: skip
    symptoms = examine([silent], scenario).symptoms
    assert {"too_few_catastrophes", "empty_room", "too_short", "silent", "same_act"} <= {one.id for one in symptoms}
    for symptom in symptoms:
        check_proposals(symptom, scenario)


def test_bars_grow_with_the_evening() -> None:
    """The bars scale with the evening: three people for 90 minutes need not quarrel as often as six for 150."""
    three = scenario_called("three people")
    records = [replace(GOOD, composure={}, potential={}, row=Row(1, "rosa", "internal"), **_uneventful(three))]
    names = {target.id: target.name for target in examine(records, three).targets}
    bars = {target.id: target.bar for target in examine(records, three).targets}
    assert names["minutes"] == "evenings that last 72 of 90 minutes"
    assert names["conflicts"] == "evenings with more than 2 conflicts"
    assert (bars["first"], bars["most"]) == ("7.2 to 18", "<= 50")


def test_nothing_to_examine() -> None:
    """Without evenings there is no report."""
    with pytest.raises(InvalidInput, match="no evening"):
        examine([], PARTY)


def test_unknown_settings() -> None:
    """A proposal can only change a setting that exists."""
    for path in ("rules.noise.sigmas", "rules.nose.sigma", "people.nobody.sensitivity", "evening.wine"):
        with pytest.raises(KeyError):
            Proposals(PARTY).now(path)
