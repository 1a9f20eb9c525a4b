// The service's API: its types, calls with the token, and events.

export type Setting = number | string;
export type Point = Record<string, Setting>;
export type State = "to_come" | "open" | "paused" | "finished";

export interface Summary {
  campaign: string;
  change: number;
  goal: "maximize" | "minimize";
  method: string;
  task: string | null;
  state: State;
  finished: number;
  tasks: number;
  trials: number;
  spent: number;
  budget: number;
  active: number | null;
}

export interface Parameter {
  name: string;
  low?: number;
  high?: number;
  step?: number;
  log: boolean;
  integer: boolean;
  choices?: Setting[];
  ordered: boolean;
  /** when it is there; always, if nothing is said */
  when?: string;
  /** its one value, if it is not searched */
  fixed?: Setting;
}

export interface Fidelity {
  name: string;
  cost: number;
}

/** A quantity that is measured besides the objective, with the bounds that it has to keep. */
export interface Constraint {
  name: string;
  min?: number;
  max?: number;
}

export interface Recommended {
  point: Point;
  mean: number;
  low: number;
  high: number;
  evaluated: boolean;
  /** how likely it is to keep all constraints */
  feasible?: number;
}

export interface Task {
  task: string;
  number: number;
  state: State;
  reason: string | null;
  describe: Point;
  /** what is otherwise than in the task before */
  changes: string[];
  /** of the task itself, where these change from task to task */
  space?: Parameter[];
  fidelities?: Fidelity[];
  constraints?: Constraint[];
  budget: number;
  spent: number;
  told: number;
  failed: number;
  pending: number;
  nats_optimum: number;
  nats_transfer: number;
  best: { trial: number; value: number; point: Point } | null;
  recommended: Recommended | null;
}

export interface Campaign extends Summary {
  seed: number;
  space: Parameter[];
  forbid: string[];
  descriptors: Parameter[];
  fidelities: Fidelity[];
  constraints: Constraint[];
  task_list: Task[];
}

export interface Trial {
  task: string;
  trial: number;
  point: Point;
  fidelity: string;
  level: number;
  cost: number;
  paid: number | null;
  charged: boolean;
  aim: string;
  nats_optimum: number | null;
  nats_transfer: number | null;
  /** how much of `nats_optimum` measuring the constrained quantities alone would buy */
  nats_limits?: number;
  state: "pending" | "told" | "failed";
  value: number | null;
  /** what was measured of the quantities that have to keep bounds */
  constraints?: Record<string, number>;
  /** whether it keeps all bounds, as far as that is known */
  feasible?: boolean;
  order: number | null;
  reason: string | null;
  worker: string | null;
  asked: number;
  answered: number | null;
}

/** What counts against the budget: what it really cost, or its price while that is not known. */
export const charge = (trial: Trial): number => (trial.charged ? (trial.paid ?? trial.cost) : 0);

export interface FullTrial extends Trial {
  why: string;
}

export interface Band {
  fidelity: string;
  mean: number[];
  low: number[];
  high: number[];
  nats_optimum: number[];
  nats_transfer: number[];
  acquisition: number[];
}

export interface Slice {
  parameter: string;
  at: Setting[];
  bands: Band[];
  /** how likely all constraints are to hold, where that can be said */
  feasible?: number[];
}

export interface Slices {
  through: Point | null;
  slices: Slice[];
  told: number;
}

export interface Next {
  next: {
    point: Point;
    fidelity: string;
    cost: number;
    nats_optimum: number | null;
    nats_transfer: number | null;
    why: string;
  } | null;
}

export interface ExpectedAt {
  point: Point;
  mean: number;
  low: number;
  high: number;
}

export interface Prediction {
  describe: Point;
  expected: ExpectedAt | null;
  descriptors: { name: string; share: number }[];
  in_words: string;
  over: { descriptor: string; curve: { value: Setting; expected: ExpectedAt }[] } | null;
}

export interface Stage {
  tasks: number;
  handed_to: string | null;
  bytes: number;
  particles: number;
  shared: number;
  recommended: Point[];
  belief: { name: string; entries: { of: string; mean: number; low: number; high: number }[] }[];
  expected: Slice[];
}

export interface Changed {
  campaign: Summary;
  tasks: Task[];
  trials: Trial[];
}

/** Why a call was refused, as the service tells it. */
export class Problem extends Error {
  constructor(
    readonly status: number,
    readonly title: string,
    readonly detail: string,
    readonly hint?: string,
  ) {
    super(`${title}: ${detail}${hint ? ` (${hint})` : ""}`);
  }
}

const TOKEN = "baton-token";

/** Kept while the tab is open, and never in an address. */
export function setToken(token: string): void {
  sessionStorage.setItem(TOKEN, token);
}

function headers(more: Record<string, string> = {}): Record<string, string> {
  const token = sessionStorage.getItem(TOKEN);
  return token ? { authorization: `Bearer ${token}`, ...more } : more;
}

async function answered<T>(response: Response): Promise<T> {
  if (response.ok) return (await response.json()) as T;
  const problem = await response.json().catch(() => ({}));
  const title = problem.title ?? "the service answered";
  throw new Problem(response.status, title, problem.detail ?? response.statusText, problem.hint);
}

export async function get<T>(path: string, signal?: AbortSignal): Promise<T> {
  return answered<T>(await fetch(path, { headers: headers(), signal }));
}

export async function send<T>(method: "POST" | "PUT", path: string, body?: unknown): Promise<T> {
  const more: Record<string, string> = { "idempotency-key": crypto.randomUUID() };
  if (body !== undefined) more["content-type"] = "application/json";
  const text = body === undefined ? undefined : JSON.stringify(body);
  return answered<T>(await fetch(path, { method, headers: headers(more), body: text }));
}

export const campaignPath = (campaign: string): string =>
  `/api/campaigns/${encodeURIComponent(campaign)}`;
export const taskPath = (campaign: string, task: string): string =>
  `${campaignPath(campaign)}/tasks/${encodeURIComponent(task)}`;

/**
 * Listens to server-sent events until it is aborted; goes on where it was after a break. `EventSource`
 * cannot send a token in a header, and an address is no place for one.
 */
export async function listen(
  path: string,
  since: number | null,
  hear: (data: unknown) => void,
  alive: (alive: boolean) => void,
  signal: AbortSignal,
): Promise<void> {
  let last = since;
  while (!signal.aborted) {
    try {
      const more: Record<string, string> = { accept: "text/event-stream" };
      if (last !== null) more["last-event-id"] = String(last);
      const response = await fetch(path, { headers: headers(more), signal });
      if (!response.ok || !response.body) throw new Error(response.statusText);
      alive(true);
      const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
      let text = "";
      for (;;) {
        const { value, done } = await reader.read();
        if (done) break;
        text += value;
        let end: number;
        while ((end = text.indexOf("\n\n")) >= 0) {
          const event = text.slice(0, end);
          text = text.slice(end + 2);
          let data = "";
          for (const line of event.split("\n")) {
            if (line.startsWith("id:")) last = Number(line.slice(3));
            if (line.startsWith("data:")) data += line.slice(5);
          }
          if (data) hear(JSON.parse(data));
        }
      }
    } catch {
      if (signal.aborted) return;
    }
    alive(false);
    await new Promise((resolve) => setTimeout(resolve, 1_000));
  }
}
