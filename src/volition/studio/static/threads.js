// Threads: the whole evening on one page.

import { around, h, s, scrolling, segments, sure } from "./dom.js";
import { pageKeys } from "./keyboard.js";
import { glyph, glyphMark, hue, mark, token } from "./palette.js";
import { path } from "./place.js";
import { showRefusal } from "./problems.js";
import { currentRun, nothingYet, runPicker } from "./runs.js";
import { TENSION_HEIGHT, componentChips, tension } from "./tension.js";
import { bands, places, thread } from "./weave.js";
import { capitalize, clock, many, humanize, secretName, short } from "./words.js";

/** @typedef {import("./dom.js").Child} Child */
/** @typedef {import("./router.js").Context} Context */
/** @typedef {import("./source.js").Evening} Evening */
/** @typedef {{ guests: Set<string>, types: Set<string>, secret: string }} Filter */
/** @typedef {(minutes: number) => number} Across */
/** @typedef {(event: Api.EventShape) => void} OnEvent */

export const title = "Threads";

const LEFT = 118;
const RIGHT = 26;
const SCENES = 24;
const WIDTH = 1180;

/** Whether an event passes the filter: by or to one of the guests, of a type, about a secret.
 * @param {Api.EventShape} event
 * @param {Filter} filter
 */
function matches(event, filter) {
  if (filter.guests.size && ![event.source, ...event.targets].some((id) => filter.guests.has(id))) return false;
  if (filter.types.size && !filter.types.has(event.type)) return false;
  return !filter.secret || event.secrets.includes(filter.secret);
}

/** The picture of an evening: bands, threads and events. Events are created once and dimmed by filters. `look(event)`
 * is called with the event under the pointer, `stop(event)` with the focused one, `open()` when it is opened.
 * @param {Evening} evening
 * @param {{ look: OnEvent, stop: OnEvent, open: () => void }} on
 */
