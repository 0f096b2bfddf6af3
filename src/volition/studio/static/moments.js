// The dramatic moments of an evening over its line: a button for each, named by what happens, and what shapes mean.

import { h } from "./dom.js";
import { glyphMark, hue } from "./palette.js";
import { goToNextPlace, strip } from "./strip.js";
import { clock } from "./words.js";

/** @typedef {import("./player.js").Player} Player */
/** @typedef {import("./source.js").Evening} Evening */

const ROWS = 3; // moments above each other
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
  goToNextPlace(player, evenings.flatMap(momentsOf).map((event) => event.tick));
}

/** What the shapes mean, for the kinds that happen in some evenings, and what each of the lines means.
 * @param {Evening[]} evenings
 * @param {string[]} lines
 */
export function legend(evenings, lines) {
  const found = new Set(evenings.flatMap(momentsOf).map((event) => event.type));
  const kinds = Object.keys(KINDS).filter((type) => found.has(type));
  return h("ul", { class: "moment-legend small soft", "aria-label": "What the shapes mean" },
    kinds.map((type) => h("li", {}, glyphMark(type), KINDS[type])),
    lines.map((text, at) => h("li", {},
      h("span", { class: `tension-sample${at ? " second" : ""}`, "aria-hidden": "true" }), text)));
}

/** The strip of moments up to a tick, by default the evening's last; each goes to its tick. `about` says what it is.
 * @param {Evening} evening
 * @param {Player} player
 * @param {{ last?: () => number, label?: string, about: HTMLElement }} how
 */
export function moments(evening, player, { last = () => evening.last, label = "Moments", about }) {
  const numbers = new Map(evening.people.map((person) => [person.id, person.number]));
  /** @param {Api.EventShape} event @returns {import("./strip.js").Spot} */
  const spot = (event) => ({
    place: event.tick, text: `${clock(event.minutes)} ${event.deed}`, shape: () => glyphMark(event.type),
    look: hue(numbers.get(event.source) ?? 0),
    data: { "data-tick": event.tick, "data-type": event.type, "data-agent": event.source },
  });
  return strip(player, {
    spots: () => momentsOf(evening).map(spot), first: () => evening.first, last, rows: ROWS, label, about,
    quiet: "Each shape is a moment: hover over one to see what happens, click to go there.", none: "",
  });
}
