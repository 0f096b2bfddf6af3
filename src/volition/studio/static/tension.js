// Tension over the evening, as a genre weighs it, and the components that make it.

import { h, s } from "./dom.js";
import { hue } from "./palette.js";
import { clock, humanize, short } from "./words.js";

const HEIGHT = 170;

/** The chart over the same x as the threads. `x(minutes)` places a moment.
 * @param {Api.Audience} audience
 * @param {(minutes: number) => number} x
 * @param {number} width
 * @param {string | null} highlight
 */
export function tension(audience, x, width, highlight) {
  /** @type {Map<number, Api.MomentShape>} */
  const tensest = new Map(); // the tensest moment of each tick: others of the same minute would overlap it
  for (const moment of audience.moments) {
    if ((tensest.get(moment.tick)?.tension ?? -1) < moment.tension) tensest.set(moment.tick, moment);
  }
  const all = [...tensest.values()].map((moment) => ({ at: x(moment.minutes), shares: moment.shares, moment }));
  const most = Math.max(0.2, ...audience.moments.map((moment) => moment.tension));
  /** @param {number} value */
  const y = (value) => HEIGHT - 20 - (value / most) * (HEIGHT - 32);
  const layers = audience.components.map((name, layer) => {
    /** @param {number} count */
    const edge = (count) =>
      all.map((one) => `${one.at.toFixed(1)} ${y(one.shares.slice(0, count).reduce((a, b) => a + b, 0)).toFixed(1)}`);
    return s("path", {
      class: `fill layer ${hue(layer)} ${highlight === null || highlight === name ? "" : "dim"}`,
      "data-component": name,
      d: all.length ? `M${edge(layer + 1).join("L")}L${edge(layer).reverse().join("L")}Z` : "",
    }, s("title", {}, humanize(name)));
  });
  const line = s("path", {
    class: "tension-total",
    d: all.length ? `M${all.map((one) => `${one.at.toFixed(1)} ${y(one.moment.tension).toFixed(1)}`).join("L")}` : "",
  });
  const falls = audience.moments.filter((moment) => moment.collapse !== null).map((moment) =>
    s("g", { class: "collapse", transform: `translate(${x(moment.minutes)} 12)` }, s("path", { d: "M-5-5H5L0 4Z" }),
      s("title", {}, `Irony collapses by ${short(moment.collapse, 2)}`)));
  const marks = [0, most / 2,
    most].map((value) =>
      s("g", {}, s("line", { x1: 0, x2: width, y1: y(value), y2: y(value) }),
        s("text", { x: -8, y: y(value) + 4, "text-anchor": "end" }, short(value, 2))));
  const peak = audience.moments.reduce((best, moment) => (moment.tension > (best?.tension ?? -1) ? moment : best),
    /** @type {Api.MomentShape | null} */ (null));
  return s("g", {
    role: "img",
    "aria-label": peak ? `Tension, ${audience.genre}: highest ${short(peak.tension, 2)} at ${clock(peak.minutes)}`
      : "No tension yet",
  }, s("g", { class: "axis" }, marks), layers, line, falls);
}
export const TENSION_HEIGHT = HEIGHT;

/** The legend of the layers; a component can be highlighted.
 * @param {Api.Audience} audience
 * @param {string | null} highlight
 * @param {(name: string | null) => void} choose
 */
export function componentChips(audience, highlight, choose) {
  const weights = audience.genres[audience.genre];
  return h("div", { class: "chips", role: "group", "aria-label": "Components of tension" },
    audience.components.map((name, at) =>
    h("button", {
      type: "button", class: `chip ${hue(at)}`, "aria-pressed": String(highlight === name),
      onclick: () => choose(highlight === name ? null : name),
    },
      h("span", { class: "swatch", "aria-hidden": "true" }), humanize(name),
      h("span", { class: "soft number" }, `\u00d7${short(weights[name], 1)}`))));
}
