// The table of a game: what the guest knows and heard, the room with whom they see, and what they may do.

import { bubbles } from "./bubbles.js";
import { h, sure, write } from "./dom.js";
import { floor } from "./floor.js";
import { meter } from "./meter.js";
import { hue, mark } from "./palette.js";
import { capitalize, clock } from "./words.js";

/** @typedef {{ number: number, short: string, you: boolean }} Player */
/** @typedef {NonNullable<Api.GameShape["question"]>} Question */

/** @type {Record<string, string>} */
const SURE = { own: "yours", sure: "certain", suspected: "a suspicion", denied: "denied" };

/** What the guest lived through in a tick, as sentences.
 * @param {Api.GameTick} tick
 * @param {Map<string, Player>} people
 */
export function tellTick(tick, people) {
  /** @param {Api.SpokenLine} line */
  const quote = ({ who, words }) => {
    const person = sure(people.get(who));
    return h("p", { class: `quote told ${hue(person.number)}` }, mark(person),
      h("span", {}, h("strong", {}, person.you ? "You" : person.short), ` \u201c${words}\u201d`));
  };
  /** @param {Api.SeenEvent} one */
  const event = (one) => [
    one.sentence ? h("p", { class: one.dramatic ? "told dramatic" : "told" }, one.sentence) : null,
    ...one.said.map(quote),
    ...one.learned.map((text) => h("p", { class: "learned" }, text)),
  ];
  return h("li", { "data-tick": tick.tick }, h("span", { class: "number soft small" }, clock(tick.minutes)),
    h("div", { class: "stack" }, tick.events.flatMap(event),
      tick.outcome ? h("p", { class: "told" }, tick.outcome) : null,
      tick.taken.map((text) => h("p", { class: "taken" }, text))));
}

/** @param {Api.GameTick} tick */
export const isTold = (tick) => Boolean(tick.events.length || tick.outcome || tick.taken.length);

/** The events of the last ticks as bubbles show them.
 * @param {Api.GameTick[]} ticks
 */
function spoken(ticks) {
  return (ticks.at(-1)?.events ?? []).map((one) => ({
    tick: 0, minutes: 0, source: one.who, targets: [], dramatic: one.dramatic, deed: one.sentence, spoken: one.said,
  }));
}

/** A meter with its name.
 * @param {string} text
 * @param {ReturnType<typeof meter>} bar
 */
const pace = (text, bar) => h("span", { class: "pace" },
  h("span", { class: "pace-name", "aria-hidden": "true" }, text), bar.element);

/** The parts of the page; `choose(id)` answers. `show(game, moved)` shows where the evening is.
 * @param {Api.GameShape} game
 * @param {{ choose: (id: string) => unknown }} answers
 */
