// Drive: a pilot in the arena, live, and saved journals.

import { at, get, post } from "./api.js";
import { watchDrive } from "./driving.js";
import { h } from "./dom.js";
import { openJournal } from "./journal.js";
import { path } from "./place.js";
import { problems } from "./problems.js";
import { many } from "./words.js";

/** @typedef {import("./router.js").Context} Context */

export const title = "Drive";

const OFFERED = 3; // journals that are offered where nothing is open

/** The form for a new drive, filled with the settings of `like`: a drive or a journal's run.
 * @param {Api.MapShape[]} maps
 * @param {any} like
 * @param {(asked: Api.DriveAsked) => unknown} start
 */
function form(maps, like, start) {
  /** @param {string} id @param {string[][]} options @param {string | null | undefined} value */
  const choice = (id, options, value) =>
    h("select", { id }, options.map(([key, text]) => h("option", { value: key, selected: key === value }, text)));
  /** @param {string} id @param {number} low @param {number} high @param {number} value */
  const count = (id, low, high, value) => h("input", { type: "number", id, min: low, max: high, value });
  const map = choice("drive-map", maps.map((one) => [one.name, one.name]), like?.map?.name);
  const executor = choice("drive-executor", [["embedded", "embedded"], ["java", "Java"]], like?.executor);
  const seed = count("drive-seed", 0, 999999, like?.seed ?? 0);
  const steps = count("drive-steps", 1, 5000, like?.most_steps ?? 200);
  const pace = choice("drive-pace", [["real", "real time"], ["fast", "as fast as possible"]], like?.pace);
  return h("form", { class: "row drive-form", onsubmit: (event) => {
    event.preventDefault();
    return start(/** @type {Api.DriveAsked} */ ({
      executor: executor.value, map: map.value, seed: Number(seed.value), steps: Number(steps.value),
      goal: "opponent", pace: pace.value, journal: true }));
  } },
  h("label", { class: "field" }, "Arena", map), h("label", { class: "field" }, "Executor", executor),
  h("label", { class: "field" }, "Seed", seed), h("label", { class: "field" }, "Steps", steps),
  h("label", { class: "field" }, "Pace", pace),
  h("button", { class: "main", type: "submit" }, "Drive"));
}

/** @param {Api.DriveShape} drive */
const driveName = (drive) => `${drive.id}: ${drive.map.name}, seed ${drive.seed}, ${drive.state}`;
/** @param {Api.RecordShape} record */
const journalName = ({ name, journal }) => {
  const seed = journal?.seed ?? null;
  return `${name}${journal?.map ? `: ${journal.map}` : ""}${seed === null ? "" : `, seed ${seed}`}`;
};

/** The drives of this studio, and the journals in the folder.
 * @param {Api.DriveShape[]} drives
 * @param {Api.RecordShape[]} journals
 * @param {string} chosen
 * @param {(kind: string, id: string) => unknown} choose
 */
function picker(drives, journals, chosen, choose) {
  /** @param {string} label @param {string[][]} entries */
  const list = (label, entries) =>
    (entries.length
      ? h("optgroup", { label },
        entries.map(([value, text]) => h("option", { value, selected: value === chosen }, text))) : null);
  /** @type {HTMLSelectElement} */
  const select = h("select", {
    "aria-label": "Drive or journal", onchange: () => choose(select.value.split("/")[0], select.value.split("/")[1]),
  },
    chosen ? null : h("option", { value: "", selected: true }, "none"),
    list("Drives of this studio", drives.map((one) => [`drive/${one.id}`, driveName(one)])),
    list("Journals", journals.map((one) => [`journal/${one.id}`, journalName(one)])));
  return select;
}

/** @param {HTMLElement} holder @param {Context} context */
export async function show(holder, context) {
  const [maps, drives, {
    records: journals,
  }] = await Promise.all([get("/maps"), get("/drives"), get("/records?kind=journal")]);
  const saved = context.params.get("journal");
  const id = context.params.get("drive") ?? (saved ? null : drives.at(-1)?.id);
  const body = h("div", { class: "stack" });
  let refused = null;
  /** @param {string} path */
  const load = (path) => get(path).catch((error) => { refused = error; });
  const [drive, journal] = [id ? await load(at`/drives/${id}`) : null,
    saved ? await load(at`/journals/${saved}`) : null];
  /** @type {Api.RecordShape[]} */
  const readable = journals.filter((/** @type {Api.RecordShape} */ one) => one.fault === null);
  const pick = drives.length || readable.length
    ? picker([...drives].reverse(), readable, saved ? `journal/${saved}` : id ? `drive/${id}` : "",
      (kind, one) => kind && context.go("drive", { [kind]: one })) : null;
  /** @param {Api.DriveAsked} asked */
  async function start(asked) {
    try {
      const started = await post("/drives", asked);
      context.go("drive", { drive: started.id });
    } catch (error) {
      body.replaceChildren(problems(error));
    }
  }
  holder.replaceChildren(
    h("div", { class: "head" },
      h("div", { class: "grow" }, h("h1", {}, "A pilot in the arena"),
        h("p", { class: "sub" }, "Every step is a decision; every intent is sent, judged and recorded.")), pick),
    h("div", { class: "panel drive-start" }, form(maps, drive ?? journal?.runs[0], start)), body);
  if (refused) body.replaceChildren(problems(refused));
  if (journal) return openJournal(body, journal, context);
  if (drive) {
    return watchDrive(body, drive, context, (ended) => {
      const option = [...pick?.options ?? []].find((one) => one.value === `drive/${ended.id}`);
      if (option) option.textContent = driveName(ended);
    });
  }
  if (!refused) body.replaceChildren(h("div", { class: "panel empty" },
    h("h2", {}, readable.length ? "Drive, or open a journal" : "Nothing has been driven yet"),
    h("p", {}, "The pilot looks at the arena, proposes what it could do, arbitrates, and sends one intent. ",
      `Choose one of ${many(maps.length, "arena")} and press Drive`,
      readable.length ? ", or see what was recorded before." : "."),
    readable.length ? h("ul", { class: "offers" }, readable.slice(0, OFFERED).map((one) =>
      h("li", {}, h("a", { class: "button", href: path("drive", { journal: one.id }) }, journalName(one))))) : null));
  return null;
}