function weaving(evening, { look, stop, open }) {
  const span = Math.max(1, sure(evening.minutes.at(-1)) - evening.minutes[0]);
  const inner = WIDTH - LEFT - RIGHT;
  /** @param {number} minutes */
  const x = (minutes) => ((minutes - evening.minutes[0]) / span) * inner;
  const rows = bands(evening);
  const ys = places(evening, rows);
  const lowest = rows[rows.length - 1];
  const bottom = lowest.top + lowest.height;
  const people = new Map(evening.people.map((person) => [person.id, person]));
  /** @param {number} place */
  const at = (place) => x(evening.minutes[place] ?? sure(evening.minutes.at(-1)));

  const back = rows.map((band) => s("g", {},
    s("rect", { class: "band", x: 0, y: band.top, width: inner, height: band.height, rx: 4 }),
    s("text", { class: "band-name", x: -12, y: band.top + band.height / 2 + 4, "text-anchor": "end" },
      capitalize(band.name.replace(/^the /, "")))));
  const lines = new Map(evening.people.map((person) => {
    const own = s("g", { class: `thread ${hue(person.number)}`, "data-guest": person.id },
      s("path", { class: "thread-back", d: thread(ys[person.id], at) }),
      s("path", { class: "thread-line", d: thread(ys[person.id], at) }), s("title", {}, person.name));
    return [person.id, own];
  }));
  const ends = evening.people.map((person) => {
    const one = token(person);
    one.setAttribute("transform", `translate(${inner + 12} ${ys[person.id].at(-1)}) scale(.55)`);
    return one;
  });
  const ways = s("g", { class: "ways" });
  const now = s("line", { class: "playhead", y1: -4, y2: bottom, visibility: "hidden" });
  const seen = new Map();
  const spots = new Map(evening.events.map((event) => {
    const key = `${event.source}/${event.tick}`;
    const nth = seen.get(key) ?? 0;
    seen.set(key, nth + 1);
    return [event.id, [x(event.minutes) + 3 + nth * 7, ys[event.source]?.[event.tick - evening.first] ?? 0]];
  }));
  const dots = new Map(evening.events.map((event) => {
    const [left, top] = sure(spots.get(event.id));
    return [event.id, s("g", {
      class: `event ${hue(people.get(event.source)?.number ?? 0)} ${event.dramatic ? "dramatic" : ""}`,
      transform: `translate(${left.toFixed(1)} ${top})`,
      role: "button", tabindex: -1, "data-event": event.id,
      "aria-label": [clock(event.minutes), people.get(event.source)?.short ?? event.source,
        `${humanize(event.type)}: ${event.text}`].join(", "),
    }, s("circle", { class: "hit", r: 9 }), glyph(event.type))];
  }));
  const layer = s("g", {
    "data-roving": true, role: "group", "aria-label": "Events; step through them with the arrow keys",
  }, [...dots.values()]);

  /** @param {Api.EventShape} event */
  function arcs(event) {
    /** @param {string} from @param {string} to @param {string} kind */
    const arc = (from, to, kind) => {
      const [x1, y1] = sure(spots.get(from));
      const [x2, y2] = sure(spots.get(to));
      const top = Math.min(y1, y2) - Math.min(60, 14 + Math.abs(x2 - x1) / 5);
      const third = (x2 - x1) / 3;
      const d = `M${x1} ${y1}C${x1 + third} ${top} ${x2 - third} ${top} ${x2} ${y2}`;
      return s("path", { class: `way ${kind}`, d });
    };
    ways.replaceChildren(...event.causes.filter((id) => spots.has(id)).map((id) => arc(id, event.id, "cause")),
      ...event.effects.filter((id) => spots.has(id)).map((id) => arc(event.id, id, "effect")));
  }

  /** @param {string} id */
  function point(id) {
    for (const [mine, dot] of dots) dot.setAttribute("tabindex", mine === id ? "0" : "-1");
    const event = sure(evening.events.find((one) => one.id === id));
    arcs(event);
    for (const [mine, dot] of dots) {
      dot.classList.toggle("linked", mine === id || event.causes.includes(mine) || event.effects.includes(mine));
    }
    look(event);
    return event;
  }

  /** Mark a tick and a person's thread.
   * @param {number | null} tick
   * @param {string | null} agent
   */
  function stand(tick, agent) {
    for (const [id, line] of lines) line.classList.toggle("chosen", id === agent);
    now.setAttribute("visibility", tick === null ? "hidden" : "visible");
    if (tick !== null) for (const end of ["x1", "x2"]) now.setAttribute(end, at(tick - evening.first).toFixed(1));
  }
  layer.addEventListener("click", (event) => {
    if (around(event, "[data-event]")) open();
  });
  layer.addEventListener("pointerover", (event) => {
    const id = around(event, "[data-event]")?.getAttribute("data-event");
    if (id) point(id);
  });
  layer.addEventListener("focusin", (event) => {
    const id = around(event, "[data-event]")?.getAttribute("data-event");
    if (id) stop(point(id));
  });
  layer.addEventListener("keydown", (event) => {
    const mine = around(event, "[data-event]")?.getAttribute("data-event") ?? "";
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    if (mine && (event.key === "Enter" || event.key === " ")) {
      event.preventDefault();
      open();
    }
    if (step) {
      event.preventDefault();
      const order = [...dots].filter(([, dot]) => !dot.classList.contains("dim")).map(([id]) => id);
      dots.get(order[(order.indexOf(mine) + step + order.length) % order.length])?.focus();
    }
  });

  /** @param {Filter} chosen */
  function filter(chosen) {
    let count = 0;
    let first = null;
    for (const event of evening.events) {
      const yes = matches(event, chosen);
      sure(dots.get(event.id)).classList.toggle("dim", !yes);
      count += yes ? 1 : 0;
      first ??= yes ? event.id : null;
    }
    for (const [id, line] of lines) line.classList.toggle("dim", chosen.guests.size > 0 && !chosen.guests.has(id));
    for (const [id, dot] of dots) dot.setAttribute("tabindex", id === first ? "0" : "-1");
    return count;
  }
  return { group: [back, [...lines.values()], ends, now, ways, layer], bottom, x, inner, filter, stand, point,
    /** @param {string} id */
    reach: (id) => dots.get(id)?.focus() };
}

