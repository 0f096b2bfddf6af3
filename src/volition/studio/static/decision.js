// Decision: one choice, all its candidates, and what would have changed it.

import { addition } from "./addition.js";
import { at, get, post } from "./api.js";
import { afterQuiet, h, say, sure } from "./dom.js";
import { showPasted } from "./pasting.js";
import { mark } from "./palette.js";
import { pageKeys } from "./keyboard.js";
import { problems } from "./problems.js";
import { comparison } from "./comparison.js";
import { firmness, legend, ranking, vetoes, voters } from "./ranking.js";
import { path } from "./place.js";
import { currentRun, nothingYet, runPicker } from "./runs.js";
import { patterns } from "./votes.js";
import { weights } from "./weights.js";
import { clock, humanize, many, signed, wordsOf } from "./words.js";

/** @typedef {import("./router.js").Context} Context */
/** @typedef {import("./source.js").Evening} Evening */
/** @typedef {import("./words.js").Words} Words */
/** @typedef {import("./dom.js").Child} Child */
/** @typedef {import("./weights.js").Change} Change */
/** @typedef {(tick: number, id: string) => boolean} Asks */
/** Changed weights, whether they change the winner, and the winner.
 * @typedef {{ change: Change, changed: boolean, candidate: string | null }} Weighed
 */
/** A panel beside the decision, for a candidate and the changed weights.
 * @typedef {(one: { id: string, winner: boolean } | null, under: Weighed | null, words: Words) => Node} Extra
 */
/** @typedef {{ ask?: ((change: Change) => Promise<Api.WhatIfShape>) | null, extra?: Extra | null, subject?: Child,
 *   settled?: HTMLElement[] }} Showing
 */

export const title = "Decision";

/** What a decision comes to, as the page names it.
 * @param {Api.DecisionShape} decision
 * @param {Words} words
 */
function outcome(decision, words) {
  if (decision.candidate) return words.act(decision.candidate);
  return decision.kind === "hold" ? "nothing: a tie that no priority breaks" : "nothing: every candidate is vetoed";
}

/** What every decision shows: ranking, reasons, sliders. `ask` asks what if; `extra` adds another panel; `settled` are
 *  panels that belong to the original decision only, and are hidden under other weights.
 * @param {Api.DecisionShape} decision
 * @param {Showing} how
 */
