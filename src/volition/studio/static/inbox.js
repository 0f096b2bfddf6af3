// Inbox: everything that people are asked, in saved evaluations and in the registry, answered as the person of this studio.

import { at, get, post } from "./api.js";
import { askForm } from "./asking.js";
import { followChanges, showCounts } from "./changes.js";
import { h, say, segments, write } from "./dom.js";
import { pageKeys } from "./keyboard.js";
import { path } from "./place.js";
import { Plans } from "./plans.js";
import { problems } from "./problems.js";
import { formatDate, formatLeft, many } from "./words.js";

export const title = "Inbox";

const FILTERS = [["mine", "Mine"], ["open", "Open"], ["answered", "Answered"], ["over", "Expired and closed"]];
const FITS = {
  mine: (one) => one.mine, open: (one) => one.state === "open", answered: (one) => one.state === "answered",
  over: (one) => one.state === "expired" || one.state === "closed",
};
const LOOKS = { open: ["accent", "\u25cb"], answered: ["good", "\u2713"], expired: ["bad", "\u2715"], closed: ["", "\u2013"] };
const NAMED = 3; // plans that are named where there are many
const NOTHING = {
  mine: "Nothing waits for your answer.", open: "No question is open.", answered: "Nothing was answered yet.", over: "Nothing has expired, and nothing was closed.",
};

const names = (list, none) => (list.length ? list.join(", ") : none);
const key = (text) => (text ? h("code", { title: text }, `key ${text.slice(0, 16)}\u2026`) : null);
/** What decides whether an item is drawn again: everything but the time that passes. */
const face = (item) => JSON.stringify({ ...item, seconds_left: null });

/** The plans of an item by their titles, each isolated from what is around it; of many, only the first. */
function plansOf(item) {
  const titles = Object.values(item.titles);
  const first = titles.slice(0, NAMED).map((text, at) => [at ? (at === titles.length - 1 ? " and " : ", ") : "", h("bdi", {}, text)]);
  return [...first, titles.length > NAMED ? ` and ${titles.length - NAMED} more` : ""];
}

function chip(item) {
  const [tone, sign] = LOOKS[item.state];
  return h("span", { class: `chip ${tone}` }, `${sign} ${item.state}`);
}

/** How much time is left, kept up to date by the page. */
const timeLeft = (item) => (item.seconds_left === null ? null : h("span", { class: "number", "data-until": String(Date.now() + item.seconds_left * 1000) }, formatLeft(item.seconds_left)));

function row(item, choose) {
  return h("li", {}, h("button", { type: "button", class: "inbox-item", "data-item": item.id, onclick: () => choose(item.id) },
    h("span", { class: "inbox-title" }, plansOf(item)),
    h("span", { class: "row small" }, chip(item), item.kind === "permit" ? h("span", { class: "chip warn" }, "permit wanted") : null, timeLeft(item)),
    h("span", { class: "soft small" }, item.source === "team" ? `registry, project ${item.project}` : `saved evaluation ${item.record}`),
    h("span", { class: "soft small" }, item.state === "open" ? `${names(item.waiting, "nobody by name")} \u2192 ${names(item.answerers, "anybody here")}`
      : item.answer ? `answered by ${item.answer.who || "somebody"}` : item.then)));
}

/** What is known about an item, as names and values. */
function facts(item) {
  const where = item.source === "team" ? `registry, project ${item.project}, ${item.flow}` : h("a", { href: path("govern", { evaluation: item.record }) }, item.record);
  const list = [
    ["Waiting", names(item.waiting, "nobody by name")],
    ["May answer", names(item.answerers, "everybody who uses this studio")],
    ["Time", item.state === "open" ? timeLeft(item) ?? "no limit" : item.until ? `until ${formatDate(item.until)}` : "no limit"],
    item.answer ? ["Answered", [h("strong", {}, item.answer.who || "nobody noted who"), ` ${formatDate(item.answer.at)} `, key(item.answer.key) ?? h("span", { class: "soft small" }, "not signed")]] : null,
    item.answer?.chosen.length ? ["Chosen", item.answer.chosen] : null,
    item.then ? ["Then", [item.then, item.led_to ? [" ", h("a", { href: path("govern", { evaluation: item.led_to }) }, "Open it")] : null]] : null,
    ["From", where],
  ];
  return h("dl", { class: "inbox-facts small" }, list.filter(Boolean).map(([name, value]) => [h("dt", {}, name), h("dd", { dir: "auto" }, value)]));
}

const history = (events, plans) => h("details", { class: "small" }, h("summary", {}, `History (${events.length})`),
  h("ol", { class: "inbox-history" }, events.map((one) => h("li", {}, h("span", { class: "soft number" }, formatDate(one.at)), " ", h("strong", {}, one.who), " ", plans.say(one.what), " ", key(one.key)))));

/** Why the person of this studio may not answer, and what to do about it. */
const whyNot = (item) => (item.why_not ? h("p", { class: "inbox-why small" }, h("strong", {}, "You may not answer: "), `${item.why_not.what}. `, h("span", { class: "soft" }, `${item.why_not.expected}; ${item.why_not.remedy}.`)) : null);

