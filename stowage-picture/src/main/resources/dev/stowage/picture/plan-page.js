/*
 * The page: what is shown, searched and chosen, and how keys and pointers change that. Everything is drawn anew on any
 * change, once per frame at most.
 */

/** Makes an element with attributes and children; text is never read as markup. */
function element(name, attributes, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value !== "") made.setAttribute(key, value);
  }
  made.append(...children);
  return made;
}

function swatch(kind) {
  const made = element("span", { class: `swatch ${kind}`, "aria-hidden": "true" });
  if (kind !== "view") made.style.background = `var(--${kind === "fixed" ? "rule" : kind})`;
  return made;
}

class Page {
  constructor(plan) {
    this.plan = plan;
    this.time = { first: 0, last: plan.slots };
    this.hovered = null;
    this.selected = null;
    this.chain = new Set();
    /** The tensors searched for; null while nothing is. */
    this.matches = null;
    this.frame = 0;
    this.animation = 0;
    this.resized = new ResizeObserver(() => this.redraw());
    this.readColours();
    this.panels = plan.panels.map((data) => new Panel(this, data));
    this.table = new Table(this);
    this.build();
    this.listen();
    this.showDetails();
    this.search();
  }

  build() {
    const { plan } = this;
    const placed = plan.tensors.filter((tensor) => tensor.panel >= 0);
    const views = placed.filter((tensor) => tensor.kind === "view").length;
    document.getElementById("subtitle").textContent =
      `${grouped(placed.length - views)} tensors and ${grouped(views)} views over ${grouped(plan.nodes)} nodes, ` +
      `planned by '${plan.planner}'`;
    const ratio = plan.lowerBound > 0 ? plan.size / plan.lowerBound : 1;
    document.getElementById("figures").append(
      figure("Plan", sizeText(plan.size), "solid", "--plan"),
      figure("Lower bound", sizeText(plan.lowerBound), "dashed", "--bound"),
      figure("Ratio", ratio.toFixed(3)),
      figure("Without reuse", sizeText(plan.sumOfSizes)),
    );
    document.getElementById("legend").append(...legend());
    const holder = document.getElementById("panels");
    holder.replaceChildren(...this.panels.map((panel) => panel.element));
    if (this.panels.length === 0) holder.append(element("p", { class: "empty" }, "This plan needs no memory."));
  }

