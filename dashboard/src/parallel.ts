// Parallel coordinates: a line per trial through all parameters to its value, coloured by how good it
// is; it passes by the axes of what is not there. The best are drawn last and strongest; the one that is pointed at is told in words. What is marked on an
// axis keeps the lines that pass there.

import type { Parameter, Point, Setting, Trial } from "./api";
import { Canvas } from "./canvas";
import { others } from "./constraint";
import { h, sideways } from "./dom";
import { brief, plural, point as pointText, short } from "./format";
import type { CampaignModel } from "./model";
import { cut } from "./strip";
import { colour, valueColour } from "./theme";

const HEIGHT = 250;
const TOP = 26;
const BOTTOM = 20;
const SIDE = 56;
/** An axis needs so much room; many of them scroll. */
const AXIS = 62;
/** So near to an axis one marks it. */
const GRIP = 10;
const HINT = "Point at a line, or tap it, to read it. Drag along an axis to keep the lines that pass there; click the axis to let go.";
/** Lines are grouped by how good they are: a path per group. */
const GROUPS = 12;
/** Of more trials the best half of this many are drawn, and an even sample of the others. */
const MOST = 1_200;

interface Line {
  trial: Trial;
  ys: number[];
  share: number;
  /** whether it is a result; what breaks a bound is none */
  counts: boolean;
}

export class Parallel {
  readonly words = h("p", { class: "hover-words" }, HINT);
  readonly canvas: Canvas;
  readonly element: HTMLElement;
  private lines: Line[] = [];
  private shown: Line[] = [];
  private hovered: Trial | null = null;
  private label = "";
  /** all lines, as drawn last: the one pointed at is put on top of a copy */
  private base: { image: HTMLCanvasElement; key: string } | null = null;
  private version = 0;
  /** what is marked on axes, by their places: from above to below */
  private readonly marked = new Map<number, [number, number]>();
  private drag: { axis: number; from: number } | null = null;

  constructor(
    private readonly model: CampaignModel,
    private readonly tasks: () => string[],
  ) {
    this.canvas = new Canvas(() => this.label, () => HEIGHT, (context, width) => this.draw(context, width));
    this.canvas.element.style.minWidth = `${AXIS * (model.campaign.space.length + 2)}px`;
    const dashed = model.constrained && h("p", { class: "soft small" }, "Dashed lines break a bound, or are not known to keep all.");
    this.element = h("div", {}, sideways("Parallel coordinates of all trials", this.canvas.element), this.words, dashed);
    const { canvas } = this.canvas;
    canvas.addEventListener("pointermove", (event) => (this.drag ? this.mark(this.drag, event.offsetY) : this.hover(event)));
    canvas.addEventListener("pointerdown", (event) => this.grab(event) || this.hover(event));
    canvas.addEventListener("pointerup", () => (this.drag = null));
    // A finger leaves when it is lifted: what it chose stays.
    canvas.addEventListener("pointerleave", (event) => event.pointerType === "mouse" && this.choose(null));
  }

  update(): void {
    const { campaign } = this.model;
    const top = campaign.fidelities.length;
    const told = this.tasks().flatMap((task) => {
      const counts = this.model.counts(task);
      const trials = this.model.trialsOf(task).filter((t) => t?.value !== null && t?.value !== undefined);
      return trials.map((trial) => ({ trial, value: trial.value as number, counts: counts(trial) }));
    });
    const [low, high] = spread(told.map(({ value }) => value));
    const [least, most] = spread(told.filter(({ counts }) => counts).map(({ value }) => value));
    this.lines = told.map(({ trial, value, counts }) => {
      const along = (value - low) / (high - low || 1);
      const better = (value - least) / (most - least || 1);
      const good = campaign.goal === "maximize" ? better : 1 - better;
      const share = counts ? Math.min(1, Math.max(0, good)) ** 2 : 0;
      const places = campaign.space.map((parameter) => position(parameter, trial.point));
      const ys = [...places, top > 1 ? (trial.level - 1) / (top - 1) : 0.5, Math.min(1, Math.max(0, along))];
      return { trial, ys: ys.map((u) => TOP + (1 - u) * (HEIGHT - TOP - BOTTOM)), share, counts };
    });
    this.lines.sort((a, b) => a.share - b.share);
    this.shown = thinned(this.lines);
    this.again();
  }

  private again(): void {
    this.version += 1;
    this.label = this.describe(this.lines.map((line) => line.trial.value as number));
    this.say();
    this.canvas.redraw();
  }

  private kept({ ys }: Line): boolean {
    return [...this.marked].every(([axis, [above, below]]) => ys[axis] >= above && ys[axis] <= below);
  }

