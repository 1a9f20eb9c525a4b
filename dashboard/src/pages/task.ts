// A task: what its model knows, what it will ask for next and why, and its trials as they come.

import { type Constraint, type FullTrial, type Next, type Recommended, type Trial, get, taskPath } from "../api";
import { inWords, likely } from "../constraint";
import { described } from "../described";
import { card, fill, h, heading, onceAFrame } from "../dom";
import { percent, plural, point, short } from "../format";
import type { Page } from "../page";
import type { CampaignModel } from "../model";
import { Parallel } from "../parallel";
import { aimKey, queryStrip } from "../strip";
import { TrialTable, story } from "../table";
import { controls, quantityField, valueForm } from "./control";
import { SlicesView } from "./slices";

export function taskPage(model: CampaignModel, task: string): Page {
  const facts = h("div", { class: "facts" });
  const next = h("div", { class: "next" });
  const chosen = h("div", { class: "story", "aria-live": "polite" });
  const control = controls(model, task);
  const slices = new SlicesView(model, task);
  const parallel = new Parallel(model, () => [task]);
  const strip = queryStrip(model, task);
  const path = taskPath(model.campaign.campaign, task);
  const choose = (trial: Trial) => void get<FullTrial>(`${path}/trials/${trial.trial}`).then((full) => fill(chosen, ...story(full, model)));
  const table = new TrialTable(model, {
    label: `Trials of ${task}, newest first`,
    trials: () => [...model.trialsOf(task)].reverse(),
    tell: choose,
    pending: (trial, quantity) => (quantity ? quantityField(trial, quantity) : valueForm(model, trial)),
  });
  const think = thinker(model, task, { next, slices, facts: () => drawFacts() });
  let recommended: Recommended | null = null;
  const drawFacts = (now?: Recommended | null) => {
    if (now !== undefined) recommended = now;
    fill(facts, ...factsOf(model, task, recommended));
  };
  think.onRecommended = (found) => drawFacts(found);
  const update = onceAFrame(() => {
    drawFacts();
    control.update();
    parallel.update();
    strip.redraw();
    table.update();
    think.look();
  });
  const element = h(
    "div",
    { class: "page" },
    heading(task, `A task of ${[model.campaign.campaign, described(model, model.task(task))].filter(Boolean).join(": ")}.`),
    facts,
    h(
      "div",
      { class: "wide-left" },
      h(
        "div",
        { class: "stack" },
        card("What the model knows", "Expected values along each parameter with 90 % bands at every fidelity, and what the next trial would buy there.", slices.element),
        card("All points", "A line per trial through its parameters to its value; the better, the stronger.", parallel.element),
      ),
      h(
        "div",
        { class: "stack" },
        card("What comes next, and why", "The trial that the next ask will give, unless something is told before.", next),
        card("Steer", "Pause it, give it more, end it, or try a point of your own: the optimiser takes it into account.", control.element),
      ),
    ),
    card("Trials", "Newest first, as they come. Choose one, by a click or with the arrow keys and Enter, to read why it was asked for; enter a value for one that is pending.", chosen, table.element),
    card("What is asked, and what for", "Every trial where it was paid for, a row per fidelity.", strip.element, aimKey(model)),
  );
  const destroy = () => {
    think.close();
    slices.destroy();
    parallel.canvas.destroy();
    strip.destroy();
  };
  return { element, update, destroy };
}

function boundsFact(constraints: Constraint[], about: string): HTMLElement {
  const lines = constraints.map((constraint) => h("li", {}, inWords(constraint)));
  return h("div", { class: "fact bounds" }, h("ul", { "data-fact": "constraints" }, lines), h("span", {}, about));
}

