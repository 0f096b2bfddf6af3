// A forked evening compared with its original.

import { h, sure } from "./dom.js";
import { mark } from "./palette.js";
import { path } from "./place.js";
import { BELIEFS, many, humanize, secretName, short } from "./words.js";

/** @typedef {import("./dom.js").Child} Child */
/** @typedef {import("./source.js").Evening} Evening */

const MOST = 8;

/** @param {Child} here @param {Child} there */
function pair(here, there) {
  return [h("span", { class: "was" }, here), h("span", { class: "soft" }, " \u2192 "), h("strong", {}, there)];
}

/** @param {string} title @param {Child[]} rows */
function list(title, rows) {
  if (!rows.length) return null;
  return h("div", {}, h("h3", {}, title),
    h("ul", { class: "changes" }, rows.slice(0, MOST).map((row) => h("li", {}, row)),
      rows.length > MOST ? h("li", { class: "soft" }, `and ${rows.length - MOST} more`) : null));
}

/** The differences of another evening from this one.
 * @param {Api.ComparisonShape} found
 * @param {Evening} evening
 */
export function differences(found, evening) {
  const people = new Map(evening.people.map((one) => [one.id, one]));
  const secrets = new Map(evening.secrets.map((one) => [one.id, one]));
  /** @param {string} id */
  const who = (id) =>
    h("span", { class: "who" }, people.has(id) ? mark(sure(people.get(id))) : null, people.get(id)?.short ?? id);
  /** @param {string} id @param {string | null} act */
  const words = (id, act) => (act ? found.words[id]?.[act] ?? act : "nothing");
  /** @param {string} secret */
  const about = (secret) => (secrets.has(secret) ? `\u201c${secretName(sure(secrets.get(secret)))}\u201d` : secret);
  /** @param {Api.EndingShape | null} one */
  const ending = (one) => (one ? `${humanize(one.kind)}, tick ${one.tick}` : "no ending");
  /** @param {string[]} ids */
  const names = (ids) => ids.map((id) => people.get(id)?.short ?? id).join(", ") || "nobody";
  return h("div", { class: "comparison" },
    h("p", {}, found.parted === null ? "Nothing changed: the evening goes on as it was."
      : `The evenings part at tick ${found.parted}.`),
    h("dl", { class: "facts" },
      h("dt", {}, "Ending"), h("dd", {}, pair(ending(found.endings[0]), ending(found.endings[1]))),
      h("dt", {}, "Events"), h("dd", {}, pair(found.events[0], found.events[1])),
      h("dt", {}, "Broke down"), h("dd", {}, pair(names(found.broke[0]), names(found.broke[1])))),
    list("First choices that differ", found.choices.map(([tick, id, here, there]) =>
      [who(id), ` at ${tick}: `, ...pair(words(id, here), words(id, there))])),
    list("Beliefs that differ", found.beliefs.map(([id, secret, here, there]) =>
      [who(id), ` ${about(secret)}: `, ...pair(BELIEFS[here] ?? here, BELIEFS[there] ?? there)])),
    list("Trust that differs", found.trust.map(([id, other, here, there]) =>
      [who(id), " in ", who(other), ": ", ...pair(short(here, 2), short(there, 2))])));
}

/** A new branch: its differences, and where to see it.
 * @param {Api.Forked} forked
 * @param {Evening} evening
 * @param {string} agent
 */
export function comparison(forked, evening, agent) {
  const there = { run: forked.run, tick: forked.at, agent };
  const both = { run: evening.id, with: forked.run, tick: forked.at };
  return h("div", {}, differences(forked.comparison, evening),
    h("div", { class: "row" },
      h("a", { class: "button main", href: path("fork", both) }, "Side by side"),
      h("a", { class: "button", href: path("stage", there) }, "Watch the branch"),
      h("a", { class: "button", href: path("threads", there) }, "Its threads")),
    h("p", { class: "soft small" }, `Recorded as ${forked.run}; ${many(forked.comparison.events[1], "event")}.`));
}
