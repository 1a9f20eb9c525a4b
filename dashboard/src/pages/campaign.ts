// A campaign: best so far against cost over all tasks, what was asked at which fidelity, what was spent
// and what it bought.

import { Chart, type Line } from "../chart";
import { likely } from "../constraint";
import { described } from "../described";
import { card, fill, h, heading, onceAFrame } from "../dom";
import { brief, plural, point, short } from "../format";
import { type Page, insightLink, knowledgeLink, taskLink } from "../page";
import type { CampaignModel } from "../model";
import { Race } from "../race";
import { budgetBars } from "../spent";
import { aimKey, queryStrip } from "../strip";
import { colour, taskColour } from "../theme";

export function campaignPage(model: CampaignModel): Page {
  const facts = h("div", { class: "facts" });
  const verdict = h("p", { class: "verdict" });
  const legend = h("div", { class: "legend" });
  const bars = h("div", { class: "bars" });
  const race = new Race(model);
  const nats = new Chart(() => natsSpec(model));
  const strip = queryStrip(model);
  const update = onceAFrame(() => {
    fill(facts, ...factsOf(model));
    verdict.textContent = verdictOf(model);
    race.update();
    fill(legend, ...legendOf(model));
    fill(bars, ...budgetBars(model));
    strip.redraw();
    nats.update(natsData(model));
  });
  const element = h(
    "div",
    { class: "page" },
    heading(model.campaign.campaign, `A campaign of ${plural(model.campaign.tasks, "task")}: ${model.campaign.goal}${model.subject}.`),
    facts,
    h(
      "div",
      { class: "wide-left" },
      card(
        "Best so far, task by task",
        "All tasks over the same axis of cost: where later lines start lower or fall sooner, what was handed on paid.",
        verdict,
        race.element,
      ),
      card("Tasks", "Grey started from nothing; the brighter, the more tasks it learned from.", legend),
    ),
    h(
      "div",
      { class: "halves" },
      card("What is spent", "Each task's budget, by fidelity; what is left is empty.", bars),
      card("What it buys", "Nats per unit of cost that each trial was expected to buy, in the order of asking.", nats.element, natsKey()),
    ),
    card("What is asked, and what for", "Every trial where it was paid for, a row per fidelity.", strip.element, aimKey(model)),
  );
  const destroy = () => [race.chart, nats, strip].forEach((part) => part.destroy());
  return { element, update, destroy };
}

function factsOf(model: CampaignModel): HTMLElement[] {
  const { campaign } = model;
  const fact = (name: string, value: string, id: string) =>
    h("div", { class: "fact" }, h("b", { "data-fact": id }, value), h("span", {}, name));
  const present = campaign.task ?? (campaign.state === "finished" ? "all finished" : "none yet");
  return [
    fact("task under way", present, "task"),
    fact("tasks finished", `${campaign.finished} of ${campaign.tasks}`, "finished"),
    fact("trials", String(campaign.trials), "trials"),
    fact("spent", `${short(campaign.spent)} of ${short(campaign.budget)}`, "spent"),
    fact("method", campaign.method, "method"),
  ];
}

/** What was handed on, in a sentence: the cost at which the first and the last task were as good as all came to be. */
function verdictOf(model: CampaignModel): string {
  const tasks = model.begun().map((task) => ({ task, ...model.bestSoFar(task.task) }));
  const told = tasks.filter(({ best }) => best.length > 0);
  const [first, last] = [told[0], told.at(-1)];
  if (!first || !last || first === last) {
    return "The first task starts from nothing; later ones will be compared with it.";
  }
  const finals = [first, last].map(({ best }) => best.at(-1) as number);
  const end = model.better(finals[0], finals[1]) ? finals[1] : finals[0];
  const goal = end + 0.01 * ((first.best[0] as number) - end); // all but the last hundredth of the way
  const reached = ({ cost, best }: typeof first) => cost[best.findIndex((value) => value === goal || model.better(value as number, goal))];
  if (reached(last) === undefined || reached(first) === undefined) return "";
  const learned = plural(last.task.number - 1, "task");
  return `${first.task.task} started from nothing and was at ${brief(goal)} after a cost of ${brief(reached(first))}; ${last.task.task}, which learned from ${learned}, after ${brief(reached(last))}.`;
}

