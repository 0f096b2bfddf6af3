// A drive of this studio, followed live: what was done so far can be gone through while it goes on.

import { at, follow, post } from "./api.js";
import { course } from "./course.js";
import { confirm } from "./dialog.js";
import { figures, h, perFrame, s, say, write } from "./dom.js";
import { histogram } from "./histogram.js";
import { pageKeys } from "./keyboard.js";
import { path } from "./place.js";
import { problems } from "./problems.js";
import { humanize } from "./words.js";

/** @type {Record<Api.DriveShape["state"], [string, string]>} */
const STATES = { running: ["accent", "running"], done: ["good", "done"], stopped: ["warn", "stopped"],
  failed: ["bad", "failed"] };

/** @typedef {import("./router.js").Context} Context */

/** @param {Record<string, any>} so */
function counts(so) {
  return figures([["Steps", so.steps], ["Sent", so.sent], ["Waited", so.waited], ["Vetoed", so.vetoed],
    ["Violations", so.violations, so.violations ? "wrong" : null], ["Retries refused", so.refused_retries],
    ["Defeats", so.defeats], ["Deaths", so.deaths]]);
}

/** @param {Record<string, any>} so */
function labels(so) {
  const entries = Object.entries(so.labels).sort((a, b) => b[1] - a[1]);
  const most = Math.max(1, ...entries.map(([, count]) => count));
  return h("ul", { class: "labels" }, entries.map(([name, count]) => h("li", {}, h("span", {}, humanize(name)),
    s("svg", { viewBox: "0 0 100 8", preserveAspectRatio: "none", "aria-hidden": "true" },
      s("rect", { class: "fill bin", width: (count / most) * 100, height: 8, rx: 1 })),
    h("span", { class: "number" }, String(count)))));
}

/** A drive in one line.
 * @param {Api.DriveShape} drive
 */
export const about = (drive) =>
  [drive.map.name, `seed ${drive.seed}`, drive.executor === "java" ? "Java" : "embedded",
    `at most ${drive.most_steps} steps`].join(", ");

/** A step as a moment of its course.
 * @param {Api.DriveStep} step
 * @returns {import("./scrubbing.js").Moment}
 */
const momentOf = ({ number, tick, state, chosen, outcome }) => ({
  number, tick, state, steps: [{ step: number, body: "", chosen }],
  attempt: outcome && { step: number, purpose: "policy", outcome },
});

/** Show a drive and follow it; `ended(drive)` is called at its end. Returns a function that stops following.
 * @param {HTMLElement} body
 * @param {Api.DriveShape} drive
 * @param {Context} context
 * @param {(drive: Api.DriveShape) => void} ended
 */
export function watchDrive(body, drive, context, ended) {
  let over = false;
  /** @type {Map<number, string>} */
  const reasons = new Map();
  const shown = course({
    map: drive.map, moments: [], marks: [], legend: drive.legend, unit: "step", heading: "Choice",
    label: "Place in the drive", start: Number(context.params.get("moment")) || null, live: () => !over,
    choice: ({ moment, step }) => h("a", {
      href: path("decision", { drive: drive.id, step: moment }), title: reasons.get(moment),
    }, step?.chosen ?? "wait"),
    note: (moment, following) => context.note({ drive: drive.id, moment: following ? null : moment }),
  });
  const state = h("span", { class: "chip drive-state", role: "status" });
  const verdict = h("p", { class: "verdict-text" });
  const numbers = h("div");
  const kinds = h("div");
  const times = h("div");
  const wrong = h("div");
  const missed = h("p", { class: "soft small", hidden: true });
  const stop = h("button", { type: "button", onclick: async () => {
    stop.disabled = true;
    try {
      await post(at`/drives/${drive.id}/stop`);
    } catch (error) {
      wrong.replaceChildren(problems(error));
      stop.disabled = false;
    }
  } }, "Stop");
  /** @param {Record<string, any>} so @param {Api.DriveShape["state"]} now */
  function showCounts(so, now) {
    const [tone, word] = STATES[now];
    state.className = `chip drive-state ${tone}`;
    write(state, word);
    stop.hidden = now !== "running";
    verdict.textContent = `${humanize(so.verdict)}: ${so.because}`;
    numbers.replaceChildren(counts(so));
    kinds.replaceChildren(labels(so));
  }
  const recount = perFrame((/** @type {Record<string, any>} */ so) => over || showCounts(so, drive.state));
  times.replaceChildren(histogram(drive.latency));
  if (drive.last) shown.field?.show(drive.last.state); // the stream brings the steps before it
  showCounts(drive.course, drive.state);
  body.replaceChildren(wrong, h("div", { class: "drive" },
    h("section", { class: "panel drive-arena", "aria-label": "Arena" },
      h("p", { class: "soft small" }, about(drive),
        drive.journal ? [", recorded as ", h("a", { href: path("drive", { journal: drive.journal }) }, drive.journal)]
        : null),
      h("div", { class: "row verdict-row" }, state, verdict, h("span", { class: "grow" }), stop),
      shown.field?.element, missed, shown.line),
    h("section", { class: "panel drive-passed", "aria-label": "Intents and results" },
      h("h2", {}, "Intents and results"), shown.table),
    h("section", { class: "panel drive-counts", "aria-label": "Counts" }, h("h2", {}, "So far"), numbers,
      h("h2", {}, "How the intents ended"), kinds),
    h("section", { class: "panel drive-latency", "aria-label": "Latency" }, h("h2", {}, "Latency"), times)));
  pageKeys({ ...shown.keys, x: ["stop the drive",
    () => stop.hidden || stop.disabled
    || confirm("Stop the drive?", "It ends now; its journal keeps what was done.", { yes: "Stop it", no: "Keep going" },
      () => stop.click())] });
  let known = 0;
  const left = follow(at`/drives/${drive.id}/live`, {
    step: (/** @type {Api.DriveStep} */ step) => {
      if (step.number <= known) return; // already known: a stream that was cut begins again
      if (!known && step.number > 1) {
        missed.hidden = false;
        write(missed, `The steps before ${step.number} are ${drive.journal ? "in the journal" : "not kept"}.`);
      }
      known = step.number;
      reasons.set(step.number, step.why);
      shown.add(momentOf(step), step.marks);
      recount(step.course);
    },
    latency: (latency) => times.replaceChildren(histogram(latency)),
    end: (/** @type {Api.DriveShape} */ last) => {
      over = true;
      shown.end(last.marks);
      times.replaceChildren(histogram(last.latency));
      showCounts(last.course, last.state);
      if (last.problem) wrong.replaceChildren(h("p", { class: "chip bad" }, last.problem.what));
      ended(last);
      say(`The drive is over: ${last.course.because}`);
    },
  });
  return () => {
    left();
    shown.leave();
  };
}