  listen() {
    const by = (id) => document.getElementById(id);
    this.field = by("search");
    this.atPeak = by("at-peak");
    this.field.addEventListener("input", () => this.search());
    this.field.addEventListener("keydown", (event) => {
      if (event.key === "Enter") this.nextMatch(event.shiftKey ? -1 : 1);
    });
    this.atPeak.addEventListener("change", () => this.search());
    by("zoom-in").addEventListener("click", () => this.zoomAll(1.6));
    by("zoom-out").addEventListener("click", () => this.zoomAll(1 / 1.6));
    by("reset").addEventListener("click", () => this.reset());
    document.addEventListener("keydown", (event) => this.key(event));
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
      this.readColours();
      this.redraw();
    });
  }

  key(event) {
    const typing = event.target === this.field;
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "Escape") {
      if (typing || this.matches) {
        this.field.value = "";
        this.atPeak.checked = false;
        this.search();
      }
      this.select(null);
    } else if (event.key === "/" && !typing) {
      this.field.focus();
      this.field.select();
      event.preventDefault();
    } else if (!typing && (event.key === "+" || event.key === "=")) {
      this.zoomAll(1.6);
    } else if (!typing && (event.key === "-" || event.key === "_")) {
      this.zoomAll(1 / 1.6);
    } else if (!typing && event.key === "0") {
      this.reset();
    }
  }

  // What is shown

  /** Shows a stretch of time, kept within what there is. */
  showTime(first, last) {
    const span = Math.min(Math.max(last - first, NARROWEST), this.plan.slots);
    this.time.first = Math.min(Math.max(first, 0), this.plan.slots - span);
    this.time.last = this.time.first + span;
  }

  /** Zooms the time by a factor around a slot, which stays where it is. */
  zoomTime(factor, slot) {
    const { first, last } = this.time;
    const span = Math.min(Math.max((last - first) / factor, NARROWEST), this.plan.slots);
    const left = slot - ((slot - first) / (last - first)) * span;
    this.showTime(left, left + span);
  }

  /** Zooms around the middle: the panel that has the focus, or all of them. */
  zoomAll(factor) {
    this.stop();
    this.zoomTime(factor, (this.time.first + this.time.last) / 2);
    const focused = this.panels.filter((panel) => panel.canvas === document.activeElement);
    for (const panel of focused.length > 0 ? focused : this.panels) {
      panel.zoomAddresses(factor, (panel.low + panel.high) / 2);
    }
    this.redraw();
  }

  reset() {
    this.glide(0, this.plan.slots, this.panels.map((panel) => [panel, 0, panel.top]));
  }

  /** Chooses a tensor and brings it into the middle, with something of its surroundings. */
  focusOn(tensor) {
    this.select(tensor);
    const panel = this.panels[tensor.panel];
    if (!panel) return;
    const slots = Math.max((tensor.end - tensor.start) * 1.8, Math.min(60, this.plan.slots));
    const middle = (tensor.start + tensor.end) / 2;
    const bytes = Math.min(Math.max(tensor.size * 3, panel.top / 200), panel.top);
    const centre = tensor.offset + tensor.size / 2;
    panel.element.scrollIntoView({ block: "nearest" });
    this.glide(middle - slots / 2, middle + slots / 2, [[panel, centre - bytes / 2, centre + bytes / 2]]);
  }

  /** Moves what is shown to stretches of time and addresses, smoothly unless the reader wants no motion. */
  glide(first, last, addresses) {
    this.stop();
    const before = { ...this.time };
    const starts = addresses.map(([panel]) => [panel.low, panel.high]);
    // Kept within bounds first, so that the way there is straight.
    this.showTime(first, last);
    const after = { ...this.time };
    const ends = addresses.map(([panel, low, high]) => {
      panel.showAddresses(low, high);
      return [panel.low, panel.high];
    });
    const show = (share) => {
      const between = (a, b) => a + (b - a) * share;
      this.time = { first: between(before.first, after.first), last: between(before.last, after.last) };
      addresses.forEach(([panel], i) => {
        panel.low = between(starts[i][0], ends[i][0]);
        panel.high = between(starts[i][1], ends[i][1]);
      });
      this.redraw();
    };
    const calm = matchMedia("(prefers-reduced-motion: reduce)").matches;
    const began = performance.now();
    const step = (now) => {
      const share = calm ? 1 : Math.min(Math.max((now - began) / 220, 0), 1);
      show(1 - (1 - share) ** 3);
      this.animation = share < 1 ? requestAnimationFrame(step) : 0;
    };
    step(began);
  }

  stop() {
    cancelAnimationFrame(this.animation);
    this.animation = 0;
  }

  redraw() {
    if (this.frame === 0) {
      this.frame = requestAnimationFrame(() => {
        this.frame = 0;
        this.panels.forEach((panel) => panel.draw());
      });
    }
  }

  // What is searched for

  /** Looks for all words of the search field, in names, ops and types; faded is what lacks one. */
  search() {
    const words = this.field.value.toLowerCase().split(/\s+/).filter((word) => word !== "");
    const peakOnly = this.atPeak.checked;
    const output = document.getElementById("matches");
    this.matches = null;
    output.textContent = "";
    if (words.length > 0 || peakOnly) {
      const found = this.plan.tensors.filter(
        (tensor) =>
          tensor.panel >= 0 &&
          words.every((word) => tensor.searched.includes(word)) &&
          (!peakOnly || isLiveAtPeak(this.plan, tensor)),
      );
      this.matches = new Set(found);
      output.textContent = found.length === 1 ? "1 tensor found" : `${grouped(found.length)} tensors found`;
    }
    output.classList.toggle("found", this.matches !== null && this.matches.size > 0);
    this.table.limit = ROWS_AT_ONCE;
    this.table.fill();
    this.redraw();
  }

  isFaded(tensor) {
    return this.matches !== null && !this.matches.has(tensor);
  }

  nextMatch(step) {
    if (!this.matches || this.matches.size === 0) return;
    const found = [...this.matches];
    const at = found.indexOf(this.selected);
    const next = at < 0 ? (step > 0 ? 0 : found.length - 1) : (at + step + found.length) % found.length;
    this.focusOn(found[next]);
  }

  // What is pointed at and chosen

  hover(tensor) {
    if (tensor === this.hovered) return;
    this.hovered = tensor;
    this.mark();
  }

  select(tensor) {
    this.selected = tensor;
    this.showDetails();
    this.table.markSelected();
    this.mark();
  }

  mark() {
    const marked = this.hovered ?? this.selected;
    const chain = marked ? chainOf(this.plan, marked) : [];
    this.chain = new Set(chain.length > 1 ? chain : []);
    this.redraw();
  }

  showDetails() {
    const holder = document.getElementById("details");
    holder.replaceChildren(...(this.selected ? this.described(this.selected, "h2", true) : hint()));
  }

  /** A heading and the facts of a tensor; tensors named there can be chosen where that is of use. */
  described(tensor, heading, choosable) {
    const facts = element("dl", { class: "facts" });
    for (const [term, value] of factsOf(this.plan, tensor)) {
      const text = Array.isArray(value) ? this.names(value, choosable) : [value];
      facts.append(element("dt", {}, term), element("dd", {}, ...text));
    }
    return [element(heading, {}, swatch(tensor.kind), element("span", {}, tensor.name)), facts];
  }

  names(tensors, choosable) {
    const most = choosable ? 40 : 3;
    const parts = tensors.slice(0, most).flatMap((tensor, i) => {
      const text = tensor.op ? `${tensor.name} (${tensor.op})` : tensor.name;
      const link = choosable ? element("button", { type: "button", class: "link" }, text) : text;
      if (choosable) link.addEventListener("click", () => this.focusOn(tensor));
      return i === 0 ? [link] : [", ", link];
    });
    return tensors.length > most ? [...parts, ` and ${grouped(tensors.length - most)} more`] : parts;
  }

  /** Shows what is known of a tensor at the pointer, on the side where there is room. */
  tip(tensor, x, y) {
    const tip = document.getElementById("tip");
    tip.hidden = tensor === null;
    if (tensor === null) return;
    if (this.tipped !== tensor) {
      tip.replaceChildren(...this.described(tensor, "h3", false));
      this.tipped = tensor;
    }
    const left = x + 16 + tip.offsetWidth > innerWidth ? x - 14 - tip.offsetWidth : x + 16;
    const top = y + 18 + tip.offsetHeight > innerHeight ? y - 12 - tip.offsetHeight : y + 18;
    tip.style.left = `${Math.max(4, left)}px`;
    tip.style.top = `${Math.max(4, top)}px`;
  }

  // Colours

  readColours() {
    const style = getComputedStyle(document.documentElement);
    const names = [
      "surface", "ink", "muted", "rule", "grid", "accent", "computed", "inPlace", "input", "output", "label", "plan",
      "bound", "match", "profile", "shade",
    ];
    this.colours = Object.fromEntries(names.map((name) => [name, style.getPropertyValue(`--${name}`).trim()]));
    this.hatch = hatching(this.colours.label);
  }
}