/** @param {Across} x @param {number} minutes @param {number} height */
function hours(x, minutes, height) {
  const step = minutes > 240 ? 60 : minutes > 100 ? 30 : 15;
  return s("g", { class: "axis" }, Array.from({ length: Math.floor(minutes / step) + 1 }, (_, at) =>
    s("g", { transform: `translate(${x(at * step)} 0)` }, s("line", { y1: 0, y2: height }),
      s("text", { y: height + 15, "text-anchor": at ? "middle" : "start" }, clock(at * step)))));
}

/** @param {Api.Audience} audience @param {Across} x @param {number} inner @param {(id: string) => void} choose */
function sceneStrip(audience, x, inner, choose) {
  return audience.scenes.map((scene, at) => {
    const left = x(scene.start);
    const width = Math.max(5,
      (audience.scenes[at + 1] ? x(audience.scenes[at + 1].start) : Math.min(inner, x(scene.end))) - left - 2);
    const label = humanize(scene.type);
    return s("g", {
      class: `scene scene-${scene.type}`, transform: `translate(${left} 0)`, onclick: () => choose(scene.events[0]),
    },
      s("rect", { width, height: SCENES - 5, rx: 4 }),
      width > label.length * 7 ? s("text", { x: 7, y: 13.5 }, label) : null,
      s("title", {}, [`${capitalize(label)} in ${humanize(scene.room)}`, `${clock(scene.start)} to ${clock(scene.end)}`,
        many(scene.events.length, "event"), scene.theme && humanize(scene.theme)].filter(Boolean).join(", ")));
  });
}

/** An integer of the address; null where it is not one.
 * @param {string | null} text
 */
const number = (text) => (text === null || !Number.isInteger(Number(text)) ? null : Number(text));

/** @param {Api.EventShape} event @param {Evening} evening */
function detail(event, evening) {
  const people = new Map(evening.people.map((person) => [person.id, person]));
  /** @param {string} id */
  const name = (id) => people.get(id)?.short ?? id;
  /** @param {string[]} ids */
  const eventTexts = (ids) => ids.map((id) => evening.events.find((one) => one.id === id))
    .filter((one) => one !== undefined)
    .map((one) => h("li", {}, h("span", { class: "soft number" }, `${clock(one.minutes)} `), one.text));
  const person = people.get(event.source);
  const learned = event.changes.filter((one) => one.kind === "belief");
  return h("div", { class: "event-detail" },
    h("div", { class: "row" }, person ? h("span", { class: "chip" }, mark(person), person.short) : null,
      h("span", { class: `chip ${hue(person?.number ?? 0)}` }, glyphMark(event.type), humanize(event.type)),
      h("span", { class: "soft number" }, `${clock(event.minutes)}, tick ${event.tick}`),
      event.secret ? h("span", { class: "chip accent" }, secretName({ id: event.secret })) : null,
      h("span", { class: "grow" }),
      h("a", { href: path("stage", { run: evening.id, tick: event.tick, agent: event.source }) }, "Stage"),
      h("a", { href: path("decision", { run: evening.id, tick: event.tick, agent: event.source }) }, "Why?")),
    h("p", { class: "told" }, event.text),
    learned.length
      ? h("p", { class: "small" }, "Learned by ",
        learned.map((one) => `${name(one.agent)} (${secretName({ id: one.key })})`).join(", "), ".") : null,
    h("div", { class: "links" },
      h("div", {}, h("h3", {}, event.causes.length ? "Because" : "No recorded cause"),
        h("ul", {}, eventTexts(event.causes))),
      h("div", {}, h("h3", {}, event.effects.length ? "Led to" : "No recorded effect"),
        h("ul", {}, eventTexts(event.effects.slice(0, 5))))));
}

