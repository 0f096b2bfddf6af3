// Groups of plans that conflicts join: a line for each, and the chosen one as a matrix, a picture if it is small, and
// its conflicts.

import { h, some, sure } from "./dom.js";
import { FEW, conflictGraph, kindName } from "./graphs.js";
import { clash, kindsOf, LEVELS, matrix, worst } from "./matrix.js";
import { many } from "./words.js";

/** @typedef {import("./graphs.js").Conflict} Conflict */
/** @typedef {import("./plans.js").Plans} Plans */
/** A group; `strategy` is null and `alone` are the plans without a conflict where it is what is in no other group.
 * @typedef {{ name: string, intents: string[], conflicts: Conflict[], strategy: Api.Fate["strategy"] | null,
 *   because: string, alone?: string[] }} Group
 */

/** @type {Record<string, [string, string]>} */
const SETTLED = {
  override_by_priority: ["accent", "priority decides"], ask: ["warn", "a person decides"],
  merge_union: ["good", "merged"], reject: ["bad", "not merged"],
};
/** @type {Record<string, string>} */
const SEVERITY = { high: "bad", critical: "bad", medium: "warn" };
/** @param {string} severity */
const severityChip = (severity) => h("span", { class: `chip severity ${SEVERITY[severity] ?? ""}` }, severity);

/** The groups, the gravest first: what the evaluation found, then plans and conflicts that are in none of them;
 * `alone` are those plans.
 * @param {Api.EvaluationShape} answer
 * @param {Plans} plans
 */
export function groupsOf(answer, plans) {
  /** @type {Map<string, Conflict>} */
  const byId = new Map(answer.result.evaluation.conflicts.map((/** @type {Conflict} */ one) => [one.conflict_id, one]));
  /** @type {Group[]} */
  const groups = answer.clusters.map((one) =>
    ({ ...one, name: "", conflicts: one.conflicts.map((id) => sure(byId.get(id))) }));
  /** @param {Group} one */
  const grave = (one) => LEVELS.indexOf(worst(one.conflicts));
  groups.sort((a, b) => grave(b) - grave(a) || b.intents.length - a.intents.length);
  groups.forEach((one, at) => { one.name = `Group ${at + 1}`; });
  const inside = new Set(groups.flatMap((one) => one.conflicts.map((each) => each.conflict_id)));
  const loose = [...byId.values()].filter((one) => !inside.has(one.conflict_id));
  const grouped = new Set(groups.flatMap((one) => one.intents));
  const rest = plans.all.map((one) => one.id).filter((id) => !grouped.has(id));
  const name = groups.length ? "Outside of the groups" : "All plans";
  const intents = [...new Set([...rest, ...loose.flatMap((one) => one.intent_ids)])];
  if (loose.length || rest.length) {
    groups.push({ name, alone: rest, intents, conflicts: loose, strategy: null, because: "" });
  }
  return groups;
}

/** Plans by title, all of them.
 * @param {string[]} ids
 * @param {Plans} plans
 */
const everybody = (ids, plans) =>
  h("ul", { class: "tags small" }, plans.sorted(ids).map((id) => h("li", {}, plans.tag(id))));
/** The plans of a conflict; of many, only the first.
 * @param {string[]} ids
 * @param {Plans} plans
 */
const tags = (ids, plans) =>
  some(h("ul", { class: "tags small" }), plans.sorted(ids), (id) => h("li", {}, plans.tag(id)), 12);

/** @param {Group} group @param {Plans} plans @param {(group: Group) => void} choose */
function line(group, plans, choose) {
  const [tone, words] = SETTLED[group.strategy ?? ""] ?? ["", ""];
  const kinds = kindsOf(group.conflicts);
  const severity = worst(group.conflicts);
  return h("li", { class: group.conflicts.length ? `severity-${severity}` : "" },
    h("button", { type: "button", class: "cluster-line", "data-group": group.name, onclick: () => choose(group) },
      h("strong", {}, group.name), h("span", {}, many(group.intents.length, "plan")),
      group.conflicts.length ? [severityChip(severity),
        h("span", { class: "soft small" }, `${many(group.conflicts.length, "conflict")}: ${kinds.join(", ")}`),
        kinds.map((kind) => clash(kind, severity))] : h("span", { class: "soft small" }, "nothing conflicts"),
      words ? h("span", { class: `chip settled ${tone}` }, words) : null),
    everybody(group.alone ?? group.intents, plans),
    group.because ? h("p", { class: "small soft" }, plans.say(group.because)) : null);
}

/** @param {Conflict[]} conflicts @param {Plans} plans */
function conflictList(conflicts, plans) {
  if (!conflicts.length) return h("p", { class: "soft" }, "Nothing conflicts.");
  return some(h("ul", { class: "conflicts" }), conflicts, (one) => h("li", { "data-conflict": one.conflict_id },
    h("div", { class: "row" }, severityChip(one.severity), h("strong", {}, `${kindName(one.type)} conflict`),
      h("code", { dir: "auto" }, one.resource_ref ?? "")),
    tags(one.intent_ids, plans), h("p", { class: "small soft" }, plans.say(one.description))));
}

/** The groups as lines, and the chosen one below; returns the two panels' content, and functions for keys.
 * @param {Api.EvaluationShape} answer
 * @param {Plans} plans
 */
export function clusterView(answer, plans) {
  const groups = groupsOf(answer, plans);
  const chosen = h("div", { class: "stack" });
  const lines = h("ul", { class: "clusters" });
  let place = 0;
  /** @param {Group} group */
  function choose(group) {
    place = groups.indexOf(group);
    for (const button of lines.querySelectorAll("[data-group]")) {
      if (button.getAttribute("data-group") === group.name) button.setAttribute("aria-current", "true");
      else button.removeAttribute("aria-current");
    }
    const list = conflictList(group.conflicts, plans);
    /** @param {string} id */
    const look = (id) => {
      for (const row of list.querySelectorAll("[data-conflict]")) {
        row.classList.toggle("looked", row.getAttribute("data-conflict") === id);
      }
    };
    const { intents, conflicts } = group;
    const drawn = intents.length <= FEW
      ? conflictGraph(plans, plans.sorted(intents), conflicts, group.strategy ? [group] : [], look) : null;
    const parts = [
      h("h3", {}, `${group.name}: ${many(intents.length, "plan")}, ${many(conflicts.length, "conflict")}`),
      drawn, matrix(intents, conflicts, plans, answer.contested), list,
    ];
    chosen.replaceChildren(...parts.filter((one) => one !== null));
  }
  lines.append(...groups.map((group) => line(group, plans, choose)));
  choose(groups[0]);
  /** @param {number} by */
  const step = (by) => () => choose(groups[Math.max(0, Math.min(groups.length - 1, place + by))]);
  return { lines, chosen, next: step(1), previous: step(-1) };
}
