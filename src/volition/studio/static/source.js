// Where evenings come from: the server, or the bundle in an exported page. Pages do not know which.

import { at, follow, get, post } from "./api.js";

/** An evening with all its ticks.
 * @typedef {Api.EveningShape & { ticks: Api.TickShape[] }} Evening
 */
/** A run to choose from.
 * @typedef {{ id: string, name: string, live: boolean, intact?: boolean | null,
 *   run: { scenario: string, seed: number, guest?: string | null, ending?: string | null } | null }} Run
 */
/** Where evenings come from. A page asks no more than evenings, audiences and decisions unless `canAsk` is true.
 * @typedef {Pick<Server, keyof Server>} Source
 */

const KEPT = 4;

/** An evening with its ticks, cut to the shorter of both: while it is played, one answer may be newer.
 * @param {Api.EveningShape} evening
 * @param {Api.TickShape[]} ticks
 * @returns {Evening}
 */
function align(evening, ticks) {
  const count = Math.min(ticks.length, evening.minutes.length);
  const last = evening.first + count - 1;
  const events = evening.live ? evening.events.filter((event) => event.tick < last) : evening.events;
  return { ...evening, last, events, minutes: evening.minutes.slice(0, count), ticks: ticks.slice(0, count) };
}

/** Evenings of a running studio. */
export class Server {
  /** Whether there is a server to ask. @type {boolean} */
  canAsk = true;
  /** @type {Map<string, Evening>} */
  #kept = new Map();

  /** @returns {Promise<Run[]>} */
  async runs() {
    return (await get("/records?kind=run")).records
      .filter((/** @type {Api.RecordShape} */ one) => one.run || one.live);
  }

  /** @returns {Promise<Api.ScenarioShape[]>} */
  async scenarios() {
    return get("/scenarios");
  }

  /** An evening with all its ticks; finished ones are cached, because they do not change any more.
   * @param {string} id
   * @returns {Promise<Evening>}
   */
  async evening(id) {
    const known = this.#kept.get(id);
    if (known) return known;
    /** @type {() => Promise<Api.TickShape[]>} */
    const states = () => get(at`/runs/${id}/ticks`);
    const [evening, ticks] = await Promise.all([get(at`/runs/${id}`), states()]);
    const early = !evening.live && ticks.length < evening.minutes.length; // it ended between the two answers
    const whole = align(evening, early ? await states() : ticks);
    if (!evening.live) {
      this.#kept.set(id, whole);
      if (this.#kept.size > KEPT) this.#kept.delete(this.#kept.keys().next().value ?? "");
    }
    return whole;
  }

  /** @param {string} id @param {string} genre @returns {Promise<Api.Audience>} */
  audience(id, genre) {
    return get(at`/runs/${id}/audience` + `?genre=${encodeURIComponent(genre)}`);
  }

  /** @param {string} id @param {number} tick @param {string} agent @returns {Promise<Api.Chosen>} */
  decision(id, tick, agent) {
    return get(at`/runs/${id}/decisions/${tick}/${agent}`);
  }

  /** @param {string} id @returns {Promise<Api.Mattered>} */
  significance(id) {
    return get(at`/runs/${id}/significance`);
  }

  /** Follow how far it is found out; returns a function that stops following, which ends the work if nobody else does.
   * @param {string} id
   * @param {(found: Api.Mattered) => void} tell
   */
  followSignificance(id, tell) {
    return follow(at`/runs/${id}/significance/live`, { progress: tell, end: tell });
  }

  /** @param {string} id @param {string} other @returns {Promise<Api.ComparisonShape>} */
  comparison(id, other) {
    return get(at`/runs/${id}/comparison` + `?other=${encodeURIComponent(other)}`);
  }

  /**
   * @param {string} id
   * @param {number} tick
   * @param {string} agent
   * @param {Api.WhatIfAsked} change
   * @param {AbortSignal} [signal]
   * @returns {Promise<Api.WhatIfShape>}
   */
  whatIf(id, tick, agent, change, signal) {
    return post(at`/runs/${id}/decisions/${tick}/${agent}/what-if`, change, signal);
  }

  /** @param {string} id @param {object} change @returns {Promise<Api.Forked>} */
  fork(id, change) {
    return post(at`/runs/${id}/forks`, change);
  }

  /** Whether a decision can be opened.
   * @param {number} _tick
   * @param {string} _agent
   */
  has(_tick, _agent) {
    return true;
  }
}

/** The one evening of an exported page. */
export class Bundle {
  canAsk = false;

  /** @param {Api.ExportBundle} bundle */
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

  /** @param {string} _id @param {string} genre */
  async audience(_id, genre) {
    return this.bundle.audiences[genre] ?? Object.values(this.bundle.audiences)[0];
  }

  /** @param {string} _id @param {number} tick @param {string} agent */
  async decision(_id, tick, agent) {
    const found = this.bundle.decisions[`${tick}/${agent}`];
    if (!found) throw new Error("this choice was left out of the export");
    return found;
  }

  /** @param {number} tick @param {string} agent */
  has(tick, agent) {
    return `${tick}/${agent}` in this.bundle.decisions;
  }
}
