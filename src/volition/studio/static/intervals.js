// Shares and means with their intervals, distributions and heat maps, as simple drawings.

import { h, s, scrolling } from "./dom.js";
import { hue } from "./palette.js";
import { short } from "./words.js";

/** @typedef {import("./dom.js").Child} Child */
/** @typedef {[string, Child, number | null, (Api.Interval | undefined)[]]} Row */

const WIDTH = 300;

/** Bars with whiskers: [[label, mark or null, hue number or null, [interval, ...one for each group]], ...].
 * @param {Row[]} rows
 * @param {string[]} groups
 * @param {(value: number) => string} [unit]
 */
export function whiskers(rows, groups, unit = (value) => short(value, 2)) {
  const most = Math.max(1e-9, ...rows.flatMap(([, , , all]) => all.map((one) => one?.high ?? one?.value ?? 0)));
  /** @param {number} value */
  const x = (value) => (value / most) * WIDTH;
  return h("ul", { class: "whiskers" }, rows.map(([label, mark, number, all]) => h("li", {},
    h("span", { class: "who" }, mark, label),
    h("div", { class: "stack whisker-stack" }, all.map((one, group) => h("div", { class: "whisker" },
      s("svg", { viewBox: `-2 0 ${WIDTH + 4} 14`, preserveAspectRatio: "none", "aria-hidden": "true" },
        one?.value === null || !one ? null : [
          s("rect", {
            class: `fill share ${number === null ? hue(group) : hue(number)} ${group ? "second" : ""}`, y: 2,
            height: 10, width: Math.max(0.5, x(one.value)),
          }),
          one.low === null || one.high === null ? null
            : s("line", { class: "whisk", x1: x(one.low), x2: x(one.high), y1: 7, y2: 7 })]),
      h("span", { class: "number small" }, one && one.value !== null ? unit(one.value) : "none",
        h("span", { class: "soft" }, one && one.low !== null && one.high !== null
          ? ` ${unit(one.low)} to ${unit(one.high)}` : ""),
        groups.length > 1 ? h("span", { class: "unseen" }, ` for ${groups[group]}`) : null)))))));
}

/** How often each range of values occurs, for one or two groups.
 * @param {[string, number[]][]} groups
 * @param {string} name
 */
export function distribution(groups, name) {
  const all = groups.flatMap(([, values]) => values);
  if (!all.length) return h("p", { class: "soft" }, "No evening has this value.");
  const [low, high] = [Math.min(...all), Math.max(...all)];
  const whole = all.every(Number.isInteger);
  const count = Math.max(1, Math.min(20, whole ? high - low + 1 : Math.ceil(Math.sqrt(all.length)) + 3));
  const step = (high - low) / count || 1;
  const bins = groups.map(([, values]) => {
    const found = Array(count).fill(0);
    for (const value of values) found[Math.min(count - 1, Math.floor((value - low) / step))] += 1 / values.length;
    return found;
  });
  const most = Math.max(...bins.flat());
  const [wide, tall] = [560, 150];
  const each = wide / count;
  return s("svg", {
    class: "distribution", viewBox: `0 -6 ${wide} ${tall + 30}`, role: "img",
    "aria-label": `Distribution of ${name} from ${short(low)} to ${short(high)}`,
  },
    bins.map((found, group) => found.map((share, at) => s("rect", {
      class: `fill share ${hue(group)} ${group ? "second" : ""}`, x: at * each + 1 + (group * (each - 2)) / bins.length,
      width: (each - 2) / bins.length, y: tall - (share / most) * tall, height: (share / most) * tall,
    }, s("title", {}, `${short(low + at * step)} to ${short(low + (at + 1) * step)}: ${short(share * 100, 1)} %`)))),
    s("g", { class: "axis" }, s("path", { d: `M0 ${tall}H${wide}` }), s("text", { x: 0, y: tall + 17 }, short(low)),
      s("text", { x: wide, y: tall + 17, "text-anchor": "end" }, short(high))));
}

/** A table whose cells are as dark as their values are high; every cell holds its number.
 * @param {string} caption
 * @param {string[]} columns
 * @param {[string, (number | null)[]][]} rows
 */
export function heat(caption, columns, rows) {
  const values = rows.flatMap(([, cells]) => cells).filter((one) => one !== null);
  const [low, high] = [Math.min(...values), Math.max(...values)];
  /** @param {number | null} value */
  const level = (value) => (value === null ? 0 : Math.round(((value - low) / (high - low || 1)) * 5));
  return scrolling(caption, h("table", { class: "heat small" }, h("caption", { class: "unseen" }, caption),
    h("thead", {}, h("tr", {}, h("td", {}), columns.map((text) => h("th", { scope: "col" }, text)))),
    h("tbody", {}, rows.map(([label, cells]) => h("tr", {}, h("th", { scope: "row" }, label),
      cells.map((value) =>
        h("td", { class: `number level-${level(value)}` }, value === null ? "" : short(value, 2))))))));
}
