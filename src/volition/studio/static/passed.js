// Intents and what came of them, as a table: the newest first.

import { h, scrolling } from "./dom.js";
import { micros } from "./histogram.js";
import { plain } from "./words.js";

const ROWS = 60;

function result(outcome) {
  const tone = outcome.violations.length ? "bad" : outcome.status === "SUCCESS" ? "good" : "warn";
  const sign = { good: "\u2713 ", bad: "\u2715 ", warn: "" }[tone];
  return h("span", { class: `chip ${tone}`, title: outcome.detail }, `${sign}${plain(outcome.status)}${outcome.reason === "NONE" ? "" : `: ${plain(outcome.reason)}`}`);
}

/** The table; `first` names what an intent came of, as "Choice". `add(number, what, outcome)` puts a row on top. */
export function passedTable(first) {
  const rows = h("tbody");
  const element = scrolling("Intents and results, the newest first", h("table", { class: "small" },
    h("caption", { class: "unseen" }, "Intents and results, the newest first"),
    h("thead", {}, h("tr", {}, ["No.", first, "Intent", "Result", "Took"].map((text) => h("th", { scope: "col" }, text)))), rows), "passed");
  return {
    element,
    add(number, what, outcome) {
      rows.prepend(h("tr", {}, h("td", { class: "number soft" }, String(number)), h("td", {}, what),
        h("td", {}, outcome ? plain(outcome.intent) : h("span", { class: "soft" }, "waits")), h("td", {}, outcome ? result(outcome) : ""),
        h("td", { class: "number soft" }, outcome?.elapsed_us ? micros(outcome.elapsed_us) : "")));
      if (rows.children.length > ROWS) rows.lastChild.remove();
    },
    clear: () => rows.replaceChildren(),
    most: ROWS,
  };
}
