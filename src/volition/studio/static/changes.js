// Following what changes on the server, and the number of questions in the bar.

import { follow, get } from "./api.js";
import { sure, write } from "./dom.js";

const AGAIN = 2000; // milliseconds until a stream that ended is opened again
const LOOK = 20000; // milliseconds between two looks at the counts while no stream tells

/** Call `changed(parts)` at once, and whenever the registry, the saved evaluations or the guard's journal have
 * changed; returns a function that stops it.
 * @param {(parts: string[]) => unknown} changed
 */
export function followChanges(changed) {
  let stop = () => {};
  let waiting = 0;
  const open = () => {
    stop = follow("/changes/live", {
      change: ({ parts }) => changed(parts),
      end: () => { waiting = setTimeout(open, AGAIN); },
    });
  };
  open();
  return () => {
    clearTimeout(waiting);
    stop();
  };
}

/** A load that runs one at a time: what is asked for meanwhile runs once, afterwards, so that no older answer of the
 * server replaces a newer one.
 * @param {() => Promise<unknown>} load
 */
export function oneAtATime(load) {
  /** @type {Promise<unknown>} */
  let last = Promise.resolve();
  /** @type {Promise<unknown> | null} */
  let waiting = null;
  return () => {
    waiting ??= last = last.catch(() => {}).then(() => {
      waiting = null;
      return load();
    });
    return waiting;
  };
}

/** Show in the bar how many questions the person of this studio may answer.
 * @param {Api.InboxCounts} counts
 */
export function showCounts({ mine }) {
  const badge = document.getElementById("inbox-count");
  if (!badge) return;
  badge.hidden = mine === 0;
  write(sure(badge.firstElementChild), mine ? String(mine) : "");
  write(sure(badge.lastElementChild), mine ? " for you" : "");
}

async function look() {
  if (document.hidden) return;
  try {
    showCounts(await get("/inbox/counts"));
  } catch {
    // The page itself says what is wrong with the server.
  }
}

/** Keep the number in the bar up to date while the window is looked at. */
export function startCounts() {
  document.addEventListener("visibilitychange", look);
  setInterval(look, LOOK);
  return look();
}
