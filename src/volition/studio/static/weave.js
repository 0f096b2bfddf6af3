// The layout of threads: a band for each room with a place for everybody in it, so that people who share a room run
// side by side.

import { sure } from "./dom.js";

/** @typedef {import("./source.js").Evening} Evening */
/** @typedef {{ id: string, name: string, top: number, height: number, most: number }} Band */

const GAP = 13; // between two threads
const PAD = 11; // above and below the threads of a band
const TURN = 14; // how long a thread takes from one band to another, in drawing units

/** Rooms from top to bottom: the gathering room in the middle, and outside last.
 * @param {Evening} evening
 * @returns {Band[]}
 */
export function bands(evening) {
  const { plan, threads } = evening;
  const others = plan.rooms.map((room) => room.id).filter((id) => id !== plan.gathering);
  const half = Math.floor(others.length / 2);
  const order = [...others.slice(0, half), plan.gathering, ...others.slice(half)];
  if (Object.values(threads).some((stays) => stays.some((stay) => stay.room === "departed"))) order.push("departed");
  const names = new Map(plan.rooms.map((room) => [room.id, room.name]));
  let top = 0;
  return order.map((id) => {
    const most = Math.max(1,
      ...evening.ticks.map((tick) => Object.values(tick.people).filter((one) => one.room === id).length));
    const height = most * GAP + PAD * 2;
    const band = { id, name: names.get(id) ?? "outside", top, height, most };
    top += height + 3;
    return band;
  });
}

/** Where everybody's thread is at every tick: {guest: [y of the first tick, ...]}. People keep their place while they
 * stay in a room.
 * @param {Evening} evening
 * @param {Band[]} rows
 * @returns {Record<string, number[]>}
 */
export function places(evening, rows) {
  const byId = new Map(rows.map((band) => [band.id, band]));
  const held = new Map();
  /** @type {Record<string, number[]>} */
  const found = Object.fromEntries(evening.people.map((person) => [person.id, []]));
  for (const tick of evening.ticks) {
    for (const [who, { room }] of held) if (tick.people[who].room !== room) held.delete(who);
    for (const { id } of evening.people) {
      const { room } = tick.people[id];
      if (!held.has(id)) {
        const used = new Set([...held.values()].filter((one) => one.room === room).map((one) => one.slot));
        let slot = 0;
        while (used.has(slot)) slot += 1;
        held.set(id, { room, slot });
      }
      const band = sure(byId.get(room));
      found[id].push(band.top + PAD + (Math.min(sure(held.get(id)).slot, band.most - 1) + 0.5) * GAP);
    }
  }
  return found;
}

/** A thread as a path. `x` gives the place of a tick.
 * @param {number[]} ys
 * @param {(tick: number) => number} x
 */
export function thread(ys, x) {
  let d = `M${x(0).toFixed(1)} ${ys[0]}`;
  for (let at = 1; at < ys.length; at += 1) {
    if (ys[at] === ys[at - 1]) continue;
    const to = x(at);
    const from = Math.max(x(at - 1), to - TURN);
    const middle = (from + to) / 2;
    const [left, right] = [`${middle.toFixed(1)} ${ys[at - 1]}`, `${middle.toFixed(1)} ${ys[at]}`];
    d += `H${from.toFixed(1)}C${left} ${right} ${to.toFixed(1)} ${ys[at]}`;
  }
  return `${d}H${x(ys.length - 1).toFixed(1)}`;
}
