// Pictures of plans: conflicts, risks, and the order in which commands may run.

import { s, sure } from "./dom.js";
import { hue, token } from "./palette.js";
import { cut, humanize } from "./words.js";

/** @typedef {import("./plans.js").Plans} Plans */
/** @typedef {number[]} Point */
/** A conflict, as the result of an evaluation has it.
 * @typedef {{ conflict_id: string, type: string, severity: string, intent_ids: string[], resource_ref?: string | null,
 *   description: string }} Conflict
 */
/** The risk of a plan, from 0 to 100 in each dimension.
 * @typedef {{ intent_id: string, dimensions: Record<string, number>, unknown?: string[], overall_risk: string }} Risk
 */

/** @type {Record<string, string>} */
const KINDS = { resource_conflict: "resource", effect_conflict: "effect", order_conflict: "order",
  constraint_conflict: "constraint" };
/** @param {string} type */
export const kindName = (type) => KINDS[type] ?? humanize(type);

/** A name in at most two lines.
 * @param {string} text
 */
function lines(text) {
  const words = text.split(" ");
  let first = words.shift() ?? "";
  while (words.length && first.length + words[0].length < 24) first += ` ${words.shift()}`;
  return [cut(first, 26), ...(words.length ? [cut(words.join(" "), 26)] : [])];
}

export const FEW = 12; // the most plans whose names fit around a ring

/** The positions of plans: on an oval with room for their names.
 * @param {string[]} order
 */
function places(order) {
  const [width, height] = [620, order.length < 3 ? 150 : Math.min(520, 200 + order.length * 26)];
  const [across, down, middle] = [width / 2 - 110, height / 2 - 52, height / 2 - 10];
  const spot = new Map(order.map((id, at) => {
    const angle = -Math.PI / 2 + (2 * Math.PI * (at + 0.5)) / order.length;
    return [id, [width / 2 + across * Math.cos(angle), middle + down * Math.sin(angle)]];
  }));
  return { width, height, spot };
}

/** A conflict of two: a line, bent away from others between the same two.
 * @param {Point} from
 * @param {Point} to
 * @param {number} nth
 */
function line([x1, y1], [x2, y2], nth) {
  const bend = (nth % 2 ? -1 : 1) * Math.ceil(nth / 2 + 0.4) * 22;
  const length = Math.hypot(x2 - x1, y2 - y1) || 1;
  const middle = [(x1 + x2) / 2 - ((y2 - y1) / length) * bend, (y1 + y2) / 2 + ((x2 - x1) / length) * bend];
  const d = `M${x1} ${y1}Q${middle} ${x2} ${y2}`;
  return [s("path", { class: "conflict-hit", d }), s("path", { class: "conflict-line", d })];
}

/** A conflict of more than two: one knot in their middle, tied to each.
 * @param {Point[]} points
 * @param {number} nth
 * @param {number} several
 */
function knot(points, nth, several) {
  /** @param {number} axis */
  const mean = (axis) => points.reduce((all, point) => all + point[axis], 0) / points.length;
  const turn = (2 * Math.PI * nth) / Math.max(1, several);
  const aside = several > 1 ? 16 + 3 * several : 0;
  const [x, y] = [mean(0) + aside * Math.cos(turn), mean(1) + aside * Math.sin(turn)];
  const d = points.map((point) => `M${x.toFixed(1)} ${y.toFixed(1)}L${point.map((one) => one.toFixed(1)).join(" ")}`)
    .join("");
  return [s("path", { class: "conflict-line spokes", d }),
    s("rect", {
      class: "conflict-knot", x: -8, y: -8, width: 16, height: 16,
      transform: `translate(${x.toFixed(1)} ${y.toFixed(1)}) rotate(45)`,
    })];
}

/** At most `FEW` plans on a ring, those of a cluster side by side; a line for each conflict of two, a knot for each of
 * more. `look(id)` is called with the conflict under the pointer.
 * @param {Plans} plans
 * @param {string[]} order
 * @param {Conflict[]} conflicts
 * @param {{ name: string, intents: string[] }[]} clusters
 * @param {(id: string) => void} look
 */
