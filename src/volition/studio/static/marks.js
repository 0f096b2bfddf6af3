// What happens in a journal, over its slider: a button for each mark, and what the shapes mean.

import { h, s } from "./dom.js";
import { strip } from "./strip.js";

/** @typedef {import("./player.js").Player} Player */

const ROWS = 2; // marks above each other
/** How each kind is drawn. What happens to a body has the colour of the body.
 * @type {Record<string, [string, () => SVGElement]>}
 */
const SHAPES = {
  death: ["glyph stroked hue-0", () => s("path", { d: "M-5-5L5 5M5-5L-5 5" })],
  hurt: ["glyph hue-0", () => s("polygon", { points: "0,7 -7,-5 7,-5" })],
  hit: ["glyph hue-1", () => s("polygon", { points: "0,-7 7,5 -7,5" })],
  blocked: ["glyph", () => s("rect", { x: -7, y: -2.5, width: 14, height: 5 })],
  veto: ["glyph stroked", () => s("path", { d: "M6 0A6 6 0 1 1-6 0 6 6 0 1 1 6 0M-4.2 4.2L4.2-4.2" })],
  stop: ["glyph", () => s("rect", { x: -5.5, y: -5.5, width: 11, height: 11, rx: 1.5 })],
  lost: ["glyph stroked", () => s("path", { d: "M-7 0H-3M3 0H7M-1.5-5L1.5 5" })],
};

/** The shape of a kind as a small picture.
 * @param {string} kind
 */
function shape(kind) {
  const [look, draw] = SHAPES[kind] ?? ["glyph open", () => s("circle", { r: 4 })];
  const drawn = draw();
  drawn.setAttribute("class", look);
  return s("svg", { class: "token-mark", viewBox: "-12 -12 24 24", "aria-hidden": "true" }, drawn);
}

/** What the shapes mean, for the kinds that happen.
 * @param {Api.JournalMark[]} marks
 * @param {Record<string, string>} meanings
 */
export function markLegend(marks, meanings) {
  const found = new Set(marks.map((one) => one.kind));
  const kinds = Object.entries(meanings).filter(([kind]) => found.has(/** @type {any} */ (kind)));
  if (!kinds.length) return null;
  return h("ul", { class: "moment-legend small soft", "aria-label": "What the shapes mean" },
    kinds.map(([kind, text]) => h("li", {}, shape(kind), text)));
}

/** The strip of the marks that there are by now, in the order of their places; each goes to its place. `unit` names a
 * place, and `about` says what is under the pointer.
 * @param {Api.JournalMark[]} marks
 * @param {Player} player
 * @param {string} unit
 * @param {HTMLElement} about
 */
export function markStrip(marks, player, unit, about) {
  /** @param {Api.JournalMark} mark @returns {import("./strip.js").Spot} */
  const spot = ({ number, kind, text }) => ({
    place: number, text: `${unit} ${number}: ${text}`, shape: () => shape(kind),
    data: { "data-moment": number, "data-kind": kind },
  });
  return strip(player, {
    spots: () => marks.map(spot), first: () => player.first, last: () => player.last, rows: ROWS,
    label: "What happens", look: "marks", about,
    quiet: "Each shape is an event: hover over one to see what happens, click to go there.",
    none: "Nothing out of the ordinary happens.",
  });
}
