// Questions for a person, one at a time, with what each option leads to.

import { h, say, write } from "./dom.js";
import { many } from "./words.js";

/** @typedef {import("./plans.js").Plans} Plans */
/** @typedef {{ option_id: string, label: string, implications?: string }} Option */
/** @typedef {{ question_id: string, question_text: string, context?: string, options: Option[] }} Question */
/** @typedef {{ questions: Question[] }} QuestionPack */
/** Sends a round of answers: the chosen option of each question.
 * @typedef {(choices: Record<string, any>) => unknown} Send
 */
/** Questions on a page, and functions for keys.
 * @typedef {{ form: HTMLElement, next: () => void, previous: () => void }} Asking
 */

const SHOWN = 6; // actions that are listed without being asked for

/** The commands of plans that an option approves or forbids.
 * @param {string} look
 * @param {string} words
 * @param {Api.InboxAction[]} list
 */
function actions(look, words, list) {
  if (!list.length) return null;
  return h("details", { class: `consequence ${look}`, open: list.length <= SHOWN },
    h("summary", {}, `${words} ${many(list.length, "action")}`),
    h("ul", {}, list.map((one) => h("li", { "data-command": one.command },
      h("strong", { dir: "auto" }, one.title), ": ", h("code", {}, one.command), ", ",
      h("span", { dir: "auto" }, one.words)))));
}

/** What an option leads to: the exact actions.
 * @param {Api.InboxOption | undefined} one
 */
function leadsTo(one) {
  if (!one) return null;
  return h("div", { class: "small option-leads", "data-option": one.option },
    actions("approves", "\u2713 Approves", one.approves), actions("forbids", "\u2715 Forbids", one.forbids),
    one.undecided.length
      ? h("p", { class: "soft" }, `Leaves ${many(one.undecided.length, "action")} to other questions.`) : null);
}

/** @param {Question} one @param {Plans} plans @param {Send | null} send @param {Map<string, Api.InboxOption>} leads */
function fieldset(one, plans, send, leads) {
  return h("fieldset", { class: "question", disabled: !send, "data-question": one.question_id },
    h("legend", {}, plans.say(one.question_text)),
    one.context ? h("details", { class: "small soft" }, h("summary", {}, "Background"), plans.say(one.context)) : null,
    one.options.map((option) => h("div", { class: "option-holder" }, h("label", { class: "option" },
      h("input", { type: "radio", name: one.question_id, value: option.option_id }),
      h("span", {}, h("strong", {}, plans.say(option.label)),
        option.implications ? h("span", { class: "soft small" }, plans.say(option.implications)) : null)),
    leadsTo(leads.get(`${one.question_id}/${option.option_id}`)))));
}

/** A form for a pack of questions, one of which is shown at a time; all answers are sent as one round. `send` is null
 * where that is not possible, and `why` says why not. `options` say what each option leads to.
 * @param {QuestionPack} pack
 * @param {Plans} plans
 * @param {Send | null} send
 * @param {{ why?: string, options?: Api.InboxOption[], then?: string }} [more]
 * @returns {Asking}
 */
export function askForm(pack, plans, send, { why = "", options = [], then = ", and evaluate again" } = {}) {
  const leads = new Map(options.map((one) => [`${one.question}/${one.option}`, one]));
  const open = pack.questions;
  const sets = open.map((one) => fieldset(one, plans, send, leads));
  const place = h("span", { class: "soft small", role: "status" });
  const chosen = () => Object.fromEntries(new FormData(form));
  let shown = 0;
  /** @param {number} number @param {boolean} [focus] */
  function show(number, focus = true) {
    shown = Math.max(0, Math.min(number, sets.length - 1));
    sets.forEach((one, at) => { one.hidden = at !== shown; });
    [before.disabled, after.disabled] = [shown === 0, shown === sets.length - 1];
    tell();
    /** @type {HTMLElement | null} */
    const first = sets[shown].querySelector("input:checked") ?? sets[shown].querySelector("input");
    if (focus) first?.focus();
  }
  function tell() {
    const answered = send ? `, ${Object.keys(chosen()).length} answered` : "";
    write(place, sets.length > 1 ? `Question ${shown + 1} of ${sets.length}${answered}` : "");
  }
  const before = h("button", { type: "button", onclick: () => show(shown - 1) }, "Previous");
  const after = h("button", { type: "button", onclick: () => show(shown + 1) }, "Next");
  const all = open.length === 1 ? "Answer" : `Answer all ${open.length}`;
  /** @type {HTMLFormElement} */
  const form = h("form", {
    class: "asking", novalidate: true, onchange: tell,
    onsubmit: (event) => {
      event.preventDefault();
      const answers = chosen();
      const missing = open.findIndex((one) => !(one.question_id in answers));
      if (missing < 0) return send?.(answers);
      show(missing);
      return say(open.length > 1 ? `Question ${missing + 1} is not answered yet` : "Choose an option first");
    },
  }, sets, h("div", { class: "row" },
    sets.length > 1 ? [before, after, place] : null,
    send ? h("button", { class: "main", type: "submit" }, `${all}${then}`) : h("p", { class: "soft small" }, why)));
  show(0, false);
  return { form, next: () => show(shown + 1), previous: () => show(shown - 1) };
}