export function conflictGraph(plans, order, conflicts, clusters, look) {
  const { width, height, spot } = places(order);
  const washes = clusters.map((cluster) => {
    const points = plans.sorted(cluster.intents).map((id) => sure(spot.get(id)));
    const d = points.length > 1 ? `M${points.map(([x, y]) => `${x.toFixed(1)} ${y.toFixed(1)}`).join("L")}Z` : "";
    return s("path", { class: "cluster", d },
      s("title", {}, `${cluster.name}: ${plans.sorted(cluster.intents).map((id) => plans.of(id).title).join(", ")}`));
  });
  const between = new Map();
  /** @param {string[]} ids */
  const nth = (ids) => {
    const key = [...ids].sort().join();
    between.set(key, (between.get(key) ?? -1) + 1);
    return between.get(key);
  };
  const wide = conflicts.filter((one) => one.intent_ids.length > 2);
  const drawn = conflicts.map((one) => {
    const points = one.intent_ids.map((id) => spot.get(id)).filter((point) => point !== undefined);
    const parts = points.length === 2 ? line(points[0], points[1], nth(one.intent_ids))
      : points.length > 2 ? knot(points, wide.indexOf(one), wide.length) : [];
    return s("g", {
      class: `conflict severity-${one.severity} kind-${kindName(one.type)}`, "data-conflict": one.conflict_id,
      onpointerenter: () => look(one.conflict_id),
    },
      parts, s("title", {}, plans.say(one.description)));
  });
  const nodes = order.map((id) => {
    const [x, y] = sure(spot.get(id));
    const plan = plans.of(id);
    return s("g", { class: "intent", "data-plan": id, transform: `translate(${x.toFixed(1)} ${y.toFixed(1)})` },
      token(plan), lines(plan.title).map((text, at) => s("text", { class: "intent-name", y: 27 + at * 15 }, text)),
      s("title", {}, plan.title));
  });
  return s("svg", {
    class: "graph", viewBox: `0 0 ${width.toFixed(0)} ${height.toFixed(0)}`, role: "img",
    "aria-label": `${order.length} plans, ${conflicts.length} conflicts`,
  }, washes, drawn, nodes);
}

const AXES = [["effects_risk", "effects"], ["scope_risk", "scope"], ["blast_radius", "blast radius"],
  ["unknowns", "unknowns"]];

/** A polygon for each plan over the four dimensions of risk. An unknown risk counts as the worst, and has a question
 * mark.
 * @param {Risk[]} matrix
 * @param {Plans} plans
 */
export function radar(matrix, plans) {
  const size = 118;
  /** @param {Risk} row @param {string} name @returns {boolean} */
  const unknown = (row, name) => row.unknown?.includes(name) ?? false;
  /** @param {number} axis @param {number} value @returns {Point} */
  const point = (axis, value) => {
    const angle = -Math.PI / 2 + (2 * Math.PI * axis) / AXES.length;
    return [size * (value / 100) * Math.cos(angle), size * (value / 100) * Math.sin(angle)];
  };
  /** @param {number} value */
  const ring = (value) =>
    s("polygon", {
      class: "radar-ring",
      points: AXES.map((_, axis) => point(axis, value).map((one) => one.toFixed(1)).join()).join(" "),
    });
  const shapes = matrix.map((row, at) => s("polygon", {
    class: `fill radar-shape dash-${at % 3} ${hue(plans.of(row.intent_id).number)}`,
    points: AXES.map(([name], axis) => point(axis, row.dimensions[name] ?? 0).map((one) => one.toFixed(1)).join())
      .join(" "),
  },
  s("title", {},
    [`${plans.of(row.intent_id).title}: ${row.overall_risk}`,
      ...AXES.filter(([name]) => unknown(row, name)).map(([, text]) => `${text} unknown`)].join(", "))));
  const doubts = AXES.flatMap(([name, text], axis) => {
    const those = matrix.filter((row) => unknown(row, name)).map((row) => plans.of(row.intent_id).title);
    const [x, y] = point(axis, 100);
    return those.length
      ? [s("g", {
        class: "radar-unknown", "data-dimension": name, transform: `translate(${x.toFixed(1)} ${y.toFixed(1)})`,
      },
      s("circle", { r: 9 }), s("text", { y: 4.5, "text-anchor": "middle" }, "?"),
      s("title", {}, `${text}: unknown for ${those.join(", ")}`))] : [];
  });
  const labels = AXES.map(([, text], axis) => {
    const [x, y] = point(axis, 118);
    return s("text", { x, y: y + 4, "text-anchor": Math.abs(x) < 1 ? "middle" : x > 0 ? "start" : "end" }, text);
  });
  return s("svg", {
    class: "radar", viewBox: "-200 -148 400 296", role: "img",
    "aria-label": "Risk of each plan; the table beside it has the numbers",
  },
    [25, 50, 75, 100].map(ring), shapes, s("g", { class: "axis" }, labels), doubts);
}

