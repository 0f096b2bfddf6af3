// A number over two settings that are no grid, as dots. A dot says which it is, and opens its evenings.

import { around, h, s } from "./dom.js";
import { levels } from "./intervals.js";
import { short } from "./words.js";

/** @typedef {import("./intervals.js").Setting} Setting */

const [WIDE, TALL] = [560, 300];
const NEAR = 24; // pixels from a dot at which the pointer still means it
const QUIET = "Each dot is a combination of settings; the fuller its colour, the higher. Hover over one to see which.";

/** Whether a cell has a value, and a place.
 * @param {[Setting, Setting, number | null]} cell
 * @returns {cell is [number, number, number]}
 */
const isPlaced = (cell) => cell.every((one) => typeof one === "number");

/** The plot of [[x, y, value or null], ...]; `open(x, y)` shows the evenings of a dot. The arrow keys go to the next
 * dot across or up.
 * @param {[Setting, Setting, number | null][]} cells
 * @param {[string, string]} names
 * @param {string} name
 * @param {(x: number, y: number) => unknown} open
 */
export function scatter(cells, [xName, yName], name, open) {
  const there = cells.filter(isPlaced);
  if (!there.length) return h("p", { class: "soft" }, "These settings are no numbers.");
  /** @param {0 | 1} axis */
  const span = (axis) => [Math.min(...there.map((one) => one[axis])), Math.max(...there.map((one) => one[axis]))];
  const [[left, right], [low, high]] = [span(0), span(1)];
  const level = levels(there.map(([, , value]) => value));
  /** @param {number} value */
  const x = (value) => 14 + ((value - left) / (right - left || 1)) * (WIDE - 28);
  /** @param {number} value */
  const y = (value) => TALL - 14 - ((value - low) / (high - low || 1)) * (TALL - 28);
  const about = h("p", { class: "meaning soft", "aria-hidden": "true" }, QUIET);
  const dots = there.map(([across, up, value], at) => ({
    across, up, text: `${xName} ${across}, ${yName} ${up}: ${name} ${short(value)}`,
    element: s("circle", {
      class: `dot level-${level(value)}`, cx: x(across), cy: y(up), r: 8, role: "button", tabindex: at ? -1 : 0,
      "aria-label": `Evenings: ${xName} ${across}, ${yName} ${up}, ${name} ${short(value)}`,
    }),
  }));
  /** @typedef {typeof dots[number]} Dot */
  const [byAcross, byUp] = [[...dots].sort((a, b) => a.across - b.across || a.up - b.up),
    [...dots].sort((a, b) => a.up - b.up || a.across - b.across)];
  /** @type {Dot | undefined} */
  let pointed;

  /** Say which dot is meant; none, if the pointer is elsewhere.
   * @param {Dot | undefined} dot
   */
  function point(dot) {
    if (dot === pointed) return;
    pointed?.element.classList.remove("pointed");
    dot?.element.classList.add("pointed");
    pointed = dot;
    about.textContent = dot?.text ?? QUIET;
  }
  /** The dot under the pointer or nearest to it: dots may be small, and lie over each other.
   * @param {MouseEvent} event
   */
  function nearest({ clientX, clientY }) {
    const found = dots.map((dot) => {
      const box = dot.element.getBoundingClientRect();
      return { dot, far: Math.hypot(clientX - box.x - box.width / 2, clientY - box.y - box.height / 2) };
    }).reduce((best, one) => (one.far < best.far ? one : best));
    return found.far <= NEAR ? found.dot : undefined;
  }
  /** @param {Event} event */
  const focused = (event) => dots.find(({ element }) => element === around(event, ".dot"));
  /** @param {Dot | undefined} dot */
  const show = (dot) => dot && open(dot.across, dot.up);
  /** @param {KeyboardEvent} event */
  function press(event) {
    const dot = focused(event);
    if (!dot) return;
    /** @type {Record<string, [Dot[], number]>} */
    const steps = {
      ArrowRight: [byAcross, 1], ArrowLeft: [byAcross, -1], ArrowUp: [byUp, 1], ArrowDown: [byUp, -1],
    };
    if (event.key === "Enter" || event.key === " ") show(dot);
    else if (event.key in steps) {
      const [order, step] = steps[event.key];
      const next = order[(order.indexOf(dot) + step + order.length) % order.length];
      for (const one of dots) one.element.setAttribute("tabindex", one === next ? "0" : "-1");
      next.element.focus();
    } else return;
    event.preventDefault();
  }
  return h("div", {}, s("svg", {
    class: "scatter", viewBox: `-4 -20 ${WIDE + 8} ${TALL + 46}`, role: "group", "data-roving": true,
    "aria-label": `${name} over ${xName} and ${yName}; the fuller the colour, the higher`,
    // Assistive technology clicks without a place.
    onclick: (event) => show(event.detail ? nearest(event) : focused(event)),
    onpointermove: (event) => point(nearest(event)), onpointerleave: () => point(undefined),
    onfocusin: (event) => point(focused(event)), onfocusout: () => point(undefined), onkeydown: press,
  },
  s("g", { class: "axis", "aria-hidden": "true" }, s("path", { d: `M0 0V${TALL}H${WIDE}` }),
    s("text", { x: 0, y: -7 }, `${yName}: ${short(low)} to ${short(high)}`),
    s("text", { x: WIDE, y: TALL + 18, "text-anchor": "end" }, `${xName}: ${short(left)} to ${short(right)}`)),
  dots.map((dot) => dot.element)), about);
}