export function board(game, { choose }) {
  const guest = sure(game.people.find((one) => one.id === game.guest));
  // The guest comes first: the keyboard enters the plan there, and others may be out of sight.
  const cast = [guest, ...game.people.filter((one) => one !== guest)];
  const people = new Map(cast.map((one) => [one.id, { ...one, you: one === guest }]));
  const seen = { scenario: { name: game.scenario }, plan: game.plan, people: cast };
  const about = h("p", { class: "person-about small", "aria-live": "polite" });
  const plan = floor(seen, (id) => {
    const { name, role, relation, feeling } = sure(current.people.find((one) => one.id === id));
    plan.select(id);
    about.textContent = `${name}: ${[role, relation, feeling].filter(Boolean).join("; ") || "you"}.`;
  });
  const said = bubbles(seen, plan, { ask: () => {}, linkable: () => false });
  const scene = h("p", { class: "game-scene told" });
  const happened = h("ol", { class: "happened", "aria-live": "polite", "aria-relevant": "additions" });
  const happenedTitle = h("h2", { tabindex: -1 }, "What happened");
  const best = h("ol", { class: "best-choices" });
  const all = h("details", { class: "all-choices" });
  const forbidden = h("details", { class: "forbidden" });
  const knows = h("ul", { class: "knows" });
  const feeling = h("p");
  const owed = h("ul", { class: "owed small" });
  const earlier = h("ol", { class: "happened earlier" });
  const earlierPart = h("details", {}, h("summary", {}, "What you saw and heard before"), earlier);
  const stress = meter("Stress", { title: "What weighs on you; at 1 you are near breaking" });
  const composure = meter("Composure", { title: "What holds you together" });
  const how = h("details", { open: !game.happened.length }, h("summary", {}, "Who you are, and how to play"),
    h("ul", { class: "how small" }, [...game.wants, ...game.how].map((text) => h("li", {}, text))));
  let current = game;

  /** @param {Api.GameChoice} choice @param {string} [key] */
  const option = (choice, key) => h("button", {
    type: "button", class: "choice", "data-choice": choice.id, onclick: () => choose(choice.id),
  }, key ? h("kbd", { "aria-hidden": "true" }, key) : null, h("span", {}, capitalize(choice.words)));

  /** @param {Question} question */
  function drawChoices({ best: first, groups, forbidden: barred }) {
    const count = groups.reduce((sum, one) => sum + one.choices.length, 0);
    best.replaceChildren(...first.map((choice, place) => h("li", {}, option(choice, String(place + 1)))));
    all.replaceChildren(h("summary", {}, `Everything you can do (${count})`),
      ...groups.map((group) => h("div", { class: "choice-group" },
        h("h3", {}, capitalize(group.what === "or" ? "and also" : group.what),
          group.about ? h("span", { class: "soft small" }, ` ${group.about}`) : null),
        h("ul", {}, group.choices.map((choice) => h("li", {}, option(choice)))))));
    forbidden.hidden = !barred.length;
    /** @type {Map<string, Api.ForbiddenAct[]>} */
    const reasons = new Map();
    for (const one of barred) reasons.set(one.because, [...(reasons.get(one.because) ?? []), one]);
    forbidden.replaceChildren(h("summary", {}, `What you cannot do now (${barred.length})`),
      ...[...reasons].map(([because, acts]) => h("div", { class: "choice-group" },
        h("p", { class: "small" }, h("span", { class: "chip bad" }, acts[0].by), ` ${capitalize(because)}.`),
        h("ul", { class: "barred small" }, acts.map((one) => h("li", {}, capitalize(one.words)))))));
  }

  /** @param {Api.GameShape} next @param {boolean} moved */
  function show(next, moved) {
    current = next;
    const question = sure(next.question);
    const inChoices = choices.contains(document.activeElement);
    const told = next.happened.filter(isTold);
    happened.replaceChildren(...(told.length ? told.map((tick) => tellTick(tick, people))
      : [h("li", { class: "soft" }, next.happened.length ? "Nothing that you noticed." : "The evening begins.")]));
    const here = Object.fromEntries(Object.entries(question.places).map(([id, place]) =>
      [id, { ...place, broken: false, choice: null }]));
    plan.show({ people: here }, spoken(next.happened).filter((one) => here[one.source]), moved, 1);
    said.show(spoken(next.happened).map((one) => ({
      ...one, spoken: one.spoken.filter(({ who }) => here[who]), dramatic: one.dramatic && one.source in here,
    })));
    write(scene, question.scene);
    about.textContent = "";
    plan.select(null);
    write(feeling, question.feeling);
    stress.show(question.stress);
    composure.show(question.composure);
    knows.replaceChildren(...(question.knows.length
      ? question.knows.map((one) => h("li", { class: `knows-${one.sure}` },
        h("span", { class: "chip" }, SURE[one.sure]), h("span", {}, one.words)))
      : [h("li", { class: "soft" }, "Nothing that others do not.")]));
    owed.replaceChildren(...question.owed.map((text) => h("li", {}, text)));
    earlierPart.hidden = !next.earlier.length;
    earlier.replaceChildren(...next.earlier.toReversed().map((tick) => tellTick(tick, people)));
    all.open = false;
    if (moved) how.open = false;
    drawChoices(question);
    wait(false);
    if (moved && inChoices) happenedTitle.focus({ preventScroll: true });
    if (moved) happenedTitle.scrollIntoView({ block: "nearest" });
  }

  /** While a step is on its way nothing can be chosen.
   * @param {boolean} waiting
   */
  function wait(waiting) {
    choices.setAttribute("aria-busy", String(waiting));
    for (const button of choices.querySelectorAll("button")) button.disabled = waiting;
  }

  const choices = h("section", { class: "panel game-choices", "aria-label": "What you can do" },
    h("h2", {}, "What do you do?"), best, all, forbidden);
  const element = h("div", { class: "game" },
    h("section", { class: "panel game-room", "aria-label": "The room" }, scene,
      h("div", { class: "house" }, plan.element, said.element), about,
      happenedTitle, happened),
    choices,
    h("section", { class: "panel game-mind", "aria-label": "What you know" },
      h("h2", {}, "How you are"), feeling,
      h("div", { class: `paces ${hue(guest.number)}` }, pace("Stress", stress), pace("Composure", composure)),
      h("h2", {}, "What you know"), knows, owed,
      earlierPart, how));
  return { element, show, wait, more: () => { all.open = !all.open; } };
}
