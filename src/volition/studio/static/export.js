// An exported evening in one file: the same pages over the bundle in the file.

import * as decision from "./decision.js";
import * as stage from "./stage.js";
import * as threads from "./threads.js";
import { startKeyboard } from "./keyboard.js";
import { startTheme } from "./theme.js";
import { Bundle } from "./source.js";
import { Place, path } from "./place.js";
import { pageKeys } from "./keyboard.js";
import { problems } from "./problems.js";
import { around, h, sure } from "./dom.js";

/** @typedef {import("./router.js").Page} Page */

/** @type {Record<string, Page>} */
const PAGES = { stage, threads, decision };
const source = new Bundle(JSON.parse(sure(document.getElementById("bundle")).textContent));
const main = sure(document.getElementById("main"));
const theme = sure(document.getElementById("theme"));
/** @type {NodeListOf<HTMLElement>} */
const pages = document.querySelectorAll(".pages a");
const place = new Place(document.querySelectorAll("a[data-page]"),
  (address) => history.replaceState(null, "", `#${address}`));
/** @type {(() => void) | null} */
let leave = null;
let turn = 0;

/** A file has no server that could resolve addresses: pages are named after the "#".
 * @returns {[string, URLSearchParams]}
 */
const here = () => {
  const [name, query] = location.hash.replace(/^#\/?/, "").split("?");
  return [name in PAGES ? name : "stage", new URLSearchParams(query)];
};

/** @param {string} address */
function go(address) {
  place.settle();
  location.hash = place.with(address);
}

async function show() {
  const mine = ++turn;
  const stay = () => mine === turn;
  const [name, params] = here();
  leave?.();
  leave = null;
  place.open(params);
  pageKeys({});
  const holder = h("div", { class: `page page-${name}` });
  try {
    leave = (await PAGES[name].show(holder, {
      // Pages ask it no more than it can answer, because `canAsk` is false.
      source: /** @type {import("./source.js").Source} */ (/** @type {unknown} */ (source)),
      params, stay, go: (page, more) => go(path(page, more)), again: (more) => go(path(name, more)),
      note: (...given) => stay() && place.note(name, ...given),
    })) ?? null;
  } catch (error) {
    holder.replaceChildren(problems(error));
  }
  main.replaceChildren(holder);
  main.dataset.shown = name;
  for (const link of pages) {
    if (link.dataset.page === name) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
}

document.addEventListener("click", (event) => {
  const link = around(event, "a[href^='/']");
  if (!link) return;
  event.preventDefault();
  go(link.getAttribute("href") ?? "");
});
addEventListener("hashchange", show);
startTheme(theme);
startKeyboard([...pages], sure(document.getElementById("keys")), theme);
document.title = `${source.whole.scenario.name}, seed ${source.whole.seed}`;
show();
