// How long answers took: a bar for each bin.

import { h, s } from "./dom.js";
import { short } from "./words.js";

const [WIDTH, HEIGHT] = [420, 130];

export const micros = (value) => (value >= 1000 ? `${short(value / 1000, 1)} ms` : `${short(value, 0)} \u00b5s`);

export function histogram(latency) {
  if (!latency || !latency.bins.length) return h("p", { class: "soft" }, "No answer was given at once yet.");
  const filled = latency.bins.findLastIndex((bin) => bin.count > 0);
  const first = latency.bins.findIndex((bin) => bin.count > 0);
  const bins = latency.bins.slice(Math.max(0, first - 1), filled + 2);
  const most = Math.max(1, ...bins.map((bin) => bin.count));
  const wide = WIDTH / bins.length;
  const picture = s("svg", {
    class: "histogram", viewBox: `0 -14 ${WIDTH} ${HEIGHT + 34}`, role: "img",
    "aria-label": `Latency: half of the answers within ${micros(latency.p50)}, 99 of 100 within ${micros(latency.p99)}`,
  }, bins.map((bin, at) => s("rect", { class: "fill bin", x: at * wide + 1, width: Math.max(1, wide - 2), y: HEIGHT - (bin.count / most) * HEIGHT, height: (bin.count / most) * HEIGHT }, s("title", {}, `${micros(bin.low)} to ${micros(bin.high)}: ${bin.count}`))),
  s("g", { class: "axis" }, s("path", { d: `M0 ${HEIGHT}H${WIDTH}` }),
    bins.map((bin, at) => (at % Math.ceil(bins.length / 5) ? null : s("text", { x: at * wide, y: HEIGHT + 15 }, micros(bin.low))))));
  return h("div", {}, h("dl", { class: "figures" }, h("div", {}, h("dt", {}, "p50"), h("dd", {}, micros(latency.p50))), h("div", {}, h("dt", {}, "p99"), h("dd", {}, micros(latency.p99)))), picture);
}
