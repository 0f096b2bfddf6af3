// How the house is drawn: from above as a plan, or from the front as a place with walls.

import { s } from "./dom.js";

/** @typedef {[number, number]} Point */
/** A way to draw a plan: where a point is, how a room and a door look, how far apart rows are, and the size of it all.
 * @typedef {{ name: string, px: (point: readonly number[]) => Point, room: (room: Api.RoomShape) => SVGElement,
 *   door: (one: Api.DoorShape) => SVGElement, label: (room: Api.RoomShape) => Point, standing: boolean, deep: number,
 *   box: string }} Projection
 */

export const UNIT = 40; // drawing units per unit of the plan
const DEEP = 0.74; // of what is behind each other, seen from the front
const SLANT = 0.34; // how far to the right each unit to the back is
const WALL = 26;
const NAMES = 34; // below the plan, for the names of those who are outside

/** @param {Point[]} points */
const outline = (...points) => points.map((point) => point.map((value) => value.toFixed(1)).join(" ")).join(" L ");

/** From above.
 * @param {Api.FloorPlan} plan
 * @returns {Projection}
 */
export function fromAbove(plan) {
  /** @param {readonly number[]} point @returns {Point} */
  const px = ([x, y]) => [x * UNIT, y * UNIT];
  return {
    name: "plan", px, deep: 1, standing: false,
    box: `-8 -8 ${plan.width * UNIT + 16} ${plan.height * UNIT + NAMES}`,
    label: (room) => [room.x * UNIT + 13, room.y * UNIT + 20],
    room: (room) => s("rect", {
      class: "room", "data-room": room.id,
      x: room.x * UNIT, y: room.y * UNIT, width: room.width * UNIT, height: room.height * UNIT,
    }),
    door(one) {
      const [[x1, y1], [x2, y2]] = [px(one.start), px(one.end)];
      return s("line", { class: one.touching ? "door" : "passage", x1, y1, x2, y2 });
    },
  };
}

/** From the front, and a little from above: floors, the walls behind and at the left of each room, and doors in them.
 * @param {Api.FloorPlan} plan
 * @returns {Projection}
 */
export function fromTheFront(plan) {
  /** @param {readonly number[]} point @returns {Point} */
  const px = ([x, y]) => [(x + (plan.height - y) * SLANT) * UNIT, y * DEEP * UNIT];
  /** @param {readonly number[]} point @param {number} high @returns {Point} */
  const above = (point, high) => [px(point)[0], px(point)[1] - high];
  const wide = (plan.width + plan.height * SLANT) * UNIT;
  return {
    name: "world", px, deep: DEEP, standing: true,
    box: `-8 ${-WALL - 8} ${wide + 16} ${plan.height * DEEP * UNIT + WALL + NAMES}`,
    label(room) {
      const [x, y] = px([room.x, room.y]);
      return [x - 4, y + 20];
    },
    room(room) {
      const [left, right] = [room.x, room.x + room.width];
      const [back, front] = [room.y, room.y + room.height];
      const floor = [px([left, back]), px([right, back]), px([right, front]), px([left, front])];
      return s("g", {},
        s("path", { class: "room", "data-room": room.id, d: `M ${outline(...floor)} Z` }),
        s("path", {
          class: "wall",
          d: `M ${outline(floor[0], floor[1], above([right, back], WALL), above([left, back], WALL))} Z`,
        }),
        s("path", {
          class: "wall",
          d: `M ${outline(floor[0], floor[3], above([left, front], WALL), above([left, back], WALL))} Z`,
        }));
    },
    door(one) {
      const [start, end] = [px(one.start), px(one.end)];
      if (!one.touching) return s("path", { class: "passage", d: `M ${outline(start, end)}` });
      const high = WALL * 0.85;
      return s("path", {
        class: "doorway", d: `M ${outline(start, end, above(one.end, high), above(one.start, high))} Z`,
      });
    },
  };
}