/** @param {Evening} evening @param {(filter: Filter) => void} change */
function filters(evening, change) {
  const filter = { guests: new Set(), types: new Set(), secret: "" };
  /** @param {Set<string>} set @param {string} value @param {Element} button */
  const toggle = (set, value, button) => {
    if (set.has(value)) set.delete(value);
    else set.add(value);
    button.setAttribute("aria-pressed", String(set.has(value)));
    change(filter);
  };
  /** @param {Set<string>} set @param {string} value @param {Child} picture @param {string} text */
  const chip = (set, value, picture, text) =>
    h("button", {
      type: "button", class: "chip", "aria-pressed": "false", "data-filter": value,
      onclick: (event) => toggle(set, value, event.currentTarget),
    }, picture, text);
  const counts = evening.summary.counts ?? {};
  const secret = h("select", {
    "aria-label": "Secret", onchange: () => { filter.secret = secret.value; change(filter); },
  },
    h("option", { value: "" }, "any secret"),
    evening.secrets.map((one) => h("option", { value: one.id }, secretName(one))));
  return h("div", { class: "filters", role: "group", "aria-label": "Filters" },
    h("div", { class: "chips" },
      evening.people.map((person) => chip(filter.guests, person.id, mark(person), person.short))),
    h("div", { class: "chips" },
      evening.types.filter((type) => counts[type] !== 0)
      .map((type) => chip(filter.types, type, glyphMark(type), humanize(type)))),
    secret);
}

/** @param {Api.Audience} audience @param {Evening} evening */
function stories(audience, evening) {
  const people = new Map(evening.people.map((person) => [person.id, person]));
  if (!audience.arcs.length) return h("p", { class: "soft" }, "Nobody\u2019s evening makes a story yet.");
  return h("ol", { class: "stories" }, audience.arcs.slice(0, 4).map((arc) => {
    const person = people.get(arc.protagonist);
    const turn = arc.beats.find((beat) => beat.part === "turning_point");
    const event = evening.events.find((one) => one.id === turn?.event);
    return h("li", {}, h("span", { class: "chip" }, person ? mark(person) : null, person?.short ?? arc.protagonist),
      h("span", { class: "told" }, event?.text ?? ""),
      h("span", { class: "soft small number" }, `${many(arc.beats.length, "beat")}, score ${short(arc.score, 2)}`));
  }));
}

