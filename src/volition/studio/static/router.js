// Addresses and pages: a link inside the studio changes the page without a reload, and "back" goes back.

import { Refused } from "./api.js";
import { around, h } from "./dom.js";
import { pageKeys } from "./keyboard.js";
import { Place, path } from "./place.js";
import { problems } from "./problems.js";

/** @typedef {import("./place.js").Values} Values */
/** @typedef {import("./source.js").Source} Source */
/** What a page gets: its parameters, where evenings come from, and how it moves. `stay()` is false once it was left.
 * @typedef {{ params: URLSearchParams, source: Source, stay: () => boolean,
 *   go: (page: string, params?: Values) => unknown, again: (params: Values) => unknown,
 *   note: (params: Values, travels?: Values) => unknown }} Context
 */
/** A page; `show` may return a function that is called when the page is left.
 * @typedef {{ title: string,
 *   show: (holder: HTMLElement, context: Context) => Promise<(() => void) | null | void> | void }} Page
 */

/** The page of the bar that another page belongs to. @type {Record<string, string>} */
const WITHIN = { fork: "stage" };

/** @returns {Promise<Page>} */
async function nowhere() {
  throw new Refused(404, "NoSuch", [{
    what: `there is no page ${location.pathname}`, where: "the address", expected: "a page of the bar above",
    remedy: "choose one there",
  }]);
}

/** @param {string} address */
const pageName = (address) => new URL(address, location.href).pathname.slice(1);

export class Router {
  #main;
  #pages;
  #source;
  #place;
  /** @type {(() => void) | null} */
  #leave = null;
  #turn = 0;

  /** @param {HTMLElement} main @param {Record<string, () => Promise<Page>>} pages @param {Source} source */
  constructor(main, pages, source) {
    this.#main = main;
    this.#pages = pages;
    this.#source = source;
    this.#place = new Place(document.querySelectorAll("a[data-page]"),
      (address) => history.replaceState(null, "", address));
  }

  start() {
    document.addEventListener("click", (event) => {
      const link = around(event, "a[href^='/']");
      if (!(link instanceof HTMLAnchorElement)) return;
      if (link.target || link.hasAttribute("download") || event.metaKey || event.ctrlKey || event.shiftKey
        || event.button) return;
      if (!(pageName(link.href) in this.#pages)) return;
      event.preventDefault();
      this.go(link.getAttribute("href") ?? "");
    });
    addEventListener("popstate", () => this.#show(false));
    return this.#show(false);
  }

  /** @param {string} address @returns {unknown} */
  go(address) {
    this.#place.settle();
    history.pushState(null, "", this.#place.with(address));
    return this.#show(true);
  }

  /** Show the current page again, at another place.
   * @param {string} address
   */
  showAgain(address) {
    history.replaceState(null, "", this.#place.with(address));
    return this.#show(false);
  }

  /** @param {boolean} moved */
  async #show(moved) {
    const turn = ++this.#turn;
    const name = location.pathname.slice(1) || Object.keys(this.#pages)[0];
    const params = new URLSearchParams(location.search);
    this.#leave?.();
    this.#leave = null;
    this.#place.open(params);
    pageKeys({});
    for (const link of document.querySelectorAll(".pages a")) {
      if (link.getAttribute("data-page") === (WITHIN[name] ?? name)) link.setAttribute("aria-current", "page");
      else link.removeAttribute("aria-current");
    }
    const holder = h("div", { class: `page page-${name}` });
    const stay = () => turn === this.#turn;
    try {
      const page = await (Object.hasOwn(this.#pages, name) ? this.#pages[name] : nowhere)();
      const leave = await page.show(holder, {
        params, source: this.#source, stay,
        go: (to, more) => this.go(path(to, more)), again: (more) => stay() && this.showAgain(path(name, more)),
        note: (...given) => stay() && this.#place.note(name, ...given),
      });
      if (!stay()) return leave?.();
      this.#leave = leave ?? null;
      document.title = `${page.title} \u00b7 Volition`;
    } catch (error) {
      if (!stay()) return;
      if (error instanceof Refused && error.status === 404) this.#place.lose();
      holder.replaceChildren(h("div", { class: "head" }, h("h1", {}, "This cannot be shown")), problems(error),
        h("p", { class: "row way-out" }, h("a", { class: "button main", href: "/stage" }, "Open the newest evening"),
          h("a", { class: "button", href: "/records" }, "See what is in the folder")));
    }
    this.#main.replaceChildren(holder);
    this.#main.dataset.shown = name;
    if (moved) {
      scrollTo(0, 0);
      this.#main.focus({ preventScroll: true });
    }
  }
}
