// Intents and their results as a table, newest first.

import { h, table } from "./dom.js";
import { micros } from "./histogram.js";
import { humanize } from "./words.js";

/** @typedef {import("./dom.js").Child} Child */

const ROWS = 60;

/** @param {Api.OutcomeShape} outcome */
function result(outcome) {
  const tone = outcome.violations.length ? "bad" : outcome.status === "SUCCESS" ? "good" : "warn";
  const sign = { good: "\u2713 ", bad: "\u2715 ", warn: "" }[tone];
  return h("span", { class: `chip ${tone}`, title: outcome.detail },
    `${sign}${humanize(outcome.status)}${outcome.reason === "NONE" ? "" : `: ${humanize(outcome.reason)}`}`);
}

/** An intent with what was asked of it.
 * @param {Api.OutcomeShape} outcome
 */
function asked(outcome) {
  const given = Object.entries(outcome.parameters ?? {})
    .map(([name, value]) => `${humanize(name).toLowerCase()} ${[value].flat().join(", ")}`);
  return [humanize(outcome.intent), given.length ? h("span", { class: "soft" }, ` ${given.join("; ")}`) : ""];
}

/** A row of the table.
 * @param {number} number
 * @param {Child} what
 * @param {Api.OutcomeShape | null} outcome
 */
const row = (number, what, outcome) =>
  h("tr", {}, h("td", { class: "number soft" }, String(number)), h("td", {}, what),
    h("td", {}, outcome ? asked(outcome) : h("span", { class: "soft" }, "waits")),
    h("td", {}, outcome ? result(outcome) : ""),
    h("td", { class: "number soft" }, outcome?.elapsed_us ? micros(outcome.elapsed_us) : ""));

/** The table; `first` is the heading of what led to an intent, such as "Choice".
 * @param {string} first
 */
export function intentTable(first) {
  const rows = h("tbody");
  const element = table("Intents and results, newest first", ["No.", first, "Intent", "Result", "Took"], rows, {
    look: "small intents", holder: "passed",
  });
  let [from, to] = [0, 0];
  return {
    element,
    /** Show the rows from `first` up to `end` of a long list; `draw(at)` says what a row holds. Only rows that are
     * not there yet are drawn.
     * @param {number} first
     * @param {number} end
     * @param {(at: number) => [number, Child, Api.OutcomeShape | null]} draw
     */
    showRows(first, end, draw) {
      const make = (/** @type {number} */ at) => row(...draw(at));
      if (first >= to || end <= from) {
        rows.replaceChildren(...Array.from({ length: end - first }, (_, at) => make(end - 1 - at)));
      } else {
        for (; from < first; from += 1) rows.lastChild?.remove();
        for (; to > end; to -= 1) rows.firstChild?.remove();
        while (from > first) rows.append(make(from -= 1));
        for (; to < end; to += 1) rows.prepend(make(to));
      }
      [from, to] = [first, end];
    },
    most: ROWS,
  };
}
