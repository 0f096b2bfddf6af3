// How numbers, times and names are written.

/** Minutes of an evening as hours and minutes: 83.5 is "1:23". */
export function clock(minutes) {
  const whole = Math.floor(minutes + 1e-9);
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, "0")}`;
}

/** A number with at most this many digits after the point. */
export function short(value, digits = 3) {
  if (value === null || value === undefined) return "none";
  if (!Number.isFinite(value)) return String(value);
  return String(Number(value.toFixed(digits))).replace("-", "\u2212");
}

/** The same with its sign. */
export const signed = (value, digits = 3) => (value >= 0 ? "+" : "") + short(value, digits);

export const percent = (value) => `${Math.round(value * 1000) / 10}\u00a0%`;

/** An identifier as words: "SOCIAL_MOVE" is "social move". */
export const humanize = (name) => name.toLowerCase().replaceAll("_", " ");

export const capitalize = (text) => text.charAt(0).toUpperCase() + text.slice(1);

/** A text of at most this many letters. */
export const cut = (text, most) => (text.length > most ? `${text.slice(0, most - 1)}\u2026` : text);

export const many = (count, one, more = `${one}s`) => `${count} ${count === 1 ? one : more}`;

export function bytes(count) {
  if (count < 1000) return `${count} B`;
  if (count < 1e6) return `${Math.round(count / 1000)} kB`;
  return `${(count / 1e6).toFixed(1)} MB`;
}

/** A date and time, from seconds since 1970. */
export const formatDate = (seconds) =>
  new Date(seconds * 1000).toLocaleString(undefined, { dateStyle: "medium", timeStyle: "short" });

const ACTS = {
  chat: (who) => `talk to ${who}`, observe: (who) => `watch ${who}`, move: (where) => `go to ${where}`,
  conflict: (who) => `confront ${who}`, physical: (what, who) => [what ?? "act", who].filter(Boolean).join(" "), internal: () => "keep to themselves",
  confide: (what, who) => `confide in ${who}: ${what}`, reveal: (what, who) => `tell ${who}: ${what}`,
  lie: (what, who) => `lie to ${who} about ${what}`,
};

/** A choice in words: "conflict:marcus" is "confront Marcus". Without an evening the id stays as it is. */
export function act(id, evening) {
  if (!evening) return id;
  const [verb, ...rest] = id.split(":");
  const names = new Map([
    ...evening.people.map((one) => [one.id, one.short]),
    ...evening.plan.rooms.map((one) => [one.id, one.name]),
    ...evening.secrets.map((one) => [one.id, `\u201c${secretName(one)}\u201d`]),
    ["all", "everybody"], ["room", "the room"],
  ]);
  const parts = rest.map((part) => names.get(part) ?? humanize(part));
  return ACTS[verb] ? ACTS[verb](...parts) : [humanize(verb), ...parts].join(" ");
}

/** A short name for a secret. */
export const secretName = (secret) => capitalize(humanize(secret.id.replace(/^secret_/, "").replace(/_\d+$/, "")));

export const BELIEFS = {
  unknown: "does not know", suspects: "suspects", believes_true: "knows", believes_false: "believes otherwise",
};
