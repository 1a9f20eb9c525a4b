// The trials of a task, newest first: only the rows in sight exist, so that ten thousand cost no more
// than twenty. Pending ones take a value by hand.

import { type Trial, send, taskPath } from "../api";
import { fill, h, notice, sideways } from "../dom";
import { brief, setting, short } from "../format";
import type { CampaignModel } from "../model";
import { AIMS, fidelityColour } from "../theme";

const ROW = 33;
const SHOWN = 15;
/** How far keys go from row to row. */
const STEPS: Record<string, number> = { ArrowDown: 1, ArrowUp: -1, PageDown: SHOWN, PageUp: -SHOWN, Home: -Infinity, End: Infinity };

export class TrialTable {
  private readonly body = h("tbody");
  private readonly table: HTMLTableElement;
  readonly element: HTMLElement;
  private trials: Trial[] = [];
  private drawn = "";
  /** the trial at which the keyboard enters the table; none: the newest in sight */
  private stop: number | null = null;
  private chosen: number | null = null;

  constructor(
    private readonly model: CampaignModel,
    private readonly task: string,
    private readonly tell: (trial: Trial) => void,
  ) {
    const columns: [string, number][] = [
      ["trial", 60],
      ["fidelity", 100],
      ["value", 160],
      ...model.names.map((name): [string, number] => [name, 98]),
      ["cost", 56],
      ["nats here", 80],
      ["nats later", 80],
      ["what for", 244],
      ["by", 110],
    ];
    this.table = h(
      "table",
      { class: "trials", "aria-label": `Trials of ${task}, newest first` },
      h("colgroup", {}, columns.map(([, width]) => h("col", { style: { width: `${width}px` } }))),
      h("thead", {}, h("tr", {}, columns.map(([name]) => h("th", { scope: "col" }, name)))),
      this.body,
    );
    this.table.style.minWidth = `${columns.reduce((sum, [, width]) => sum + width, 0)}px`;
    this.element = sideways("Trials, newest first", this.table);
    this.element.addEventListener("scroll", () => this.draw());
    this.body.addEventListener("keydown", (event) => this.move(event));
  }

  update(): void {
    this.trials = this.model.trialsOf(this.task);
    this.table.setAttribute("aria-rowcount", String(this.trials.length + 1));
    this.element.style.maxHeight = `${(SHOWN + 1.5) * ROW}px`;
    this.draw();
  }

  private draw(): void {
    const count = this.trials.length;
    const first = Math.max(0, Math.min(count - SHOWN, Math.floor(this.element.scrollTop / ROW) - 3));
    const last = Math.min(count, first + SHOWN + 7);
    const places = Array.from({ length: last - first }, (_, i) => first + i);
    const ids = places.map((place) => count - 1 - place);
    const stop = this.stop !== null && ids.includes(this.stop) ? this.stop : ids[Math.min(3, first)];
    const best = this.model.task(this.task)?.best?.trial;
    const states = ids.map((id) => [this.trials[id]?.state, this.trials[id]?.worker]);
    // A row in which somebody is typing is left alone unless something changed.
    const drawn = JSON.stringify([count, first, stop, best, this.chosen, states]);
    if (drawn === this.drawn) return;
    this.drawn = drawn;
    const inside = this.body.contains(document.activeElement);
    const space = (rows: number) => rows > 0 && h("tr", { "aria-hidden": "true", style: { height: `${rows * ROW}px` } });
    const rows = ids.map((id) => (this.trials[id] ? this.row(this.trials[id], id === stop, id === best) : h("tr")));
    fill(this.body, space(first), rows, space(count - last));
    if (inside && !this.body.contains(document.activeElement)) this.element.focus({ preventScroll: true });
  }

  /** From row to row by keyboard. */
  private move(event: KeyboardEvent): void {
    const from = event.target instanceof HTMLButtonElement && /^trial-(\d+)$/.exec(event.target.name);
    const step = STEPS[event.key];
    if (!from || step === undefined) return;
    event.preventDefault();
    const count = this.trials.length;
    const place = Math.max(0, Math.min(count - 1, count - 1 - Number(from[1]) + step));
    this.stop = count - 1 - place;
    const room = this.element.clientHeight - ROW; // under the heading
    const above = place * ROW;
    const seen = this.element.scrollTop;
    if (above < seen) this.element.scrollTop = above;
    else if (above + ROW > seen + room) this.element.scrollTop = above + ROW - room;
    this.draw();
    this.body.querySelector<HTMLElement>(`[name="trial-${this.stop}"]`)?.focus({ preventScroll: true });
  }

  private choose(trial: Trial): void {
    this.stop = this.chosen = trial.trial;
    this.draw();
    this.tell(trial);
  }

  private row(trial: Trial, stop: boolean, best: boolean): HTMLElement {
    const levels = this.model.campaign.fidelities.length;
    const number = (text: string) => h("td", { class: "number" }, text);
    const opener = { type: "button", name: `trial-${trial.trial}`, tabindex: stop ? "0" : "-1", "aria-current": this.chosen === trial.trial && "true" };
    const value =
      trial.state === "pending"
        ? h("td", {}, this.byHand(trial))
        : h("td", { class: `number ${trial.state}` }, trial.state === "failed" ? "failed" : short(trial.value));
    return h(
      "tr",
      {
        class: `${trial.state}${best ? " best" : ""}${this.chosen === trial.trial ? " chosen" : ""}`,
        onclick: () => this.choose(trial),
        "data-trial": trial.trial,
        "aria-rowindex": this.trials.length - trial.trial + 1,
      },
      h("th", { scope: "row" }, h("button", { ...opener, "aria-label": `Trial ${trial.trial}, why it was chosen` }, trial.trial)),
      h("td", {}, h("i", { class: "swatch", style: { background: fidelityColour(trial.level, levels) } }), trial.fidelity),
      value,
      this.model.names.map((name) => number(setting(trial.point[name]))),
      number(trial.charged ? brief(trial.cost) : "free"),
      number(brief(trial.nats_optimum)),
      number(brief(trial.nats_transfer)),
      h("td", {}, AIMS[trial.aim]?.label ?? trial.aim),
      h("td", {}, trial.worker ?? "nobody"),
    );
  }

  private byHand(trial: Trial): HTMLElement {
    const name = `value-${trial.trial}`;
    const input = h("input", { name, placeholder: "value…", inputmode: "decimal", "aria-label": `Value of trial ${trial.trial}` });
    const path = `${taskPath(this.model.campaign.campaign, this.task)}/trials/${trial.trial}`;
    const told = (call: Promise<unknown>) =>
      call.then(() => notice(`Trial ${trial.trial} was answered.`)).catch((error) => notice(error.message, "bad"));
    const submit = (event: Event) => {
      event.preventDefault();
      const value = Number(input.value.replace(",", "."));
      if (input.value.trim() === "" || !Number.isFinite(value)) notice("A value is a number.", "bad");
      else void told(send("POST", `${path}/tell`, { value }));
    };
    const fail = () => void told(send("POST", `${path}/fail`, { reason: "given up by hand" }));
    return h(
      "form",
      { class: "by-hand", onsubmit: submit, onclick: (event: Event) => event.stopPropagation() },
      input,
      h("button", { type: "submit", class: "small", "aria-label": `tell trial ${trial.trial}` }, "tell"),
      h("button", { type: "button", class: "small quiet", onclick: fail, "aria-label": `fail trial ${trial.trial}: it cannot be evaluated` }, "fail"),
    );
  }
}
