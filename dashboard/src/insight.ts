// What a campaign taught: which parameters matter, what is shared, what each fidelity tells, and how far to trust it.
// The document is that of `baton insight --json`; the dashboard and the report show the same.

import { card, fill, h, sideways } from "./dom";
import { plural, short } from "./format";
import { type Estimate, bar, line, lines, numberBrief, shareAlone, shareText } from "./shares";
import { type Calibration, type TaskTrust, TrustView } from "./trust";

interface Effect {
  parameter: string;
  first: Estimate;
  total: Estimate;
  matters: "yes" | "no" | "open";
}

interface Fixing {
  parameters: string[];
  loss: Estimate;
}

interface Importance {
  fidelities: { fidelity: string; parameters: Effect[]; explains: Estimate }[];
  split: { in_every_task: Effect[]; only_in_this: Effect[]; share_of_this: Estimate } | null;
  interactions: { parameters: [string, string]; share: Estimate }[];
  fixing: Fixing[];
  fixing_all: Fixing | null;
}

interface FidelityInsight {
  fidelity: string;
  cost: number;
  told: number;
  failed: number;
  spent: number;
  correlation: number | null;
  explains: Estimate | null;
}

export interface Insight {
  campaign: string;
  task: string | null;
  importance: Importance | null;
  importance_in_words: string[];
  fidelities: FidelityInsight[];
  trust: TaskTrust[];
  calibration: Calibration[];
  trust_in_words: string;
}

const MATTERS = { yes: "matters", no: "does not matter", open: "not known yet whether it matters" };
const WHISKER: [string, string] = ["whisker", "90 % interval"];

/** All of it, card by card. */
export class InsightView {
  readonly element = h("div", { class: "stack" });
  private trust: TrustView | null = null;

  destroy(): void {
    this.trust?.destroy();
  }

  show(found: Insight): void {
    this.destroy();
    this.trust = new TrustView(found.trust, found.calibration, found.trust_in_words);
    const { task, importance, fidelities } = found;
    if (task === null) {
      fill(this.element, card("What matters", "Nothing is known yet: no task has begun."));
      return;
    }
    fill(
      this.element,
      importance
        ? [matters(importance, task, found.importance_in_words), importance.split ? split(importance, task) : null]
        : card(`What matters in ${task}`, "Nothing is known yet: no value was told."),
      fidelities.length > 1 ? levels(fidelities, importance, task) : null,
      this.trust.element,
    );
  }
}

/** The parameters in the order of their total indices, by their places in the lists. */
function ranked(effects: Effect[]): number[] {
  return effects.map((_, i) => i).sort((a, b) => effects[b].total.value - effects[a].total.value);
}

function matters({ fidelities, fixing, fixing_all, interactions }: Importance, task: string, words: string[]): HTMLElement {
  const effects = fidelities.at(-1)?.parameters ?? [];
  const rows = ranked(effects).map((i) => {
    const { parameter, first, total, matters } = effects[i];
    const loses = fixing[i] ? `; its worst value loses ${numberBrief(fixing[i].loss)}` : "";
    const layers = [{ share: total.value, colour: "aim-optimum", faint: true }, { share: first.value, colour: "aim-optimum" }];
    const told = `alone ${shareText(first)}, with others ${shareText(total)}${loses}; ${MATTERS[matters]}`;
    return line(parameter, [bar(layers, total.interval)], shareAlone(total.value), told, `matters ${parameter}`, matters === "no");
  });
  const them = fixing_all && (fixing_all.parameters.length === 1 ? "it in the middle of its range" : "them in the middle of their ranges");
  const notes = [
    ...(fixing_all ? [`Fixing ${them} is expected to lose ${numberBrief(fixing_all.loss)}.`] : []),
    ...interactions.map(({ parameters: [a, b], share }) => `${a} and ${b} interact: ${shareText(share)} of the variance.`),
  ];
  return card(
    `What matters in ${task}`,
    "How much of the variance of the value each parameter takes part in, over the whole of its range.",
    h("p", { class: "verdict" }, words.join(" ")),
    lines(`What matters in ${task}`, rows, [["aim-optimum", "alone"], ["aim-optimum faint", "together with others"], WHISKER]),
    notes.map((note) => h("p", { class: "soft small" }, note)),
  );
}

function split({ split: of }: Importance, task: string): HTMLElement | null {
  if (!of) return null;
  const rows = ranked(of.in_every_task).map((i) => {
    const [every, own] = [of.in_every_task[i], of.only_in_this[i]];
    const bars = [
      bar([{ share: every.total.value, colour: "aim-optimum" }], every.total.interval),
      bar([{ share: own.total.value, colour: "aim-future" }], own.total.interval),
    ];
    const told = `in every task ${shareText(every.total)}, only in ${task} ${shareText(own.total)}`;
    return line(every.parameter, bars, "", told, `split ${every.parameter}`);
  });
  return card(
    "What all tasks share, and what only this one has",
    "The same shares of two functions: the one that is handed from task to task, and what this task adds to it.",
    h("p", { class: "verdict", "data-insight": "share of this" }, `What only ${task} has is ${shareText(of.share_of_this)} of the variance of both.`),
    lines("What all tasks share, and what only this one has", rows, [["aim-optimum", "in every task"], ["aim-future", `only in ${task}`], WHISKER]),
  );
}

function levels(fidelities: FidelityInsight[], importance: Importance | null, task: string): HTMLElement {
  const top = fidelities[fidelities.length - 1];
  const rows = fidelities.map((of) => {
    const { explains, correlation } = of;
    const known = explains ? `explains ${shareText(explains)}, correlation ${(correlation ?? 0).toFixed(3)}; ` : "";
    const told = `${known}cost ${short(of.cost)}; ${of.told} told, ${of.failed} failed, ${short(of.spent)} spent`;
    const bars = [bar([{ share: explains?.value ?? 0, colour: "aim-confirm" }], explains?.interval)];
    return line(of.fidelity, bars, explains ? shareAlone(explains.value) : "–", told, `fidelity ${of.fidelity}`);
  });
  const coarse = fidelities.slice(0, -1).flatMap(({ fidelity, cost, explains }) => (explains ? [`${fidelity} explains ${shareAlone(explains.value)} at ${shareAlone(cost / top.cost)} of the cost`] : []));
  return card(
    `What each fidelity tells in ${task}`,
    `How much of the variance of ${top.fidelity} over the space follows a straight line of each.`,
    coarse.length > 0 ? h("p", { class: "verdict" }, `Of ${top.fidelity}, ${coarse.join("; ")}.`) : null,
    lines(`What each fidelity tells in ${task}`, rows, [["aim-confirm", `of the variance of ${top.fidelity}`], WHISKER]),
    importance ? byFidelity(importance) : null,
  );
}

/** Total indices at every fidelity. */
function byFidelity({ fidelities }: Importance): HTMLElement {
  const effects = fidelities[fidelities.length - 1].parameters;
  const head = (name: string) => h("th", { scope: "col" }, name);
  const row = (i: number) => h("tr", {}, h("th", { scope: "row" }, effects[i].parameter), fidelities.map(({ parameters }) => h("td", { class: "number" }, shareText(parameters[i].total))));
  const caption = `What ${plural(effects.length, "parameter")} ${effects.length === 1 ? "takes" : "take"} part in, with others, at each fidelity`;
  const table = h("table", { class: "plain", "aria-label": caption }, h("thead", {}, h("tr", {}, head("with others"), fidelities.map(({ fidelity }) => head(fidelity)))), h("tbody", {}, ranked(effects).map(row)));
  return sideways(caption, table);
}
