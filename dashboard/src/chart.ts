// Line charts: uPlot in the page's colours, as wide as there is room, and drawn anew when `redraw` is heard.

import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { h } from "./dom";
import { brief } from "./format";
import { colour } from "./theme";

export interface Line {
  label: string;
  stroke: string;
  fill?: string;
  width?: number;
  dash?: number[];
  points?: number;
  /** draws points only */
  scatter?: boolean;
  stepped?: boolean;
  scale?: string;
  hidden?: boolean;
}

export interface Spec {
  /** what is seen, with its numbers, for those who do not see it */
  label: string;
  height: number;
  x: string;
  y: string;
  lines: Line[];
  bands?: { from: number; to: number; fill: string }[];
  logX?: boolean;
  logY?: boolean;
  /** words in place of numbers along x */
  xWords?: string[];
  /** the same upwards */
  yWords?: string[];
  /** marks that stand upright */
  upright?: () => { at: number; stroke: string; dash?: number[]; label?: string }[];
  /** points that lie where they lie, whatever the lines do */
  dots?: () => { x: number; y: number; fill: string; size: number; hollow?: boolean }[];
  xRange?: [number, number];
  /** the values that the axis upwards covers, if not all */
  limits?: () => [number, number] | undefined;
  minY?: number;
  follow?: (x: number | null) => void;
  sync?: string;
  hideX?: boolean;
}

export class Chart {
  readonly element = h("div", { class: "chart" });
  private plot: uPlot | null = null;
  private data: uPlot.AlignedData = [[]];
  private shape = "";
  private readonly sizes: ResizeObserver;
  private readonly again = () => this.rebuild();

  constructor(private spec: () => Spec) {
    this.sizes = new ResizeObserver(() => this.resize());
    this.sizes.observe(this.element);
    window.addEventListener("redraw", this.again);
  }

  destroy(): void {
    this.sizes.disconnect();
    window.removeEventListener("redraw", this.again);
    this.plot?.destroy();
  }

  /** Shows new data; lines that came or went need a new plot, anything else does not. */
  update(data: (number | null)[][]): void {
    this.data = data as unknown as uPlot.AlignedData;
    const spec = this.spec();
    const words = [spec.logX, spec.logY, spec.xWords?.join("|"), spec.lines.map((l) => l.label)];
    const shape = JSON.stringify(words);
    if (this.plot && shape === this.shape) {
      this.plot.setData(this.data);
      this.name(spec);
    } else {
      this.shape = shape;
      this.rebuild();
    }
  }

  redraw(): void {
    this.plot?.redraw(false);
  }

  private resize(): void {
    const width = this.element.clientWidth;
    if (!this.plot) this.rebuild();
    else if (width > 0 && Math.abs(width - this.plot.width) > 1) {
      this.plot.setSize({ width, height: this.spec().height });
    }
  }

  private rebuild(): void {
    const width = this.element.clientWidth;
    this.plot?.destroy();
    this.plot = null;
    if (width === 0 || this.data.length < 2) return;
    const spec = this.spec();
    this.plot = new uPlot(options(spec, width), this.data, this.element);
    this.name(spec);
  }

  private name(spec: Spec): void {
    this.plot?.ctx.canvas.setAttribute("role", "img");
    this.plot?.ctx.canvas.setAttribute("aria-label", spec.label);
  }
}

function options(spec: Spec, width: number): uPlot.Options {
  const ink = colour("ink-soft");
  const grid = { stroke: colour("grid"), width: 1 };
  const ticks = { stroke: colour("grid"), width: 1, size: 4 };
  const font = "11px system-ui, sans-serif";
  const values = (_: uPlot, splits: (number | null)[]) => splits.map((v) => (v === null ? "" : brief(v)));
  const [words, levels] = [spec.xWords, spec.yWords];
  return {
    width,
    height: spec.height,
    padding: [8, spec.logX ? 20 : 10, 0, 0],
    legend: { show: false },
    cursor: {
      y: false,
      points: { size: 6 },
      drag: { x: false, y: false },
      ...(spec.sync ? { sync: { key: spec.sync, setSeries: false } } : {}),
    },
    scales: {
      x: {
        time: false,
        distr: spec.logX ? 3 : 1,
        ...(words ? { range: [-0.4, words.length - 0.6] as uPlot.Range.MinMax } : {}),
        ...(spec.xRange ? { range: spec.xRange } : {}),
      },
      y: { distr: spec.logY ? 3 : 1, ...yRange(spec) },
    },
    axes: [
      {
        stroke: ink,
        grid,
        ticks,
        font,
        labelFont: font,
        label: spec.hideX ? undefined : spec.x,
        labelSize: 16,
        size: spec.hideX ? 6 : 26,
        space: words ? 20 : 50,
        splits: words ? () => words.map((_, i) => i) : undefined,
        values: spec.hideX ? () => [] : words ? (_u, splits) => splits.map((i) => words[i] ?? "") : values,
      },
      {
        stroke: ink,
        grid: spec.logY && spec.height < LOW ? { ...grid, filter: decades } : grid,
        ticks,
        font,
        labelFont: font,
        label: spec.y,
        labelSize: 16,
        size: 54,
        space: 26,
        splits: levels ? () => levels.map((_, i) => i) : undefined,
        values: levels ? (_u, splits) => splits.map((i) => cut(levels[i] ?? "")) : values,
      },
    ],
    series: [{ label: spec.x }, ...spec.lines.map(series)],
    bands: spec.bands?.map((band) => ({ series: [band.to + 1, band.from + 1] as uPlot.Band.Bounds, fill: band.fill })),
    hooks: {
      setCursor: [(plot) => spec.follow?.(hovered(plot))],
      draw: [(plot) => uprights(plot, spec), (plot) => dots(plot, spec)],
    },
  };
}