export function decisionView(decision, { ask = null, extra = null, subject = null, settled = [] }) {
  const order = voters(decision);
  let shown = decision;
  /** @type {string | null} */
  let looked = null; // the selected candidate; null for the winner
  /** @type {Change | null} */
  let under = null; // the changed weights, if any
  let changed = false; // whether they change the winner
  const verdict = h("p", { class: "verdict", "aria-live": "polite" });
  const count = h("h2");
  const votes = h("div", { class: "grow" });
  const ranks = h("div");
  const forbidden = h("div");
  const reason = h("p", { class: "reason told" });
  const firm = h("div");
  const sum = h("section", { class: "panel", "aria-label": "How it adds up" });
  const beside = h("div");
  const wrong = h("div");

  /** @param {string} id */
  function choose(id) {
    looked = id;
    draw();
  }

  function draw() {
    const chosen = looked ?? shown.candidate;
    const words = wordsOf(shown);
    const now = shown === decision ? null : decision;
    verdict.replaceChildren(changed ? h("span", { class: "chip warn" }, "would change") : "",
      h("strong", {}, outcome(shown, words)));
    const focused = document.activeElement?.getAttribute("data-candidate");
    count.textContent = many(shown.ranked.length, "candidate");
    votes.replaceChildren(legend(order, voters(shown), words));
    ranks.replaceChildren(ranking(shown, { words, order, chosen, choose, before: now?.candidate ?? null }));
    forbidden.replaceChildren(...(shown.vetoed.length
      ? [h("h2", {}, `Vetoed: ${shown.vetoed.length}`), vetoes(shown, { words, chosen, choose })]
      : [h("p", { class: "soft small" }, "Nothing was vetoed.")]));
    const one = shown.ranked.find((each) => each.id === chosen) ?? shown.vetoed.find((each) => each.id === chosen);
    reason.textContent = one && !("winner" in one && one.winner) ? `Why not ${words.act(one.id)}? ${words.whyNot(one)}`
      : `Why? ${words.why}`;
    firm.replaceChildren(firmness(shown, words));
    const added = chosen && addition(shown, chosen, { order, words, before: now });
    sum.hidden = !added;
    sum.replaceChildren(...(added
      ? [h("div", { class: "panel-head" }, h("h2", {}, "How it adds up"), h("p", {}, words.act(chosen))), added] : []));
    sliders?.show(shown, under);
    for (const part of settled) part.hidden = under !== null;
    const forked = looked ?? decision.candidate;
    const acted = !forked ? null : { id: forked, winner: forked === decision.candidate };
    const weighed = under && { change: under, changed, candidate: shown.candidate };
    beside.replaceChildren(...(extra ? [extra(acted, weighed, words)] : []));
    if (focused) {
      /** @type {HTMLElement | null} */
      const again = ranks.querySelector(`[data-candidate="${CSS.escape(focused)}"]`);
      again?.focus({ preventScroll: true });
    }
  }

  let turn = 0;
  /** @param {Change} change */
  const askWhatIf = async (change) => {
    const mine = ++turn;
    const same = !Object.keys(change.weights).length && !change.without.length;
    try {
      const then = same || !ask ? null : await ask(change);
      if (mine !== turn) return;
      shown = then ? then.decision : decision;
      under = then ? change : null;
      changed = then?.changed ?? false;
      wrong.replaceChildren();
      if (then) say(then.words ?? then.text);
    } catch (error) {
      if (mine !== turn) return;
      wrong.replaceChildren(problems(error));
    }
    draw();
    whole.setAttribute("aria-busy", "false");
  };
  const later = afterQuiet(30, askWhatIf);
  const sliders = ask ? weights(decision, { order, words: wordsOf(decision) }, (change) => {
    whole.setAttribute("aria-busy", "true"); // the page shows other weights until the answer comes
    turn += 1;
    later(change);
  }) : null;
  const whole = h("div", { class: sliders || extra ? "decision" : "decision alone", "aria-busy": "false" },
    patterns(),
    h("div", { class: "stack" },
      h("section", { class: "panel", "aria-label": "What was chosen, and why" },
        h("div", { class: "row verdict-line" }, subject, verdict), reason, firm),
      h("section", { class: "panel", "aria-label": "Candidates" },
        h("div", { class: "panel-head" }, count, votes), ranks, forbidden),
      sum),
    h("div", { class: "stack" },
      sliders ? h("section", { class: "panel", "aria-label": "What if" },
        h("div", { class: "panel-head" }, h("h2", {}, "What if"),
          h("button", { type: "button", class: "quiet", onclick: sliders.reset }, "Reset")),
        h("p", { class: "soft small" },
          "Move a slider to decide again with another weight. ",
          "The strip below it shows the weights that keep the winner."),
        sliders.element, wrong) : null,
      beside));
  draw();
  return whole;
}

/** A panel that forks the evening: an act is forced or vetoed, or chosen by other weights; the rest is played again.
 * @param {Context} context
 * @param {Evening} evening
 * @param {number} tick
 * @param {string} agent
 * @returns {Extra}
 */
