// The guests beside the plan: where they are, what they choose, and how much they can still bear.

import { h, put, write } from "./dom.js";
import { meter } from "./meter.js";
import { hue, mark } from "./palette.js";
import { path } from "./place.js";
import { act, capitalize, percent, humanize } from "./words.js";

const BARS = [
  ["stress", "Stress", "what weighs on them; at 1 they are near breaking"],
  ["composure", "Composure", "what holds them together"],
  ["dramatic_budget", "Budget", "how much drama they can still afford"],
  ["commitment", "Commitment", "how far they have bound themselves"],
];

/** A card for each guest; `show(tick, before)` updates them. */
export function guests(evening, choose, linkable) {
  const rooms = new Map(evening.plan.rooms.map((room) => [room.id, room.name]));
  const cards = evening.people.map((person) => {
    const where = h("span", { class: "guest-room" });
    const does = h("a", { class: "guest-does", href: "/decision" });
    const bars = BARS.map(([name, text, about]) => [name, text, meter(text, { look: `meter-${name}`, title: `${text}: ${about}` })]);
    const button = h("button", {
      type: "button", class: "guest-head", "aria-pressed": "false", title: `${person.name}: ${person.role}`,
      onclick: () => choose(person.id),
    }, mark(person), h("span", { class: "guest-short" }, person.short));
    const element = h("li", { class: `guest-card ${hue(person.number)}`, "data-guest": person.id },
      button, where, does, h("div", { class: "paces" }, bars.map(([, text, bar]) => h("span", { class: "pace" }, h("span", { class: "pace-name", "aria-hidden": "true" }, text), bar.element))));
    return { person, element, button, where, does, bars };
  });

  /** What a card says: the choice in a tick; in the newest tick of a live evening, which has none yet, the last choice. */
  function describe(tick, before, id) {
    const { choice, room, broken } = tick.people[id];
    if (choice) return { tick: tick.tick, choice, text: act(choice.id, evening) };
    if (room === "departed") return { text: "" };
    if (broken) return { text: "has broken down" };
    if (tick.tick < evening.last) return { text: "does not choose" };
    if (!evening.live) return { text: "the evening is over" };
    const last = before?.people[id].choice;
    return last ? { tick: before.tick, choice: last, text: `just now: ${act(last.id, evening)}` } : { text: "is deciding" };
  }

  /** Update the cards to a tick; `before` is the tick before it. */
  function show(tick, before) {
    for (const card of cards) {
      const now = tick.people[card.person.id];
      const left = now.room === "departed";
      const does = describe(tick, before, card.person.id);
      write(card.where, left ? "has left" : rooms.get(now.room) ?? now.room);
      card.element.classList.toggle("gone", left);
      card.element.classList.toggle("broken", now.broken);
      const asks = does.choice && linkable(does.tick, card.person.id);
      write(card.does, does.text);
      if (asks) put(card.does, "href", path("decision", { run: evening.id, tick: does.tick, agent: card.person.id }));
      else card.does.removeAttribute("href");
      put(card.does, "title", asks ? `Why? ${does.choice.became === "done" ? "" : `It became: ${does.choice.became}. ${does.choice.because ?? ""}`}` : "");
      for (const [name, , bar] of card.bars) bar.show(now.pacing[name]);
    }
  }

  function select(id) {
    for (const card of cards) {
      card.element.classList.toggle("chosen", card.person.id === id);
      put(card.button, "aria-pressed", String(card.person.id === id));
    }
  }

  return { element: h("ul", { class: "guests" }, cards.map((card) => card.element)), show, select };
}

/** One guest in full at a tick: goals, flaws, feelings. */
export function portrait(person, now) {
  const strong = Object.entries(now.emotions).filter(([, value]) => value >= 0.05).sort((a, b) => b[1] - a[1]);
  const list = (entries, none) => (entries.length ? entries.join(", ") : none);
  return h("div", { class: `portrait ${hue(person.number)}` },
    h("h3", {}, person.name),
    h("p", { class: "soft" }, `${capitalize(person.role)}.`),
    h("dl", { class: "facts" },
      h("dt", {}, "Feels"), h("dd", {}, list(strong.map(([name, value]) => `${humanize(name)} ${percent(value)}`), "nothing much")),
      h("dt", {}, "Drank"), h("dd", {}, percent(now.alcohol)),
      h("dt", {}, "Wants"), h("dd", {}, Object.entries(person.goals).sort((a, b) => b[1] - a[1]).slice(0, 3).map(([name, value]) => `${humanize(name)} ${percent(value)}`).join(", ")),
      h("dt", {}, "Flaws"), h("dd", {}, list(person.flaws.map((flaw) => `${humanize(flaw.kind)} (at ${humanize(flaw.trigger)}: ${humanize(flaw.effect)})`), "none")),
      h("dt", {}, "Bound to"), h("dd", {}, list(person.commitments.map((one) => humanize(one.replace("secret_", ""))), "nothing")),
      now.pacing.recovery_timer ? [h("dt", {}, "Recovers"), h("dd", {}, `for ${now.pacing.recovery_timer} more ticks`)] : null));
}
