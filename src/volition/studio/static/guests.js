// The guests beside the plan: where they are, what they choose, and how much they can still bear.

import { h, put, write } from "./dom.js";
import { meter } from "./meter.js";
import { hue, mark } from "./palette.js";
import { path } from "./place.js";
import { capitalize, percent, humanize } from "./words.js";

/** @typedef {import("./source.js").Evening} Evening */
/** How a page asks why: `linkable` says whether a choice can be asked about.
 * @typedef {{ linkable: (tick: number, id: string) => boolean, ask: (id: string, tick: number) => unknown }} Asking
 */
/** @typedef {{ text: string, tick?: number, choice?: Api.ChoiceShape }} Doing */

const BARS = [
  ["stress", "Stress", "what weighs on them; at 1 they are near breaking"],
  ["composure", "Composure", "what holds them together"],
  ["dramatic_budget", "Budget", "how much drama they can still afford"],
  ["commitment", "Commitment", "how far they have bound themselves"],
];

/** A card for each guest; `show(tick, before)` updates them. `ask(id, tick)` asks why a guest chose what they chose.
 * @param {Evening} evening
 * @param {(id: string) => unknown} choose
 * @param {Asking} asking
 */
export function guests(evening, choose, { linkable, ask }) {
  const rooms = new Map(evening.plan.rooms.map((room) => [room.id, room.name]));
  const cards = evening.people.map((person) => {
    const where = h("span", { class: "guest-room" });
    const does = h("a", { class: "guest-does", href: "/decision" });
    /** @type {HTMLButtonElement} */
    const why = h("button", {
      type: "button", class: "chip why", "aria-label": `Why? ${person.short}`, hidden: true,
      onclick: () => ask(person.id, Number(why.dataset.tick)),
    }, "Why?");
    const bars = BARS.map(([name, text, about]) => ({
      name: /** @type {keyof Api.PacingShape} */ (name), text,
      bar: meter(text, { look: `meter-${name}`, title: `${text}: ${about}` }),
    }));
    const button = h("button", {
      type: "button", class: "guest-head", "aria-pressed": "false", title: `${person.name}: ${person.role}`,
      onclick: () => choose(person.id),
    }, mark(person), h("span", { class: "guest-short" }, person.short));
    const element = h("li", { class: `guest-card ${hue(person.number)}`, "data-guest": person.id },
      button, where, h("div", { class: "guest-doing" }, does, why),
      h("div", { class: "paces" }, bars.map(({ text, bar }) =>
        h("span", { class: "pace" }, h("span", { class: "pace-name", "aria-hidden": "true" }, text), bar.element))));
    return { person, element, button, where, does, why, bars };
  });

  /** What a card says: the choice in a tick; in the newest tick of a live evening, which has none, the last choice.
   * @param {Api.TickShape} tick
   * @param {Api.TickShape | undefined} before
   * @param {string} id
   * @returns {Doing}
   */
  function describe(tick, before, id) {
    const { choice, room, broken } = tick.people[id];
    if (choice) return { tick: tick.tick, choice, text: choice.words };
    if (room === "departed") return { text: "" };
    if (broken) return { text: "has broken down" };
    if (tick.tick < evening.last) return { text: "does not choose" };
    if (!evening.live) return { text: "the evening is over" };
    const last = before?.people[id].choice;
    return last ? { tick: before.tick, choice: last, text: `just now: ${last.words}` } : { text: "is deciding" };
  }

  /** Update the cards to a tick; `before` is the tick before it.
   * @param {Api.TickShape} tick
   * @param {Api.TickShape | undefined} before
   */
  function show(tick, before) {
    for (const card of cards) {
      const now = tick.people[card.person.id];
      const left = now.room === "departed";
      const does = describe(tick, before, card.person.id);
      write(card.where, left ? "has left" : rooms.get(now.room) ?? now.room);
      card.element.classList.toggle("gone", left);
      card.element.classList.toggle("broken", now.broken);
      const asks = does.tick !== undefined && linkable(does.tick, card.person.id);
      write(card.does, does.text);
      if (asks) put(card.does, "href", path("decision", { run: evening.id, tick: does.tick, agent: card.person.id }));
      else card.does.removeAttribute("href");
      put(card.does, "title", does.choice ? describeWhole(does.choice) : "");
      card.why.hidden = !asks;
      if (asks) put(card.why, "data-tick", does.tick ?? "");
      for (const { name, bar } of card.bars) bar.show(now.pacing[name]);
    }
  }

  /** @param {string | null} id */
  function select(id) {
    for (const card of cards) {
      card.element.classList.toggle("chosen", card.person.id === id);
      put(card.button, "aria-pressed", String(card.person.id === id));
    }
  }

  return { element: h("ul", { class: "guests" }, cards.map((card) => card.element)), show, select };
}

/** A choice in full, with what became of it.
 * @param {Api.ChoiceShape} choice
 */
const describeWhole = ({ words, because, became_words: became }) =>
  (became === null ? words : `${words}; it became: ${became}${because ? ` (${because})` : ""}`);

/** One guest in full at a tick: goals, flaws, feelings.
 * @param {Api.PersonShape} person
 * @param {Api.PersonNow} now
 */
export function portrait(person, now) {
  const strong = Object.entries(now.emotions).filter(([, value]) => value >= 0.05).sort((a, b) => b[1] - a[1]);
  /** @param {string[]} entries @param {string} none */
  const list = (entries, none) => (entries.length ? entries.join(", ") : none);
  /** @param {[string, number][]} entries */
  const shares = (entries) => entries.map(([name, value]) => `${humanize(name)} ${percent(value)}`);
  const wants = Object.entries(person.goals).sort((a, b) => b[1] - a[1]).slice(0, 3);
  const flaws = person.flaws.map((flaw) =>
    `${humanize(flaw.kind)} (at ${humanize(flaw.trigger)}: ${humanize(flaw.effect)})`);
  const bound = person.commitments.map((one) => humanize(one.replace("secret_", "")));
  const recovers = now.pacing.recovery_timer;
  return h("div", { class: `portrait ${hue(person.number)}` },
    h("h3", {}, person.name),
    h("p", { class: "soft" }, `${capitalize(person.role)}.`),
    h("dl", { class: "facts" },
      h("dt", {}, "Feels"), h("dd", {}, list(shares(strong), "nothing much")),
      h("dt", {}, "Drank"), h("dd", {}, percent(now.alcohol)),
      h("dt", {}, "Wants"), h("dd", {}, shares(wants).join(", ")),
      h("dt", {}, "Flaws"), h("dd", {}, list(flaws, "none")),
      h("dt", {}, "Bound to"), h("dd", {}, list(bound, "nothing")),
      recovers ? [h("dt", {}, "Recovers"), h("dd", {}, `for ${recovers} more ticks`)] : null));
}
