// Light, dark or the system's theme; the choice is remembered.

import { recall, remember } from "./storage.js";

const KEY = "volition-theme";
const ORDER = ["system", "light", "dark"];
let chosen = "system";

/** @param {HTMLElement | null} button */
function show(button) {
  if (chosen === "system") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = chosen;
  if (button) button.textContent = `Theme: ${chosen}`;
}

/** Apply the remembered theme, and let the button choose the next.
 * @param {HTMLElement | null} button
 */
export function startTheme(button) {
  const before = recall(KEY);
  chosen = before !== null && ORDER.includes(before) ? before : "system";
  show(button);
  button?.addEventListener("click", () => {
    chosen = ORDER[(ORDER.indexOf(chosen) + 1) % ORDER.length];
    remember(KEY, chosen);
    show(button);
  });
}
