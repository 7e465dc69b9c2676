/*
 * One panel: a chunk of a buffer, drawn on a canvas, with the whole of its time in a strip below. All panels show the
 * same stretch of time, each its own stretch of addresses.
 */

const LEFT = 74;
const BOTTOM = 24;
const RIGHT = 14;
const HEADROOM = 1.1; // above the line of the plan, for its label
const NARROWEST = 4; // slots that are shown at least
const CHAIN_REACH = 24; // pixels a chain's line goes into either tensor
const LETTER = 6.3; // pixels, on average
const SMALL_FONT = "11px system-ui, sans-serif";
const LABEL_FONT = "11.5px system-ui, sans-serif";

class Panel {
  constructor(page, data) {
    this.page = page;
    this.plan = page.plan;
    this.data = data;
    this.top = data.size * HEADROOM;
    this.low = 0;
    this.high = this.top;
    this.build();
    this.measure();
    new Pointer(this);
    this.page.resized.observe(this.plot);
  }

  build() {
    const { data, plan } = this;
    this.range = element("p", { class: "range" });
    this.cursor = element("p", { class: "cursor" });
    this.canvas = element("canvas", {
      tabindex: "0",
      role: "img",
      "aria-label":
        `Memory of ${panelName(plan, data)} over time: ${grouped(data.tensors.length)} tensors in ` +
        `${sizeText(data.size)}, at most ${sizeText(data.mostLive)} live at once. ` +
        "Arrow keys move, plus and minus zoom, 0 shows everything; the table lists the tensors.",
    });
    this.strip = element("canvas", { "aria-hidden": "true" });
    this.plot = element("div", { class: "plot" }, this.canvas);
    const bound = data.chunks > 1 ? `; ${sizeText(data.lowerBound)} is the bound of all its chunks` : "";
    this.element = element(
      "article",
      { class: "panel" },
      element(
        "header",
        {},
        element("h2", {}, panelName(plan, data)),
        element("p", {}, `${sizeText(data.size)}, at most ${sizeText(data.mostLive)} live at once${bound}`),
        this.cursor,
        this.range,
      ),
      this.plot,
      element("div", { class: "overview" }, this.strip),
    );
  }

  // From slots and bytes to pixels and back

  /** Records the size of the plot, since asking the canvas for every rectangle would be slow. */
  measure() {
    this.width = Math.max(1, this.canvas.clientWidth - LEFT - RIGHT);
    this.height = Math.max(1, this.canvas.clientHeight - BOTTOM);
  }

  x(slot) {
    const { first, last } = this.page.time;
    return LEFT + ((slot - first) / (last - first)) * this.width;
  }

  y(address) {
    return this.height * (1 - (address - this.low) / (this.high - this.low));
  }

  slotAt(x) {
    const { first, last } = this.page.time;
    return first + ((x - LEFT) / this.width) * (last - first);
  }

  addressAt(y) {
    return this.low + (1 - y / this.height) * (this.high - this.low);
  }

  /** Where a tensor is on the canvas; never so thin that it could not be seen. */
  box(tensor) {
    const x = this.x(tensor.start);
    const bottom = this.y(tensor.offset);
    const top = this.y(tensor.offset + tensor.size);
    const height = Math.max(bottom - top, 1);
    return { x, y: bottom - height, width: Math.max(this.x(tensor.end) - x, 1), height };
  }

  /** The tensor at a point, a view before its source where both are shown; null where there is none. */
  tensorAt(x, y) {
    if (x < LEFT || y > this.height) return null;
    const isHit = (tensor) => {
      const box = this.box(tensor);
      return x >= box.x && x < box.x + box.width && y >= box.y && y < box.y + box.height;
    };
    const view = this.data.views.findLast((each) => isHit(each) && isRoomForView(this.box(each)));
    return view ?? this.data.tensors.find(isHit) ?? null;
  }

  // Zooming and panning

  showAddresses(low, high) {
    const least = Math.max(64, this.top / 1e7);
    const span = Math.min(Math.max(high - low, least), this.top);
    this.low = Math.min(Math.max((low + high - span) / 2, 0), this.top - span);
    this.high = this.low + span;
  }

  /** Zooms by a factor around a point of the canvas, which stays where it is. */
  zoom(factor, x, y, timeOnly = false) {
    this.page.zoomTime(factor, this.slotAt(x));
    if (!timeOnly) this.zoomAddresses(factor, this.addressAt(y));
    this.page.redraw();
  }

  zoomAddresses(factor, address) {
    this.showAddresses(address - (address - this.low) / factor, address + (this.high - address) / factor);
  }

