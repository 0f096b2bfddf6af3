// Inbox: everything that people are asked, in saved evaluations and in the registry, answered as the person of this
// studio.

import { at, get, post } from "./api.js";
import { askForm } from "./asking.js";
import { followChanges, showCounts } from "./changes.js";
import { h, say, segments, write } from "./dom.js";
import { pageKeys } from "./keyboard.js";
import { path } from "./place.js";
import { Plans } from "./plans.js";
import { problems } from "./problems.js";
import { formatDate, formatLeft, many } from "./words.js";

/** @typedef {import("./asking.js").Question} Question */
/** @typedef {import("./asking.js").Send} Send */
/** @typedef {import("./dom.js").Child} Child */
/** @typedef {import("./router.js").Context} Context */
/** @typedef {keyof Api.InboxCounts} Filter */
/** Functions for keys, which the chosen question sets.
 * @typedef {{ next: () => void, previous: () => void }} Steps
 */

export const title = "Inbox";

/** @type {[Filter, string][]} */
const FILTERS = [["mine", "Mine"], ["open", "Open"], ["answered", "Answered"], ["over", "Expired and closed"]];
/** @type {Record<Filter, (one: Api.InboxItem) => boolean>} */
const FITS = {
  mine: (one) => one.mine, open: (one) => one.state === "open", answered: (one) => one.state === "answered",
  over: (one) => one.state === "expired" || one.state === "closed",
};
const LOOKS = {
  open: ["accent", "\u25cb"], answered: ["good", "\u2713"], expired: ["bad", "\u2715"], closed: ["", "\u2013"],
};
const NAMED = 3; // plans that are named where there are many
const NOTHING = {
  mine: "Nothing waits for your answer.", open: "No question is open.", answered: "Nothing was answered yet.",
  over: "Nothing has expired, and nothing was closed.",
};

/** @param {string[]} list @param {string} none */
const names = (list, none) => (list.length ? list.join(", ") : none);
/** @param {string | null} text */
const key = (text) => (text ? h("code", { title: text }, `key ${text.slice(0, 16)}\u2026`) : null);
/** What decides whether an item is drawn again: everything but the time that passes.
 * @param {Api.InboxItem} item
 */
const face = (item) => JSON.stringify({ ...item, seconds_left: null });

/** @param {Element} holder @param {string} selector */
function focusOn(holder, selector) {
  const found = holder.querySelector(selector);
  if (found instanceof HTMLElement) found.focus();
}

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

/** @param {Api.InboxItem} item @param {(id: string) => unknown} choose */
function row(item, choose) {
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
      key(answer.key) ?? h("span", { class: "soft small" }, "not signed")]] : null,
    answer?.chosen.length ? ["Chosen", answer.chosen] : null,
    item.then ? ["Then", [item.then, item.led_to
      ? [" ", h("a", { href: path("govern", { evaluation: item.led_to }) }, "Open it")] : null]] : null,
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
        plans.say(one.what), " ", key(one.key)))));

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

