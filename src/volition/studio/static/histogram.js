// How long results took: a bar for each bin, with the part of results that took longer because the attempt lasted.

import { figures, h, s } from "./dom.js";
import { many, short } from "./words.js";

const [WIDTH, HEIGHT] = [420, 130];

/** @param {number} value */
export const micros = (value) => (value >= 1000 ? `${short(value / 1000, 1)} ms` : `${short(value, 0)} \u00b5s`);

/** @param {Api.LatencyShape | null} latency */
export function histogram(latency) {
  if (!latency) return h("p", { class: "soft" },
    "No result has been timed: there are none yet, or the drive went faster than real time.");
  const { bins, results, lasting } = latency;
  const most = Math.max(...bins.map((bin) => bin.count));
  const wide = WIDTH / bins.length;
  /** @param {Api.Bin} bin @param {number} at @param {number} from @param {number} count @param {string} look */
  const bar = (bin, at, from, count, look) => s("rect", {
    class: `fill ${look}`, "data-count": count, x: at * wide + 1, width: Math.max(1, wide - 2),
    y: HEIGHT - ((from + count) / most) * HEIGHT, height: (count / most) * HEIGHT,
  }, s("title", {}, `${micros(bin.low)} to ${micros(bin.high)}: ${bin.count}, ${bin.lasting} of them lasting`));
  const picture = s("svg", {
    class: "histogram", viewBox: `0 -14 ${WIDTH} ${HEIGHT + 34}`, role: "img",
    "aria-label": `Latency of ${many(results, "result")}, from ${micros(bins[0].low)} to `
      + `${micros(bins[bins.length - 1].high)}; ${lasting} of them lasted`,
  },
  bins.map((bin, at) =>
    [bin.count > bin.lasting ? bar(bin, at, 0, bin.count - bin.lasting, "bin") : null,
      bin.lasting ? bar(bin, at, bin.count - bin.lasting, bin.lasting, "bin lasting") : null]),
  s("g", { class: "axis" }, s("path", { d: `M0 ${HEIGHT}H${WIDTH}` }),
    bins.map((bin, at) =>
      (at % Math.ceil(bins.length / 5) ? null : s("text", { x: at * wide, y: HEIGHT + 15 }, micros(bin.low))))));
  /** @type {[string, string][]} */
  const immediate = latency.p50 === null || latency.p99 === null
    ? []
    : [["p50 immediate", micros(latency.p50)], ["p99 immediate", micros(latency.p99)]];
  return h("div", {}, figures([["Results", results], ...immediate]),
    picture,
    lasting
      ? h("p", { class: "soft small" },
        `The pale bars are ${many(lasting, "result")} that took longer because the attempt itself lasted.`) : null);
}
