// Dialogs in front of the page.

import { h } from "./dom.js";

/** @typedef {import("./dom.js").Child} Child */

/** Open a dialog with a heading; it is removed when it closes.
 * @param {string} title
 * @param {...Child} content
 */
export function dialog(title, ...content) {
  /** @type {HTMLDialogElement} */
  const element = h("dialog", { "aria-labelledby": "dialog-title", onclose: () => element.remove() },
    h("h1", { id: "dialog-title" }, title), content);
  document.body.append(element);
  element.showModal();
  return element;
}

/** Ask before doing something that cannot be undone.
 * @param {string} title
 * @param {string} about
 * @param {{ yes: string, no: string }} answers
 * @param {() => unknown} act
 */
export function confirm(title, about, { yes, no }, act) {
  const element = dialog(title, h("p", {}, about), h("div", { class: "row" },
    h("button", { type: "button", onclick: () => element.close() }, no),
    h("button", { type: "button", class: "main", onclick: () => {
      element.close();
      return act();
    } }, yes)));
}
