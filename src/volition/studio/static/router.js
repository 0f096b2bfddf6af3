// Addresses and pages: a link inside the studio changes the page without loading it again, and "back" goes back.

import { h } from "./dom.js";
import { pageKeys } from "./keyboard.js";
import { problems } from "./problems.js";

/** An address inside the studio: path("stage", {run: "x", tick: 3}). */
export function path(page, params = {}) {
  const given = Object.entries(params).filter(([, value]) => value !== null && value !== undefined && value !== "");
  const query = new URLSearchParams(given.map(([name, value]) => [name, String(value)]));
  return `/${page}${given.length ? `?${query}` : ""}`;
}

/** The pages that are documents of their own, because their policy is: to come and to go loads the page. */
const APART = new Set(["ensemble"]);

const named = (address) => new URL(address, location.href).pathname.slice(1);

export class Router {
  #main;
  #pages;
  #source;
  #leave = null;
  #turn = 0;

  constructor(main, pages, source) {
    this.#main = main;
    this.#pages = pages;
    this.#source = source;
  }

  start() {
    document.addEventListener("click", (event) => {
      const link = event.target.closest?.("a[href^='/']");
      if (!link || link.target || link.hasAttribute("download") || event.metaKey || event.ctrlKey || event.shiftKey || event.button) return;
      if (!(named(link.href) in this.#pages)) return;
      event.preventDefault();
      this.go(link.getAttribute("href"));
    });
    // Back and forward between documents of their own load by themselves.
    addEventListener("popstate", () => this.#show(false));
    return this.#show(false);
  }

  go(address) {
    const [here, there] = [location.href, address].map((one) => APART.has(named(one)));
    if (here !== there) return location.assign(address);
    history.pushState(null, "", address);
    return this.#show(true);
  }

  /** Say in the address what is looked at, without a new page. */
  note(page, params) {
    history.replaceState(null, "", path(page, params));
  }

  async #show(moved) {
    const turn = ++this.#turn;
    const name = location.pathname.slice(1) in this.#pages ? location.pathname.slice(1) : Object.keys(this.#pages)[0];
    this.#leave?.();
    this.#leave = null;
    pageKeys({});
    for (const link of document.querySelectorAll(".pages a")) {
      if (link.dataset.page === name) link.setAttribute("aria-current", "page");
      else link.removeAttribute("aria-current");
    }
    const holder = h("div", { class: `page page-${name}` });
    const stay = () => turn === this.#turn;
    try {
      const page = await this.#pages[name]();
      const leave = await page.show(holder, {
        params: new URLSearchParams(location.search), source: this.#source, stay,
        go: (to, params) => this.go(path(to, params)), note: (params) => stay() && this.note(name, params),
      });
      if (!stay()) return leave?.();
      this.#leave = leave ?? null;
      document.title = `${page.title} \u00b7 Volition`;
    } catch (error) {
      if (!stay()) return;
      holder.replaceChildren(problems(error));
    }
    this.#main.replaceChildren(holder);
    this.#main.dataset.shown = name;
    if (moved) {
      scrollTo(0, 0);
      this.#main.focus({ preventScroll: true });
    }
  }
}

/** Tell a screen reader. */
export function say(text) {
  const said = document.getElementById("said");
  if (said) said.textContent = text;
}
