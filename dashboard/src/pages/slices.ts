// Slices of the posterior that follow the pointer, or a slider: along each parameter what is expected at every
// fidelity, and on the same axis what a trial there would buy.

import { type Parameter, type Point, type Slice, type Slices, get, taskPath } from "../api";
import { Chart, type Spec } from "../chart";
import { fill, h } from "../dom";
import { brief, point as pointText, setting } from "../format";
import type { CampaignModel } from "../model";
import { type Seen, axis, closest, feasibility, feasibilityData, levelLines, nearest, place, posterior, posteriorData, upright } from "../posterior";
import { colour, fidelityColour } from "../theme";

interface Pair {
  posterior: Chart;
  feasibility: Chart | null;
  acquisition: Chart;
  slider: HTMLInputElement;
  element: HTMLElement;
}

/** The charts of a slice. */
const charts = ({ posterior, feasibility, acquisition }: Pair): Chart[] => [posterior, ...(feasibility ? [feasibility] : []), acquisition];

/** All slices of a task. */
export class SlicesView {
  readonly element = h("div", {});
  private readonly words = h("p", { class: "hover-words" });
  private readonly back = h("button", { type: "button", class: "quiet", hidden: true, onclick: () => this.hold(null) }, "Back to the recommended point");
  private readonly grid = h("div", { class: "multiples" });
  private pairs: Pair[] = [];
  private names: string[] = [];
  private shown: Slices | null = null;
  /** the point that the user points at, until the mouse leaves */
  private pointed: Point | null = null;
  /** the point that was chosen with sliders */
  private held: Point | null = null;
  private next: Point | null = null;
  private asking = false;
  private again = false;
  private closed = false;

  constructor(
    private readonly model: CampaignModel,
    private readonly task: string,
  ) {
    fill(this.element, this.words, this.back, this.grid, key(model));
    this.grid.addEventListener("mouseleave", () => this.through(null));
  }

  destroy(): void {
    this.closed = true;
    this.pairs.flatMap(charts).forEach((chart) => chart.destroy());
  }

  setNext(next: Point | null): void {
    this.next = next;
    this.pairs.flatMap(charts).forEach((chart) => chart.redraw());
  }

  private through(point: Point | null): void {
    if (JSON.stringify(point) === JSON.stringify(this.pointed)) return;
    this.pointed = point;
    void this.read();
  }

  private hold(point: Point | null): void {
    this.held = point;
    this.pointed = null;
    void this.read();
  }

  /** Asks for the slices through the present point; while an answer is awaited, only the last wish counts. */
  async read(): Promise<void> {
    if (this.asking) {
      this.again = true;
      return;
    }
    this.asking = true;
    try {
      const through = this.pointed ?? this.held;
      const query = through ? `?through=${encodeURIComponent(JSON.stringify(through))}` : "";
      const path = `${taskPath(this.model.campaign.campaign, this.task)}/slices${query}`;
      this.show(await get<Slices>(path));
    } catch (error) {
      this.words.textContent = (error as Error).message;
    }
    this.asking = false;
    if (this.again && !this.closed) {
      this.again = false;
      void this.read();
    }
  }

  private show(slices: Slices): void {
    if (this.closed) return;
    this.shown = slices;
    if (slices.slices.length === 0) {
      this.words.textContent = "The model is used once a value was told.";
      return;
    }
    const through = pointText(slices.through ?? {}, this.model.names);
    const which = this.pointed ? "the point under the mouse" : this.held ? "the chosen point" : "the recommended point";
    const hint = this.pointed || this.held ? "" : " Move a slider, or the mouse over a slice, and the others follow.";
    this.words.textContent = `Slices through ${which}: ${through}.${hint}`;
    this.back.hidden = this.held === null;
    // What is there differs from point to point.
    const names = slices.slices.map((slice) => `${slice.parameter} ${slice.feasible !== undefined}`);
    if (JSON.stringify(names) !== JSON.stringify(this.names)) this.build(slices.slices);
    this.names = names;
    slices.slices.forEach((slice, i) => {
      const parameter = this.model.parameter(slice.parameter);
      const { slider } = this.pairs[i];
      const at = this.shown?.through?.[slice.parameter];
      if (document.activeElement !== slider && at !== undefined) slider.value = String(nearest(parameter, slice.at, at));
      slider.setAttribute("aria-valuetext", `${slice.parameter} = ${setting(at)}`);
      this.pairs[i].posterior.update(posteriorData(parameter, slice));
      this.pairs[i].feasibility?.update(feasibilityData(parameter, slice));
      this.pairs[i].acquisition.update([axis(parameter, slice.at).xs, ...slice.bands.map((band) => band.acquisition)]);
    });
  }

