// A saved journal, written by this studio or another program: what was seen and done, moment by moment.

import { at, get } from "./api.js";
import { arena } from "./arena.js";
import { figures, h, perFrame, segments } from "./dom.js";
import { pageKeys } from "./keyboard.js";
import { intentTable } from "./intents.js";
import { markLegend, markStrip } from "./marks.js";
import { path } from "./place.js";
import { Player } from "./player.js";
import { Scrubbing, isDrawable } from "./scrubbing.js";
import { goToNextPlace } from "./strip.js";
import { transport } from "./transport.js";
import { humanize, many, short } from "./words.js";

/** @typedef {import("./router.js").Context} Context */

const MOMENT = 120; // milliseconds at speed 1
const MOST = 1000; // moments per request

/** All moments of a run.
 * @param {string} id
 * @param {number} run
 * @param {() => boolean} stay
 * @returns {Promise<Api.JournalMoment[]>}
 */
async function momentsOf(id, run, stay) {
  const all = [];
  let total = 1;
  while (all.length < total && stay()) {
    const found = await get(at`/journals/${id}/moments` + `?run=${run}&after=${all.length}&most=${MOST}`);
    if (!found.moments.length) break;
    all.push(...found.moments);
    total = found.total;
  }
  return all;
}

/** @param {Api.JournalRun} run */
const about = (run) =>
  [run.map?.name ?? "no map", run.seed === null ? "no seed recorded" : `seed ${run.seed}`,
    run.executor ?? "unnamed executor",
  run.goal ? `goal ${run.goal}` : null, many(run.attempts, "attempt"), run.closed ? null : "broken off"].filter(Boolean)
    .join(", ");

/** @param {Api.JournalSummary} summary */
function facts(summary) {
  /** @type {[string, number | null | undefined][]} */
  const found = [["Attempts", summary.attempts], ["Retries refused", summary.refused_retries],
    ["Violations", Object.values(summary.breaches ?? {}).reduce((a, b) => a + b, 0)], ["Deaths", summary.deaths],
    ["Reward", summary.reward]];
  return figures(found.filter(([, value]) => value !== undefined && value !== null)
    .map(([name, value]) => [name, short(value)]));
}

/** @param {Api.JournalSummary} summary */
function kinds(summary) {
  return h("ul", { class: "labels" },
    Object.entries(summary.by_intent ?? {})
    .map(([intent, labels]) => h("li", { class: "label-words" }, h("span", {}, humanize(intent)),
    h("span", { class: "soft" },
      Object.entries(labels).map(([label, count]) => `${humanize(label)} ${count}`).join(", ")))));
}

/** The arena and the table of one run, and a slider through its moments with what happens in them.
 * @param {Api.JournalShape} journal
 * @param {Api.JournalRun} run
 * @param {Api.JournalMoment[]} moments
 * @param {number | null} start
 * @param {(place: number) => void} note
 */
