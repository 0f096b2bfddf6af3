// Ensemble: many evenings over seeds and settings: how they end, who breaks down, and what the doctor finds.

import { at, get, post } from "./api.js";
import { behind } from "./behind.js";
import { h, write } from "./dom.js";
import { differences, findings } from "./findings.js";
import { distribution, heat, whiskers } from "./intervals.js";
import { hue, mark } from "./palette.js";
import { problems } from "./problems.js";
import { scatter } from "./scatter.js";
import { sweepDialog, unfinishedView } from "./sweep.js";
import { capitalize, many, percent, humanize, short } from "./words.js";

/** @typedef {import("./behind.js").Sought} Sought */
/** @typedef {import("./dom.js").Child} Child */
/** @typedef {import("./sweep.js").Drawn} Drawn */
/** @typedef {import("./intervals.js").Setting} Setting */
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

/** @param {Setting | null} value */
const settingValue = (value) => (typeof value === "number" ? short(value) : String(value));

/** A combination of settings in words: those that vary, if some do.
 * @param {Api.EnsembleShape} ensemble
 * @param {number} point
 */
const pointName = ({ points, varied }, point) =>
  Object.entries(points[point]).filter(([key]) => !varied.length || varied.includes(key))
    .map(([key, value]) => `${settingName(key)} = ${settingValue(value)}`).join(", ") || "the scenario's defaults";

/** The legend of two groups; null for one.
 * @param {string[]} labels
 */
const legend = (labels) => (labels.length > 1 ? h("p", { class: "legend small" }, labels.map((text, group) =>
  h("span", {}, h("span", { class: `swatch ${hue(group)} ${group ? "second" : ""}`, "aria-hidden": "true" }),
    h("span", {}, text)))) : null);

/** The figures of an ensemble, which can be drawn again after more of it was played.
 * @param {HTMLElement} holder
 * @param {Api.EnsembleShape} ensemble
 * @param {Context} context
 * @returns {Promise<Drawn>}
 */
