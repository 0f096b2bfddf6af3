// Govern: several plans judged together, and the questions that only a person can answer.

import { get, post } from "./api.js";
import { h, save, say, some } from "./dom.js";
import { asPerson, conflictGraph, intentName, kindName, orderGraph, radar } from "./graphs.js";
import { mark } from "./palette.js";
import { problems } from "./problems.js";
import { many, plain } from "./words.js";

export const title = "Govern";

const STRATEGIES = {
  merge_union: ["good", "All of it can be merged"], override_by_priority: ["accent", "Priority decides"],
  reject: ["bad", "Nothing is merged until somebody decides"], no_merge_needed: ["good", "Nothing needs merging"],
};

/** Files as one request: the set, its intents, and a policy in TOML. */
async function read(files) {
  const found = { set: null, intents: [], policy: null };
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
      wrong.push(`${file.name}: ${error.message}`);
    }
  }
  return { found, wrong };
}

function intentTag(id, intents) {
  return h("span", { class: "who" }, mark(asPerson(intents.indexOf(id))), intentName(id));
}

function conflictList(conflicts, intents) {
  if (!conflicts.length) return h("p", { class: "soft" }, "Nothing conflicts.");
  return some(h("ul", { class: "conflicts" }), conflicts, (one) => h("li", { "data-conflict": one.conflict_id },
    h("div", { class: "row" }, h("span", { class: `chip ${one.severity === "high" || one.severity === "critical" ? "bad" : one.severity === "medium" ? "warn" : ""}` }, one.severity),
      h("strong", {}, `${kindName(one.type)} conflict`), h("code", {}, one.resource_ref ?? "")),
    h("div", { class: "row small" }, one.intent_ids.map((id) => intentTag(id, intents))),
    h("p", { class: "small soft" }, one.description)));
}

const SETTLED = {
  override_by_priority: ["accent", "priority decides"], ask: ["warn", "a person decides"], merge_union: ["good", "merged"], reject: ["bad", "not merged"],
};

function groups(answer, intents) {
  return some(h("ul", { class: "clusters" }), answer.clusters, (cluster) => {
    const [tone, words] = SETTLED[cluster.strategy];
    return h("li", {},
      h("h3", {}, `Group ${answer.clusters.indexOf(cluster) + 1} `, h("span", { class: `chip ${tone}` }, words), h("span", { class: "soft small" }, ` ${many(cluster.conflicts.length, "conflict")}`)),
      h("div", { class: "row small" }, cluster.intents.map((id) => intentTag(id, intents))),
      h("p", { class: "small soft" }, cluster.because));
  });
}

function risks(answer, intents) {
  const { matrix, dominance } = answer.result.evaluation.risk_comparison;
  const names = Object.keys(matrix[0]?.dimensions ?? {});
  return h("div", { class: "risks" }, radar(matrix, intents, null),
    h("div", {}, h("div", { class: "scroll" }, h("table", { class: "small" }, h("caption", { class: "unseen" }, "Risk of each plan"),
      h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "Plan"), names.map((name) => h("th", { scope: "col", class: "number" }, plain(name.replace("_risk", "")))), h("th", { scope: "col" }, "Overall"))),
      h("tbody", {}, matrix.map((row) => h("tr", {}, h("th", { scope: "row" }, intentTag(row.intent_id, intents)),
        names.map((name) => h("td", { class: "number" }, String(row.dimensions[name]))), h("td", {}, h("span", { class: `chip ${row.overall_risk === "low" ? "good" : row.overall_risk === "medium" ? "warn" : "bad"}` }, row.overall_risk))))))),
    h("p", { class: "small soft" }, dominance.length ? "" : "No plan is riskier than another in every respect."),
    some(h("ul", { class: "small" }), dominance, (one) => h("li", {}, typeof one === "string" ? one : Object.entries(one).map(([name, value]) => `${plain(name)} ${Array.isArray(value) ? value.map(intentName).join(", ") : intentName(String(value))}`).join("; "))),
    answer.riskiest.length ? h("p", { class: "small" }, h("span", { class: "soft" }, "Nothing is riskier than "), answer.riskiest.map(intentName).join(", "), ".") : null));
}

function plan(answer, intents) {
  const { operations } = answer.result.evaluation.merge_plan;
  return some(h("ol", { class: "operations small" }), operations, (one) => h("li", {},
    h("span", { class: `chip ${one.operation === "reject" ? "bad" : one.operation === "override_field" ? "warn" : ""}` }, plain(one.operation)),
    h("span", {}, intentTag(one.source_intent_id, intents), one.target_field ? h("span", { class: "soft" }, ` ${plain(one.target_field)}`) : null),
    h("span", { class: "soft" }, one.evidence)));
}

/** The inbox: every open question with its options; what is answered is sent as one round. */
function inbox(pack, answered, send) {
  const past = answered.flatMap((round) => Object.entries(round));
  const open = pack?.questions ?? [];
  if (!open.length) {
    return h("p", { class: past.length ? "" : "soft" }, past.length ? `All is answered: ${many(past.length, "question")}.` : "Nothing is asked of a person.");
  }
  const form = h("form", {
    onsubmit: (event) => {
      event.preventDefault();
      send(Object.fromEntries(new FormData(form)));
    },
  }, open.map((one) => h("fieldset", { class: "question" },
    h("legend", {}, one.question_text), one.context ? h("details", { class: "small soft" }, h("summary", {}, "Background"), one.context) : null,
    one.options.map((option) => h("label", { class: "option" },
      h("input", { type: "radio", name: one.question_id, value: option.option_id, required: true }),
      h("span", {}, h("strong", {}, option.label), h("span", { class: "soft small" }, option.implications)))))),
  h("button", { class: "main", type: "submit" }, open.length === 1 ? "Answer, and evaluate again" : `Answer all ${open.length}, and evaluate again`));
  return form;
}

