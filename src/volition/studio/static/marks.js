// What happens in a journal, over its slider: a button for each mark, and what the shapes mean.

import { h, s } from "./dom.js";

/** @typedef {import("./player.js").Player} Player */

const WIDE = 26; // pixels of a column: a button is 24, so that fingers hit it
const ROWS = 2;
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

/** Go to the next mark after the current place, or to the end.
 * @param {Player} player
 * @param {Api.JournalMark[]} marks in the order of their moments
 */
export function goToNextMark(player, marks) {
  player.pause();
  player.go(marks.find((one) => one.number > player.place)?.number ?? player.last);
}

/** The strip of marks; each goes to its moment. `about` says what is under the pointer.
 * @param {Api.JournalMark[]} marks
 * @param {Player} player
 * @param {HTMLElement} about
 */
export function markStrip(marks, player, about) {
  const strip = h("div", {
    class: "moments marks", role: "group", "aria-label": "What happens", "data-roving": true, onkeydown: move,
  });
  const quiet = marks.length ? "Each shape is an event: hover over one to see what happens, click to go there."
    : "Nothing out of the ordinary happens.";
  about.textContent = quiet;
  let width = 0;
  /** @type {HTMLButtonElement[]} */
  let buttons = [];
  /** @type {Map<number, HTMLButtonElement>} */
  const byMoment = new Map();
  /** @type {HTMLButtonElement | undefined} */
  let current;

  /** @param {Api.JournalMark[]} some @param {number} left @param {number} row */
  function button(some, left, row) {
    const [{ number, kind, text }] = some;
    const named = `moment ${number}: ${text}`;
    const label = some.length > 1 ? `+${some.length}, ${named}` : named;
    const tell = () => { about.textContent = label; };
    const element = h("button", {
      type: "button", class: "moment", "aria-label": label, tabindex: -1, "data-moment": number, "data-kind": kind,
      onmouseenter: tell, onfocus: tell,
      onmouseleave: () => { about.textContent = quiet; },
      onclick: () => {
        player.pause();
        player.go(number);
      },
    }, some.length > 1 ? `+${some.length}` : shape(kind));
    element.style.left = `${left * 100}%`;
    element.style.bottom = `${row * 24}px`;
    for (const one of some) byMoment.set(one.number, element);
    return element;
  }

  /** @param {KeyboardEvent} event */
  function move(event) {
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    if (!step || !buttons.length) return;
    event.preventDefault();
    const at = buttons.findIndex((one) => one === document.activeElement);
    const next = buttons[(at + step + buttons.length) % buttons.length];
    for (const one of buttons) one.tabIndex = one === next ? 0 : -1;
    next.focus();
  }

  function draw() {
    width = strip.clientWidth;
    if (!width) return;
    const columns = Math.max(1, Math.floor(width / WIDE));
    const span = Math.max(1, player.last - player.first);
    /** @type {Api.JournalMark[][]} */
    const bins = Array.from({ length: columns }, () => []);
    for (const one of marks) {
      bins[Math.min(columns - 1, Math.floor(((one.number - player.first) / span) * columns))].push(one);
    }
    byMoment.clear();
    buttons = bins.flatMap((all, column) => {
      const alone = all.length > ROWS ? all.slice(0, ROWS - 1) : all;
      const rows = [...alone.map((one) => [one]), ...(all.length > ROWS ? [all.slice(ROWS - 1)] : [])];
      return rows.map((some, row) => button(some, (column + 0.5) / columns, row));
    });
    strip.replaceChildren(...buttons);
    if (buttons.length) buttons[0].tabIndex = 0;
    current = undefined;
    show(player.place);
  }
  new ResizeObserver(() => strip.clientWidth !== width && draw()).observe(strip);

  /** Highlight the mark of a place.
   * @param {number} place
   */
  function show(place) {
    const next = byMoment.get(place);
    if (next === current) return;
    current?.classList.remove("now");
    next?.classList.add("now");
    current = next;
  }
  return { strip, show };
}
