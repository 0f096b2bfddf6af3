// The outcome of an evaluation: conflicts, clusters, questions, the merge plan, risk and order.

import { signedWith } from "./acts.js";
import { askForm } from "./asking.js";
import { clusterView } from "./clusters.js";
import { h, save, scrolling, some } from "./dom.js";
import { FEW, orderGraph, radar } from "./graphs.js";
import { many, humanize } from "./words.js";

/** @typedef {import("./asking.js").QuestionPack} QuestionPack */
/** @typedef {import("./asking.js").Send} Send */
/** @typedef {import("./dom.js").Child} Child */
/** @typedef {import("./graphs.js").Risk} Risk */
/** @typedef {import("./keyboard.js").Keys} Keys */
/** @typedef {import("./plans.js").Plans} Plans */
/** @typedef {(() => unknown) | null} Action */
/** @typedef {{ answered: number, send: Send | null, back: Action, keep: Action }} Actions */

/** @type {Record<string, [string, string]>} */
export const STRATEGIES = {
  merge_union: ["good", "All of it can be merged"], override_by_priority: ["accent", "Priority decides"],
  reject: ["bad", "Nothing is merged until somebody decides"], no_merge_needed: ["good", "Nothing needs merging"],
};
/** @type {Record<string, string>} */
const RISK = { low: "good", medium: "warn" };

/** @param {Api.EvaluationShape} answer @param {Plans} plans */
function risks(answer, plans) {
  const { matrix, dominance: pairs } = answer.result.evaluation.risk_comparison;
  const dominance = pairs.filter((/** @type {any} */ one) => one.relationship !== "incomparable");
  const names = Object.keys(matrix[0]?.dimensions ?? {});
  /** @type {Risk[]} */
  const rows = [...matrix].sort((a, b) => plans.of(a.intent_id).number - plans.of(b.intent_id).number);
  /** Which of two plans is riskier in every respect; text where the evaluation says it in words.
   * @param {string | { intent_a: string, intent_b: string, relationship: string }} one
   */
  function describe(one) {
    if (typeof one === "string") return plans.say(one);
    const { intent_a: a, intent_b: b, relationship } = one;
    const [more, less] = relationship === "B_dominates_A" ? [b, a] : [a, b];
    return `${plans.of(more).title} is riskier than ${plans.of(less).title}`;
  }
  return h("div", { class: "risks" }, rows.length <= FEW ? radar(rows, plans) : null,
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
    some(h("ul", { class: "small dominance" }), dominance, (one) => h("li", {}, describe(one))),
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
    "Nothing is merged: evaluate each cluster by itself, or change the plans"];
  return STRATEGIES[answer.strategy] ?? ["", humanize(answer.strategy)];
}

/** The questions, one at a time. `send` is null where they cannot be answered.
 * @param {QuestionPack | null} pack
 * @param {number} past
 * @param {Plans} plans
 * @param {Send | null} send
 * @returns {{ form: HTMLElement, next?: () => void, previous?: () => void }}
 */
function questions(pack, past, plans, send) {
  const why = "Read-only: its plans were not saved with it.";
  if (pack?.questions.length) return askForm(pack, plans, send, { why });
  const text = past ? `All answered: ${many(past, "question")}.` : "There are no open questions.";
  return { form: h("p", { class: past ? "" : "soft" }, text) };
}

/** Who gave the answers so far, round by round, and whether they count.
 * @param {Api.AnswerSigner[]} signers
 */
function answerers(signers) {
  if (!signers.length) return null;
  return h("ul", { class: "signers small" }, signers.map(({ by, key, fault }, round) =>
    h("li", {}, `Answers ${round + 1}: `, by ? [h("strong", { dir: "auto" }, by), " "] : null, signedWith(key),
      fault ? [" ", h("span", { class: "chip bad" }, "\u2715 does not count"), ` ${fault}.`] : null)));
}

/** An evaluation as panels. `answered` is the number of answered questions, `send` sends a round of answers, `back`
 * undoes the last one, `keep` saves; each of the three is null where it is not possible. Returns the panels, and the
 * keys of the page.
 * @param {Api.EvaluationShape} answer
 * @param {Plans} plans
 * @param {Actions} actions
 * @returns {{ shown: HTMLElement, keys: Keys }}
 */
export function showEvaluation(answer, plans, { answered, send, back, keep }) {
  const { conflicts } = answer.result.evaluation;
  const [tone, words] = headline(answer);
  const view = clusterView(answer, plans);
  const asking = questions(answer.question_pack, answered, plans, send);
  /** @param {string} name @param {string} about @param {...Child} children */
  const panel = (name, about, ...children) =>
    h("section", { class: `panel govern-${name}`, "aria-label": about }, h("h2", {}, about), children);
  const plain = h("pre", { class: "told-plain" });
  const counts = [
    many(plans.all.length, "plan"), many(conflicts.length, "conflict"),
    many(answer.question_pack?.questions.length ?? 0, "open question"),
  ];
  const shown = h("div", { class: "govern" },
    h("section", { class: "panel govern-verdict", "aria-label": "Outcome" },
      h("div", { class: "row" }, h("span", { class: `chip ${tone}` }, humanize(answer.strategy)),
        h("strong", { class: "verdict" }, words), h("span", { class: "grow" }),
        keep ? h("button", { type: "button", onclick: keep }, answer.saved ? "Saved" : "Save the evaluation") : null,
        answer.merged_intent
          ? h("button", {
            type: "button",
            onclick: () => save("merged_intent.json", `${JSON.stringify(answer.merged_intent, null, 2)}\n`),
          }, "Download the merged plan") : null),
      h("p", { class: "soft small" }, `${counts.join(", ")}. Nothing here can execute anything.`),
      missing(answer, plans)),
    h("div", { class: "stack" },
      panel("clusters", "Clusters", scrolling("Clusters of plans", view.lines, "scroll clusters-scroll")),
      panel("conflicts", "The chosen cluster", view.chosen),
      panel("plan", "Merge plan", losses(answer, plans), mergePlan(answer, plans))),
    h("div", { class: "stack" },
      panel("inbox", "Questions for a person", asking.form, answerers(answer.signers),
        back ? h("button", { type: "button", class: "quiet", onclick: back }, "Undo the last answers") : null),
      panel("order", "Execution graph",
        answer.graph ? scrolling("Execution graph, as a picture", orderGraph(answer.graph, plans))
        : h("p", { class: "soft" }, "Available once the plans are merged.")),
      panel("risk", "Risk", risks(answer, plans))),
    h("details", {
      class: "panel govern-words", ontoggle: () => { plain.textContent ||= plans.say(answer.explanation); },
    }, h("summary", {}, h("h2", {}, "In plain words")), plain));
  /** @type {Keys} */
  const keys = { j: ["next cluster", view.next], k: ["previous cluster", view.previous] };
  if (asking.next) keys.n = ["next question", asking.next];
  if (asking.previous) keys.p = ["previous question", asking.previous];
  return { shown, keys };
}
