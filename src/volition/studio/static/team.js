// Team: who works on what, what is claimed, who waits behind whom, and what the guard refused; all of it live.

import { get } from "./api.js";
import { followChanges, oneAtATime } from "./changes.js";
import { h, segments, some, table, write } from "./dom.js";
import { path } from "./place.js";
import { problems } from "./problems.js";
import { formatTime, humanize, many } from "./words.js";

/** @typedef {import("./dom.js").Child} Child */
/** @typedef {import("./router.js").Context} Context */

export const title = "Team";
const LOOK = 5000; // milliseconds between two looks while the registry cannot be read

/** @type {Record<string, string>} */
const LOOKS = { active: "good", done: "good", waiting: "warn", asked: "warn", judged: "warn", held: "warn",
  refused: "bad", void: "bad" };
/** @param {string} state */
const chip = (state) => h("span", { class: `chip ${LOOKS[state] ?? ""}` }, state);
/** @type {Record<string, string>} */
const NEXT = { approved: "volition flow resume", held: "volition flow status" };
/** @type {Record<string, string>} */
const ASKS = { asked: "Question in the inbox", judged: "Permit in the inbox" };
const SHOWN = 8; // claims of a plan that are listed without being asked for
const NAMED = 3; // plans of a flow that are named

/** @param {string} name @param {...Child} content */
const panel = (name, ...content) => h("section", { class: "panel", "aria-label": name }, h("h2", {}, name), content);
/** @param {string} text */
const soft = (text) => h("p", { class: "soft" }, text);

/** A holder in words: "eve@a1d0" is an agent of eve's.
 * @param {string} name
 */
const nameHolder = (name) => name.replace(/@(.+)$/, " (agent $1)");

/** What a plan claims, by file and part.
 * @param {Api.ClaimShape[]} list
 */
const claims = (list) => some(h("ul", { class: "team-claims small" }), list, (one) => h("li", {},
  h("code", { dir: "auto" }, one.place || "anything", one.part ? h("strong", {}, ` \u203a ${one.part}`) : null), " ",
  h("span", { class: "soft" }, one.does)), SHOWN);

/** @param {Api.TeamPlan} one */
function work(one) {
  const since = one.since === null ? "" : `since ${formatTime(one.since)}`;
  return h("li", { class: "team-plan", "data-plan": one.id },
    h("div", { class: "row" }, h("strong", { dir: "auto" }, one.title), chip(one.state),
      one.agent ? h("span", { class: "chip" }, `agent ${one.agent}`) : null),
    h("p", { class: "soft small" },
      [since, `until ${formatTime(one.lease_until)}`, one.id].filter(Boolean).join(", ")),
    claims(one.claims));
}

/** The plans by the people who hold them, themselves or by their agents.
 * @param {Api.TeamPlan[]} plans
 */
function people(plans) {
  if (!plans.length) return soft("No plan is open. A plan appears here as soon as somebody registers it: "
    + "volition team register PLAN.json");
  /** @type {Map<string, Api.TeamPlan[]>} */
  const byPerson = new Map();
  for (const one of plans) byPerson.set(one.person, [...(byPerson.get(one.person) ?? []), one]);
  return h("ul", { class: "team-people" },
    [...byPerson].sort(([a], [b]) => a.localeCompare(b)).map(([person, mine]) => h("li", { "data-person": person },
      h("h3", { dir: "auto" }, person), some(h("ul", { class: "team-plans" }), mine, work))));
}

/** Who waits behind whom, for what.
 * @param {Api.TeamPlan[]} plans
 */
function line(plans) {
  const waiting = plans.filter((one) => one.place).sort((a, b) => a.place - b.place);
  if (!waiting.length) return soft("Nobody waits.");
  return h("ol", { class: "team-line small" }, waiting.map((one) => h("li", { "data-waits": one.id },
    h("strong", { dir: "auto" }, one.title), ` of ${nameHolder(one.holder)} `,
    one.behind.length
      ? h("ul", {}, one.behind.map((ahead) => h("li", {}, "waits behind ", h("strong", { dir: "auto" }, ahead.title),
        ` of ${nameHolder(ahead.holder)} for `, h("code", { dir: "auto" }, ahead.resources.join(", ")))))
      : h("span", { class: "soft" }, "waits for nothing any more: it is granted with the next change"))));
}

/** @param {Api.TeamShape} team */
function refusals({ guarded, refusals: list }) {
  if (!guarded) return soft("No guard keeps a journal in the repository of this folder: "
    + "volition agents install sets one up.");
  if (!list.length) return soft("Nothing was refused today.");
  const rows = list.map((one) => h("tr", {}, h("td", { class: "small number" }, formatTime(one.at)),
    h("td", { class: "small" }, [one.client, one.session].filter(Boolean).join(" ")),
    h("td", {}, h("code", { dir: "auto" }, one.files.join(", ") || one.tool)),
    h("td", { class: "small whole", dir: "auto" }, one.reasons.join("; "))));
  return table("What the guard refused today", ["When", "Who", "File", "Why"], h("tbody", {}, rows), {
    look: "team-table cards",
  });
}

