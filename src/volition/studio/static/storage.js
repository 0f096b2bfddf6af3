// Choices that the browser remembers.

/** The value remembered under a name; null where there is none.
 * @param {string} name
 */
export function recall(name) {
  try {
    return localStorage.getItem(name);
  } catch {
    return null; // storage is blocked: a choice lasts as long as the page
  }
}

/** Remember a value under a name; null forgets it.
 * @param {string} name
 * @param {string | null} value
 */
export function remember(name, value) {
  try {
    if (value === null) localStorage.removeItem(name);
    else localStorage.setItem(name, value);
  } catch { /* as in recall() */ }
}
