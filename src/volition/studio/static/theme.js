// Light, dark, or as the system has it; the choice is kept.

const KEY = "volition-theme";
const ORDER = ["system", "light", "dark"];
let chosen = "system";

function kept() {
  try {
    return localStorage.getItem(KEY);
  } catch {
    return null; // storage is forbidden: the choice lasts as long as the page
  }
}

function show(button) {
  if (chosen === "system") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = chosen;
  if (button) button.textContent = `Theme: ${chosen}`;
}

/** Show what was chosen before, and let the button choose the next. */
export function startTheme(button) {
  const before = kept();
  chosen = ORDER.includes(before) ? before : "system";
  show(button);
  button?.addEventListener("click", () => {
    chosen = ORDER[(ORDER.indexOf(chosen) + 1) % ORDER.length];
    try {
      localStorage.setItem(KEY, chosen);
    } catch { /* as in kept() */ }
    show(button);
  });
}
