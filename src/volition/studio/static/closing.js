// The card at the end of an evening: how it ended, and which acts mattered most.

import { h } from "./dom.js";
import { clock } from "./words.js";

/** @typedef {import("./source.js").Evening} Evening */
/** @typedef {import("./router.js").Context} Context */

const AGAIN = 1500; // milliseconds between two looks at what is being found out

/** The acts that mattered; `go(tick)` shows one.
 * @param {Api.Mattered} found
 * @param {(tick: number) => void} go
 */
function acts(found, go) {
  if (!found.acts.length) return [h("p", { class: "soft" }, "Nothing happened that could be left out.")];
  return [h("ol", { class: "mattered" }, found.acts.map((act) => h("li", {},
    h("button", { type: "button", class: "link", onclick: () => go(act.tick) }, `${clock(act.minutes)} ${act.text}`),
    h("p", { class: "soft small" }, `Without it: ${act.without.join("; ") || "much the same"}.`))))];
}

/** The card; `show(ended)` shows or hides it. It asks what mattered when it is shown for the first time.
 * @param {Evening} evening
 * @param {Context} context
 * @param {(tick: number) => void} go
 */
export function closingCard(evening, context, go) {
  const mattered = h("div", { "aria-live": "polite" });
  const element = h("section", { class: "closing", "aria-label": "How it ended", tabindex: 0, hidden: true },
    h("button", {
      type: "button", class: "closing-close", onclick: () => { element.hidden = true; },
    }, "Show the house"),
    evening.closing.slice(0, 1).map((part) =>
      [h("h2", {}, part.heading), part.lines.map((line) => h("p", { class: "told" }, line))]),
    context.source.canAsk ? [h("h3", {}, "What mattered most"), mattered] : null,
    evening.closing.slice(1, 3).map((part) => [h("h3", {}, part.heading),
      h("ul", { class: "closing-list" }, part.lines.map((line) => h("li", {}, line)))]));
  let asked = false;

  async function look() {
    if (!context.stay()) return;
    let found;
    try {
      found = await context.source.significance(evening.id);
    } catch (error) {
      const problem = error instanceof Error ? error.message : String(error);
      found = { state: /** @type {const} */ ("failed"), problem, done: 0, of: 0, acts: [] };
    }
    if (found.state === "done") mattered.replaceChildren(...acts(found, go));
    else if (found.state === "failed") {
      mattered.replaceChildren(h("p", { class: "soft" }, `It cannot be found out: ${found.problem}.`));
    } else {
      const far = found.of ? `: ${found.done} of ${found.of}` : "";
      mattered.replaceChildren(h("p", { class: "soft" }, `The evening is played again without each of its acts${far}`));
      setTimeout(look, AGAIN);
    }
  }

  /** @param {boolean} ended */
  function show(ended) {
    const wanted = ended && evening.closing.length > 0;
    if (wanted === !element.hidden) return;
    element.hidden = !wanted;
    if (!wanted || asked || !context.source.canAsk) return;
    asked = true;
    look();
  }
  return { element, show };
}
