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

  get names(): string[] {
    return this.campaign.space.map((parameter) => parameter.name);
  }

  better(a: number, b: number): boolean {
    return this.campaign.goal === "maximize" ? a > b : a < b;
  }

  /** The best value at the highest fidelity against what was spent until it was told. */
  bestSoFar(task: string): { cost: number[]; best: number[] } {
    const top = this.top(task);
    const told = this.trialsOf(task).filter((trial) => trial.state === "told");
    told.sort((a, b) => (a.order ?? 0) - (b.order ?? 0));
    let spent = 0;
    let best: number | null = null;
    const costs: number[] = [];
    const values: number[] = [];
    for (const trial of told) {
      spent += charge(trial);
      const value = trial.value;
      if (trial.level === top && value !== null && (best === null || this.better(value, best))) {
        best = value;
      }
      if (best === null) continue;
      costs.push(spent);
      values.push(best);
    }
    return { cost: costs, best: values };
  }
}
