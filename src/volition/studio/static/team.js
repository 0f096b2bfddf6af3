// Team: the registry of several agents, and the questions that wait for a person.

import { at, get, post } from "./api.js";
import { h, say, segments, table } from "./dom.js";
import { inbox } from "./evaluation.js";
import { Plans } from "./plans.js";
import { problems } from "./problems.js";
import { formatDate, humanize, many } from "./words.js";

/** @typedef {import("./dom.js").Child} Child */
/** @typedef {import("./router.js").Context} Context */

export const title = "Team";

/** @type {Record<string, string>} */
const LOOKS = { active: "good", done: "good", waiting: "warn", asked: "warn", judged: "warn", held: "warn",
  refused: "bad", void: "bad" };
/** @param {string} state */
const chip = (state) => h("span", { class: `chip ${LOOKS[state] ?? ""}` }, state);

/** @type {Record<string, string>} */
const NEXT = { judged: "volition flow approve", approved: "volition flow resume", held: "volition flow status" };

/** @param {string} name @param {...Child} content */
const panel = (name, ...content) => h("section", { class: "panel", "aria-label": name }, h("h2", {}, name), content);

/** @param {Api.TeamPlan[]} plans */
function planTable(plans) {
  if (!plans.length) return h("p", { class: "soft" }, "No plan is open.");
  return table("Open plans", ["Plan", "State", "Holder", "Until"],
    h("tbody", {}, plans.map((one) => h("tr", { "data-plan": one.id },
    h("th", { scope: "row" }, one.title, h("span", { class: "soft small team-id" }, one.id)),
    h("td", {}, chip(one.state)), h("td", { class: "small" }, one.holder),
    h("td", { class: "small" }, formatDate(one.lease_until))))), { look: "team-table" });
}

/** What is done for each command: what an answer or a permit is about.
 * @param {Api.TeamFlow} flow
 */
function actionList(flow) {
  if (!flow.actions.length) return null;
  const name = flow.question_pack ? "What the commands are bound to" : "What is done";
  return h("details", { class: "small", open: ["asked", "judged"].includes(flow.state) }, h("summary", {}, name),
    h("ul", {}, flow.actions.map((one) => h("li", { "data-action": one.command },
      h("strong", {}, [one.node, one.command].filter(Boolean).join(" ")), ` of ${one.title} (${one.plan}): `,
      h("code", {}, one.words)))));
}

/** @param {Api.TeamFlow[]} flows @param {number} leftOut */
function flowTable(flows, leftOut) {
  if (!flows.length) return h("p", { class: "soft" }, "There are no flows yet.");
  /** @param {Api.TeamFlow} one */
  const what = (one) =>
    [one.reason, NEXT[one.state] ? `next: ${NEXT[one.state]} ${one.id}` : "",
      Object.entries(one.nodes).map(([state, count]) => `${count} ${humanize(state)}`).join(", ")];
  return [table("Flows", ["Flow", "State", "What of it"],
    h("tbody", {}, flows.map((one) => h("tr", { "data-flow": one.id },
    h("th", { scope: "row" }, one.id), h("td", {}, chip(one.state)),
    h("td", { class: "small" }, what(one).filter(Boolean).join("; "), one.question_pack ? null : actionList(one))))), {
      look: "team-table",
    }),
  leftOut ? h("p", { class: "soft small" }, `${many(leftOut, "older flow")} are not shown.`) : null];
}

/** The open questions of one flow. What was answered meanwhile elsewhere is refused, and said.
 * @param {Api.TeamFlow} flow
 * @param {Plans} plans
 * @param {string | null} project
 * @param {() => unknown} again
 */
function asked(flow, plans, project, again) {
  const wrong = h("div");
  /** @param {Record<string, any>} choices */
  const send = async (choices) => {
    try {
      const found = await post(at`/team/flows/${flow.id}/answer`, {
        project, checksum: flow.question_pack.checksum, choices,
      });
      say(`Answered: the flow is ${found.state}`);
      again();
    } catch (error) {
      wrong.replaceChildren(problems(error));
    }
  };
  return h("article", { class: "team-question", "data-asked": flow.id }, h("h3", {}, flow.id), actionList(flow),
    inbox(flow.question_pack, 0, plans, send), wrong);
}

/** @param {HTMLElement} holder @param {Context} context */
export async function show(holder, context) {
  const named = context.params.get("project");
  /** @type {Api.TeamShape} */
  const team = await get(`/team${named ? `?project=${encodeURIComponent(named)}` : ""}`);
  if (team.registry === null) {
    holder.append(h("h1", {}, "Team"),
      panel("No registry",
        h("p", {}, "This studio was started without a registry. Name one with ",
          h("code", {}, "volition studio --registry team.db"), " or in VOLITION_REGISTRY.")));
    return;
  }
  const again = () => context.again({ project: team.project });
  const plans = new Plans(team.plans.map((one) => one.id),
    Object.fromEntries(team.plans.map((one) => [one.id, one.title])));
  const waiting = team.flows.filter((one) => one.question_pack);
  const projects = team.projects.length > 1
    ? [segments("Project", team.projects.map((one) => [one, one]), team.project,
      (project) => context.go("team", { project }))] : [];
  holder.append(
    h("div", { class: "row page-head" }, h("h1", {}, "Team"),
      h("span", { class: "soft" }, [team.registry, team.project].filter(Boolean).join(", ")),
      h("button", { type: "button", onclick: again }, "Refresh")),
    ...projects,
    panel("Questions for a person", waiting.length ? [
      h("p", { class: "soft small" },
        team.me?.problem ? `You may look: ${team.me.problem.what}. ${team.me.problem.remedy}.`
          : `You act as ${team.me?.name}.`),
      waiting.map((one) => asked(one, plans, team.project, again)),
    ] : h("p", { class: "soft" }, "There are no open questions.")),
    panel("Plans", planTable(team.plans)),
    panel("Flows", flowTable(team.flows, team.left_out)));
}
