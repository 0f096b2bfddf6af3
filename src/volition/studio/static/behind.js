// The evenings behind a bar or a cell of an ensemble: a list of seeds, each of which opens on the stage.

import { at, get, post } from "./api.js";
import { dialog } from "./dialog.js";
import { h, some } from "./dom.js";
import { problems } from "./problems.js";
import { many, short } from "./words.js";

/** @typedef {import("./router.js").Context} Context */
/** A value of a cell. @typedef {Api.Cells["columns"][string][number]} Value */
/** Which evenings: those of some points of which `wanted(value)` of a column is true.
 * @typedef {{ points: number[], column: string, wanted: (value: Value) => boolean, title: string }} Sought
 */

const SHOWN = 48;

/** Show the evenings behind something.
 * @param {Api.EnsembleShape} ensemble
 * @param {Context} context
 * @param {Sought} sought
 */
export async function behind(ensemble, context, { points, column, wanted, title }) {
  const list = h("ol", { class: "seeds" });
  const note = h("p", { class: "soft small" }, "Looking for them");
  const wrong = h("div");
  const opened = dialog(title, note, list, wrong,
    h("form", { method: "dialog", class: "row" }, h("button", { class: "main" }, "Close")));

  /** @param {number} row @param {HTMLButtonElement} button */
  const open = async (row, button) => {
    button.disabled = true;
    try {
      const started = await post(at`/ensembles/${ensemble.id}/evenings/${row}`);
      opened.close();
      context.go("stage", { run: started.id });
    } catch (error) {
      wrong.replaceChildren(problems(error));
      button.disabled = false;
    }
  };
  try {
    /** @param {number} point @returns {Promise<Api.Cells>} */
    const ask = (point) => {
      const asked = new URLSearchParams({ columns: `row,seed,${column}`, point: String(point) });
      return get(at`/ensembles/${ensemble.id}/cells` + `?${asked}`);
    };
    const answers = await Promise.all(points.map(ask));
    const found = answers
      .flatMap(({ columns }) => columns.row.map((row, place) =>
        ({ row: Number(row), seed: columns.seed[place], value: columns[column][place] })))
      .filter(({ value }) => wanted(value));
    note.textContent = `${many(found.length, "evening")}. Each is played again from its seed and opens on the stage.`;
    some(list, found, ({ row, seed, value }) => {
      /** @type {HTMLButtonElement} */
      const button = h("button", { type: "button", "data-row": row, onclick: () => open(row, button) }, `Seed ${seed}`,
        typeof value === "number" ? h("span", { class: "soft small number" }, short(value)) : null);
      return h("li", {}, button);
    }, SHOWN);
  } catch (error) {
    wrong.replaceChildren(problems(error));
  }
}