function forking(context, evening, tick, agent) {
  const person = sure(evening.people.find((one) => one.id === agent));
  const result = h("div", { "aria-live": "polite" });
  /** @param {object} change @param {HTMLButtonElement} button */
  async function fork(change, button) {
    button.disabled = true;
    result.replaceChildren(h("p", { class: "soft" }, "Playing from here"));
    try {
      const forked = await context.source.fork(evening.id, { at: tick, agent, ...change });
      result.replaceChildren(comparison(forked, evening, agent));
    } catch (error) {
      result.replaceChildren(problems(error));
    }
    button.disabled = false;
  }
  /** @param {string} text */
  const hint = (text) => h("p", { class: "soft small" }, text);
  /** @param {string} text @param {object} change @param {string} kind */
  const forks = (text, change, kind) => h("button", {
    type: "button", class: "main", "data-fork": kind, onclick: (event) => fork(change, event.currentTarget),
  }, text);
  /** @param {Weighed | null} under @param {Words} words */
  function forkByWeights(under, words) {
    if (!under) return null;
    if (!under.candidate) return hint("With these weights nothing is chosen, so the evening cannot go on.");
    if (!under.changed) return hint("With these weights the act is the same: the evening would not change.");
    return [hint("The weights that you moved count for this choice only; later choices are made as usual."),
      forks(`With these weights: ${words.act(under.candidate)}`, under.change, "weights")];
  }
  return (one, under, words) => {
    if (!one) return h("div");
    return h("section", { class: "panel fork", "aria-label": "Fork the evening" }, h("h2", {}, "Fork the evening here"),
      forkByWeights(under, words),
      hint(one.winner ? `What if ${person.short} had not done that? Or choose another candidate to do instead.`
        : `What if ${person.short} had done this instead? Everything after tick ${tick} is played again.`),
      one.winner ? forks(`Forbid: ${words.act(one.id)}`, { veto: one.id }, "veto")
        : forks(`Choose instead: ${words.act(one.id)}`, { force: one.id }, "force"),
      result);
  };
}

/** @param {Evening} evening @param {number} tick @param {string} agent @param {Asks} asks @param {Context} context */
function choices(evening, tick, agent, asks, context) {
  /** @param {{ tick?: number, agent?: string }} changed */
  const go = (changed) => context.go("decision", { run: evening.id, tick, agent, ...changed });
  const latest = evening.last - 1;
  const who = h("div", { class: "chips", role: "group", "aria-label": "Whose choice" }, evening.people.map((person) =>
    h("button", {
      type: "button", class: "chip", "aria-pressed": String(person.id === agent), disabled: !asks(tick, person.id),
      onclick: () => go({ agent: person.id }),
    }, mark(person), person.short)));
  /** @type {HTMLInputElement} */
  const field = h("input", {
    type: "number", min: evening.first, max: latest, value: tick, "aria-label": "Tick",
    onchange: () => go({ tick: Math.max(evening.first, Math.min(latest, Number(field.value))) }),
  });
  /** @param {string} label @param {number} by @param {string} sign */
  const step = (label, by, sign) => h("button", {
    type: "button", class: "square", "aria-label": label, disabled: by < 0 ? tick <= evening.first : tick >= latest,
    onclick: () => go({ tick: tick + by }),
  }, sign);
  return h("div", { class: "row choices" }, who,
    h("div", { class: "row" }, step("One tick back", -1, "\u2039"), h("label", { class: "field" }, "Tick", field),
      step("One tick forward", 1, "\u203a")),
    h("a", { href: path("stage", { run: evening.id, tick, agent }) }, "See it on the stage"));
}

/** @param {string} mine */
function tabs(mine) {
  return h("nav", { class: "chips tabs", "aria-label": "Which decision" },
    [["From an evening", path("decision"), "run"], ["Pasted", path("decision", { paste: 1 }), "paste"]].map(
      ([text, href, name]) => h("a", {
        class: `chip ${name === mine ? "accent" : ""}`, href,
        "aria-current": name === mine ? "true" : null,
      }, text)));
}

/** The choice that an address means: the one it names, else the first dramatic one; without a person, somebody's.
 * @param {Evening} evening
 * @param {URLSearchParams} params
 * @param {Asks} asks
 */
