// Records: everything in the folder, checked or not.

import { at, get, post, remove } from "./api.js";
import { oneAtATime } from "./changes.js";
import { h, say, segments, table } from "./dom.js";
import { problems, showRefusal } from "./problems.js";
import { path } from "./place.js";
import { binPanel } from "./removed.js";
import { isPlayed, offers, playDialog } from "./runs.js";
import { bytes, many, humanize, formatDate } from "./words.js";

/** @typedef {import("./router.js").Context} Context */

export const title = "Records";

/** @type {[string, string][]} */
const KINDS = [["", "all"], ["run", "runs"], ["journal", "journals"], ["evaluation", "evaluations"],
  ["ensemble", "ensembles"]];

/** @param {Api.RecordShape} record */
function state(record) {
  if (record.live) return h("span", { class: "chip accent" }, "being written");
  if (record.intact === false) return h("span", { class: "chip bad", title: record.fault ?? "" }, "\u2715 broken");
  if (record.checked === "whole") return h("span", { class: "chip good" }, "\u2713 verified");
  if (record.checked === "chain") return h("span", {
    class: "chip", title: "Every byte matches the chain of hashes; it was not played again",
  }, "chain intact");
  return h("span", { class: "chip" }, "not checked");
}

/** @param {Api.RecordShape} record */
function about(record) {
  if (record.run) {
    const { scenario, seed, ticks, ending, interference, guest, signed } = record.run;
    const played = [
      scenario, `seed ${seed}`, guest && `played as ${guest}`, many(ticks, "tick"), ending && humanize(ending),
    ];
    const forked = signed ? [`forked by ${signed.by}, signed`] : interference.length ? ["not signed"] : [];
    return [played.filter(Boolean).join(", "), ...interference, ...forked].join("; ");
  }
  if (record.journal) {
    const { runs, attempts, map, seed } = record.journal;
    const where = [map, seed === null ? null : `seed ${seed}`].filter(Boolean).join(", ");
    const size = runs === null ? "a large journal" : `${many(runs, "run")}, ${many(attempts ?? 0, "attempt")}`;
    return where ? `${where}: ${size}` : size;
  }
  if (record.evaluation) {
    const { strategy, intents, conflicts, questions } = record.evaluation;
    const counts = [many(intents, "plan"), many(conflicts, "conflict"), many(questions, "question")];
    return `${humanize(strategy)}: ${counts.join(", ")}`;
  }
  if (record.ensemble) {
    const { scenario, evenings, points, finished } = record.ensemble;
    const counts = `${many(evenings, "evening")}, ${many(points, "combination")}`;
    return `${scenario}: ${counts}${finished ? "" : ", not finished"}`;
  }
  return record.fault ?? "";
}

/** Links to the pages that open a record.
 * @param {Api.RecordShape} record
 */
function openings(record) {
  if (isPlayed(record) && record.intact !== false) {
    return [h("a", { href: path("play", { game: record.id }) }, "Play on")];
  }
  if (record.kind === "run" && !record.live && record.intact !== false) {
    return [h("a", { href: path("stage", { run: record.id }) }, "Stage"),
      h("a", { href: path("threads", { run: record.id }) }, "Threads"),
      h("a", {
        href: `/api/v1${at`/runs/${record.id}/export.html`}`, download: `${record.id}.html`, target: "_self",
        title: "One file that opens without a server",
      }, "Export")];
  }
  if (record.live && record.kind === "run") return [h("a", { href: path("stage", { run: record.id }) }, "Watch")];
  if (record.ensemble?.finished) return [h("a", { href: path("ensemble", { ensemble: record.id }) }, "Open")];
  if (record.fault !== null) return [];
  if (record.kind === "journal") return [h("a", { href: path("drive", { journal: record.id }) }, "Open")];
  if (record.kind === "evaluation") return [h("a", { href: path("govern", { evaluation: record.id }) },
    record.evaluation?.questions ? "Answer" : "Open")];
  return [];
}

/** @param {Api.RecordShape} record
 * @param {(changed: Api.RecordShape) => void} refresh
 * @param {() => unknown} removed
 */
