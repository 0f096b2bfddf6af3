// Candidates and what each vote adds: bars from a common line, to the right for, to the left against.

import { figures, h, s, some } from "./dom.js";
import { swatch, voteFill } from "./votes.js";
import { fixed, short, signed } from "./words.js";

/** @typedef {import("./dom.js").Child} Child */
/** @typedef {import("./words.js").Words} Words */
/** @typedef {{ order: string[], words: Words }} Naming */
/** @typedef {{ chosen: string | null, choose: (id: string) => void }} Choosing */

const BAR = 20;

/** Voters in the order of the composite; each keeps its tone and pattern on the page.
 * @param {Api.DecisionShape} decision
 */
export const voters = (decision) =>
  decision.intentions.filter((one) => one.kind === "heuristic").map((one) => one.id);

/** @param {Api.Ranked[]} ranked */
function extent(ranked) {
  let low = 0;
  let high = 0;
  for (const one of ranked) {
    let up = 0;
    let down = 0;
    for (const vote of Object.values(one.votes)) {
      if (vote.contribution > 0) up += vote.contribution;
      else down += vote.contribution;
    }
    low = Math.min(low, down, one.total);
    high = Math.max(high, up, one.total);
  }
  return high - low > 0 ? [low, high] : [0, 1];
}

/** A bar in shares of its width, so that patterns are never stretched.
 * @param {Api.Ranked} one
 * @param {Naming} naming
 * @param {number[]} span
 */
function bar(one, { order, words }, [low, high]) {
  /** @param {number} value */
  const share = (value) => (value / (high - low)) * 100;
  /** @param {number} value */
  const at = (value) => `${share(value - low)}%`;
  /** @type {SVGElement[]} */
  const pieces = [];
  let up = 0;
  let down = 0;
  order.forEach((name, number) => {
    const value = one.votes[name]?.contribution ?? 0;
    if (!value) return;
    const from = value > 0 ? up : down;
    if (value > 0) up += value;
    else down += value;
    pieces.push(s("rect", {
      class: "fill piece", fill: voteFill(number), x: at(Math.min(from, from + value)), y: 2,
      width: `${Math.max(0.1, share(Math.abs(value)))}%`, height: BAR - 4,
    }, s("title", {}, `${words.term(name)} ${fixed(value)}`)));
  });
  /** @param {string} look @param {number} value */
  const line = (look, value) => s("line", { class: look, x1: at(value), x2: at(value), y1: 0, y2: BAR });
  return s("svg", { class: "bar-line", "aria-hidden": "true" }, pieces, line("zero", 0), line("total", one.total));
}

/** All votes on one candidate in words, for screen readers.
 * @param {Api.Ranked} one
 * @param {Naming} naming
 */
const describeVotes = (one, { order, words }) => order.filter((name) => one.votes[name]?.contribution)
  .map((name) => `${words.term(name)} ${fixed(one.votes[name].contribution)}`).join(", ");

/** @param {Child} rank @param {string} text @param {...Child} more */
const named = (rank, text, ...more) =>
  h("span", { class: "candidate-name" }, rank, h("span", { class: "candidate-text" }, text), more);

/** @param {string} id @param {string} look @param {Choosing} choosing @param {...Child} content */
const button = (id, look, { chosen, choose }, ...content) => h("button", {
  type: "button", class: look, "aria-pressed": String(id === chosen), "data-candidate": id, onclick: () => choose(id),
}, content);

/** The ranking. `before` is the winner of the original decision; `choose(id)` is called with the selected candidate.
 * @param {Api.DecisionShape} decision
 * @param {Naming & Choosing & { before: string | null, most?: number }} how
 */
export function ranking(decision, { words, order, chosen, choose, before, most = 12 }) {
  const span = extent(decision.ranked);
  /** @param {Api.Ranked} one */
  const row = (one) => h("li", { class: one.winner ? "winner" : "" }, button(one.id, "candidate", { chosen, choose },
    named(h("span", { class: "rank number" }, String(one.rank)), words.act(one.id),
      before && one.id === before && !one.winner ? h("span", { class: "chip warn" }, "was first") : null),
    bar(one, { order, words }, span),
    h("span", { class: "candidate-total number" }, fixed(one.total)),
    h("span", { class: "unseen" }, `: ${describeVotes(one, { order, words })}`)));
  return some(h("ol", { class: "ranking" }), decision.ranked, row, most);
}

/** The voters as they are drawn: `order` are all voters of the composite, `included` those that are included.
 * @param {string[]} order
 * @param {string[]} included
 * @param {Words} words
 */
export function legend(order, included, words) {
  return h("ul", { class: "chips votes-legend", "aria-label": "Votes" },
    order.filter((name) => included.includes(name)).map((name) =>
      h("li", { class: "chip" }, swatch(order.indexOf(name)), words.term(name))));
}

/** The vetoed candidates.
 * @param {Api.DecisionShape} decision
 * @param {Choosing & { words: Words }} how
 */
export function vetoes(decision, { words, chosen, choose }) {
  /** @param {[string, string | null]} by */
  const veto = ([who, why]) =>
    h("span", { class: "chip bad", title: why ?? "" }, `vetoed by ${words.term(who)}${why ? `: ${why}` : ""}`);
  return h("ul", { class: "vetoes" }, decision.vetoed.map((one) => h("li", {},
    button(one.id, "candidate vetoed", { chosen, choose },
      named(h("span", { class: "rank", "aria-hidden": "true" }, "\u00d7"), words.act(one.id)),
      h("span", { class: "vetoers" }, Object.entries(one.by).map(veto))))));
}

/** Margin, nearest flip and robustness.
 * @param {Api.DecisionShape} decision
 * @param {Words} words
 */
export function firmness(decision, words) {
  const flip = decision.nearest_flip;
  const { robustness } = decision;
  const becomes = flip && (flip.to === null ? "it holds" : `it is: ${words.act(flip.to)}`);
  return figures([
    ["Margin", decision.margin === null ? "\u2013" : decision.margin.toFixed(3)],
    ["Robustness", robustness === null ? "\u2013" : [`${short(robustness * 100, 1)} %`,
      h("small", {}, decision.exact ? " every weight may change by this much" : " at least")]],
    ["Nearest flip", flip
      ? [`${words.term(flip.intention)} ${signed(flip.change)}`,
        h("small", {}, ` at weight ${short(flip.weight)} ${becomes}`)]
      : ["none", h("small", {}, " no single weight changes it")]],
  ]);
}
