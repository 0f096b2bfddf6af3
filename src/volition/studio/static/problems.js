// How errors are shown.

import { h } from "./dom.js";
import { Refused } from "./api.js";

/** The problems of an error; anything other than a refusal is a bug of the page. */
export function problems(error) {
  const list = error instanceof Refused ? error.problems
    : [{ what: error.message, where: "this page", expected: "", remedy: "reload the page; if it happens again, report it as a bug" }];
  return h("div", { class: "problem", role: "alert" }, list.map((one) => h("div", {},
    h("strong", {}, one.what),
    h("dl", {}, ["where", "expected", "remedy"].filter((name) => one[name]).map((name) =>
      [h("dt", {}, name), h("dd", {}, one[name])])))));
}