function row(record, refresh, removed) {
  const wrong = h("div");
  const cell = h("td", {}, state(record));
  const check = h("button",
    { type: "button", class: "link", "aria-label": `Verify ${record.name}`, onclick: async () => {
    check.disabled = true;
    check.textContent = "Verifying";
    try {
      const checked = await post(at`/records/${record.id}/verify`);
      say(checked.intact ? `${record.name} is verified` : `${record.name} is broken: ${checked.fault}`);
      refresh(checked);
    } catch (error) {
      wrong.replaceChildren(problems(error));
      check.disabled = false;
      check.textContent = "Verify";
    }
  } }, "Verify");
  const discard = h("button",
    { type: "button", class: "link", "aria-label": `Remove ${record.name}`, onclick: async () => {
    discard.disabled = true;
    try {
      await remove(at`/records/${record.id}`);
      say(`${record.name} is in the bin`);
      await removed();
    } catch (error) {
      wrong.replaceChildren(problems(error));
      discard.disabled = false;
    }
  } }, "Remove");
  return h("tr", { "data-record": record.id, "data-kind": record.kind },
    h("th", { scope: "row" }, h("span", { class: "record-name" }, record.name),
      h("span", { class: "record-place soft small" }, record.place)),
    h("td", {}, h("span", { class: "chip" }, record.kind)),
    h("td", { class: "small whole" }, about(record),
      record.fault ? h("p", { class: "fault" }, record.fault) : null, wrong),
    cell, h("td", { class: "number small" }, bytes(record.bytes)),
    h("td", { class: "small number" }, formatDate(record.modified)),
    h("td", { class: "whole" },
      h("div", { class: "row actions" }, openings(record),
        record.live || record.checked === "whole" || record.kind === "ensemble" ? null : check,
        record.removable && !record.live ? discard : null)));
}

/** @param {HTMLElement} holder @param {Context} context */
export async function show(holder, context) {
  let kind = context.params.get("kind") ?? "";
  const body = h("tbody");
  const note = h("p", { class: "soft small" });
  const wrong = h("div");
  /** @type {Api.RecordList} */
  const list = { folder: "", records: [], left_out: 0 };
  const found = table("Records, newest first",
    ["Name", "Kind", "What it is", "State", "Size", "Written", "Open"], body, { look: "records cards" });
  const nothing = h("div", { class: "empty" }, h("h2", {}, "Nothing has been recorded here yet"),
    h("p", {}, "Evenings, drives and evaluations are recorded in this folder, by this studio or from the ",
      "command line; each can be verified and opened again."), offers(context));
  function draw() {
    const shown = list.records;
    found.hidden = !shown.length;
    nothing.hidden = Boolean(kind) || shown.length > 0;
    older.hidden = !list.left_out;
    older.textContent = `Show older records (${list.left_out})`;
    body.replaceChildren(...shown.map((record) => row(record, (changed) => {
      list.records = list.records.map((one) => (one.id === changed.id ? changed : one));
      draw();
      /** @type {HTMLElement | null} */
      const link = body.querySelector(`[data-record="${CSS.escape(changed.id)}"] a`);
      link?.focus();
    }, refresh)));
    note.textContent = shown.length
      ? `${many(shown.length, "record")}${list.left_out ? ` of ${shown.length + list.left_out}` : ""}`
      : kind ? "There are no records of this kind yet." : "";
  }
  /** @param {number} offset @returns {Promise<Api.RecordList>} */
  const page = (offset) => get(`/records?offset=${offset}${kind ? `&kind=${kind}` : ""}`);
  const load = oneAtATime(async () => {
    Object.assign(list, await page(0));
    draw();
    await bin.load();
  });
  const refresh = showRefusal(wrong, load);
  const loadOlder = showRefusal(wrong, async () => {
    const first = list.records.length;
    const { records, left_out: more } = await page(first);
    // What was recorded meanwhile has moved the pages: a record may come twice.
    const known = new Set(list.records.map((one) => one.id));
    Object.assign(list, { records: [...list.records, ...records.filter((one) => !known.has(one.id))], left_out: more });
    draw();
    /** @type {HTMLElement | null} */
    const next = body.rows[first]?.querySelector("a, button") ?? null;
    next?.focus();
  });
  const older = h("button", { type: "button", class: "older", onclick: loadOlder }, "Show older records");
  const bin = binPanel(refresh);
  await load();
  holder.replaceChildren(
    h("div", { class: "head" },
      h("div", { class: "grow" }, h("h1", {}, "Records"), h("p", { class: "sub" }, "In ", h("code", {}, list.folder))),
      h("div", { class: "row" }, h("button", { type: "button", onclick: refresh }, "Refresh"),
        h("button", { type: "button", class: "main", onclick: () => playDialog(context) }, "Play an evening"))),
    h("section", { class: "panel", "aria-label": "Records" },
      h("div", { class: "panel-head" },
        segments("Kind", KINDS, kind, (value) => { kind = value; context.note({ kind }); return refresh(); }),
        h("span", { class: "grow" }), note),
      wrong, found, older, nothing), bin.panel);
}