/** Permit exactly what is shown. */
function permit(detail, send) {
  return h("div", { class: "stack" }, h("ul", { class: "inbox-actions small" }, detail.actions.map((one) => h("li", { "data-command": one.command },
    h("strong", { dir: "auto" }, one.title), ": ", h("code", {}, one.command), ", ", one.words))),
  detail.item.mine ? h("div", {}, h("button", { type: "button", class: "main", onclick: () => send({}) }, "Approve exactly this")) : null);
}

function drawDetail(detail, send, keys) {
  const { item } = detail;
  const plans = new Plans(Object.keys(item.titles), item.titles);
  const parts = [h("h2", { class: "inbox-head", tabindex: -1 }, plansOf(item)), h("div", { class: "row" }, chip(item)), facts(item), whyNot(item)];
  if (item.kind === "permit") parts.push(permit(detail, send));
  else if (item.state === "open") {
    const asking = askForm(item.question_pack, plans, item.mine ? send : null, { options: detail.options, then: "" });
    [keys.next, keys.previous] = [asking.next, asking.previous];
    parts.push(asking.form);
  } else parts.push(h("div", { class: "stack small" }, item.question_pack.questions.map((one) => h("p", {}, plans.say(one.question_text)))));
  return [...parts, history(detail.history, plans)];
}

const empty = () => h("div", { class: "empty" }, h("h2", {}, "Nobody is asked anything"),
  h("p", {}, "Where plans collide and no rule decides, a person is asked, and the question appears here: from an evaluation that was saved in this folder, and from a flow in the registry of a team."),
  h("p", {}, "Save one on the page Govern, or type ", h("code", {}, "volition govern evaluate SET.json --out FOLDER"), " here; with a registry, ", h("code", {}, "volition flow start"), " and ", h("code", {}, "volition studio --registry team.db"), "."),
  h("p", { class: "offers" }, h("a", { class: "button main", href: "/govern" }, "Open Govern")));

export async function show(holder, context) {
  let inbox = await get("/inbox");
  let filter = FITS[context.params.get("show")] ? context.params.get("show") : inbox.counts.mine || !inbox.counts.open ? "mine" : "open";
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
    const focused = document.activeElement?.dataset?.item;
    list.replaceChildren(...(items.length ? items.map((one) => row(one, choose)) : [h("li", { class: "soft inbox-none" }, NOTHING[filter])]));
    for (const button of list.querySelectorAll("[data-item]")) {
      if (button.dataset.item === chosen) button.setAttribute("aria-current", "true");
      if (button.dataset.item === focused) button.focus();
    }
  }
  function drawFilters() {
    const focused = filters.contains(document.activeElement);
    filters.replaceChildren(segments("Show", FILTERS.map(([value, text]) => [value, `${text} (${inbox.counts[value]})`]), filter, (value) => {
      filter = value;
      chosen = null;
      note();
      draw();
    }));
    if (focused) filters.querySelector("[aria-checked=true]").focus();
  }
  async function drawChosen(focus) {
    const item = inbox.items.find((one) => one.id === chosen);
    const looks = item ? face(item) : "";
    if (looks === drawn && detail.childElementCount) return;
    drawn = looks;
    if (!item) {
      detail.replaceChildren(h("p", { class: "soft" }, "Choose a question."));
      return;
    }
    try {
      const found = await get(at`/inbox/items/${item.id}`);
      if (chosen !== item.id) return;
      detail.replaceChildren(...drawDetail(found, (choices) => answer(item, choices), keys).filter(Boolean));
      if (focus) detail.querySelector(".inbox-head").focus();
    } catch (error) {
      detail.replaceChildren(problems(error));
    }
  }
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
    wrong.replaceChildren(...(inbox.problem ? [problems({ message: `${inbox.problem.what}: ${inbox.problem.remedy}` })] : []));
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
  async function answer(item, choices) {
    try {
      await post(at`/inbox/items/${item.id}/answer`, { checksum: item.checksum, choices });
      say(item.kind === "permit" ? "Approved" : "Answered");
      if (filter !== "open" && filter !== "mine") drawn = "";
      await load();
      detail.querySelector(".inbox-head")?.focus();
    } catch (error) {
      detail.querySelector(".problem")?.remove();
      detail.append(problems(error));
    }
  }
  const step = (by) => () => {
    const items = shown();
    const place = items.findIndex((one) => one.id === chosen);
    const next = items[Math.max(0, Math.min(items.length - 1, place + by))];
    if (next) choose(next.id, true);
  };
  const nothing = empty();
  const both = h("div", { class: "inbox" }, h("section", { class: "panel", "aria-label": "Questions" }, filters, list, more), detail);
  holder.append(h("div", { class: "head" }, h("div", { class: "grow" }, h("h1", {}, "Inbox"), who)), wrong, nothing, both);
  await draw();
  pageKeys({
    j: ["next item", step(1)], k: ["previous item", step(-1)], n: ["next question", () => keys.next()], p: ["previous question", () => keys.previous()],
  });
  const stop = followChanges((parts) => (parts.some((part) => part !== "guard") ? load().catch(() => {}) : null));
  const clock = setInterval(() => {
    for (const one of holder.querySelectorAll("[data-until]")) {
      const left = (Number(one.dataset.until) - Date.now()) / 1000;
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
