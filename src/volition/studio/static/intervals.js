// Shares and means with their intervals, distributions, and heat maps. A bar or a cell opens what is behind it.

import { h, s, scrolling } from "./dom.js";
import { hue } from "./palette.js";
import { short } from "./words.js";

/** @typedef {import("./dom.js").Child} Child */
/** A row of bars: its label, a mark or null, the number of a hue or null, an interval for each group, and what opens
 * the evenings of a group.
 * @typedef {[string, Child, number | null, (Api.Interval | undefined)[], (group: number) => unknown]} Row
 */
/** Values from a low end to below a high end. @typedef {[number, number]} Range */
/** A value of a setting. @typedef {Api.Cell["at"][number]} Setting */

const WIDTH = 300;
const BINS = 10; // each is wide enough for a finger, also on a narrow page

/** Bars with whiskers.
 * @param {Row[]} rows
 * @param {string[]} groups
 * @param {(value: number) => string} [unit]
 */
export function whiskers(rows, groups, unit = (value) => short(value, 2)) {
  const most = Math.max(1e-9, ...rows.flatMap(([, , , all]) => all.map((one) => one?.high ?? one?.value ?? 0)));
  /** @param {number} value */
  const x = (value) => (value / most) * WIDTH;
  /** @param {Api.Interval | undefined} one @param {number} group @param {number | null} number */
  const bar = (one, group, number) => s("svg", {
    viewBox: `-2 0 ${WIDTH + 4} 14`, preserveAspectRatio: "none", "aria-hidden": "true",
  },
  one?.value === null || !one ? null : [
    s("rect", {
      class: `fill share ${number === null ? hue(group) : hue(number)} ${group ? "second" : ""}`, y: 2,
      height: 10, width: Math.max(0.5, x(one.value)),
    }),
    one.low === null || one.high === null ? null
      : s("line", { class: "whisk", x1: x(one.low), x2: x(one.high), y1: 7, y2: 7 })]);
  /** @param {number} group */
  const of = (group) => (groups.length > 1 ? ` for ${groups[group]}` : "");
  return h("ul", { class: "whiskers" }, rows.map(([label, mark, number, all, open]) => h("li", {},
    h("span", { class: "who" }, mark, label),
    h("div", { class: "stack whisker-stack" }, all.map((one, group) => h("div", { class: "whisker" },
      one?.value ? h("button", {
        type: "button", class: "bar-button", "aria-label": `Evenings: ${label}${of(group)}`, onclick: () => open(group),
      }, bar(one, group, number)) : bar(one, group, number),
      h("span", { class: "number small" }, one && one.value !== null ? unit(one.value) : "none",
        h("span", { class: "soft" }, one && one.low !== null && one.high !== null
          ? ` ${unit(one.low)} to ${unit(one.high)}` : ""),
        groups.length > 1 ? h("span", { class: "unseen" }, of(group)) : null)))))));
}

/** The ranges that values fall into; the last one has its high end.
 * @param {number[]} all
 * @returns {Range[]}
 */
function ranges(all) {
  const [low, high] = [Math.min(...all), Math.max(...all)];
  const whole = all.every(Number.isInteger);
  if (whole && high - low < BINS) return Array.from({ length: high - low + 1 }, (_, at) => [low + at, low + at + 1]);
  const step = (high - low) / BINS;
  return Array.from({ length: BINS }, (_, at) => [low + at * step, at === BINS - 1 ? high : low + (at + 1) * step]);
}

/** How often each range of values occurs, for one or two groups; `open(low, high, last)` shows the evenings of a range.
 * @param {[string, number[]][]} groups
 * @param {string} name
 * @param {(low: number, high: number, last: boolean) => unknown} open
 */
