// A table of trials: only the rows in sight exist, so that ten thousand cost no more than twenty. One stop of the
// keyboard for all rows; the arrows go on from there.

import { type FullTrial, type Trial, charge } from "./api";
import { others, told } from "./constraint";
import { fill, h, sideways } from "./dom";
import { brief, point, setting, short } from "./format";
import type { CampaignModel } from "./model";
import { AIMS, fidelityColour } from "./theme";

const ROW = 33;
const SHOWN = 15;
/** How far keys go from row to row. */
const STEPS: Record<string, number> = { ArrowDown: 1, ArrowUp: -1, PageDown: SHOWN, PageUp: -SHOWN, Home: -Infinity, End: Infinity };

/** What stands under a heading, and what rows are sorted by. */
interface Column {
  name: string;
  width: number;
  cell: (trial: Trial) => HTMLElement;
  rank: (trial: Trial) => number | string | null;
}

export interface Options {
  label: string;
  /** the trials in their order */
  trials: () => Trial[];
  /** called when one is chosen */
  tell: (trial: Trial) => void;
  /** a ledger: trials of several tasks, with what they bought for their cost, sorted by any column */
  ledger?: boolean;
  /** what stands in place of a value that is not known yet: of the objective, or of the quantity of that name */
  pending?: (trial: Trial, quantity?: string) => Node;
}

export class TrialTable {
  private readonly head = h("tr");
  private readonly body = h("tbody");
  private readonly table: HTMLTableElement;
  readonly element: HTMLElement;
  private readonly columns: Column[];
  private rows: Trial[] = [];
  private drawn = "";
  private sorted: { column: Column; down: boolean } | null = null;
  /** the trial at which the keyboard enters the table; none: the first in sight */
  private stop: string | null = null;
  private chosen: string | null = null;

  constructor(
    private readonly model: CampaignModel,
    private readonly options: Options,
  ) {
    this.columns = columns(model, options);
    this.table = h(
      "table",
      { class: "trials", "aria-label": options.label },
      h("colgroup", {}, this.columns.map(({ width }) => h("col", { style: { width: `${width}px` } }))),
      h("thead", {}, this.head),
      this.body,
    );
    this.table.style.minWidth = `${this.columns.reduce((sum, { width }) => sum + width, 0)}px`;
    this.element = sideways(options.label, this.table);
    this.element.style.maxHeight = `${(SHOWN + 1.5) * ROW}px`;
    this.element.addEventListener("scroll", () => this.draw());
    this.body.addEventListener("keydown", (event) => this.move(event));
    this.heading();
  }

  update(): void {
    this.rows = this.options.trials();
    if (this.sorted) {
      const { column, down } = this.sorted;
      this.rows.sort((a, b) => (down ? -1 : 1) * compare(column.rank(a), column.rank(b)));
    }
    this.table.setAttribute("aria-rowcount", String(this.rows.length + 1));
    this.draw();
  }

  private heading(): void {
    const cell = (column: Column) => {
      const here = this.sorted?.column === column ? this.sorted : null;
      const sort = () => {
        this.sorted = { column, down: here !== null && !here.down };
        this.heading();
        this.update();
      };
      const arrow = h("span", { "aria-hidden": "true" }, here ? (here.down ? " ▾" : " ▴") : "");
      const inside = this.options.ledger ? h("button", { type: "button", name: column.name, onclick: sort }, column.name, arrow) : column.name;
      return h("th", { scope: "col", "aria-sort": here && (here.down ? "descending" : "ascending") }, inside);
    };
    fill(this.head, this.columns.map(cell));
  }

  /** What a trial is called in this table. */
  private key(trial: Trial): string {
    return this.options.ledger ? `${trial.task}/${trial.trial}` : String(trial.trial);
  }

  private draw(): void {
    const count = this.rows.length;
    const first = Math.max(0, Math.min(count - SHOWN, Math.floor(this.element.scrollTop / ROW) - 3));
    const last = Math.min(count, first + SHOWN + 7);
    const seen = this.rows.slice(first, last);
    const keys = seen.map((trial) => trial && this.key(trial));
    const stop = this.stop !== null && keys.includes(this.stop) ? this.stop : keys[Math.min(3, first)];
    const best = seen.map((trial) => trial && this.model.task(trial.task)?.best?.trial === trial.trial);
    // A row in which somebody is typing is left alone unless something changed.
    const drawn = JSON.stringify([count, first, stop, best, this.chosen, seen.map((trial) => [trial && this.key(trial), trial?.state, trial?.worker])]);
    if (drawn === this.drawn) return;
    this.drawn = drawn;
    const inside = this.body.contains(document.activeElement);
    const space = (rows: number) => rows > 0 && h("tr", { "aria-hidden": "true", style: { height: `${rows * ROW}px` } });
    const rows = seen.map((trial, i) => (trial ? this.row(trial, first + i, keys[i] === stop, best[i]) : h("tr")));
    fill(this.body, space(first), rows, space(count - last));
    if (inside && !this.body.contains(document.activeElement)) this.element.focus({ preventScroll: true });
  }

  /** From row to row by keyboard. */
  private move(event: KeyboardEvent): void {
    const name = event.target instanceof HTMLButtonElement ? event.target.name : "";
    const from = this.rows.findIndex((trial) => trial && name === `trial-${this.key(trial)}`);
    const step = STEPS[event.key];
    if (from < 0 || step === undefined) return;
    event.preventDefault();
    const place = Math.max(0, Math.min(this.rows.length - 1, from + step));
    this.stop = this.key(this.rows[place]);
    const room = this.element.clientHeight - ROW; // under the heading
    const above = place * ROW;
    const seen = this.element.scrollTop;
    if (above < seen) this.element.scrollTop = above;
    else if (above + ROW > seen + room) this.element.scrollTop = above + ROW - room;
    this.draw();
    this.body.querySelector<HTMLElement>(`[name="${CSS.escape(`trial-${this.stop}`)}"]`)?.focus({ preventScroll: true });
  }

