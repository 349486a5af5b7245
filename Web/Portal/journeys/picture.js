// The journey as a picture. Only what an edit changes is drawn again.
//
// The picture is for the mouse and the eye. The list of steps beside it can do the same by keyboard.

import { h, svg } from "../dom.js";
import { t } from "../strings.js";
import { settingTitle } from "./settings.js";
import { curve, layout, size } from "./layout.js";

const least = 0.2, most = 2, margin = 8;

/**
 * @typedef {object} Actions
 * @property {(step: string | null, outcome?: string) => void} select
 * @property {(from: string, outcome: string, to: string) => void} connect
 * @property {(from: string, outcome: string) => void} connectNew An outcome was dropped where no step is.
 * @property {boolean} isFixed Whether nothing can be changed.
 */
export class Picture {
  #layout = null;
  #shape = "";
  #nodes = new Map();
  #edges = new Map();
  #ports = new Map();
  #scale = 1;
  #graph = null;
  #selection = { step: null, outcome: null };

  /** @param {Actions} actions */
  constructor(actions) {
    this.actions = actions;
    this.edgeLayer = svg("g", { class: "journey-edges" });
    this.nodeLayer = svg("g", { class: "journey-nodes" });
    this.portLayer = svg("g", { class: "journey-ports" });
    this.pull = svg("path", { class: "journey-pull", hidden: true });
    this.begin = svg("g", { class: "journey-begin", hidden: true }, svg("path", { d: "M0 -26 V -6" }),
      svg("circle", { cx: 0, cy: -30, r: 6 }));
    this.svg = svg("svg", { class: "journey-picture", role: "img", "aria-label": t("journeys.picture_label") },
      svg("defs", null, this.#arrow("journey-arrow"), this.#arrow("journey-arrow-passed")),
      this.edgeLayer, this.begin, this.nodeLayer, this.portLayer, this.pull);
    this.area = h("div",
      { class: "journey-area", tabindex: "0", role: "group", "aria-label": t("journeys.picture_area") }, this.svg);
    this.element = h("div", { class: "journey-view" }, this.area, this.#tools());
    this.#listen();
  }

  #arrow(id) {
    return svg("marker", { id, viewBox: "0 0 10 10", refX: 9, refY: 5, markerWidth: 11, markerHeight: 11,
      markerUnits: "userSpaceOnUse", orient: "auto-start-reverse" }, svg("path", { d: "M0 0 L10 5 L0 10 Z" }));
  }

  #tools() {
    const button = (key, text, action) => h("button", { type: "button", class: "button button-secondary button-small",
      "aria-label": t(key), title: t(key), onclick: action }, text);
    return h("div", { class: "journey-zoom", role: "group", "aria-label": t("journeys.zoom") },
      button("journeys.zoom_in", "+", () => this.zoom(this.#scale * 1.25)),
      button("journeys.zoom_out", "−", () => this.zoom(this.#scale / 1.25)),
      button("journeys.zoom_fit", "⤢", () => this.fit()));
  }

  // MARK: Drawing

  /**
   * Draws a graph, with what is told about its steps.
   *
   * @param {ReturnType<import("./graph.js").graphOf>} graph
   * @param {{problems: Map<string, "error" | "warning">, passed: Set<string>, at: string | null}} marks
   */
  draw(graph, marks) {
    this.#graph = graph;
    // Names of steps have no spaces, and outcomes have no line breaks.
    const shape = JSON.stringify(
      [graph.start, graph.nodes.map((node) => [node.id, node.ways.map((way) => [way.id, way.to, way.returns])])]);
    if (shape !== this.#shape) { this.#shape = shape; this.#layout = layout(graph); this.#resize(); }
    const place = this.#layout;
    keep(this.#nodes, graph.nodes, this.nodeLayer, (node) => this.#node(node),
      (item, node) => this.#place(item, node, place.nodes.get(node.id), marks));
    keep(this.#edges, graph.edges, this.edgeLayer, (edge) => this.#edge(edge),
      (item, edge) => this.#route(item, edge, place.edges.get(edge.id), marks));
    const ports = this.actions.isFixed ? [] : graph.nodes.flatMap((node) => node.ways.map((way) => {
      // An outcome that goes back to its loop can be led elsewhere, too.
      return { id: `${node.id} ${way.id}`, from: node.id, outcome: way.id, isOpen: !way.to && !way.returns.length,
        required: way.required, at: portPlace(place, node.id, way) };
    }).filter((port) => port.at));
    keep(this.#ports, ports, this.portLayer, (port) => this.#port(port), (item, port) => {
      set(item, "transform", `translate(${port.at.x} ${port.at.y})`);
      const text = item.children[2];
      set(text, "y", 20 + port.at.row * 13);
      write(text, port.isOpen ? shortened(port.outcome, 14) : "");
      set(item, "class",
        `journey-port${port.isOpen ? " journey-port-open" : ""}${
          port.isOpen && port.required ? " journey-port-required" : ""}`);
    });
    const start = graph.start === null ? null : place.nodes.get(graph.start);
    if (start) set(this.begin, "transform", `translate(${start.x} ${start.y - size.height / 2})`);
    this.begin.toggleAttribute("hidden", !start);
    this.#mark();
  }

  #node(node) {
    const item = svg("g", { class: "journey-node", "data-step": node.id },
      svg("rect", { x: -size.width / 2, y: -size.height / 2, width: size.width, height: size.height, rx: 8 }),
      svg("text", { class: "journey-name", y: -3 }), svg("text", { class: "journey-type", y: 16 }),
      svg("g", { class: "journey-badge", transform: `translate(${size.width / 2 - 6} ${-size.height / 2 + 6})` },
        svg("circle", { r: 9 }), svg("text", { y: 4 }, "!")),
      svg("title"));
    return item;
  }

  #place(item, node, { x, y }, marks) {
    set(item, "transform", `translate(${x} ${y})`);
    const [box, name, type, badge, title] = item.children, problem = marks.problems.get(node.id);
    set(item, "data-role", node.role);
    set(item, "data-problem", problem ?? "");
    set(item, "data-passed", marks.passed.has(node.id) ? "yes" : "");
    set(item, "data-at", marks.at === node.id ? "yes" : "");
    set(box, "rx", node.role === "client" ? 26 : node.role === "flow" ? 2 : 8);
    badge.toggleAttribute("hidden", !problem);
    write(name, shortened(node.label, 22));
    write(type, shortened(settingTitle(node.type), 27));
    write(title, `${node.label} (${node.type})`);
  }

  #edge(edge) {
    return svg("g", { class: "journey-edge", "data-from": edge.from, "data-outcome": edge.outcome },
      svg("path", { class: "journey-hit" }), svg("path", { class: "journey-line" }),
      svg("text", { class: "journey-outcome" }), svg("title"));
  }

  #route(item, edge, route, marks) {
    const [hit, line, text, title] = item.children, d = curve(route);
    set(hit, "d", d);
    set(line, "d", d);
    const isPassed = marks.passed.has(`${edge.from} ${edge.outcome}`);
    set(line, "marker-end", `url(#${isPassed ? "journey-arrow-passed" : "journey-arrow"})`);
    set(item, "data-return", edge.isReturn ? "yes" : "");
    set(item, "data-passed", isPassed ? "yes" : "");
    const [x, y] = route.points[0], lower = route.row * 13;
    set(text, "x", route.isSelf ? x + 30 : x);
    set(text, "y", route.isSelf ? y + 14 : route.isBack ? y - 10 - lower : y + 20 + lower);
    write(text, shortened(edge.outcome, 18));
    write(title, t(edge.isReturn ? "journeys.edge_return" : "journeys.edge", edge));
  }

  #port(port) {
    return svg("g", { class: "journey-port", "data-from": port.from, "data-outcome": port.outcome },
      svg("circle", { r: 11, class: "journey-hit" }), svg("circle", { r: 5 }), svg("text"),
      svg("title", null, t("journeys.port", port)));
  }

  #resize() {
    const { width, height } = this.#layout;
    set(this.svg, "viewBox", `0 0 ${width} ${height}`);
    set(this.svg, "width", Math.round(width * this.#scale));
    set(this.svg, "height", Math.round(height * this.#scale));
  }

  // MARK: Selection

  /** Marks a step or one of its outcomes, and scrolls to it. */
  select(step, outcome = null, { reveals = true } = {}) {
    this.#selection = { step, outcome };
    this.#mark();
    if (reveals && step !== null) this.reveal(step);
  }

  #mark() {
    const { step, outcome } = this.#selection;
    for (const [id, item] of this.#nodes) item.classList.toggle("journey-selected", id === step);
    for (const item of this.#edges.values()) item.classList.toggle("journey-selected",
      item.dataset.from === step && (outcome === null || item.dataset.outcome === outcome));
  }

  /** Scrolls so that a step is visible. */
  reveal(step) {
    const place = this.#layout?.nodes.get(step), { area } = this, scale = this.#scale;
    if (!place) return;
    const edge = (at, half, start, length) => at * scale - half < start ? at * scale - half : at * scale + half > start
      + length ? at * scale + half - length : start;
    const left = edge(place.x, (size.width / 2 + margin) * scale, area.scrollLeft, area.clientWidth);
    const top = edge(place.y, (size.height / 2 + 40) * scale, area.scrollTop, area.clientHeight);
    if (left !== area.scrollLeft || top !== area.scrollTop) area.scrollTo(left, top);
  }

  // MARK: Zoom and pan

  /** Changes the scale around the middle of what is visible, or around a point of the area. */
  zoom(scale, point = [this.area.clientWidth / 2, this.area.clientHeight / 2]) {
    const { area } = this, before = this.#scale, [x, y] = [area.scrollLeft + point[0], area.scrollTop + point[1]];
    this.#scale = Math.min(most, Math.max(least, scale));
    this.#resize();
    area.scrollTo((x * this.#scale) / before - point[0], (y * this.#scale) / before - point[1]);
  }

  /** Shows the whole picture. */
  fit() {
    const { width, height } = this.#layout ?? {};
    if (width) this.zoom(Math.min(1, (this.area.clientWidth - 4) / width, (this.area.clientHeight - 4) / height));
  }

  /** Shows what fits at first: the whole picture if it stays readable, otherwise its beginning. */
  open() {
    const { width, height } = this.#layout ?? {}, { area } = this, start = this.#layout?.nodes.get(this.#graph.start);
    if (!width || !area.clientWidth) return;
    if (Math.min(area.clientWidth / width, area.clientHeight / height) >= 0.6) this.fit();
    else if (start) area.scrollTo(start.x * this.#scale - area.clientWidth / 2, 0);
  }

  #listen() {
    const { area } = this;
    area.addEventListener("wheel", (event) => {
      if (!event.ctrlKey) return;
      event.preventDefault();
      const box = area.getBoundingClientRect();
      this.zoom(this.#scale * Math.exp(-event.deltaY / 300), [event.clientX - box.left, event.clientY - box.top]);
    }, { passive: false });
    area.addEventListener("keydown", (event) => {
      if (event.target !== area || event.ctrlKey || event.altKey || event.metaKey) return;
      if (event.key === "+" || event.key === "=") this.zoom(this.#scale * 1.25);
      else if (event.key === "-") this.zoom(this.#scale / 1.25);
      else if (event.key === "0") this.fit();
      else return;
      event.preventDefault();
    });
    this.svg.addEventListener("pointerdown", (event) => {
      if (event.button) return;
      const port = event.target.closest(".journey-port"), node = event.target.closest(".journey-node"),
        edge = event.target.closest(".journey-edge");
      if (port) this.#drag(event, port.dataset.from, port.dataset.outcome);
      else if (node) this.actions.select(node.dataset.step);
      else if (edge) this.actions.select(edge.dataset.from, edge.dataset.outcome);
      else this.#pan(event);
    });
  }

  #pan(event) {
    const { area } = this, [left, top] = [area.scrollLeft + event.clientX, area.scrollTop + event.clientY];
    this.#follow(event, (move) => area.scrollTo(left - move.clientX, top - move.clientY), () => {});
  }

  /** Draws a line from an outcome to the mouse until the button is released. */
  #drag(event, from, outcome) {
    event.preventDefault();
    this.actions.select(from, outcome);
    const way = this.#graph.nodes.find((node) => node.id === from)?.ways.find((one) => one.id === outcome),
      start = way && portPlace(this.#layout, from, way);
    if (!start) return;
    let over = null, moved = false;
    const mark = (step) => {
      if (over !== null) this.#nodes.get(over)?.classList.remove("journey-target");
      over = step;
      if (over !== null) this.#nodes.get(over)?.classList.add("journey-target");
    };
    this.#follow(event, (move) => {
      const [x, y] = this.#point(move);
      moved ||= Math.hypot(x - start.x, y - start.y) > 12;
      set(this.pull, "d", `M${start.x} ${start.y} L${x} ${y}`);
      this.pull.removeAttribute("hidden");
      mark(this.#stepAt(x, y));
    }, (isDone) => {
      const to = over;
      mark(null);
      this.pull.setAttribute("hidden", "");
      if (!isDone || !moved) return;
      if (to !== null) this.actions.connect(from, outcome, to); else this.actions.connectNew(from, outcome);
    });
  }

  #follow(event, move, end) {
    const { svg: picture } = this;
    picture.setPointerCapture(event.pointerId);
    const controller = new AbortController(), options = { signal: controller.signal };
    const finish = (isDone) => { controller.abort(); end(isDone); };
    picture.addEventListener("pointermove", move, options);
    picture.addEventListener("pointerup", () => finish(true), options);
    picture.addEventListener("pointercancel", () => finish(false), options);
    document.addEventListener("keydown", (key) => { if (key.key === "Escape") finish(false); }, options);
  }

  /** A point of the page in the units of the picture. */
  #point(event) {
    const box = this.svg.getBoundingClientRect();
    return [(event.clientX - box.left) / this.#scale, (event.clientY - box.top) / this.#scale];
  }

  #stepAt(x, y) {
    for (const node of this.#graph.nodes) {
      const place = this.#layout.nodes.get(node.id);
      if (Math.abs(place.x - x) <= size.width / 2 && Math.abs(place.y - y) <= size.height / 2) return node.id;
    }
    return null;
  }

  /** The center of a step on the page, for tests. */
  get places() { return this.#layout?.nodes ?? new Map(); }
}

/** The place of an outcome's dot: where its edge begins, or its own. */
function portPlace(place, step, way) {
  const id = `${step} ${way.id}`, edge = place.edges.get(way.returns.length ? `${id} ${way.returns[0]}` : id);
  return place.ports.get(id) ?? (edge && { x: edge.points[0][0], y: edge.points[0][1], row: edge.row });
}

/** Keeps an element for each item, made once and updated each time, and removes the others. */
function keep(known, items, parent, make, update) {
  const seen = new Set();
  for (const item of items) {
    seen.add(item.id);
    let element = known.get(item.id);
    if (!element) { element = make(item); known.set(item.id, element); parent.append(element); }
    update(element, item);
  }
  for (const [id, element] of known) if (!seen.has(id)) { element.remove(); known.delete(id); }
}

/** Sets an attribute if it differs: reading is cheaper than a new layout. */
function set(element, name, value) {
  const text = String(value);
  if (element.getAttribute(name) !== text) element.setAttribute(name, text);
}

function write(element, text) { if (element.textContent !== text) element.textContent = text; }

function shortened(text, length) { return text.length > length ? `${text.slice(0, length - 1)}…` : text; }
