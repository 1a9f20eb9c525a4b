// What descriptors tell: which of them matter, and the best point and value over one of them, with what earlier
// tasks came to.

import type { ExpectedAt, Parameter, Prediction, Setting, Task } from "./api";
import { Chart, type Spec } from "./chart";
import { card, fill, h } from "./dom";
import { percent, point, setting, short } from "./format";
import type { CampaignModel } from "./model";
import { axis, closest, place } from "./posterior";
import { colour, fidelityColour, taskColour } from "./theme";

/** What is said of a task; nothing where tasks are not described. */
export function described(model: CampaignModel, task: Task | undefined): string {
  const names = model.campaign.descriptors.map(({ name }) => name);
  return task ? point(task.describe, names.filter((name) => name in task.describe)) : "";
}

/** A prediction, with the curve over a descriptor if one is named. */
type Predict = (descriptor?: string) => Promise<Prediction>;

const HINT = "Point at the lines to read them.";

/** Both figures. Where nothing is known yet, that is said. */
export class DescribedView {
  readonly element = h("div", { class: "stack" });
  private readonly words = h("p", { class: "hover-words", "aria-live": "polite" }, HINT);
  private readonly figure = h("div", {});
  private charts: Chart[] = [];
  private chosen = "";
  private turn = 0;

  constructor(
    private readonly model: CampaignModel,
    private readonly predict: Predict,
  ) {}

  destroy(): void {
    this.turn += 1;
    this.charts.forEach((chart) => chart.destroy());
  }

  /** Shows what is known now. */
  async read(): Promise<void> {
    const turn = ++this.turn;
    try {
      const { expected, descriptors, in_words } = await this.predict();
      if (turn !== this.turn) return;
      if (!expected) {
        fill(this.element, card("Which descriptors matter", "Nothing is known yet: a task teaches when it is finished."));
        return;
      }
      const most = descriptors.reduce((a, b) => (b.share > a.share ? b : a));
      if (!this.chosen) this.chosen = most.name;
      fill(
        this.element,
        card("Which descriptors matter", "The share of each in what tells earlier tasks apart, by the length scales that were learned.", h("p", { class: "verdict" }, `${in_words}.`), bars(descriptors)),
        card(
          "Best point and value over a descriptor",
          "What is expected at the highest fidelity of a task that has had no trial, with the 90 % interval, and below the point to use. Dots are the recommended points of finished tasks.",
          this.choice(),
          this.figure,
        ),
      );
      await this.draw();
    } catch (error) {
      if (turn === this.turn) fill(this.element, card("Which descriptors matter", "", h("p", { class: "bad" }, (error as Error).message)));
    }
  }

  private choice(): HTMLElement {
    const options = this.model.campaign.descriptors.map(({ name }) => h("option", { value: name, selected: name === this.chosen }, name));
    const choice = h("select", { name: "descriptor" }, options);
    choice.addEventListener("change", () => {
      this.chosen = choice.value;
      void this.draw().catch((error: Error) => fill(this.figure, h("p", { class: "bad" }, error.message)));
    });
    const others = options.length > 1 ? h("span", { class: "soft small" }, " the others as in earlier tasks") : null;
    return h("div", {}, h("label", {}, "descriptor ", choice), others);
  }

  private async draw(): Promise<void> {
    const turn = ++this.turn;
    const { over } = await this.predict(this.chosen);
    const along = this.model.campaign.descriptors.find(({ name }) => name === over?.descriptor);
    if (turn !== this.turn || !over || !along) return;
    this.charts.forEach((chart) => chart.destroy());
    const at = over.curve.map(({ value }) => value);
    const best = over.curve.map(({ expected }) => expected);
    const value = this.value(along, at, best);
    const coordinates = this.model.campaign.space.map((parameter) => this.coordinate(along, at, best, parameter));
    this.charts = [value, ...coordinates];
    this.words.textContent = HINT;
    fill(
      this.figure,
      value.element,
      this.words,
      h("div", { class: "multiples" }, coordinates.map((chart) => chart.element)),
      h("div", { class: "key" }, this.finished(along).map((task) => h("span", {}, h("i", { class: "swatch round", style: { background: this.colour(task) } }), task.task))),
    );
  }