/** @param {Api.InboxDetail} detail @param {Send} send @param {Steps} keys */
function drawDetail(detail, send, keys) {
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

const empty = () => h("div", { class: "empty" }, h("h2", {}, "Nobody is asked anything"),
  h("p", {}, "Where plans collide and no rule decides, a person is asked, and the question appears here: "
    + "from an evaluation that was saved in this folder, and from a flow in the registry of a team."),
  h("p", {}, "Save one on the page Govern, or type ", h("code", {}, "volition govern evaluate SET.json --out FOLDER"),
    " here; with a registry, ", h("code", {}, "volition flow start"), " and ",
    h("code", {}, "volition studio --registry team.db"), "."),
  h("p", { class: "offers" }, h("a", { class: "button main", href: "/govern" }, "Open Govern")));

/** @param {HTMLElement} holder @param {Context} context */
export async function show(holder, context) {
  /** @type {Api.InboxShape} */
  let inbox = await get("/inbox");
  const named = FILTERS.find(([value]) => value === context.params.get("show"));
  /** @type {Filter} */
  let filter = named ? named[0] : inbox.counts.mine || !inbox.counts.open ? "mine" : "open";
  let chosen = context.params.get("item");
  let drawn = "";
  const keys = { next: () => {}, previous: () => {} };
  const list = h("ul", { class: "inbox-list" });
  const detail = h("article", { class: "panel inbox-detail", "aria-label": "The chosen question" });
  const wrong = h("div");
  const filters = h("div");
  const who = h("p", { class: "sub" });
  const more = h("p", { class: "soft small" });
  const shown = () => inbox.items.filter(FITS[filter]);

  const note = () => context.note({ show: filter, item: chosen });
  function drawList() {
    const items = shown();
    const focused = document.activeElement?.getAttribute("data-item");
    list.replaceChildren(...(items.length ? items.map((one) => row(one, choose))
      : [h("li", { class: "soft inbox-none" }, NOTHING[filter])]));
    /** @type {NodeListOf<HTMLElement>} */
    const buttons = list.querySelectorAll("[data-item]");
    for (const button of buttons) {
      if (button.dataset.item === chosen) button.setAttribute("aria-current", "true");
      if (button.dataset.item === focused) button.focus();
    }
  }
  function drawFilters() {
    const focused = filters.contains(document.activeElement);
    /** @type {[Filter, string][]} */
    const options = FILTERS.map(([value, text]) => [value, `${text} (${inbox.counts[value]})`]);
    filters.replaceChildren(segments("Show", options, filter, (value) => {
      filter = value;
      chosen = null;
      note();
      draw();
    }));
    if (focused) focusOn(filters, "[aria-checked=true]");
  }
  /** @param {boolean} focus */
  async function drawChosen(focus) {
    const item = inbox.items.find((one) => one.id === chosen);
    const looks = item ? face(item) : "";
    if (looks === drawn && (detail.hidden || detail.childElementCount)) return;
    drawn = looks;
    detail.hidden = !item;
    if (!item) {
      detail.replaceChildren();
      return;
    }
    try {
      /** @type {Api.InboxDetail} */
      const found = await get(at`/inbox/items/${item.id}`);
      if (chosen !== item.id) return;
      detail.replaceChildren(...drawDetail(found, (choices) => answer(item, choices), keys));
      if (focus) focusOn(detail, ".inbox-head");
    } catch (error) {
      detail.replaceChildren(problems(error));
    }
  }
  /** @param {string} id @param {boolean} [focus] */
  function choose(id, focus = true) {
    chosen = id;
    note();
    drawList();
    return drawChosen(focus);
  }
  function draw() {
    write(who, inbox.me ? `You act as ${inbox.me}.` : "You have no name here that can be read: you may look.");
    if (!inbox.items.some((one) => one.id === chosen)) chosen = shown()[0]?.id ?? null;
    nothing.hidden = inbox.items.length > 0;
    both.hidden = !inbox.items.length;
    write(more, inbox.left_out ? `${many(inbox.left_out, "older item")} are not listed.` : "");
    const { problem } = inbox;
    wrong.replaceChildren(...(problem ? [problems(new Error(`${problem.what}: ${problem.remedy}`))] : []));
    drawFilters();
    drawList();
    return drawChosen(false);
  }
  async function load() {
    const before = inbox;
    inbox = await get("/inbox");
    showCounts(inbox.counts);
    if (JSON.stringify(before.items.map(face)) === JSON.stringify(inbox.items.map(face))) return;
    const known = new Set(before.items.map((one) => one.id));
    const fresh = inbox.items.filter((one) => one.state === "open" && !known.has(one.id));
    if (fresh.length) say(`New in the inbox: ${fresh[0].title}`);
    await draw();
  }
  /** @param {Api.InboxItem} item @param {Record<string, any>} choices */
  async function answer(item, choices) {
    try {
      await post(at`/inbox/items/${item.id}/answer`, { checksum: item.checksum, choices });
      say(item.kind === "permit" ? "Approved" : "Answered");
      if (filter !== "open" && filter !== "mine") drawn = "";
      await load();
      focusOn(detail, ".inbox-head");
    } catch (error) {
      detail.querySelector(".problem")?.remove();
      detail.append(problems(error));
    }
  }
  /** @param {number} by */
  const step = (by) => () => {
    const items = shown();
    const place = items.findIndex((one) => one.id === chosen);
    const next = items[Math.max(0, Math.min(items.length - 1, place + by))];
    if (next) choose(next.id, true);
  };
  const nothing = empty();
  const both = h("div", { class: "inbox" },
    h("section", { class: "panel", "aria-label": "Questions" }, filters, list, more), detail);
  holder.append(h("div", { class: "head" }, h("div", { class: "grow" }, h("h1", {}, "Inbox"), who)), wrong, nothing,
    both);
  await draw();
  pageKeys({
    j: ["next item", step(1)], k: ["previous item", step(-1)],
    n: ["next question", () => keys.next()], p: ["previous question", () => keys.previous()],
  });
  const stop = followChanges((parts) => (parts.some((part) => part !== "guard") ? load().catch(() => {}) : null));
  const clock = setInterval(() => {
    for (const one of holder.querySelectorAll("[data-until]")) {
      const left = (Number(one.getAttribute("data-until")) - Date.now()) / 1000;
      write(one, formatLeft(left));
      if (left <= 0) {
        one.removeAttribute("data-until");
        load().catch(() => {});
      }
    }
  }, 1000);
  return () => {
    clearInterval(clock);
    stop();
  };
}
