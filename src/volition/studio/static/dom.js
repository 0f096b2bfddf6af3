// Creating elements. Only attributes: the pages' policy allows no inline style, so positions are set through CSSOM.

const SVG = "http://www.w3.org/2000/svg";

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "value" || name === "checked" || name === "disabled" || name === "selected") element[name] = value;
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  element.append(...children.flat(3).filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

/** An HTML element: h("p", {class: "soft"}, "text", other). */
export const h = (tag, attributes, ...children) => fill(document.createElement(tag), attributes, children);

/** An SVG element. */
export const s = (tag, attributes, ...children) => fill(document.createElementNS(SVG, tag), attributes, children);

/** Set text only where it differs: writing the same text again would cause a layout. */
export function write(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

/** Set an attribute only where it differs. */
export function put(element, name, value) {
  const text = String(value);
  if (element.getAttribute(name) !== text) element.setAttribute(name, text);
}

/** Call at most once per frame, with the last arguments. */
export function perFrame(work) {
  let waiting = 0;
  let last;
  return (...given) => {
    last = given;
    waiting ||= requestAnimationFrame(() => {
      waiting = 0;
      work(...last);
    });
  };
}

/** Call once no further call came for a while. */
export function afterQuiet(milliseconds, work) {
  let waiting = 0;
  return (...given) => {
    clearTimeout(waiting);
    waiting = setTimeout(() => work(...given), milliseconds);
  };
}

/** A group of buttons, one of which is selected: a radio group for keyboards and screen readers. */
export function segments(label, options, chosen, choose) {
  const buttons = options.map(([value, text]) =>
    h("button", {
      type: "button", role: "radio", "aria-checked": String(value === chosen), tabindex: value === chosen ? 0 : -1,
      "data-value": value, onclick: () => select(value, false),
    }, text));
  function select(value, focus) {
    for (const button of buttons) {
      const mine = button.dataset.value === String(value);
      button.setAttribute("aria-checked", String(mine));
      button.tabIndex = mine ? 0 : -1;
      if (mine && focus) button.focus();
    }
    choose(value);
  }
  const steps = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 };
  return h("div", {
    class: "segments", role: "radiogroup", "aria-label": label,
    onkeydown: (event) => {
      if (!(event.key in steps)) return;
      event.preventDefault();
      event.stopPropagation();
      const at = buttons.indexOf(document.activeElement);
      select(options[(at + steps[event.key] + options.length) % options.length][0], true);
    },
  }, buttons);
}

/** The first of many rows, and a button for the rest, which are only created on demand. */
export function some(list, items, draw, most = 40) {
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

/** Figures with their names: [[name, value, class or nothing], ...]. */
export const figures = (entries) => h("dl", { class: "figures" }, entries.map(([name, value, look]) => h("div", {}, h("dt", {}, name), h("dd", { class: look ?? null }, value))));

/** A table in a scrolling container: headings of columns, and a body. */
export const table = (caption, headings, body, { look = "small", holder = "scroll" } = {}) =>
  scrolling(`${caption}, as a table`, h("table", { class: look }, h("caption", { class: "unseen" }, caption),
    h("thead", {}, h("tr", {}, headings.map((text) => h("th", { scope: "col" }, text)))), body), holder);

/** Download a text under a name. */
export function save(name, text, type = "application/json") {
  const link = h("a", { href: URL.createObjectURL(new Blob([text], { type })), download: name });
  link.click();
  URL.revokeObjectURL(link.href);
}

/** Announce something to screen readers. */
export function say(text) {
  const said = document.getElementById("said");
  if (said) said.textContent = text;
}

/** A scrolling container for wide content; it takes the focus only while there is something to scroll. */
export function scrolling(label, content, look = "scroll") {
  const holder = h("div", { class: look, role: "region", "aria-label": label }, content);
  const sizes = new ResizeObserver(() => {
    if (holder.scrollWidth > holder.clientWidth || holder.scrollHeight > holder.clientHeight) holder.tabIndex = 0;
    else holder.removeAttribute("tabindex");
  });
  for (const one of [holder, content]) sizes.observe(one);
  return holder;
}
