// Where evenings come from: the server, or the bundle in an exported page. Pages do not know which.

import { at, get, post } from "./api.js";

const KEPT = 4;

/** An evening with its ticks, cut to the shorter of both: while it is played, one answer may be newer. */
function align(evening, ticks) {
  const count = Math.min(ticks.length, evening.minutes.length);
  const last = evening.first + count - 1;
  const events = evening.live ? evening.events.filter((event) => event.tick < last) : evening.events;
  return { ...evening, last, events, minutes: evening.minutes.slice(0, count), ticks: ticks.slice(0, count) };
}

/** Evenings of a running studio. */
export class Server {
  canAsk = true;
  #kept = new Map();

  async runs() {
    return (await get("/records?kind=run")).records.filter((one) => one.run || one.live);
  }

  async scenarios() {
    return get("/scenarios");
  }

  /** An evening with all its ticks; finished ones are cached, because they do not change any more. */
  async evening(id) {
    if (this.#kept.has(id)) return this.#kept.get(id);
    const states = () => get(at`/runs/${id}/ticks`);
    const [evening, ticks] = await Promise.all([get(at`/runs/${id}`), states()]);
    const early = !evening.live && ticks.length < evening.minutes.length; // it ended between the two answers
    const whole = align(evening, early ? await states() : ticks);
    if (!evening.live) {
      this.#kept.set(id, whole);
      if (this.#kept.size > KEPT) this.#kept.delete(this.#kept.keys().next().value);
    }
    return whole;
  }

  audience(id, genre) {
    return get(at`/runs/${id}/audience` + `?genre=${encodeURIComponent(genre)}`);
  }

  decision(id, tick, agent) {
    return get(at`/runs/${id}/decisions/${tick}/${agent}`);
  }

  significance(id) {
    return get(at`/runs/${id}/significance`);
  }

  comparison(id, other) {
    return get(at`/runs/${id}/comparison` + `?other=${encodeURIComponent(other)}`);
  }

  whatIf(id, tick, agent, change, signal) {
    return post(at`/runs/${id}/decisions/${tick}/${agent}/what-if`, change, signal);
  }

  fork(id, change) {
    return post(at`/runs/${id}/forks`, change);
  }
}

/** The one evening of an exported page. */
export class Bundle {
  canAsk = false;

  constructor(bundle) {
    this.bundle = bundle;
    this.whole = { ...bundle.evening, live: false, ticks: bundle.ticks };
  }

  async runs() {
    const { id, scenario, seed } = this.whole;
    return [{ id, name: id, live: false, run: { scenario: scenario.id, seed } }];
  }

  async evening() {
    return this.whole;
  }

  async audience(_id, genre) {
    return this.bundle.audiences[genre] ?? Object.values(this.bundle.audiences)[0];
  }

  async decision(_id, tick, agent) {
    const found = this.bundle.decisions[`${tick}/${agent}`];
    if (!found) throw new Error("this choice was left out of the export");
    return found;
  }

  has(tick, agent) {
    return `${tick}/${agent}` in this.bundle.decisions;
  }
}