function legendOf(model: CampaignModel): HTMLElement[] {
  const { campaign } = model;
  const row = (task: (typeof campaign.task_list)[number]) => {
    const result = task.recommended
      ? `use ${point(task.recommended.point, model.names)}${task.recommended.evaluated ? "" : " (not evaluated at the highest fidelity)"}${likely(task, task.recommended)}`
      : task.state === "paused"
        ? `paused: ${task.reason ?? ""}`
        : task.state === "to_come"
          ? "to come"
          : `${plural(task.pending, "trial")} being evaluated`;
    return h(
      "a",
      { class: `legend-line ${task.state}`, href: task.state === "to_come" ? undefined : taskLink(campaign.campaign, task.task) },
      h("i", { class: "swatch", style: { background: taskColour(task.number - 1, campaign.task_list.length) } }),
      h("strong", {}, task.task),
      h("span", { class: "number", "data-best": task.task }, task.best ? short(task.best.value) : "–"),
      described(model, task) ? h("small", { "data-describe": task.task }, described(model, task)) : null,
      task.changes.length > 0 ? h("small", { "data-changes": task.task }, `from here on: ${task.changes.join("; ")}`) : null,
      h("small", {}, result),
    );
  };
  return [
    ...campaign.task_list.map(row),
    h("a", { class: "legend-line more", href: insightLink(campaign.campaign) }, "What matters, and how far to trust it →"),
    h("a", { class: "legend-line more", href: knowledgeLink(campaign.campaign) }, "What passes from task to task →"),
  ];
}

const OPTIMUM = () => colour("aim-optimum");
const FUTURE = () => colour("aim-future");

function natsSpec(model: CampaignModel) {
  const lines: Line[] = [
    { label: "this task", stroke: OPTIMUM(), scatter: true, points: 5 },
    { label: "later tasks", stroke: FUTURE(), scatter: true, points: 5 },
  ];
  const starts = () => {
    let count = 0;
    return model.begun().map((task, i) => {
      const mark = { at: count, stroke: taskColour(i, model.campaign.task_list.length, 0.8), dash: [3, 3], label: task.task };
      count += model.trialsOf(task.task).length;
      return mark;
    });
  };
  return { label: natsLabel(model), height: 190, x: "trial", y: "nats per unit of cost", lines, logY: true, upright: starts };
}

function natsData(model: CampaignModel): (number | null)[][] {
  const trials = model.begun().flatMap((task) => model.trialsOf(task.task));
  // On a log scale: what is nothing at all is left out.
  const rate = (nats: number | null, cost: number) => (nats !== null && nats / cost > 1e-6 ? nats / cost : null);
  return [
    trials.map((_, i) => i),
    trials.map((trial) => rate(trial.nats_optimum, trial.cost)),
    trials.map((trial) => rate(trial.nats_transfer, trial.cost)),
  ];
}

function natsLabel(model: CampaignModel): string {
  const [trials, here, later] = natsData(model);
  const span = (values: (number | null)[]) => {
    const known = values.filter((value) => value !== null);
    return known.length > 0 ? `from ${brief(known.reduce((a, b) => Math.min(a, b)))} to ${brief(known.reduce((a, b) => Math.max(a, b)))}` : "none";
  };
  return `Nats per unit of cost of ${plural(trials.length, "trial")}: about this task's optimum ${span(here)}, for later tasks ${span(later)}.`;
}

function natsKey(): HTMLElement {
  const dot = (name: string, text: string) => h("span", {}, h("i", { class: `swatch round aim-${name}` }), text);
  return h("div", { class: "key" }, dot("optimum", "about this task's optimum"), dot("future", "for later tasks, where the method counts that"));
}
