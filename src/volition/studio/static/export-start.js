// An exported file holds its modules as text. Each gets an address after the modules it imports, and the main one is
// started.
(() => {
  const texts = new Map([...document.querySelectorAll("script[data-module]")].map((one) =>
    [one.getAttribute("data-module"), one.textContent]));
  /** @type {Map<string, string>} */
  const made = new Map();
  /** @param {string} name @returns {string} */
  const address = (name) => {
    if (!made.has(name)) {
      const text = (texts.get(name) ?? "").replace(/(from\s*")\.\/([\w-]+\.js)(")/g,
        (_, before, other, after) => before + address(other) + after);
      made.set(name, URL.createObjectURL(new Blob([text], { type: "text/javascript" })));
    }
    return made.get(name) ?? "";
  };
  import(address("export.js"));
})();