function course(journal, run, moments, start, note) {
  const field = run.map && moments.some(({ state }) => isDrawable(state)) ? arena(run.map) : null;
  const table = intentTable(run.steps ? "Choice" : "Purpose");
  const player = new Player(1, Math.max(1, moments.length), MOMENT);
  const scrubbing = new Scrubbing(moments, table.most);
  const slider = h("input", {
    type: "range", class: "scrub-plain", min: 1, max: player.last, step: 1, "aria-label": "Place in the journal",
    oninput: () => {
      player.pause();
      player.go(Number(slider.value));
    },
  });
  const about = h("p", { class: "moment-about small", "aria-hidden": "true" });
  const marks = markStrip(run.marks, player, "moment", about);
  const next = () => goToNextPlace(player, run.marks.map((one) => one.number));
  const buttons = transport(player, (place) => {
    const tick = scrubbing.tick(place);
    return `moment ${place}/${player.last}${tick === null ? "" : `  \u00b7  tick ${tick}`}`;
  }, { next: run.marks.length ? next : null, nextName: "Next event" });
  const part = run.run === 1 ? null : run.run;
  /** @param {import("./scrubbing.js").Row} row @returns {import("./dom.js").Child} */
  const choice = ({ moment, step, attempt }) => {
    if (!step) return attempt ? humanize(attempt.purpose) : "";
    const asked = { journal: journal.id, part, step: step.step, whose: step.body, moment };
    return h("a", { href: path("decision", asked), title: "Why?" }, step.chosen ?? "nothing");
  };

  /** @param {number} place */
  function show(place) {
    const { state, trail, rows, first, end } = scrubbing.at(place);
    if (state) field?.show(state, trail);
    table.showRows(first, end, (at) => {
      const row = rows[at - first];
      return [row.moment, choice(row), row.attempt?.outcome ?? null];
    });
    slider.value = String(place);
    marks.show(place);
    buttons.show(place);
    note(place);
  }
  player.listen(perFrame(show));
  player.place = Math.max(1, Math.min(player.last, start ?? run.marks[0]?.number ?? 1));
  show(player.place);
  pageKeys({
    " ": ["play or pause", () => player.toggle()],
    ArrowLeft: ["one moment back", () => player.step(-1)],
    ArrowRight: ["one moment forward", () => player.step(1)],
    Home: ["to the beginning", () => player.step(-1e9)],
    End: ["to the end", () => player.step(1e9)],
    ...(run.marks.length ? { n: ["the next event", next] } : {}),
  });
  return {
    field: field?.element ?? h("p", { class: "soft" }, "No state has a place on a map, so only intents are shown."),
    line: h("div", { class: "stack" }, h("div", { class: "timeline" }, marks.element, slider), about,
      markLegend(run.marks, journal.legend), buttons.element),
    table: table.element, leave: () => player.stop(),
  };
}

/** The state of a journal in a word, and its tone.
 * @param {Api.JournalShape} journal
 * @param {Api.JournalRun | undefined} run
 */
function stateOf(journal, run) {
  if (journal.live) return ["accent", "being written"];
  if (journal.intact === false) return ["bad", "\u2715 broken"];
  return run?.closed === false ? ["warn", "broken off"] : ["good", "finished"];
}

/** Show a journal. Returns a function that ends playback.
 * @param {HTMLElement} body
 * @param {Api.JournalShape} journal
 * @param {Context} context
 */
export async function openJournal(body, journal, context) {
  const { id } = journal;
  /** @type {Api.RecordDetail} */
  const detail = await get(at`/records/${id}`);
  const wanted = Number(context.params.get("part") ?? 1);
  const run = journal.runs.find((one) => one.run === wanted) ?? journal.runs[0];
  const [tone, word] = stateOf(journal, run);
  const top = h("div", { class: "row verdict-row" }, h("span", { class: `chip drive-state ${tone}` }, word),
    h("strong", {}, detail.record.name), run ? h("span", { class: "soft" }, about(run)) : null);
  if (!run) {
    body.replaceChildren(h("section", { class: "panel", "aria-label": "Journal" }, top,
      h("p", { class: "soft" }, "It has no runs.")));
    return null;
  }
  const parts = journal.runs.length > 1
    ? segments("Run of the journal", journal.runs.map((one) => [one.run, `run ${one.run}`]), run.run,
      (part) => context.go("drive", { journal: id, part })) : null;
  const moments = await momentsOf(id, run.run, context.stay);
  const part = run.run === 1 ? null : run.run;
  const shown = course(journal, run, moments, Number(context.params.get("moment")) || null,
    (moment) => context.note({ journal: id, part, moment }));
  body.replaceChildren(h("div", { class: "drive" },
    h("section", { class: "panel drive-arena", "aria-label": "Arena" }, top, parts, shown.field, shown.line),
    h("section", { class: "panel drive-passed", "aria-label": "Intents and results" },
      h("h2", {}, "Intents and results"),
      h("p", { class: "soft small" }, run.steps ? "Each choice can be asked: why, why not, what if."
        : "No decisions were recorded with it."), shown.table),
    detail.summary ? h("section", { class: "panel drive-counts drive-whole", "aria-label": "The whole journal" },
      h("h2", {}, "The whole journal"), facts(detail.summary),
      h("h2", {}, "How the intents ended"), kinds(detail.summary)) : null,
    journal.left_out
      ? h("p", { class: "soft small" }, `${many(journal.left_out, "later moment")} are not shown.`) : null));
  return shown.leave;
}