  /** Moves what is shown by so many pixels. */
  pan(dx, dy) {
    const { first, last } = this.page.time;
    const slots = (-dx / this.width) * (last - first);
    const bytes = (dy / this.height) * (this.high - this.low);
    this.page.showTime(first + slots, last + slots);
    this.showAddresses(this.low + bytes, this.high + bytes);
    this.page.redraw();
  }

  // Drawing

  draw() {
    const context = prepared(this.canvas);
    if (!context) return;
    this.measure();
    this.context = context;
    this.colours = this.page.colours;
    context.save();
    context.beginPath();
    context.rect(LEFT, 0, this.width, this.height);
    context.clip();
    this.drawGrid();
    this.drawTensors();
    this.drawViews();
    this.drawChains();
    this.drawLabels();
    this.drawMarked();
    this.drawLines();
    context.restore();
    this.drawAxes();
    this.drawStrip();
    this.sayRange();
  }

  isOut(box) {
    return box.x > LEFT + this.width || box.x + box.width < LEFT || box.y > this.height || box.y + box.height < 0;
  }

  drawGrid() {
    const { context, colours } = this;
    context.fillStyle = colours.grid;
    for (const address of this.addressTicks()) context.fillRect(LEFT, Math.round(this.y(address)), this.width, 1);
  }

  drawTensors() {
    const { context, colours, page } = this;
    for (const tensor of this.data.tensors) {
      const box = this.box(tensor);
      if (this.isOut(box)) continue;
      // A hair of background between neighbours, where there is room for it.
      const gapX = box.width > 4 ? 1 : 0;
      const gapY = box.height > 4 ? 1 : 0;
      context.globalAlpha = page.isFaded(tensor) ? 0.16 : 1;
      context.fillStyle = colours[tensor.kind];
      context.fillRect(box.x, box.y, box.width - gapX, box.height - gapY);
    }
    context.globalAlpha = 1;
  }

  drawViews() {
    const { context, colours, page } = this;
    context.lineWidth = 1;
    for (const view of this.data.views) {
      const box = this.box(view);
      if (this.isOut(box) || !isRoomForView(box)) continue;
      context.globalAlpha = page.isFaded(view) ? 0.12 : 0.8;
      context.fillStyle = page.hatch;
      context.strokeStyle = colours.label;
      const inset = Math.min(2.5, box.width / 6, box.height / 6);
      const width = box.width - 1 - 2 * inset;
      const height = box.height - 1 - 2 * inset;
      context.fillRect(box.x + inset, box.y + inset, width, height);
      if (width > 6 && height > 6) context.strokeRect(box.x + inset, box.y + inset, width, height);
    }
    context.globalAlpha = 1;
  }

  /** A line from each operand to the result that took its place, with a bead where the one becomes the other. */
  drawChains() {
    const { context, colours, page } = this;
    for (const result of this.data.tensors) {
      const operand = this.plan.byId.get(result.inPlaceOf);
      if (!operand) continue;
      const box = this.box(result);
      const before = this.box(operand);
      const height = Math.min(box.height, before.height);
      if ((this.isOut(box) && this.isOut(before)) || height < 5) continue;
      const y = this.y(result.offset) - height / 2;
      const from = Math.max(before.x + before.width / 2, box.x - CHAIN_REACH);
      const to = Math.min(box.x + box.width / 2, box.x + CHAIN_REACH);
      context.globalAlpha = page.isFaded(result) && page.isFaded(operand) ? 0.2 : 1;
      context.strokeStyle = colours.label;
      context.fillStyle = colours.label;
      context.lineWidth = page.chain.has(result) && page.chain.has(operand) ? 2.5 : 1.2;
      context.beginPath();
      context.moveTo(from, y);
      context.lineTo(to, y);
      context.stroke();
      if (to - from > 6) {
        context.beginPath();
        context.arc(box.x, y, Math.min(3, height / 3), 0, 2 * Math.PI);
        context.fill();
      }
    }
    context.globalAlpha = 1;
  }

  drawLabels() {
    const { context, colours, page } = this;
    context.font = LABEL_FONT;
    context.textBaseline = "alphabetic";
    context.textAlign = "left";
    for (const tensor of this.data.tensors) {
      const box = this.box(tensor);
      if (box.width < 34 || box.height < 14 || this.isOut(box) || page.isFaded(tensor)) continue;
      // What is shown of it, so that a label stays in sight when its tensor is larger than the panel.
      const left = Math.max(box.x, LEFT);
      const width = Math.min(this.firstView(tensor, left) ?? box.x + box.width, LEFT + this.width) - left - 8;
      const top = Math.max(box.y, 0);
      const height = Math.min(box.y + box.height, this.height) - top;
      if (width < 26 || height < 14) continue;
      // On a plate of its own colour, so that neither line nor hatching runs through the letters.
      const line = (text, y) => {
        context.fillStyle = colours[tensor.kind];
        context.fillRect(left + 2, y - 11, Math.min(text.length * LETTER + 6, width + 4), 14);
        context.fillStyle = colours.label;
        context.fillText(text, left + 5, y, width);
      };
      line(fitted(tensor.name, width), top + 12);
      const size = sizeText(tensor.size);
      const second = [`${tensor.op} ${size}`.trim(), size].find((text) => text.length * LETTER <= width);
      if (height > 30 && second) line(second, top + 26);
    }
  }

