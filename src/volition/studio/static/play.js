// Play: be a guest of an evening. What the guest does not know is not sent here before the evening is over.

import { aftermath } from "./aftermath.js";
import { at, get, post, Refused } from "./api.js";
import { board } from "./board.js";
import { confirm } from "./dialog.js";
import { h, say, sure } from "./dom.js";
import { pageKeys } from "./keyboard.js";
import { path } from "./place.js";
import { problems } from "./problems.js";
import { capitalize, many } from "./words.js";

/** @typedef {import("./dom.js").Child} Child */
/** @typedef {import("./router.js").Context} Context */

export const title = "Play";

/** @param {string} title @param {string} sub @param {...Child} more */
const heading = (title, sub, ...more) =>
  h("div", { class: "head" },
    h("div", { class: "grow" }, h("h1", {}, title), sub ? h("p", { class: "sub" }, sub) : null), more);

/** The games of this folder that are not over, as links. */
async function unfinished() {
  /** @type {Api.RecordList} */
  const { records } = await get("/records?kind=run");
  return records.flatMap(({ id, name, run, intact }) => (!run?.guest || run.ending || intact === false ? []
    : [h("li", {}, h("a", { href: path("play", { game: id }) }, name),
      h("span", { class: "soft small" }, `as ${capitalize(run.guest)}, ${many(run.ticks, "tick")} played`))]));
}

/** @returns {Promise<Api.PlayableScenario[]>} */
const playable = () => get("/games/scenarios");

/** What to play: a scenario, a guest and a seed; or a game that was begun before.
 * @param {HTMLElement} holder
 * @param {Context} context
 */
async function beginning(holder, context) {
  const [scenarios, begun] = await Promise.all([playable(), unfinished()]);
  const scenario = h("select", { id: "game-scenario", onchange: () => draw() },
    scenarios.map((one) => h("option", { value: one.id }, one.own ? `${one.name} (${one.id})` : one.name)));
  const seed = h("input", {
    type: "number", id: "game-seed", min: 0, max: 999999, required: true, value: 1 + Math.floor(Math.random() * 999),
  });
  const cast = h("div", { class: "cast" });
  const wrong = h("div");
  const go = h("button", { type: "submit", class: "main" }, "Begin");
  function draw() {
    const { people } = sure(scenarios.find((one) => one.id === scenario.value));
    cast.replaceChildren(...people.map((person, number) => h("label", { class: "cast-member" },
      h("input", { type: "radio", name: "guest", value: person.id, checked: number === 0, required: true }),
      h("span", {}, h("strong", {}, person.name),
        person.role ? h("span", { class: "soft small" }, capitalize(person.role)) : null))));
  }
  draw();
  const form = h("form", { class: "panel stack", onsubmit: async (event) => {
    event.preventDefault();
    go.disabled = true;
    try {
      /** @type {HTMLInputElement} */
      const { value: guest } = sure(cast.querySelector("input:checked"));
      /** @type {Api.GameShape} */
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
  h("fieldset", {}, h("legend", { class: "cast-legend" }, "Who do you want to be?"), cast), wrong,
  h("div", { class: "row" }, go));
  holder.replaceChildren(
    heading("Play a guest", "You see, hear and know what your guest does, and choose what to do; everybody else "
      + "decides for themselves. Afterwards you can ask each of them why."),
    h("div", { class: "play-begin" }, form,
      begun.length ? h("section", { class: "panel", "aria-label": "Begun before" }, h("h2", {}, "Begun before"),
        h("ul", { class: "begun" }, begun)) : null));
}

/** A game: its questions, then how it ended.
 * @param {HTMLElement} holder
 * @param {Context} context
 * @param {string} id
 */
async function playing(holder, context, id) {
  /** @type {Api.GameShape} */
  let game = await get(at`/games/${id}`);
  const note = h("div", { class: "game-note", role: "status" });
  const body = h("div");
  const end = h("div", { class: "row" });
  let busy = false;

  /** Send a step, and show where the evening is then; a step that came too late shows it too.
   * @param {"answer" | "rest" | "stop"} what
   * @param {{ choice: string | null }} [more]
   */
  async function step(what, more) {
    if (busy || !game.question) return;
    busy = true;
    table?.wait(true);
    note.replaceChildren();
    try {
      game = await post(at`/games/${id}/${what}`, { tick: game.question.tick, ...more });
    } catch (error) {
      if (!context.stay()) return;
      if (error instanceof Refused && error.status === 409) {
        note.replaceChildren(h("p", { class: "game-moved" },
          "That question was already answered, perhaps in another tab. This is where the evening is now."));
        game = await get(at`/games/${id}`).catch(() => game);
      } else note.replaceChildren(problems(error));
    }
    busy = false;
    if (context.stay()) draw(true);
  }
  const choose = (/** @type {string} */ choice) => step("answer", { choice });
  const table = game.question ? board(game, { choose }) : null;

  /** @param {boolean} moved */
  function draw(moved) {
    if (!table || !game.question) {
      pageKeys({});
      end.replaceChildren();
      if (moved) say("The evening is over.");
      return aftermath(body, game, context);
    }
    table.show(game, moved);
    /** @type {import("./keyboard.js").Keys} */
    const best = Object.fromEntries(game.question.best.map(({ id: choice, words }, place) =>
      [place + 1, [words, () => choose(choice)]]));
    pageKeys({
      ...best,
      a: ["do what comes naturally", () => step("answer", { choice: null })],
      m: ["show or hide everything you can do", () => table.more()],
    });
  }
  if (table) {
    const pass = () => confirm("Let the evening pass?",
      "Your guest goes on by themselves to the end, and you are not asked again.",
      { yes: "Let it pass", no: "Keep playing" }, () => step("rest"));
    const stop = () => confirm("End the evening here?",
      "It is broken off, and everything about it can be seen. To come back later, just leave this page.",
      { yes: "End it", no: "Keep playing" }, () => step("stop"));
    end.replaceChildren(
      h("button", {
        type: "button", onclick: () => step("answer", { choice: null }), title: "Do what your guest would do (a)",
      }, "Do what comes naturally"),
      h("button", { type: "button", onclick: pass }, "Let it pass"),
      h("button", { type: "button", onclick: stop }, "End here"));
    body.append(table.element);
  }
  holder.replaceChildren(heading(game.scenario, `${game.you} Seed ${game.seed}.`, end), note, body);
  await draw(false);
}

/** @param {HTMLElement} holder @param {Context} context */
export async function show(holder, context) {
  const id = context.params.get("game");
  return id ? playing(holder, context, id) : beginning(holder, context);
}
