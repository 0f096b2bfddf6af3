// Ensemble: many evenings over seeds and settings: how they end, who breaks down, and what the doctor finds.

import { at, get, post } from "./api.js";
import { charts } from "./charts.js";
import { h, table } from "./dom.js";
import { distribution, heat, whiskers } from "./intervals.js";
import { hue, mark } from "./palette.js";
import { problems } from "./problems.js";
import { capitalize, many, percent, humanize, short } from "./words.js";

/** @typedef {import("./dom.js").Child} Child */
/** @typedef {import("./router.js").Context} Context */

export const title = "Ensemble";

/** @type {("x" | "y")[]} */
const AXES = ["x", "y"];
const POINTS = 40; // the most rows that are still readable

/** @param {string} id */
const name = (id) => capitalize(humanize(id));
/** @param {string} id @param {number} number */
const asPerson = (id, number) => ({ number, short: capitalize(id) });

/** @param {string} key */
const settingName = (key) => key.replace(/^rules\./, "");

/** A combination of settings in words.
 * @param {Api.EnsembleShape} ensemble
 * @param {number} point
 */
const pointName = (ensemble, point) =>
  Object.entries(ensemble.points[point])
    .map(([key, value]) => `${settingName(key)} = ${typeof value === "number" ? short(value) : value}`).join(", ")
    || "the scenario's defaults";

/** What the doctor found, with what to change.
 * @param {Api.DoctorFindings} found
 */
function findings(found) {
  return h("div", { class: "stack" },
    h("p", {},
      h("span", { class: `chip ${found.healthy ? "good" : "warn"}` },
        found.healthy ? "\u2713 healthy" : many(found.symptoms.length, "symptom"))),
    found.symptoms.map((one) => h("div", { class: "symptom" }, h("h3", {}, capitalize(one.name)),
      h("ul", { class: "small" },
        one.evidence.map((each) =>
          h("li", {}, `${each.what}: `, h("strong", { class: "number" }, `${short(each.value, 2)} ${each.unit}`)))),
      one.settings.length
        ? h("p", { class: "small" }, h("span", { class: "soft" }, "Try "),
          one.settings.map((each) =>
            h("code", { class: "setting" }, `${each.path} ${short(each.now)} \u2192 ${short(each.to)}`))) : null)),
    table("What evenings should be like", ["State", "Target", "Actual", "Expected"],
      h("tbody", {},
        found.targets.map((target) =>
          h("tr", {},
            h("td", {},
              h("span", { class: `chip ${target.holds ? "good" : "bad"}` },
                target.holds ? "\u2713 holds" : "\u2715 fails")),
        h("td", {}, target.name, target.detail ? h("span", { class: "soft" }, ` (${target.detail})`) : null),
        h("td", { class: "number" }, `${short(target.value, 1)} ${target.unit}`),
        h("td", { class: "number" }, `${target.bar} ${target.unit}`))))));
}

/** Every mean of two groups side by side; the server lists those whose intervals do not overlap first.
 * @param {Api.PointComparison} found
 */
function differences({ pairs }) {
  const apart = pairs.filter((pair) => pair.apart).length;
  /** @param {Api.Interval} all @param {number} digits */
  const value = (all, digits) => short(all.value, digits)
    + (all.low === null ? "" : ` (${short(all.low, digits)} to ${short(all.high, digits)})`);
  /** Both with as many digits as it takes to see a difference, where there is one.
   * @param {Api.Pair} pair
   */
  const both = ({ first, second, apart: differ }) => {
    let digits = 2;
    while (differ && digits < 12 && value(first, digits) === value(second, digits)) digits += 1;
    return [value(first, digits), value(second, digits)];
  };
  return h("div", {},
    h("p", { class: "small soft" },
      apart ? `${many(apart, "number")} of ${pairs.length} differ by more than their intervals.`
      : "No difference is larger than its interval."),
    table("Two settings compared", ["Number", "First", "Second"],
      h("tbody", {},
        pairs.slice(0, Math.max(8, Math.min(14, apart)))
        .map((pair) =>
          h("tr", {}, h("th", { scope: "row" }, humanize(pair.name)),
            both(pair).map((text) => h("td", { class: "number" }, text)))))));
}

/** The legend of two groups; null for one.
 * @param {string[]} labels
 */
const legend = (labels) => (labels.length > 1 ? h("p", { class: "legend small" }, labels.map((text, group) =>
  h("span", {}, h("span", { class: `swatch ${hue(group)} ${group ? "second" : ""}`, "aria-hidden": "true" }),
    h("span", {}, text)))) : null);