/** Slanted lines, as a pattern to fill with. */
function hatching(colour) {
  const tile = element("canvas", { width: 6, height: 6 });
  const context = tile.getContext("2d");
  context.strokeStyle = colour;
  context.lineWidth = 1;
  context.beginPath();
  // Each line again on both sides, so that the tiles join.
  for (const shift of [-6, 0, 6]) {
    context.moveTo(shift - 1, 7);
    context.lineTo(shift + 7, -1);
  }
  context.stroke();
  return context.createPattern(tile, "repeat");
}

function figure(term, value, line, colour) {
  const name = element("dt", {}, term);
  if (line) {
    name.style.setProperty("--line-style", line);
    name.style.setProperty("--line-colour", `var(${colour})`);
  }
  return element("div", {}, name, element("dd", {}, value));
}

function legend() {
  const entries = [
    ["computed", '<rect width="22" height="12" rx="2" fill="var(--computed)"/>'],
    [
      "in place of its operand",
      '<rect width="10" height="12" rx="2" fill="var(--computed)"/>' +
        '<rect x="11" width="11" height="12" rx="2" fill="var(--inPlace)"/>' +
        '<path d="M4 6H18" stroke="var(--label)"/><circle cx="11" cy="6" r="2.5" fill="var(--label)"/>',
    ],
    ["input", '<rect width="22" height="12" rx="2" fill="var(--input)"/>'],
    ["output", '<rect width="22" height="12" rx="2" fill="var(--output)"/>'],
    [
      "view",
      '<rect width="22" height="12" rx="2" fill="var(--computed)"/>' +
        '<path d="M3 9.5V2.500H19V9.500ZM5 9.500L12 2.500M10 9.500L17 2.500" stroke="var(--label)" fill="none"/>',
    ],
    ["most live", '<path d="M11 0V12" stroke="var(--bound)" stroke-width="2" stroke-dasharray="2 2"/>'],
  ];
  return entries.map(([name, drawing]) => {
    const entry = element("li", {}, name);
    entry.insertAdjacentHTML("afterbegin", `<svg width="22" height="12" aria-hidden="true">${drawing}</svg>`);
    return entry;
  });
}

function hint() {
  const parts = [
    "Point at a rectangle to learn what it is; click to keep it here. Wheel or pinch zooms (",
    element("kbd", {}, "Shift"),
    " in time only), dragging moves, a double click goes to a tensor. Keys: arrows, ",
    element("kbd", {}, "+"),
    " ",
    element("kbd", {}, "−"),
    " ",
    element("kbd", {}, "0"),
    ", ",
    element("kbd", {}, "/"),
    " to search, ",
    element("kbd", {}, "Enter"),
    " for the next one found, ",
    element("kbd", {}, "Esc"),
    ".",
  ];
  return [element("p", { class: "hint" }, ...parts)];
}

new Page(readPlan(document.getElementById("plan").textContent));
