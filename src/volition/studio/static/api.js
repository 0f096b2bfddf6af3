// The studio's HTTP API: JSON in, JSON out, and refusals that say what, where, what was expected and what to do.

const ROOT = "/api/v1";

/** A refusal of the server, with its problems. */
export class Refused extends Error {
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

async function ask(path, options) {
  let answer;
  try {
    answer = await fetch(ROOT + path, options);
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Refused(0, "Lost", [LOST]);
  }
  if (answer.ok) return answer.json();
  const refusal = await answer.json().catch(() => null);
  throw new Refused(answer.status, refusal?.error ?? "Unexpected", refusal?.problems ?? [{ ...LOST, what: `status ${answer.status}` }]);
}

export const get = (path, signal) => ask(path, { signal });

export const post = (path, body, signal) =>
  ask(path, { method: "POST", signal, headers: { "Content-Type": "application/json" }, body: JSON.stringify(body ?? {}) });

/** A path with its parts encoded: at`/runs/${id}`. */
export const at = (texts, ...parts) =>
  texts.reduce((path, text, place) => path + encodeURIComponent(parts[place - 1]) + text);

/** Follow a stream until its "end"; returns a function that stops following. */
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