export async function show(holder, context) {
  const samples = await get("/govern/samples");
  const state = { set: null, intents: [], policy: null, choices: [], lenient: false, limit: true };
  const output = h("div", { class: "stack", "aria-live": "polite" });
  const dropText = h("span", {}, "Drop an intent set and its intents here, as JSON; a policy as TOML");

  async function evaluate(keep = false) {
    try {
      const answer = await post("/govern", { ...state, save: keep });
      output.replaceChildren(drawn(answer));
      say(keep ? `Saved as ${answer.saved}` : STRATEGIES[answer.strategy]?.[1] ?? answer.strategy);
    } catch (error) {
      output.replaceChildren(problems(error));
    }
  }

  function open(document, name) {
    Object.assign(state, { set: document.set, intents: document.intents, policy: document.policy ?? null, choices: [] });
    dropText.textContent = `Shown: ${name}, ${many(document.intents.length, "plan")}${document.policy ? ", with a policy" : ""}. Drop files of your own here: a set, its intents, a policy.`;
    return evaluate();
  }

  async function take(files) {
    const { found, wrong } = await read([...files]);
    if (wrong.length || !found.set) {
      output.replaceChildren(problems(new Error(wrong.join("; ") || "no intent set is among these files: one of them has \u201ctype\u201d: \u201cintent_set\u201d")));
      return;
    }
    await open(found, found.set.id);
  }

  function drawn(answer) {
    const intents = state.intents.map((one) => one.id);
    const { conflicts } = answer.result.evaluation;
    const [tone, words] = STRATEGIES[answer.strategy] ?? ["", plain(answer.strategy)];
    const list = conflictList(conflicts, intents);
    const look = (id) => {
      for (const row of list.querySelectorAll?.("li") ?? []) row.classList.toggle("looked", row.dataset.conflict === id);
    };
    const panel = (name, about, ...children) => h("section", { class: `panel govern-${name}`, "aria-label": about }, h("h2", {}, about), children);
    return h("div", { class: "govern" },
      h("section", { class: "panel govern-verdict", "aria-label": "Outcome" },
        h("div", { class: "row" }, h("span", { class: `chip ${tone}` }, plain(answer.strategy)), h("strong", { class: "verdict" }, words), h("span", { class: "grow" }),
          h("button", { type: "button", onclick: () => evaluate(true) }, answer.saved ? "Saved" : "Save the evaluation"),
          answer.merged_intent ? h("button", { type: "button", onclick: () => save("merged_intent.json", `${JSON.stringify(answer.merged_intent, null, 2)}\n`) }, "Download the merged plan") : null),
        h("p", { class: "soft small" }, `${many(intents.length, "plan")}, ${many(conflicts.length, "conflict")}, ${many(answer.question_pack?.questions.length ?? 0, "open question")}. Nothing here can execute anything.`),
        answer.warnings.map((one) => h("p", { class: "small" }, h("span", { class: "chip warn" }, "notice"), ` ${one.what}`))),
      h("div", { class: "stack" },
        panel("graph", "Conflicts", conflictGraph(intents, conflicts, answer.clusters, look), answer.clusters.length ? groups(answer, intents) : null, list),
        panel("plan", "Merge plan", plan(answer, intents))),
      h("div", { class: "stack" },
        panel("inbox", "Questions for a person", inbox(answer.question_pack, state.choices, (round) => {
          state.choices.push(round);
          return evaluate();
        }), state.choices.length ? h("button", { type: "button", class: "quiet", onclick: () => { state.choices.pop(); return evaluate(); } }, "Take the last answers back") : null),
        panel("order", "Execution graph", answer.graph ? h("div", { class: "scroll" }, orderGraph(answer.graph)) : h("p", { class: "soft" }, "There is none before the plans are merged.")),
        panel("risk", "Risk", risks(answer, intents))),
      h("details", { class: "panel govern-words" }, h("summary", {}, h("h2", {}, "In plain words")), h("pre", { class: "told-plain" }, answer.explanation)));
  }

  const input = h("input", { type: "file", multiple: true, accept: ".json,.toml", class: "unseen", id: "govern-files", onchange: () => take(input.files) });
  const large = h("input", { type: "checkbox", onchange: () => {
    state.limit = !large.checked;
    return evaluate();
  } });
  const zone = h("div", {
    class: "drop",
    ondragover: (event) => { event.preventDefault(); zone.classList.add("over"); },
    ondragleave: () => zone.classList.remove("over"),
    ondrop: (event) => { event.preventDefault(); zone.classList.remove("over"); return take(event.dataTransfer.files); },
  }, dropText, input, h("span", { class: "row" },
    h("label", { class: "field small" }, large, "More than 20 plans: judged, not merged"), h("label", { class: "button", for: "govern-files" }, "Choose files")));
  const pick = h("select", { "aria-label": "Sample", onchange: () => {
    const one = samples.find((each) => each.name === pick.value);
    about.textContent = one.about;
    return open(one, plain(one.name));
  } }, samples.map((one) => h("option", { value: one.name }, plain(one.name))));
  const about = h("p", { class: "soft small" });
  holder.replaceChildren(
    h("div", { class: "head" }, h("div", { class: "grow" }, h("h1", {}, "Several plans, judged together"),
      h("p", { class: "sub" }, "What conflicts, what can be merged, who gives way, and what only a person can decide.")),
    h("label", { class: "field" }, "Sample", pick)),
    zone, about, output);
  const first = samples.find((one) => one.name === (context.params.get("sample") ?? "same_target")) ?? samples[0];
  pick.value = first.name;
  about.textContent = first.about;
  await open(first, plain(first.name));
}