function factsOf(model: CampaignModel, name: string, recommended: Recommended | null): (HTMLElement | null)[] {
  const task = model.task(name);
  if (!task) return [h("p", {}, "There is no such task.")];
  const fact = (name: string, value: string, id: string) =>
    h("div", { class: "fact" }, h("b", { "data-fact": id }, value), h("span", {}, name));
  const state = { to_come: "to come", open: "under way", paused: "paused", finished: "finished" }[task.state];
  const use = task.recommended ?? recommended;
  const kept = model.trialsOf(name).filter((trial) => trial?.feasible).length;
  const [words, value] = task.best ? [`best seen, at ${point(task.best.point, model.names)}`, short(task.best.value)] : [task.constraints ? "best seen: nothing is known to be feasible" : "best seen", "–"];
  return [
    fact(task.reason ?? "state", state, "state"),
    fact(`spent, ${percent(task.spent, task.budget)}`, `${short(task.spent)} of ${short(task.budget)}`, "spent"),
    fact("told, failed, pending", `${task.told}, ${task.failed}, ${task.pending}`, "counts"),
    task.constraints ? boundsFact(task.constraints, `bounds to keep; ${kept} of ${plural(task.told, "told trial")} known to`) : null,
    fact(words, value, "best"),
    use
      ? h(
          "div",
          { class: "fact wide" },
          h("b", { "data-fact": "use" }, point(use.point, model.names)),
          h("span", {}, `point to use: expected ${short(use.mean)}, 90 % between ${short(use.low)} and ${short(use.high)}${use.evaluated ? "" : "; not evaluated at the highest fidelity"}${likely(task, use)}`),
        )
      : h("div", { class: "fact wide" }, h("b", {}, "–"), h("span", {}, "point to use: nothing was told yet")),
  ];
}

/** Asks for what has to be computed, when something was told, and never twice at a time. */
function thinker(
  model: CampaignModel,
  task: string,
  { next, slices }: { next: HTMLElement; slices: SlicesView; facts: () => void },
) {
  const path = taskPath(model.campaign.campaign, task);
  let known = "";
  let busy = false;
  let closed = false;
  const self = {
    onRecommended: (_: Recommended | null) => undefined as void,
    close: () => {
      closed = true;
    },
    look: () => {
      const now = model.task(task);
      const key = JSON.stringify([now?.told, now?.failed, now?.pending, now?.state, now?.budget]);
      if (busy || closed || !now || key === known) return;
      known = key;
      busy = true;
      void think().finally(() => {
        busy = false;
        if (!closed) setTimeout(self.look, 150);
      });
    },
  };
  const think = async () => {
    await slices.read();
    const found = await get<{ recommended: Recommended | null }>(`${path}/recommendation`).catch(() => null);
    if (found && !closed) self.onRecommended(found.recommended);
    const pending = model.trialsOf(task).filter((trial) => trial?.state === "pending");
    const answer = await get<Next>(`${path}/next`).catch((error) => (fill(next, h("p", { class: "soft" }, error.message)), null));
    if (closed || !answer) return;
    slices.setNext(answer.next?.point ?? null);
    fill(next, ...proposed(answer, pending, model, task));
  };
  return self;
}

function proposed(answer: Next, pending: Trial[], model: CampaignModel, task: string): HTMLElement[] {
  const waiting = pending.length > 0 ? [h("p", { class: "soft" }, `Being evaluated now: ${pending.map((t) => `trial ${t.trial}`).slice(0, 6).join(", ")}${pending.length > 6 ? ", …" : ""}.`)] : [];
  if (!answer.next) {
    const state = model.task(task)?.state;
    const text = state === "finished" ? "The task is finished: what it taught was handed on." : "Nothing: what is left of the budget allows no further trial now.";
    return [h("p", {}, text), ...waiting];
  }
  const { point: at, fidelity, cost, nats_optimum, nats_transfer, why } = answer.next;
  return [
    h("p", { class: "big" }, point(at, model.names)),
    h("p", {}, h("strong", {}, fidelity), ` for a cost of ${short(cost)}`),
    nats_optimum === null
      ? h("p", { class: "soft" }, "Chosen without the model.")
      : h(
          "div",
          { class: "buys" },
          h("div", {}, h("b", { class: "optimum" }, short(nats_optimum)), h("span", {}, "nats about this task's optimum")),
          h("div", {}, h("b", { class: "future" }, short(nats_transfer)), h("span", {}, "nats for later tasks")),
        ),
    h("p", { class: "why" }, why),
    ...waiting,
  ];
}
