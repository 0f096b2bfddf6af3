// What a place in a journal shows. What all moments have in common is found once; a place then asks for a few of them.

/** A row of the table: a decision, an attempt, or both.
 * @typedef {{ moment: number, step: Api.JournalStep | null, attempt: Api.JournalAttempt | null }} Row
 */
/** What is drawn at a place: the newest state, the states of the trail, and the rows from `first` up to `end`.
 * @typedef {{ state: any, trail: any[], rows: Row[], first: number, end: number }} Shown
 */

/** Whether a state has a body to draw; a journal may be of any executor.
 * @param {any} state
 */
export const isDrawable = (state) => Number.isFinite(state?.actor?.x) && Number.isFinite(state?.actor?.y);

/** The rows of a moment: decisions that led to waiting, and its attempt with its decision.
 * @param {Api.JournalMoment} moment
 * @returns {Row[]}
 */
function rowsOf({ number, attempt, steps }) {
  const rows = steps.map((step) => ({ moment: number, step, attempt: step.step === attempt?.step ? attempt : null }));
  return attempt && attempt.step === null ? [...rows, { moment: number, step: null, attempt }] : rows;
}

/** The moments of a run, indexed, so that a place is shown without a look at all moments before it. */
export class Scrubbing {
  #moments;
  #most;
  /** @type {Row[]} */
  #rows = [];
  /** For each place the number of rows up to it, and the place of the newest state that can be drawn. */
  #ends;
  #drawn;

  /** `most` bounds the rows and the states of a place.
   * @param {Api.JournalMoment[]} moments
   * @param {number} [most]
   */
  constructor(moments, most = 60) {
    this.#moments = moments;
    this.#most = most;
    this.#ends = new Uint32Array(moments.length + 1);
    this.#drawn = new Int32Array(moments.length + 1).fill(-1);
    moments.forEach((moment, at) => {
      this.#rows.push(...rowsOf(moment));
      this.#ends[at + 1] = this.#rows.length;
      this.#drawn[at + 1] = isDrawable(moment.state) ? at : this.#drawn[at];
    });
  }

  /** The tick of a place; null where it has none.
   * @param {number} place
   */
  tick(place) {
    return this.#moments[place - 1]?.tick ?? null;
  }

  /** What a place shows.
   * @param {number} place
   * @returns {Shown}
   */
  at(place) {
    const end = this.#ends[place];
    const first = Math.max(0, end - this.#most);
    const newest = this.#drawn[place];
    const trail = [];
    for (let at = newest; at >= 0 && trail.length < this.#most && newest - at < this.#most; at -= 1) {
      const { state } = this.#moments[at];
      if (isDrawable(state)) trail.unshift(state);
    }
    return { state: trail.at(-1) ?? null, trail, rows: this.#rows.slice(first, end), first, end };
  }
}
