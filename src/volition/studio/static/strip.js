// A strip over a line: a button for each thing worth going to, at its place. What is too close together is one button.

import { h } from "./dom.js";

/** @typedef {import("./player.js").Player} Player */
/** Something to go to: its place, what it is in words, how its button is drawn and coloured, and what tells it apart.
 * @typedef {{ place: number, text: string, shape: () => Element, look?: string, data?: Record<string, unknown> }} Spot
 */
/** What a strip shows: the spots in the order of their places, the first and last place of the line, how many buttons
 * may be above each other, its name, and what is said of it while no button is pointed at.
 * @typedef {{ spots: () => Spot[], first: () => number, last: () => number, rows: number, label: string,
 *   about: HTMLElement, quiet: string, none: string, look?: string }} Shown
 */

const WIDE = 26; // pixels of a column: a button is 24, so that fingers hit it
/** @type {Record<string, number>} */
const STEPS = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 };

/** Go to the next of some places after the current one, or to the end.
 * @param {Player} player
 * @param {number[]} places
 */
export function goToNextPlace(player, places) {
  player.pause();
  player.go(Math.min(player.last, ...places.filter((place) => place > player.place)));
}

/** The strip. `draw()` draws it again, where there is more to show; `show(place)` highlights what is at a place.
 * @param {Player} player
 * @param {Shown} shown
 */
export function strip(player, { spots, first, last, rows, label, about, quiet, none, look = "" }) {
  const element = h("div", {
    class: `moments ${look}`, role: "group", "aria-label": label, "data-roving": true, onkeydown: move,
  });
  let width = 0;
  /** @type {HTMLButtonElement[]} */
  let buttons = [];
  /** @type {Map<number, HTMLButtonElement[]>} */
  const byPlace = new Map();
  /** @type {HTMLButtonElement[]} */
  let current = [];

  /** @param {Spot[]} some @param {number} left @param {number} row */
  function button(some, left, row) {
    const [{ place, text, shape, look: own, data }] = some;
    const said = some.length > 1 ? `+${some.length}: ${text}` : text;
    const tell = () => { about.textContent = said; };
    const made = h("button", {
      type: "button", class: `moment ${own ?? ""}`, "aria-label": said, tabindex: -1, ...data,
      onmouseenter: tell, onfocus: tell,
      onmouseleave: () => { about.textContent = quiet; },
      onclick: () => {
        player.pause();
        player.go(place);
      },
    }, some.length > 1 ? `+${some.length}` : shape());
    made.style.left = `${left * 100}%`;
    made.style.bottom = `${row * 24}px`;
    for (const one of some) byPlace.set(one.place, [...(byPlace.get(one.place) ?? []), made]);
    return made;
  }

  /** @param {HTMLButtonElement} chosen */
  function focus(chosen) {
    for (const one of buttons) one.tabIndex = one === chosen ? 0 : -1;
    chosen.focus();
  }

  /** @param {KeyboardEvent} event */
  function move(event) {
    const step = STEPS[event.key];
    if (!step || !buttons.length) return;
    event.preventDefault();
    const at = buttons.findIndex((one) => one === document.activeElement);
    focus(buttons[(at + step + buttons.length) % buttons.length]);
  }

  function draw() {
    width = element.clientWidth;
    if (!width) return;
    const all = spots();
    const columns = Math.max(1, Math.floor(width / WIDE));
    const span = Math.max(1, last() - first());
    /** @type {Spot[][]} */
    const bins = Array.from({ length: columns }, () => []);
    for (const one of all) {
      bins[Math.min(columns - 1, Math.floor(((one.place - first()) / span) * columns))]?.push(one);
    }
    const held = [...byPlace].find(([, some]) => some.some((one) => one === document.activeElement))?.[0];
    byPlace.clear();
    buttons = bins.flatMap((some, column) => {
      const alone = some.length > rows ? some.slice(0, rows - 1) : some;
      const stacks = [...alone.map((one) => [one]), ...(some.length > rows ? [some.slice(rows - 1)] : [])];
      return stacks.map((stack, row) => button(stack, (column + 0.5) / columns, row));
    });
    element.replaceChildren(...buttons);
    about.textContent = buttons.length ? quiet : none;
    current = [];
    show(player.place);
    const again = held === undefined ? undefined : byPlace.get(held)?.[0];
    if (again) focus(again); // a strip that grows keeps the focus where it was
    else if (buttons.length) buttons[0].tabIndex = 0;
  }
  new ResizeObserver(() => element.clientWidth !== width && draw()).observe(element);

  /** @param {number} place */
  function show(place) {
    const next = byPlace.get(place) ?? [];
    if (next === current) return;
    for (const one of current) one.classList.remove("now");
    for (const one of next) one.classList.add("now");
    current = next;
  }
  return { element, draw, show };
}
