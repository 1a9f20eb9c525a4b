// What passes from task to task: how much, what a task expects before its first trial, and how the
// belief moved.

import { type Parameter, type Prediction, type Stage, campaignPath, get } from "../api";
import { Chart } from "../chart";
import { DescribedView } from "../described";
import { card, fill, h, heading, sideways } from "../dom";
import { brief, plural, setting, short } from "../format";
import { type Page, taskLink } from "../page";
import type { CampaignModel } from "../model";
import { axis } from "../posterior";
import { taskColour } from "../theme";

/** Names of blocks as people say them. */
const BLOCKS: Record<string, [string, string]> = {
  lengthscales: ["How far one must go for the value to change", "in shares of the parameter's range; small means that it matters much"],
  outputscale: ["How much the value varies", "in the model's units"],
  roughness: ["How rough the function is", "share of the variance that may bend from place to place; the rest is smooth"],
  fidelity: ["How coarse evaluations differ from the highest fidelity", "a parameter of the model"],
  fidelity_links: ["What a fidelity still tells of the next", "correlation with it, the coarsest first"],
  mean: ["The mean level", "in the model's units"],
  noise: ["Noise of evaluations", "variance in the model's units"],
  descriptor_lengthscales: ["How far a descriptor must go for tasks to differ", "in shares of its range; small means that it matters much"],
  relatedness: ["What tasks have in common", "share of the variance that is the same for all tasks"],
};

/** Those between 0 and 1. */
const SHARES = ["fidelity_links", "relatedness", "roughness"];

export function knowledgePage(model: CampaignModel): Page {
  const body = h("div", { class: "page" }, h("p", { class: "soft" }, "Computing what was handed on…"));
  const element = h("div", { class: "page" }, heading("Knowledge", `What passes from task to task of ${model.campaign.campaign}.`), body);
  const path = campaignPath(model.campaign.campaign);
  const over = (descriptor?: string) => (descriptor === undefined ? "" : `?over=${encodeURIComponent(descriptor)}`);
  const descriptors = model.campaign.descriptors.length > 0 ? new DescribedView(model, (name) => get<Prediction>(`${path}/predict${over(name)}`)) : null;
  if (descriptors) element.append(descriptors.element);
  let charts: Chart[] = [];
  let finished = -1;
  const update = () => {
    if (model.campaign.finished === finished) return; // knowledge changes when a task is finished
    finished = model.campaign.finished;
    void descriptors?.read();
    get<{ stages: Stage[] }>(`${path}/knowledge`)
      .then(({ stages }) => {
        charts.forEach((chart) => chart.destroy());
        charts = [];
        fill(body, ...parts(model, stages, charts));
      })
      .catch((error) => fill(body, h("p", { class: "bad" }, error.message)));
  };
  const destroy = () => [...charts, descriptors].forEach((part) => part?.destroy());
  return { element, update, destroy };
}

function parts(model: CampaignModel, stages: Stage[], charts: Chart[]): HTMLElement[] {
  if (stages.length === 0) {
    return [card("What passes from task to task", "Nothing yet: a task teaches when it is finished.")];
  }
  return [
    card(
      "What passes from task to task",
      "Each finished task adds to what is known; the next one starts from that, and from nothing else.",
      flow(model, stages),
    ),
    card(
      "What a task expects before its first trial",
      "Along each parameter, through the newest recommended point, at the highest fidelity: a line per hand-over, with the 90 % band of the newest. What was learned shows as shape; what is not known as width.",
      h("div", { class: "multiples wide" }, model.campaign.space.map((parameter) => expectation(model, stages, parameter, charts))),
    ),
    card(
      "How the belief moved",
      "Parameters of the model after each task: the mean over particles, and from the lowest to the highest.",
      h("div", { class: "multiples wide" }, moves(stages, charts)),
    ),
    card("Points that were recommended", "By the tasks that this was learned from, the newest last.", recommended(model, stages)),
  ];
}

function flow(model: CampaignModel, stages: Stage[]): HTMLElement {
  const { campaign, task_list } = model.campaign;
  const steps: HTMLElement[] = [];
  const taskBox = (name: string) => {
    const task = task_list.find((known) => known.task === name);
    const colour = taskColour((task?.number ?? 1) - 1, task_list.length);
    return h(
      "a",
      { class: "flow-task", href: taskLink(campaign, name), style: { borderColor: colour } },
      h("strong", {}, name),
      h("small", {}, task ? plural(task.told, "value") : ""),
      h("small", {}, task ? `${brief(task.spent)} spent` : ""),
      h("small", {}, task?.best ? `best ${brief(task.best.value)}` : ""),
    );
  };
  const first = task_list.find((task) => task.number === 1);
  if (first) steps.push(taskBox(first.task));
  stages.forEach((stage) => {
    steps.push(
      h(
        "div",
        { class: "flow-arrow" },
        h("b", {}, `${(stage.bytes / 1024).toFixed(0)} kB`),
        h("span", {}, plural(stage.shared, "shared observation")),
        h("span", {}, plural(stage.particles, "particle")),
        h("i", { "aria-hidden": "true" }),
      ),
    );
    const next = stage.handed_to ?? task_list[stage.tasks]?.task;
    if (stage.handed_to) steps.push(taskBox(stage.handed_to));
    else steps.push(h("div", { class: "flow-task to-come" }, h("strong", {}, next ?? "a later task"), h("small", {}, "to come")));
  });
  return sideways("Tasks and what they hand on", h("div", { class: "flow" }, steps));
}

