// A saved journal, written by this studio or another program: what was seen and done, moment by moment.

import { at, get } from "./api.js";
import { course } from "./course.js";
import { figures, h, segments } from "./dom.js";
import { pageKeys } from "./keyboard.js";
import { path } from "./place.js";
import { humanize, many, short } from "./words.js";

/** @typedef {import("./router.js").Context} Context */

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

/** The course of one run; each of its choices can be asked.
 * @param {Api.JournalShape} journal
 * @param {Api.JournalRun} run
 * @param {Api.JournalMoment[]} moments
 * @param {number | null} start
 * @param {(place: number) => void} note
 */
function runCourse(journal, run, moments, start, note) {
  const part = run.run === 1 ? null : run.run;
  return course({
    map: run.map, moments, marks: run.marks, legend: journal.legend, unit: "moment",
    heading: run.steps ? "Choice" : "Purpose", label: "Place in the journal", start, note,
    choice: ({ moment, step, attempt }) => {
      if (!step) return attempt ? humanize(attempt.purpose) : "";
      const asked = { journal: journal.id, part, step: step.step, whose: step.body, moment };
      return h("a", { href: path("decision", asked), title: "Why?" }, step.chosen ?? "nothing");
    },
  });
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
  const shown = runCourse(journal, run, moments, Number(context.params.get("moment")) || null,
    (moment) => context.note({ journal: id, part, moment }));
  pageKeys(shown.keys);
  const field = shown.field?.element
    ?? h("p", { class: "soft" }, "No state has a place on a map, so only intents are shown.");
  body.replaceChildren(h("div", { class: "drive" },
    h("section", { class: "panel drive-arena", "aria-label": "Arena" }, top, parts, field, shown.line),
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
