// Keys of the studio and of its pages, and the list of them that "?" shows.

import { dialog } from "./dialog.js";
import { h } from "./dom.js";
import { recall, remember } from "./storage.js";

const ALWAYS = [
  ["1 \u2026 7", "go to a page"], ["d", "light, dark or system"], ["?", "these keys"],
  ["Tab", "from one control to the next"],
];
const OFF = "volition-letters-off"; // for those who speak to their computer, or whose hands strike keys by chance
let page = {};
let letters = true;

/** The keys of the page that is shown: {" ": ["play or pause", function]}. */
export function pageKeys(keys) {
  page = keys;
}

const busy = (event) =>
  event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]") !== null;

/** Whether a key is one letter, digit or sign. */
const isLetter = (key) => key.length === 1 && key !== " ";

/** Whether a key belongs to what has the focus: typing in a field, or stepping through a group. */
function taken(event) {
  const on = event.target;
  if (on.matches("textarea, select, input:not([type=range]):not([type=checkbox]):not([type=radio])")) return true;
  if (on.matches("input[type=range]")) return event.key.startsWith("Arrow") || ["Home", "End", "PageUp", "PageDown"].includes(event.key);
  if (on.matches("button, a, summary, [role=button], input")) return event.key === " " || event.key === "Enter" || (event.key.startsWith("Arrow") && on.closest("[role=radiogroup], [data-roving]") !== null);
  return false;
}

/** Listen for good. `pages` are the links of the bar, in order. */
export function startKeyboard(pages, help, theme) {
  letters = recall(OFF) === null;
  help.addEventListener("click", explain);
  document.querySelector(".skip")?.addEventListener("click", (event) => {
    event.preventDefault(); // the address stays what it is
    document.getElementById("main").focus();
  });
  document.addEventListener("keydown", (event) => {
    if (busy(event) || taken(event) || (!letters && isLetter(event.key))) return;
    const link = pages[Number(event.key) - 1];
    const action = page[event.key]?.[1] ?? (event.key === "?" ? explain : event.key === "d" ? () => theme.click() : link ? () => link.click() : null);
    if (!action) return;
    event.preventDefault();
    action();
  });
}

const NAMES = { " ": "Space", ArrowLeft: "\u2190", ArrowRight: "\u2192" };

function explain() {
  const rows = [...Object.entries(page).map(([key, [what]]) => [NAMES[key] ?? key, what]), ...ALWAYS];
  const use = h("input", { type: "checkbox", checked: letters, onchange: () => {
    letters = use.checked;
    remember(OFF, letters ? null : "1");
  } });
  dialog("Keys",
    h("dl", { class: "keys" }, rows.map(([key, what]) => [h("dt", {}, h("kbd", {}, key)), h("dd", {}, what)])),
    h("label", { class: "field keys-off" }, use, "Keys of one letter, digit or sign"),
    h("form", { method: "dialog", class: "row" }, h("button", { class: "main" }, "Close")));
}
