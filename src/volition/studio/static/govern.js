// Govern: several plans evaluated together, and the questions that only a person can answer.

import { at, get, post } from "./api.js";
import { h, say } from "./dom.js";
import { STRATEGIES, showEvaluation } from "./evaluation.js";
import { pageKeys } from "./keyboard.js";
import { Plans } from "./plans.js";
import { problems } from "./problems.js";
import { formatDate, many, humanize } from "./words.js";

/** @typedef {import("./router.js").Context} Context */
/** @typedef {{ name: string, about: string, asked: any, choices: Record<string, any>[] }} Work */

export const title = "Govern";

/** Files as one request: the set, its intents, and a policy in TOML.
 * @param {File[]} files
 */
async function read(files) {
  /** @type {{ set: any, intents: any[], policy: string | null }} */
  const found = { set: null, intents: [], policy: null };
  /** @type {string[]} */
  const wrong = [];
  for (const file of files) {
    const text = await file.text();
    if (file.name.endsWith(".toml")) {
      found.policy = text;
      continue;
    }
    try {
      const document = JSON.parse(text);
      if (document.type === "intent_set") found.set = document;
      else found.intents.push(document);
    } catch (error) {
      wrong.push(`${file.name}: ${error instanceof Error ? error.message : error}`);
    }
  }
  return { found, wrong };
}

/** What is open: where it comes from, and the request to send again; `asked` is null where that is not known.
 * @param {string} name
 * @param {string} about
 * @param {any} asked
 * @returns {Work}
 */
const makeWork = (name, about, asked) => ({ name, about, asked, choices: [] });

