// Findings about the evenings of an ensemble: what the doctor says of them, and how two settings differ.

import { h, table } from "./dom.js";
import { capitalize, cut, humanize, many, short } from "./words.js";

const LONGEST = 90; // letters of a value that is not a number, such as a whole event

/** @param {unknown} value */
function format(value) {
  if (typeof value === "number" || value === null) return short(value);
  return cut(typeof value === "string" ? value : JSON.stringify(value), LONGEST);
}

/** A number or a range with its unit.
 * @param {string} text
 * @param {string} unit
 */
const measured = (text, unit) => `${text} ${unit === "tick" && text !== "1" ? "ticks" : unit}`;

/** What the doctor found, with what to change.
 * @param {Api.DoctorFindings} found
 */
export function findings(found) {
  return h("div", { class: "stack" },
    h("p", {}, h("span", { class: `chip ${found.healthy ? "good" : "warn"}` },
      found.healthy ? "\u2713 healthy" : many(found.symptoms.length, "symptom"))),
    found.symptoms.map((one) => h("div", { class: "symptom" }, h("h3", {}, capitalize(one.name)),
      h("ul", { class: "small" }, one.evidence.map((each) =>
        h("li", {}, `${each.what}: `, h("strong", { class: "number" }, measured(short(each.value, 2), each.unit))))),
      one.settings.length ? h("p", { class: "small" }, h("span", { class: "soft" }, "Try "), one.settings.map((each) =>
        h("code", { class: "setting" }, `${each.path} ${format(each.now)} \u2192 ${format(each.to)}`))) : null)),
    table("What evenings should be like", ["State", "Target", "Actual", "Expected"],
      h("tbody", {}, found.targets.map((target) => h("tr", {},
        h("td", {}, h("span", { class: `chip ${target.holds ? "good" : "bad"}` },
          target.holds ? "\u2713 holds" : "\u2715 fails")),
        h("td", { class: "whole" }, target.name,
          target.detail ? h("span", { class: "soft" }, ` (${target.detail})`) : null),
        h("td", { class: "number", "data-name": "actual" }, measured(short(target.value, 1), target.unit)),
        h("td", { class: "number", "data-name": "expected" }, measured(target.bar, target.unit))))),
      { look: "small cards" }));
}

/** Every mean of two groups side by side; the server lists those whose intervals do not overlap first.
 * @param {Api.PointComparison} found
 * @param {(column: string) => string} meaning
 */
export function differences({ pairs }, meaning) {
  const apart = pairs.filter((pair) => pair.apart).length;
  /** @param {Api.Interval} all @param {number} digits */
  const value = (all, digits) => short(all.value, digits)
    + (all.low === null ? "" : ` (${short(all.low, digits)} to ${short(all.high, digits)})`);
  /** Both with as many digits as it takes to see a difference, where there is one.
   * @param {Api.Pair} pair
   */
  const both = ({ first, second, apart: differ }) => {
    let digits = 2;
    while (differ && digits < 12 && value(first, digits) === value(second, digits)) digits += 1;
    return [value(first, digits), value(second, digits)];
  };
  return h("div", {},
    h("p", { class: "small soft" }, apart
      ? `${many(apart, "number")} of ${pairs.length} differ by more than their intervals.`
      : "No difference is larger than its interval."),
    table("Two settings compared", ["Number", "First", "Second"],
      h("tbody", {}, pairs.slice(0, Math.max(8, Math.min(14, apart))).map((pair) => h("tr", {},
        h("th", { scope: "row" }, h("span", { class: "measure" }, humanize(pair.name)),
          h("span", { class: "meaning soft" }, meaning(pair.name))),
        both(pair).map((text, place) =>
          h("td", { class: "number", "data-name": ["first", "second"][place] }, text))))), { look: "small cards" }));
}
