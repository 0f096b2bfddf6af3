// Charts with values on hover, zoom and download: Plotly from its package, on this page only.
// Where it is not installed `charts()` returns null, and the page draws simple charts.

import { h } from "./dom.js";
import { short } from "./words.js";

/** What is used of Plotly.
 * @typedef {{ react: (holder: HTMLElement, ...drawing: unknown[]) => Promise<unknown>,
 *   purge: (holder: HTMLElement) => void }} Library
 */
/** @typedef {string | number | boolean} Setting */
/** A label and its values.
 * @typedef {[string, number[]]} Group
 */

const SCRIPT = "/vendor/plotly.min.js";
/** @type {Promise<Library | null> | null} */
let loading = null;

/** Plotly, loaded once; null where it is not installed. */
function plotly() {
  loading ??= new Promise((settle) => {
    const script = document.createElement("script");
    script.src = SCRIPT;
    script.onload = () => settle(/** @type {any} */ (globalThis).Plotly ?? null);
    script.onerror = () => settle(null);
    document.head.append(script);
  });
  return loading;
}

/** A colour of the current theme, in a form that every library reads.
 * @param {string} name
 */
function colour(name) {
  const probe = h("span", { class: "unseen" });
  probe.style.color = `var(${name})`;
  document.body.append(probe);
  const found = getComputedStyle(probe).color;
  probe.remove();
  return found;
}

/** The layout of all charts in the current theme.
 * @param {Record<string, any>} more
 */
function layout(more) {
  const [ink, line] = [colour("--ink"), colour("--line")];
  const axis = { gridcolor: line, linecolor: line, zerolinecolor: line, automargin: true };
  return {
    paper_bgcolor: "rgba(0,0,0,0)", plot_bgcolor: "rgba(0,0,0,0)",
    font: { color: ink, family: getComputedStyle(document.body).fontFamily, size: 13 },
    modebar: { bgcolor: "rgba(0,0,0,0)", color: colour("--soft"), activecolor: colour("--accent") },
    margin: { l: 48, r: 12, t: 8, b: 44 }, height: 260, ...more, xaxis: { ...axis, ...more.xaxis },
    yaxis: { ...axis, ...more.yaxis },
  };
}

const BUTTONS = 36; // the height of the buttons above a drawing
// None of the buttons sends anything anywhere.
const OPTIONS = { displaylogo: false, displayModeBar: true,
  modeBarButtons: [["zoomIn2d", "zoomOut2d", "resetScale2d"], ["toImage"]] };

/** A chart as wide as its container, redrawn when the theme or the width changes, while it is on the page.
 * @param {Library} library
 * @param {string} label
 * @param {(width: number) => unknown[]} drawing
 */
function chart(library, label, drawing) {
  const sheet = h("div");
  const holder = h("div", { class: "chart", role: "group", "aria-label": label }, sheet);
  const system = matchMedia("(prefers-color-scheme: dark)");
  let drawn = false;
  async function draw() {
    if (!holder.isConnected) return drawn && end();
    drawn = sheet.clientWidth > 0;
    if (!drawn) return false;
    await library.react(sheet, ...drawing(sheet.clientWidth), OPTIONS);
    // The label names the chart, and tables hold its numbers; the drawing itself is hidden from screen readers.
    for (const drawing of document.querySelectorAll("#js-plotly-tester, .chart svg")) {
      drawing.setAttribute("aria-hidden", "true");
    }
    return true;
  }
  const place = new ResizeObserver(draw);
  const theme = new MutationObserver(draw);
  function end() {
    place.disconnect();
    theme.disconnect();
    system.removeEventListener("change", draw);
    library.purge(sheet);
  }
  place.observe(holder);
  theme.observe(document.documentElement, { attributeFilter: ["data-theme"] });
  system.addEventListener("change", draw);
  return holder;
}

/** How often each range of values occurs: [[label, values], ...] for one or two groups.
 * @param {Library} library
 * @param {Group[]} groups
 * @param {string} name
 */
function distribution(library, groups, name) {
  const all = groups.flatMap(([, values]) => values);
  const label = `Distribution of ${name} from ${short(Math.min(...all))} to ${short(Math.max(...all))}`;
  return chart(library, label, (width) => [
    groups.map(([text, x], group) => ({
      type: "histogram", x, name: text, histnorm: "percent", opacity: groups.length > 1 ? 0.7 : 1, bingroup: 1,
      marker: { color: colour(`--hue-${group}`), pattern: { shape: group ? "/" : "" } },
      hovertemplate: "%{x}: %{y:.1f} %<extra></extra>",
    })),
    layout({ width, height: 288, margin: { l: 56, r: 12, t: BUTTONS, b: 44 }, barmode: "overlay", bargap: 0.04,
      showlegend: false, xaxis: { title: { text: name } }, yaxis: { title: { text: "% of evenings" } } }),
  ]);
}

/** A number over two settings: [[x, y, value or null], ...]. A full grid is a heat map, anything else a scatter
 * plot.
 * @param {Library} library
 * @param {[Setting, Setting, number | null][]} cells
 * @param {string[]} names
 * @param {string} name
 */
function surface(library, cells, [xName, yName], name) {
  /** @param {0 | 1} at */
  const sorted = (at) => [...new Set(cells.map((cell) => cell[at]))].sort((a, b) => (a < b ? -1 : 1));
  const [xs, ys] = [sorted(0), sorted(1)];
  const known = new Map(cells.map(([x, y, value]) => [JSON.stringify([x, y]), value]));
  const scale = () => [[0, colour("--sheet")], [1, colour("--accent")]];
  const bar = { title: { text: name, side: "right" }, outlinewidth: 0, thickness: 12 };
  const grid = known.size === xs.length * ys.length;
  const there = cells.filter(([, , value]) => value !== null);
  const text = `${yName} %{y}, ${xName} %{x}: %{${grid ? "z" : "marker.color"}:.3g}<extra></extra>`;
  /** @param {Setting} value */
  const asLabel = (value) => (typeof value === "number" ? short(value) : String(value));
  return chart(library, `${name} over ${xName} and ${yName}`, (width) => [
    [grid
      ? { type: "heatmap", x: xs.map(asLabel), y: ys.map(asLabel),
        z: ys.map((y) => xs.map((x) => known.get(JSON.stringify([x, y])) ?? null)), colorscale: scale(), colorbar: bar,
        hovertemplate: text, texttemplate: xs.length * ys.length <= 60 ? "%{z:.3g}" : undefined }
      : { type: "scatter", mode: "markers", x: there.map((cell) => cell[0]), y: there.map((cell) => cell[1]),
        hovertemplate: text,
        marker: { size: 13, color: there.map((cell) => cell[2]), colorscale: scale(), colorbar: bar,
          line: { width: 1, color: colour("--strong-line") } } }],
    layout({ width, height: 368, margin: { l: 48, r: 12, t: BUTTONS, b: 44 },
      xaxis: { title: { text: xName }, type: grid ? "category" : undefined },
      yaxis: { title: { text: yName }, type: grid ? "category" : undefined } }),
  ]);
}

/** The functions that draw charts, or null where Plotly is not installed. */
export async function charts() {
  const library = await plotly();
  return library && {
    /** @param {Group[]} groups @param {string} name */
    distribution: (groups, name) => distribution(library, groups, name),
    /** @param {[Setting, Setting, number | null][]} cells @param {string[]} names @param {string} name */
    surface: (cells, names, name) => surface(library, cells, names, name),
  };
}
