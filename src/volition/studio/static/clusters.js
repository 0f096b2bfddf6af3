// Clusters of plans that conflicts join: a line for each, and the chosen one as a matrix, a picture if it is small, and
// its conflicts.

import { h, some, sure } from "./dom.js";
import { FEW, conflictGraph, kindName } from "./graphs.js";
import { clash, kindsOf, LEVELS, matrix, worst } from "./matrix.js";
import { many } from "./words.js";

/** @typedef {import("./graphs.js").Conflict} Conflict */
/** @typedef {import("./plans.js").Plans} Plans */
/** A cluster; `strategy` is null and `alone` are the plans without a conflict where it is what is in no other cluster.
 * @typedef {{ name: string, intents: string[], conflicts: Conflict[], strategy: Api.Fate["strategy"] | null,
 *   because: string, alone?: string[] }} Cluster
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

/** The clusters, the gravest first: what the evaluation found, then plans and conflicts that are in none of them;
 * `alone` are those plans.
 * @param {Api.EvaluationShape} answer
 * @param {Plans} plans
 */
export function clustersOf(answer, plans) {
  /** @type {Map<string, Conflict>} */
  const byId = new Map(answer.result.evaluation.conflicts.map((/** @type {Conflict} */ one) => [one.conflict_id, one]));
  /** @type {Cluster[]} */
  const clusters = answer.clusters.map((one) =>
    ({ ...one, name: "", conflicts: one.conflicts.map((id) => sure(byId.get(id))) }));
  /** @param {Cluster} one */
  const grave = (one) => LEVELS.indexOf(worst(one.conflicts));
  clusters.sort((a, b) => grave(b) - grave(a) || b.intents.length - a.intents.length);
  clusters.forEach((one, at) => { one.name = `Cluster ${at + 1}`; });
  const inside = new Set(clusters.flatMap((one) => one.conflicts.map((each) => each.conflict_id)));
  const loose = [...byId.values()].filter((one) => !inside.has(one.conflict_id));
  const inClusters = new Set(clusters.flatMap((one) => one.intents));
  const rest = plans.all.map((one) => one.id).filter((id) => !inClusters.has(id));
  const name = clusters.length ? "Outside of the clusters" : "All plans";
  const intents = [...new Set([...rest, ...loose.flatMap((one) => one.intent_ids)])];
  if (loose.length || rest.length) {
    clusters.push({ name, alone: rest, intents, conflicts: loose, strategy: null, because: "" });
  }
  return clusters;
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

/** @param {Cluster} cluster @param {Plans} plans @param {(cluster: Cluster) => void} choose */
function line(cluster, plans, choose) {
  const [tone, words] = SETTLED[cluster.strategy ?? ""] ?? ["", ""];
  const kinds = kindsOf(cluster.conflicts);
  const severity = worst(cluster.conflicts);
  return h("li", { class: cluster.conflicts.length ? `severity-${severity}` : "" },
    h("button", { type: "button", class: "cluster-line", "data-cluster": cluster.name, onclick: () => choose(cluster) },
      h("strong", {}, cluster.name), h("span", {}, many(cluster.intents.length, "plan")),
      cluster.conflicts.length ? [severityChip(severity),
        h("span", { class: "soft small" }, `${many(cluster.conflicts.length, "conflict")}: ${kinds.join(", ")}`),
        kinds.map((kind) => clash(kind, severity))] : h("span", { class: "soft small" }, "nothing conflicts"),
      words ? h("span", { class: `chip settled ${tone}` }, words) : null),
    everybody(cluster.alone ?? cluster.intents, plans),
    cluster.because ? h("p", { class: "small soft" }, plans.say(cluster.because)) : null);
}

/** @param {Conflict[]} conflicts @param {Plans} plans */
function conflictList(conflicts, plans) {
  if (!conflicts.length) return h("p", { class: "soft" }, "Nothing conflicts.");
  return some(h("ul", { class: "conflicts" }), conflicts, (one) => h("li", { "data-conflict": one.conflict_id },
    h("div", { class: "row" }, severityChip(one.severity), h("strong", {}, `${kindName(one.type)} conflict`),
      h("code", { dir: "auto" }, one.resource_ref ?? "")),
    tags(one.intent_ids, plans), h("p", { class: "small soft" }, plans.say(one.description))));
}

/** The clusters as lines, and the chosen one below; returns the two panels' content, and functions for keys.
 * @param {Api.EvaluationShape} answer
 * @param {Plans} plans
 */
export function clusterView(answer, plans) {
  const clusters = clustersOf(answer, plans);
  const chosen = h("div", { class: "stack" });
  const lines = h("ul", { class: "clusters" });
  let place = 0;
  /** @param {Cluster} cluster */
  function choose(cluster) {
    place = clusters.indexOf(cluster);
    for (const button of lines.querySelectorAll("[data-cluster]")) {
      if (button.getAttribute("data-cluster") === cluster.name) button.setAttribute("aria-current", "true");
      else button.removeAttribute("aria-current");
    }
    const list = conflictList(cluster.conflicts, plans);
    /** @param {string} id */
    const look = (id) => {
      for (const row of list.querySelectorAll("[data-conflict]")) {
        row.classList.toggle("looked", row.getAttribute("data-conflict") === id);
      }
    };
    const { intents, conflicts } = cluster;
    const drawn = intents.length <= FEW
      ? conflictGraph(plans, plans.sorted(intents), conflicts, cluster.strategy ? [cluster] : [], look) : null;
    const parts = [
      h("h3", {}, `${cluster.name}: ${many(intents.length, "plan")}, ${many(conflicts.length, "conflict")}`),
      drawn, matrix(intents, conflicts, plans, answer.contested), list,
    ];
    chosen.replaceChildren(...parts.filter((one) => one !== null));
  }
  lines.append(...clusters.map((cluster) => line(cluster, plans, choose)));
  choose(clusters[0]);
  /** @param {number} by */
  const step = (by) => () => choose(clusters[Math.max(0, Math.min(clusters.length - 1, place + by))]);
  return { lines, chosen, next: step(1), previous: step(-1) };
}
