// Inbox: everything that people are asked, in saved evaluations and in the registry, answered as the person of this
// studio.

import { at, get, post } from "./api.js";
import { actsPanel } from "./acts.js";
import { followChanges, oneAtATime, showCounts } from "./changes.js";
import { h, say, segments, write } from "./dom.js";
import { pageKeys } from "./keyboard.js";
import { problems } from "./problems.js";
import { drawItem, itemRow } from "./question.js";
import { formatLeft, many } from "./words.js";

/** @typedef {import("./router.js").Context} Context */
/** @typedef {keyof Api.InboxCounts} Filter */

export const title = "Inbox";

/** @type {[Filter, string][]} */
const FILTERS = [["mine", "Mine"], ["open", "Open"], ["answered", "Answered"], ["over", "Expired and closed"]];
/** @type {Record<Filter, (one: Api.InboxItem) => boolean>} */
const FITS = {
  mine: (one) => one.mine, open: (one) => one.state === "open", answered: (one) => one.state === "answered",
  over: (one) => one.state === "expired" || one.state === "closed",
};
const LOOK = 5; // seconds between two looks while the registry cannot be read
const NOTHING = {
  mine: "Nothing waits for your answer.", open: "No question is open.", answered: "Nothing was answered yet.",
  over: "Nothing has expired, and nothing was closed.",
};

/** What decides whether an item is drawn again: everything but the time that passes.
 * @param {Api.InboxItem} item
 */
const face = (item) => JSON.stringify({ ...item, seconds_left: null });

/** What decides whether the page is drawn again: its items, and what is wrong with the registry.
 * @param {Api.InboxShape} shown
 */
const looksOf = ({ items, problem, left_out: more, me }) => JSON.stringify([items.map(face), problem, more, me]);

/** @param {Element} holder @param {string} selector */
function focusOn(holder, selector) {
  const found = holder.querySelector(selector);
  if (found instanceof HTMLElement) found.focus();
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
    list.replaceChildren(...(items.length ? items.map((one) => itemRow(one, choose))
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
      detail.replaceChildren(...drawItem(found, (choices) => answer(item, choices), keys));
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
  const load = oneAtATime(async () => {
    const before = inbox;
    inbox = await get("/inbox");
    showCounts(inbox.counts);
    if (looksOf(before) === looksOf(inbox)) return;
    const known = new Set(before.items.map((one) => one.id));
    const fresh = inbox.items.filter((one) => one.state === "open" && !known.has(one.id));
    if (fresh.length) say(`New in the inbox: ${fresh[0].title}`);
    await draw();
  });
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
      acts.load();
    }
  }
  /** @param {number} by */
  const step = (by) => () => {
    const items = shown();
    const place = items.findIndex((one) => one.id === chosen);
    const next = items[Math.max(0, Math.min(items.length - 1, place + by))];
    if (next) choose(next.id, true);
  };
  const acts = actsPanel();
  const nothing = empty();
  const both = h("div", { class: "inbox" },
    h("section", { class: "panel", "aria-label": "Questions" }, filters, list, more), detail);
  holder.append(h("div", { class: "head" }, h("div", { class: "grow" }, h("h1", {}, "Inbox"), who)), wrong, nothing,
    both, acts.panel);
  await draw();
  pageKeys({
    j: ["next item", step(1)], k: ["previous item", step(-1)],
    n: ["next question", () => keys.next()], p: ["previous question", () => keys.previous()],
  });
  const stop = followChanges((parts) => {
    if (!parts.some((part) => part !== "guard")) return;
    load().catch(() => {});
    acts.load();
  });
  let seconds = 0;
  const clock = setInterval(() => {
    seconds += 1;
    // What kept the registry from being read may be over before the server noticed that it had begun.
    if (inbox.problem && seconds % LOOK === 0) load().catch(() => {});
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