function pickChoice(evening, params, asks) {
  const named = params.get("tick");
  const wanted = Math.max(evening.first, Math.min(evening.last - 1, Number(named) || 0));
  const acting = evening.events.find((event) =>
    (named === null ? event.dramatic : event.tick === wanted) && asks(event.tick, event.source));
  const tick = named === null ? acting?.tick ?? evening.first : wanted;
  const somebody = evening.people.find((one) => asks(tick, one.id)) ?? evening.people[0];
  return { tick, agent: params.get("agent") ?? acting?.source ?? somebody.id };
}

/** Links to the nearest choices, for a tick in which somebody makes none.
 * @param {Evening} evening
 * @param {Api.PersonShape | undefined} person
 * @param {number} tick
 * @param {Asks} asks
 */
function offerOthers(evening, person, tick, asks) {
  const choices = evening.ticks.flatMap((one) =>
    evening.people.filter((each) => asks(one.tick, each.id))
      .map((each) => /** @type {[number, Api.PersonShape]} */ ([one.tick, each])));
  const own = choices.filter(([, who]) => who === person);
  const among = own.length ? own : choices;
  const near = [among.findLast(([one]) => one < tick), among.find(([one]) => one > tick)]
    .filter((one) => one !== undefined);
  const chose = evening.ticks[tick - evening.first]?.people[person?.id ?? ""]?.choice;
  /** @param {[number, Api.PersonShape]} choice */
  const offer = ([one, who]) => h("a", {
    class: "button", href: path("decision", { run: evening.id, tick: one, agent: who.id }),
  }, `What ${who.short} chose in tick ${one}`);
  return h("div", { class: "panel empty" },
    h("h2", {}, chose ? `What ${person?.short} chose in tick ${tick} is not in this file`
      : `${person?.short ?? "Nobody of this name"} does not choose in tick ${tick}`),
    near.length ? h("p", { class: "row" }, near.map(offer)) : h("p", {}, "Nobody has chosen anything yet."));
}

/** @param {HTMLElement} holder @param {Context} context */
async function ofEvening(holder, context) {
  const run = await currentRun(context);
  if (!run) return nothingYet(holder, context);
  const evening = await context.source.evening(run);
  /** @param {number} at @param {string} id */
  const asks = (at, id) => Boolean(evening.ticks[at - evening.first]?.people[id]?.choice)
    && (context.source.canAsk || context.source.has(at, id));
  const { tick, agent } = pickChoice(evening, context.params, asks);
  const person = evening.people.find((one) => one.id === agent);
  const head = h("div", { class: "head" },
    h("div", { class: "grow" }, h("h1", {}, `What ${person?.short ?? agent} decided`),
      h("p", { class: "sub" }, [evening.scenario.name, `seed ${evening.seed}`, `tick ${tick}`,
        clock(evening.minutes[tick - evening.first] ?? 0)].join(", "))),
    context.source.canAsk ? h("div", { class: "row" }, tabs("run"),
      runPicker(context, evening.id, (other) => context.go("decision", { run: other }))) : null);
  const pick = choices(evening, tick, agent, asks, context);
  /** @param {number} wanted */
  const within = (wanted) => Math.max(evening.first, Math.min(evening.last - 1, wanted));
  /** @param {number} by */
  const step = (by) => () => context.go("decision", { run, agent, tick: within(tick + by) });
  context.note({ run, tick, agent });
  pageKeys({
    ArrowLeft: ["one tick back", step(-1)], ArrowRight: ["one tick forward", step(1)],
    s: ["see it on the stage", () => context.go("stage", {})],
  });
  holder.replaceChildren(head, pick, person && asks(tick, agent)
    ? await explainChoice(context, evening, tick, person)
    : offerOthers(evening, person, tick, asks));
}

/** One choice of an evening: the decision, what it became in the room, and what the situation added.
 * @param {Context} context
 * @param {Evening} evening
 * @param {number} tick
 * @param {Api.PersonShape} person
 */
