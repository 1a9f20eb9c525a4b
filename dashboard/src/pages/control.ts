// A human in the loop: pause and continue a task, extend its budget, finish it, propose a point.

import { type Task, type Trial, send, taskPath } from "../api";
import { fill, h, notice } from "../dom";
import { short } from "../format";
import type { CampaignModel } from "../model";

/** Buttons and forms of a task; `update` after changes. */
export function controls(model: CampaignModel, task: string): { element: HTMLElement; update: () => void } {
  const path = taskPath(model.campaign.campaign, task);
  const tried = (call: Promise<unknown>, done: string) =>
    call.then(() => notice(done)).catch((error) => notice(error.message, "bad"));
  const buttons = h("div", { class: "buttons" });
  const button = (text: string, onclick: () => unknown, kind = "") => h("button", { type: "button", class: kind, onclick }, text);
  const own = proposal(model, model.task(task) ?? {}, path, tried);
  let drawn = "";
  const update = () => {
    const now = model.task(task);
    const key = JSON.stringify([now?.state, now?.budget]);
    if (!now || key === drawn) return;
    drawn = key;
    const actions: HTMLElement[] = [];
    if (now.state === "open") {
      actions.push(button("Pause", () => tried(send("POST", `${path}/pause`, { reason: "paused by hand" }), "The task is paused.")));
    }
    if (now.state === "paused") {
      actions.push(button("Continue", () => tried(send("POST", `${path}/continue`), "The task goes on.")));
    }
    if (now.state === "open" || now.state === "paused") {
      actions.push(budgetForm(now, (total) => tried(send("PUT", `${path}/budget`, { total }), `The budget is ${short(total)} now.`)));
      actions.push(
        button("Finish", () => confirm("End this task and hand on what it taught? Pending trials are given up.") && tried(send("POST", `${path}/finish`), "The task is finished."), "quiet"),
      );
    }
    own.hidden = now.state === "finished";
    fill(buttons, ...(own.hidden ? [h("p", { class: "soft" }, "The task is finished: nothing about it changes any more.")] : actions));
  };
  return { element: h("div", { class: "controls" }, buttons, own), update };
}

function budgetForm(task: Task, raise: (total: number) => unknown): HTMLElement {
  const input = h("input", { type: "number", step: "any", min: task.budget, value: task.budget, "aria-label": "New budget", name: "budget" });
  const submit = (event: Event) => {
    event.preventDefault();
    raise(Number(input.value));
  };
  return h("form", { class: "inline-form", onsubmit: submit }, input, h("button", { type: "submit" }, "Extend budget"));
}

/** A point of one's own. */
function proposal(
  model: CampaignModel,
  present: Pick<Task, "space" | "fidelities">,
  path: string,
  tried: (call: Promise<unknown>, done: string) => unknown,
): HTMLElement {
  const space = present.space ?? model.campaign.space;
  const fidelities = present.fidelities ?? model.campaign.fidelities;
  const inputs = space.map((parameter) => {
    // What is there under a condition only may be left empty.
    const common = { name: `point-${parameter.name}`, "aria-label": parameter.name, required: !parameter.when && parameter.fixed === undefined, title: parameter.when && `when ${parameter.when}` };
    if (parameter.choices) {
      const none = parameter.when ? [h("option", { value: "" }, "–")] : [];
      return h("select", common, none, parameter.choices.map((choice, i) => h("option", { value: i }, String(choice))));
    }
    return h("input", { ...common, type: "number", step: "any", min: parameter.low, max: parameter.high, placeholder: parameter.name });
  });
  const level = h("select", { "aria-label": "Fidelity", name: "fidelity" }, fidelities.map((f) => h("option", { value: f.name }, f.name)));
  level.value = fidelities[fidelities.length - 1].name;
  const submit = (event: Event) => {
    event.preventDefault();
    const entries = space.flatMap((parameter, i) => {
      const value = inputs[i].value;
      if (value === "") return [];
      return [[parameter.name, parameter.choices ? parameter.choices[Number(value)] : Number(value)]];
    });
    const body = { point: Object.fromEntries(entries), fidelity: level.value };
    void tried(send("POST", `${path}/trials`, body), "The point waits to be evaluated.");
  };
  return h(
    "details",
    { class: "proposal" },
    h("summary", {}, "Propose a point of your own"),
    h(
      "form",
      { class: "inline-form", onsubmit: submit },
      space.map((parameter, i) => h("label", {}, parameter.name, inputs[i])),
      h("label", {}, "fidelity", level),
      h("button", { type: "submit" }, "Propose"),
    ),
  );
}

/** A field for what was measured in a pending trial besides its value: part of the form of its value. */
export function quantityField(trial: Trial, quantity: string): HTMLElement {
  const name = `${quantity} of ${trial.trial}`;
  const stop = (event: Event) => event.stopPropagation();
  return h("input", { class: "quantity", form: formOf(trial), name, "data-quantity": quantity, placeholder: `${quantity}…`, inputmode: "decimal", "aria-label": `${quantity} of trial ${trial.trial}`, onclick: stop });
}

const formOf = (trial: Trial): string => `tell-${trial.trial}`;
const number = (text: string): number => (text.trim() === "" ? NaN : Number(text.replace(",", ".")));

/** The value of a pending trial, by hand. */
export function valueForm(model: CampaignModel, trial: Trial): HTMLElement {
  const name = `value-${trial.trial}`;
  const input = h("input", { name, placeholder: "value…", inputmode: "decimal", "aria-label": `Value of trial ${trial.trial}` });
  const path = `${taskPath(model.campaign.campaign, trial.task)}/trials/${trial.trial}`;
  const told = (call: Promise<unknown>) =>
    call.then(() => notice(`Trial ${trial.trial} was answered.`)).catch((error) => notice(error.message, "bad"));
  const submit = (event: Event) => {
    event.preventDefault();
    const value = number(input.value);
    const fields = [...form.elements].filter((one) => one instanceof HTMLInputElement && one.dataset.quantity && one.value.trim()) as HTMLInputElement[];
    const constraints = Object.fromEntries(fields.map((field) => [field.dataset.quantity as string, number(field.value)]));
    if (![value, ...Object.values(constraints)].every(Number.isFinite)) notice("A value is a number.", "bad");
    else void told(send("POST", `${path}/tell`, { value, constraints }));
  };
  const fail = () => void told(send("POST", `${path}/fail`, { reason: "given up by hand" }));
  const form = h(
    "form",
    { class: "by-hand", id: formOf(trial), onsubmit: submit, onclick: (event: Event) => event.stopPropagation() },
    input,
    h("button", { type: "submit", class: "small", "aria-label": `tell trial ${trial.trial}` }, "tell"),
    h("button", { type: "button", class: "small quiet", onclick: fail, "aria-label": `fail trial ${trial.trial}: it cannot be evaluated` }, "fail"),
  );
  return form;
}
