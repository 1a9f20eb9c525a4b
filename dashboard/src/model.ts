// A campaign as the page knows it: read once, then kept up to date by events.

import {
  type Campaign,
  type Changed,
  type Parameter,
  type Task,
  type Trial,
  campaignPath,
  charge,
  get,
  listen,
  taskPath,
} from "./api";
import { bounds, measured } from "./constraint";

export class CampaignModel {
  readonly trials = new Map<string, Trial[]>();
  alive = false;
  private readonly listeners = new Set<() => void>();
  private readonly abort = new AbortController();

  constructor(public campaign: Campaign) {}

  /** Reads a campaign with all its trials and begins to listen. */
  static async open(name: string): Promise<CampaignModel> {
    const campaign = await get<Campaign>(campaignPath(name));
    const model = new CampaignModel(campaign);
    const begun = campaign.task_list.filter((task) => task.state !== "to_come");
    await Promise.all(
      begun.map(async (task) => {
        const all = await get<{ trials: Trial[] }>(`${taskPath(name, task.task)}/trials`);
        model.trials.set(task.task, all.trials.map((trial) => model.placed(trial)));
      }),
    );
    const hear = (data: unknown) => model.take(data as Changed);
    const alive = (alive: boolean) => {
      model.alive = alive;
      model.tell();
    };
    const path = `${campaignPath(name)}/events`;
    void listen(path, campaign.change, hear, alive, model.abort.signal);
    return model;
  }

  close(): void {
    this.abort.abort();
    this.listeners.clear();
  }

  /** The parameter of that name. */
  parameter(name: string): Parameter {
    return this.campaign.space.find((known) => known.name === name) ?? this.campaign.space[0];
  }

  /** Calls `hear` after every change, until the returned function is called. */
  onChange(hear: () => void): () => void {
    this.listeners.add(hear);
    return () => this.listeners.delete(hear);
  }

  private tell(): void {
    for (const hear of this.listeners) hear();
  }

  private take(changed: Changed): void {
    this.campaign = { ...this.campaign, ...changed.campaign, task_list: changed.tasks };
    for (const trial of changed.trials) {
      const list = this.trialsOf(trial.task);
      list[trial.trial] = this.placed(trial);
      this.trials.set(trial.task, list);
    }
    this.tell();
  }

  trialsOf(task: string): Trial[] {
    return this.trials.get(task) ?? [];
  }

  task(name: string): Task | undefined {
    return this.campaign.task_list.find((task) => task.task === name);
  }

  /** A trial with its fidelity's place among all that there are in some task. */
  placed<T extends Trial>(trial: T): T {
    return { ...trial, level: this.levelOf(trial.fidelity) };
  }

  private levelOf(fidelity: string): number {
    return this.campaign.fidelities.findIndex((known) => known.name === fidelity) + 1;
  }

  /** The level of a task's highest fidelity. */
  top(task: string): number {
    const own = this.task(task)?.fidelities ?? this.campaign.fidelities;
    return this.levelOf(own[own.length - 1].name);
  }

  /** Tasks that have begun. */
  begun(): Task[] {
    return this.campaign.task_list.filter((task) => task.state !== "to_come");
  }

  /** Whether anything has to keep bounds in some task. */
  get constrained(): boolean {
    return this.campaign.task_list.some((task) => task.constraints !== undefined);
  }

  /** The bounds of the present task, as part of a sentence. */
  get subject(): string {
    const { constraints } = this.campaign;
    return constraints.length > 0 ? `, where ${bounds(constraints)}` : "";
  }

  /** The names of the quantities that are measured in some task. */
  get quantities(): string[] {
    return [...new Set(this.campaign.task_list.flatMap((task) => measured(task.constraints).map(({ name }) => name)))];
  }

  /** Which trials of a task count as results: those that are known to keep all bounds. */
  counts(task: string): (trial: Trial) => boolean {
    return this.task(task)?.constraints ? (trial) => trial.feasible === true : () => true;
  }

  get names(): string[] {
    return this.campaign.space.map((parameter) => parameter.name);
  }

  better(a: number, b: number): boolean {
    return this.campaign.goal === "maximize" ? a > b : a < b;
  }

  /** The best value at the highest fidelity that keeps all bounds, against what was spent until it was told. */
  bestSoFar(task: string): { cost: number[]; best: number[] } {
    const [top, counts] = [this.top(task), this.counts(task)];
    const told = this.trialsOf(task).filter((trial) => trial.state === "told");
    told.sort((a, b) => (a.order ?? 0) - (b.order ?? 0));
    let spent = 0;
    let best: number | null = null;
    const costs: number[] = [];
    const values: number[] = [];
    for (const trial of told) {
      spent += charge(trial);
      const value = trial.value;
      const result = trial.level === top && value !== null && counts(trial);
      if (result && (best === null || this.better(value, best))) best = value;
      if (best === null) continue;
      costs.push(spent);
      values.push(best);
    }
    return { cost: costs, best: values };
  }
}
