// Candidates and what each vote adds: bars from a common line, to the right for, to the left against.

import { figures, h, s, some } from "./dom.js";
import { hue } from "./palette.js";
import { act, short, signed } from "./words.js";

const WIDTH = 620;
const BAR = 20;

/** Voters in the order of the composite; each keeps its colour on the page. */
export const voters = (decision) => decision.intentions.filter((one) => one.kind === "heuristic").map((one) => one.id);

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

function bar(one, order, [low, high]) {
  const scale = (value) => ((value - low) / (high - low)) * WIDTH;
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
      class: `fill piece ${hue(number)}`, x: scale(Math.min(from, from + value)), y: 2,
      width: Math.max(0.6, scale(Math.abs(value) + low)), height: BAR - 4,
    }, s("title", {}, `${name} ${signed(value)}`)));
  });
  return s("svg", { class: "bar-line", viewBox: `-3 0 ${WIDTH + 6} ${BAR}`, preserveAspectRatio: "none", "aria-hidden": "true" },
    pieces, s("line", { class: "zero", x1: scale(0), x2: scale(0), y1: 0, y2: BAR }),
    s("line", { class: "total", x1: scale(one.total), x2: scale(one.total), y1: 0, y2: BAR }));
}

/** All votes on one candidate in words, for screen readers. */
const describeVotes = (one, order) =>
  order.filter((name) => one.votes[name]?.contribution).map((name) => `${name} ${signed(one.votes[name].contribution)}`).join(", ");

/** The ranking. `before` is the winner of the original decision; `choose(id)` is called with the selected candidate. */
export function ranking(decision, { evening, order, chosen, choose, before, most = 12 }) {
  const span = extent(decision.ranked);
  const row = (one) => h("li", { class: one.winner ? "winner" : "" }, h("button", {
    type: "button", class: "candidate", "aria-pressed": String(one.id === chosen), "data-candidate": one.id, onclick: () => choose(one.id),
  },
  h("span", { class: "candidate-name" }, h("span", { class: "rank number" }, String(one.rank)), h("span", { class: "candidate-text" }, act(one.id, evening)),
    before && one.id === before && !one.winner ? h("span", { class: "chip warn" }, "was first") : null),
  bar(one, order, span),
  h("span", { class: "candidate-total number" }, signed(one.total)),
  h("span", { class: "unseen" }, `: ${describeVotes(one, order)}`)));
  return some(h("ol", { class: "ranking" }), decision.ranked, row, most);
}

/** The voters with their colours: `order` are all voters of the composite, `included` those that are included. */
export function legend(order, included) {
  return h("ul", { class: "chips votes-legend", "aria-label": "Votes" }, order.filter((name) => included.includes(name)).map((name) =>
    h("li", { class: `chip ${hue(order.indexOf(name))}` }, h("span", { class: "swatch", "aria-hidden": "true" }), name)));
}

/** The vetoed candidates. */
export function vetoes(decision, { evening, chosen, choose }) {
  return h("ul", { class: "vetoes" }, decision.vetoed.map((one) => h("li", {},
    h("button", { type: "button", class: "candidate vetoed", "aria-pressed": String(one.id === chosen), "data-candidate": one.id, onclick: () => choose(one.id) },
      h("span", { class: "candidate-name" }, h("span", { class: "rank", "aria-hidden": "true" }, "\u00d7"), h("span", { class: "candidate-text" }, act(one.id, evening))),
      h("span", { class: "vetoers" }, Object.entries(one.by).map(([who, why]) =>
        h("span", { class: "chip bad", title: why ?? "" }, `vetoed by ${who}${why ? `: ${why}` : ""}`)))))));
}

/** Margin, nearest flip and robustness. */
export function firmness(decision) {
  const flip = decision.nearest_flip;
  const { robustness } = decision;
  return figures([
    ["Margin", decision.margin === null ? "\u2013" : short(decision.margin)],
    ["Robustness", robustness === null ? "\u2013" : [`${short(robustness * 100, 1)} %`, h("small", {}, decision.exact ? " every weight may change by this much" : " at least")]],
    ["Nearest flip", flip ? [`${flip.intention} ${signed(flip.change)}`, h("small", {}, ` at ${short(flip.weight)} ${flip.to === null ? "it holds" : `it is ${flip.to}`}`)] : ["none", h("small", {}, " no single weight changes it")]],
  ]);
}
