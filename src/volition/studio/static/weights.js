// Sliders on weights. A mark under each shows where the winner would change.

import { h, put, s } from "./dom.js";
import { hue } from "./palette.js";
import { short } from "./words.js";

const STEPS = 200;

/** Weights under which the winner stays, as a strip under the slider. */
function strip(intention, most) {
  const range = intention.range;
  if (!range) return null;
  const low = Math.max(0, range.low ?? 0) / most;
  const high = Math.min(most, range.high ?? most) / most;
  const title = [
    range.low === null ? null : `at ${short(range.low)} ${range.low_rival ? `it is ${range.low_rival}` : "rounding may change it"}`,
    range.high === null ? null : `at ${short(range.high)} ${range.high_rival ? `it is ${range.high_rival}` : "rounding may change it"}`,
  ].filter(Boolean).join("; ") || "no weight changes the winner";
  return s("svg", { class: "strip", viewBox: "0 0 100 4", preserveAspectRatio: "none", role: "img", "aria-label": `The winner stays: ${title}` },
    s("title", {}, title), s("rect", { class: "strip-all", width: 100, height: 4 }),
    s("rect", { class: "strip-stays", x: low * 100, width: Math.max(0, high - low) * 100, height: 4 }));
}

/** The sliders; `change({weights, without})` is told what differs from the decision as it was. */
export function weights(decision, order, change) {
  const now = { weights: {}, without: new Set() };
  const tell = () => change({ weights: { ...now.weights }, without: [...now.without] });
  const all = [];
  const rows = decision.intentions.map((one) => {
    const use = h("input", { type: "checkbox", checked: true, "aria-label": `Listen to ${one.id}`, onchange: () => {
      if (use.checked) now.without.delete(one.id);
      else now.without.add(one.id);
      tell();
    } });
    all.push(() => { use.checked = true; });
    if (one.kind === "constraint") {
      return h("li", { class: "weight" }, use, h("span", { class: "weight-name" }, one.id), h("span", { class: "chip" }, "constraint"));
    }
    const most = one.weight > 0 ? one.weight * 4 : 2;
    const value = h("output", { class: "number" }, short(one.weight));
    const slider = h("input", {
      type: "range", min: 0, max: STEPS, step: 1, value: (one.weight / most) * STEPS, "aria-label": `Weight of ${one.id}`, "data-weight": one.id,
      oninput: () => {
        const weight = Number(slider.value) === (one.weight / most) * STEPS ? one.weight : (Number(slider.value) / STEPS) * most;
        if (weight === one.weight) delete now.weights[one.id];
        else now.weights[one.id] = weight;
        say(weight);
        tell();
      },
    });
    const say = (weight) => {
      value.textContent = short(weight);
      put(slider, "aria-valuetext", short(weight));
      value.classList.toggle("changed", weight !== one.weight);
    };
    say(one.weight);
    all.push(() => {
      slider.value = (one.weight / most) * STEPS;
      say(one.weight);
    });
    return h("li", { class: `weight ${hue(order.indexOf(one.id))}` }, use,
      h("span", { class: "weight-name" }, h("span", { class: "swatch", "aria-hidden": "true" }), one.id,
        one.priority ? h("span", { class: "soft small" }, ` priority ${one.priority}`) : null),
      value, h("span", { class: "slide" }, slider, strip(one, most)));
  });
  function reset() {
    now.weights = {};
    now.without.clear();
    all.forEach((one) => one());
    tell();
  }
  return { element: h("ul", { class: "weights" }, rows), reset, now };
}
