// After a game: how it ended, and why the others did what they did. The evening is a run like any other now.

import { isTold, tellTick } from "./board.js";
import { h, sure } from "./dom.js";
import { momentsOf } from "./moments.js";
import { glyphMark, hue } from "./palette.js";
import { path } from "./place.js";
import { clock } from "./words.js";
import { whyCard } from "./why.js";

/** @typedef {import("./router.js").Context} Context */

const LAST = 8; // ticks: who left early has many

/** @param {HTMLElement} holder @param {Api.GameShape} game @param {Context} context */
export async function aftermath(holder, game, context) {
  const evening = await context.source.evening(game.id);
  if (!context.stay()) return;
  const card = whyCard(evening, context);
  const people = new Map(evening.people.map((one) => [one.id, { ...one, you: one.id === game.guest }]));
  const last = game.happened.filter(isTold);
  /** @param {Api.EventShape} event */
  const asked = (event) => Boolean(evening.ticks[event.tick - evening.first]?.people[event.source]?.choice);
  const moments = momentsOf(evening).filter((event) => event.source !== game.guest && asked(event));
  /** @param {Api.EventShape} event */
  const row = (event) => {
    const mark = glyphMark(event.type);
    const who = sure(people.get(event.source));
    const when = clock(event.minutes);
    mark.classList.add(hue(who.number));
    const item = h("li", {}, h("span", { class: "number soft small" }, when), mark,
      h("span", { class: "told" }, event.deed),
      h("span", { class: "row small" },
        h("button", {
          type: "button", class: "chip why", "aria-label": `Why? ${event.deed}, at ${when}`,
          onclick: () => {
            item.append(card.element);
            return card.ask(event.source, event.tick);
          },
        }, "Why?"),
        h("a", { href: path("stage", { run: game.id, tick: event.tick }), "aria-label": `Stage at ${when}` }, "Stage"),
        h("a", {
          href: path("decision", { run: game.id, tick: event.tick, agent: event.source }),
          "aria-label": `Decision of ${who.short} at ${when}`,
        }, "Decision")));
    return item;
  };
  const [ended] = evening.closing;
  holder.replaceChildren(h("div", { class: "stack after-game" },
    h("section", { class: "panel stack", "aria-label": "How it ended" },
      h("h2", {}, ended?.heading ?? "How it ended"),
      ended ? ended.lines.map((line) => h("p", { class: "told" }, line)) : h("p", {}, game.ending?.because ?? ""),
      h("div", { class: "row" },
        h("a", { class: "button main", href: path("stage", { run: game.id }) }, "See the evening on the stage"),
        h("a", { class: "button", href: "/play" }, "Play another"))),
    last.length ? h("section", { class: "panel", "aria-label": "What happened last" },
      h("h2", {}, "What happened last"),
      h("ol", { class: "happened last-happened" }, last.slice(-LAST).map((tick) => tellTick(tick, people)))) : null,
    h("section", { class: "panel", "aria-label": "Why the others did what they did" },
      h("h2", {}, "Why the others did what they did"),
      moments.length ? h("ol", { class: "after-moments" }, moments.map(row))
        : h("p", { class: "soft" }, "Nothing dramatic was done by anybody else."))));
}
