// What a browser remembers of somebody's choices.

/** What was remembered under a name; null where nothing was. */
export function recall(name) {
  try {
    return localStorage.getItem(name);
  } catch {
    return null; // storage is forbidden: a choice lasts as long as the page
  }
}

/** Remember something under a name, or with null forget it. */
export function remember(name, value) {
  try {
    if (value === null) localStorage.removeItem(name);
    else localStorage.setItem(name, value);
  } catch { /* as in recall() */ }
}
