// How the votes on one candidate add up: score times weight is what each adds, before and after a change.

import { h, table } from "./dom.js";
import { swatch } from "./votes.js";
import { fixed, short } from "./words.js";

/** @typedef {import("./words.js").Words} Words */

const NONE = "\u2013";

/** @param {Api.DecisionShape} decision @param {string} id */
const find = (decision, id) => decision.ranked.find((one) => one.id === id);
/** @param {Api.DecisionShape} decision @param {string} name */
const weightOf = (decision, name) => decision.intentions.find((one) => one.id === name)?.weight;
/** @param {string} text @param {string} [look] */
const cell = (text, look = "number") => h("td", { class: look }, text);

/** Two cells: the weight of a vote in a decision, and what it adds to a candidate.
 * @param {Api.DecisionShape} decision
 * @param {Api.Ranked | null | undefined} one
 * @param {string} name
 */
function counted(decision, one, name) {
  const vote = one?.votes[name];
  const weight = weightOf(decision, name);
  return [cell(weight === undefined ? NONE : short(weight)), cell(vote ? fixed(vote.contribution) : NONE)];
}

/** The table for a candidate, null for vetoed ones; with `before`, the original decision, it has both.
 * @param {Api.DecisionShape} decision
 * @param {string} id
 * @param {{ order: string[], words: Words, before?: Api.DecisionShape | null }} how
 */
export function addition(decision, id, { order, words, before = null }) {
  const one = find(decision, id);
  const was = before ? find(before, id) : null;
  if (!one && !was) return null;
  const headings = before
    ? ["Vote", "Score", "\u00d7 weight before", "= added before", "\u00d7 weight now", "= adds now"]
    : ["Vote", "Score", "\u00d7 weight", "= adds"];
  /** @param {string} name */
  const row = (name) => {
    const vote = one?.votes[name] ?? was?.votes[name];
    return h("tr", { "data-vote": name },
      h("th", { scope: "row" }, h("span", { class: "vote-name" }, swatch(order.indexOf(name)), words.term(name))),
      cell(vote && vote.score !== null ? fixed(vote.score) : "abstains"),
      before ? counted(before, was, name) : null, counted(decision, one, name));
  };
  /** @param {Api.Ranked | null | undefined} each */
  const total = (each) => cell(each ? fixed(each.total) : "vetoed");
  const sum = h("tr", { class: "sum" }, h("th", { scope: "row" }, "Total"), cell(""),
    before ? [cell(""), total(was)] : null, cell(""), total(one));
  return table(`How the votes on \u201c${words.act(id)}\u201d add up`, headings, h("tbody", {}, order.map(row), sum),
    { look: "small addition" });
}
