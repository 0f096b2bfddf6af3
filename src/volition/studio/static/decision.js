// Decision: one choice, all its candidates, and what would have changed it.

import { at, get, post } from "./api.js";
import { afterQuiet, h } from "./dom.js";
import { pasting } from "./pasting.js";
import { mark } from "./palette.js";
import { pageKeys } from "./keyboard.js";
import { problems } from "./problems.js";
import { comparison } from "./comparison.js";
import { firmness, legend, ranking, vetoes, voters } from "./ranking.js";
import { path, say } from "./router.js";
import { currentRun, nothingYet, runPicker } from "./runs.js";
import { weights } from "./weights.js";
import { act, clock, many, short } from "./words.js";

export const title = "Decision";

/** The part that is the same for every decision: ranking, reasons, sliders. `ask` asks what if; `extra` adds a part of its own. */
export function table(decision, { evening = null, ask = null, extra = null, subject = null }) {
  const order = voters(decision);
  let shown = decision;
  let chosen = decision.candidate;
  let under = null; // the weights that were moved, while they are
  let changed = false; // whether they choose another candidate
  const verdict = h("p", { class: "verdict", "aria-live": "polite" });
  const ranks = h("div");
  const forbidden = h("div");
  const reason = h("p", { class: "reason told" });
  const firm = h("div");
  const beside = h("div");
  const wrong = h("div");

  function choose(id) {
    chosen = id;
    draw();
  }

  function draw() {
    const name = shown.candidate ? act(shown.candidate, evening) : shown.kind === "hold" ? "nothing: a tie that no priority breaks" : "nothing: all is forbidden";
    verdict.replaceChildren(changed ? h("span", { class: "chip warn" }, "would change") : "", h("strong", {}, name));
    const focused = document.activeElement?.dataset?.candidate;
    ranks.replaceChildren(ranking(shown, { evening, order, chosen, choose, before: shown === decision ? null : decision.candidate }));
    forbidden.replaceChildren(...(shown.vetoed.length ? [h("h2", {}, `Vetoed: ${shown.vetoed.length}`), vetoes(shown, { evening, chosen, choose })] : [h("p", { class: "soft small" }, "Nothing was vetoed.")]));
    const one = shown.ranked.find((each) => each.id === chosen) ?? shown.vetoed.find((each) => each.id === chosen);
    reason.textContent = one && !one.winner ? `Why not ${act(one.id, evening)}? ${one.why_not}` : `Why? ${shown.why.text}`;
    firm.replaceChildren(firmness(shown));
    beside.replaceChildren(...(extra ? [extra(one && { id: chosen, winner: chosen === decision.candidate }, under && { change: under, changed, candidate: shown.candidate })] : []));
    if (focused) ranks.querySelector(`[data-candidate="${CSS.escape(focused)}"]`)?.focus({ preventScroll: true });
  }

  let turn = 0;
  const asked = async (change) => {
    const mine = ++turn;
    const same = !Object.keys(change.weights).length && !change.without.length;
    try {
      const then = same ? null : await ask(change);
      if (mine !== turn) return;
      shown = then ? then.decision : decision;
      under = then ? change : null;
      changed = then?.changed ?? false;
      wrong.replaceChildren();
      draw();
      if (then) say(then.text);
    } catch (error) {
      if (mine === turn) wrong.replaceChildren(problems(error));
    }
  };
  const sliders = ask ? weights(decision, order, afterQuiet(30, asked)) : null;
  draw();
  return h("div", { class: sliders || extra ? "decision" : "decision alone" },
    h("div", { class: "stack" },
      h("section", { class: "panel", "aria-label": "What was chosen, and why" },
        h("div", { class: "row verdict-line" }, subject, verdict), reason, firm),
      h("section", { class: "panel", "aria-label": "Candidates" },
        h("div", { class: "panel-head" }, h("h2", {}, many(decision.ranked.length, "candidate")), legend(order)), ranks, forbidden)),
    h("div", { class: "stack" },
      sliders ? h("section", { class: "panel", "aria-label": "What if" },
        h("div", { class: "panel-head" }, h("h2", {}, "What if"), h("button", { type: "button", class: "quiet", onclick: sliders.reset }, "Reset")),
        h("p", { class: "soft small" }, "Move a weight: it is decided again at once. The strip under a slider is where the winner stays."),
        sliders.element, wrong) : null,
      beside));
}

/** What changes the evening: an act is forced or forbidden, or chosen by other weights, and the rest plays on from there. */
function forking(context, evening, tick, agent) {
  const person = evening.people.find((one) => one.id === agent);
  const result = h("div", { "aria-live": "polite" });
  async function fork(change, button) {
    button.disabled = true;
    result.replaceChildren(h("p", { class: "soft" }, "Playing on from here"));
    try {
      const forked = await context.source.fork(evening.id, { at: tick, agent, ...change });
      result.replaceChildren(comparison(forked, evening));
    } catch (error) {
      result.replaceChildren(problems(error));
    }
    button.disabled = false;
  }
  const forks = (text, change, kind) =>
    h("button", { type: "button", class: "main", "data-fork": kind, onclick: (event) => fork(change, event.currentTarget) }, text);
  function weighed(under) {
    if (!under) return null;
    if (!under.changed || !under.candidate) return h("p", { class: "soft small" }, under.candidate ? "Under these weights it is the same act: the evening would go on as it was." : "Under these weights nothing is chosen: there is nothing to play on with.");
    return [h("p", { class: "soft small" }, "The weights that you moved count for this choice alone; all later ones are made as ever."),
      forks(`With these weights: ${act(under.candidate, evening)}`, under.change, "weights")];
  }
  return (one, under) => {
    if (!one) return h("div");
    const hint = one.winner ? `What if ${person.short} had not done that? Or choose another candidate, to have it done instead.` : `What if ${person.short} had done this instead? Everything after tick ${tick} is played anew.`;
    return h("section", { class: "panel fork", "aria-label": "Fork the evening" }, h("h2", {}, "Fork the evening here"),
      weighed(under), h("p", { class: "soft small" }, hint),
      one.winner ? forks(`Forbid: ${act(one.id, evening)}`, { veto: one.id }, "veto") : forks(`Make it: ${act(one.id, evening)}`, { force: one.id }, "force"),
      result);
  };
}

