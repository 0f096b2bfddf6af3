// Keyboard shortcuts of the studio and its pages, and the list that "?" shows.

import { dialog } from "./dialog.js";
import { h } from "./dom.js";
import { recall, remember } from "./storage.js";

/** @typedef {Record<string, [string, () => unknown]>} Keys */

const ALWAYS = [
  ["1 \u2026 9, 0", "go to a page"], ["d", "light, dark or system"], ["?", "show these keys"],
  ["Tab", "from one control to the next"],
];
const OFF = "volition-letters-off"; // for people who use speech input, or who hit keys by accident
/** @type {Keys} */
let page = {};
let letters = true;

/** Set the shortcuts of the current page: {" ": ["play or pause", function]}.
 * @param {Keys} keys
 */
export function pageKeys(keys) {
  page = keys;
}

/** @param {KeyboardEvent} event */
const isBusy = (event) =>
  event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]") !== null;

/** Whether a key is a single letter, digit or sign.
 * @param {string} key
 */
const isLetter = (key) => key.length === 1 && key !== " ";

/** Whether the focused element uses the key itself: typing in a field, or stepping through a group.
 * @param {KeyboardEvent} event
 */
function isTaken(event) {
  const on = event.target;
  if (!(on instanceof Element)) return false;
  if (on.matches("textarea, select, input:not([type=range]):not([type=checkbox]):not([type=radio])")) return true;
  if (on.matches("input[type=range]")) return event.key.startsWith("Arrow")
    || ["Home", "End", "PageUp", "PageDown"].includes(event.key);
  if (on.matches("button, a, summary, [role=button], input")) return event.key === " " || event.key === "Enter"
    || (event.key.startsWith("Arrow") && on.closest("[role=radiogroup], [data-roving]") !== null);
  return false;
}

/** Start to listen. `pages` are the links of the bar, in order.
 * @param {HTMLElement[]} pages
 * @param {HTMLElement} help
 * @param {HTMLElement} theme
 */
export function startKeyboard(pages, help, theme) {
  letters = recall(OFF) === null;
  help.addEventListener("click", explain);
  document.querySelector(".skip")?.addEventListener("click", (event) => {
    event.preventDefault(); // the address stays what it is
    document.getElementById("main")?.focus();
  });
  document.addEventListener("keydown", (event) => {
    if (isBusy(event) || isTaken(event) || (!letters && isLetter(event.key))) return;
    const link = /^[0-9]$/.test(event.key) ? pages[(Number(event.key) + 9) % 10] : undefined; // 0 is the tenth
    const action = page[event.key]?.[1]
      ?? (event.key === "?" ? explain : event.key === "d" ? () => theme.click() : link ? () => link.click() : null);
    if (!action) return;
    event.preventDefault();
    action();
  });
}

/** @type {Record<string, string>} */
const NAMES = { " ": "Space", ArrowLeft: "\u2190", ArrowRight: "\u2192" };

function explain() {
  const rows = [...Object.entries(page).map(([key, [what]]) => [NAMES[key] ?? key, what]), ...ALWAYS];
  const use = h("input", { type: "checkbox", checked: letters, onchange: () => {
    letters = use.checked;
    remember(OFF, letters ? null : "1");
  } });
  dialog("Keyboard shortcuts",
    h("dl", { class: "keys" }, rows.map(([key, what]) => [h("dt", {}, h("kbd", {}, key)), h("dd", {}, what)])),
    h("label", { class: "field keys-off" }, use, "Single-key shortcuts (letters, digits and signs)"),
    h("form", { method: "dialog", class: "row" }, h("button", { class: "main" }, "Close")));
}
