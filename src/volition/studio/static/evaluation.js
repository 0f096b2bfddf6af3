// The outcome of an evaluation: conflicts, groups, questions, the merge plan, risk and order.

import { h, save, scrolling, some } from "./dom.js";
import { conflictGraph, kindName, orderGraph, radar } from "./graphs.js";
import { many, humanize } from "./words.js";

/** @typedef {import("./dom.js").Child} Child */
/** @typedef {import("./plans.js").Plans} Plans */
/** @typedef {(() => unknown) | null} Action */
/** @typedef {{ answered: number, send: ((choices: Record<string, any>) => unknown) | null, back: Action,
 *   keep: Action }} Actions
 */

/** @type {Record<string, [string, string]>} */
export const STRATEGIES = {
  merge_union: ["good", "All of it can be merged"], override_by_priority: ["accent", "Priority decides"],
  reject: ["bad", "Nothing is merged until somebody decides"], no_merge_needed: ["good", "Nothing needs merging"],
};
const SETTLED = {
  override_by_priority: ["accent", "priority decides"], ask: ["warn", "a person decides"],
  merge_union: ["good", "merged"], reject: ["bad", "not merged"],
};
/** @type {Record<string, string>} */
const SEVERITY = { high: "bad", critical: "bad", medium: "warn" };
/** @type {Record<string, string>} */
const RISK = { low: "good", medium: "warn" };

/** The plans of a conflict or a group; of many, only the first.
 * @param {string[]} ids
 * @param {Plans} plans
 */
const tags = (ids, plans) =>
  some(h("ul", { class: "tags small" }), plans.sorted(ids), (id) => h("li", {}, plans.tag(id)), 12);

/** @param {any[]} conflicts @param {Plans} plans */
function conflictList(conflicts, plans) {
  if (!conflicts.length) return h("p", { class: "soft" }, "Nothing conflicts.");
  return some(h("ul", { class: "conflicts" }), conflicts, (one) => h("li", { "data-conflict": one.conflict_id },
    h("div", { class: "row" }, h("span", { class: `chip ${SEVERITY[one.severity] ?? ""}` }, one.severity),
      h("strong", {}, `${kindName(one.type)} conflict`), h("code", {}, one.resource_ref ?? "")),
    tags(one.intent_ids, plans), h("p", { class: "small soft" }, plans.say(one.description))));
}

/** @param {Api.Fate[]} clusters @param {Plans} plans */
function groups(clusters, plans) {
  return some(h("ul", { class: "clusters" }), clusters, (cluster) => {
    const [tone, words] = SETTLED[cluster.strategy];
    return h("li", {},
      h("h3", {}, `Group ${clusters.indexOf(cluster) + 1} `, h("span", { class: `chip ${tone}` }, words),
        h("span", { class: "soft small" }, ` ${many(cluster.conflicts.length, "conflict")}`)),
      tags(cluster.intents, plans), h("p", { class: "small soft" }, plans.say(cluster.because)));
  });
}