  private build(slices: Slice[]): void {
    this.pairs.flatMap(charts).forEach((chart) => chart.destroy());
    this.pairs = slices.map((slice, i) => this.pair(slice, i));
    fill(this.grid, ...this.pairs.map((pair) => pair.element));
  }

  private pair(slice: Slice, i: number): Pair {
    const parameter = this.model.parameter(slice.parameter);
    const { xWords, logX } = axis(parameter, slice.at);
    const common = (): Partial<Spec> => ({
      upright: () => this.marks(parameter, i),
      follow: (x) => this.follow(parameter, x),
    });
    const above = posterior(this.model, parameter, slice, () => this.seen(i), () => ({ x: "", hideX: true, ...common() }));
    const holds = slice.feasible ? feasibility(parameter, slice, () => this.seen(i), () => ({ x: "", hideX: true, height: 66, ...common(), upright: () => this.marks(parameter, i).map((mark) => ({ ...mark, label: undefined })) })) : null;
    const acquisition = new Chart(() => {
      const fills = levelLines(this.model, parameter, slice.bands, 0.12);
      return {
        label: this.acquisitionLabel(i),
        height: 92,
        x: parameter.name,
        y: "nats / cost",
        minY: 0,
        lines: levelLines(this.model, parameter, slice.bands).map((line, k) => ({ ...line, fill: fills[k].stroke, width: 1.25 })),
        xWords,
        logX,
        ...common(),
      };
    });
    const slider = h("input", { type: "range", min: 0, max: slice.at.length - 1, step: 1, "aria-label": `${parameter.name} of the point that slices go through` });
    slider.addEventListener("input", () => {
      if (this.shown?.through) this.hold({ ...this.shown.through, [parameter.name]: slice.at[Number(slider.value)] });
    });
    const element = h("div", { class: "slice" }, above.element, holds?.element, acquisition.element, slider);
    return { posterior: above, feasibility: holds, acquisition, slider, element };
  }

  private seen(i: number): ReturnType<Seen> {
    return this.shown?.through && this.shown.slices[i] ? { slice: this.shown.slices[i], through: this.shown.through } : null;
  }

  private acquisitionLabel(i: number): string {
    const slice = this.shown?.slices[i];
    if (!slice) return "Nats per unit of cost: nothing yet.";
    const most = slice.bands.map((band) => {
      const k = band.acquisition.indexOf(Math.max(...band.acquisition));
      return `at ${band.fidelity} at most ${brief(band.acquisition[k])}, where ${slice.parameter} = ${setting(slice.at[k])}`;
    });
    return `Nats per unit of cost of the next trial along ${slice.parameter}: ${most.join("; ")}.`;
  }

  private marks(parameter: Parameter, i: number) {
    const seen = this.seen(i);
    const next = seen && place(parameter, seen.slice.at, this.next?.[parameter.name]);
    return [...upright(parameter, seen), ...(next === null ? [] : [{ at: next, stroke: colour("accent"), label: "next" }])];
  }

  /** The mouse moves along one parameter: the others are shown at that value of it. */
  private follow(parameter: Parameter, x: number | null): void {
    const slice = this.shown?.slices.find((known) => known.parameter === parameter.name);
    if (x === null || !slice || !this.shown?.through) return;
    this.through({ ...this.shown.through, [parameter.name]: slice.at[closest(axis(parameter, slice.at).xs, x)] });
  }
}

function key(model: CampaignModel): HTMLElement {
  const levels = model.campaign.fidelities;
  return h(
    "div",
    { class: "key" },
    levels.map((level, i) => h("span", {}, h("i", { class: "swatch", style: { background: fidelityColour(i + 1, levels.length) } }), level.name)),
    h("span", {}, h("i", { class: "swatch next" }), "the next proposal"),
    h("span", {}, `Above: mean and 90 % band.${model.constrained ? " Between: how likely all constraints are to hold." : ""} Below: what the next trial would buy there, per unit of cost.`),
  );
}