/** @param {HTMLElement} holder @param {Api.EnsembleShape} ensemble @param {Context} context */
async function draw(holder, ensemble, context) {
  const points = ensemble.points.map((_, point) => point);
  /** @param {string} what @param {Record<string, any>} asked @returns {Promise<any>} */
  const about = (what, asked) => get(at`/ensembles/${ensemble.id}/${what}` + `?${new URLSearchParams(asked)}`);
  const breakdowns = ensemble.people.map((id) => `catastrophes.${id}`);
  const byPoint = points.length > 1
    ? (await about("means", { columns: breakdowns, by: "point" })).cells.slice(0, POINTS) : [];
  const numbers = Object.keys(ensemble.figures.means);
  /** @type {{ first: number, second: number | null, column: string, x: string, y: string }} */
  const chosen = { first: 0, second: points.length > 1 ? 1 : null, column: "tension", x: "", y: "" };
  const body = h("div", { class: "ensemble" });
  /**
   * @param {string} label
   * @param {[string | number, string][]} options
   * @param {string | number | null} value
   * @param {(key: string) => unknown} choose
   */
  const select = (label, options, value, choose) =>
    h("label", { class: "field" }, label, h("select", { onchange: (event) => choose(event.target.value) },
    options.map(([key, text]) => h("option", { value: key, selected: String(key) === String(value) }, text))));
  /** @type {[string | number, string][]} */
  const pointOptions = points.map((point) => [point, pointName(ensemble, point)]);
  const shape = h("div");
  const plane = h("div");
  const advice = h("div");
  const { varied } = ensemble;
  [chosen.x, chosen.y] = varied;
  const drawn = await charts();
  const chosenPoints = () => [chosen.first, chosen.second].filter((point) => point !== null);
  /** @type {Record<string, number>} */
  const turns = {};
  /** Ask, and draw the answer unless something else was asked in the meantime.
   * @template T
   * @param {string} part
   * @param {() => Promise<T>} ask
   * @param {(found: T) => unknown} draw
   */
  async function latest(part, ask, draw) {
    const mine = turns[part] = (turns[part] ?? 0) + 1;
    const found = await ask();
    return mine === turns[part] ? draw(found) : null;
  }

  function spread() {
    const { column } = chosen;
    const asked = chosenPoints();
    return latest("spread", () => Promise.all(asked.map((point) => about("cells", { columns: column, point }))),
      (answers) => {
      /** @type {[string, number[]][]} */
      const groups = answers.map(({ columns }, group) => [pointName(ensemble, asked[group]),
        columns[column].filter((/** @type {number | null} */ value) => value !== null)]);
      const empty = groups.every(([, values]) => !values.length);
      shape.replaceChildren(drawn && !empty ? drawn.distribution(groups, humanize(column))
        : distribution(groups, column), legend(groups.map(([text]) => text)) ?? "");
    });
  }
  /** The mean of the selected number over two settings; the server averages over the others. */
  function lay() {
    if (!drawn || varied.length < 2) return null;
    const { column, x, y } = chosen;
    return latest("lay", () => about("means", { columns: column, by: [x, y] }), ({ cells }) => {
      /** @type {[string | number | boolean, string | number | boolean, number | null][]} */
      const values = cells.map((/** @type {Api.Cell} */ cell) => [...cell.at, cell.means[column]]);
      plane.replaceChildren(values.some(([, , value]) => value !== null)
        ? drawn.surface(values, [x, y].map(settingName), humanize(column))
        : h("p", { class: "soft" }, "No evening has this value."));
    });
  }
  async function consult() {
    const point = chosen.first;
    advice.replaceChildren(h("p", { class: "soft" }, "The doctor is examining the evenings"));
    try {
      const found = await about("doctor", { point });
      if (point === chosen.first) advice.replaceChildren(findings(found));
    } catch (error) {
      advice.replaceChildren(problems(error));
    }
  }
  function change() {
    const groups = chosenPoints();
    const [first, second] = groups;
    return latest("change",
      () => (groups.length > 1 ? about("compare", { first, second }) : about("figures", { point: first })),
      (found) => fill(groups, found));
  }
  /** @param {number[]} groups @param {any} found */
  function fill(groups, found) {
    const compared = groups.length > 1 ? found : null;
    /** @type {Api.Figures[]} */
    const figures = compared ? [compared.first, compared.second] : found;
    const labels = groups.map((point) => pointName(ensemble, point));
    const endings = [...new Set(figures.flatMap((one) => Object.keys(one.endings)))];
    /** @param {string} text @param {...Child} children */
    const panel = (text, ...children) =>
      h("section", { class: "panel", "aria-label": text }, h("h2", {}, text), children);
    body.replaceChildren(
      h("div", { class: "stack" },
        panel("How evenings end",
          whiskers(endings.map((id) => [name(id), null, null, figures.map((one) => one.endings[id])]), labels, percent),
          legend(labels)),
        panel("Breakdowns by person",
          whiskers(ensemble.people.map((id, number) =>
            [capitalize(id), mark(asPerson(id, number)), number,
              figures.map((one) => one.means[`catastrophes.${id}`])]), labels)),
        points.length > 1
          ? panel("Breakdowns by setting", heat("Breakdowns of each person by setting", ensemble.people.map(capitalize),
          byPoint.map((/** @type {Api.Cell} */ { at: [point], means }) =>
            [pointName(ensemble, Number(point)), breakdowns.map((key) => means[key])]))) : null,
        panel("Distribution",
          select("Number", numbers.map((key) => [key, humanize(key)]), chosen.column,
            (key) => { chosen.column = key; return Promise.all([lay(), spread()]); }), shape),
        drawn && varied.length > 1 ? panel("Over two settings", h("div", { class: "row" }, AXES.map((axis) =>
          select(axis === "x" ? "Across" : "Up", varied.map((key) => [key, settingName(key)]), chosen[axis],
            (key) => { chosen[axis] = key; return lay(); }))), plane) : null),
      h("div", { class: "stack" },
        compared ? panel("Compared", differences(compared)) : null,
        panel(`The doctor on ${labels[0]}`, advice)));
    return Promise.all([lay(), spread(), consult()]);
  }

  const row = h("input", { type: "number", min: 0, max: ensemble.evenings - 1, value: 0, "aria-label": "Evening" });
  const open = h("button", { type: "button", onclick: async () => {
    open.disabled = true;
    const started = await post(at`/ensembles/${ensemble.id}/evenings/${row.value}`)
      .catch((error) => { body.prepend(problems(error)); });
    open.disabled = false;
    if (started) context.go("stage", { run: started.id });
  } }, "See it on the stage");
  holder.append(h("div", { class: "panel ensemble-bar row" },
    select("Setting", pointOptions, chosen.first, (point) => { chosen.first = Number(point); return change(); }),
    points.length > 1
      ? select("Compared with", [["", "nothing"], ...pointOptions], chosen.second,
        (point) => { chosen.second = point === "" ? null : Number(point); return change(); }) : null,
    h("span", { class: "grow" }), h("label", { class: "field" }, "Evening", row), open), body);
  await change();
}

