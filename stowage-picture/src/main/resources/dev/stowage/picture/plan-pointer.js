/* What pointers, wheel and keys do to a panel: drag, pinch, zoom, point at, choose. */

class Pointer {
  constructor(panel) {
    this.panel = panel;
    this.page = panel.page;
    this.down = new Map();
    this.moved = 0;
    const { canvas, strip } = panel;
    canvas.addEventListener("wheel", (event) => this.wheel(event), { passive: false });
    canvas.addEventListener("pointerdown", (event) => this.press(event));
    canvas.addEventListener("pointermove", (event) => this.move(event));
    canvas.addEventListener("pointerup", (event) => this.release(event));
    canvas.addEventListener("pointercancel", (event) => this.release(event));
    canvas.addEventListener("pointerleave", () => this.leave());
    canvas.addEventListener("dblclick", (event) => {
      const tensor = panel.tensorAt(event.offsetX, event.offsetY);
      if (tensor) this.page.focusOn(tensor);
    });
    canvas.addEventListener("keydown", (event) => this.key(event));
    strip.addEventListener("pointerdown", (event) => {
      strip.setPointerCapture(event.pointerId);
      this.centre(event.offsetX);
    });
    strip.addEventListener("pointermove", (event) => {
      if (event.buttons > 0) this.centre(event.offsetX);
    });
  }

  wheel(event) {
    event.preventDefault();
    this.page.stop();
    // Lines and pages, as some mice count, in pixels.
    const unit = [1, 16, 400][event.deltaMode] ?? 1;
    const dx = event.deltaX * unit;
    const dy = event.deltaY * unit;
    if (Math.abs(dx) > Math.abs(dy) && !event.shiftKey) {
      this.panel.pan(-dx, 0);
      return;
    }
    // With Shift, browsers report vertical scrolling of the wheel as horizontal.
    const delta = Math.max(-240, Math.min(240, event.shiftKey ? dx + dy : dy));
    const speed = event.ctrlKey ? 0.01 : 0.0022;
    this.panel.zoom(Math.exp(-delta * speed), event.offsetX, event.offsetY, event.shiftKey);
    this.point(event);
  }

  press(event) {
    this.panel.canvas.setPointerCapture(event.pointerId);
    this.page.stop();
    this.down.set(event.pointerId, [event.offsetX, event.offsetY]);
    this.moved = this.down.size > 1 ? Infinity : 0;
  }

  move(event) {
    const before = this.down.get(event.pointerId);
    if (!before) {
      this.point(event);
      return;
    }
    const now = [event.offsetX, event.offsetY];
    const dx = now[0] - before[0];
    const dy = now[1] - before[1];
    this.moved += Math.abs(dx) + Math.abs(dy);
    if (this.moved <= 4) return;
    this.page.tip(null);
    this.panel.plot.classList.add("dragged");
    if (this.down.size === 1) {
      this.panel.pan(dx, dy);
    } else {
      this.pinch(event.pointerId, before, now);
    }
    this.down.set(event.pointerId, now);
  }

  /** Zooms by how much farther two fingers are apart, around the point between them. */
  pinch(id, before, now) {
    const [, other] = [...this.down].find(([each]) => each !== id);
    const apart = (point) => Math.hypot(point[0] - other[0], point[1] - other[1]);
    const factor = Math.max(apart(now), 1) / Math.max(apart(before), 1);
    this.panel.zoom(factor, (now[0] + other[0]) / 2, (now[1] + other[1]) / 2);
    this.panel.pan((now[0] - before[0]) / 2, (now[1] - before[1]) / 2);
  }

  release(event) {
    const clicked = this.down.delete(event.pointerId) && this.moved <= 4 && event.type === "pointerup";
    if (this.down.size === 0) this.panel.plot.classList.remove("dragged");
    if (clicked) this.page.select(this.panel.tensorAt(event.offsetX, event.offsetY));
  }

  point(event) {
    const tensor = this.panel.tensorAt(event.offsetX, event.offsetY);
    this.page.hover(tensor);
    this.page.tip(tensor, event.clientX, event.clientY);
    this.panel.sayCursor(event.offsetX);
  }

  leave() {
    this.page.hover(null);
    this.page.tip(null);
    this.panel.sayCursor(-1);
  }

  key(event) {
    const { panel } = this;
    const steps = {
      ArrowLeft: [0.15 * panel.width, 0],
      ArrowRight: [-0.15 * panel.width, 0],
      ArrowUp: [0, 0.15 * panel.height],
      ArrowDown: [0, -0.15 * panel.height],
      PageUp: [0.8 * panel.width, 0],
      PageDown: [-0.8 * panel.width, 0],
    };
    if (event.key in steps) {
      this.page.stop();
      panel.pan(...steps[event.key]);
      event.preventDefault();
    } else if (event.key === "Home") {
      this.page.reset();
      event.preventDefault();
    }
  }

  /** Brings a point of the strip into the middle of what is shown. */
  centre(x) {
    this.page.stop();
    const { time, plan } = this.page;
    const slot = ((x - LEFT) / this.panel.width) * plan.slots;
    const half = (time.last - time.first) / 2;
    this.page.showTime(slot - half, slot + half);
    this.page.redraw();
  }
}
