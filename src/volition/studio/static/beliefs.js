// Who knows what: a row for each secret, a column for each guest.

import { h, put, s, scrolling } from "./dom.js";
import { mark } from "./palette.js";
import { BELIEFS, secretName } from "./words.js";

/** @typedef {import("./source.js").Evening} Evening */
/** @typedef {{ cell: HTMLElement, word: HTMLElement, shown: string | null, person: Api.PersonShape,
 *   secret: Api.Secret }} Cell
 */

/** @type {Record<string, () => SVGElement>} */
const SIGNS = {
  unknown: () => s("circle", { r: 2 }),
  suspects: () => s("g", {}, s("circle", { r: 6.5 }), s("path", { d: "M0-6.500A6.500 6.500 0 0 1 0 6.500Z" })),
  believes_true: () => s("circle", { r: 7 }),
  believes_false: () => s("path", { d: "M-5.500-5.500L5.500 5.500M5.500-5.500L-5.500 5.500" }),
};

/** @param {string} belief */
const sign = (belief) =>
  s("svg", { class: `belief belief-${belief}`, viewBox: "-9 -9 18 18", "aria-hidden": "true" }, SIGNS[belief]());

/** The matrix; `show(tick, before)` marks what has just changed.
 * @param {Evening} evening
 */
export function beliefs(evening) {
  /** @type {Map<string, Cell>} */
  const cells = new Map();
  const rows = evening.secrets.map((secret) => h("tr", {},
    h("th", { scope: "row", title: secret.description }, h("span", { class: "secret-name" }, secretName(secret)),
      h("span", { class: "secret-about" }, secret.description)),
    evening.people.map((person) => {
      const signs = Object.fromEntries(Object.keys(BELIEFS).map((belief) => [belief, sign(belief)]));
      const word = h("span", { class: "unseen" });
      const cell = h("td", { class: secret.holders.includes(person.id) ? "holder" : "" }, Object.values(signs), word);
      cells.set(`${person.id}/${secret.id}`, { cell, word, shown: null, person, secret });
      return cell;
    })));
  const legend = h("p", { class: "legend small" },
    Object.entries(BELIEFS).map(([belief, text]) => h("span", {}, sign(belief), text)),
    h("span", {}, h("span", { class: "holder-sample", "aria-hidden": "true" }), "holds the secret"));
  const element = h("div", {}, scrolling("Who knows which secret, as a table",
    h("table", { class: "beliefs" },
      h("caption", { class: "unseen" }, "Who knows which secret"),
      h("thead", {}, h("tr", {}, h("td", {}), evening.people.map((person) =>
        h("th", { scope: "col" }, mark(person), h("span", {}, person.short))))),
      h("tbody", {}, rows))), legend);

  /** @param {Api.TickShape} tick @param {Api.TickShape | undefined} before */
  function show(tick, before) {
    for (const [key, entry] of cells) {
      const [who, secret] = key.split("/");
      const belief = tick.beliefs[who][secret] ?? "unknown";
      const fresh = before ? (before.beliefs[who][secret] ?? "unknown") !== belief : false;
      entry.cell.classList.toggle("fresh", fresh);
      if (belief === entry.shown) continue;
      entry.shown = belief;
      put(entry.cell, "data-belief", belief);
      put(entry.cell, "title", `${entry.person.short} ${BELIEFS[belief]}: ${entry.secret.description}`);
      entry.word.textContent = BELIEFS[belief];
    }
  }
  return { element, show };
}
