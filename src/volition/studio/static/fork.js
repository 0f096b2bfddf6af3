// Fork: two evenings side by side. One scrubber moves both, a mark shows where they part, and below is what differs.

import { bubbles } from "./bubbles.js";
import { differences } from "./comparison.js";
import { h, perFrame } from "./dom.js";
import { floor } from "./floor.js";
import { pageKeys } from "./keyboard.js";
import { firstMoment, goToNext, legend, moments } from "./moments.js";
import { Player } from "./player.js";
import { path } from "./place.js";
import { problems } from "./problems.js";
import { currentRun, nothingYet, runPicker } from "./runs.js";
import { scrubber } from "./scrubber.js";
import { telling } from "./telling.js";
import { transport } from "./transport.js";
import { whyCard } from "./why.js";
import { capitalize, clock } from "./words.js";

/** @typedef {import("./player.js").Moved} Moved */
/** @typedef {import("./place.js").Values} Values */
/** @typedef {import("./router.js").Context} Context */
/** @typedef {import("./source.js").Evening} Evening */

export const title = "Fork";

/** How an evening came out, in one line.
 * @param {Evening} evening
 */
const outcome = ({ ending }) =>
  (ending ? `${capitalize(ending.because)}, at tick ${ending.tick}` : "No ending");

/** One of the two: its house, what is said, and why. `show(place, how)` moves it to a tick, at most to its end.
 * @param {string} name
 * @param {Evening} evening
 * @param {Player} player
 * @param {Context} context
 */
function half(name, evening, player, context) {
  /** @param {number} tick @param {string} id */
  const asks = (tick, id) => Boolean(evening.ticks[tick - evening.first]?.people[id]?.choice);
  const why = whyCard(evening, context);
  /** @param {string} id @param {number} tick */
  const ask = (id, tick) => {
    player.pause();
    return why.ask(id, tick);
  };
  const plan = floor(evening, (id) => asks(Math.min(player.place, evening.last), id) && ask(id, player.place));
  const said = bubbles(evening, plan, { ask, linkable: asks });
  const told = telling(evening);
  const over = h("p", { class: "chip warn", hidden: true }, "This evening is over");
  const byTick = Map.groupBy(evening.events, (event) => event.tick);
  const changed = evening.interference.map((one) => one.words).join("; ");

  /** @param {number} place @param {Moved} how */
  function show(place, how) {
    const here = Math.min(place, evening.last);
    const events = byTick.get(place) ?? [];
    over.hidden = place < evening.last;
    plan.show(evening.ticks[here - evening.first], events, how !== "jump", player.playing ? player.speed : 1);
    said.show(events);
    told.show(here);
  }
  const element = h("section", { class: "panel fork-half", "aria-label": name },
    h("div", { class: "panel-head" }, h("h2", {}, name), over,
      h("a", { href: path("stage", { run: evening.id }) }, evening.id)),
    h("div", { class: "fork-about small" }, h("p", {}, outcome(evening)),
      changed ? h("p", { class: "soft" }, changed) : null),
    h("div", { class: "house" }, plan.element, said.element), h("div", { class: "stack" }, why.element, told.element));
  return { element, show };
}

/** @param {Context} context @param {string} run @param {string | null} other */
function heading(context, run, other) {
  /** @param {Values} changed */
  const go = (changed) => context.go("fork", { run, with: other, ...changed });
  return h("div", { class: "head" },
    h("div", { class: "grow" }, h("h1", {}, "Two evenings side by side"),
      h("p", { class: "sub" }, "The same house and the same chances; what differs follows from what was changed.")),
    h("div", { class: "row" },
      runPicker(context, run, (id) => go({ run: id }), "One evening"),
      runPicker(context, other ?? "", (id) => go({ with: id }), "The other evening")));
}

/** Both evenings with one player, from the place that the address names, or where they part.
 * @param {HTMLElement} holder
 * @param {Context} context
 * @param {Evening[]} evenings
 * @param {Api.ComparisonShape} found
 */
