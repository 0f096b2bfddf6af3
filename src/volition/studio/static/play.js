// Play: be a guest of an evening. What the guest does not know is not sent here before the evening is over.

import { aftermath } from "./aftermath.js";
import { at, get, post } from "./api.js";
import { board } from "./board.js";
import { confirm } from "./dialog.js";
import { h, say } from "./dom.js";
import { pageKeys } from "./keyboard.js";
import { path } from "./place.js";
import { problems } from "./problems.js";
import { capitalize, many } from "./words.js";

export const title = "Play";

const heading = (title, sub, ...more) =>
  h("div", { class: "head" }, h("div", { class: "grow" }, h("h1", {}, title), sub ? h("p", { class: "sub" }, sub) : null), more);

/** The games of this folder that are not over. */
async function unfinished() {
  const { records } = await get("/records?kind=run");
  return records.filter((one) => one.run?.guest && !one.run.ending && one.intact !== false);
}

/** What to play: a scenario, a guest and a seed; or a game that was begun before. */
async function beginning(holder, context) {
  const [scenarios, begun] = await Promise.all([get("/games/scenarios"), unfinished()]);
  const scenario = h("select", { id: "game-scenario", onchange: () => draw() },
    scenarios.map((one) => h("option", { value: one.id }, one.own ? `${one.name} (${one.id})` : one.name)));
  const seed = h("input", { type: "number", id: "game-seed", min: 0, max: 999999, required: true, value: 1 + Math.floor(Math.random() * 999) });
  const cast = h("div", { class: "cast" });
  const wrong = h("div");
  const go = h("button", { type: "submit", class: "main" }, "Begin");
  function draw() {
    const { people } = scenarios.find((one) => one.id === scenario.value);
    cast.replaceChildren(...people.map((person, number) => h("label", { class: "cast-member" },
      h("input", { type: "radio", name: "guest", value: person.id, checked: number === 0, required: true }),
      h("span", {}, h("strong", {}, person.name), person.role ? h("span", { class: "soft small" }, capitalize(person.role)) : null))));
  }
  draw();
  const form = h("form", { class: "panel stack", onsubmit: async (event) => {
    event.preventDefault();
    go.disabled = true;
    try {
      const guest = cast.querySelector("input:checked").value;
      const game = await post("/games", { scenario: scenario.value, guest, seed: Number(seed.value) });
      context.go("play", { game: game.id });
    } catch (error) {
      wrong.replaceChildren(problems(error));
      go.disabled = false;
    }
  } },
  h("div", { class: "row" },
    h("label", { class: "field", for: "game-scenario" }, "Scenario ", scenario),
    h("label", { class: "field", for: "game-seed" }, "Seed ", seed)),
  h("fieldset", {}, h("legend", { class: "cast-legend" }, "Who do you want to be?"), cast), wrong, h("div", { class: "row" }, go));
  holder.replaceChildren(
    heading("Play a guest", "You see, hear and know what your guest does, and choose what to do; everybody else decides for themselves. Afterwards you can ask each of them why."),
    h("div", { class: "play-begin" }, form, begun.length ? h("section", { class: "panel", "aria-label": "Begun before" },
      h("h2", {}, "Begun before"),
      h("ul", { class: "begun" }, begun.map((one) => h("li", {},
        h("a", { href: path("play", { game: one.id }) }, one.name),
        h("span", { class: "soft small" }, `as ${capitalize(one.run.guest)}, ${many(one.run.ticks, "tick")} played`))))) : null));
}

export async function show(holder, context) {
  const id = context.params.get("game");
  if (!id) return beginning(holder, context);
  let game = await get(at`/games/${id}`);
  const note = h("div", { class: "game-note", role: "status" });
  const body = h("div");
  const end = h("div", { class: "row" });
  let busy = false;

  /** Send a step, and show where the evening is then; a step that came too late shows it too. */
  async function step(what, more) {
    if (busy || !game.question) return;
    busy = true;
    table?.wait(true);
    note.replaceChildren();
    try {
      game = await post(at`/games/${id}/${what}`, { tick: game.question.tick, ...more });
    } catch (error) {
      if (!context.stay()) return;
      if (error.status === 409) {
        note.replaceChildren(h("p", { class: "game-moved" }, "That question was already answered, perhaps in another tab. This is where the evening is now."));
        game = await get(at`/games/${id}`).catch(() => game);
      } else note.replaceChildren(problems(error));
    }
    busy = false;
    if (context.stay()) draw(true);
  }
  const table = game.question ? board(game, { choose: (choice) => step("answer", { choice }) }) : null;

  function draw(moved) {
    if (!game.question) {
      pageKeys({});
      end.replaceChildren();
      if (moved) say("The evening is over.");
      return aftermath(body, game, context);
    }
    table.show(game, moved);
    pageKeys(Object.fromEntries([
      ...game.question.best.map((choice, place) => [String(place + 1), [choice.words, () => step("answer", { choice: choice.id })]]),
      ["a", ["do what comes naturally", () => step("answer", { choice: null })]],
      ["m", ["show or hide everything you can do", () => table.more()]],
    ]));
  }
  if (game.question) {
    end.replaceChildren(
      h("button", { type: "button", onclick: () => step("answer", { choice: null }), title: "Do what your guest would do (a)" }, "Do what comes naturally"),
      h("button", { type: "button", onclick: () => confirm("Let the evening pass?", "Your guest goes on by themselves to the end, and you are not asked again.",
        { yes: "Let it pass", no: "Keep playing" }, () => step("rest")) }, "Let it pass"),
      h("button", { type: "button", onclick: () => confirm("End the evening here?", "It is broken off, and everything about it can be seen. To come back later, just leave this page.",
        { yes: "End it", no: "Keep playing" }, () => step("stop")) }, "End here"));
    body.append(table.element);
  }
  holder.replaceChildren(heading(game.scenario, `${game.you} Seed ${game.seed}.`, end), note, body);
  await draw(false);
  return undefined;
}