  private value(along: Parameter, at: Setting[], best: ExpectedAt[]): Chart {
    const tasks = this.finished(along);
    const ends = [...best.flatMap(({ low, high }) => [low, high]), ...tasks.map(({ recommended }) => recommended?.mean as number)];
    const limits: [number, number] = [Math.min(...ends), Math.max(...ends)];
    const edge = { stroke: "transparent", width: 0 };
    const told = best.map((expected, i) => `${short(expected.mean)}, 90 % between ${short(expected.low)} and ${short(expected.high)}, at ${setting(at[i])}`);
    const chart = new Chart(() => ({
      ...this.common(along, at, best),
      label: `Best expected value over ${along.name}: ${some(told).join("; ")}. Finished tasks: ${tasks.map((task) => `${task.task} ${short(task.recommended?.mean)} at ${setting(task.describe[along.name])}`).join("; ")}.`,
      height: 240,
      y: "expected value",
      lines: [{ label: "low", ...edge }, { label: "high", ...edge }, { label: "expected", stroke: fidelityColour(1, 1), width: 2.5, points: along.choices ? 6 : undefined }],
      bands: [{ from: 0, to: 1, fill: fidelityColour(1, 1, 0.16) }],
      limits: () => limits,
      dots: () => this.dots(along, at, (task) => task.recommended?.mean ?? null),
    }));
    chart.update([axis(along, at).xs, best.map(({ low }) => low), best.map(({ high }) => high), best.map(({ mean }) => mean)]);
    return chart;
  }

  private coordinate(along: Parameter, at: Setting[], best: ExpectedAt[], parameter: Parameter): Chart {
    const { name, choices, low = 0, high = 1 } = parameter;
    const height = (of: Setting | undefined) => place(parameter, choices ?? [], of);
    const told = best.map(({ point }, i) => `${setting(point[name])} at ${setting(at[i])}`);
    const chart = new Chart(() => ({
      ...this.common(along, at, best),
      label: `${name} of the best point over ${along.name}: ${some(told).join("; ")}.`,
      height: 130,
      y: name,
      yWords: choices?.map(String),
      lines: [{ label: name, stroke: colour("aim-optimum"), width: 1.5, points: along.choices || choices ? 6 : undefined }],
      logY: parameter.log,
      limits: () => [low, high],
      dots: () => this.dots(along, at, (task) => height(task.recommended?.point[name])),
    }));
    chart.update([axis(along, at).xs, best.map(({ point }) => height(point[name]))]);
    return chart;
  }

  private common(along: Parameter, at: Setting[], best: ExpectedAt[]): Pick<Spec, "x" | "xWords" | "logX" | "follow" | "sync"> {
    const { xs, xWords, logX } = axis(along, at);
    const follow = (x: number | null) => {
      const i = x === null ? -1 : closest(xs, x);
      this.words.textContent = i < 0 ? HINT : `At ${along.name} = ${setting(at[i])}: ${short(best[i].mean)}, 90 % between ${short(best[i].low)} and ${short(best[i].high)}; use ${point(best[i].point, this.model.names)}.`;
    };
    return { x: along.name, xWords, logX, follow, sync: "descriptor" };
  }

  /** Finished tasks of which this descriptor was said. */
  private finished(along: Parameter): Task[] {
    return this.model.campaign.task_list.filter((task) => task.recommended && along.name in task.describe);
  }

  private dots(along: Parameter, at: Setting[], height: (task: Task) => number | null) {
    return this.finished(along).map((task) => ({ x: place(along, at, task.describe[along.name]) ?? 0, y: height(task) ?? 0, fill: this.colour(task), size: 4 }));
  }

  private colour(task: Task): string {
    return taskColour(task.number - 1, this.model.campaign.task_list.length);
  }
}

/** Not more than a listener can follow: the ends, and some between. */
function some(told: string[]): string[] {
  const step = Math.max(1, Math.ceil((told.length - 1) / 4));
  return told.filter((_, i) => i % step === 0 || i === told.length - 1);
}

function bars(weights: Prediction["descriptors"]): HTMLElement {
  const line = ({ name, share }: Prediction["descriptors"][number]) =>
    h(
      "div",
      { class: "bar-line share" },
      h("span", { title: name }, name),
      h("div", { class: "bar" }, h("i", { style: { width: percent(share, 1).replace(" ", ""), background: colour("aim-optimum") } })),
      h("span", { class: "number", "data-share": name }, percent(share, 1)),
    );
  return h("div", { class: "bars" }, weights.map(line));
}
