// Sliders for weights. A strip under each shows where the winner stays the same.

import { h, put, s } from "./dom.js";
import { swatch } from "./votes.js";
import { short } from "./words.js";

/** @typedef {import("./words.js").Words} Words */
/** @typedef {{ weights: Record<string, number>, without: string[] }} Change */
/** @typedef {{ include: (id: string, included: boolean) => void,
 *   weigh: (id: string, weight: number | null) => void }} Moving
 */
/** @typedef {{ element: HTMLElement,
 *   show: (found: Api.IntentionShape | undefined, weight: number | null, included: boolean) => void }} Row
 */

const STEPS = 200;

/** The weights that keep the winner, as a strip under the slider.
 * @param {Api.WeightRange | null | undefined} range
 * @param {number} most
 * @param {Words} words
 */
function strip(range, most, words) {
  if (!range) return h("span", { class: "strip" });
  const low = Math.max(0, range.low ?? 0) / most;
  const high = Math.min(most, range.high ?? most) / most;
  /** @param {string | null} rival */
  const becomes = (rival) => (rival ? `it is: ${words.act(rival)}` : "it holds");
  /** @param {number | null} at @param {string | null} rival */
  const end = (at, rival) => (at === null ? null : `at ${short(at)} ${becomes(rival)}`);
  const title = [end(range.low, range.low_rival), end(range.high, range.high_rival)].filter(Boolean).join("; ")
    || "no weight changes the winner";
  return s("svg", {
    class: "strip", viewBox: "0 0 100 4", preserveAspectRatio: "none",
    role: "img", "aria-label": `The winner stays: ${title}`,
  },
    s("title", {}, title), s("rect", { class: "strip-all", width: 100, height: 4 }),
    s("rect", { class: "strip-stays", x: low * 100, width: Math.max(0, high - low) * 100, height: 4 }));
}

/** One intention: whether it is included, and its weight. `show(found, weight, included)` updates it to an answer.
 * @param {Api.IntentionShape} one
 * @param {number} number
 * @param {Moving} change
 * @param {Words} words
 * @returns {Row}
 */
function row(one, number, change, words) {
  const name = words.term(one.id);
  /** @type {HTMLInputElement} */
  const use = h("input", {
    type: "checkbox", checked: true, "aria-label": `Include ${name}`, "data-include": one.id,
    onchange: () => change.include(one.id, use.checked),
  });
  if (one.kind === "constraint") {
    return {
      element: h("li", { class: "weight" }, use, h("span", { class: "weight-name" }, name),
        h("span", { class: "chip" }, "constraint")),
      show: (_found, _weight, included) => { use.checked = included; },
    };
  }
  const usual = one.weight ?? 0;
  const most = usual > 0 ? usual * 4 : 2;
  /** @param {number} weight */
  const place = (weight) => (weight / most) * STEPS;
  const value = h("output", { class: "number" });
  const slider = h("input", {
    type: "range", min: 0, max: STEPS, step: 1, "aria-label": `Weight of ${name}`, "data-weight": one.id,
    oninput: () => {
      const weight = Number(slider.value) === place(usual) ? usual : (Number(slider.value) / STEPS) * most;
      write(weight);
      change.weigh(one.id, weight === usual ? null : weight);
    },
  });
  const stays = h("span", { class: "strip-holder" });
  /** @param {number} weight */
  const write = (weight) => {
    value.textContent = short(weight);
    put(slider, "aria-valuetext", short(weight));
    value.classList.toggle("changed", weight !== usual);
  };
  return {
    element: h("li", { class: "weight" }, use,
      h("span", { class: "weight-name" }, swatch(number), h("span", { class: "weight-id" }, name),
        one.priority ? h("span", { class: "soft small" }, ` priority ${one.priority}`) : null),
      value, h("span", { class: "slide" }, slider, stays)),
    show: (found, weight, included) => {
      use.checked = included;
      slider.value = String(place(weight ?? usual));
      write(weight ?? usual);
      stays.replaceChildren(strip(found?.range, most, words));
    },
  };
}

/** The sliders; `change({weights, without})` is called with the differences from the original decision.
 * @param {Api.DecisionShape} decision
 * @param {{ order: string[], words: Words }} how
 * @param {(change: Change) => void} change
 */
export function weights(decision, { order, words }, change) {
  /** @type {{ weights: Record<string, number>, without: Set<string> }} */
  let now = { weights: {}, without: new Set() };
  const report = () => change({ weights: { ...now.weights }, without: [...now.without] });
  const moved = {
    /** @param {string} id @param {boolean} included */
    include(id, included) {
      if (included) now.without.delete(id);
      else now.without.add(id);
      report();
    },
    /** @param {string} id @param {number | null} weight */
    weigh(id, weight) {
      if (weight === null) delete now.weights[id];
      else now.weights[id] = weight;
      report();
    },
  };
  const rows = new Map(decision.intentions.map((one) => [one.id, row(one, order.indexOf(one.id), moved, words)]));

  /** Update everything to an answer: its decision, and what was asked for it; null for the original decision.
   * @param {Api.DecisionShape} answer
   * @param {Change | null} asked
   */
  function show(answer, asked) {
    now = { weights: { ...asked?.weights }, without: new Set(asked?.without) };
    for (const [id, one] of rows) {
      const found = answer.intentions.find((each) => each.id === id);
      one.show(found, now.weights[id] ?? null, !now.without.has(id));
    }
  }
  function reset() {
    now = { weights: {}, without: new Set() };
    report();
  }
  return { element: h("ul", { class: "weights" }, [...rows.values()].map((one) => one.element)), show, reset };
}
