// What was just said and done: the latest events in words, newest first.

import { h, sure } from "./dom.js";
import { glyphMark, hue } from "./palette.js";
import { clock, humanize } from "./words.js";

/** @typedef {import("./source.js").Evening} Evening */

const ROWS = 12;

/** How many events there are up to a tick.
 * @param {Api.EventShape[]} events
 * @param {number} place
 */
function until(events, place) {
  let low = 0;
  let high = events.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (events[middle].tick <= place) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The list; `show(place)` shows everything up to a tick. A row is created once for each event and reused.
 * @param {Evening} evening
 */
export function telling(evening) {
  const people = new Map(evening.people.map((person) => [person.id, person]));
  /** @param {string} id */
  const name = (id) => people.get(id)?.short ?? id;
  /** @type {Map<string, HTMLElement>} */
  const made = new Map();
  const element = h("ol", { class: "telling", tabindex: 0, "aria-label": "What was said and done, newest first" });

  /** @param {Api.EventShape} event */
  function row(event) {
    const overheard = event.overheard.length ? ` \u00b7 overheard by ${event.overheard.map(name).join(", ")}` : "";
    const mark = glyphMark(event.type);
    mark.classList.add(hue(people.get(event.source)?.number ?? 0));
    return h("li", { class: event.dramatic ? "dramatic" : "", "data-tick": event.tick },
      h("div", { class: "event-side" }, mark, h("span", { class: "number soft small" }, clock(event.minutes))),
      h("div", {}, h("p", { class: "told" }, event.text),
        h("span", { class: "soft small" }, `${name(event.source)} \u00b7 ${humanize(event.type)}${overheard}`)));
  }

  /** @param {number} place */
  function show(place) {
    const end = until(evening.events, place);
    // The events of the newest tick of a live evening have not arrived yet.
    const latest = evening.live && place === evening.last ? place - 1 : place;
    const wanted = evening.events.slice(Math.max(0, end - ROWS), end).reverse().map((event) => {
      if (!made.has(event.id)) made.set(event.id, row(event));
      const one = sure(made.get(event.id));
      one.classList.toggle("now", event.tick === latest);
      return one;
    });
    /** @type {Set<Element>} */
    const keep = new Set(wanted);
    for (const one of [...element.children]) if (!keep.has(one)) one.remove();
    /** @type {ChildNode | null} */
    let next = element.firstChild;
    for (const one of wanted) {
      if (one === next) next = next.nextSibling;
      else element.insertBefore(one, next);
    }
  }
  return { element, show };
}