const name = (stage: Stage) => (stage.handed_to ? `before ${stage.handed_to}` : `after ${plural(stage.tasks, "task")}`);

function expectation(model: CampaignModel, stages: Stage[], parameter: Parameter, charts: Chart[]): HTMLElement {
  const along = (stage: Stage) => stage.expected.find((slice) => slice.parameter === parameter.name);
  const shown = stages.filter(along);
  const title = h("h3", {}, parameter.name);
  const newest = shown.map(along).at(-1);
  const none = parameter.when ? `None of the recommended points has it: it is there when ${parameter.when}.` : "This method hands on no function.";
  if (!newest) return h("div", {}, title, h("p", { class: "soft" }, none));
  const { xs, xWords, logX } = axis(parameter, newest.at);
  const all = model.campaign.task_list.length + 1; // one more hand-over than tasks
  const tops = shown.map((stage) => along(stage)?.bands.at(-1));
  const newestBand = tops.at(-1);
  const lines = shown.map((stage, k) => ({
    label: name(stage),
    stroke: taskColour(stage.tasks, all),
    width: k === shown.length - 1 ? 2.5 : 1.5,
    points: xWords ? 6 : undefined,
  }));
  const last = taskColour(shown[shown.length - 1].tasks, all, 0.18);
  const edge = { stroke: "transparent", width: 0 };
  const range = newestBand ? `from ${short(Math.min(...newestBand.mean))} to ${short(Math.max(...newestBand.mean))}` : "nothing";
  const chart = new Chart(() => ({
    label: `Expected value along ${parameter.name}, ${plural(shown.length, "line")}; the newest, ${name(shown[shown.length - 1])}: ${range}.`,
    height: 190,
    x: parameter.name,
    y: "expected value",
    lines: [...lines, { label: "low", ...edge }, { label: "high", ...edge }],
    bands: [{ from: lines.length, to: lines.length + 1, fill: last }],
    xWords,
    logX,
  }));
  charts.push(chart);
  chart.update([xs, ...tops.map((band) => band?.mean ?? []), newestBand?.low ?? [], newestBand?.high ?? []]);
  const key = h("div", { class: "key" }, shown.map((stage) => h("span", {}, h("i", { class: "swatch", style: { background: taskColour(stage.tasks, all) } }), name(stage))));
  return h("div", {}, title, chart.element, parameter === model.campaign.space[0] ? key : null);
}

function moves(stages: Stage[], charts: Chart[]): HTMLElement[] {
  const last = stages.at(-1);
  if (!last || last.belief.length === 0) return [h("p", { class: "soft" }, "This method carries no belief over the model.")];
  return last.belief.map((block) => {
    const [title, about] = BLOCKS[block.name] ?? [block.name, "a parameter of the model"];
    const xs = stages.map((_, i) => i);
    const of = (stage: Stage, k: number) => stage.belief.find((b) => b.name === block.name)?.entries[k];
    const columns = block.entries.flatMap((_, k) => [
      stages.map((stage) => of(stage, k)?.mean ?? null),
      stages.map((stage) => of(stage, k)?.low ?? null),
      stages.map((stage) => of(stage, k)?.high ?? null),
    ]);
    const colourOf = (k: number, alpha = 1) => taskColour(k + 1, Math.max(2, block.entries.length + 1), alpha);
    const positive = columns.flat().every((value) => value === null || value > 0);
    const moved = block.entries.map((entry, k) => `${entry.of} ${columns[3 * k].map((value) => brief(value)).join(", ")}`.trim());
    const chart = new Chart(() => ({
      label: `${title} after each of ${plural(stages.length, "task")}: ${moved.join("; ")}.`,
      height: 170,
      x: "after tasks",
      y: "",
      lines: block.entries.flatMap((entry, k) => [
        { label: entry.of, stroke: colourOf(k), width: 2, points: 6 },
        { label: `${entry.of} low`, stroke: "transparent", width: 0 },
        { label: `${entry.of} high`, stroke: "transparent", width: 0 },
      ]),
      bands: block.entries.map((_, k) => ({ from: 3 * k + 1, to: 3 * k + 2, fill: colourOf(k, 0.18) })),
      xWords: stages.map((stage) => String(stage.tasks)),
      logY: positive && !SHARES.includes(block.name),
    }));
    charts.push(chart);
    chart.update([xs, ...columns]);
    const key = block.entries.filter((entry) => entry.of !== "");
    return h(
      "div",
      {},
      h("h3", {}, title),
      h("p", { class: "soft small" }, about),
      chart.element,
      h("div", { class: "key" }, key.map((entry, k) => h("span", {}, h("i", { class: "swatch", style: { background: colourOf(k) } }), `${entry.of} ${brief(entry.mean)}`))),
    );
  });
}

function recommended(model: CampaignModel, stages: Stage[]): HTMLElement {
  const names = model.names;
  const points = stages.at(-1)?.recommended ?? [];
  const table = h(
    "table",
    { class: "plain", "aria-label": "Points that were recommended" },
    h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "task"), names.map((name) => h("th", { scope: "col" }, name)))),
    h(
      "tbody",
      {},
      points.map((values, i) => {
        const task = model.campaign.task_list[i];
        return h("tr", {}, h("th", { scope: "row" }, task?.task ?? String(i + 1)), names.map((name) => h("td", { class: "number" }, setting(values[name]))));
      }),
    ),
  );
  return sideways("Table of recommended points", table);
}