function sideBySide(holder, context, [one, two], found) {
  const last = Math.max(one.last, two.last);
  const span = { first: one.first, last, minutes: (one.last === last ? one : two).minutes };
  const player = new Player(one.first, last);
  const halves = [half("As it was", one, player, context), half("The branch", two, player, context)];
  const line = scrubber(span, player, found.parted);
  const about = h("p", { class: "moment-about small", "aria-hidden": "true" });
  /** @param {string} label @param {Evening} evening */
  const strip = (label, evening) => moments(evening, player, { last: () => last, label, about });
  const strips = [strip("Moments as it was", one), strip("Moments of the branch", two)];
  /** @param {number} place */
  const time = (place) => `${clock(span.minutes[place - span.first] ?? 0)}  \u00b7  tick ${place}/${last}`;
  const next = () => goToNext(player, one, two);
  const part = () => {
    player.pause();
    player.go(found.parted ?? player.first);
  };
  const buttons = transport(player, time, { next });
  const parted = found.parted === null ? null : h("button", { type: "button", class: "parts", onclick: part },
    `They part at ${clock(span.minutes[found.parted - span.first])}, tick ${found.parted}`);

  /** @param {number} place @param {Moved} how */
  function draw(place, how) {
    for (const each of [...halves, ...strips, line, buttons]) each.show(place, how);
  }
  const redraw = perFrame(draw);
  player.listen((place, how) => {
    redraw(place, how);
    context.note({ run: one.id, with: two.id, tick: place }, { run: one.id, tick: place });
  });
  holder.replaceChildren(heading(context, one.id, two.id),
    h("div", { class: "fork-floors" }, halves.map((each) => each.element)),
    h("section", { class: "panel fork-line", "aria-label": "Both evenings in time" },
      h("div", { class: "panel-head" }, h("h2", {}, "As it was"), parted), strips[0].element,
      h("h2", {}, "The branch"), strips[1].element,
      line.element, about, legend([one, two], ["tension as it was", "tension of the branch"]), buttons.element),
    h("section", { class: "panel fork-differs", "aria-label": "What differs" },
      h("h2", {}, "What differs"), differences(found, one)));
  const wanted = context.params.get("tick");
  const opening = found.parted ?? firstMoment(one);
  player.place = wanted === null ? opening : Math.max(one.first, Math.min(last, Number(wanted) || 0));
  line.draw([]);
  Promise.all([one, two].map(({ id }) => context.source.audience(id, "default")))
    .then(([here, there]) => line.draw(here.moments, there.moments))
    .catch(() => {}); // without it the line is flat; everything else works
  draw(player.place, "jump");
  context.note({ run: one.id, with: two.id, tick: player.place }, { run: one.id, tick: player.place });
  pageKeys({
    " ": ["play or pause", () => player.toggle()],
    ArrowLeft: ["one tick back", () => player.step(-1)],
    ArrowRight: ["one tick forward", () => player.step(1)],
    Home: ["to the beginning", () => player.step(-1e9)],
    End: ["to the end", () => player.step(1e9)],
    n: ["the next moment of either evening", next],
    ...(found.parted === null ? {} : { p: ["where they part", part] }),
  });
  return () => player.stop();
}

/** @param {HTMLElement} holder @param {Context} context */
export async function show(holder, context) {
  const run = await currentRun(context);
  if (!run) return nothingYet(holder, context);
  const other = context.params.get("with");
  if (!other) {
    holder.replaceChildren(heading(context, run, null),
      h("div", { class: "panel empty" }, h("h2", {}, "Choose the other evening"),
        h("p", {}, "Fork an evening on the page of a decision, or choose two runs of one scenario above.")));
    return null;
  }
  try {
    const found = await context.source.comparison(run, other);
    const both = await Promise.all([context.source.evening(run), context.source.evening(other)]);
    return sideBySide(holder, context, both, found);
  } catch (error) {
    holder.replaceChildren(heading(context, run, other), problems(error));
    return null;
  }
}
