// The dramatic moments of an evening over its line: a button for each, named by what happens, and what shapes mean.

import { h } from "./dom.js";
import { glyphMark, hue } from "./palette.js";
import { clock } from "./words.js";

/** @typedef {import("./player.js").Player} Player */
/** @typedef {import("./source.js").Evening} Evening */

const WIDE = 26; // pixels of a column: a button is 24, so that fingers hit it
const ROWS = 3;
/** @type {Record<string, string>} */
const KINDS = {
  CONFLICT: "confrontation", LIE: "lie", REVEAL: "secret told", CONFIDE: "confidence", CATASTROPHE: "breakdown",
};

/** @param {Evening} evening */
export const momentsOf = (evening) => evening.events.filter((event) => event.dramatic);

/** The first tick in which something dramatic happens, else the first one.
 * @param {Evening} evening
 */
export const firstMoment = (evening) => momentsOf(evening)[0]?.tick ?? evening.first;

/** Go to the next dramatic moment of some evenings after a place, or to the end.
 * @param {Player} player
 * @param {...Evening} evenings
 */
export function goToNext(player, ...evenings) {
  const ticks = evenings.flatMap(momentsOf).map((event) => event.tick).filter((tick) => tick > player.place);
  player.pause();
  player.go(Math.min(player.last, ...ticks));
}

/** What the shapes mean, for the kinds that happen in some evenings; with `line`, what the line means too.
 * @param {Evening[]} evenings
 * @param {boolean} [line]
 */
export function legend(evenings, line = false) {
  const found = new Set(evenings.flatMap(momentsOf).map((event) => event.type));
  const kinds = Object.keys(KINDS).filter((type) => found.has(type));
  return h("ul", { class: "moment-legend small soft", "aria-label": "What the shapes mean" },
    kinds.map((type) => h("li", {}, glyphMark(type), KINDS[type])),
    line ? h("li", {}, h("span", { class: "tension-sample", "aria-hidden": "true" }), "tension") : null);
}

/** The strip of moments up to a tick, by default the evening's last; each goes to its tick. `about` says what it is.
 * @param {Evening} evening
 * @param {Player} player
 * @param {{ last?: () => number, label?: string, about: HTMLElement }} how
 */
export function moments(evening, player, { last = () => evening.last, label = "Moments", about }) {
  const numbers = new Map(evening.people.map((person) => [person.id, person.number]));
  const strip = h("div", {
    class: "moments", role: "group", "aria-label": label, "data-roving": true, onkeydown: move,
  });
  const quiet = "Each shape is a moment: hover over one to see what happens, click to go there.";
  let width = 0;
  /** @type {HTMLButtonElement[]} */
  let buttons = [];

  /** @param {Api.EventShape[]} events @param {number} left @param {number} row */
  function button(events, left, row) {
    const [event] = events;
    const named = `${clock(event.minutes)} ${event.deed}`;
    const text = events.length > 1 ? `+${events.length}: ${named}` : named;
    const tell = () => { about.textContent = text; };
    const element = h("button", {
      type: "button", class: `moment ${hue(numbers.get(event.source) ?? 0)}`, "aria-label": text, tabindex: -1,
      "data-tick": event.tick, "data-type": event.type, "data-agent": event.source,
      onmouseenter: tell, onfocus: tell,
      onmouseleave: () => { about.textContent = quiet; },
      onclick: () => {
        player.pause();
        player.go(event.tick);
      },
    }, events.length > 1 ? `+${events.length}` : glyphMark(event.type));
    element.style.left = `${left * 100}%`;
    element.style.bottom = `${row * 24}px`;
    return element;
  }

  /** @param {KeyboardEvent} event */
  function move(event) {
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    const all = buttons;
    if (!step || !all.length) return;
    event.preventDefault();
    const next = all[(all.findIndex((one) => one === document.activeElement) + step + all.length) % all.length];
    for (const one of all) one.tabIndex = one === next ? 0 : -1;
    next.focus();
  }

  function draw() {
    width = strip.clientWidth;
    if (!width) return;
    const columns = Math.max(1, Math.floor(width / WIDE));
    const span = Math.max(1, last() - evening.first);
    /** @type {Api.EventShape[][]} */
    const bins = Array.from({ length: columns }, () => []);
    for (const event of momentsOf(evening)) {
      bins[Math.min(columns - 1, Math.floor(((event.tick - evening.first) / span) * columns))].push(event);
    }
    buttons = bins.flatMap((events, column) => {
      const alone = events.length > ROWS ? events.slice(0, ROWS - 1) : events;
      const rows = [...alone.map((event) => [event]), ...(events.length > ROWS ? [events.slice(ROWS - 1)] : [])];
      return rows.map((some, row) => button(some, (column + 0.5) / columns, row));
    });
    strip.replaceChildren(...buttons);
    if (buttons.length) buttons[0].tabIndex = 0;
    about.textContent = buttons.length ? quiet : "";
  }
  new ResizeObserver(() => strip.clientWidth !== width && draw()).observe(strip);

  /** Mark the moments of a tick.
   * @param {number} place
   */
  function show(place) {
    for (const one of buttons) one.classList.toggle("now", Number(one.dataset.tick) === place);
  }
  return { strip, draw, show };
}