/** What is done for each command of a flow.
 * @param {Api.TeamFlow} flow
 */
function actions(flow) {
  if (!flow.actions.length) return null;
  return h("details", { class: "small" }, h("summary", {}, "What is done"),
    h("ul", {}, flow.actions.map((one) => h("li", { "data-action": one.command },
      h("strong", {}, [one.node, one.command].filter(Boolean).join(" ")), " of ",
      h("span", { dir: "auto" }, one.title), ": ", h("code", {}, one.words)))));
}

/** The titles of a flow's plans; of many, only the first.
 * @param {Api.TeamFlow} flow
 */
function flowTitle({ titles }) {
  const all = Object.values(titles);
  const named = all.slice(0, NAMED).map((text, at) => [at ? ", " : "", h("bdi", {}, text)]);
  return [...named, all.length > NAMED ? ` and ${all.length - NAMED} more` : ""];
}

/** @param {Api.TeamFlow[]} list @param {number} leftOut */
function flows(list, leftOut) {
  if (!list.length) return soft("There are no flows yet.");
  /** @param {Api.TeamFlow} one */
  const what = (one) =>
    [one.reason, NEXT[one.state] ? `next: ${NEXT[one.state]} ${one.id}` : "",
      Object.entries(one.nodes).map(([state, count]) => `${count} ${humanize(state)}`).join(", ")];
  const rows = list.map((one) => h("tr", { "data-flow": one.id },
    h("th", { scope: "row" }, flowTitle(one), h("span", { class: "soft small flow-id" }, one.id)),
    h("td", {}, chip(one.state)),
    h("td", { class: "small" }, what(one).filter(Boolean).join("; "),
      ASKS[one.state]
        ? [" ", h("a", { class: "team-link", href: path("inbox", { show: "open" }) }, ASKS[one.state])] : null,
      actions(one))));
  return [table("Flows", ["Flow", "State", "What of it"], h("tbody", {}, rows), { look: "team-table cards" }),
    leftOut ? h("p", { class: "soft small" }, `${many(leftOut, "older flow")} are not shown.`) : null];
}

/** @param {HTMLElement} holder @param {Context} context */
export async function show(holder, context) {
  const named = context.params.get("project");
  const query = named ? `?project=${encodeURIComponent(named)}` : "";
  let seen = "";
  const about = h("span", { class: "soft" });
  const body = h("div", { class: "team" });
  /** @param {Element} one */
  const flowOf = (one) => one.closest("[data-flow]")?.getAttribute("data-flow");
  /** @param {Api.TeamShape} team */
  function draw(team) {
    const text = JSON.stringify(team, (name, value) => (name === "seconds_left" ? undefined : value));
    if (text === seen) return;
    seen = text;
    if (team.registry === null) {
      body.replaceChildren(
        panel("No registry",
          h("p", {}, "A registry says who works on what, who waits behind whom, and what people are asked. ",
            "This studio was started without one: name it with ",
            h("code", {}, "volition studio --registry team.db"), " or in VOLITION_REGISTRY. ",
            h("code", {}, "volition team register PLAN.json"), " makes it, if it is not there yet.")),
        panel("Refused by the guard today", refusals(team)));
      return;
    }
    const me = team.me?.name ? `you act as ${team.me.name}` : "";
    write(about, [team.registry, team.project, me].filter(Boolean).join(", "));
    const opened = new Set([...body.querySelectorAll("details[open]")].map(flowOf));
    const projects = team.projects.length > 1
      ? [segments("Project", team.projects.map((one) => [one, one]), team.project,
        (project) => context.go("team", { project }))] : [];
    body.replaceChildren(...projects,
      panel("Who works on what", people(team.plans)), panel("The line", line(team.plans)),
      panel("Refused by the guard today", refusals(team)), panel("Flows", flows(team.flows, team.left_out)));
    /** @type {NodeListOf<HTMLDetailsElement>} */
    const details = body.querySelectorAll("[data-flow] details");
    for (const one of details) one.open = opened.has(flowOf(one));
  }
  const load = async () => draw(await get(`/team${query}`));
  holder.append(h("div", { class: "row page-head" }, h("h1", {}, "Team"), about), body);
  await load();
  let waiting = 0;
  let left = false;
  const refresh = oneAtATime(() => load().catch((error) => {
    seen = "";
    body.replaceChildren(problems(error));
    // What kept the registry from being read may be over before the server noticed that it had begun.
    clearTimeout(waiting);
    if (!left) waiting = setTimeout(refresh, LOOK);
  }));
  const stop = followChanges(refresh);
  return () => {
    left = true;
    clearTimeout(waiting);
    stop();
  };
}
