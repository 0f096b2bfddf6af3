// An evening in one file: the same pages, over the bundle that stands in the file.

import * as decision from "./decision.js";
import * as stage from "./stage.js";
import * as threads from "./threads.js";
import { startKeyboard } from "./keyboard.js";
import { startTheme } from "./theme.js";
import { Bundle } from "./source.js";
import { pageKeys } from "./keyboard.js";
import { problems } from "./problems.js";
import { h } from "./dom.js";

const PAGES = { stage, threads, decision };
const source = new Bundle(JSON.parse(document.getElementById("bundle").textContent));
const main = document.getElementById("main");
const theme = document.getElementById("theme");
let leave = null;

/** A file has no server to ask for an address: pages stand behind the "#". */
const here = () => {
  const [name, query] = location.hash.replace(/^#\/?/, "").split("?");
  return [name in PAGES ? name : "stage", new URLSearchParams(query)];
};

async function show() {
  const [name, params] = here();
  leave?.();
  leave = null;
  pageKeys({});
  const holder = h("div", { class: `page page-${name}` });
  const go = (page, given = {}) => {
    location.hash = `/${page}?${new URLSearchParams(Object.entries(given).filter(([, value]) => value !== null && value !== undefined).map(([key, value]) => [key, String(value)]))}`;
  };
  try {
    leave = (await PAGES[name].show(holder, { params, source, stay: () => true, go, note: () => {} })) ?? null;
  } catch (error) {
    holder.replaceChildren(problems(error));
  }
  main.replaceChildren(holder);
  main.dataset.shown = name;
  for (const link of document.querySelectorAll(".pages a")) {
    if (link.dataset.page === name) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
}

document.addEventListener("click", (event) => {
  const link = event.target.closest?.("a[href^='/']");
  if (!link) return;
  event.preventDefault();
  location.hash = link.getAttribute("href");
});
addEventListener("hashchange", show);
startTheme(theme);
startKeyboard([...document.querySelectorAll(".pages a")], document.getElementById("keys"), theme);
document.title = `${source.whole.scenario.name}, seed ${source.whole.seed}`;
show();
