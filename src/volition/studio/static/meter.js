// A bar that fills up to a value, and says it to screen readers.

import { h, put } from "./dom.js";

/** A meter from 0 to `most`; `show(value)` sets it. `look` are more classes, `title` is the tooltip.
 * @param {string} label
 * @param {{ most?: number, look?: string, title?: string }} [options]
 */
export function meter(label, { most = 1, look = "", title = label } = {}) {
  const fill = h("span", { class: "meter-fill" });
  const element = h("span", {
    class: `meter ${look}`, role: "meter", "aria-label": label, "aria-valuemin": 0, "aria-valuemax": most, title,
  }, fill);
  /** @type {number | null} */
  let shown = null;
  return {
    element,
    /** @param {number} value */
    show(value) {
      if (value === shown) return;
      shown = value;
      fill.style.transform = `scaleX(${Math.max(0, Math.min(most, value)) / most})`;
      put(element, "aria-valuenow", Number(value.toFixed(2)));
    },
  };
}

/** How far some work is; `show(done, of)` sets it.
 * @param {string} label
 * @param {number} of
 */
export function progress(label, of) {
  const fill = h("span", { class: "meter-fill" });
  const element = h("div", {
    class: "meter progress hue-0", role: "progressbar", "aria-label": label, "aria-valuemin": 0, "aria-valuemax": of,
    "aria-valuenow": 0,
  }, fill);
  fill.style.transform = "scaleX(0)";
  return {
    element,
    /** @param {number} done @param {number} [all] */
    show(done, all = of) {
      fill.style.transform = `scaleX(${all ? done / all : 0})`;
      put(element, "aria-valuemax", all);
      put(element, "aria-valuenow", done);
    },
  };
}
