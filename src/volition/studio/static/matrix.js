// A cluster of plans as a matrix: a row for each plan, a column for whatever is contested, and in each cell what the
// plan does there.

import { h, s, scrolling } from "./dom.js";
import { kindName } from "./graphs.js";
import { cut, many } from "./words.js";

/** @typedef {import("./graphs.js").Conflict} Conflict */
/** @typedef {import("./plans.js").Plans} Plans */
/** Something contested: its conflicts, and those of each plan.
 * @typedef {{ name: string, conflicts: Conflict[], plans: Map<string, Conflict[]> }} Contest
 */

export const LEVELS = ["low", "medium", "high", "critical"];
const COLUMNS = 24; // columns that are drawn without being asked for

/** The gravest severity of some conflicts.
 * @param {Conflict[]} conflicts
 */
export const worst = (conflicts) =>
  conflicts.map((one) => one.severity)
    .reduce((found, one) => (LEVELS.indexOf(one) > LEVELS.indexOf(found) ? one : found), "low");

/** @type {Record<string, { d: string }>} */
const SHAPES = {
  resource: { d: "M-5-5H5V5H-5Z" }, effect: { d: "M0-6L6 5H-6Z" }, order: { d: "M-6 0A6 6 0 1 1 6 0A6 6 0 1 1-6 0Z" },
  constraint: { d: "M0-6.500L6.500 0 0 6.500-6.500 0Z" },
};

/** The kinds of some conflicts, each once, always in the same order.
 * @param {Conflict[]} conflicts
 */
export const kindsOf = (conflicts) =>
  [...new Set(conflicts.map((one) => kindName(one.type)))]
    .sort((a, b) => Object.keys(SHAPES).indexOf(a) - Object.keys(SHAPES).indexOf(b));

/** The mark of a conflict: its shape is the kind, its colour the severity.
 * @param {string} kind
 * @param {string} severity
 */
export const clash = (kind, severity) =>
  s("svg", { class: `clash severity-${severity}`, viewBox: "-8 -8 16 16", "aria-hidden": "true" },
    s("path", SHAPES[kind] ?? SHAPES.resource));

/** What is contested, the gravest and most contested first.
 * @param {Conflict[]} conflicts
 */
function contests(conflicts) {
  /** @type {Map<string, Contest>} */
  const found = new Map();
  for (const one of conflicts) {
    const name = one.resource_ref ?? kindName(one.type);
    /** @type {Contest} */
    const known = found.get(name) ?? { name, conflicts: [], plans: new Map() };
    known.conflicts.push(one);
    for (const id of one.intent_ids) known.plans.set(id, [...(known.plans.get(id) ?? []), one]);
    found.set(name, known);
  }
  /** @param {Contest} one */
  const grave = (one) => LEVELS.indexOf(worst(one.conflicts));
  return [...found.values()]
    .sort((a, b) => grave(b) - grave(a) || b.plans.size - a.plans.size || a.name.localeCompare(b.name));
}

/** @param {Contest} contest @param {string} id @param {string | undefined} does */
function cell(contest, id, does) {
  const mine = contest.plans.get(id);
  if (!mine) return h("td", {}, does ?? "");
  const kinds = kindsOf(mine);
  const severity = worst(mine);
  return h("td", { class: `contested severity-${severity}` },
    h("span", { class: "row" }, kinds.map((kind) => clash(kind, severity)), h("span", {}, does ?? "involved")),
    h("span", { class: "unseen" }, `, ${severity} ${kinds.join(" and ")} conflict`));
}

/** What the marks mean. */
export const legend = () =>
  h("p", { class: "small soft matrix-legend" },
    Object.keys(SHAPES).map((kind) => h("span", {}, clash(kind, "none"), ` ${kind} conflict`)),
    LEVELS.map((level) => h("span", {}, h("span", { class: `swatch severity-${level}` }), ` ${level}`)));

/** The matrix of some plans and the conflicts between them. `contested` says what each plan does; null where that is
 * not known.
 * @param {string[]} ids
 * @param {Conflict[]} conflicts
 * @param {Plans} plans
 * @param {Api.EvaluationShape["contested"]} contested
 */
export function matrix(ids, conflicts, plans, contested) {
  const all = contests(conflicts);
  if (!all.length) return null;
  /** @param {string} name @param {string} id */
  const does = (name, id) => contested?.[name]?.[id];
  const holder = h("div", { class: "stack" });
  /** @param {Contest[]} columns */
  function draw(columns) {
    const left = all.length - columns.length;
    const grid = h("table", { class: "matrix small" },
      h("caption", { class: "unseen" }, "What each plan does to what is contested"),
      h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "Plan"), columns.map((one) =>
        h("th", { scope: "col", title: one.name }, h("code", { dir: "auto" }, cut(one.name, 60)))))),
      h("tbody", {}, plans.sorted(ids).map((id) =>
        h("tr", { "data-plan": id }, h("th", { scope: "row" }, plans.tag(id)),
          columns.map((one) => cell(one, id, does(one.name, id)))))));
    const more = left > 0 ? [h("button", { type: "button", class: "link", onclick: () => draw(all) },
      `Show ${many(left, "more column")}`)] : [];
    holder.replaceChildren(legend(), scrolling("What each plan does, as a table", grid), ...more);
  }
  draw(all.slice(0, COLUMNS));
  return holder;
}
