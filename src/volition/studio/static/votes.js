// How votes are drawn: each has its own tone and pattern, so that no two differ by colour alone.

import { h, s } from "./dom.js";

const SIZE = 8;
const DRAWN = [
  () => [],
  () => [s("path", { d: "M-2 2L2-2M0 8L8 0M6 10L10 6" })],
  () => [s("circle", { cx: 2, cy: 2, r: 1 }), s("circle", { cx: 6, cy: 6, r: 1 })],
  () => [s("path", { d: "M2 0V8M6 0V8" })],
  () => [s("path", { d: "M-2 6L2 10M0 0L8 8M6-2L10 2" })],
  () => [s("path", { d: "M0 2H8M0 6H8" })],
  () => [s("path", { d: "M0 8L8 0M0 0L8 8" })],
  () => [s("path", { d: "M0 0H4V4H0ZM4 4H8V8H4Z", class: "vote-block" })],
];
/** @param {number} number */
const which = (number) => number % DRAWN.length;

/** The fill of a vote by its number; `patterns` must be on the page.
 * @param {number} number
 */
export const voteFill = (number) => `url(#vote-${which(number)})`;

/** @param {() => SVGElement[]} draw @param {number} number */
function pattern(draw, number) {
  const name = `vote-${number}`;
  const look = { id: name, class: name, width: SIZE, height: SIZE, patternUnits: "userSpaceOnUse" };
  return s("pattern", look, s("rect", { class: "vote-ground", width: SIZE, height: SIZE }),
    s("g", { class: "vote-lines" }, draw()));
}

/** The patterns of all votes, unseen. */
export const patterns = () => s("svg", { class: "unseen", "aria-hidden": "true" }, s("defs", {}, DRAWN.map(pattern)));

/** A small sample of a vote beside its name.
 * @param {number} number
 */
export function swatch(number) {
  const sample = s("rect", { class: "fill", width: 16, height: 16, rx: 3, fill: voteFill(number) });
  return h("span", { class: "swatch", "aria-hidden": "true" }, s("svg", { viewBox: "0 0 16 16" }, sample));
}