/** Lower charts have no room for all lines of a log scale. */
const LOW = 150;
const decades = (_: uPlot, splits: number[]) => splits.map((at) => (Number.isInteger(Math.log10(at)) ? at : null));

/** As much of a word as fits beside an axis. */
const cut = (word: string) => (word.length > 8 ? `${word.slice(0, 7)}…` : word);

function yRange({ limits, minY, logY, yWords }: Spec): { range?: uPlot.Range.Function } {
  if (yWords) return { range: () => [-0.4, yWords.length - 0.6] };
  if (minY !== undefined) return { range: (_plot, _min, max) => [minY, max > minY ? max * 1.08 : minY + 1] };
  if (!limits) return {};
  return {
    range: (_plot, min, max) => {
      if (min === null) return [min, max];
      const [low, high] = limits() ?? [min, max];
      return logY ? uPlot.rangeLog(low, high, 10, false) : uPlot.rangeNum(low, high, 0.1, true);
    },
  };
}

function hovered(plot: uPlot): number | null {
  const left = plot.cursor.left ?? -1;
  return left < 0 ? null : plot.posToVal(left, "x");
}

function series(line: Line): uPlot.Series {
  return {
    label: line.label,
    stroke: line.stroke,
    fill: line.fill,
    width: line.scatter ? 0 : (line.width ?? 1.5),
    dash: line.dash,
    spanGaps: true,
    pxAlign: 0,
    scale: line.scale ?? "y",
    show: !line.hidden,
    paths: line.scatter ? () => null : line.stepped ? uPlot.paths.stepped?.({ align: 1 }) : undefined,
    points: { show: line.scatter || line.points !== undefined, size: line.points ?? 5, fill: line.stroke, width: 0 },
  };
}

function uprights(plot: uPlot, spec: Spec): void {
  const context = plot.ctx;
  const { left, top, width, height } = plot.bbox;
  for (const mark of spec.upright?.() ?? []) {
    const x = Math.round(plot.valToPos(mark.at, "x", true));
    if (x < left - 1 || x > left + width + 1) continue;
    context.save();
    context.strokeStyle = mark.stroke;
    context.lineWidth = 1.5 * devicePixelRatio;
    context.setLineDash((mark.dash ?? []).map((d) => d * devicePixelRatio));
    context.beginPath();
    context.moveTo(x, top);
    context.lineTo(x, top + height);
    context.stroke();
    if (mark.label) {
      context.fillStyle = mark.stroke;
      context.font = `${11 * devicePixelRatio}px system-ui, sans-serif`;
      const right = x + 80 * devicePixelRatio > left + width;
      context.textAlign = right ? "right" : "left";
      context.fillText(mark.label, x + (right ? -4 : 4) * devicePixelRatio, top + 11 * devicePixelRatio);
    }
    context.restore();
  }
}

function dots(plot: uPlot, spec: Spec): void {
  const { left, top, width, height } = plot.bbox;
  for (const dot of spec.dots?.() ?? []) {
    const [x, y] = [plot.valToPos(dot.x, "x", true), plot.valToPos(dot.y, "y", true)];
    if (x < left || x > left + width || y < top || y > top + height) continue;
    plot.ctx.fillStyle = plot.ctx.strokeStyle = dot.fill;
    plot.ctx.beginPath();
    plot.ctx.arc(x, y, dot.size * devicePixelRatio, 0, 2 * Math.PI);
    plot.ctx.lineWidth = 1.25 * devicePixelRatio;
    if (dot.hollow) plot.ctx.stroke();
    else plot.ctx.fill();
  }
}

/** Series over different x brought onto one: the sorted union, with gaps. */
export function aligned(tables: { x: number[]; y: (number | null)[] }[]): (number | null)[][] {
  const xs = [...new Set(tables.flatMap((table) => table.x))].sort((a, b) => a - b);
  const place = new Map(xs.map((x, i) => [x, i]));
  const columns = tables.map((table) => {
    const column: (number | null)[] = new Array(xs.length).fill(null);
    table.x.forEach((x, i) => {
      column[place.get(x) as number] = table.y[i];
    });
    return column;
  });
  return [xs, ...columns];
}
