// What people say, beside them on the plan: the words of the telling. On narrow pages it is a list under the plan.

import { h, s, sure } from "./dom.js";
import { hue, mark } from "./palette.js";
import { clock, cut } from "./words.js";

/** What bubbles need to know of an evening and of what happened in it.
 * @typedef {{ people: Api.EveningShape["people"] | import("./floor.js").Person[] }} Company
 * @typedef {Pick<Api.EventShape, "tick" | "minutes" | "source" | "dramatic" | "deed" | "spoken">} Spoken
 */
/** @typedef {import("./guests.js").Asking} Asking */
/** @typedef {ReturnType<typeof import("./floor.js").floor>} Floor */
/** What somebody says in an event; `words` is null for a deed without words.
 * @typedef {{ who: string, words: string | null, event: Spoken }} Line
 */

const MOST = 4;
const LETTERS = 120;
const NARROW = 560; // pixels of the plan below which bubbles would cover it
const STEP = 20; // pixels between two places that are tried for a bubble
const [ABOVE, BELOW, BESIDE] = [22, 34, 30]; // what a guest with their name takes, in pixels from their middle
const EDGE = 18; // from the middle of a guest to the beginning of the line to their bubble

/** Every place in a room of some pixels at which a bubble may be.
 * @param {number[]} size
 * @returns {[number, number][]}
 */
function places([width, height]) {
  /** @param {number} most */
  const along = (most) => Array.from({ length: Math.max(1, Math.floor(most / STEP) + 1) }, (_, at) => at * STEP);
  return along(width).flatMap((left) => along(height).map((top) => [left, top]));
}

/** How much two boxes cover each other: [left, top, width, height].
 * @param {number[]} one
 * @param {number[]} other
 */
function overlap([x1, y1, w1, h1], [x2, y2, w2, h2]) {
  const wide = Math.min(x1 + w1, x2 + w2) - Math.max(x1, x2);
  const high = Math.min(y1 + h1, y2 + h2) - Math.max(y1, y2);
  return wide > 0 && high > 0 ? wide * high : 0;
}

/** The lines of some events, at most one for each speaker, those of dramatic events first.
 *  Who does something dramatic without a word has a line too, for what they do.
 * @param {Spoken[]} events
 */
function linesOf(events) {
  /** @type {Map<string, Line>} */
  const lines = new Map();
  for (const event of [...events].sort((a, b) => Number(b.dramatic) - Number(a.dramatic))) {
    const silent = event.dramatic && !event.spoken.some((line) => line.who === event.source);
    const said = silent ? [{ who: event.source, words: null }, ...event.spoken] : event.spoken;
    for (const { who, words } of said) if (!lines.has(who)) lines.set(who, { who, words, event });
  }
  return [...lines.values()].slice(0, MOST);
}

/** The layer of bubbles over a plan; `ask(id, tick)` asks why somebody did what they do, where that is `linkable`.
 * @param {Company} evening
 * @param {Pick<Floor, "element" | "spotOf" | "labels">} floor
 * @param {Asking} asking
 */
export function bubbles(evening, { element: holder, spotOf, labels }, { ask, linkable }) {
  const people = new Map(evening.people.map((person) => [person.id, person]));
  const element = h("div", { class: "bubbles" });
  const leads = s("svg", { class: "leads", "aria-hidden": "true" });
  /** @type {[string, HTMLElement][]} */
  let shown = [];

  /** @param {Line} line */
  function bubble({ who, words, event }) {
    const person = sure(people.get(who));
    const asks = who === event.source && linkable(event.tick, who);
    const deed = event.deed.replace(`${person.short} `, "");
    const text = words === null ? cut(deed, LETTERS) : `\u201c${cut(words, LETTERS)}\u201d`;
    return h("div", { class: `bubble ${hue(person.number)}${event.dramatic ? " dramatic" : ""}`, "data-speaker": who },
      h("p", { class: "told" }, h("span", { class: "bubble-who" }, mark(person), person.short), " ", text),
      asks ? h("button", {
        type: "button", class: "chip why", "aria-label": `Why? ${person.short} at ${clock(event.minutes)}`,
        onclick: () => ask(who, event.tick),
      }, "Why?") : null);
  }

  function place() {
    const width = holder.clientWidth;
    element.classList.toggle("listed", width < NARROW);
    if (width < NARROW) return;
    const height = holder.clientHeight;
    if (!shown.length) return;
    const tokens = evening.people.map((one) => spotOf(one.id)).filter((spot) => spot !== null)
      .map(([x, y]) => [x - BESIDE, y - ABOVE, BESIDE * 2, ABOVE + BELOW]);
    const names = labels();
    /** @type {number[][]} */
    const taken = [];
    const lines = [];
    /** @param {number[]} box @param {number[][]} others @param {number} weight */
    const covered = (box, others, weight) => others.reduce((all, other) => all + overlap(box, other) * weight, 0);
    for (const [who, one] of shown) {
      const [x, y] = spotOf(who) ?? [width / 2, height];
      const size = [one.offsetWidth, one.offsetHeight];
      /** How bad a place is: how far from the guest, and what it covers; other bubbles above all, then people.
       * @param {[number, number]} place
       */
      const cost = ([left, top]) => {
        const box = [left, top, ...size];
        const apart = [left + size[0] / 2 - x, top + size[1] / 2 - y];
        return Math.hypot(...apart) + covered(box, taken, 1) + covered(box, tokens, 0.5) + covered(box, names, 0.4);
      };
      const { at: best } = places([width - size[0], height - size[1]]).map((at) => ({ at, bad: cost(at) }))
        .reduce((a, b) => (b.bad < a.bad ? b : a));
      taken.push([...best, ...size]);
      one.style.left = `${best[0]}px`;
      one.style.top = `${best[1]}px`;
      const end = [x, y].map((value, axis) => Math.max(best[axis], Math.min(best[axis] + size[axis], value)));
      const far = Math.max(1, Math.hypot(end[0] - x, end[1] - y));
      const begin = [x, y].map((value, axis) => value + ((end[axis] - value) * Math.min(EDGE, far)) / far);
      const [[x1, y1], [x2, y2]] = [begin, end];
      lines.push(s("line", { class: `lead ${hue(sure(people.get(who)).number)}`, x1, y1, x2, y2 }));
    }
    leads.replaceChildren(...lines);
  }

  const sizes = new ResizeObserver(place);
  sizes.observe(holder);

  /** @param {Spoken[]} events */
  function show(events) {
    const lines = linesOf(events);
    if (!lines.length && !shown.length) return;
    shown = lines.map((line) => [line.who, bubble(line)]);
    element.replaceChildren(leads, ...shown.map(([, one]) => one));
    leads.replaceChildren();
    place();
  }
  return { element, show };
}
