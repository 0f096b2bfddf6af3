// Stage: the evening as it happens.

import { at, follow, post } from "./api.js";
import { beliefs } from "./beliefs.js";
import { bubbles } from "./bubbles.js";
import { closingCard } from "./closing.js";
import { confirm } from "./dialog.js";
import { h, perFrame, say, segments, sure, write } from "./dom.js";
import { floor } from "./floor.js";
import { guests, portrait } from "./guests.js";
import { pageKeys } from "./keyboard.js";
import { firstMoment, goToNext, legend, moments } from "./moments.js";
import { Player } from "./player.js";
import { problems } from "./problems.js";
import { fromAbove, fromTheFront } from "./projection.js";
import { currentRun, nothingYet, playDialog, runPicker } from "./runs.js";
import { scrubber } from "./scrubber.js";
import { telling } from "./telling.js";
import { transport } from "./transport.js";
import { whyCard } from "./why.js";
import { clock, many } from "./words.js";

/** @typedef {import("./player.js").Moved} Moved */
/** @typedef {import("./router.js").Context} Context */
/** @typedef {import("./source.js").Evening} Evening */

export const title = "Stage";

/** An evening in one line.
 * @param {Evening} evening
 */
function about(evening) {
  const { ending } = evening;
  const ended = evening.live ? ", in progress" : `: ${ending?.because ?? "no ending"}`;
  const done = evening.interference.map((one) => one.words).join("; ");
  return `Seed ${evening.seed}, ${many(evening.events.length, "event")}${ended}${done ? ` \u00b7 ${done}` : ""}`;
}

/** @param {Evening} evening @param {Context} context @param {HTMLElement | null} stop */
function heading(evening, context, stop) {
  return h("div", { class: "head" },
    h("div", { class: "grow" }, h("h1", {}, evening.scenario.name),
      evening.scenario.description ? h("p", { class: "premise" }, evening.scenario.description) : null,
      h("p", { class: "sub" }, about(evening))),
    context.source.canAsk ? h("div", { class: "row" },
      runPicker(context, evening.id, (run) => context.go("stage", { run })),
      stop, h("button", { type: "button", onclick: () => playDialog(context) }, "Play an evening")) : null);
}

/** How the house is drawn: null from above, "world" from the front.
 * @param {Context} context
 */
const viewOf = (context) => (context.params.get("view") === "world" ? "world" : null);

/** The parts of the page for one evening, and how they are updated to a tick.
 * @param {Evening} evening
 * @param {Context} context
 * @param {Player} player
 */
function scene(evening, context, player) {
  /** @type {string | null} */
  let chosen = null;
  /** @param {string} id */
  const choose = (id) => {
    chosen = chosen === id ? null : id;
    plan.select(chosen);
    cards.select(chosen);
    draw(player.place, "jump");
    note();
  };
  /** While a live evening is followed, the address names no tick: it opens at the newest. */
  const note = () => {
    const here = { run: evening.id, tick: player.place, agent: chosen, view: viewOf(context) };
    context.note(player.following ? { ...here, tick: null } : here, here);
  };
  /** @param {number} tick @param {string} agent */
  const linkable = (tick, agent) =>
    Boolean(evening.ticks[tick - evening.first]?.people[agent]?.choice)
    && (context.source.canAsk || context.source.has(tick, agent));
  const why = whyCard(evening, context);
  /** @param {string} id @param {number} tick */
  const ask = (id, tick) => {
    player.pause();
    return why.ask(id, tick);
  };
  const plan = floor(evening, choose, viewOf(context) === "world" ? fromTheFront : fromAbove);
  const said = bubbles(evening, plan, { ask, linkable });
  const cards = guests(evening, choose, { linkable, ask });
  const matrix = beliefs(evening);
  const told = telling(evening);
  const line = scrubber(evening, player);
  const preview = h("p", { class: "moment-about small", "aria-hidden": "true" });
  const marks = moments(evening, player, { about: preview });
  const end = closingCard(evening, context, (tick) => player.go(tick));
  /** @param {number} place */
  const time = (place) =>
    `${clock(evening.minutes[place - evening.first] ?? 0)}  \u00b7  tick ${place}/${evening.last}`;
  const next = () => goToNext(player, evening);
  const buttons = transport(player, time, { live: () => evening.live, next });
  const close = h("div", { class: "panel", hidden: true, "aria-live": "off" });
  /** @type {Map<number, Api.EventShape[]>} */
  const byTick = new Map();
  /** @param {Api.EventShape} event */
  const add = (event) => byTick.set(event.tick, [...(byTick.get(event.tick) ?? []), event]);
  evening.events.forEach(add);

  /** @param {number} place @param {Moved} how */
  function draw(place, how) {
    const tick = evening.ticks[place - evening.first];
    if (!tick) return;
    const latest = evening.live && place === evening.last ? place - 1 : place;
    const events = byTick.get(latest) ?? [];
    plan.show(tick, events, how !== "jump", player.playing ? player.speed : 1);
    said.show(events);
    const before = evening.ticks[place - evening.first - 1];
    cards.show(tick, before);
    matrix.show(tick, before);
    told.show(place);
    line.show(place);
    marks.show(place);
    buttons.show(place);
    end.show(!evening.live && place === evening.last);
    if (close.hidden !== !chosen) {
      close.hidden = !chosen;
      close.closest(".stage")?.classList.toggle("closely", Boolean(chosen));
    }
    const person = evening.people.find((one) => one.id === chosen);
    if (person) close.replaceChildren(portrait(person, tick.people[person.id]));
  }
  /** Ask why of the guest in view, or of whoever acts in this tick. */
  function askHere() {
    const acting = (byTick.get(player.place) ?? []).find((event) => linkable(event.tick, event.source))?.source;
    const order = [chosen, acting, ...evening.people.map((one) => one.id)];
    const id = order.find((one) => one && linkable(player.place, one));
    if (id) ask(id, player.place);
  }
  return {
    plan, cards, matrix, told, line, marks, preview, said, why, end, buttons, close,
    draw, choose, note, add, next, askHere,
    chosen: () => chosen,
  };
}

