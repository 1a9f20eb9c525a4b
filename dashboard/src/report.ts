// The report: one page that carries its data and is read without any service. What it opens with is text already;
// here the pictures are drawn below, with the dashboard's own.

import "./style.css";
import "./report.css";
import type { Campaign, FullTrial, Point, Prediction, Slice } from "./api";
import { DescribedView } from "./described";
import { card, fill, h } from "./dom";
import { plural, point, short } from "./format";
import { type Insight, InsightView } from "./insight";
import { CampaignModel } from "./model";
import { Parallel } from "./parallel";
import { feasibility, feasibilityData, place, posterior, posteriorData } from "./posterior";
import { Race } from "./race";
import { budgetBars } from "./spent";
import { aimKey, queryStrip } from "./strip";
import { TrialTable, story } from "./table";
import { applyTheme, colour, taskColour } from "./theme";

/** What the page carries. */
interface Told {
  campaign: Campaign;
  /** of every task that has begun, in their order */
  tasks: {
    trials: FullTrial[];
    through: Point | null;
    slices: Slice[];
    /** why there are no slices */
    trouble: string | null;
  }[];
  /** over each descriptor, the one that matters most first; none where tasks are not described */
  predictions: Prediction[];
  insight: Insight | null;
  /** why there is none */
  no_insight: string | null;
}

const told = JSON.parse(document.getElementById("data")?.textContent ?? "") as Told;
const model = new CampaignModel(told.campaign);
const begun = model.begun();
begun.forEach((task, i) => model.trials.set(task.task, told.tasks[i].trials.map((trial) => model.placed(trial))));
const hidden = new Set<string>();
const shown = () => begun.filter((task) => !hidden.has(task.task));

/** A button per task, which leaves it out or takes it in again. */
function chips(draw: () => void): HTMLElement[] {
  return begun.map(({ task, number, spent, budget, state }) => {
    const press = () => {
      if (!hidden.delete(task)) hidden.add(task);
      draw();
    };
    const words = `${task}: ${short(spent)} of ${short(budget)}${state === "finished" ? "" : `, ${state}`}`;
    const swatch = h("i", { class: "swatch", style: { background: taskColour(number - 1, told.campaign.task_list.length) } });
    return h("button", { type: "button", name: task, "aria-pressed": String(!hidden.has(task)), onclick: press }, swatch, words);
  });
}

/** The slices of one task, which is chosen. */
function slices(): HTMLElement {
  const words = h("p", { class: "hover-words" });
  const grid = h("div", { class: "multiples wide" });
  const choice = h("select", { id: "task" }, begun.map(({ task }, i) => h("option", { value: i }, task)));
  choice.value = String(begun.length - 1);
  let charts: { destroy: () => void }[] = [];
  const show = () => {
    charts.forEach((chart) => chart.destroy());
    charts = [];
    const { through, slices, trials, trouble } = told.tasks[Number(choice.value)];
    words.textContent = through && slices.length > 0 ? `Through the recommended point: ${point(through, model.names)}.` : (trouble ?? "Nothing was told yet.");
    const limits = all(slices);
    const task = begun[Number(choice.value)];
    const highest = (task.fidelities ?? told.campaign.fidelities).at(-1)?.name;
    const top = trials.filter((trial) => trial.fidelity === highest && trial.value !== null);
    const made = slices.map((slice) => {
      const parameter = model.parameter(slice.parameter);
      const having = top.filter((trial) => parameter.name in trial.point);
      const counts = model.counts(task.task);
      const dots = () => having.map((trial) => ({ x: place(parameter, slice.at, trial.point[parameter.name]) ?? 0, y: trial.value as number, fill: colour("dot"), size: 2.5, hollow: !counts(trial) }));
      const seen = () => through && { slice, through };
      const chart = posterior(model, parameter, slice, seen, () => ({ height: 200, dots, ...(slice.feasible ? { x: "", hideX: true } : {}), limits: () => limits }));
      chart.update(posteriorData(parameter, slice));
      if (!slice.feasible) return [chart];
      const holds = feasibility(parameter, slice, seen, () => ({}));
      holds.update(feasibilityData(parameter, slice));
      return [chart, holds];
    });
    charts = made.flat();
    fill(grid, made.map((pair) => h("div", {}, pair.map((chart) => chart.element))));
  };
  choice.addEventListener("change", show);
  show();
  return h("div", {}, h("label", {}, "task ", choice), words, grid);
}