async function draw(holder, ensemble, context) {
  /** @param {Api.EnsembleShape} ensemble */
  const playedPoints = (ensemble) =>
    ensemble.points.map((_, point) => point).filter((point) => ensemble.played_at[point]);
  let points = playedPoints(ensemble);
  /** @param {string} what @param {Record<string, any>} asked @returns {Promise<any>} */
  const about = (what, asked) => get(at`/ensembles/${ensemble.id}/${what}` + `?${new URLSearchParams(asked)}`);
  const breakdowns = ensemble.people.map((id) => `catastrophes.${id}`);
  /** @param {number[]} points @returns {Promise<Api.Cell[]>} */
  const askByPoint = async (points) => (points.length > 1
    ? (await about("means", { columns: breakdowns, by: "point" })).cells.slice(0, POINTS) : []);
  let byPoint = await askByPoint(points);
  const numbers = Object.keys(ensemble.figures.means);
  const { varied } = ensemble;
  /** @type {{ first: number, second: number | null, column: string, x: string, y: string }} */
  const chosen = {
    first: points[0], second: points[1] ?? null, column: "tension", x: varied[0], y: varied[1],
  };
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
  /** @returns {[number, string][]} */
  const pointOptions = () => points.map((point) => [point, pointName(ensemble, point)]);
  const shape = h("div");
  const plane = h("div");
  const advice = h("div");
  const meanings = new Map(ensemble.columns.map((one) => [one.name, one.about]));
  /** @param {string} column */
  const meaning = (column) => meanings.get(column) ?? "";
  /** Show the evenings of some points by what a column has in them.
   * @param {number[]} points
   * @param {string} column
   * @param {Sought["wanted"]} wanted
   * @param {string} title
   */
  const openEvenings = (points, column, wanted, title) => behind(ensemble, context, { points, column, wanted, title });
  const chosenPoints = () => [chosen.first, chosen.second].filter((point) => point !== null);
  /** @type {Record<string, number>} */
  const turns = {};
  /** Ask, and draw the answer unless something else was asked in the meantime.
   * @template T, R
   * @param {string} part
   * @param {() => Promise<T>} ask
   * @param {(found: T) => R} draw
   */
  async function latest(part, ask, draw) {
    const mine = turns[part] = (turns[part] ?? 0) + 1;
    const found = await ask();
    return mine === turns[part] ? draw(found) : null;
  }

  function spread() {
    const { column } = chosen;
    const asked = chosenPoints();
    /** @param {number} point @returns {Promise<Api.Cells>} */
    const ask = (point) => about("cells", { columns: column, point });
    return latest("spread", () => Promise.all(asked.map(ask)), (answers) => {
      /** @type {[string, number[]][]} */
      const groups = answers.map(({ columns }, group) =>
        [pointName(ensemble, asked[group]), columns[column].filter((value) => typeof value === "number")]);
      /** @param {number} low @param {number} high @param {boolean} last */
      const show = (low, high, last) => openEvenings(asked, column,
        (value) => typeof value === "number" && value >= low && (value < high || (last && value === high)),
        `${capitalize(humanize(column))} ${short(low)} to ${short(high)}`);
      shape.replaceChildren(h("p", { class: "meaning soft" }, meaning(column)),
        distribution(groups, humanize(column), show), legend(groups.map(([text]) => text)) ?? "");
    });
  }
  /** The mean of the selected number over two settings; the server averages over the others. */
  function lay() {
    if (varied.length < 2) return null;
    const { column, x, y } = chosen;
    /** @type {() => Promise<Api.Means>} */
    const ask = () => about("means", { columns: column, by: [x, y] });
    return latest("lay", ask, ({ cells }) => {
      /** @type {[Setting, Setting, number | null][]} */
      const values = cells.map(({ at: [across, up], means }) => [across, up, means[column]]);
      plane.replaceChildren(values.some(([, , value]) => value !== null) ? surface(values, [x, y], column)
        : h("p", { class: "soft" }, "No evening has this value."));
    });
  }
  /** A full grid is a heat map, anything else a scatter plot; cells and dots open their evenings.
   * @param {[Setting, Setting, number | null][]} values
   * @param {[string, string]} settings
   * @param {string} column
   */
  function surface(values, [x, y], column) {
    /** @param {0 | 1} axis */
    const along = (axis) => [...new Set(places.map((one) => one[axis]))].sort((a, b) => (a < b ? -1 : 1));
    const places = ensemble.points.map((point) => /** @type {[Setting, Setting]} */ ([point[x], point[y]]));
    const [xs, ys] = [along(0), along(1)];
    const known = new Map(values.map((one) => [JSON.stringify(one.slice(0, 2)), one[2]]));
    const label = `${humanize(column)} over ${settingName(x)} and ${settingName(y)}`;
    /** @param {string} key @param {Setting} value */
    const text = (key, value) => `${settingName(key)} ${settingValue(value)}`;
    /** @param {Setting} across @param {Setting} up */
    const openAt = (across, up) => openEvenings(
      points.filter((point) => ensemble.points[point][x] === across && ensemble.points[point][y] === up),
      column, () => true, `${capitalize(humanize(column))} at ${text(x, across)}, ${text(y, up)}`);
    if (new Set(places.map((one) => JSON.stringify(one))).size !== xs.length * ys.length) {
      return scatter(values, [settingName(x), settingName(y)], humanize(column), openAt);
    }
    return heat(label, xs.map((value) => text(x, value)),
      ys.map((value) => [text(y, value), xs.map((other) => known.get(JSON.stringify([other, value])) ?? null)]),
      (row, place) => openAt(xs[place], ys[row]), 3);
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
  /** @param {number[]} groups */
  const askFigures = ([first, ...rest]) =>
    (rest.length ? about("compare", { first, second: rest[0] }) : about("figures", { point: first }));
  function change() {
    const groups = chosenPoints();
    return latest("change", () => askFigures(groups), (found) => fill(groups, found));
  }
  /** @param {number[]} groups @param {any} found */
  function fill(groups, found) {
    /** @type {Api.PointComparison | null} */
    const compared = groups.length > 1 ? found : null;
    const [first, second] = groups;
    /** @type {Api.Figures[]} */
    const figures = compared ? [compared.first, compared.second] : found;
    const labels = groups.map((point) => pointName(ensemble, point));
    const endings = [...new Set(figures.flatMap((one) => Object.keys(one.endings)))];
    /** @param {string} text @param {...Child} children */
    const panel = (text, ...children) =>
      h("section", { class: "panel", "aria-label": text }, h("h2", {}, text), children);
    /** @param {string} text */
    const says = (text) => h("p", { class: "meaning soft" }, text);
    /** @param {number} row */
    const pointOf = (row) => Number(byPoint[row].at[0]);
    body.replaceChildren(
      h("div", { class: "stack" },
        panel("How evenings end", says(`${meaning("ending")} The line is the 95 % interval; a bar opens its evenings.`),
          whiskers(endings.map((id) => [name(id), null, null, figures.map((one) => one.endings[id]),
            (group) => openEvenings([groups[group]], "ending", (value) => value === id,
              `${name(id)}: ${labels[group]}`)]), labels, percent), legend(labels)),
        panel("Breakdowns by person", says(meaning(breakdowns[0])),
          whiskers(ensemble.people.map((id, number) => [capitalize(id), mark(asPerson(id, number)), number,
            figures.map((one) => one.means[`catastrophes.${id}`]),
            (group) => openEvenings([groups[group]], `catastrophes.${id}`, (value) => Number(value) > 0,
              `${capitalize(id)} breaks down: ${labels[group]}`)]), labels)),
        points.length > 1 ? panel("Breakdowns by setting", says(meaning(breakdowns[0])),
          heat("Breakdowns of each person by setting", ensemble.people.map(capitalize),
            byPoint.map(({ means }, row) => [pointName(ensemble, pointOf(row)), breakdowns.map((key) => means[key])]),
            (row, column) => openEvenings([pointOf(row)], breakdowns[column], () => true,
              `Breakdowns of ${capitalize(ensemble.people[column])}: ${pointName(ensemble, pointOf(row))}`))) : null,
        panel("Distribution", select("Number", numbers.map((key) => [key, humanize(key)]), chosen.column,
          (key) => { chosen.column = key; return Promise.all([lay(), spread()]); }), shape),
        varied.length > 1 ? panel("Over two settings", h("div", { class: "row" }, AXES.map((axis) =>
          select(axis === "x" ? "Across" : "Up", varied.map((key) => [key, settingName(key)]), chosen[axis],
            (key) => { chosen[axis] = key; return lay(); }))), plane) : null),
      h("div", { class: "stack" },
        compared ? panel("Compared", first === second
          ? says("These are the same settings: there is nothing to compare.") : differences(compared, meaning)) : null,
        panel(`The doctor on ${labels[0]}`, advice)));
    return Promise.all([lay(), spread(), consult()]);
  }

  const row = h("input", { type: "number", min: 0, max: ensemble.planned - 1, value: 0, "aria-label": "Evening" });
  const open = h("button", { type: "button", onclick: async () => {
    open.disabled = true;
    const started = await post(at`/ensembles/${ensemble.id}/evenings/${row.value}`)
      .catch((error) => { body.prepend(problems(error)); });
    open.disabled = false;
    if (started) context.go("stage", { run: started.id });
  } }, "See it on the stage");
  const choices = h("div", { class: "row" });
  const count = h("p", { class: "soft small", hidden: ensemble.finished });
  function offer() {
    choices.replaceChildren(
      select("Setting", pointOptions(), chosen.first, (point) => { chosen.first = Number(point); return change(); }),
      ...(points.length > 1 ? [select("Compared with", [["", "nothing"], ...pointOptions()], chosen.second,
        (point) => { chosen.second = point === "" ? null : Number(point); return change(); })] : []));
    write(count, `These are the figures of ${many(ensemble.evenings, "evening")} of ${ensemble.planned}.`);
  }
  offer();
  const bar = h("div", { class: "panel ensemble-bar row" }, choices,
    h("span", { class: "grow" }), h("label", { class: "field" }, "Evening", row), open, count);
  holder.append(bar, body);
  await change();
  const isUsed = () => [bar, body].some((one) => one.contains(document.activeElement))
    || document.querySelector("dialog") !== null;
  return {
    isUsed,
    async renew(newer) {
      const groups = chosenPoints();
      const newerPoints = playedPoints(newer);
      const ask = () => Promise.all([askByPoint(newerPoints), askFigures(groups)]);
      const renewed = await latest("change", ask, async ([newerByPoint, found]) => {
        if (isUsed()) return false; // since the figures were asked for
        [ensemble, points, byPoint] = [newer, newerPoints, newerByPoint];
        offer();
        await fill(groups, found);
        return true;
      });
      return renewed ?? false;
    },
  };
}

/** What was varied, as the end of a sentence.
 * @param {number} points
 * @param {string[]} settings
 */
const swept = (points, settings) =>
  (settings.length ? `, ${many(points, "combination")} of ${settings.join(", ")}` : "");

/** @param {HTMLElement} holder @param {Context} context */
export async function show(holder, context) {
  /** @type {Api.RecordList} */
  const { records } = await get("/records?kind=ensemble");
  const listed = records.filter((one) => one.ensemble);
  const id = context.params.get("ensemble") ?? (listed.find((one) => one.ensemble?.finished) ?? listed[0])?.id;
  const play = h("button", {
    type: "button", class: listed.length ? null : "main", onclick: () => sweepDialog(context),
  }, "Play many evenings");
  /** @param {string} sub @param {...Child} more */
  const head = (sub, ...more) => h("div", { class: "head" },
    h("div", { class: "grow" }, h("h1", {}, "Many evenings"), h("p", { class: "sub" }, sub)), more);
  if (!id) {
    holder.replaceChildren(head("What a scenario does over many seeds and settings."),
      h("div", { class: "panel empty" }, h("h2", {}, "No ensemble is in this folder yet"),
        h("p", {}, "An ensemble plays a scenario over many seeds and settings, and keeps one table of the results."),
        play, h("p", { class: "small" }, "Larger ones are played from the command line:"),
        h("pre", { class: "commands" },
          "volition ensemble run dinner-party --seeds 1-50 --grid rules.noise.sigma=0.05,0.1 --out noise")));
    return undefined;
  }
  /** @type {HTMLSelectElement} */
  const picker = h("select", {
    "aria-label": "Ensemble", onchange: () => context.go("ensemble", { ensemble: picker.value }),
  }, listed.map((one) => h("option", { value: one.id, selected: one.id === id },
    one.ensemble?.finished ? one.name : `${one.name} (not finished)`)));
  const tools = h("div", { class: "row" }, picker, play);
  const begun = listed.find((one) => one.id === id);
  if (begun?.ensemble && !begun.ensemble.finished) {
    const { scenario, evenings, points, settings } = begun.ensemble;
    holder.replaceChildren(head(`${scenario}: ${many(evenings, "evening")}${swept(points, settings)}`, tools));
    return unfinishedView(holder, begun, begun.ensemble, context, draw);
  }
  /** @type {Api.EnsembleShape} */
  const ensemble = await get(at`/ensembles/${id}`);
  const played = `${many(ensemble.evenings, "evening")}, ${many(ensemble.seeds, "seed")}`;
  const over = swept(ensemble.points.length, ensemble.settings);
  holder.replaceChildren(head(`${ensemble.scenario_name}: ${played}${over}`, tools));
  await draw(holder, ensemble, context);
  return undefined;
}