/** @param {Api.EvaluationShape} answer @param {Plans} plans */
function risks(answer, plans) {
  const { matrix, dominance } = answer.result.evaluation.risk_comparison;
  const names = Object.keys(matrix[0]?.dimensions ?? {});
  const rows = [...matrix].sort((a, b) => plans.of(a.intent_id).number - plans.of(b.intent_id).number);
  /** @param {unknown} value */
  const describe = (value) => (Array.isArray(value) ? value : [String(value)]).map((id) => plans.say(id)).join(", ");
  return h("div", { class: "risks" }, radar(rows, plans),
    h("div", {},
      scrolling("Risk of each plan, as a table",
        h("table", { class: "small" }, h("caption", { class: "unseen" }, "Risk of each plan"),
      h("thead", {},
        h("tr", {}, h("th", { scope: "col" }, "Plan"),
          names.map((name) => h("th", { scope: "col", class: "number" }, humanize(name.replace("_risk", "")))),
          h("th", { scope: "col" }, "Overall"))),
      h("tbody", {}, rows.map((row) => h("tr", {}, h("th", { scope: "row" }, plans.tag(row.intent_id)),
        names.map((name) =>
          h("td", { class: "number" }, row.unknown?.includes(name) ? "unknown" : String(row.dimensions[name]))),
        h("td", {}, h("span", { class: `chip ${RISK[row.overall_risk] ?? "bad"}` }, row.overall_risk))))))),
    h("p", { class: "small soft" }, dominance.length ? "" : "No plan is riskier than another in every respect."),
    some(h("ul", { class: "small" }), dominance,
      (one) =>
      h("li", {},
        typeof one === "string" ? plans.say(one)
        : Object.entries(one).map(([name, value]) => `${humanize(name)} ${describe(value)}`).join("; "))),
    answer.riskiest.length
      ? h("p", { class: "small" }, h("span", { class: "soft" }, "No plan is riskier than "),
        plans.sorted(answer.riskiest).map((id) => plans.of(id).title).join(", "), ".") : null));
}

/** @param {Api.EvaluationShape} answer @param {Plans} plans */
function mergePlan(answer, plans) {
  const { operations } = answer.result.evaluation.merge_plan;
  return some(h("ol", { class: "operations small" }), operations, (one) => h("li", {},
    h("span", {
      class: `chip ${one.operation === "reject" ? "bad" : one.operation === "override_field" ? "warn" : ""}`,
    }, humanize(one.operation)),
    h("span", {}, plans.tag(one.source_intent_id),
      one.target_field ? h("span", { class: "soft" }, ` ${humanize(one.target_field)}`) : null),
    h("span", { class: "soft" }, plans.say(one.evidence))));
}

/** The plans that are not in the merged one: what each gave way to, why, and what is dropped with it.
 * @param {Api.EvaluationShape} answer
 * @param {Plans} plans
 */
function losses(answer, plans) {
  const lost = answer.result.losses ?? [];
  if (!lost.length) return null;
  return some(h("ul", { class: "losses small" }), lost, (one) => {
    const dropped = [...(one.dropped.commands ?? []), ...(one.dropped.targets ?? [])];
    /** @type {string[]} */
    const needed = one.needed_by ?? [];
    const fate = one.lost_to ? `gives way to ${plans.say(one.lost_to)}` : humanize(`is ${one.fate}`);
    return h("li", { "data-plan": one.intent_id }, plans.tag(one.intent_id), ` ${fate}: `,
      h("span", { class: "soft" }, plans.say(one.because),
      dropped.length ? `; dropped: ${dropped.join(", ")}` : "",
      needed.length ? `; still needed by ${needed.map((id) => plans.say(id)).join(", ")}` : ""));
  });
}

/** The plans that others depend on and that are not there.
 * @param {Api.EvaluationShape} answer
 * @param {Plans} plans
 */
const missing = (answer, plans) =>
  (answer.result.missing ?? []).map((/** @type {any} */ one) =>
    h("p", { class: "small", "data-missing": one.intent_id },
      h("span", { class: "chip warn" }, one.accepted ? "accepted" : "missing"), ` ${plans.say(one.because)}`));

/** What is said first: a rejection without a question waits for nobody.
 * @param {Api.EvaluationShape} answer
 */
function headline(answer) {
  if (answer.strategy === "reject" && !answer.question_pack) return ["bad",
    "Nothing is merged: evaluate each group by itself, or change the plans"];
  return STRATEGIES[answer.strategy] ?? ["", humanize(answer.strategy)];
}

/** The inbox: every open question with its options; the answers are sent as one round. `send` is null where that is
 * not possible.
 * @param {any} pack
 * @param {number} past
 * @param {Plans} plans
 * @param {((choices: Record<string, any>) => unknown) | null} send
 */
