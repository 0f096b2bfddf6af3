// The bin: records that were removed, to be restored or erased.

import { at, get, post, remove } from "./api.js";
import { confirm } from "./dialog.js";
import { h, say, write } from "./dom.js";
import { problems } from "./problems.js";
import { bytes, formatDate } from "./words.js";

/** @param {string} verb @param {Api.RemovedRecord} one @param {() => unknown} onclick */
const action = (verb, one, onclick) =>
  h("button", { type: "button", class: "link", "aria-label": `${verb} ${one.name}`, onclick }, verb);

/** A panel that lists what was removed, hidden while there is nothing; `load` brings it up to date, and `changed` is
 * called when a record is back.
 * @param {() => unknown} changed
 */
export function binPanel(changed) {
  const list = h("ul");
  const wrong = h("div");
  const head = h("summary", {});
  const panel = h("details", { class: "panel removed" }, head, h("p", { class: "soft small" },
    "Removed records keep their place on the disk until they are erased."), wrong, list);
  /** @param {() => Promise<unknown>} act @param {string} done */
  async function run(act, done) {
    try {
      await act();
      wrong.replaceChildren();
      say(done);
      await changed();
    } catch (error) {
      wrong.replaceChildren(problems(error));
    }
  }
  /** @param {Api.RemovedRecord} one */
  function row(one) {
    const erase = () => confirm(`Erase ${one.name}?`, "It is deleted for good, and nobody can restore it.",
      { yes: "Erase it", no: "Keep it" }, () => run(() => remove(at`/removed/${one.id}`), `${one.name} is erased`));
    const restore = () => run(() => post(at`/removed/${one.id}/restore`), `${one.name} is restored`);
    return h("li", { "data-removed": one.id },
      h("span", { class: "record-name" }, one.name),
      h("span", { class: "soft small" }, `${one.place}, ${bytes(one.bytes)}, removed ${formatDate(one.removed)}`),
      h("div", { class: "row actions" },
        action("Restore", one, restore), action("Erase", one, erase)));
  }
  async function load() {
    /** @type {Api.RemovedList} */
    const { removed } = await get("/removed");
    panel.hidden = !removed.length;
    write(head, `In the bin (${removed.length})`);
    list.replaceChildren(...removed.map(row));
  }
  return { panel, load };
}
