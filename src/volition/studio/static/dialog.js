// What stands in front of the page until it is answered.

import { h } from "./dom.js";

/** A dialog with a heading, opened; it is gone when it closes. */
export function dialog(title, ...content) {
  const element = h("dialog", { "aria-labelledby": "dialog-title", onclose: () => element.remove() },
    h("h1", { id: "dialog-title" }, title), content);
  document.body.append(element);
  element.showModal();
  return element;
}

/** Ask before something is done that cannot be taken back. */
export function confirm(title, about, { yes, no }, act) {
  const element = dialog(title, h("p", {}, about), h("div", { class: "row" },
    h("button", { type: "button", onclick: () => element.close() }, no),
    h("button", { type: "button", class: "main", onclick: () => {
      element.close();
      return act();
    } }, yes)));
}
