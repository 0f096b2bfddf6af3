// What people did, and what they tried and may not do: who, what, when, with which key, and why it does not count.

import { get } from "./api.js";
import { h } from "./dom.js";
import { problems } from "./problems.js";
import { formatDate, many } from "./words.js";

const MOST = 100; // acts that are listed
/** @type {Record<Api.ActShape["what"], [string, string]>} */
const DID = {
  answer: ["answered", "answer"], approve: ["approved", "approve"], claim: ["claimed", "claim"],
  fork: ["forked", "fork"], guest: ["played a guest in", "play a guest in"], remove: ["removed", "remove"],
  restore: ["restored", "restore"], erase: ["erased", "erase"],
};

/** The key that signed something, or that nothing is signed.
 * @param {string | null} key
 */
export const signedWith = (key) => (key
  ? h("code", { title: key }, `key ${key.slice(0, 16)}\u2026`) : h("span", { class: "soft small" }, "not signed"));

/** @param {Api.ActShape} act */
function row(act) {
  const [did, tried] = DID[act.what];
  const done = act.refused === null;
  return h("li", { class: done && act.fault === null ? "" : "act-refused", "data-act": act.what },
    h("span", { class: "soft number" }, formatDate(act.at)), " ",
    h("strong", { dir: "auto" }, act.who || "Somebody"), done ? ` ${did} ` : ` tried to ${tried} `,
    h("span", { dir: "auto" }, act.about),
    done && act.result ? [" \u2192 ", h("span", { dir: "auto" }, act.result)] : null,
    act.project ? `, project ${act.project}` : null, " ",
    done ? signedWith(act.signer) : [h("span", { class: "chip bad" }, "\u2715 refused"), ` ${act.refused}.`],
    act.fault === null ? null : [" ", h("span", { class: "chip bad" }, "\u2715 does not count"), ` ${act.fault}.`]);
}

/** A panel that lists the last acts once it is opened; `load` brings it up to date. */
export function actsPanel() {
  const list = h("div");
  const panel = h("details", { class: "panel acts" }, h("summary", {}, "What people did"), list);
  async function load() {
    if (!panel.open) return;
    try {
      /** @type {Api.ActList} */
      const { acts } = await get(`/acts?most=${MOST}`);
      list.replaceChildren(acts.length ? h("ol", { class: "inbox-history small" }, acts.map(row))
        : h("p", { class: "soft" }, "Nobody has answered, approved, claimed or forked anything here."),
      acts.length === MOST ? h("p", { class: "soft small" }, `The last ${many(MOST, "act")} are listed.`) : "");
    } catch (error) {
      list.replaceChildren(problems(error));
    }
  }
  panel.addEventListener("toggle", load);
  return { panel, load };
}
