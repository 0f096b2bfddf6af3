// How numbers, times and names are written.

/** Minutes of an evening as hours and minutes: 83.5 is "1:23".
 * @param {number} minutes
 */
export function clock(minutes) {
  const whole = Math.floor(minutes + 1e-9);
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, "0")}`;
}

/** A number with at most this many digits after the point.
 * @param {number | null | undefined} value
 * @param {number} [digits]
 */
export function short(value, digits = 3) {
  if (value === null || value === undefined) return "none";
  if (!Number.isFinite(value)) return String(value);
  return String(Number(value.toFixed(digits))).replace("-", "\u2212");
}

/** The same with its sign.
 * @param {number} value
 * @param {number} [digits]
 */
export const signed = (value, digits = 3) => (value >= 0 ? "+" : "") + short(value, digits);

/** @param {number} value */
export const percent = (value) => `${Math.round(value * 1000) / 10}\u00a0%`;

/** An identifier as words: "SOCIAL_MOVE" is "social move".
 * @param {string} name
 */
export const humanize = (name) => name.toLowerCase().replaceAll("_", " ");

/** @param {string} text */
export const capitalize = (text) => text.charAt(0).toUpperCase() + text.slice(1);

/** A text of at most this many letters.
 * @param {string} text
 * @param {number} most
 */
export const cut = (text, most) => (text.length > most ? `${text.slice(0, most - 1)}\u2026` : text);

/** @param {number} count @param {string} one @param {string} [more] */
export const many = (count, one, more = `${one}s`) => `${count} ${count === 1 ? one : more}`;

/** @param {number} count */
export function bytes(count) {
  if (count < 1000) return `${count} B`;
  if (count < 1e6) return `${Math.round(count / 1000)} kB`;
  return `${(count / 1e6).toFixed(1)} MB`;
}

/** A date and time, from seconds since 1970.
 * @param {number} seconds
 */
export const formatDate = (seconds) =>
  new Date(seconds * 1000).toLocaleString(undefined, { dateStyle: "medium", timeStyle: "short" });

/** A time of today, or the date and time of another day, from seconds since 1970.
 * @param {number} seconds
 */
export function formatTime(seconds) {
  const date = new Date(seconds * 1000);
  return date.toDateString() === new Date().toDateString() ? date.toLocaleTimeString(undefined, { timeStyle: "short" })
    : formatDate(seconds);
}

/** How much time is left: "3 days left".
 * @param {number} seconds
 */
export function formatLeft(seconds) {
  if (seconds <= 0) return "no time left";
  const [days, hours, minutes] = [Math.floor(seconds / 86400), Math.floor(seconds / 3600), Math.floor(seconds / 60)];
  if (days >= 2) return `${days} days left`;
  if (hours >= 1) return `${hours} h ${minutes % 60} min left`;
  return minutes >= 1 ? `${minutes} min left` : `${Math.ceil(seconds)} s left`;
}

/** A sentence of the server, with the minus sign that numbers have on the pages.
 * @param {string} text
 */
export const withMinus = (text) => text.replace(/(^|[\s(])-(?=\d)/g, "$1\u2212");

/** A number with its sign and three digits after the point; 0 is only "0".
 * @param {number} value
 */
export const fixed = (value) => (value ? `${value < 0 ? "\u2212" : "+"}${Math.abs(value).toFixed(3)}` : "0");

/** A text with at most three digits after each point.
 * @param {string} text
 */
const round = (text) => text.replace(/\d+\.\d{4,}/g, (number) => Number(number).toFixed(3));

/** @typedef {{ act: (id: string) => string, term: (id: string) => string, why: string,
 *   whyNot: (one: { id: string, why_not: string }) => string }} Words
 */

/** The words of a decision: acts and terms by their ids, why, and why not. Ids stay where the server has no words.
 * @param {Api.DecisionShape} decision
 * @returns {Words}
 */
export function wordsOf({ words, why }) {
  return {
    act: (id) => words?.acts[id] ?? id,
    term: (id) => words?.terms[id] ?? id,
    why: withMinus(words?.why ?? round(why.text)),
    whyNot: (one) => withMinus(words?.why_not[one.id] ?? round(one.why_not)),
  };
}

/** A short name for a secret.
 * @param {{ id: string }} secret
 */
export const secretName = (secret) => capitalize(humanize(secret.id.replace(/^secret_/, "").replace(/_\d+$/, "")));

/** @type {Record<string, string>} */
export const BELIEFS = {
  unknown: "does not know", suspects: "suspects", believes_true: "knows", believes_false: "believes otherwise",
};
