// Drive: a pilot in the arena, live: what it intends, and what comes of it.

import { at, follow, get, post } from "./api.js";
import { arena } from "./arena.js";
import { h, s, say } from "./dom.js";
import { histogram, micros } from "./histogram.js";
import { pageKeys } from "./keyboard.js";
import { problems } from "./problems.js";
import { path } from "./place.js";
import { many, plain } from "./words.js";

export const title = "Drive";
const ROWS = 60;

function form(maps, start) {
  const map = h("select", { id: "drive-map" }, maps.map((one) => h("option", { value: one.name }, one.name)));
  const executor = h("select", { id: "drive-executor" }, h("option", { value: "embedded" }, "here"), h("option", { value: "java" }, "in Java"));
  const seed = h("input", { type: "number", id: "drive-seed", min: 0, max: 999999, value: 0 });
  const steps = h("input", { type: "number", id: "drive-steps", min: 1, max: 5000, value: 200 });
  const pace = h("select", { id: "drive-pace" }, h("option", { value: "real" }, "to watch"), h("option", { value: "fast" }, "at once"));
  return h("form", { class: "row drive-form", onsubmit: (event) => {
    event.preventDefault();
    return start({ executor: executor.value, map: map.value, seed: Number(seed.value), steps: Number(steps.value), goal: "opponent", pace: pace.value, journal: true });
  } },
  h("label", { class: "field" }, "Arena", map), h("label", { class: "field" }, "Executor", executor), h("label", { class: "field" }, "Seed", seed), h("label", { class: "field" }, "Steps", steps), h("label", { class: "field" }, "Pace", pace),
  h("button", { class: "main", type: "submit" }, "Drive"));
}

function passed(step, drive) {
  const { outcome } = step;
  const tone = !outcome ? "" : outcome.violations.length ? "bad" : outcome.status === "SUCCESS" ? "good" : "warn";
  return h("tr", {},
    h("td", { class: "number soft" }, String(step.number)),
    h("td", {}, h("a", { href: path("decision", { drive, step: step.number }), title: step.why }, step.chosen ?? "wait")),
    h("td", {}, outcome ? plain(outcome.intent) : h("span", { class: "soft" }, "waits")),
    h("td", {}, outcome ? h("span", { class: `chip ${tone}`, title: outcome.detail }, `${tone === "good" ? "\u2713 " : tone === "bad" ? "\u2715 " : ""}${plain(outcome.status)}${outcome.reason === "NONE" ? "" : `: ${plain(outcome.reason)}`}`) : ""),
    h("td", { class: "number soft" }, outcome?.elapsed_us ? micros(outcome.elapsed_us) : ""));
}

function counts(course) {
  const entry = (name, value, tone = "") => h("div", {}, h("dt", {}, name), h("dd", { class: tone }, String(value)));
  return h("dl", { class: "figures" }, entry("Steps", course.steps), entry("Sent", course.sent), entry("Waited", course.waited), entry("Vetoed", course.vetoed),
    entry("Violations", course.violations, course.violations ? "wrong" : ""), entry("Retries refused", course.refused_retries), entry("Defeats", course.defeats), entry("Deaths", course.deaths));
}

function labels(course) {
  const entries = Object.entries(course.labels).sort((a, b) => b[1] - a[1]);
  const most = Math.max(1, ...entries.map(([, count]) => count));
  return h("ul", { class: "labels" }, entries.map(([name, count]) => h("li", {}, h("span", {}, plain(name)),
    s("svg", { viewBox: "0 0 100 8", preserveAspectRatio: "none", "aria-hidden": "true" }, s("rect", { class: "fill bin", width: (count / most) * 100, height: 8, rx: 1 })), h("span", { class: "number" }, String(count)))));
}

