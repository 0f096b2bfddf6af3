// The studio's HTTP API: JSON in, JSON out, and refusals that say what, where, what was expected and what to do.

const ROOT = "/api/v1";

/** A refusal of the server, with its problems. */
export class Refused extends Error {
  /** @param {number} status @param {string} error @param {Api.Problem[]} problems */
  constructor(status, error, problems) {
    super(problems[0]?.what ?? error);
    this.status = status;
    this.error = error;
    this.problems = problems;
  }
}

const LOST = {
  what: "the studio does not answer", where: "its server", expected: "an answer",
  remedy: "see whether `volition studio` is still running, then try again",
};

/** @param {string} path @param {RequestInit} options @returns {Promise<any>} */
async function ask(path, options) {
  let answer;
  try {
    answer = await fetch(ROOT + path, options);
  } catch (error) {
    if (error instanceof Error && error.name === "AbortError") throw error;
    throw new Refused(0, "Lost", [LOST]);
  }
  if (answer.ok) return answer.json();
  const refusal = await answer.json().catch(() => null);
  throw new Refused(answer.status, refusal?.error ?? "Unexpected",
    refusal?.problems ?? [{ ...LOST, what: `status ${answer.status}` }]);
}

/** @param {string} path @param {AbortSignal} [signal] */
export const get = (path, signal) => ask(path, { signal });

/** @param {string} path @param {unknown} [body] @param {AbortSignal} [signal] */
export const post = (path, body, signal) =>
  ask(path, {
    method: "POST", signal, headers: { "Content-Type": "application/json" }, body: JSON.stringify(body ?? {}),
  });

/** @param {string} path */
export const remove = (path) => ask(path, { method: "DELETE" });

/** A path with its parts encoded: at`/runs/${id}`.
 * @param {TemplateStringsArray} texts
 * @param {...string|number} parts
 */
export const at = (texts, ...parts) =>
  texts.reduce((path, text, place) => path + encodeURIComponent(parts[place - 1]) + text);

/** Follow a stream until its "end"; returns a function that stops following.
 * @param {string} path
 * @param {Record<string, (data: any) => void>} handlers
 */
export function follow(path, handlers) {
  const stream = new EventSource(path.startsWith(ROOT) ? path : ROOT + path);
  for (const [name, handler] of Object.entries(handlers)) {
    stream.addEventListener(name, (event) => {
      if (name === "end") stream.close();
      handler(JSON.parse(event.data));
    });
  }
  return () => stream.close();
}
