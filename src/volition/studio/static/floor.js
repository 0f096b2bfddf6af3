// The house with everybody in it. People who change rooms walk through the doors.

import { h, put, s, sure } from "./dom.js";
import { token } from "./palette.js";
import { UNIT, fromAbove } from "./projection.js";
import { capitalize, cut } from "./words.js";

/** @typedef {import("./projection.js").Point} Point */
/** Who is drawn. @typedef {Pick<Api.PersonShape, "id" | "number" | "short">} Person */
/** Where they are, and what they do. @typedef {Pick<Api.PersonNow, "room" | "at" | "broken" | "choice">} Now */
/** What is drawn of an evening.
 * @typedef {{ scenario: Pick<Api.ScenarioShape, "name">, plan: Api.FloorPlan, people: Person[] }} Drawn
 */

const WALK = 650;
const still = matchMedia("(prefers-reduced-motion: reduce)");
const SPREAD = [1.42, 1.5]; // places are spread towards the walls, to make room for names
const ROOM = [64, 58]; // the size of a person with ring and name, in drawing units: no name is under a ring
const LETTERS = 9; // letters of a name that fit that width
const BARE = [40, 40]; // the same without a name
const LARGEST = 1.6; // the scale of a person without a name, where there is room
const GAP = 22; // between the name of a room and the next room, in drawing units
const [NAME, LEGIBLE] = [12.5, 8.5]; // the letters of a name in drawing units, and the least of them in pixels

/** @typedef {import("./projection.js").Projection} Projection */

/** Where to draw a person in a room.
 * @param {Api.FloorPlan} plan
 * @param {Now} now
 * @returns {Point}
 */
function spread(plan, now) {
  const room = plan.rooms.find((one) => one.id === now.room);
  if (!room) return now.at;
  const middle = [room.x + room.width / 2, room.y + room.height * 0.55];
  const lower = [0, room.height * 0.03]; // under the room's name
  /** @param {number} axis */
  const along = (axis) => middle[axis] + lower[axis] + (now.at[axis] - middle[axis]) * SPREAD[axis];
  return [along(0), along(1)];
}

/** @param {Api.RoomShape} room @param {Api.FloorPlan} plan @param {Projection} drawn */
function label(room, plan, drawn) {
  const note = room.id === plan.gathering ? "gathering room" : room.id === plan.exit ? "exit" : "";
  const words = cut(capitalize(room.name.replace(/^the /, "")), 20).split(" ");
  const last = words.length > 1 ? words.pop() : null;
  return s("g", { transform: `translate(${drawn.label(room).join(" ")})` },
    s("text", { class: "room-name", "data-wide": room.width * UNIT - GAP }, words.join(" "),
      last ? [" ", s("tspan", {}, last)] : null),
    note ? s("text", { class: "room-note", y: 15 }, note) : null,
    s("title", {}, `${room.description} Privacy ${Math.round(room.privacy * 100)} %, room for ${room.capacity}.`));
}

/** Put the last word of a room's name below the others where the room is too narrow for all of them.
 * @param {SVGTextElement} name
 */
function breakName(name) {
  const last = name.querySelector("tspan");
  if (!last) return;
  for (const attribute of ["x", "dy"]) last.removeAttribute(attribute);
  if (name.getComputedTextLength() <= Number(name.dataset.wide)) return;
  last.setAttribute("x", "0");
  last.setAttribute("dy", "1em");
}

/** The points between two places in different rooms: the doors on the shortest way.
 * @param {Api.FloorPlan} plan
 * @param {string} from
 * @param {string} to
 * @returns {Point[]}
 */
function way(plan, from, to) {
  if (from === to) return [];
  /** @type {Map<string, [string, Api.DoorShape] | null>} */
  const before = new Map([[from, null]]);
  const waiting = [from === "departed" ? plan.exit : from];
  before.set(waiting[0], null);
  const goal = to === "departed" ? plan.exit : to;
  while (waiting.length && !before.has(goal)) {
    const here = sure(waiting.shift());
    for (const one of plan.doors) {
      if (!one.rooms.includes(here)) continue;
      const there = one.rooms[0] === here ? one.rooms[1] : one.rooms[0];
      if (!before.has(there)) {
        before.set(there, [here, one]);
        waiting.push(there);
      }
    }
  }
  /** @type {Point[]} */
  const points = [];
  for (let step = before.get(goal); step; step = before.get(step[0])) {
    const { start, end } = step[1];
    points.unshift([(start[0] + end[0]) / 2, (start[1] + end[1]) / 2]);
  }
  return points;
}

/** The scale at which neighbours of a size do not cover each other.
 * @param {Api.FloorPlan} plan
 * @param {Projection} drawn
 * @param {number[]} room
 * @param {number} most
 */