/** Commands from left to right, each with its plan: each is to the right of all that must run before it.
 * @param {Api.ExecutionGraph} graph
 * @param {Plans} plans
 */
export function orderGraph(graph, plans) {
  const depth = new Map(graph.nodes.map((node) => [node.node_id, 0]));
  for (let round = 0; round < graph.nodes.length; round += 1) {
    let moved = false;
    for (const { before, after } of graph.edges) {
      if (sure(depth.get(after)) <= sure(depth.get(before))) {
        depth.set(after, sure(depth.get(before)) + 1);
        moved = true;
      }
    }
    if (!moved) break;
  }
  /** @type {Api.Node[][]} */
  const columns = [];
  for (const node of graph.nodes) (columns[sure(depth.get(node.node_id))] ??= []).push(node);
  const [wide, high] = [206, 78];
  const most = Math.max(...columns.map((column) => column.length));
  /** @type {Map<string, Point>} */
  const spot = new Map(columns.flatMap((column, at) =>
    column.map((node, row) => /** @type {[string, Point]} */ (
      [node.node_id, [at * wide + 8, (row + (most - column.length) / 2) * high + 8]]))));
  const edges = graph.edges.map(({ before, after, reason }) => {
    const [x1, y1] = sure(spot.get(before));
    const [x2, y2] = sure(spot.get(after));
    const [from, to] = [x1 + 166, x2 - 2];
    return s("path", {
      class: "order-edge", "marker-end": "url(#order-head)",
      d: `M${from} ${y1 + 30}C${(from + to) / 2} ${y1 + 30} ${(from + to) / 2} ${y2 + 30} ${to} ${y2 + 30}`,
    }, s("title", {}, plans.say(reason)));
  });
  const command = new Map(graph.nodes.map((node) => [node.node_id, node.command_id]));
  /** @param {string} text */
  const waits = (text) => `after ${plans.say(text.replace(/^node_\d+/, (id) => command.get(id) ?? id))}`;
  const nodes = graph.nodes.map((node) => {
    const [x, y] = sure(spot.get(node.node_id));
    const plan = plans.of(node.intent_id);
    return s("g", {
      class: `order-node risk-${node.risk_level}`, "data-plan": node.intent_id, transform: `translate(${x} ${y})`,
    },
      s("rect", { width: 166, height: 60, rx: 8 }), s("text", { x: 12, y: 18 }, cut(node.command_id, 22)),
      s("text", { class: "order-note order-plan", x: 12, y: 34 }, cut(`${plan.letter}: ${plan.title}`, 26)),
      s("text", { class: "order-note", x: 12, y: 50 }, cut(`${node.phase}, ${node.effects.join(" ")}`, 26)),
      s("title", {}, [
        `${node.command_id} of \u201c${plan.title}\u201d, by ${node.agents.join(" or ")}, in ${node.phase}: `
          + `risk ${node.risk_level}`,
        ...node.waits.map(waits),
      ].join("\n")));
  });
  const width = columns.length * wide;
  const commands = graph.nodes.map((node) => `${node.command_id} of ${plans.of(node.intent_id).title}`).join(", ");
  return s("svg", {
    class: "order", viewBox: `0 0 ${Math.max(width, 620)} ${most * high + 8}`, role: "img",
    "aria-label": `${graph.nodes.length} commands in an order in which they may run: ${commands}`,
  },
    s("defs", {},
      s("marker", {
        id: "order-head", viewBox: "0 0 8 8", refX: 7, refY: 4, markerWidth: 7, markerHeight: 7, orient: "auto",
      }, s("path", { class: "order-arrow", d: "M0 0L8 4 0 8Z" }))),
    edges, nodes);
}