  /** Where the first view in a tensor begins, if a label fits before it. */
  firstView(tensor, left) {
    const starts = tensor.views.filter((view) => view.end > view.start).map((view) => this.x(view.start));
    const first = Math.min(...starts);
    return first < Infinity && first - left > 60 ? first : undefined;
  }

  /** The outlines of what is found, pointed at or chosen. */
  drawMarked() {
    const { page, colours } = this;
    if (page.matches) {
      for (const tensor of [...this.data.tensors, ...this.data.views]) {
        if (page.matches.has(tensor)) this.outline(tensor, colours.match, 1.5);
      }
    }
    for (const tensor of page.chain) {
      if (tensor !== page.selected) this.outline(tensor, colours.ink, 1.5);
    }
    this.outline(page.hovered, colours.ink, 2);
    this.outline(page.selected, colours.ink, 3);
  }

  outline(tensor, colour, width) {
    if (!tensor || this.plan.panels[tensor.panel] !== this.data) return;
    const box = this.box(tensor);
    if (this.isOut(box)) return;
    this.context.strokeStyle = colour;
    this.context.lineWidth = width;
    this.context.strokeRect(box.x, box.y, box.width, box.height);
  }

  drawLines() {
    const { data, colours, context } = this;
    const slot = this.x(data.peakSlot + 0.5);
    context.setLineDash([2, 4]);
    context.strokeStyle = colours.bound;
    context.lineWidth = 1.2;
    context.beginPath();
    context.moveTo(slot, Math.max(this.y(data.mostLive), 0));
    context.lineTo(slot, this.height);
    context.stroke();
    const boundName = data.chunks > 1 ? "most live at once" : "lower bound";
    const tight = data.size - data.mostLive < data.size * 1e-9;
    if (!tight) this.level(data.mostLive, `${boundName} ${sizeText(data.mostLive)}`, colours.bound, [6, 4], true);
    const suffix = tight ? ` = ${boundName}` : "";
    this.level(data.size, `plan ${sizeText(data.size)}${suffix}`, colours.plan, [], false);
  }

  /** A line at an address, with its label above or below it on the right. */
  level(address, text, colour, dash, below) {
    const { context, colours } = this;
    const y = Math.round(this.y(address)) + 0.5;
    if (y < -1 || y > this.height) return;
    context.setLineDash(dash);
    context.strokeStyle = colour;
    context.lineWidth = 1.6;
    context.beginPath();
    context.moveTo(LEFT, y);
    context.lineTo(LEFT + this.width, y);
    context.stroke();
    context.setLineDash([]);
    context.font = `600 ${LABEL_FONT}`;
    context.textAlign = "right";
    const width = context.measureText(text).width;
    const right = LEFT + this.width - 8;
    const baseline = below || y < 18 ? y + 15 : y - 6;
    context.fillStyle = colours.surface;
    context.globalAlpha = 0.9;
    context.fillRect(right - width - 5, baseline - 12, width + 10, 16);
    context.globalAlpha = 1;
    context.fillStyle = colour;
    context.fillText(text, right, baseline);
    context.textAlign = "left";
  }

  addressTicks() {
    const step = niceStep((this.high - this.low) / Math.max(2, this.height / 52), 2);
    const ticks = [];
    for (let at = Math.ceil(this.low / step) * step; at <= this.high; at += step) ticks.push(at);
    return ticks;
  }

  drawAxes() {
    const { context, colours, plan } = this;
    context.font = SMALL_FONT;
    context.fillStyle = colours.muted;
    context.textAlign = "right";
    context.textBaseline = "middle";
    for (const address of this.addressTicks()) {
      const y = this.y(address);
      if (y > 5 && y < this.height - 3) context.fillText(tickText(address), LEFT - 8, y);
    }
    context.fillStyle = colours.rule;
    context.fillRect(LEFT - 1, 0, 1, this.height);
    context.fillRect(LEFT - 1, this.height, this.width + 1, 1);
    const { first, last } = this.page.time;
    const step = Math.max(1, niceStep((last - first) / Math.max(2, this.width / 90), 10));
    context.textAlign = "center";
    context.textBaseline = "top";
    for (let node = Math.max(0, Math.ceil((first - 1) / step) * step); node < plan.nodes; node += step) {
      const x = this.x(node + 1.5);
      if (x < LEFT + 14 || x > LEFT + this.width - 8) continue;
      context.fillStyle = colours.rule;
      context.fillRect(Math.round(x), this.height, 1, 5);
      context.fillStyle = colours.muted;
      context.fillText(grouped(node), x, this.height + 8);
    }
    context.textAlign = "right";
    context.fillStyle = colours.muted;
    context.fillText("node", LEFT - 8, this.height + 8);
    context.textBaseline = "alphabetic";
    context.textAlign = "left";
  }