function size(plan, drawn, room, most) {
  /** @param {number} axis */
  const apart = (axis) => plan.rooms.flatMap((room) => {
    const values = [...new Set(room.places.map((one) => one[axis]))].sort((a, b) => a - b);
    return values.slice(1).map((value, at) => (value - values[at]) * SPREAD[axis] * UNIT);
  }).filter((gap) => gap > UNIT / 4); // shorter rows are between the places of longer ones
  return Math.min(most, ...apart(0).map((gap) => gap / room[0]),
    ...apart(1).map((gap) => (gap * drawn.deep) / room[1]));
}

/** Draw who stands nearer over who stands farther back. A focused guest stays where they are among the elements, since
 *  a moved element loses the focus: the others are moved around them.
 * @param {Element} layer
 * @param {Guest[]} all
 */
function stackByDepth(layer, all) {
  const fromBack = [...all].sort((a, b) => (a.at?.[1] ?? 0) - (b.at?.[1] ?? 0)).map((one) => one.element);
  if (fromBack.every((one, place) => one === layer.children[place])) return;
  const kept = fromBack.findIndex((one) => one.contains(document.activeElement));
  for (const [place, one] of fromBack.entries()) {
    if (place !== kept) layer.insertBefore(one, place < kept ? fromBack[kept] : null);
  }
}

class Guest {
  /**
   * @param {Person} person
   * @param {Api.FloorPlan} plan
   * @param {Projection} projection
   * @param {number} scale
   * @param {(id: string) => unknown} choose
   */
  constructor(person, plan, projection, scale, choose) {
    this.person = person;
    this.plan = plan;
    this.projection = projection;
    this.room = "";
    /** @type {Point | null} */
    this.at = null;
    this.drawn = token(person);
    this.drawn.setAttribute("transform", "scale(1.5)");
    this.drawn.setAttribute("aria-hidden", "true");
    this.ring = s("circle", { class: "ring", r: 20 });
    this.name = s("text", { class: "guest-name", y: 31 }, cut(person.short, LETTERS));
    this.button = s("g", {
      class: "guest-button", tabindex: -1, role: "button", "aria-pressed": "false",
      onclick: () => choose(person.id),
      onkeydown: (event) => {
        if (event.key !== "Enter" && event.key !== " ") return;
        event.preventDefault();
        choose(person.id);
      },
    }, this.ring, this.name);
    this.figure = s("g", {}, s("title", {}, person.short),
      projection.standing ? s("ellipse", { class: "shadow", cy: 15, rx: 15, ry: 5 }) : null, this.button, this.drawn);
    this.element = s("g", { class: "guest", "data-guest": person.id }, this.figure);
    this.resize(scale);
  }

  /** @param {number} scale */
  resize(scale) {
    put(this.figure, "transform", `scale(${scale.toFixed(3)})`);
  }

  /** @param {Now} now @param {boolean} moving @param {number} speed */
  show(now, moving, speed) {
    const at = spread(this.plan, now);
    if (this.at && this.at[0] === at[0] && this.at[1] === at[1]) return;
    const from = this.at;
    const [x, y] = this.projection.px(at);
    this.walk?.cancel();
    this.element.style.transform = `translate(${x}px, ${y}px)`;
    if (from && moving && !still.matches) {
      const stops = [from, ...way(this.plan, this.room, now.room), at].map((point) => {
        const [left, top] = this.projection.px(point);
        return { transform: `translate(${left}px, ${top}px)` };
      });
      this.walk = this.element.animate(stops, { duration: WALK / Math.max(1, speed / 1.5), easing: "ease-in-out" });
    }
    this.room = now.room;
    this.at = at;
  }
}

/** The house of an evening; `show(tick, events, moving, speed)` moves everybody to a tick.
 * @param {Drawn} evening
 * @param {(id: string) => unknown} choose
 * @param {(plan: Api.FloorPlan) => Projection} [look]
 */