  private describe(values: number[]): string {
    const bests = this.tasks().flatMap((task) => this.model.task(task)?.best ?? []);
    const best = bests.reduce<(typeof bests)[number] | null>((a, b) => (a && !this.model.better(b.value, a.value) ? a : b), null);
    const axes = [...this.model.names, "fidelity", "value"].join(", ");
    const all = `Parallel coordinates of ${plural(values.length, "trial")} through ${axes}`;
    if (values.length === 0) return `${all}.`;
    const range = `values from ${short(values.reduce((a, b) => Math.min(a, b)))} to ${short(values.reduce((a, b) => Math.max(a, b)))}`;
    const doubtful = this.lines.filter(({ counts }) => !counts).length;
    const infeasible = doubtful > 0 ? `; ${doubtful} not known to be feasible` : "";
    const seen = best ? `; best seen ${short(best.value)} at ${pointText(best.point, this.model.names)}` : "";
    const kept = this.marked.size > 0 ? `; ${this.lines.filter((line) => this.kept(line)).length} are kept by what is marked on the axes` : "";
    return `${all}: ${range}${infeasible}${seen}${kept}.`;
  }

  private xs(width: number): number[] {
    const count = this.model.campaign.space.length + 2;
    const side = Math.min(SIDE, width / count / 2);
    return Array.from({ length: count }, (_, i) => side + (i * (width - 2 * side)) / (count - 1));
  }

  private draw(context: CanvasRenderingContext2D, width: number): void {
    const xs = this.xs(width);
    const scale = devicePixelRatio || 1;
    const key = `${this.version} ${width} ${scale} ${colour("ink")}`;
    if (this.base?.key !== key) {
      const image = h("canvas", { width: Math.round(width * scale), height: Math.round(HEIGHT * scale) });
      const layer = image.getContext("2d");
      layer?.scale(scale, scale);
      if (layer) this.strokeAll(layer, xs);
      this.base = { image, key };
    }
    context.drawImage(this.base.image, 0, 0, width, HEIGHT);
    const chosen = this.lines.find((line) => line.trial === this.hovered);
    if (chosen) {
      context.strokeStyle = colour("ink");
      context.lineWidth = 2.5;
      context.beginPath();
      trace(context, xs, chosen.ys);
      context.stroke();
    }
    this.axes(context, xs);
  }

  private strokeAll(context: CanvasRenderingContext2D, xs: number[]): void {
    const groups = Array.from({ length: GROUPS }, () => new Path2D());
    const [left, dashed] = [new Path2D(), new Path2D()];
    for (const line of this.shown) {
      const { ys, share, counts } = line;
      const group = counts ? groups[Math.min(GROUPS - 1, Math.floor(share * GROUPS))] : dashed;
      const path = this.kept(line) ? group : left;
      trace(path, xs, ys);
    }
    context.strokeStyle = colour("grid");
    context.stroke(left);
    context.strokeStyle = colour("mark");
    context.setLineDash([3, 4]);
    context.stroke(dashed);
    context.setLineDash([]);
    const few = Math.min(1, 60 / Math.max(1, this.shown.length));
    groups.forEach((path, g) => {
      const share = g / (GROUPS - 1);
      context.strokeStyle = valueColour(share, 0.12 + 0.5 * few + 0.38 * share);
      context.lineWidth = 0.8 + share;
      context.stroke(path);
    });
  }

  private axes(context: CanvasRenderingContext2D, xs: number[]): void {
    const { space, fidelities } = this.model.campaign;
    const [low, high] = spread(this.lines.map((line) => line.trial.value as number));
    const names = [...space.map((parameter) => parameter.name), "fidelity", "value"];
    const ends = [
      ...space.map((p) => [end(p, 0), end(p, 1)]),
      [fidelities[0].name, fidelities[fidelities.length - 1].name],
      [brief(low), brief(high)],
    ];
    const room = xs[1] - xs[0] - 6;
    context.textAlign = "center";
    xs.forEach((x, i) => {
      context.strokeStyle = colour("ink-soft");
      context.lineWidth = 1;
      context.beginPath();
      context.moveTo(x, TOP);
      context.lineTo(x, HEIGHT - BOTTOM);
      context.stroke();
      const [above, below] = this.marked.get(i) ?? [0, 0];
      context.fillStyle = colour("mark");
      context.fillRect(x - 6, above, 12, below - above);
      context.fillStyle = colour("ink");
      context.textBaseline = "alphabetic";
      context.font = "600 11px system-ui, sans-serif";
      context.fillText(cut(context, names[i], room), x, 11);
      context.font = "10px system-ui, sans-serif";
      context.fillStyle = colour("ink-soft");
      context.fillText(cut(context, ends[i][1], room), x, TOP - 3);
      context.fillText(cut(context, ends[i][0], room), x, HEIGHT - BOTTOM + 12);
    });
  }

