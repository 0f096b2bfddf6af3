// Groups of plans that conflicts join: a line for each, and the chosen one as a matrix, a picture if it is small, and its conflicts.

import { h, some } from "./dom.js";
import { FEW, conflictGraph, kindName } from "./graphs.js";
import { clash, kindsOf, LEVELS, matrix, worst } from "./matrix.js";
import { many } from "./words.js";

const SETTLED = {
  override_by_priority: ["accent", "priority decides"], ask: ["warn", "a person decides"], merge_union: ["good", "merged"], reject: ["bad", "not merged"],
};
const SEVERITY = { high: "bad", critical: "bad", medium: "warn" };
const severityChip = (severity) => h("span", { class: `chip severity ${SEVERITY[severity] ?? ""}` }, severity);

/** The groups, the gravest first: what the evaluation found, then plans and conflicts that are in none of them; `alone` are those plans. */
export function groupsOf(answer, plans) {
  const byId = new Map(answer.result.evaluation.conflicts.map((one) => [one.conflict_id, one]));
  const groups = answer.clusters.map((one) => ({ ...one, conflicts: one.conflicts.map((id) => byId.get(id)) }));
  const grave = (one) => LEVELS.indexOf(worst(one.conflicts));
  groups.sort((a, b) => grave(b) - grave(a) || b.intents.length - a.intents.length);
  groups.forEach((one, at) => { one.name = `Group ${at + 1}`; });
  const inside = new Set(groups.flatMap((one) => one.conflicts.map((each) => each.conflict_id)));
  const loose = [...byId.values()].filter((one) => !inside.has(one.conflict_id));
  const grouped = new Set(groups.flatMap((one) => one.intents));
  const rest = plans.all.map((one) => one.id).filter((id) => !grouped.has(id));
  const name = groups.length ? "Outside of the groups" : "All plans";
  if (loose.length || rest.length) groups.push({ name, alone: rest, intents: [...new Set([...rest, ...loose.flatMap((one) => one.intent_ids)])], conflicts: loose, strategy: null, because: "" });
  return groups;
}

/** Plans by title, all of them. */
const everybody = (ids, plans) => h("ul", { class: "tags small" }, plans.sorted(ids).map((id) => h("li", {}, plans.tag(id))));
/** The plans of a conflict; of many, only the first. */
const tags = (ids, plans) => some(h("ul", { class: "tags small" }), plans.sorted(ids), (id) => h("li", {}, plans.tag(id)), 12);

function line(group, plans, choose) {
  const [tone, words] = SETTLED[group.strategy] ?? ["", ""];
  const kinds = kindsOf(group.conflicts);
  const severity = worst(group.conflicts);
  return h("li", { class: group.conflicts.length ? `severity-${severity}` : "" },
    h("button", { type: "button", class: "cluster-line", "data-group": group.name, onclick: () => choose(group) },
      h("strong", {}, group.name), h("span", {}, many(group.intents.length, "plan")),
      group.conflicts.length ? [severityChip(severity), h("span", { class: "soft small" }, `${many(group.conflicts.length, "conflict")}: ${kinds.join(", ")}`), kinds.map((kind) => clash(kind, severity))] : h("span", { class: "soft small" }, "nothing conflicts"),
      words ? h("span", { class: `chip settled ${tone}` }, words) : null),
    everybody(group.alone ?? group.intents, plans), group.because ? h("p", { class: "small soft" }, plans.say(group.because)) : null);
}

function conflictList(conflicts, plans) {
  if (!conflicts.length) return h("p", { class: "soft" }, "Nothing conflicts.");
  return some(h("ul", { class: "conflicts" }), conflicts, (one) => h("li", { "data-conflict": one.conflict_id },
    h("div", { class: "row" }, severityChip(one.severity), h("strong", {}, `${kindName(one.type)} conflict`), h("code", { dir: "auto" }, one.resource_ref ?? "")),
    tags(one.intent_ids, plans), h("p", { class: "small soft" }, plans.say(one.description))));
}

/** The groups as lines, and the chosen one below; returns the two panels' content, and functions for keys. */
export function clusterView(answer, plans) {
  const groups = groupsOf(answer, plans);
  const chosen = h("div", { class: "stack" });
  const lines = h("ul", { class: "clusters" });
  let place = 0;
  function choose(group) {
    place = groups.indexOf(group);
    for (const button of lines.querySelectorAll("[data-group]")) {
      if (button.dataset.group === group.name) button.setAttribute("aria-current", "true");
      else button.removeAttribute("aria-current");
    }
    const list = conflictList(group.conflicts, plans);
    const look = (id) => {
      for (const row of list.querySelectorAll?.("[data-conflict]") ?? []) row.classList.toggle("looked", row.dataset.conflict === id);
    };
    const drawn = group.intents.length <= FEW ? conflictGraph(plans, plans.sorted(group.intents), group.conflicts, group.strategy ? [group] : [], look) : null;
    chosen.replaceChildren(...[h("h3", {}, `${group.name}: ${many(group.intents.length, "plan")}, ${many(group.conflicts.length, "conflict")}`),
      drawn, matrix(group.intents, group.conflicts, plans, answer.contested), list].filter(Boolean));
  }
  lines.append(...groups.map((group) => line(group, plans, choose)));
  choose(groups[0]);
  const step = (by) => () => choose(groups[Math.max(0, Math.min(groups.length - 1, place + by))]);
  return { lines, chosen, next: step(1), previous: step(-1) };
}
