// What people say, beside them on the plan: the words of the telling. On narrow pages it is a list under the plan.

import { h, s } from "./dom.js";
import { hue, mark } from "./palette.js";
import { clock, cut } from "./words.js";

const MOST = 4;
const LETTERS = 120;
const NARROW = 560; // pixels of the plan below which bubbles would cover it
const TOKEN = 24; // half the size of a guest with their name
const GAP = 26; // between a guest and their bubble

/** Where a bubble of this size may be, for a guest at (x, y): the first is preferred. */
const spots = (x, y, width, height) => [
  [x - width / 2, y - GAP - height], [x + GAP, y - height], [x - GAP - width, y - height],
  [x + GAP, y - height / 2], [x - GAP - width, y - height / 2], [x - width / 2, y + GAP + 10],
  [x + GAP * 2, y - GAP - height], [x - GAP * 2 - width, y - GAP - height], [x + GAP, y + 8], [x - GAP - width, y + 8],
];

/** How much two boxes cover each other: [left, top, width, height]. */
function overlap([x1, y1, w1, h1], [x2, y2, w2, h2]) {
  const wide = Math.min(x1 + w1, x2 + w2) - Math.max(x1, x2);
  const high = Math.min(y1 + h1, y2 + h2) - Math.max(y1, y2);
  return wide > 0 && high > 0 ? wide * high : 0;
}

/** The lines of some events, at most one for each speaker, those of dramatic events first. */
function linesOf(events) {
  const lines = new Map();
  for (const event of [...events].sort((a, b) => b.dramatic - a.dramatic)) {
    const said = event.spoken.length ? event.spoken : event.dramatic ? [{ who: event.source, words: null }] : [];
    for (const { who, words } of said) if (!lines.has(who)) lines.set(who, { who, words, event });
  }
  return [...lines.values()].slice(0, MOST);
}

/** The layer of bubbles over a plan; `ask(id, tick)` asks why somebody did what they do, where that is `linkable`. */
export function bubbles(evening, { element: holder, spotOf, labels }, { ask, linkable }) {
  const people = new Map(evening.people.map((person) => [person.id, person]));
  const element = h("div", { class: "bubbles" });
  const leads = s("svg", { class: "leads", "aria-hidden": "true" });
  let shown = [];

  function bubble({ who, words, event }) {
    const person = people.get(who);
    const asks = who === event.source && linkable(event.tick, who);
    const text = words === null ? cut(event.text, LETTERS) : `\u201c${cut(words, LETTERS)}\u201d`;
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
    const tokens = evening.people.map((one) => spotOf(one.id)).filter(Boolean)
      .map(([x, y]) => [x - TOKEN, y - TOKEN, TOKEN * 2, TOKEN * 2 + 6]);
    const inTheWay = [...tokens, ...labels()];
    const taken = [];
    const lines = [];
    for (const [who, one] of shown) {
      const [x, y] = spotOf(who) ?? [width / 2, height];
      const size = [one.offsetWidth, one.offsetHeight];
      const room = [width - size[0], height - size[1]];
      const fit = (at) => at.map((value, axis) => Math.max(0, Math.min(room[axis], value)));
      const cost = (at, order) => order
        + taken.reduce((all, other) => all + overlap([...at, ...size], other) * 3, 0)
        + inTheWay.reduce((all, other) => all + overlap([...at, ...size], other), 0);
      const [best] = spots(x, y, ...size).map(fit).map((at, order) => [at, cost(at, order)])
        .reduce((a, b) => (b[1] < a[1] ? b : a));
      taken.push([...best, ...size]);
      one.style.left = `${best[0]}px`;
      one.style.top = `${best[1]}px`;
      const end = [x, y].map((value, axis) => Math.max(best[axis], Math.min(best[axis] + size[axis], value)));
      lines.push(s("line", { class: `lead ${hue(people.get(who).number)}`, x1: x, y1: y, x2: end[0], y2: end[1] }));
    }
    leads.replaceChildren(...lines);
  }

  const sizes = new ResizeObserver(place);
  sizes.observe(holder);

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
