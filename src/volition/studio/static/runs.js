// Choosing a run, and playing a new one.

import { post } from "./api.js";
import { dialog } from "./dialog.js";
import { h } from "./dom.js";
import { path } from "./place.js";
import { problems } from "./problems.js";
import { humanize } from "./words.js";

/** @typedef {import("./router.js").Context} Context */
/** @typedef {import("./source.js").Run} Run */

/** The run that an address names, else the newest; null where there is none.
 * @param {Context} context
 */
export async function currentRun(context) {
  const named = context.params.get("run");
  if (named) return named;
  const runs = await context.source.runs();
  // A guest who is still played knows less than a page of the evening shows: such a run is opened by its name only.
  return runs.find((one) => one.intact !== false && !isPlayed(one))?.id ?? null;
}

/** Whether a person still plays a guest in a run.
 * @param {Pick<Run, "run">} record
 */
export const isPlayed = ({ run }) => Boolean(run?.guest && !run.ending);

/** A list of runs to choose from.
 * @param {Context} context
 * @param {string} chosen
 * @param {(id: string) => unknown} choose
 * @param {string} [label]
 */
export function runPicker(context, chosen, choose, label = "Run") {
  /** @type {HTMLSelectElement} */
  const select = h("select", { "aria-label": label, onchange: () => choose(select.value) },
    h("option", { value: chosen, selected: true }, chosen));
  context.source.runs().then((runs) => {
    const ids = runs.map((one) => one.id);
    if (!ids.includes(chosen)) ids.unshift(chosen);
    select.replaceChildren(...ids.map((id) => h("option", { value: id, selected: id === chosen }, id)));
  }).catch(() => {}); // the page reports it elsewhere; the list then has this run only
  return select;
}

/** A dialog that asks for a scenario, a seed and a pace, and starts an evening.
 * @param {Context} context
 */
export function playDialog(context) {
  const scenario = h("select", { id: "play-scenario" }, h("option", { value: "dinner-party" }, "dinner-party"));
  const seed = h("input", {
    type: "number", id: "play-seed", min: 0, max: 999999, value: 1 + Math.floor(Math.random() * 999),
  });
  const pace = h("select", { id: "play-pace" },
    [["0", "instant"], ["0.1", "fast"], ["0.4", "normal"], ["1", "slow"]].map(([value, text]) =>
    h("option", { value, selected: value === "0.4" }, text)));
  const about = h("p", { class: "soft small" });
  const wrong = h("div");
  const go = h("button", { class: "main", type: "submit" }, "Play");
  const asking = dialog("Play an evening", h("form", {
    onsubmit: async (event) => {
      event.preventDefault();
      go.disabled = true;
      try {
        const started = await post("/play", {
          scenario: scenario.value, seed: Number(seed.value), pace: Number(pace.value),
        });
        asking.close();
        context.go("stage", { run: started.id });
      } catch (error) {
        wrong.replaceChildren(problems(error));
        go.disabled = false;
      }
    },
  },
  h("div", { class: "fields" },
    h("label", { for: "play-scenario" }, "Scenario"), scenario,
    h("label", { for: "play-seed" }, "Seed"), seed,
    h("label", { for: "play-pace" }, "Pace"), pace),
  about, wrong,
  h("div", { class: "row" }, h("button", { type: "button", onclick: () => asking.close() }, "Cancel"), go)));
  context.source.scenarios().then((list) => {
    scenario.replaceChildren(...list.map((one) => h("option", { value: one.id }, one.name || humanize(one.id))));
    const describe = () => {
      const one = list.find((each) => each.id === scenario.value);
      about.textContent = one
        ? `${one.description} ${one.people.length} people, ${one.rooms.length} rooms, ${one.secrets.length} secrets.`
        : "";
    };
    scenario.addEventListener("change", describe);
    describe();
  }).catch((error) => wrong.replaceChildren(problems(error)));
}

/** What pages show before anything was played: what to do, here and elsewhere.
 * @param {HTMLElement} holder
 * @param {Context} context
 */
export function nothingYet(holder, context) {
  holder.replaceChildren(h("div", { class: "panel empty" },
    h("h1", {}, "No evening has been played here yet"),
    h("p", {}, "An evening is several minds in one house. Each decides by vetoes, votes and tie-breaks, and you can ",
      "ask why about every choice. Play one and watch it here."),
    context.source.canAsk ? offers(context) : null));
}

/** What to start in an empty folder.
 * @param {Context} context
 */
export function offers(context) {
  return [
    h("button", { type: "button", class: "main", onclick: () => playDialog(context) }, "Play the first evening"),
    h("ul", { class: "offers" },
      [[path("play"), "Play a guest yourself"], [path("decision", { paste: 1 }), "Paste a decision"],
        [path("govern"), "Evaluate sample plans"], [path("drive"), "Drive through an arena"]].map(([href, text]) =>
        h("li", {}, h("a", { class: "button", href }, text)))),
  ];
}
