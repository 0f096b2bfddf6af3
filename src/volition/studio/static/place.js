// The current run, tick and person: they travel from page to page in the address.

/** @typedef {Record<string, string | number | null | undefined>} Values */

const TRAVELS = ["run", "tick", "agent"];
const WAIT = 150; // milliseconds: browsers limit how often the address may change

/** @param {Values} params */
const withValues = (params) =>
  Object.entries(params).filter(([, value]) => value !== null && value !== undefined && value !== "");

/** An address inside the studio: path("stage", {run: "x", tick: 3}).
 * @param {string} page
 * @param {Values} [params]
 */
export function path(page, params = {}) {
  const query = new URLSearchParams(withValues(params).map(([name, value]) => [name, String(value)]));
  return `/${page}${query.size ? `?${query}` : ""}`;
}

/** The parameters of an address that travel.
 * @param {URLSearchParams} params
 */
const pickTravelling = (params) =>
  Object.fromEntries(TRAVELS.filter((name) => params.has(name)).map((name) => [name, params.get(name)]));

export class Place {
  /** @type {Values} */
  #now = {};
  #links;
  #write;
  #waiting = 0;
  /** @type {string | null} */
  #later = null;

  /** `links` are those of the bar; `write(address)` shows an address in the browser.
   * @param {Iterable<HTMLElement>} links
   * @param {(address: string) => void} write
   */
  constructor(links, write) {
    this.#links = [...links];
    this.#write = write;
  }

  /** A page is opened by an address: without a run in it, the current place stays.
   * @param {URLSearchParams} params
   */
  open(params) {
    this.#forget();
    if (params.has("run")) this.#now = pickTravelling(params);
    this.#point();
  }

  /** Nothing is at this place: pages open as they do without one. */
  lose() {
    this.#now = {};
    this.#point();
  }

  /** An address with the current place, unless it names a run itself.
   * @param {string} address
   */
  with(address) {
    const [page, query] = address.replace(/^\//, "").split("?");
    const params = Object.fromEntries(new URLSearchParams(query));
    return path(page, "run" in params ? params : { ...params, ...this.#now });
  }

  /** A page reports what it shows. The links follow at once, the address a little later; `travels` may differ from
   * `params`.
   * @param {string} page
   * @param {Values} params
   * @param {Values} [travels]
   */
  note(page, params, travels = params) {
    if (params.run) this.#now = Object.fromEntries(withValues(travels).filter(([name]) => TRAVELS.includes(name)));
    this.#point();
    this.#later = path(page, params.run ? params : { ...params, ...this.#now });
    this.#waiting ||= setTimeout(() => this.settle(), WAIT);
  }

  /** Write the address now, before the page is left. */
  settle() {
    const address = this.#later;
    this.#forget();
    if (address) this.#write(address);
  }

  #forget() {
    clearTimeout(this.#waiting);
    this.#waiting = 0;
    this.#later = null;
  }

  #point() {
    for (const link of this.#links) link.setAttribute("href", path(link.dataset.page ?? "", this.#now));
  }
}