async function explainChoice(context, evening, tick, person) {
  let found;
  try {
    found = await context.source.decision(evening.id, tick, person.id);
  } catch (error) {
    return problems(error);
  }
  const { choice } = found;
  const became = choice.became_words === null ? null : h("p", { class: "became" },
    `In the room this became: ${choice.became_words}${choice.because ? `, because ${choice.because}` : ""}.`);
  const added = Object.entries(found.situation);
  const situation = added.length ? h("section", { class: "panel situation", "aria-label": "What the situation added" },
    h("h2", {}, "What the situation added to the winner"),
    h("dl", { class: "facts" }, added.map(([name, value]) =>
      [h("dt", {}, humanize(name)), h("dd", { class: "number" }, signed(value))]))) : null;
  return h("div", {}, became, decisionView(found.decision, {
    subject: h("span", { class: "chip" }, mark(person), person.short),
    settled: [became, situation].filter((one) => one !== null),
    ask: context.source.canAsk ? (change) => context.source.whatIf(evening.id, tick, person.id, change) : null,
    extra: context.source.canAsk ? forking(context, evening, tick, person.id) : null,
  }), situation);
}

/** @param {HTMLElement} holder @param {Context} context */
async function ofDrive(holder, context) {
  const drive = context.params.get("drive") ?? "";
  const step = context.params.get("step") ?? "";
  const found = await get(at`/drives/${drive}/decisions/${step}`);
  holder.replaceChildren(
    h("div", { class: "head" },
      h("div", { class: "grow" }, h("h1", {}, "What the pilot decided"),
        h("p", { class: "sub" }, `${drive}, step ${step}`)),
      h("a", { class: "button", href: path("drive", { drive }) }, "Back to the drive")),
    decisionView(found.decision, { ask: (change) => post(at`/drives/${drive}/decisions/${step}/what-if`, change) }));
}

/** A step of a saved journal; its neighbours are one key away.
 * @param {HTMLElement} holder
 * @param {Context} context
 */
async function ofJournal(holder, context) {
  const [journal, step, whose] = ["journal", "step", "whose"].map((name) => context.params.get(name) ?? "");
  const part = Number(context.params.get("part") ?? 1);
  const query = `?${new URLSearchParams({ run: String(part), whose })}`;
  /** @type {Api.JournalStepDecided} */
  const found = await get(at`/journals/${journal}/decisions/${step}` + query);
  const here = { journal, part: part === 1 ? null : part, whose };
  const go = (/** @type {number} */ by) => () => context.go("decision", { ...here, step: Number(step) + by });
  const back = path("drive", { ...here, whose: null, moment: context.params.get("moment") });
  pageKeys({
    ArrowLeft: ["one step back", go(-1)], ArrowRight: ["one step forward", go(1)],
  });
  holder.replaceChildren(
    h("div", { class: "head" },
      h("div", { class: "grow" }, h("h1", {}, "What the pilot decided"),
        h("p", { class: "sub" }, [journal, part === 1 ? null : `run ${part}`, whose, `step ${step}`,
          found.tick === null ? null : `tick ${found.tick}`].filter(Boolean).join(", "))),
      h("div", { class: "row" },
        h("button", { type: "button", class: "square", "aria-label": "One step back", onclick: go(-1) }, "\u2039"),
        h("button", { type: "button", class: "square", "aria-label": "One step forward", onclick: go(1) }, "\u203a"),
        h("a", { class: "button", href: back }, "Back to the journal"))),
    decisionView(found.decision, {
      ask: (change) => post(at`/journals/${journal}/decisions/${step}/what-if` + query, change),
    }));
}

/** @param {HTMLElement} holder @param {Context} context */
export async function show(holder, context) {
  if (context.params.has("journal")) return ofJournal(holder, context);
  if (context.params.has("drive")) return ofDrive(holder, context);
  if (context.params.has("paste") && context.source.canAsk) return showPasted(holder, tabs("paste"), decisionView);
  return ofEvening(holder, context);
}
