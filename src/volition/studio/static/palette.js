// How guests and events are drawn. A guest keeps colour and shape in every evening of a scenario; events differ by
// shape alone.

import { s } from "./dom.js";

/** @typedef {{ number: number, short: string, letter?: string }} Person */

export const HUES = 8;

/** The class that gives a number its hue.
 * @param {number} number
 */
export const hue = (number) => `hue-${number % HUES}`;

/** @param {number} sides @param {number} turn @param {number} size */
const polygon = (sides, turn, size) =>
  Array.from({ length: sides }, (_, at) => {
    const angle = turn + (2 * Math.PI * at) / sides;
    return `${(size * Math.cos(angle)).toFixed(3)},${(size * Math.sin(angle)).toFixed(3)}`;
  }).join(" ");

const UP = -Math.PI / 2;
const SHAPES = [
  () => s("circle", { r: 10 }),
  () => s("rect", { x: -9, y: -9, width: 18, height: 18, rx: 3 }),
  () => s("polygon", { points: polygon(4, UP, 12.2) }),
  () => s("polygon", { points: polygon(6, 0, 11) }),
  () => s("polygon", { points: polygon(5, UP, 11.6) }),
  () => s("path", { d: "M-11-8H11Q10.5 4.5 0 11.5-10.5 4.5-11-8Z" }),
  () => s("polygon", { points: polygon(8, Math.PI / 8, 11) }),
];
export const SHAPE_NAMES = ["circle", "square", "diamond", "hexagon", "pentagon", "shield", "octagon"];

/** A token, 24 by 24 around its origin: shape, colour and letter.
 * @param {Person} person
 * @param {boolean} [letter]
 */
export function token(person, letter = true) {
  const shape = SHAPES[person.number % SHAPES.length]();
  shape.setAttribute("class", "token-shape");
  shape.setAttribute("stroke-width", "1.6");
  return s("g", { class: `token ${hue(person.number)}` }, shape,
    letter
      ? s("text", { class: `token-letter${(person.letter?.length ?? 1) > 1 ? " longer" : ""}`, y: 0.5 },
        person.letter ?? person.short.slice(0, 1)) : null);
}

/** The token as a small picture beside a name.
 * @param {Person} person
 */
export const mark = (person) =>
  s("svg", { class: "token-mark", viewBox: "-13 -13 26 26", "aria-hidden": "true" }, token(person));

/** @param {number} points @param {number} outer @param {number} inner */
const star = (points, outer, inner) =>
  Array.from({ length: points * 2 }, (_, at) => {
    const angle = UP + (Math.PI * at) / points;
    const size = at % 2 ? inner : outer;
    return `${(size * Math.cos(angle)).toFixed(2)},${(size * Math.sin(angle)).toFixed(2)}`;
  }).join(" ");

const HEART = "M0 6.5C-9-.5-5.500-6.500-2.500-6.500-1-6.500 0-5.200 0-4.200 0-5.200 1-6.500 2.500-6.500"
  + " 5.500-6.500 9-.5 0 6.500Z";
/** @type {Record<string, [string, () => SVGElement]>} */
const GLYPHS = {
  CHAT: ["glyph", () => s("circle", { r: 3 })],
  OBSERVE: ["glyph open", () => s("circle", { r: 3.6 })],
  SOCIAL_MOVE: ["glyph stroked", () => s("path", { d: "M-3-4L2.5 0-3 4" })],
  INTERNAL: ["glyph stroked", () => s("path", { d: "M-4 0H4" })],
  PHYSICAL: ["glyph", () => s("rect", { x: -3, y: -3, width: 6, height: 6 })],
  REVEAL: ["glyph", () => s("polygon", { points: star(5, 8, 3.4) })],
  CONFIDE: ["glyph",
    () =>
    s("path", {
      d: HEART,
    })],
  LIE: ["glyph", () => s("polygon", { points: "0,6.500 -7,-5.500 7,-5.500" })],
  CONFLICT: ["glyph", () => s("polygon", { points: "1.500,-8.500 -6,1.500 -1,1.500 -2,8.500 6,-2 0.800,-2" })],
  CATASTROPHE: ["glyph", () => s("polygon", { points: star(9, 10.5, 6) })],
};

/** An event's shape around its origin.
 * @param {string} type
 */
export function glyph(type) {
  const [name, draw] = GLYPHS[type] ?? ["glyph open", () => s("rect", { x: -3.5, y: -3.5, width: 7, height: 7 })];
  const shape = draw();
  shape.setAttribute("class", name);
  return shape;
}

/** The shape as a small picture beside a word.
 * @param {string} type
 */
export const glyphMark = (type) =>
  s("svg", { class: "token-mark", viewBox: "-12 -12 24 24", "aria-hidden": "true" }, glyph(type));