export function floor(evening, choose, look = fromAbove) {
  const { plan } = evening;
  const projection = look(plan);
  const { px } = projection;
  const scale = size(plan, projection, ROOM, 1);
  const bare = size(plan, projection, BARE, LARGEST);
  const guests = new Map(evening.people.map((person) =>
    [person.id, new Guest(person, plan, projection, scale, choose)]));
  const fromBack = [...plan.rooms].sort((a, b) => a.y - b.y || b.x - a.x);
  const lines = Array.from({ length: 6 }, () => s("line", { class: "address", visibility: "hidden" }));
  const layer = s("g", { "data-roving": true }, [...guests.values()].map((one) => one.element));
  const bottom = Math.max(...plan.rooms.map((room) => room.y + room.height));
  const [x, y] = px([plan.width / evening.people.length, bottom]);
  const street = s("text", { class: "street", x, y: y + 28 }, "outside");
  const picture = s("svg", {
    class: `floor ${projection.name}`, viewBox: projection.box,
    role: "group",
    "aria-label": `Floor plan of ${evening.scenario.name}: ${plan.rooms.map((room) => room.name).join(", ")}`,
  },
  street,
  fromBack.map(projection.room), plan.doors.map(projection.door),
  plan.rooms.map((room) => label(room, plan, projection)), lines, layer);

  const order = [...guests.values()];
  order[0]?.button.setAttribute("tabindex", "0");
  layer.addEventListener("keydown", (event) => {
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    if (!step) return;
    event.preventDefault();
    const at = order.findIndex((one) => one.button === document.activeElement);
    const next = order[(at + step + order.length) % order.length];
    for (const one of order) one.button.setAttribute("tabindex", one === next ? "0" : "-1");
    next.button.focus();
  });

  /**
   * @param {{ people: Record<string, Now> }} tick
   * @param {Pick<Api.EventShape, "source" | "targets" | "dramatic">[]} events
   * @param {boolean} moving
   * @param {number} speed
   */
  function show(tick, events, moving, speed) {
    for (const [id, guest] of guests) {
      const now = tick.people[id];
      guest.element.toggleAttribute("hidden", !now); // out of sight, for who plays a guest
      if (!now) {
        guest.at = null;
        continue;
      }
      guest.show(now, moving, speed);
      guest.element.classList.toggle("broken", now.broken);
      guest.element.classList.toggle("gone", now.room === "departed");
      const does = now.choice ? `, chooses to ${now.choice.words}` : now.broken ? ", has broken down" : "";
      const where = now.room === "departed" ? "has left" : `in ${roomName(plan, now.room)}`;
      put(guest.button, "aria-label", `${guest.person.short}, ${where}${does}`);
    }
    if (projection.standing) stackByDepth(layer, order);
    put(street, "visibility", order.some((one) => one.at && one.room === "departed") ? "hidden" : "visible");
    const acting = new Map(events.map((event) => [event.source, event]));
    let used = 0;
    for (const [id, guest] of guests) {
      const event = acting.get(id);
      guest.element.classList.toggle("acting", Boolean(event));
      guest.element.classList.toggle("dramatic", Boolean(event?.dramatic));
      const there = guest.at;
      if (!event || !there || event.targets.length > 2) continue;
      for (const target of event.targets) {
        const other = guests.get(target)?.at;
        if (used >= lines.length || target === id || !other) continue;
        const [x1, y1] = px(there);
        const [x2, y2] = px(other);
        const line = lines[used++];
        for (const [name, value] of Object.entries({ x1, y1, x2, y2 })) put(line, name, value);
        put(line, "class", `address hue-${guest.person.number % 8}${event.dramatic ? " dramatic" : ""}`);
        put(line, "visibility", "visible");
      }
    }
    for (const line of lines.slice(used)) put(line, "visibility", "hidden");
  }

  /** @param {string | null} id */
  function select(id) {
    for (const [mine, guest] of guests) {
      guest.element.classList.toggle("chosen", mine === id);
      put(guest.button, "aria-pressed", String(mine === id));
    }
  }

  const holder = h("div", { class: "floor-holder" }, picture);
  /** @type {NodeListOf<SVGTextElement>} */
  const names = picture.querySelectorAll(".room-name");

  /** Where names would be too small to read, guests have none and are larger: their letters say who they are. */
  function fit() {
    const unit = picture.getScreenCTM()?.a;
    if (!unit) return;
    const small = NAME * scale * unit < LEGIBLE;
    picture.style.setProperty("--unit", (1 / unit).toFixed(3));
    picture.classList.toggle("small", small);
    for (const name of names) breakName(name);
    for (const guest of guests.values()) guest.resize(small ? bare : scale);
  }
  new ResizeObserver(fit).observe(picture);

  /** Where a guest stands, in pixels of the holder; null before the plan is drawn, and for guests who have left.
   * @param {string} id
   * @returns {Point | null}
   */
  function spotOf(id) {
    const guest = guests.get(id);
    const drawn = picture.getScreenCTM();
    if (!guest?.at || !drawn || guest.room === "departed") return null;
    const [x, y] = px(guest.at);
    const { left, top } = holder.getBoundingClientRect();
    return [x * drawn.a + drawn.e - left, y * drawn.d + drawn.f - top];
  }

  /** The boxes of the rooms' names, in pixels of the holder: [left, top, width, height]. */
  function labels() {
    const { left, top } = holder.getBoundingClientRect();
    return [...picture.querySelectorAll(".room-name")].map((one) => {
      const box = one.getBoundingClientRect();
      return [box.left - left, box.top - top, box.width, box.height];
    });
  }

  return { element: holder, show, select, spotOf, labels };
}

/** @param {Api.FloorPlan} plan @param {string} id */
const roomName = (plan, id) => plan.rooms.find((room) => room.id === id)?.name ?? id;
