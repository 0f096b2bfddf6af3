// A saved journal, written by this studio or another program: what was seen and done, moment by moment.

import { at, get } from "./api.js";
import { arena } from "./arena.js";
import { figures, h, perFrame, segments } from "./dom.js";
import { pageKeys } from "./keyboard.js";
import { intentTable } from "./intents.js";
import { Player } from "./player.js";
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

/** The arena and the table of one run, and a slider through its moments.
 * @param {Api.JournalRun} run
 * @param {Api.JournalMoment[]} moments
 * @param {number | null} start
 * @param {(place: number) => void} note
 */
function course(run, moments, start, note) {
  const field = run.map ? arena(run.map) : null;
  const table = intentTable("Purpose");
  const player = new Player(1, Math.max(1, moments.length), MOMENT);
  const slider = h("input",
    { type: "range", class: "scrub-plain", min: 1, max: player.last, step: 1, "aria-label": "Place in the journal",
      oninput: () => {
    player.pause();
    player.go(Number(slider.value));
  } });
  const buttons = transport(player, (place) => {
    const tick = moments[place - 1]?.tick ?? null;
    return `moment ${place}/${player.last}${tick === null ? "" : `  \u00b7  tick ${tick}`}`;
  });
  /** @param {number} place */
  function show(place) {
    const past = moments.slice(0, place);
    const states = past.map((one) => one.state).filter(Boolean);
    if (field && states.length) field.show(states.at(-1), states);
    table.clear();
    for (const { number, attempt } of past.filter((each) => each.attempt).slice(-table.most)) {
      if (attempt) table.add(number, humanize(attempt.purpose), attempt.outcome);
    }
    slider.value = String(place);
    buttons.show(place);
    note(place);
  }
  const redraw = perFrame(show);
  player.listen(redraw);
  player.place = Math.max(1, Math.min(player.last, start ?? 1));
  show(player.place);
  pageKeys({
    " ": ["play or pause", () => player.toggle()], ArrowLeft: ["one moment back", () => player.step(-1)],
    ArrowRight: ["one moment forward", () => player.step(1)],
    Home: ["to the beginning", () => player.step(-1e9)], End: ["to the end", () => player.step(1e9)],
  });
  return { field: field?.element
    ?? h("p", { class: "soft" }, "The journal has no map, so only the intents can be shown."), table: table.element,
    slider, buttons: buttons.element, leave: () => player.stop() };
}

/** Show a journal. Returns a function that ends playback.
 * @param {HTMLElement} body
 * @param {Api.JournalShape} journal
 * @param {Context} context
 */
export async function openJournal(body, journal, context) {
  const { id } = journal;
  const detail = await get(at`/records/${id}`);
  const wanted = Number(context.params.get("part") ?? 1);
  const run = journal.runs.find((one) => one.run === wanted) ?? journal.runs[0];
  const state = journal.live ? ["accent", "being written"] : journal.intact === false ? ["bad", "\u2715 broken"]
    : run?.closed === false ? ["warn", "broken off"] : ["good", "finished"];
  const top = h("div", { class: "row verdict-row" }, h("span", { class: `chip drive-state ${state[0]}` }, state[1]),
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
  const shown = course(run, moments, Number(context.params.get("moment")) || null,
    (moment) => context.note({ journal: id, part, moment: moment > 1 ? moment : null }));
  body.replaceChildren(h("div", { class: "drive" },
    h("section", { class: "panel drive-arena", "aria-label": "Arena" }, top, parts, shown.field, shown.slider,
      shown.buttons),
    h("section", { class: "panel drive-passed", "aria-label": "Intents and results" },
      h("h2", {}, "Intents and results"), shown.table),
    detail.summary
      ? h("section", { class: "panel drive-counts drive-whole", "aria-label": "The whole journal" },
        h("h2", {}, "The whole journal"), facts(detail.summary),
      h("h2", {}, "How the intents ended"), kinds(detail.summary)) : null,
    journal.left_out ? h("p", { class: "soft small" }, `${many(journal.left_out, "later moment")} are not shown.`)
      : null));
  return shown.leave;
}
