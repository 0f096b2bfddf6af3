// The course of a body, recorded or live: its arena, its intents as a table, and a slider with what happens over it.

import { arena } from "./arena.js";
import { h, perFrame } from "./dom.js";
import { intentTable } from "./intents.js";
import { markLegend, markStrip } from "./marks.js";
import { Player } from "./player.js";
import { Scrubbing, isDrawable } from "./scrubbing.js";
import { goToNextPlace } from "./strip.js";
import { transport } from "./transport.js";

/** @typedef {import("./dom.js").Child} Child */
/** @typedef {import("./keyboard.js").Keys} Keys */
/** @typedef {import("./scrubbing.js").Moment} Moment */
/** @typedef {import("./scrubbing.js").Row} Row */
/** What a course is drawn from. Moments and marks are in their order, and more of them may come while it is `live`.
 * `unit` names a place, `heading` what led to an intent, and `choice` says it; `note` is told of each place.
 * @typedef {{ map: Api.MapShape | null, moments: Moment[], marks: Api.JournalMark[], legend: Record<string, string>,
 *   unit: string, heading: string, choice: (row: Row) => Child, note: (place: number, following: boolean) => void,
 *   label: string, start: number | null, live?: () => boolean }} Given
 */

const MOMENT = 120; // milliseconds at speed 1

/** The parts of a page that shows a course, and how it grows.
 * @param {Given} given
 */
export function course({ map, moments, marks, legend, unit, heading, choice, note, label, start, live = () => false }) {
  const field = map && (live() || moments.some(({ state }) => isDrawable(state))) ? arena(map) : null;
  const table = intentTable(heading);
  const scrubbing = new Scrubbing(moments, table.most);
  const player = new Player(scrubbing.first, scrubbing.last, MOMENT);
  const slider = h("input", {
    type: "range", class: "scrub-plain", min: player.first, max: player.last, step: 1, "aria-label": label,
    oninput: () => {
      player.pause();
      player.go(Number(slider.value));
    },
  });
  const about = h("p", { class: "moment-about small", "aria-hidden": "true" });
  const strip = markStrip(marks, player, unit, about);
  const meanings = h("div", {}, markLegend(marks, legend));
  const next = () => goToNextPlace(player, marks.map((one) => one.number));
  const buttons = transport(player, (place) => {
    const tick = scrubbing.tick(place);
    return `${unit} ${place}/${player.last}${tick === null ? "" : `  \u00b7  tick ${tick}`}`;
  }, { live, next: marks.length || live() ? next : null, nextName: "Next event" });

  /** @param {number} place */
  function show(place) {
    const { state, trail, rows, first, end } = scrubbing.at(place);
    if (state) field?.show(state, trail);
    table.showRows(first, end, (at) => {
      const row = rows[at - first];
      return [row.moment, choice(row), row.attempt?.outcome ?? null];
    });
    slider.value = String(place);
    strip.show(place);
    buttons.show(place);
    note(place, player.following);
  }
  /** What the line covers has changed: how long it is, and what happens in it. */
  const lengthen = perFrame(() => {
    slider.min = String(player.first);
    slider.max = String(player.last);
    slider.value = String(player.place);
    meanings.replaceChildren(markLegend(marks, legend) ?? "");
    strip.draw();
  });
  let wanted = start; // a place that a live course has not reached yet
  player.following = live() && start === null;
  player.place = Math.max(player.first, Math.min(player.last, start ?? (live() ? player.last : marks[0]?.number ?? 1)));
  show(player.place);
  player.listen(perFrame(show));
  /** @type {Keys} */
  const keys = {
    " ": ["play or pause", () => player.toggle()],
    ArrowLeft: [`one ${unit} back`, () => player.step(-1)],
    ArrowRight: [`one ${unit} forward`, () => player.step(1)],
    Home: ["to the beginning", () => player.step(-1e9)],
    End: ["to the end", () => player.step(1e9)],
    ...(marks.length || live() ? { n: ["the next event", next] } : {}),
  };
  return {
    field, keys, table: table.element, leave: () => player.stop(),
    line: h("div", { class: "stack" }, h("div", { class: "timeline" }, strip.element, slider), about, meanings,
      buttons.element),
    /** One more moment, and what happens in it; a view of the newest moves along.
     * @param {Moment} moment
     * @param {Api.JournalMark[]} more
     */
    add(moment, more) {
      scrubbing.add(moment);
      marks.push(...more);
      player.first = scrubbing.first;
      player.grow(scrubbing.last);
      if (wanted !== null && wanted <= player.last) {
        player.go(wanted);
        wanted = null;
      }
      lengthen();
    },
    /** Nothing more will come; these are all its marks.
     * @param {Api.JournalMark[]} all
     */
    end(all) {
      marks.splice(0, marks.length, ...all);
      player.grow(player.last);
      lengthen();
    },
  };
}
