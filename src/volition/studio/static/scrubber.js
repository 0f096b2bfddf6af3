// The evening as a line under the plan: tension, dramatic events, and a slider over it.

import { h, put, s } from "./dom.js";
import { glyph, hue } from "./palette.js";
import { clock } from "./words.js";

const WIDTH = 1000;
const HEIGHT = 40;
const LANES = 3;
const APART = 13; // the least distance of two marks in one lane

const x = (evening, place) => ((place - evening.first) / Math.max(1, evening.last - evening.first)) * WIDTH;

export function scrubber(evening, player) {
  const people = new Map(evening.people.map((person) => [person.id, person.number]));
  const area = s("path", { class: "tension-area" });
  const line = s("path", { class: "tension-line" });
  const marks = s("g", { class: "scrub-marks" });
  const playhead = s("line", { class: "playhead", y1: 0, y2: HEIGHT });
  const slider = h("input", {
    type: "range", class: "scrub", min: evening.first, max: evening.last, step: 1, "aria-label": "Place in the evening",
    oninput: () => {
      player.pause();
      player.go(Number(slider.value));
    },
  });
  const picture = s("svg", { class: "scrub-line", viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: "none", "aria-hidden": "true" }, area, line, playhead);
  const over = s("svg", { class: "scrub-glyphs", "aria-hidden": "true" }, marks);

  function draw(moments) {
    slider.max = evening.last;
    if (moments.length > 1) {
      const most = Math.max(0.3, ...moments.map((one) => one.tension));
      const steps = new Map();
      for (const one of moments) steps.set(one.tick, Math.max(steps.get(one.tick) ?? 0, one.tension));
      const points = [...steps].map(([tick, value]) => `${x(evening, tick).toFixed(1)} ${(HEIGHT - 1 - (value / most) * (HEIGHT - 4)).toFixed(1)}`);
      line.setAttribute("d", `M${points.join("L")}`);
      area.setAttribute("d", `M0 ${HEIGHT}L${points.join("L")}L${x(evening, moments.at(-1).tick).toFixed(1)} ${HEIGHT}Z`);
    }
    const ends = Array(LANES).fill(-APART);
    marks.replaceChildren(...evening.events.filter((event) => event.dramatic).map((event) => {
      const at = x(evening, event.tick);
      const free = ends.findIndex((end) => at - end >= APART * 1.6);
      const lane = free >= 0 ? free : ends.indexOf(Math.min(...ends));
      ends[lane] = at;
      return s("svg", { x: `${(at / WIDTH) * 100}%`, y: 7 + lane * APART, overflow: "visible" },
        s("g", { class: hue(people.get(event.source) ?? 0), transform: "scale(.8)" }, glyph(event.type)));
    }));
  }

  function show(place) {
    put(playhead, "x1", x(evening, place));
    put(playhead, "x2", x(evening, place));
    if (Number(slider.value) !== place) slider.value = place;
    put(slider, "aria-valuetext", `tick ${place}, ${clock(evening.minutes[place - evening.first] ?? 0)}`);
  }

  return { element: h("div", { class: "scrubber" }, picture, over, slider), draw, show };
}