function choices(evening, tick, agent, context) {
  const now = evening.ticks[tick - evening.first];
  const go = (changed) => context.go("decision", { run: evening.id, tick, agent, ...changed });
  const who = h("div", { class: "chips", role: "group", "aria-label": "Whose choice" }, evening.people.map((person) => {
    const there = now?.people[person.id].choice && (context.source.canAsk || context.source.has(tick, person.id));
    return h("button", { type: "button", class: "chip", "aria-pressed": String(person.id === agent), disabled: !there, onclick: () => go({ agent: person.id }) }, mark(person), person.short);
  }));
  const field = h("input", { type: "number", min: evening.first, max: evening.last - 1, value: tick, "aria-label": "Tick", onchange: () => go({ tick: Math.max(evening.first, Math.min(evening.last - 1, Number(field.value))) }) });
  return h("div", { class: "row choices" }, who,
    h("div", { class: "row" }, h("button", { type: "button", class: "square", "aria-label": "One tick back", disabled: tick <= evening.first, onclick: () => go({ tick: tick - 1 }) }, "\u2039"),
      h("label", { class: "field" }, "Tick", field),
      h("button", { type: "button", class: "square", "aria-label": "One tick on", disabled: tick >= evening.last - 1, onclick: () => go({ tick: tick + 1 }) }, "\u203a")),
    h("a", { href: path("stage", { run: evening.id, tick }) }, "See it on the stage"));
}

function tabs(context, mine) {
  return h("nav", { class: "chips tabs", "aria-label": "Which decision" },
    [["An evening\u2019s", {}, "run"], ["A pasted one", { paste: 1 }, "paste"]].map(([text, params, name]) =>
      h("a", { class: `chip ${name === mine ? "accent" : ""}`, href: path("decision", params), "aria-current": name === mine ? "true" : null }, text)));
}

async function ofEvening(holder, context) {
  const run = await currentRun(context);
  if (!run) return nothingYet(holder, context);
  const evening = await context.source.evening(run);
  const dramatic = evening.events.find((event) => event.dramatic && evening.ticks[event.tick - evening.first]?.people[event.source]?.choice);
  const tick = Number(context.params.get("tick") ?? dramatic?.tick ?? evening.first);
  const agent = context.params.get("agent") ?? dramatic?.source ?? evening.people[0].id;
  const person = evening.people.find((one) => one.id === agent);
  const head = h("div", { class: "head" },
    h("div", { class: "grow" }, h("h1", {}, `What ${person?.short ?? agent} decided`),
      h("p", { class: "sub" }, `${evening.scenario.name}, seed ${evening.seed}, tick ${tick}, ${clock(evening.minutes[tick - evening.first] ?? 0)}`)),
    context.source.canAsk ? h("div", { class: "row" }, tabs(context, "run"), runPicker(context, evening.id, (other) => context.go("decision", { run: other }))) : null);
  const pick = choices(evening, tick, agent, context);
  const step = (by) => () => context.go("decision", { run, agent, tick: Math.max(evening.first, Math.min(evening.last - 1, tick + by)) });
  pageKeys({ ArrowLeft: ["one tick back", step(-1)], ArrowRight: ["one tick on", step(1)], s: ["see it on the stage", () => context.go("stage", { run, tick })] });
  let body;
  try {
    const found = await context.source.decision(run, tick, agent);
    const became = found.choice.became === "done" ? null : h("p", { class: "became" }, `In the room it became: ${found.choice.became}${found.choice.because ? `, because ${found.choice.because}` : ""}.`);
    const situation = Object.entries(found.situation);
    body = h("div", {}, became, table(found.decision, {
      evening, subject: person ? h("span", { class: "chip" }, mark(person), person.short) : null,
      ask: context.source.canAsk ? (change) => context.source.whatIf(run, tick, agent, change) : null,
      extra: context.source.canAsk ? forking(context, evening, tick, agent) : null,
    }), situation.length ? h("section", { class: "panel situation", "aria-label": "What the situation added" }, h("h2", {}, "What the situation added to the winner"),
      h("dl", { class: "facts" }, situation.map(([name, value]) => [h("dt", {}, name.replaceAll("_", " ")), h("dd", { class: "number" }, short(value))]))) : null);
  } catch (error) {
    body = problems(error);
  }
  holder.replaceChildren(head, pick, body);
}

async function ofDrive(holder, context) {
  const drive = context.params.get("drive");
  const step = context.params.get("step");
  const found = await get(at`/drives/${drive}/decisions/${step}`);
  holder.replaceChildren(
    h("div", { class: "head" }, h("div", { class: "grow" }, h("h1", {}, "What the pilot decided"), h("p", { class: "sub" }, `${drive}, step ${step}`)),
      h("a", { class: "button", href: path("drive", { drive }) }, "Back to the drive")),
    table(found.decision, { ask: (change) => post(at`/drives/${drive}/decisions/${step}/what-if`, change) }));
}

export async function show(holder, context) {
  if (context.params.has("drive")) return ofDrive(holder, context);
  if (context.params.has("paste") && context.source.canAsk) return pasting(holder, tabs(context, "paste"), table);
  return ofEvening(holder, context);
}
