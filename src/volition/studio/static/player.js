// Playback: a position in an evening that moves by hand or by time.

/** How a place was reached: one step, by time, or at once.
 * @typedef {"step" | "play" | "jump"} Moved
 */
/** @typedef {(place: number, how: Moved) => void} Listener */

export const SPEEDS = [0.5, 1, 2, 5];

export class Player {
  #timer = 0;
  /** @type {Listener[]} */
  #listeners = [];

  /** Playback from one place to another; at speed 1 each place lasts this many milliseconds.
   * @param {number} first
   * @param {number} last
   * @param {number} [lasts]
   */
  constructor(first, last, lasts = 900) {
    this.lasts = lasts;
    this.first = first;
    this.last = last;
    this.place = first;
    this.speed = 1;
    this.playing = false;
    this.following = false;
  }

  /** Call a listener with (place, how it moved: "step", "play" or "jump").
   * @param {Listener} listener
   */
  listen(listener) {
    this.#listeners.push(listener);
  }

  /** @param {Moved} how */
  #notify(how) {
    for (const listener of this.#listeners) listener(this.place, how);
  }

  /** @param {number} place @param {Moved} [how] */
  go(place, how = "jump") {
    const next = Math.max(this.first, Math.min(this.last, place));
    this.following = this.following && next === this.last;
    this.place = next;
    this.#notify(how);
  }

  /** @param {number} by */
  step(by) {
    this.pause();
    this.go(this.place + by, Math.abs(by) === 1 ? "step" : "jump");
  }

  play() {
    if (this.place >= this.last) this.go(this.first);
    this.playing = true;
    this.#notify("play");
    this.#wait();
  }

  pause() {
    clearTimeout(this.#timer);
    if (!this.playing) return;
    this.playing = false;
    this.#notify("jump");
  }

  toggle() {
    if (this.playing) this.pause();
    else this.play();
  }

  /** @param {number} speed */
  setSpeed(speed) {
    this.speed = speed;
    if (this.playing) this.#wait();
  }

  /** More of the evening has arrived; a live follower moves along.
   * @param {number} last
   */
  grow(last) {
    this.last = last;
    if (this.following) {
      this.place = last;
      this.#notify("step");
    } else this.#notify("jump");
  }

  #wait() {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      if (this.place >= this.last) return this.pause();
      this.place += 1;
      this.#notify("play");
      this.#wait();
    }, this.lasts / this.speed);
  }

  stop() {
    clearTimeout(this.#timer);
    this.playing = false;
    this.#listeners = [];
  }
}
