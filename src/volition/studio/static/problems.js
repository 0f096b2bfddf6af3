// How errors are shown.

import { h } from "./dom.js";
import { Refused } from "./api.js";

/** @type {(keyof Api.Problem)[]} */
const PARTS = ["where", "expected", "remedy"];

/** The problems of an error; anything other than a refusal is a bug of the page.
 * @param {unknown} error
 */
export function problems(error) {
  const list = error instanceof Refused ? error.problems
    : [{
      what: error instanceof Error ? error.message : String(error), where: "this page", expected: "",
      remedy: "reload the page; if it happens again, report it as a bug",
    }];
  return h("div", { class: "problem", role: "alert" }, list.map((one) => h("div", {},
    h("strong", {}, one.what),
    h("dl", {}, PARTS.filter((name) => one[name]).map((name) =>
      [h("dt", {}, name), h("dd", {}, one[name])])))));
}

/** Wrap a request to the server: a refusal is shown in `place` until the next request succeeds.
 * @template {unknown[]} Given
 * @param {HTMLElement} place
 * @param {(...given: Given) => Promise<unknown>} ask
 * @returns {(...given: Given) => Promise<void>}
 */
export const showRefusal = (place, ask) => async (...given) => {
  try {
    await ask(...given);
    place.replaceChildren();
  } catch (error) {
    place.replaceChildren(problems(error));
  }
};
