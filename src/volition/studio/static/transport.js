// The playback buttons.

import { h, s, segments, write } from "./dom.js";
import { SPEEDS } from "./player.js";

/** @typedef {import("./player.js").Player} Player */

const ICONS = {
  first: "M4 4h2v12H4zM16 4v12L7 10z", back: "M14 4v12L5 10z", play: "M5 3.500v13l11-6.500z",
  pause: "M5 4h3.500v12H5zM11.500 4H15v12h-3.500z",
  on: "M6 4v12l9-6z", last: "M14 4h2v12h-2zM4 4v12l9-6z",
};
/** @param {keyof typeof ICONS} name */
const icon = (name) => s("svg", { viewBox: "0 0 20 20", "aria-hidden": "true" }, s("path", { d: ICONS[name] }));
/** @param {keyof typeof ICONS} name @param {string} label @param {() => unknown} action @param {string} [look] */
const button = (name, label, action, look = "square") =>
  h("button", { type: "button", class: look, "aria-label": label, title: label, onclick: action }, icon(name));

/** `time(place)` describes a place; `live()` says whether more will come; `next()` goes to the next moment.
 * @param {Player} player
 * @param {(place: number) => string} time
 * @param {{ live?: () => boolean, next?: (() => void) | null, nextName?: string }} [options]
 */
export function transport(player, time, { live = () => false, next = null, nextName = "Next moment" } = {}) {
  const toggle = button("play", "Play", () => player.toggle(), "round main");
  const said = h("output", { class: "time number" });
  const newest = h("button", { type: "button", class: "chip bad", hidden: true, onclick: () => {
    player.pause();
    player.following = true;
    player.grow(player.last);
  } }, "Live");
  const element = h("div", { class: "transport", role: "group", "aria-label": "Playback" },
    button("first", "To the beginning", () => player.step(-1e9)),
    button("back", "One step back", () => player.step(-1)), toggle,
    button("on", "One step forward", () => player.step(1)), button("last", "To the end", () => player.step(1e9)),
    next ? h("button", { type: "button", title: `${nextName} (n)`, onclick: next }, nextName) : null,
    said, newest,
    h("span", { class: "grow" }),
    segments("Speed", SPEEDS.map((speed) => [speed, `${speed}\u00d7`]), player.speed,
      (speed) => player.setSpeed(speed)));
  let playing = false;

  /** @param {number} place */
  function show(place) {
    write(said, time(place));
    newest.hidden = !live();
    newest.setAttribute("aria-pressed", String(player.following));
    if (playing === player.playing) return;
    playing = player.playing;
    toggle.replaceChildren(icon(playing ? "pause" : "play"));
    toggle.setAttribute("aria-label", playing ? "Pause" : "Play");
    toggle.title = playing ? "Pause" : "Play";
  }
  return { element, show };
}