/** @param {HTMLElement} holder @param {Context} context */
export async function show(holder, context) {
  const run = await currentRun(context);
  if (!run) return nothingYet(holder, context);
  const evening = await context.source.evening(run);
  const player = new Player(evening.first, evening.last);
  const parts = scene(evening, context, player);
  const wrong = h("div");
  const button = h("button", { type: "button", onclick: async () => {
    button.disabled = true;
    try {
      await post(at`/runs/${evening.id}/stop`);
    } catch (error) {
      wrong.replaceChildren(problems(error));
      button.disabled = false;
    }
  } }, "Stop");
  const stop = evening.stoppable ? button : null;
  const head = h("div", {}, heading(evening, context, stop), wrong);

  holder.replaceChildren(head, h("div", { class: "stage" },
    h("section", { class: "panel stage-plan", "aria-label": "The house" },
      h("div", { class: "house-view" }, segments("The house", [["", "From above"], ["world", "From the front"]],
        viewOf(context) ?? "", (view) =>
          context.again({ run: evening.id, tick: player.place, agent: parts.chosen(), view: view || null }))),
      h("div", { class: "house" }, parts.plan.element, parts.said.element, parts.end.element),
      h("div", { class: "timeline" }, parts.marks.element, parts.line.element),
      parts.preview, legend([evening], ["tension"]), parts.buttons.element),
    h("section", { class: "panel stage-guests", "aria-label": "Guests" }, h("h2", {}, "Guests"), parts.cards.element),
    h("div", { class: "stage-side" }, parts.why.element,
      h("section", { class: "panel stage-told", "aria-label": "Just now" },
        h("h2", {}, "Said and done"), parts.told.element)),
    h("div", { class: "stack stage-close" }, parts.close),
    h("section", { class: "panel stage-beliefs", "aria-label": "Who knows what" },
      h("h2", {}, "Who knows what"), parts.matrix.element)));

  const redraw = perFrame(parts.draw);
  player.listen((place, how) => {
    redraw(place, how);
    parts.note();
  });
  const wanted = context.params.get("tick");
  player.following = evening.live && wanted === null;
  const opening = evening.live ? evening.last : firstMoment(evening);
  player.place = wanted === null ? opening : Math.max(evening.first, Math.min(evening.last, Number(wanted) || 0));
  const looked = context.params.get("agent");
  if (looked && evening.people.some((one) => one.id === looked)) parts.choose(looked);
  else parts.note();
  parts.line.draw([]);
  parts.draw(player.place, "jump");
  const left = evening.live ? watch(evening, player, parts, head, context) : null;
  if (!evening.live) {
    context.source.audience(evening.id, "default").then((audience) => parts.line.draw(audience.moments))
      .catch(() => {}); // without it the line is flat; everything else works
  }
  pageKeys({
    " ": ["play or pause", () => player.toggle()],
    ArrowLeft: ["one tick back", () => player.step(-1)],
    ArrowRight: ["one tick forward", () => player.step(1)],
    Home: ["to the beginning", () => player.step(-1e9)],
    End: ["to the end", () => player.step(1e9)],
    n: ["the next moment", parts.next],
    w: ["why: the choice of the guest in view, or of who acts", parts.askHere],
    t: ["the same evening as threads", () => context.go("threads", {})],
    ...(stop ? { x: ["stop the evening", () => stop.disabled || askToStop(stop)] } : {}),
  });
  return () => {
    player.stop();
    parts.end.leave();
    left?.();
  };
}

/** @param {HTMLButtonElement} stop */
const askToStop = (stop) => confirm("Stop the evening?", "It ends now; what was played so far stays in the records.",
  { yes: "Stop it", no: "Keep going" }, () => stop.click());

/** Follow an evening that is being played: every tick is added, and a view of the newest tick moves along.
 * @param {Evening} evening
 * @param {Player} player
 * @param {ReturnType<typeof scene>} parts
 * @param {HTMLElement} head
 * @param {Context} context
 */
function watch(evening, player, parts, head, context) {
  return follow(at`/runs/${evening.id}/live`, {
    tick: ({ tick, events, choices, length }) => {
      const place = tick.tick - evening.first;
      if (place !== evening.ticks.length) return; // already known: a stream begins with the first tick
      const before = evening.ticks[place - 1];
      Object.assign(before, { length, events: events.map((/** @type {Api.EventShape} */ event) => event.id) });
      for (const [id, person] of Object.entries(before.people)) person.choice = choices[id] ?? null;
      evening.ticks.push(tick);
      evening.minutes.push(tick.minutes);
      for (const event of events) {
        evening.events.push(event);
        parts.add(event);
      }
      evening.last = tick.tick;
      write(sure(head.querySelector(".sub")), about(evening));
      parts.line.draw([]);
      parts.marks.draw();
      player.grow(evening.last);
    },
    end: async ({ reason, problem }) => {
      say(reason === "failed" ? `The evening failed: ${problem?.what ?? ""}`
        : reason === "stopped" ? "The evening was stopped." : "The evening is over.");
      context.again({ run: evening.id, tick: player.place, agent: parts.chosen() });
    },
  });
}
