// What a place in a course shows. What all moments have in common is found once; a place then asks for a few of them.

/** A moment of a journal, or a step of a drive.
 * @typedef {Pick<Api.JournalMoment, "number" | "tick" | "state" | "steps">
 *   & { attempt: Pick<Api.JournalAttempt, "step" | "purpose" | "outcome"> | null }} Moment
 */
/** A row of the table: a decision, an attempt, or both.
 * @typedef {{ moment: number, step: Api.JournalStep | null, attempt: Moment["attempt"] }} Row
 */
/** What is drawn at a place: the newest state, the states of the trail, and the rows from `first` up to `end`.
 * @typedef {{ state: any, trail: any[], rows: Row[], first: number, end: number }} Shown
 */

/** Whether a state has a body to draw; a journal may be of any executor.
 * @param {any} state
 */
export const isDrawable = (state) => Number.isFinite(state?.actor?.x) && Number.isFinite(state?.actor?.y);

/** The rows of a moment: decisions that led to waiting, and its attempt with its decision.
 * @param {Moment} moment
 * @returns {Row[]}
 */
function rowsOf({ number, attempt, steps }) {
  const rows = steps.map((step) => ({ moment: number, step, attempt: step.step === attempt?.step ? attempt : null }));
  return attempt && attempt.step === null ? [...rows, { moment: number, step: null, attempt }] : rows;
}

/** Consecutive moments, indexed, so that a place is shown without a look at all moments before it. */
export class Scrubbing {
  #moments;
  #most;
  /** @type {Row[]} */
  #rows = [];
  /** Up to each place, how many rows there are, and where the newest state is that can be drawn. */
  #ends = [0];
  #drawn = [-1];
  /** The number of the first moment. */
  first = 1;

  /** `most` bounds the rows and the states of a place.
   * @param {Moment[]} moments
   * @param {number} [most]
   */
  constructor(moments, most = 60) {
    this.#moments = moments;
    this.#most = most;
    moments.forEach((moment, at) => this.#index(moment, at));
  }

  /** @param {Moment} moment @param {number} at */
  #index(moment, at) {
    if (!at) this.first = moment.number;
    this.#rows.push(...rowsOf(moment));
    this.#ends.push(this.#rows.length);
    this.#drawn.push(isDrawable(moment.state) ? at : this.#drawn[at]);
  }

  /** Add the next moment.
   * @param {Moment} moment
   */
  add(moment) {
    this.#index(moment, this.#moments.length);
    this.#moments.push(moment);
  }

  /** The number of the last moment; that of the first where there are none. */
  get last() {
    return this.first + Math.max(0, this.#moments.length - 1);
  }

  /** The tick of a place; null where it has none.
   * @param {number} place
   */
  tick(place) {
    return this.#moments[place - this.first]?.tick ?? null;
  }

  /** What a place shows.
   * @param {number} place
   * @returns {Shown}
   */
  at(place) {
    const count = Math.max(0, Math.min(this.#moments.length, place - this.first + 1));
    const end = this.#ends[count];
    const first = Math.max(0, end - this.#most);
    const newest = this.#drawn[count];
    const trail = [];
    for (let at = newest; at >= 0 && trail.length < this.#most && newest - at < this.#most; at -= 1) {
      const { state } = this.#moments[at];
      if (isDrawable(state)) trail.unshift(state);
    }
    return { state: trail.at(-1) ?? null, trail, rows: this.#rows.slice(first, end), first, end };
  }
}