/** @param {HTMLElement} holder @param {Context} context */
export async function show(holder, context) {
  const run = await currentRun(context);
  if (!run) return nothingYet(holder, context);
  const evening = await context.source.evening(run);
  if (evening.ticks.length < 2) {
    return holder.replaceChildren(h("div", { class: "panel empty" }, h("h1", {}, "The evening has just begun"),
      h("a", { href: path("stage", { run }) }, "Watch it on the stage")));
  }
  let genre = context.params.get("genre") ?? "default";
  let audience = await context.source.audience(run, genre);
  /** @type {string | null} */
  let highlight = null;
  const about = h("div", { "aria-live": "polite" },
    h("p", { class: "soft" }, "Point at an event, or step through them with the arrow keys: ",
      "its causes are drawn from the left, its effects to the right."));
  const here = { run: evening.id, tick: number(context.params.get("tick")), agent: context.params.get("agent") };
  function note() {
    weave.stand(here.tick, here.agent);
    context.note({ ...here, genre: genre === "default" ? null : genre });
  }
  const weave = weaving(evening, {
    look: (event) => about.replaceChildren(detail(event, evening)),
    stop: (event) => {
      Object.assign(here, { tick: event.tick, agent: event.source });
      note();
    },
    open: () => {
      about.scrollIntoView({ block: "nearest" });
      about.querySelector("a")?.focus({ preventScroll: true });
    },
  });
  const count = h("span", { class: "soft small", role: "status" });
  const head = SCENES + 6;
  const below = head + weave.bottom + 10;
  const scenes = s("g", { role: "img", "aria-label": "Scenes" });
  const curve = s("g", { transform: `translate(${LEFT} ${below})` });
  const chips = h("div");
  const minutes = sure(evening.minutes.at(-1)) - evening.minutes[0];
  const picture = s("svg", {
    class: "weave", viewBox: `0 0 ${WIDTH} ${below + TENSION_HEIGHT + 4}`, role: "group",
    "aria-label": `${evening.scenario.name}: where everybody was, and what happened`,
  },
    s("g", { transform: `translate(${LEFT} 0)` }, scenes),
    s("text", { class: "band-name", x: LEFT - 12, y: 14, "text-anchor": "end" }, "Scenes"),
    s("g", { transform: `translate(${LEFT} ${head})` }, hours(weave.x, minutes, weave.bottom + TENSION_HEIGHT - 10)),
    s("g", { transform: `translate(${LEFT} ${head})` }, weave.group),
    s("text", { class: "band-name", x: LEFT - 46, y: below + TENSION_HEIGHT / 2, "text-anchor": "end" }, "Tension"),
    curve);

  function draw() {
    scenes.replaceChildren(...sceneStrip(audience, weave.x, weave.inner, weave.reach));
    curve.replaceChildren(tension(audience, weave.x, weave.inner, highlight));
    chips.replaceChildren(componentChips(audience, highlight, (name) => {
      highlight = name;
      draw();
      /** @type {HTMLElement | null} */
      const pressed = chips.querySelector("[aria-pressed=true]");
      pressed?.focus();
    }));
    story.replaceChildren(stories(audience, evening));
  }
  const story = h("div");
  const wrong = h("div");
  const presets = segments("Genre", Object.keys(audience.genres).map((name) => [name, name]), genre,
    showRefusal(wrong, async (name) => {
      genre = name;
      const found = await context.source.audience(run, name);
      if (genre !== name) return;
      audience = found;
      note();
      draw();
    }));
  /** @param {Filter} filter */
  const applyFilter = (filter) => {
    const left = weave.filter(filter);
    count.textContent = left === evening.events.length ? many(left, "event")
      : `${left} of ${many(evening.events.length, "event")}`;
  };
  draw();
  applyFilter({ guests: new Set(), types: new Set(), secret: "" });
  holder.replaceChildren(
    h("div", { class: "head" }, h("div", { class: "grow" }, h("h1", {}, evening.scenario.name, " in threads"),
      h("p", { class: "sub" }, `Seed ${evening.seed}, ${short(minutes, 0)} minutes, `,
        evening.ending ? humanize(evening.ending.kind) : "no ending")),
    context.source.canAsk ? runPicker(context, evening.id, (other) => context.go("threads", { run: other })) : null),
    h("section", { class: "panel threads-panel", "aria-label": "Threads" },
      h("div", { class: "panel-head" }, filters(evening, applyFilter), h("span", { class: "grow" }), count),
      scrolling("Threads, as a picture", picture, "weave-holder"),
      h("div", { class: "row tension-controls" }, presets, chips), wrong),
    h("div", { class: "threads-below" },
      h("section", { class: "panel", "aria-label": "The event" }, h("h2", {}, "The event"), about),
      h("section", { class: "panel", "aria-label": "Whose story" }, h("h2", {}, "Whose story it is"), story)));
  const first = evening.events.find((event) => event.tick === here.tick
    && (here.agent === null || event.source === here.agent));
  if (first) weave.point(first.id);
  note();
  pageKeys({ s: ["see it on the stage", () => context.go("stage", {})] });
}