export function distribution(groups, name, open) {
  const all = groups.flatMap(([, values]) => values);
  if (!all.length) return h("p", { class: "soft" }, "No evening has this value.");
  const bins = ranges(all);
  /** @param {number} value */
  const place = (value) => Math.max(0, bins.findLastIndex(([low]) => value >= low));
  const shares = groups.map(([, values]) => {
    /** @type {number[]} */
    const found = Array(bins.length).fill(0);
    for (const value of values) found[place(value)] += 1 / values.length;
    return found;
  });
  const most = Math.max(...shares.flat());
  const [wide, tall] = [560, 150];
  const each = wide / bins.length;
  const single = bins.every(([low, high]) => high - low === 1);
  /** @param {Range} range */
  const words = ([low, high]) => (single ? short(low) : `${short(low)} to ${short(high)}`);
  /** @param {Range} range @param {number} at */
  const bin = (range, at) => {
    const said = groups.map(([text], group) =>
      `${short(shares[group][at] * 100, 1)} %${groups.length > 1 ? ` of ${text}` : ""}`).join(", ");
    const act = () => open(range[0], range[1], at === bins.length - 1 && !single);
    return s("g", {
      class: "bin", role: "button", tabindex: 0, "aria-label": `Evenings: ${name} ${words(range)}, ${said}`,
      onclick: act,
      onkeydown: (event) => {
        if (event.key !== "Enter" && event.key !== " ") return;
        event.preventDefault();
        act();
      },
    }, s("rect", { class: "bin-place", x: at * each, width: each, y: 0, height: tall }),
    shares.map((found, group) => s("rect", {
      class: `fill share ${hue(group)} ${group ? "second" : ""}`,
      x: at * each + 1 + (group * (each - 2)) / shares.length, width: (each - 2) / shares.length,
      y: tall - (found[at] / most) * tall, height: (found[at] / most) * tall,
    })), s("title", {}, `${words(range)}: ${said}`));
  };
  const [low, high] = [bins[0][0], bins[bins.length - 1][single ? 0 : 1]];
  return s("svg", {
    class: "distribution", viewBox: `0 -6 ${wide} ${tall + 30}`, role: "group",
    "aria-label": `Distribution of ${name} from ${short(low)} to ${short(high)}`,
  },
  bins.map(bin),
  s("g", { class: "axis", "aria-hidden": "true" }, s("path", { d: `M0 ${tall}H${wide}` }),
    s("text", { x: 0, y: tall + 17 }, short(low)),
    s("text", { x: wide, y: tall + 17, "text-anchor": "end" }, short(high))));
}

/** The level of each of some values, 0 to 5.
 * @param {(number | null)[]} values
 * @returns {(value: number | null) => number}
 */
export function levels(values) {
  const known = values.filter((one) => one !== null);
  const [low, high] = [Math.min(...known), Math.max(...known)];
  return (value) => (value === null ? 0 : Math.round(((value - low) / (high - low || 1)) * 5));
}

/** A table whose cells are as dark as their values are high; every cell holds its number, and `open(row, column)`
 * shows its evenings.
 * @param {string} caption
 * @param {string[]} columns
 * @param {[string, (number | null)[]][]} rows
 * @param {(row: number, column: number) => unknown} open
 * @param {number} [digits]
 */
export function heat(caption, columns, rows, open, digits = 2) {
  const level = levels(rows.flatMap(([, cells]) => cells));
  return scrolling(caption, h("table", { class: "heat small" }, h("caption", { class: "unseen" }, caption),
    h("thead", {}, h("tr", {}, h("td", {}), columns.map((text) => h("th", { scope: "col" }, text)))),
    h("tbody", {}, rows.map(([label, cells], row) => h("tr", {}, h("th", { scope: "row" }, label),
      cells.map((value, column) => h("td", { class: `number level-${level(value)}` }, value === null ? ""
        : h("button", {
          type: "button", class: "cell-button",
          "aria-label": `${short(value, digits)}, evenings: ${columns[column]}, ${label}`,
          onclick: () => open(row, column),
        }, short(value, digits)))))))));
}