  /** The bytes live over the whole time, and which part of it is shown above. */
  drawStrip() {
    const { data, plan, colours } = this;
    const context = prepared(this.strip);
    if (!context) return;
    const width = this.strip.clientWidth - LEFT - RIGHT;
    const height = this.strip.clientHeight;
    const x = (slot) => LEFT + (slot / plan.slots) * width;
    const y = (bytes) => height - (bytes / (data.size * 1.12)) * height;
    context.fillStyle = colours.profile;
    context.beginPath();
    context.moveTo(x(0), height);
    for (let slot = 0; slot < plan.slots; slot++) {
      context.lineTo(x(slot), y(data.profile[slot]));
      context.lineTo(x(slot + 1), y(data.profile[slot]));
    }
    context.lineTo(x(plan.slots), height);
    context.fill();
    context.fillStyle = colours.plan;
    context.fillRect(LEFT, Math.round(y(data.size)), width, 1);
    context.fillStyle = colours.bound;
    context.fillRect(x(data.peakSlot + 0.5) - 1, y(data.mostLive), 2, height);
    context.font = SMALL_FONT;
    context.fillStyle = colours.muted;
    context.textAlign = "right";
    context.fillText("live", LEFT - 8, height / 2 + 4);
    const { first, last } = this.page.time;
    if (last - first < plan.slots) {
      context.fillStyle = colours.shade;
      context.fillRect(LEFT, 0, x(first) - LEFT, height);
      context.fillRect(x(last), 0, LEFT + width - x(last), height);
      context.strokeStyle = colours.accent;
      context.lineWidth = 2;
      context.strokeRect(x(first), 1, Math.max(2, x(last) - x(first)), height - 2);
    }
  }

  sayRange() {
    const { first, last } = this.page.time;
    const from = Math.min(Math.max(Math.ceil(first) - 1, 0), this.plan.nodes);
    const to = Math.max(Math.min(Math.floor(last) - 2, this.plan.nodes - 1), 0);
    const high = Math.min(this.high, this.data.size);
    const whole = last - first >= this.plan.slots && this.high - this.low >= this.top;
    const text = whole
      ? `all ${grouped(this.plan.nodes)} nodes`
      : `nodes ${grouped(from)} to ${grouped(to)}, ${sizeText(this.low)} to ${sizeText(high)}`;
    if (this.range.textContent !== text) this.range.textContent = text;
  }

  /** Says in the panel's heading what is live at the node under the pointer. */
  sayCursor(x) {
    const slot = Math.floor(this.slotAt(x));
    const inside = x >= LEFT && x <= LEFT + this.width && slot >= 0 && slot < this.plan.slots;
    this.cursor.textContent = inside
      ? `${timeText(this.plan, slot - 1)}: ${sizeText(this.data.profile[slot])} live`
      : "";
  }
}

function isRoomForView(box) {
  return box.width >= 5 && box.height >= 5;
}

/** The canvas's context, cleared and as fine as the screen; null while the canvas has no size. */
function prepared(canvas) {
  const scale = window.devicePixelRatio || 1;
  const width = Math.round(canvas.clientWidth * scale);
  const height = Math.round(canvas.clientHeight * scale);
  if (width === 0 || height === 0) return null;
  if (canvas.width !== width || canvas.height !== height) {
    canvas.width = width;
    canvas.height = height;
  }
  const context = canvas.getContext("2d");
  context.setTransform(scale, 0, 0, scale, 0, 0);
  context.clearRect(0, 0, width, height);
  return context;
}

/** The next larger step people count in: 1, 2 or 5 times a power of ten, or a power of two. */
function niceStep(least, base) {
  const power = base ** Math.floor(Math.log(least) / Math.log(base));
  const steps = (base === 2 ? [1, 2] : [1, 2, 5, 10]).map((times) => times * power);
  return steps.find((step) => step >= least) ?? base * power;
}

function tickText(bytes) {
  return sizeText(bytes, 3).replace(/\.?0+ /, " ");
}

/** A text cut in its middle to fit a width; letters are taken to be as wide as on average, which is quick. */
function fitted(text, width) {
  const letters = Math.max(3, Math.floor(width / LETTER));
  if (text.length <= letters) return text;
  const tail = Math.floor((letters - 1) / 2);
  return `${text.slice(0, letters - 1 - tail)}…${text.slice(text.length - tail)}`;
}
