// The card at the end of an evening: how it ended, and which acts mattered most.

import { h, write } from "./dom.js";
import { progress } from "./meter.js";
import { clock } from "./words.js";

/** @typedef {import("./source.js").Evening} Evening */
/** @typedef {import("./router.js").Context} Context */

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

/** The card; `show(ended)` shows or hides it. It asks what mattered when it is shown for the first time, and `leave()`
 * ends that.
 * @param {Evening} evening
 * @param {Context} context
 * @param {(tick: number) => void} go
 */
export function closingCard(evening, context, go) {
  const mattered = h("div", { class: "stack", "aria-live": "polite" });
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
  let leave = () => {};

  /** @param {string} said */
  const offer = (said) => mattered.replaceChildren(h("p", { class: "soft" }, said),
    h("div", { class: "row" }, h("button", { type: "button", onclick: look }, "Find out")));

  /** How far it is, and a button that ends it. */
  function wait() {
    const said = h("p", { class: "soft", "aria-live": "off" }, "The evening is played again without each of its acts");
    const bar = progress("Acts examined", 1);
    mattered.replaceChildren(said, bar.element, h("div", { class: "row" },
      h("button", { type: "button", onclick: () => {
        leave();
        offer("It was not found out: you cancelled it.");
      } }, "Cancel")));
    return (/** @type {Api.Mattered} */ { done, of }) => {
      if (!of) return;
      write(said, `The evening is played again without each of its acts: ${done} of ${of}`);
      bar.show(done, of);
    };
  }

  /** @param {Api.Mattered} found */
  function tell(found) {
    if (found.state === "done") mattered.replaceChildren(...acts(found, go));
    else if (found.state === "failed") {
      mattered.replaceChildren(h("p", { class: "soft" }, `It cannot be found out: ${found.problem}.`));
    } else if (found.state === "cancelled") offer("It was not found out: the studio ended it.");
  }

  async function look() {
    try {
      const found = await context.source.significance(evening.id);
      if (!context.stay()) return;
      tell(found);
      if (found.state !== "computing") return;
      const show = wait();
      show(found);
      leave = context.source.followSignificance(evening.id, (more) => {
        if (more.state === "computing") show(more);
        else tell(more);
      });
    } catch (error) {
      offer(`It cannot be found out now: ${error instanceof Error ? error.message : error}.`);
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
  return { element, show, leave: () => leave() };
}
