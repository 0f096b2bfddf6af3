// One item of the inbox: as a row of the list, and with everything that is known about it.

import { signedWith } from "./acts.js";
import { askForm } from "./asking.js";
import { h } from "./dom.js";
import { path } from "./place.js";
import { Plans } from "./plans.js";
import { formatDate, formatLeft } from "./words.js";

/** @typedef {import("./asking.js").Question} Question */
/** @typedef {import("./asking.js").Send} Send */
/** @typedef {import("./dom.js").Child} Child */
/** Functions for keys, which the chosen question sets.
 * @typedef {{ next: () => void, previous: () => void }} Steps
 */

const LOOKS = {
  open: ["accent", "\u25cb"], answered: ["good", "\u2713"], expired: ["bad", "\u2715"], closed: ["", "\u2013"],
};
const NAMED = 3; // plans that are named where there are many

/** @param {string[]} list @param {string} none */
const names = (list, none) => (list.length ? list.join(", ") : none);
/** The plans of an item by their titles, each isolated from what is around it; of many, only the first.
 * @param {Api.InboxItem} item
 */
function plansOf(item) {
  const titles = Object.values(item.titles);
  const first = titles.slice(0, NAMED).map((text, at) =>
    [at ? (at === titles.length - 1 ? " and " : ", ") : "", h("bdi", {}, text)]);
  return [...first, titles.length > NAMED ? ` and ${titles.length - NAMED} more` : ""];
}

/** @param {Api.InboxItem} item */
function chip(item) {
  const [tone, sign] = LOOKS[item.state];
  return h("span", { class: `chip ${tone}` }, `${sign} ${item.state}`);
}

/** How much time is left, kept up to date by the page.
 * @param {Api.InboxItem} item
 */
function timeLeft({ seconds_left: left }) {
  if (left === null) return null;
  return h("span", { class: "number", "data-until": String(Date.now() + left * 1000) }, formatLeft(left));
}

/** An item as a row of the list.
 * @param {Api.InboxItem} item
 * @param {(id: string) => unknown} choose
 */
export function itemRow(item, choose) {
  const where = item.source === "team" ? `registry, project ${item.project}` : `saved evaluation ${item.record}`;
  const who = item.state === "open"
    ? `${names(item.waiting, "nobody by name")} \u2192 ${names(item.answerers, "anybody here")}`
    : item.answer ? `answered by ${item.answer.who || "somebody"}` : item.then;
  return h("li", {},
    h("button", { type: "button", class: "inbox-item", "data-item": item.id, onclick: () => choose(item.id) },
      h("span", { class: "inbox-title" }, plansOf(item)),
      h("span", { class: "row small" }, chip(item),
        item.kind === "permit" ? h("span", { class: "chip warn" }, "permit wanted") : null, timeLeft(item)),
      h("span", { class: "soft small" }, where),
      h("span", { class: "soft small" }, who)));
}

/** An answer that does not count, and why.
 * @param {Api.InboxAnswer} given
 */
const notCounted = (given) => h("p", { class: "inbox-why" },
  `${given.chosen.join("; ")}, in the name of ${given.who || "nobody"}, ${formatDate(given.at)}: ${given.fault}. `,
  given.record ? h("a", { href: path("govern", { evaluation: given.record }) }, "Open it") : null);

/** What is known about an item, as names and values.
 * @param {Api.InboxItem} item
 */
function facts(item) {
  const { answer } = item;
  const where = item.source === "team" ? `registry, project ${item.project}, ${item.flow}`
    : h("a", { href: path("govern", { evaluation: item.record }) }, item.record);
  /** @type {([string, Child] | null)[]} */
  const list = [
    ["Waiting", names(item.waiting, "nobody by name")],
    ["May answer", names(item.answerers, "everybody who uses this studio")],
    ["Time", item.state === "open" ? timeLeft(item) ?? "no limit"
      : item.until ? `until ${formatDate(item.until)}` : "no limit"],
    answer ? ["Answered", [h("strong", {}, answer.who || "nobody noted who"), ` ${formatDate(answer.at)} `,
      signedWith(answer.key)]] : null,
    answer?.chosen.length ? ["Chosen", answer.chosen] : null,
    item.then ? ["Then", [item.then, item.led_to
      ? [" ", h("a", { href: path("govern", { evaluation: item.led_to }) }, "Open it")] : null]] : null,
    item.not_counted.length ? ["Not counted", item.not_counted.map(notCounted)] : null,
    ["From", where],
  ];
  return h("dl", { class: "inbox-facts small" }, list.filter((one) => one !== null).map(([name, value]) =>
    [h("dt", {}, name), h("dd", { dir: "auto" }, value)]));
}

/** @param {Api.InboxEvent[]} events @param {Plans} plans */
const history = (events, plans) =>
  h("details", { class: "small" }, h("summary", {}, `History (${events.length})`),
    h("ol", { class: "inbox-history" }, events.map((one) =>
      h("li", {}, h("span", { class: "soft number" }, formatDate(one.at)), " ", h("strong", {}, one.who), " ",
        plans.say(one.what), " ", one.key ? signedWith(one.key) : null))));

/** Why the person of this studio may not answer, and what to do about it.
 * @param {Api.InboxItem} item
 */
function whyNot({ why_not: why }) {
  if (!why) return null;
  return h("p", { class: "inbox-why small" }, h("strong", {}, "You may not answer: "), `${why.what}. `,
    h("span", { class: "soft" }, `${why.expected}; ${why.remedy}.`));
}

/** Permit exactly what is shown.
 * @param {Api.InboxDetail} detail
 * @param {Send} send
 */
function permit(detail, send) {
  return h("div", { class: "stack" },
    h("ul", { class: "inbox-actions small" }, detail.actions.map((one) => h("li", { "data-command": one.command },
      h("strong", { dir: "auto" }, one.title), ": ", h("code", {}, one.command), ", ", one.words))),
    detail.item.mine
      ? h("div", {}, h("button", { type: "button", class: "main", onclick: () => send({}) }, "Approve exactly this"))
      : null);
}

/** An item with everything that is known about it, and the form that answers it.
 * @param {Api.InboxDetail} detail
 * @param {Send} send
 * @param {Steps} keys
 */
export function drawItem(detail, send, keys) {
  const { item } = detail;
  const plans = new Plans(Object.keys(item.titles), item.titles);
  /** @type {(HTMLElement | null)[]} */
  const parts = [h("h2", { class: "inbox-head", tabindex: -1 }, plansOf(item)),
    h("div", { class: "row" }, chip(item)), facts(item), whyNot(item)];
  if (item.kind === "permit") parts.push(permit(detail, send));
  else if (item.state === "open") {
    const asking = askForm(item.question_pack, plans, item.mine ? send : null, { options: detail.options, then: "" });
    [keys.next, keys.previous] = [asking.next, asking.previous];
    parts.push(asking.form);
  } else {
    parts.push(h("div", { class: "stack small" }, item.question_pack.questions.map((/** @type {Question} */ one) =>
      h("p", {}, plans.say(one.question_text)))));
  }
  return [...parts, history(detail.history, plans)].filter((one) => one !== null);
}
