// Each task's budget as a bar: what was spent at which fidelity, and what is left.

import { type Task, charge } from "./api";
import { h } from "./dom";
import { percent, plural, short } from "./format";
import type { CampaignModel } from "./model";
import { fidelityColour } from "./theme";

/** A bar per task, and what the colours mean. */
export function budgetBars(model: CampaignModel): HTMLElement[] {
  return [...model.campaign.task_list.map((task) => bar(model, task)), fidelityKey(model)];
}

function bar(model: CampaignModel, task: Task): HTMLElement {
  const { fidelities, task_list } = model.campaign;
  const largest = Math.max(...task_list.map((other) => other.budget), 1e-9);
  const levels = fidelities.map((level) => ({ name: level.name, cost: 0, count: 0 }));
  let pending = 0;
  for (const trial of model.trialsOf(task.task)) {
    if (!trial?.charged) continue;
    if (trial.state === "pending") pending += charge(trial);
    else {
      levels[trial.level - 1].cost += charge(trial);
      levels[trial.level - 1].count += 1;
    }
  }
  const part = (cost: number, style: Record<string, string>, kind = "") =>
    h("i", { class: kind, style: { width: `${(100 * cost) / task.budget}%`, ...style } });
  const words = levels.map(({ name, cost, count }) => `${plural(count, "trial")} at ${name} for ${short(cost)}`);
  if (pending > 0) words.push(`${short(pending)} being evaluated`);
  return h(
    "div",
    { class: "bar-line" },
    h("span", {}, task.task),
    h(
      "div",
      { class: "bar", style: { width: `${(100 * task.budget) / largest}%` } },
      levels.map(({ cost }, i) => part(cost, { background: fidelityColour(i + 1, levels.length) })),
      part(pending, {}, "pending"),
    ),
    h("span", { class: "number", "data-spent": task.task }, `${short(task.spent)} / ${short(task.budget)}`),
    h("span", { class: "soft" }, percent(task.spent, task.budget)),
    task.state === "to_come" ? null : h("small", { class: "soft" }, words.join(", ")),
  );
}

function fidelityKey(model: CampaignModel): HTMLElement {
  const { fidelities } = model.campaign;
  const swatch = (i: number) => h("i", { class: "swatch", style: { background: fidelityColour(i + 1, fidelities.length) } });
  return h("div", { class: "key" }, fidelities.map((level, i) => h("span", {}, swatch(i), `${level.name} (${short(level.cost)} each)`)));
}
