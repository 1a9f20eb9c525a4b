// The strip of queries: every trial of a task where it was paid for, a row per fidelity, coloured by
// what it was for.

import { type Trial, charge } from "./api";
import { Canvas } from "./canvas";
import { h } from "./dom";
import { plural } from "./format";
import type { CampaignModel } from "./model";
import { AIMS, aimColour, colour } from "./theme";

const ROW = 13;

/** A strip per task that has begun. */
export function queryStrip(model: CampaignModel, only?: string): Canvas {
  const shown = () => model.begun().filter((task) => only === undefined || task.task === only);
  const levels = () => model.campaign.fidelities.length;
  const block = () => levels() * ROW + 12;
  const height = () => Math.max(1, shown().length) * block() + 6;
  const label = () => `Trials in the order of payment. ${shown().map((task) => `${task.task}: ${counts(model, task.task)}`).join("; ")}.`;
  return new Canvas(label, height, (context, width) => {
    const left = only !== undefined ? 76 : width < 480 ? 142 : 150;
    const largest = Math.max(...model.campaign.task_list.map((task) => task.budget), 1e-9);
    shown().forEach((task, i) => {
      const top = i * block() + 2;
      frame(context, model, task.task, { top, left, width, only: only !== undefined });
      const scale = (width - left - 8) / (only === undefined ? largest : task.budget);
      ticks(context, model.trialsOf(task.task), { top, left, scale, levels: levels() });
    });
  });
}

/** How many trials of a task each fidelity had, and how they ended. */
function counts(model: CampaignModel, task: string): string {
  const trials = model.trialsOf(task).filter(Boolean);
  const levels = model.campaign.fidelities.map((level, k) => `${trials.filter((trial) => trial.level === k + 1).length} at ${level.name}`);
  const ended = (["failed", "pending"] as const).map((state) => [trials.filter((trial) => trial.state === state).length, state] as const);
  const broken = trials.filter((trial) => trial.feasible === false).length;
  const rest = [...ended, [broken, "infeasible"] as const].filter(([count]) => count > 0).map(([count, state]) => `${count} ${state}`);
  return [`${plural(trials.length, "trial")}, ${levels.join(", ")}`, ...rest].join(", ");
}

function frame(
  context: CanvasRenderingContext2D,
  model: CampaignModel,
  task: string,
  { top, left, width, only }: { top: number; left: number; width: number; only: boolean },
): void {
  const levels = model.campaign.fidelities;
  context.textBaseline = "middle";
  if (!only) {
    context.fillStyle = colour("ink");
    context.textAlign = "left";
    context.fillText(cut(context, task, left - 76), 2, top + (levels.length * ROW) / 2);
  }
  context.fillStyle = colour("ink-soft");
  levels.forEach((level, k) => {
    const y = top + (levels.length - 1 - k) * ROW;
    context.textAlign = "right";
    context.fillText(cut(context, level.name, 66), left - 6, y + ROW / 2);
    context.fillStyle = colour("groove");
    context.fillRect(left, y + 1, width - left - 8, ROW - 2);
    context.fillStyle = colour("ink-soft");
  });
}

export function cut(context: CanvasRenderingContext2D, text: string, room: number): string {
  if (context.measureText(text).width <= room) return text;
  let end = text.length;
  while (end > 1 && context.measureText(`${text.slice(0, end)}…`).width > room) end -= 1;
  return `${text.slice(0, end)}…`;
}

/** Trials of one colour are one path: ten thousand of them are drawn in a few milliseconds. */
function ticks(
  context: CanvasRenderingContext2D,
  trials: Trial[],
  { top, left, scale, levels }: { top: number; left: number; scale: number; levels: number },
): void {
  const paths = new Map<string, Path2D>();
  let spent = 0;
  for (const trial of trials) {
    if (!trial) continue;
    const begin = spent;
    spent += charge(trial);
    const x = left + begin * scale;
    const wide = Math.max(1, charge(trial) * scale - 1);
    const y = top + (levels - trial.level) * ROW + 1;
    const key = `${trial.state}:${aimColour(trial.aim)}`;
    let path = paths.get(key);
    if (!path) paths.set(key, (path = new Path2D()));
    if (trial.state === "failed") path.rect(x, y + ROW / 2 - 2, wide, 2);
    else if (trial.feasible === false) {
      // What breaks a bound is a broken mark.
      path.rect(x, y, wide, 4);
      path.rect(x, y + ROW - 6, wide, 4);
    } else path.rect(x, y, wide, ROW - 2);
  }
  for (const [key, path] of paths) {
    const [state, fill] = [key.slice(0, key.indexOf(":")), key.slice(key.indexOf(":") + 1)];
    context.fillStyle = state === "failed" ? colour("bad") : fill;
    context.globalAlpha = state === "pending" ? 0.4 : 1;
    context.fill(path);
    if (state === "pending") {
      context.globalAlpha = 1;
      context.strokeStyle = fill;
      context.stroke(path);
    }
  }
  context.globalAlpha = 1;
}

/** What the colours and marks of trials mean. */
export function aimKey(model: CampaignModel): HTMLElement {
  const seen = new Map(Object.entries(AIMS).map(([aim, { group, label }]) => [group, { aim, label }]));
  return h(
    "div",
    { class: "key" },
    [...seen].map(([group, { label }]) => h("span", {}, h("i", { class: `swatch aim-${group}` }), label)),
    h("span", {}, h("i", { class: "swatch failed" }), "failed"),
    model.constrained && h("span", {}, h("i", { class: "swatch infeasible" }), "infeasible: breaks a bound"),
  );
}
