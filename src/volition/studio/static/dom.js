// Creating elements. Only attributes: the pages' policy allows no inline style, so positions are set through CSSOM.

const SVG = "http://www.w3.org/2000/svg";
/** What is set as a property, because the attribute is only its first value. */
const PROPERTIES = new Set(["value", "checked", "disabled", "selected"]);

/** What an element may contain; nothing is added for null, undefined and false.
 * @typedef {Node | string | number | boolean | null | undefined | readonly Child[]} Child
 */
/** Attributes of an element: "onclick" and the like are listeners.
 * @template {Element} E
 * @typedef {{ [Name in keyof GlobalEventHandlersEventMap as `on${Name}`]?:
 *   (event: GlobalEventHandlersEventMap[Name] & { currentTarget: E, target: any }) => unknown }
 *   & { [name: string]: unknown }} Attributes
 */

/**
 * @template {Element} E
 * @param {E} element
 * @param {Record<string, any> | undefined} attributes
 * @param {Child[]} children
 */
function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (PROPERTIES.has(name)) Object.assign(element, { [name]: value });
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  for (const child of /** @type {Child[]} */ (children.flat(3))) {
    if (child !== null && child !== undefined && child !== false) element.append(/** @type {Node | string} */ (child));
  }
  return element;
}

/** An HTML element: h("p", {class: "soft"}, "text", other).
 * @template {keyof HTMLElementTagNameMap} K
 * @param {K} tag
 * @param {Attributes<HTMLElementTagNameMap[K]>} [attributes]
 * @param {...Child} children
 * @returns {HTMLElementTagNameMap[K]}
 */
export const h = (tag, attributes, ...children) => fill(document.createElement(tag), attributes, children);

/** An SVG element.
 * @template {keyof SVGElementTagNameMap} K
 * @param {K} tag
 * @param {Attributes<SVGElementTagNameMap[K]>} [attributes]
 * @param {...Child} children
 * @returns {SVGElementTagNameMap[K]}
 */
export const s = (tag, attributes, ...children) => fill(document.createElementNS(SVG, tag), attributes, children);

/** Set text only where it differs: writing the same text again would cause a layout.
 * @param {Node} node
 * @param {string} text
 */
export function write(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

/** Set an attribute only where it differs.
 * @param {Element} element
 * @param {string} name
 * @param {string | number} value
 */
export function put(element, name, value) {
  const text = String(value);
  if (element.getAttribute(name) !== text) element.setAttribute(name, text);
}

/** Call at most once per frame, with the last arguments.
 * @template {any[]} Given
 * @param {(...given: Given) => void} work
 */
export function perFrame(work) {
  let waiting = 0;
  /** @type {Given} */
  let last;
  return (/** @type {Given} */ ...given) => {
    last = given;
    waiting ||= requestAnimationFrame(() => {
      waiting = 0;
      work(...last);
    });
  };
}

/** Call once no further call came for a while.
 * @template {any[]} Given
 * @param {number} milliseconds
 * @param {(...given: Given) => void} work
 */
export function afterQuiet(milliseconds, work) {
  let waiting = 0;
  return (/** @type {Given} */ ...given) => {
    clearTimeout(waiting);
    waiting = setTimeout(() => work(...given), milliseconds);
  };
}

/** A group of buttons, one of which is selected: a radio group for keyboards and screen readers.
 * @template {string | number} T
 * @param {string} label
 * @param {[T, string][]} options
 * @param {T | null} chosen
 * @param {(value: T) => unknown} choose
 */
export function segments(label, options, chosen, choose) {
  const buttons = options.map(([value, text]) =>
    h("button", {
      type: "button", role: "radio", "aria-checked": String(value === chosen), tabindex: value === chosen ? 0 : -1,
      "data-value": value, onclick: () => select(value, false),
    }, text));
  /** @param {T} value @param {boolean} focus */
  function select(value, focus) {
    for (const button of buttons) {
      const mine = button.dataset.value === String(value);
      button.setAttribute("aria-checked", String(mine));
      button.tabIndex = mine ? 0 : -1;
      if (mine && focus) button.focus();
    }
    choose(value);
  }
  /** @type {Record<string, number>} */
  const steps = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 };
  return h("div", {
    class: "segments", role: "radiogroup", "aria-label": label,
    onkeydown: (event) => {
      if (!(event.key in steps)) return;
      event.preventDefault();
      event.stopPropagation();
      const at = buttons.findIndex((one) => one === document.activeElement);
      select(options[(at + steps[event.key] + options.length) % options.length][0], true);
    },
  }, buttons);
}

/** The first of many rows, and a button for the rest, which are only created on demand.
 * @template {HTMLElement} E
 * @template T
 * @param {E} list
 * @param {T[]} items
 * @param {(item: T, at: number) => Node} draw
 * @param {number} [most]
 */
export function some(list, items, draw, most = 40) {
  /** @param {T[]} shown */
  const add = (shown) => list.append(...shown.map(draw));
  add(items.slice(0, most));
  if (items.length > most) {
    const more = h("li", {}, h("button", { type: "button", class: "link", onclick: () => {
      more.remove();
      add(items.slice(most));
    } }, `Show ${items.length - most} more`));
    list.append(more);
  }
  return list;
}

/** Figures with their names: [[name, value, class or nothing], ...].
 * @param {[string, Child, (string | null)?][]} entries
 */
export const figures = (entries) =>
  h("dl", { class: "figures" },
    entries.map(([name, value, look]) => h("div", {}, h("dt", {}, name), h("dd", { class: look ?? null }, value))));

/** A table in a scrolling container: headings of columns, and a body.
 * @param {string} caption
 * @param {string[]} headings
 * @param {HTMLElement} body
 * @param {{ look?: string, holder?: string }} [looks]
 */
export const table = (caption, headings, body, { look = "small", holder = "scroll" } = {}) =>
  scrolling(`${caption}, as a table`, h("table", { class: look }, h("caption", { class: "unseen" }, caption),
    h("thead", {}, h("tr", {}, headings.map((text) => h("th", { scope: "col" }, text)))), body), holder);

/** A value that must be there, such as an element of the page or the entry of a map.
 * @template T
 * @param {T | null | undefined} value
 * @returns {T}
 */
export function sure(value) {
  if (value === null || value === undefined) throw new Error("a part of this page is missing");
  return value;
}

/** The nearest element around what an event happened to.
 * @param {Event} event
 * @param {string} selector
 */
export const around = (event, selector) => (event.target instanceof Element ? event.target.closest(selector) : null);

/** Download a text under a name.
 * @param {string} name
 * @param {string} text
 * @param {string} [type]
 */
export function save(name, text, type = "application/json") {
  const link = h("a", { href: URL.createObjectURL(new Blob([text], { type })), download: name });
  link.click();
  URL.revokeObjectURL(link.href);
}

/** Announce something to screen readers.
 * @param {string} text
 */
export function say(text) {
  const said = document.getElementById("said");
  if (said) said.textContent = text;
}

/** A scrolling container for wide content; it takes the focus only while there is something to scroll.
 * @param {string} label
 * @param {Element} content
 * @param {string} [look]
 */
export function scrolling(label, content, look = "scroll") {
  const holder = h("div", { class: look, role: "region", "aria-label": label }, content);
  const sizes = new ResizeObserver(() => {
    if (holder.scrollWidth > holder.clientWidth || holder.scrollHeight > holder.clientHeight) holder.tabIndex = 0;
    else holder.removeAttribute("tabindex");
  });
  for (const one of [holder, content]) sizes.observe(one);
  return holder;
}