  private choose(trial: Trial): void {
    this.stop = this.chosen = this.key(trial);
    this.draw();
    this.options.tell(trial);
  }

  private row(trial: Trial, place: number, stop: boolean, best: boolean): HTMLElement {
    const key = this.key(trial);
    const chosen = this.chosen === key;
    const of = this.options.ledger ? ` of ${trial.task}` : "";
    const opener = { type: "button", name: `trial-${key}`, tabindex: stop ? "0" : "-1", "aria-current": chosen && "true", "aria-label": `Trial ${trial.trial}${of}, why it was chosen` };
    return h(
      "tr",
      { class: `${trial.state}${best ? " best" : ""}${chosen ? " chosen" : ""}`, onclick: () => this.choose(trial), "data-trial": key, "aria-rowindex": place + 2 },
      h("th", { scope: "row" }, h("button", opener, trial.trial)),
      this.columns.slice(1).map(({ cell }) => cell(trial)),
    );
  }
}

function columns(model: CampaignModel, { ledger, pending }: Options): Column[] {
  const levels = model.campaign.fidelities.length;
  const column = (name: string, width: number, rank: Column["rank"], cell: Column["cell"]): Column => ({ name, width, rank, cell });
  const number = (name: string, width: number, of: (trial: Trial) => number | null | undefined, more = brief) =>
    column(name, width, (trial) => of(trial) ?? null, (trial) => h("td", { class: "number" }, more(of(trial))));
  const words = (name: string, width: number, of: (trial: Trial) => string) => column(name, width, of, (trial) => h("td", {}, of(trial)));
  const swatch = (level: number) => h("i", { class: "swatch", style: { background: fidelityColour(level, levels) } });
  const value = (trial: Trial) =>
    trial.state === "pending" && pending
      ? h("td", {}, pending(trial))
      : h("td", { class: `number ${trial.state}` }, trial.state === "told" ? short(trial.value) : trial.state);
  const limit = (name: string) => (trial: Trial) => model.task(trial.task)?.constraints?.find((one) => one.name === name);
  const quantity = (name: string) => (trial: Trial) => {
    const [constraint, value] = [limit(name)(trial), trial.constraints?.[name]];
    if (trial.state === "pending" && pending && constraint) return h("td", {}, pending(trial, name));
    if (!constraint || value === undefined) return h("td", { class: "number" }, short(value));
    const { text, breaks, words } = told(constraint, value);
    return h("td", { class: `number ${breaks ? "failed" : ""}`, "aria-label": words }, text);
  };
  const feasible = ({ feasible, state }: Trial) => (state !== "told" ? "–" : feasible === undefined ? "not known" : feasible ? "yes" : "no");
  const keeps = (trial: Trial) => h("td", { class: trial.feasible === false ? "failed" : "" }, feasible(trial));
  const both = (trial: Trial) => (trial.nats_optimum === null ? null : (trial.nats_optimum + (trial.nats_transfer ?? 0)) / trial.cost);
  return [
    number("trial", 60, (trial) => trial.trial),
    ...(ledger ? [words("task", 100, (trial) => trial.task)] : []),
    column("fidelity", 100, (trial) => trial.level, (trial) => h("td", {}, swatch(trial.level), trial.fidelity)),
    column("value", pending ? 160 : 110, (trial) => trial.value ?? trial.state, value),
    ...model.quantities.map((name) => column(name, 120, (trial) => trial.constraints?.[name] ?? null, quantity(name))),
    ...(model.constrained ? [column("feasible", 80, feasible, keeps)] : []),
    ...model.names.map((name) => column(name, 98, (trial) => trial.point[name], (trial) => h("td", { class: "number" }, setting(trial.point[name])))),
    column("cost", 56, charge, (trial) => h("td", { class: "number" }, trial.charged ? brief(charge(trial)) : "free")),
    number("nats here", 90, (trial) => trial.nats_optimum),
    ...(model.constrained ? [number("by limits", 90, (trial) => trial.nats_limits ?? (trial.nats_optimum === null ? null : 0))] : []),
    number("nats later", 90, (trial) => trial.nats_transfer),
    ...(ledger ? [number("per cost", 80, both)] : []),
    words("what for", 244, (trial) => AIMS[trial.aim]?.label ?? trial.aim),
    words("by", 110, (trial) => trial.worker ?? "nobody"),
  ];
}

/** Numbers, then words, then nothing. */
function compare(a: number | string | null, b: number | string | null): number {
  const kind = (x: typeof a) => (typeof x === "number" ? 0 : x === null ? 2 : 1);
  return kind(a) - kind(b) || ((a ?? 0) < (b ?? 0) ? -1 : (a ?? 0) > (b ?? 0) ? 1 : 0);
}

/** Why a trial was chosen, and what came of it. */
export function story(trial: FullTrial, model: CampaignModel): HTMLElement[] {
  const measured = others(trial, model.task(trial.task)?.constraints);
  const ending = trial.state === "told" ? `${short(trial.value)}${measured}` : trial.state === "failed" ? `failed: ${trial.reason}` : "pending";
  const by = trial.worker ? `, by ${trial.worker}` : "";
  return [
    h("p", {}, h("strong", {}, `Trial ${trial.trial} of ${trial.task} at ${trial.fidelity}${by}: ${point(trial.point, model.names)}  →  ${ending}`)),
    h("p", { class: "why" }, trial.why),
  ];
}