/** @param {HTMLElement} holder @param {Context} context */
export async function show(holder, context) {
  const [samples, { records }] = await Promise.all([get("/govern/samples"), get("/records?kind=evaluation")]);
  /** @type {Api.RecordShape[]} */
  const saved = records.filter((/** @type {Api.RecordShape} */ one) => one.fault === null);
  const output = h("div", { class: "stack", "aria-live": "polite" });
  const caption = h("p", { class: "loaded" });
  const about = h("p", { class: "soft small" });
  let work = makeWork("", "", null);

  /** @param {Api.EvaluationShape} answer */
  function draw(answer) {
    const plans = new Plans(Object.keys(answer.result.input.intent_checksums), answer.titles);
    const before = (work.asked?.answers ?? []).reduce((/** @type {number} */ all, /** @type {any} */ pack) =>
      all + pack.answers.length, 0);
    const here = work.choices.reduce((all, round) => all + Object.keys(round).length, 0);
    const { shown, keys } = showEvaluation(answer, plans, {
      answered: before + here,
      send: work.asked && ((round) => { work.choices.push(round); return evaluate(); }),
      back: work.choices.length ? () => { work.choices.pop(); return evaluate(); } : null,
      keep: work.asked && (() => evaluate(true)),
    });
    output.replaceChildren(shown);
    pageKeys(keys);
  }

  async function evaluate(keep = false) {
    try {
      const answer = await post("/govern", {
        ...work.asked, choices: work.choices, limit: !large.checked, save: keep, contested: true,
      });
      draw(answer);
      if (keep) {
        about.textContent = `Saved as ${answer.saved}.`;
        context.note({ evaluation: answer.saved });
      }
      say(keep ? `Saved as ${answer.saved}` : STRATEGIES[answer.strategy]?.[1] ?? answer.strategy);
    } catch (error) {
      output.replaceChildren(problems(error));
    }
  }

  /** Show what is open.
   * @param {Work} next
   */
  function open(next) {
    work = next;
    const { set, intents, policy } = work.asked ?? {};
    caption.replaceChildren("Shown: ", h("strong", {}, work.name),
      set ? `, ${many(intents.length, "plan")} of ${set.id}${policy ? ", with a policy" : ""}` : "");
    about.textContent = work.about;
  }

  /** @param {string} id */
  async function openSaved(id) {
    const { record, evaluation, asked } = await get(at`/records/${id}`);
    if (asked) large.checked = !asked.limit;
    open(makeWork(`${record.name}, saved`,
      `Evaluated ${formatDate(Date.parse(record.evaluation.created_at) / 1000)}.`
        + (asked ? "" : " Read-only: its plans were not saved with it."),
      asked));
    context.note({ evaluation: id });
    draw(evaluation);
  }

  /** @param {string} name */
  function openSample(name) {
    const one = samples.find((/** @type {any} */ each) => each.name === name) ?? samples[0];
    open(makeWork(`the sample \u201c${humanize(one.name)}\u201d`, one.about, { set: one.set, intents: one.intents }));
    context.note({ sample: one.name });
    return evaluate();
  }

  /** @param {FileList | null} files */
  async function take(files) {
    const { found, wrong } = await read([...files ?? []]);
    if (wrong.length || !found.set) {
      output.replaceChildren(problems(new Error(wrong.join("; ")
        || "no intent set is among these files: one of them has \u201ctype\u201d: \u201cintent_set\u201d")));
      return;
    }
    pick.value = "";
    open(makeWork("your files", "", found));
    context.note({});
    await evaluate();
  }

  /** @type {HTMLInputElement} */
  const input = h("input", {
    type: "file", multiple: true, accept: ".json,.toml", class: "unseen", id: "govern-files",
    onchange: () => take(input.files),
  });
  const large = h("input", { type: "checkbox", onchange: () => work.asked && evaluate() });
  /** @type {HTMLElement} */
  const zone = h("div", {
    class: "drop",
    ondragover: (event) => { event.preventDefault(); zone.classList.add("over"); },
    ondragleave: () => zone.classList.remove("over"),
    ondrop: (event) => {
      event.preventDefault();
      zone.classList.remove("over");
      return take(event.dataTransfer?.files ?? null);
    },
  },
  h("div", { class: "grow" }, caption, about,
    h("p", { class: "small" }, "Drop your files here: a set and its plans as JSON, a policy as TOML.")), input,
  h("span", { class: "row" },
    h("label", { class: "field small" }, large, "More than 20 plans: evaluated, not merged"),
    h("label", { class: "button", for: "govern-files" }, "Choose files")));
  /** @type {Record<string, (name: string) => unknown>} */
  const openings = { sample: openSample, evaluation: openSaved };
  /** @param {string} kind @param {string} name */
  const choose = async (kind, name) => {
    try {
      await openings[kind](name);
    } catch (error) {
      output.replaceChildren(problems(error));
    }
  };
  /** @type {HTMLSelectElement} */
  const pick = h("select", {
    "aria-label": "Plans", onchange: () => choose(pick.value.split("/")[0], pick.value.split("/")[1]),
  },
    h("option", { value: "", hidden: true }, "your files"),
    saved.length ? h("optgroup", { label: "Saved evaluations" }, saved.map((one) =>
      h("option", { value: `evaluation/${one.id}` }, `${one.name}: ${humanize(one.evaluation?.strategy ?? "")}`,
        one.evaluation?.questions ? `, ${many(one.evaluation.questions, "question")}` : ""))) : null,
    h("optgroup", { label: "Samples" },
      samples.map((/** @type {any} */ one) => h("option", { value: `sample/${one.name}` }, humanize(one.name)))));
  holder.replaceChildren(
    h("div", { class: "head" }, h("div", { class: "grow" }, h("h1", {}, "Several plans, evaluated together"),
      h("p", { class: "sub" },
        "What conflicts, what can be merged, who gives way, and what only a person can decide.")),
    h("label", { class: "field" }, "Plans", pick)),
    zone, output);
  const [kind, name] = context.params.has("evaluation") ? ["evaluation", context.params.get("evaluation") ?? ""]
    : ["sample", context.params.get("sample") ?? "same_target"];
  pick.value = `${kind}/${name}`;
  await choose(kind, name);
}
