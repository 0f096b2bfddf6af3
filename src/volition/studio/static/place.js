// Where somebody is: the run, the tick and the person that they look at travel from page to page, in the address.

const TRAVELS = ["run", "tick", "agent"];
const WAIT = 150; // milliseconds: a browser allows only so many changes of the address

const given = (params) => Object.entries(params).filter(([, value]) => value !== null && value !== undefined && value !== "");

/** An address inside the studio: path("stage", {run: "x", tick: 3}). */
export function path(page, params = {}) {
  const query = new URLSearchParams(given(params).map(([name, value]) => [name, String(value)]));
  return `/${page}${query.size ? `?${query}` : ""}`;
}

/** What travels of an address. */
const travelling = (params) => Object.fromEntries(TRAVELS.filter((name) => params.has(name)).map((name) => [name, params.get(name)]));

export class Place {
  #now = {};
  #links;
  #write;
  #waiting = 0;
  #later = null;

  /** `links` are those of the bar; `write(address)` puts an address where it is seen. */
  constructor(links, write) {
    this.#links = [...links];
    this.#write = write;
  }

  /** A page is opened by an address: where that names no run, we are where we were. */
  open(params) {
    this.#forget();
    if (params.has("run")) this.#now = travelling(params);
    this.#point();
  }

  /** An address with what travels, unless it names a run itself. */
  with(address) {
    const [page, query] = address.replace(/^\//, "").split("?");
    const params = Object.fromEntries(new URLSearchParams(query));
    return path(page, "run" in params ? params : { ...params, ...this.#now });
  }

  /** A page says what is looked at. The links follow at once, the address when all is quiet; `travels` may say more than it. */
  note(page, params, travels = params) {
    if (params.run) this.#now = Object.fromEntries(given(travels).filter(([name]) => TRAVELS.includes(name)));
    this.#point();
    this.#later = path(page, params.run ? params : { ...params, ...this.#now });
    this.#waiting ||= setTimeout(() => this.settle(), WAIT);
  }

  /** Write the address now: somebody leaves the page. */
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
    for (const link of this.#links) link.setAttribute("href", path(link.dataset.page, this.#now));
  }
}