/** What descriptors tell, where there are any. */
function descriptors(): HTMLElement[] {
  const known = told.predictions;
  if (known.length === 0) return [];
  const view = new DescribedView(model, async (name) => known.find(({ over }) => over?.descriptor === name) ?? known[0]);
  void view.read();
  return [view.element];
}

/** What the campaign taught. */
function insight(): HTMLElement {
  if (!told.insight) return card("What matters", told.no_insight ?? "Nothing is known yet.");
  const view = new InsightView();
  view.show(told.insight);
  return view.element;
}

/** What all slices of a task cover, so that they can be compared. */
function all(slices: Slice[]): [number, number] {
  const ends = slices.flatMap((slice) => slice.bands.flatMap((band) => [...band.low, ...band.high]));
  return [ends.reduce((a, b) => Math.min(a, b), Infinity), ends.reduce((a, b) => Math.max(a, b), -Infinity)];
}

function page(): HTMLElement[] {
  const buttons = h("div", { class: "buttons", role: "group", "aria-label": "Tasks that are drawn" });
  const bars = h("div", { class: "bars" });
  const chosen = h("div", { class: "story", id: "chosen", "aria-live": "polite" });
  const race = new Race(model, shown);
  const parallel = new Parallel(model, () => shown().map(({ task }) => task));
  const table = new TrialTable(model, {
    label: "Trials of the tasks that are drawn",
    trials: () => shown().flatMap(({ task }) => model.trialsOf(task)),
    tell: (trial) => fill(chosen, ...story(trial as FullTrial, model)),
    ledger: true,
  });
  table.element.id = "ledger";
  const strip = queryStrip(model);
  const draw = () => {
    fill(buttons, chips(draw));
    fill(bars, ...budgetBars(model));
    [race, parallel, table].forEach((part) => part.update());
  };
  draw();
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
    applyTheme();
    draw();
    window.dispatchEvent(new Event("redraw"));
  });
  return [
    buttons,
    card(
      "Best value against cost",
      "The best value seen at the highest fidelity, as the budget is spent. Later tasks that start nearer to the goal, or reach it sooner, do so thanks to what earlier ones taught.",
      race.element,
    ),
    h(
      "div",
      { class: "halves" },
      card("What is spent", "Each task's budget, by fidelity; what is left is empty.", bars),
      card("What was asked, and what for", "Every trial where it was paid for, a row per fidelity.", strip.element, aimKey(model)),
    ),
    card(
      "Slices of the posterior",
      "What the model expects at the highest fidelity when one parameter moves away from the recommended point (dashed line), with 90 % intervals. Dots are values seen at the highest fidelity, anywhere in the other parameters" + (model.constrained ? "; hollow ones break a bound, or are not known to keep all. Below: how likely all constraints are to hold." : "."),
      slices(),
    ),
    insight(),
    ...descriptors(),
    card("Parallel coordinates", "A line per trial through its parameters to its value; the better, the stronger.", parallel.element),
    card(
      "Ledger",
      "What each trial cost and how many nats it was expected to buy. Choose a heading to sort; choose a trial, by a click or with the arrow keys and Enter, to read why it was asked for.",
      chosen,
      table.element,
    ),
  ];
}

applyTheme();
const { campaign } = told;
const summary = `${campaign.goal}${model.subject}, method ${campaign.method}, seed ${campaign.seed}: ${campaign.finished} of ${plural(campaign.tasks, "task")} finished; ${plural(campaign.trials, "trial")}.`;
fill(document.getElementById("summary") as HTMLElement, summary);
if (begun.length > 0) document.getElementById("main")?.append(...page());
