// A drive of this studio, followed live.

import { at, follow, post } from "./api.js";
import { arena } from "./arena.js";
import { confirm } from "./dialog.js";
import { figures, h, s, say, write } from "./dom.js";
import { histogram } from "./histogram.js";
import { pageKeys } from "./keyboard.js";
import { intentTable } from "./intents.js";
import { path } from "./place.js";
import { problems } from "./problems.js";
import { humanize } from "./words.js";

/** @type {Record<Api.DriveShape["state"], [string, string]>} */
const STATES = { running: ["accent", "running"], done: ["good", "done"], stopped: ["warn", "stopped"],
  failed: ["bad", "failed"] };

/** @param {Record<string, any>} course */
function counts(course) {
  return figures([["Steps", course.steps], ["Sent", course.sent], ["Waited", course.waited], ["Vetoed", course.vetoed],
    ["Violations", course.violations, course.violations ? "wrong" : null], ["Retries refused", course.refused_retries],
    ["Defeats", course.defeats], ["Deaths", course.deaths]]);
}

/** @param {Record<string, any>} course */
function labels(course) {
  const entries = Object.entries(course.labels).sort((a, b) => b[1] - a[1]);
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

/** Show a drive and follow it; `ended(drive)` is called at its end. Returns a function that stops following.
 * @param {HTMLElement} body
 * @param {Api.DriveShape} drive
 * @param {(drive: Api.DriveShape) => void} ended
 */
export function watchDrive(body, drive, ended) {
  const field = arena(drive.map);
  const table = intentTable("Choice");
  const state = h("span", { class: "chip drive-state", role: "status" });
  const verdict = h("p", { class: "verdict-text" });
  const numbers = h("div");
  const kinds = h("div");
  const times = h("div");
  const wrong = h("div");
  const stop = h("button", { type: "button", onclick: async () => {
    stop.disabled = true;
    try {
      await post(at`/drives/${drive.id}/stop`);
    } catch (error) {
      wrong.replaceChildren(problems(error));
      stop.disabled = false;
    }
  } }, "Stop");
  /** @param {Record<string, any>} course @param {Api.DriveShape["state"]} now */
  function showCourse(course, now) {
    const [tone, word] = STATES[now];
    state.className = `chip drive-state ${tone}`;
    write(state, word);
    stop.hidden = now !== "running";
    verdict.textContent = `${humanize(course.verdict)}: ${course.because}`;
    numbers.replaceChildren(counts(course));
    kinds.replaceChildren(labels(course));
  }
  times.replaceChildren(histogram(drive.latency));
  if (drive.last) field.show(drive.last.state); // the stream brings the trail from the first step on
  showCourse(drive.course, drive.state);
  body.replaceChildren(wrong, h("div", { class: "drive" },
    h("section", { class: "panel drive-arena", "aria-label": "Arena" },
      h("p", { class: "soft small" }, about(drive),
        drive.journal ? [", recorded as ", h("a", { href: path("drive", { journal: drive.journal }) }, drive.journal)]
        : null),
      h("div", { class: "row verdict-row" }, state, verdict, h("span", { class: "grow" }), stop), field.element),
    h("section", { class: "panel drive-passed", "aria-label": "Intents and results" },
      h("h2", {}, "Intents and results"), table.element),
    h("section", { class: "panel drive-counts", "aria-label": "Counts" }, h("h2", {}, "So far"), numbers,
      h("h2", {}, "How the intents ended"), kinds),
    h("section", { class: "panel drive-latency", "aria-label": "Latency" }, h("h2", {}, "Latency"), times)));
  pageKeys({ x: ["stop the drive",
    () => stop.hidden || stop.disabled
    || confirm("Stop the drive?", "It ends now; its journal keeps what was done.", { yes: "Stop it", no: "Keep going" },
      () => stop.click())] });
  return follow(at`/drives/${drive.id}/live`, {
    step: (step) => {
      field.trace(step.state);
      field.show(step.state);
      table.add(step.number,
        h("a", { href: path("decision", { drive: drive.id, step: step.number }), title: step.why },
          step.chosen ?? "wait"), step.outcome);
      showCourse(step.course, drive.state);
    },
    latency: (latency) => times.replaceChildren(histogram(latency)),
    end: (last) => {
      times.replaceChildren(histogram(last.latency));
      showCourse(last.course, last.state);
      if (last.problem) wrong.replaceChildren(h("p", { class: "chip bad" }, last.problem.what));
      ended(last);
      say(`The drive is over: ${last.course.because}`);
    },
  });
}
