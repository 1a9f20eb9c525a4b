// A canvas as wide as there is room, sharp on any screen, drawn anew when its size changes or `redraw` is heard. Its
// label says in words what is drawn.

import { h } from "./dom";

export class Canvas {
  readonly canvas = h("canvas", {});
  readonly element = h("div", { class: "canvas" }, this.canvas);
  private readonly sizes: ResizeObserver;
  private readonly again = () => this.redraw();

  constructor(
    private readonly label: () => string,
    private readonly height: () => number,
    private readonly draw: (context: CanvasRenderingContext2D, width: number, height: number) => void,
  ) {
    this.canvas.setAttribute("role", "img");
    this.sizes = new ResizeObserver(() => this.redraw());
    this.sizes.observe(this.element);
    window.addEventListener("redraw", this.again);
  }

  destroy(): void {
    this.sizes.disconnect();
    window.removeEventListener("redraw", this.again);
  }

  redraw(): void {
    this.canvas.setAttribute("aria-label", this.label());
    const [width, height] = [this.element.clientWidth, this.height()];
    const context = this.canvas.getContext("2d");
    if (!context || width === 0) return;
    const scale = devicePixelRatio || 1;
    if (this.canvas.width !== Math.round(width * scale) || this.canvas.height !== Math.round(height * scale)) {
      this.canvas.width = Math.round(width * scale);
      this.canvas.height = Math.round(height * scale);
      this.canvas.style.width = `${width}px`;
      this.canvas.style.height = `${height}px`;
    }
    context.setTransform(scale, 0, 0, scale, 0, 0);
    context.clearRect(0, 0, width, height);
    context.font = "11px system-ui, sans-serif";
    this.draw(context, width, height);
  }
}