export async function show(holder, context) {
  const [maps, drives] = await Promise.all([get("/maps"), get("/drives")]);
  const body = h("div");
  let leave = null;

  async function start(asked) {
    try {
      const started = await post("/drives", asked);
      context.go("drive", { drive: started.id });
    } catch (error) {
      body.replaceChildren(problems(error));
    }
  }

  function watch(drive) {
    const field = arena(drive.map);
    const rows = h("tbody");
    const verdict = h("p", { class: "verdict-text", role: "status" });
    const numbers = h("div");
    const kinds = h("div");
    const times = h("div");
    const stop = h("button", { type: "button", onclick: async () => {
      stop.disabled = true;
      await post(at`/drives/${drive.id}/stop`).catch(() => {}); // it may have ended by itself: the stream says so
    } }, "Stop");
    const tell = (course, text) => {
      verdict.textContent = `${text}: ${course.because}`;
      numbers.replaceChildren(counts(course));
      kinds.replaceChildren(labels(course));
    };
    times.replaceChildren(histogram(drive.latency));
    if (drive.last) {
      field.show(drive.last.state, false); // the stream tells the way from the first step on
      tell(drive.course, plain(drive.course.verdict));
    }
    stop.hidden = drive.state !== "running";
    body.replaceChildren(h("div", { class: "drive" },
      h("section", { class: "panel drive-arena", "aria-label": "Arena" }, h("div", { class: "row verdict-row" }, verdict, h("span", { class: "grow" }), stop), field.element),
      h("section", { class: "panel drive-passed", "aria-label": "Intents and results" }, h("h2", {}, "Intents and results"),
        h("div", { class: "passed", tabindex: 0, "aria-label": "Intents and results, the newest first" }, h("table", { class: "small" },
          h("thead", {}, h("tr", {}, ["", "Choice", "Intent", "Result", "Took"].map((text) => h("th", { scope: "col" }, text)))), rows))),
      h("section", { class: "panel drive-counts", "aria-label": "Counts" }, h("h2", {}, "So far"), numbers, h("h2", {}, "What came of the intents"), kinds),
      h("section", { class: "panel drive-latency", "aria-label": "Latency" }, h("h2", {}, "Latency"), times)));
    leave = follow(at`/drives/${drive.id}/live`, {
      step: (step) => {
        field.show(step.state);
        rows.prepend(passed(step, drive.id));
        if (rows.children.length > ROWS) rows.lastChild.remove();
        tell(step.course, plain(step.verdict));
      },
      latency: (latency) => times.replaceChildren(histogram(latency)),
      end: (ended) => {
        stop.hidden = true;
        times.replaceChildren(histogram(ended.latency));
        tell(ended.course, ended.state === "failed" ? "failed" : plain(ended.course.verdict));
        if (ended.problem) body.prepend(h("p", { class: "chip bad" }, ended.problem.what));
        say(`The drive is over: ${ended.course.because}`);
      },
    });
    pageKeys({ x: ["stop the drive", () => stop.click()] });
  }

  const picker = drives.length ? h("select", { "aria-label": "Drive", onchange: () => context.go("drive", { drive: picker.value }) },
    drives.map((one) => h("option", { value: one.id }, `${one.id}: ${one.map.name}, ${one.state}`))) : null;
  holder.replaceChildren(
    h("div", { class: "head" }, h("div", { class: "grow" }, h("h1", {}, "A pilot in the arena"), h("p", { class: "sub" }, "Every step is a decision; every intent is sent, judged and written down.")), picker),
    h("div", { class: "panel drive-start" }, form(maps, start)), body);
  const named = context.params.get("drive") ?? drives.at(-1)?.id;
  if (named) {
    if (picker) picker.value = named;
    watch(await get(at`/drives/${named}`));
  } else {
    body.replaceChildren(h("div", { class: "panel empty" }, h("h2", {}, "Nothing has been driven yet"), h("p", {}, `The pilot looks at the arena, proposes what it could do, arbitrates, and sends one intent. Choose one of ${many(maps.length, "arena")} and press Drive.`)));
  }
  return () => leave?.();
}