/** @param {HTMLElement} holder @param {Context} context */
export async function show(holder, context) {
  const { records } = await get("/records?kind=ensemble");
  /** @type {Api.RecordShape[]} */
  const ready = records.filter((/** @type {Api.RecordShape} */ one) => one.ensemble?.finished);
  const id = context.params.get("ensemble") ?? ready[0]?.id;
  /** @param {string} sub @param {...Child} more */
  const head = (sub, ...more) =>
    h("div", { class: "head" },
      h("div", { class: "grow" }, h("h1", {}, "Many evenings"), h("p", { class: "sub" }, sub)), more);
  if (!id) {
    holder.replaceChildren(head("What a scenario does over many seeds and settings."),
      h("div", { class: "panel empty" }, h("h2", {}, "No ensemble is in this folder yet"),
      h("p", {}, "An ensemble plays a scenario over many seeds and settings, and keeps one table of the results."),
      h("pre", { class: "commands" },
        "volition ensemble run dinner-party --seeds 1-50 --grid rules.noise.sigma=0.05,0.1 --out noise")));
    return;
  }
  const ensemble = await get(at`/ensembles/${id}`);
  /** @type {HTMLSelectElement} */
  const picker = h("select", {
    "aria-label": "Ensemble", onchange: () => context.go("ensemble", { ensemble: picker.value }),
  }, ready.map((one) => h("option", { value: one.id, selected: one.id === id }, one.name)));
  holder.replaceChildren(head([
    `${ensemble.scenario_name}: ${many(ensemble.evenings, "evening")}`, many(ensemble.seeds, "seed"),
    `${many(ensemble.points.length, "combination")} of ${ensemble.settings.join(", ") || "nothing swept"}`,
  ].join(", "), picker));
  await draw(holder, ensemble, context);
}
