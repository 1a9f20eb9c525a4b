// The race: the best value of every task over one axis of cost. What is pointed at is told in words.

import type { Task } from "./api";
import { Chart, aligned } from "./chart";
import { h } from "./dom";
import { brief, short } from "./format";
import type { CampaignModel } from "./model";
import { taskColour } from "./theme";

const HINT = "Point at the lines to read them.";

export class Race {
  readonly chart: Chart;
  private readonly words = h("p", { class: "hover-words" }, HINT);
  private readonly toggle = h("input", { type: "checkbox", id: "log" });
  readonly element: HTMLElement;

  constructor(
    private readonly model: CampaignModel,
    private readonly shown: () => Task[] = () => model.begun(),
  ) {
    this.toggle.checked = this.positive();
    this.toggle.addEventListener("change", () => this.update());
    this.chart = new Chart(() => ({
      label: this.label(),
      height: 300,
      x: "cost spent in the task",
      y: `${model.campaign.goal === "minimize" ? "lowest" : "highest"}${this.feasible} value so far`,
      lines: this.shown().map((task) => ({
        label: task.task,
        stroke: this.colour(task),
        width: task.state === "finished" ? 2 : 3,
        stepped: true,
      })),
      logY: this.toggle.checked,
      xRange: [0, Math.max(...model.campaign.task_list.map((task) => task.budget))],
      limits: () => this.limits(),
      dots: () => this.ends(),
      follow: (cost) => this.say(cost),
    }));
    this.element = h("div", {}, this.chart.element, this.words, h("label", { class: "inline", for: "log" }, this.toggle, " log scale"));
  }

  update(): void {
    this.toggle.disabled = !this.positive();
    if (this.toggle.disabled) this.toggle.checked = false;
    this.say(null);
    this.chart.update(aligned(this.curves().map(({ cost, best }) => ({ x: cost, y: best }))));
  }

  private curves() {
    return this.shown().map((task) => ({ task, ...this.model.bestSoFar(task.task) }));
  }

  /** A word where not all values count. */
  private get feasible(): string {
    return this.model.constrained ? " feasible" : "";
  }

  private colour(task: Task): string {
    return taskColour(task.number - 1, this.model.campaign.task_list.length);
  }

  private ends() {
    return this.curves().flatMap(({ task, cost, best }) => (best.length > 0 ? [{ x: cost[cost.length - 1], y: best[best.length - 1], fill: this.colour(task), size: 4 }] : []));
  }

  private positive(): boolean {
    return this.curves().every(({ best }) => best.every((value) => value > 0));
  }

  /** Early, poor values would flatten what matters: of many, the worst twentieth is left out. */
  private limits(): [number, number] | undefined {
    const values = this.curves().flatMap(({ best }) => best).sort((a, b) => a - b);
    if (values.length <= 12) return undefined;
    const rest = Math.floor(0.05 * values.length);
    const [low, high] = this.model.campaign.goal === "minimize" ? [0, rest] : [rest, 0];
    return [values[low], values[values.length - 1 - high]];
  }

  private label(): string {
    const ends = this.curves().map(({ task, cost, best }) =>
      best.length > 0 ? `${task.task} ${short(best.at(-1))} after a cost of ${brief(cost.at(-1))}` : `${task.task} none yet`,
    );
    return `Best${this.feasible} value at the highest fidelity against cost, a line per task: ${ends.join("; ")}.`;
  }

  private say(at: number | null): void {
    const curves = this.curves();
    const none = curves.every(({ best }) => best.length === 0);
    const told = curves.map(({ task, cost, best }) => `${task.task} ${short(best[cost.findLastIndex((spent) => spent <= (at ?? 0))])}`);
    this.words.textContent = none ? `No${this.feasible} value was seen at the highest fidelity yet.` : at === null ? HINT : `At a cost of ${brief(at)}: ${told.join(", ")}.`;
  }
}
