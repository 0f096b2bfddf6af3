// Why somebody chose what they chose, as a card in words.

import { h, sure } from "./dom.js";
import { mark } from "./palette.js";
import { path } from "./place.js";
import { problems } from "./problems.js";
import { clock, humanize, signed, withMinus } from "./words.js";

/** @typedef {import("./router.js").Context} Context */
/** @typedef {import("./source.js").Evening} Evening */

/** What the situation added, item by item.
 * @param {Record<string, number>} items
 */
function situation(items) {
  const listed = Object.entries(items).map(([name, value]) => `${humanize(name)} ${signed(value)}`);
  return listed.length ? h("p", { class: "soft small" }, `The situation: ${listed.join(", ")}`) : null;
}

/** @param {Api.PersonShape} person @param {Evening} evening @param {Api.Chosen} found */
function content(person, evening, { tick, choice, reason, played_by: player, situation: items }) {
  return [
    h("p", { class: "why-doing told" }, mark(person), ` ${reason.doing}.`),
    h("p", {}, withMinus(`${reason.because}.`)),
    reason.instead ? h("p", {}, withMinus(`${reason.instead}.`)) : null,
    reason.outside ? h("p", { class: "why-outside" }, withMinus(`${reason.outside}.`)) : null,
    player ? h("p", {}, `Chosen by ${player}, in place of ${person.short}.`) : null,
    choice.became_words === null ? null
      : h("p", { class: "became" }, `It did not happen (${choice.because}): ${choice.became_words}.`),
    situation(items),
    h("p", { class: "row small" },
      h("a", { href: path("decision", { run: evening.id, tick, agent: person.id }) }, "All that was weighed"),
      h("span", { class: "soft number" }, `${clock(evening.minutes[tick - evening.first] ?? 0)}, tick ${tick}`)),
  ];
}

let made = 0; // each card has a heading of its own

/** The card; `ask(id, tick)` opens it, and puts the focus on it. Closing gives the focus back.
 * @param {Evening} evening
 * @param {Context} context
 */
export function whyCard(evening, context) {
  const name = `why-title-${++made}`;
  const heading = h("h2", { id: name }, "Why?");
  const body = h("div", { class: "why-body" });
  const close = () => {
    turn += 1;
    element.hidden = true;
    if (from?.isConnected) from.focus();
  };
  const shut = h("button", {
    type: "button", class: "square quiet", "aria-label": "Close", title: "Close", onclick: close,
  }, "\u00d7");
  const element = h("section", {
    class: "panel why-card", "aria-labelledby": name, tabindex: -1, hidden: true,
    onkeydown: (event) => event.key === "Escape" && close(),
  }, h("div", { class: "panel-head" }, heading, shut), body);
  let turn = 0;
  /** @type {HTMLElement | SVGElement | null} */
  let from = null;

  /** @param {string} id @param {number} tick */
  async function ask(id, tick) {
    const mine = ++turn;
    const person = sure(evening.people.find((one) => one.id === id));
    const focused = document.activeElement;
    if (!element.contains(focused)) {
      from = focused instanceof HTMLElement || focused instanceof SVGElement ? focused : null;
    }
    heading.textContent = `Why, ${person.short}?`;
    body.replaceChildren(h("p", { class: "soft" }, "Deciding it again"));
    element.hidden = false;
    let parts;
    try {
      parts = content(person, evening, await context.source.decision(evening.id, tick, id));
    } catch (error) {
      parts = [problems(error)];
    }
    if (mine !== turn) return;
    body.replaceChildren(...parts.filter((one) => one !== null));
    element.focus({ preventScroll: true });
    element.scrollIntoView({ block: "nearest" });
  }
  return { element, ask };
}
