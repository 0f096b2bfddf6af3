// The evening as a line under the plan: its tension, and a slider over it.

import { h, put, s } from "./dom.js";
import { clock } from "./words.js";

/** @typedef {import("./player.js").Player} Player */
/** What a line covers: the first and last place, and the minutes of each.
 * @typedef {{ first: number, last: number, minutes: number[] }} Span
 */

/** How tense a moment of a tick is. @typedef {Pick<Api.MomentShape, "tick" | "tension">} Tense */

const WIDTH = 1000;
const HEIGHT = 40;

/** @param {Span} evening @param {number} place */
const x = (evening, place) => ((place - evening.first) / Math.max(1, evening.last - evening.first)) * WIDTH;

/** `parted` is a tick to mark: where another evening parts from this one.
 * @param {Span} evening
 * @param {Player} player
 * @param {number | null} [parted]
 */
export function scrubber(evening, player, parted = null) {
  const area = s("path", { class: "tension-area" });
  const line = s("path", { class: "tension-line" });
  const second = s("path", { class: "tension-line second" });
  const part = parted === null ? null
    : s("line", { class: "parting", x1: x(evening, parted), x2: x(evening, parted), y1: 0, y2: HEIGHT });
  const playhead = s("line", { class: "playhead", y1: 0, y2: HEIGHT });
  const slider = h("input", {
    type: "range", class: "scrub", min: evening.first, max: evening.last, step: 1, "aria-label": "Place in the evening",
    oninput: () => {
      player.pause();
      player.go(Number(slider.value));
    },
  });
  const picture = s("svg", {
    class: "scrub-line", viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: "none", "aria-hidden": "true",
  }, area, line, second, part, playhead);

  /** Draw the tension of an evening, and of `others`, the evening beside it, if there is one; both to one scale.
   * @param {Tense[]} moments
   * @param {Tense[]} [others]
   */
  function draw(moments, others = []) {
    slider.max = String(evening.last);
    const most = Math.max(0.3, ...[...moments, ...others].map((one) => one.tension));
    /** The tensest moment of each tick as points. @param {Tense[]} all */
    const points = (all) => {
      const steps = new Map();
      for (const one of all) steps.set(one.tick, Math.max(steps.get(one.tick) ?? 0, one.tension));
      return [...steps].map(([tick, value]) =>
        `${x(evening, tick).toFixed(1)} ${(HEIGHT - 1 - (value / most) * (HEIGHT - 4)).toFixed(1)}`).join("L");
    };
    if (moments.length > 1) {
      const end = x(evening, moments[moments.length - 1].tick).toFixed(1);
      line.setAttribute("d", `M${points(moments)}`);
      area.setAttribute("d", `M0 ${HEIGHT}L${points(moments)}L${end} ${HEIGHT}Z`);
    }
    if (others.length > 1) second.setAttribute("d", `M${points(others)}`);
  }

  /** @param {number} place */
  function show(place) {
    put(playhead, "x1", x(evening, place));
    put(playhead, "x2", x(evening, place));
    if (Number(slider.value) !== place) slider.value = String(place);
    put(slider, "aria-valuetext", `tick ${place}, ${clock(evening.minutes[place - evening.first] ?? 0)}`);
  }

  return { element: h("div", { class: "scrubber" }, picture, slider), draw, show };
}
