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
