// A pasted or dropped decision, in JSON or TOML.

import { post } from "./api.js";
import { h } from "./dom.js";
import { problems } from "./problems.js";

const SAMPLE = {
  candidates: ["motorway", "main", "scenic"],
  intentions: [
    { id: "tolls", kind: "constraint", intent: { violates: ["motorway"] } },
    { id: "fast", kind: "heuristic", intent: { scores: { motorway: 1.0, main: 0.5, scenic: -0.5 } } },
    { id: "pretty", kind: "heuristic", intent: { scores: { main: 0.0, scenic: 1.0 } }, weight: 0.75, priority: 10 },
  ],
};

/** JSON begins with a brace; everything else is taken for TOML.
 * @param {string} text
 */
const format = (text) => (text.trimStart().startsWith("{") ? "json" : "toml");

/**
 * @param {HTMLElement} holder
 * @param {HTMLElement} tabs
 * @param {typeof import("./decision.js").decisionView} decisionView
 */
export function showPasted(holder, tabs, decisionView) {
  const area = h("textarea", { "aria-label": "A decision in JSON or TOML", spellcheck: "false" });
  area.value = JSON.stringify(SAMPLE, null, 2);
  const result = h("div", { class: "stack" });
  async function decide() {
    const asked = { text: area.value, format: format(area.value) };
    try {
      const { decision, warnings } = await post("/decide", asked);
      result.replaceChildren(...warnings.map((/** @type {string} */ text) => h("p", { class: "chip warn" }, text)),
        decisionView(decision, { ask: async (change) => (await post("/decide", { ...asked, ...change })).what_if }));
    } catch (error) {
      result.replaceChildren(problems(error));
    }
  }
  const drop = {
    ondragover: (/** @type {DragEvent} */ event) => event.preventDefault(),
    ondrop: async (/** @type {DragEvent} */ event) => {
      event.preventDefault();
      const file = event.dataTransfer?.files[0];
      if (!file) return;
      area.value = await file.text();
      await decide();
    },
  };
  holder.replaceChildren(
    h("div", { class: "head" }, h("div", { class: "grow" }, h("h1", {}, "Paste a decision"),
      h("p", { class: "sub" }, "Candidates, and intentions that veto or vote. Paste one, or drop a file.")), tabs),
    h("details", { class: "panel paste", open: true, ...drop }, h("summary", {}, h("h2", {}, "The composite")), area,
      h("div", { class: "row" }, h("button", { type: "button", class: "main", onclick: decide }, "Decide"))),
    result);
  return decide();
}
