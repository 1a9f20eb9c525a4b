// The trials of a task, newest first: only the rows in sight exist, so that ten thousand cost no more
// than twenty. Pending ones take a value by hand.

import { type Trial, send, taskPath } from "../api";
import { fill, h, notice } from "../dom";
import { brief, setting, short } from "../format";
import type { CampaignModel } from "../model";
import { AIMS, fidelityColour } from "../theme";

const ROW = 29;
const SHOWN = 15;

export class TrialTable {
  private readonly body = h("div", { class: "rows" });
  private readonly space = h("div", { class: "space" }, this.body);
  private readonly scroll = h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Trials, newest first" }, this.space);
  readonly element: HTMLElement;
  private trials: Trial[] = [];
  private drawn = "";

  constructor(
    private readonly model: CampaignModel,
    private readonly task: string,
    private readonly choose: (trial: Trial) => void,
  ) {
    this.scroll.style.height = `${SHOWN * ROW}px`;
    this.scroll.addEventListener("scroll", () => this.draw());
    const columns = ["trial", "fidelity", ...model.names, "value", "cost", "nats here", "nats later", "what for", "by"];
    const head = h("div", { class: "row head" }, columns.map((name) => h("span", {}, name)));
    this.element = h("div", { class: "trials" }, head, this.scroll);
    const wide = `52px 96px ${model.names.map(() => "minmax(64px, 1fr)").join(" ")} minmax(110px, 1.4fr) 52px 72px 72px minmax(110px, 1.3fr) minmax(80px, 1fr)`;
    this.element.style.setProperty("--columns", wide);
  }

  update(): void {
    const all = this.model.trialsOf(this.task);
    this.trials = all;
    this.space.style.height = `${all.length * ROW}px`;
    this.scroll.style.height = `${Math.min(SHOWN, Math.max(3, all.length)) * ROW}px`;
    this.draw();
  }

  private draw(): void {
    const first = Math.max(0, Math.floor(this.scroll.scrollTop / ROW) - 3);
    const count = this.trials.length;
    const rows = [];
    for (let i = first; i < Math.min(count, first + SHOWN + 6); i += 1) rows.push(this.trials[count - 1 - i]);
    const drawn = `${first}:${rows.map((t) => `${t?.trial}${t?.state}${t?.worker}`).join()}`;
    // A row in which somebody is typing is left alone unless something changed.
    if (drawn === this.drawn) return;
    const typing = this.body.contains(document.activeElement) && document.activeElement instanceof HTMLInputElement ? document.activeElement : null;
    if (typing && rows.some((t) => t?.state === "pending" && typing.name === `value-${t.trial}`)) {
      const kept = typing.value;
      this.put(first, rows, drawn);
      const again = this.body.querySelector<HTMLInputElement>(`input[name="${typing.name}"]`);
      if (again) {
        again.value = kept;
        again.focus();
      }
      return;
    }
    this.put(first, rows, drawn);
  }

  private put(first: number, rows: (Trial | undefined)[], drawn: string): void {
    this.drawn = drawn;
    this.body.style.transform = `translateY(${first * ROW}px)`;
    fill(this.body, ...rows.map((trial) => (trial ? this.row(trial) : h("div", { class: "row" }))));
  }

  private row(trial: Trial): HTMLElement {
    const levels = this.model.campaign.fidelities.length;
    const best = this.model.task(this.task)?.best?.trial === trial.trial;
    const value =
      trial.state === "pending"
        ? this.byHand(trial)
        : h("span", { class: `number ${trial.state}`, title: trial.reason ?? undefined }, trial.state === "failed" ? "failed" : short(trial.value));
    return h(
      "div",
      { class: `row ${trial.state}${best ? " best" : ""}`, onclick: () => this.choose(trial), "data-trial": trial.trial },
      h("span", { class: "number" }, trial.trial),
      h("span", {}, h("i", { class: "swatch", style: { background: fidelityColour(trial.level, levels) } }), trial.fidelity),
      this.model.names.map((name) => h("span", { class: "number" }, setting(trial.point[name]))),
      value,
      h("span", { class: "number" }, trial.charged ? brief(trial.cost) : "free"),
      h("span", { class: "number" }, brief(trial.nats_optimum)),
      h("span", { class: "number" }, brief(trial.nats_transfer)),
      h("span", { class: "cut" }, AIMS[trial.aim]?.label ?? trial.aim),
      h("span", { class: "cut", title: trial.worker ?? undefined }, trial.worker ?? "nobody"),
    );
  }

  private byHand(trial: Trial): HTMLElement {
    const name = `value-${trial.trial}`;
    const label = `Value of trial ${trial.trial}`;
    const input = h("input", { name, placeholder: "value…", inputmode: "decimal", "aria-label": label, onclick: (e: Event) => e.stopPropagation() });
    const path = `${taskPath(this.model.campaign.campaign, this.task)}/trials/${trial.trial}`;
    const told = (call: Promise<unknown>) =>
      call.then(() => notice(`Trial ${trial.trial} was answered.`)).catch((error) => notice(error.message, "bad"));
    const submit = (event: Event) => {
      event.preventDefault();
      const value = Number(input.value.replace(",", "."));
      if (input.value.trim() === "" || !Number.isFinite(value)) notice("A value is a number.", "bad");
      else void told(send("POST", `${path}/tell`, { value }));
    };
    const fail = (event: Event) => {
      event.stopPropagation();
      void told(send("POST", `${path}/fail`, { reason: "given up by hand" }));
    };
    return h(
      "form",
      { class: "by-hand", onsubmit: submit },
      input,
      h("button", { type: "submit", class: "small" }, "tell"),
      h("button", { type: "button", class: "small quiet", onclick: fail, title: "Report that it cannot be evaluated" }, "fail"),
    );
  }
}