  /** Whether an axis is held now. A finger would scroll the page. */
  private grab(event: PointerEvent): boolean {
    const axis = event.pointerType === "touch" ? -1 : this.axisAt(event.offsetX);
    if (axis < 0) return false;
    this.canvas.canvas.setPointerCapture(event.pointerId);
    this.drag = { axis, from: event.offsetY };
    this.mark(this.drag, event.offsetY);
    return true;
  }

  private mark({ axis, from }: { axis: number; from: number }, to: number): void {
    if (Math.abs(to - from) < 4) this.marked.delete(axis);
    else this.marked.set(axis, [Math.max(TOP - 1, Math.min(from, to)), Math.min(HEIGHT - BOTTOM + 1, Math.max(from, to))]);
    this.again();
  }

  private axisAt(x: number): number {
    return this.xs(this.canvas.element.clientWidth).findIndex((place) => Math.abs(place - x) < GRIP);
  }

  private hover(event: PointerEvent): void {
    const xs = this.xs(this.canvas.element.clientWidth);
    this.canvas.canvas.style.cursor = this.axisAt(event.offsetX) < 0 ? "" : "ns-resize";
    const [x, y] = [event.offsetX, event.offsetY];
    const i = Math.max(0, Math.min(xs.length - 2, xs.findLastIndex((place) => place <= x)));
    const share = (x - xs[i]) / (xs[i + 1] - xs[i]);
    let [nearest, distance]: [Trial | null, number] = [null, 8];
    for (const { trial, ys } of this.shown.filter((line) => this.kept(line))) {
      const off = Math.abs(ys[i] + (ys[i + 1] - ys[i]) * share - y);
      if (off <= distance) [nearest, distance] = [trial, off];
    }
    this.choose(nearest);
  }

  private say(): void {
    const [trial, drawn, all] = [this.hovered, this.shown.length, this.lines.length];
    this.words.textContent = trial
      ? `${this.tasks().length > 1 ? `${trial.task}, trial` : "Trial"} ${trial.trial} at ${trial.fidelity}: ${pointText(trial.point, this.model.names)}  →  ${short(trial.value)}${others(trial, this.model.task(trial.task)?.constraints)}`
      : drawn < all
        ? `${drawn} of ${all} are drawn: the best, and a sample of the others. ${HINT}`
        : HINT;
  }

  private choose(trial: Trial | null): void {
    if (trial === this.hovered) return;
    this.hovered = trial;
    this.say();
    this.canvas.redraw();
  }
}

/** The best, and every so many of the others. */
function thinned<T>(sorted: T[]): T[] {
  if (sorted.length <= MOST) return sorted;
  const others = sorted.slice(0, sorted.length - MOST / 2);
  const step = others.length / (MOST / 2);
  const sample = Array.from({ length: MOST / 2 }, (_, i) => others[Math.floor(i * step)]);
  return [...sample, ...sorted.slice(sorted.length - MOST / 2)];
}

/** Where most values lie: a single wild one must not hide the rest. */
function spread(values: number[]): [number, number] {
  if (values.length === 0) return [0, 1];
  const sorted = [...values].sort((a, b) => a - b);
  const at = (share: number) => sorted[Math.round(share * (sorted.length - 1))];
  return sorted.length > 40 ? [at(0.01), at(0.99)] : [sorted[0], sorted[sorted.length - 1]];
}

/** A line through the axes of all that is there. */
function trace(path: CanvasRenderingContext2D | Path2D, xs: number[], ys: number[]): void {
  let begun = false;
  ys.forEach((y, i) => {
    if (Number.isNaN(y)) return;
    if (begun) path.lineTo(xs[i], y);
    else path.moveTo(xs[i], y);
    begun = true;
  });
}

/** Where a value lies between the ends of its parameter; nowhere, if it is not there. */
export function position(parameter: Parameter, values: Point): number {
  const value: Setting | undefined = values[parameter.name];
  if (value === undefined) return NaN;
  const { choices, low, high } = parameter;
  if (choices) return choices.length > 1 ? Math.max(0, choices.indexOf(value)) / (choices.length - 1) : 0.5;
  if (low === undefined || high === undefined || typeof value !== "number") return 0.5;
  if (high === low) return 0.5;
  if (parameter.log) return Math.log(value / low) / Math.log(high / low);
  return (value - low) / (high - low);
}

function end(parameter: Parameter, which: 0 | 1): string {
  if (parameter.choices) return String(parameter.choices[which ? parameter.choices.length - 1 : 0]);
  return brief(which ? parameter.high : parameter.low);
}
