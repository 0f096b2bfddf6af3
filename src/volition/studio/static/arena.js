// The arena from above: tiles, the actor, the opponent, and the actor's trail.

import { h, s, write } from "./dom.js";
import { meter } from "./meter.js";

const TILE = 30;
/** The tiles that are not plain floor, and what they do to a body.
 * @type {Record<string, string>}
 */
const EXPLAINED = {
  "#": "wall: nothing passes", "~": "hazard: on its ground a body loses health", "-": "beam: no room to jump below it",
};
/** @type {Record<string, string>} */
const NAMES = { "#": "wall", "~": "hazard", "-": "beam" };
/** @type {Record<string, number>} */
const TURNS = { east: 0, "south-east": 45, south: 90, "south-west": 135, west: 180, "north-west": 225, north: 270,
  "north-east": 315 };
const TRAIL = 60;

/** @param {{ x: number, y: number }} body */
const place = (body) => [(body.x / 1000) * TILE, (body.y / 1000) * TILE];

/** What the drawing shows: each kind of tile on the map, both bodies, and the trail.
 * @param {Api.MapShape} map
 */
function arenaLegend(map) {
  const found = new Set(map.rows.join(""));
  const sample = (/** @type {SVGElement[]} */ ...drawn) =>
    s("svg", { class: "token-mark", viewBox: "-15 -15 30 30", "aria-hidden": "true" }, drawn);
  const tile = (/** @type {string} */ letter) => s("rect", {
    class: `tile tile-${NAMES[letter]}`, x: -12, y: -12, width: 24, height: 24,
  });
  return h("ul", { class: "moment-legend arena-legend small soft", "aria-label": "What the map shows" },
    h("li", {}, sample(token("actor")), "actor"), h("li", {}, sample(token("opponent")), "opponent"),
    h("li", {}, sample(s("path", { class: "trail hue-0", d: "M-12 0H12" })), "where the actor went"),
    Object.entries(EXPLAINED).filter(([letter]) => found.has(letter)).map(([letter, text]) =>
      h("li", {}, sample(tile(letter)), text)));
}

/** A body: its shape, and a nose where it looks.
 * @param {"actor" | "opponent"} who
 */
const token = (who) => (who === "actor"
  ? s("g", { class: "hue-0" }, s("circle", { class: "token-shape", r: 11 }),
    s("path", { class: "nose", d: "M3-5L11 0 3 5Z" }))
  : s("g", { class: "hue-1" }, s("rect", { class: "token-shape", x: -10, y: -10, width: 20, height: 20, rx: 3 }),
    s("path", { class: "nose", d: "M3-5L10 0 3 5Z" })));

/** A map with both bodies.
 * @param {Api.MapShape} map
 */
export function arena(map) {
  const width = Math.max(...map.rows.map((row) => row.length)) * TILE;
  const height = map.rows.length * TILE;
  const tiles = map.rows.flatMap((row, y) => [...row].map((letter, x) => {
    const name = NAMES[letter];
    return name ? s("rect", { class: `tile tile-${name}`, x: x * TILE, y: y * TILE, width: TILE, height: TILE }) : null;
  }));
  const trail = s("polyline", { class: "trail hue-0" });
  const [actor, opponent] = [token("actor"), token("opponent")];
  for (const body of [actor, opponent]) body.classList.add("body");
  /** @type {string[]} */
  const points = [];
  /** @type {number | null} */
  let episode = null;
  const bars = [["Actor, health", "hue-0"], ["Actor, stamina", "hue-4"],
    ["Opponent, health", "hue-1"]].map(([name, look]) => ({ name, bar: meter(name, { most: 100, look }) }));
  const mode = h("p", { class: "soft small" });
  const picture = s("svg", {
    class: "arena", viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": `The arena ${map.name}`,
  },
    s("rect", { class: "tile-floor", width, height }), tiles, trail, opponent, actor);

  /** Add a state to the trail.
   * @param {any} state
   */
  function trace(state) {
    if (state.episode !== episode) points.length = 0;
    episode = state.episode;
    points.push(place(state.actor).map((one) => one.toFixed(1)).join());
    if (points.length > TRAIL) points.shift();
  }

  /** Move the bodies to a state; `past` replaces the trail by that of earlier states.
   * @param {any} state
   * @param {any[] | null} [past]
   */
  function show(state, past = null) {
    if (past) {
      points.length = 0;
      for (const one of past.slice(-TRAIL)) trace(one);
    }
    const [x, y] = place(state.actor);
    trail.setAttribute("points", points.join(" "));
    actor.setAttribute("transform", `translate(${x} ${y}) rotate(${TURNS[state.actor.facing] ?? 0})`);
    actor.classList.toggle("down", !state.actor.alive);
    if (state.opponent) {
      const [left, top] = place(state.opponent);
      opponent.setAttribute("transform", `translate(${left} ${top}) rotate(${TURNS[state.opponent.facing] ?? 0})`);
      opponent.classList.toggle("down", !state.opponent.alive);
    }
    bars[0].bar.show(Number(state.actor.health) || 0);
    bars[1].bar.show(Number(state.actor.stamina) || 0);
    bars[2].bar.show(Number(state.opponent?.health) || 0);
    const opposing = state.opponent ? `; the opponent is in mode ${state.opponent.mode}` : "";
    write(mode, `Tick ${state.tick}, episode ${state.episode}${opposing}`);
  }
  return { element: h("div", { class: "stack arena-holder" }, picture, arenaLegend(map),
    h("div", { class: "gauges" },
      bars.map(({ name, bar }) =>
        h("div", { class: "gauge" }, h("span", { class: "soft small" }, name), bar.element))),
    mode), show };
}
