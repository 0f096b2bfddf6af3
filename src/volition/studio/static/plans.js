// How pages name plans: by title, and by a letter that is used on every drawing and in every list.

import { h } from "./dom.js";
import { mark } from "./palette.js";
import { humanize } from "./words.js";

/** @typedef {{ id: string, title: string, number: number, letter: string, short: string }} Plan */

const LETTERS = 26;
const natural = new Intl.Collator("en", { numeric: true });

/** A, B, ... Z, AA, AB, ...: letters, because titles contain numbers.
 * @param {number} number
 * @returns {string}
 */
const letter = (number) => (number < LETTERS ? "" : letter(Math.floor(number / LETTERS) - 1))
  + String.fromCharCode(65 + (number % LETTERS));

const OTHER_WAY = /[\u0590-\u08ff\u200e\u200f\u202a-\u202e\u2066-\u2069\ufb1d-\ufdff\ufe70-\ufefc]/;
/** A title that cannot change the direction of the sentence around it: without what overrides it, and isolated where
 * it runs from right to left.
 * @param {string | undefined} title
 */
const isolate = (title) =>
  (title && OTHER_WAY.test(title) ? `\u2068${title.replace(/[\u202a-\u202e\u2066-\u2069]/g, "")}\u2069` : title);

/** Plans by their ids and titles, in natural order: "part 2" before "part 10". */
export class Plans {
  #byId;
  #ids;

  /** @param {string[]} ids @param {Record<string, string>} titles */
  constructor(ids, titles) {
    const named = ids.map((id) => ({ id, title: isolate(titles[id]) || humanize(id.replace(/^intent_/, "")) }));
    const often = new Map();
    for (const { title } of named) often.set(title, (often.get(title) ?? 0) + 1);
    const all = named.map((one) => ({ ...one,
      title: often.get(one.title) > 1 ? `${one.title} (${one.id})` : one.title }))
      .sort((a, b) => natural.compare(a.title, b.title))
      .map((one, number) => ({ ...one, number, letter: letter(number), short: one.title }));
    this.#byId = new Map(all.map((one) => [one.id, one]));
    const longest = [...this.#byId.keys()].sort((a, b) => b.length - a.length)
      .map((id) => id.replace(/[^\w]/g, "\\$&"));
    this.#ids = longest.length ? new RegExp(`(?<!\\w)(${longest.join("|")})(?!\\w)`, "g") : null;
  }

  get all() {
    return [...this.#byId.values()];
  }

  /** The plan of an id; an unknown one is named by its id.
   * @param {string} id
   * @returns {Plan}
   */
  of(id) {
    return this.#byId.get(id) ?? { id, title: id, number: 0, letter: "?", short: id };
  }

  /** Ids in the order of their plans.
   * @param {string[]} ids
   */
  sorted(ids) {
    return [...ids].sort((a, b) => this.of(a).number - this.of(b).number);
  }

  /** A sentence with titles in place of ids.
   * @param {string} text
   */
  say(text) {
    return this.#ids ? text.replace(this.#ids, (id) => `\u201c${this.of(id).title}\u201d`) : text;
  }

  /** A plan as a mark and its title.
   * @param {string} id
   */
  tag(id) {
    const plan = this.of(id);
    return h("span", { class: "who", title: id }, mark(plan),
      h("span", { class: "plan-title", dir: "auto" }, plan.title));
  }
}