export function inbox(pack, past, plans, send) {
  const open = pack?.questions ?? [];
  if (!open.length) return h("p", { class: past ? "" : "soft" },
    past ? `All answered: ${many(past, "question")}.` : "There are no open questions.");
  const form = h("form", {
    onsubmit: (event) => {
      event.preventDefault();
      send?.(Object.fromEntries(new FormData(form)));
    },
  }, open.map((/** @type {any} */ one) => h("fieldset", { class: "question", disabled: !send },
    h("legend", {}, plans.say(one.question_text)),
    one.context ? h("details", { class: "small soft" }, h("summary", {}, "Background"), plans.say(one.context)) : null,
    one.options.map((/** @type {any} */ option) => h("label", { class: "option" },
      h("input", { type: "radio", name: one.question_id, value: option.option_id, required: true }),
      h("span", {}, h("strong", {}, plans.say(option.label)),
        h("span", { class: "soft small" }, plans.say(option.implications))))))),
  send
    ? h("button", { class: "main", type: "submit" },
      open.length === 1 ? "Answer, and evaluate again" : `Answer all ${open.length}, and evaluate again`)
    : h("p", { class: "soft small" }, "Read-only: its plans were not saved with it."));
  return form;
}

/** An evaluation as panels. `answered` is the number of answered questions, `send` sends a round of answers, `back`
 * undoes the last one, `keep` saves; each of the three is null where it is not possible.
 * @param {Api.EvaluationShape} answer
 * @param {Plans} plans
 * @param {Actions} actions
 */
export function showEvaluation(answer, plans, { answered, send, back, keep }) {
  const { conflicts } = answer.result.evaluation;
  const [tone, words] = headline(answer);
  const list = conflictList(conflicts, plans);
  /** @param {string} id */
  const look = (id) => {
    for (const row of list.querySelectorAll("[data-conflict]")) {
      row.classList.toggle("looked", row.getAttribute("data-conflict") === id);
    }
  };
  /** @param {string} name @param {string} about @param {...Child} children */
  const panel = (name, about, ...children) =>
    h("section", { class: `panel govern-${name}`, "aria-label": about }, h("h2", {}, about), children);
  return h("div", { class: "govern" },
    h("section", { class: "panel govern-verdict", "aria-label": "Outcome" },
      h("div", { class: "row" }, h("span", { class: `chip ${tone}` }, humanize(answer.strategy)),
        h("strong", { class: "verdict" }, words), h("span", { class: "grow" }),
        keep ? h("button", { type: "button", onclick: keep }, answer.saved ? "Saved" : "Save the evaluation") : null,
        answer.merged_intent
          ? h("button", {
            type: "button",
            onclick: () => save("merged_intent.json", `${JSON.stringify(answer.merged_intent, null, 2)}\n`),
          }, "Download the merged plan") : null),
      h("p", { class: "soft small" }, [
        many(plans.all.length, "plan"), many(conflicts.length, "conflict"),
        many(answer.question_pack?.questions.length ?? 0, "open question"),
      ].join(", "), ". Nothing here can execute anything."),
      missing(answer, plans)),
    h("div", { class: "stack" },
      panel("graph", "Conflicts", conflictGraph(plans, conflicts, answer.clusters, look),
        answer.clusters.length ? groups(answer.clusters, plans) : null, list),
      panel("plan", "Merge plan", losses(answer, plans), mergePlan(answer, plans))),
    h("div", { class: "stack" },
      panel("inbox", "Questions for a person", inbox(answer.question_pack, answered, plans, send),
        back ? h("button", { type: "button", class: "quiet", onclick: back }, "Undo the last answers") : null),
      panel("order", "Execution graph",
        answer.graph ? scrolling("Execution graph, as a picture", orderGraph(answer.graph, plans))
        : h("p", { class: "soft" }, "Available once the plans are merged.")),
      panel("risk", "Risk", risks(answer, plans))),
    h("details", { class: "panel govern-words" }, h("summary", {}, h("h2", {}, "In plain words")),
      h("pre", { class: "told-plain" }, plans.say(answer.explanation))));
}
