// Many evenings begun from a page, followed while they are played, stopped, and continued.

import { at, follow, get, post } from "./api.js";
import { dialog } from "./dialog.js";
import { h, say, write } from "./dom.js";
import { progress } from "./meter.js";
import { problems } from "./problems.js";
import { many } from "./words.js";

/** @typedef {import("./router.js").Context} Context */

/** Figures that are drawn. While somebody uses them they stay as they are: `renew` draws newer ones unless somebody
 * began to meanwhile, and says whether it did.
 * @typedef {{ isUsed: () => boolean, renew: (newer: Api.EnsembleShape) => Promise<boolean> }} Drawn
 */

const EXAMPLE = "rules.noise.sigma";
const MORE = 8; // evenings, or a quarter more, until the figures of a running ensemble are drawn again

/** A dialog that asks for a scenario, seeds and settings, and begins an ensemble.
 * @param {Context} context
 */
export async function sweepDialog(context) {
  const scenario = h("select", { id: "sweep-scenario" });
  /** @param {string} id @param {number} value @param {number} max */
  const number = (id, value, max) => h("input", { type: "number", id, min: 0, max, value, required: true });
  const first = number("sweep-first", 1, 9007199254740991);
  const seeds = number("sweep-seeds", 20, 20000);
  const rows = [1, 2].map((place) => ({
    name: h("input", {
      type: "text", "aria-label": `Setting ${place}`, placeholder: place === 1 ? EXAMPLE : "another setting",
      autocomplete: "off",
    }),
    values: h("input", {
      type: "text", "aria-label": `Values of setting ${place}`, placeholder: place === 1 ? "0.05, 0.1, 0.2" : "",
      autocomplete: "off",
    }),
  }));
  const wrong = h("div");
  const go = h("button", { class: "main", type: "submit" }, "Play them");
  const asking = dialog("Play many evenings", h("form", { onsubmit: async (event) => {
    event.preventDefault();
    go.disabled = true;
    const grid = Object.fromEntries(rows.filter(({ name }) => name.value.trim()).map(({ name, values }) =>
      [name.value.trim(), values.value.split(",").map((one) => one.trim()).filter(Boolean)]));
    try {
      const started = await post("/ensembles", {
        scenario: scenario.value, first: Number(first.value), seeds: Number(seeds.value), grid,
      });
      asking.close();
      context.go("ensemble", { ensemble: started.id });
    } catch (error) {
      wrong.replaceChildren(problems(error));
      go.disabled = false;
    }
  } },
  h("div", { class: "fields" },
    h("label", { for: "sweep-scenario" }, "Scenario"), scenario,
    h("label", { for: "sweep-first" }, "First seed"), first,
    h("label", { for: "sweep-seeds" }, "Seeds"), seeds),
  h("p", { class: "soft small sweep-note" }, "Settings to vary, by their paths in the scenario file, with values ",
    "separated by commas; every seed is played with every combination."),
  rows.map(({ name, values }) => h("div", { class: "row sweep-setting" }, name, values)), wrong,
  h("div", { class: "row" }, h("button", { type: "button", onclick: () => asking.close() }, "Cancel"), go)));
  try {
    /** @type {Api.PlayableScenario[]} */
    const found = await get("/games/scenarios");
    scenario.replaceChildren(...found.map((one) =>
      h("option", { value: one.id }, one.own ? `${one.name} (${one.id})` : one.name)));
  } catch (error) {
    wrong.replaceChildren(problems(error));
  }
}

/** How far an ensemble is, and a button that stops it or goes on. `more(done)` is told again and again how many
 * evenings are played. Returns how to leave it.
 * @param {HTMLElement} holder
 * @param {Pick<Api.RecordShape, "id" | "live" | "stoppable">} record
 * @param {Api.EnsembleBrief} ensemble
 * @param {Context} context
 * @param {(done: number) => void} more
 */
function progressPanel(holder, { id, live, stoppable }, ensemble, context, more) {
  const bar = progress("Evenings played", ensemble.evenings);
  const said = h("p", { class: "number" });
  const noted = h("p", { class: "soft small" });
  const wrong = h("div");
  /** @param {number} done */
  function far(done) {
    bar.show(done);
    const state = stoppable ? "Being played" : live ? "Being played by another process" : "Stopped";
    write(said, `${state}: ${done} of ${many(ensemble.evenings, "evening")}.`);
  }
  far(ensemble.played);
  /** @param {"stop" | "resume"} what */
  const act = async (what) => {
    button.disabled = true;
    try {
      await post(at`/ensembles/${id}/${what}`);
      if (what === "resume") context.again({ ensemble: id });
    } catch (error) {
      wrong.replaceChildren(problems(error));
      button.disabled = false;
    }
  };
  const button = stoppable ? h("button", { type: "button", onclick: () => act("stop") }, "Stop")
    : live ? h("button", { type: "button", onclick: () => context.again({ ensemble: id }) }, "Look again")
      : h("button", { type: "button", class: "main", onclick: () => act("resume") }, "Go on");
  holder.append(h("section", { class: "panel stack sweep-progress", "aria-label": "Progress" },
    said, bar.element, noted, wrong, h("div", { class: "row" }, button)));
  if (!stoppable) return undefined;
  return follow(at`/ensembles/${id}/live`, {
    progress: (/** @type {Api.SweepProgress} */ { done, note }) => {
      far(done);
      write(noted, note);
      more(done);
    },
    end: (/** @type {Api.LiveEnd} */ { reason, problem }) => {
      say(reason === "ended" ? "All evenings are played." : reason === "stopped" ? "The ensemble was stopped."
        : `It failed: ${problem?.what ?? ""}`);
      context.again({ ensemble: id });
    },
  });
}

/** An ensemble that is not finished: how far it is, and the figures of what was played. While it is being played they
 * are drawn again now and then, unless somebody is using them. Returns how to leave it.
 * @param {HTMLElement} holder
 * @param {Api.RecordShape} record
 * @param {Api.EnsembleBrief} brief
 * @param {Context} context
 * @param {(holder: HTMLElement, ensemble: Api.EnsembleShape, context: Context) => Promise<Drawn>} draw
 */
export async function unfinishedView(holder, record, brief, context, draw) {
  const part = h("div");
  /** @type {Drawn | null} */
  let drawn = null;
  let next = 1; // how many evenings there must be for the figures to be drawn again
  let busy = false;
  /** @param {number} done */
  async function more(done) {
    if (done < next || busy || drawn?.isUsed()) return;
    busy = true;
    try {
      /** @type {Api.EnsembleShape} */
      const newest = await get(at`/ensembles/${record.id}`);
      if (!context.stay() || !newest.evenings) return;
      if (!drawn) drawn = await draw(part, newest, context);
      else if (!await drawn.renew(newest)) return;
      next = newest.evenings + Math.max(MORE, Math.ceil(newest.evenings / 4));
    } catch (error) {
      if (!drawn) part.replaceChildren(problems(error)); // what is drawn stays, and is drawn again later
    } finally {
      busy = false;
    }
  }
  const leave = progressPanel(holder, record, brief, context, more);
  holder.append(part);
  await more(brief.played);
  return leave;
}
