// How far intervals are to be trusted: how often intervals of every width held what was told, and in which tasks.

import { Chart } from "./chart";
import { card, h, sideways } from "./dom";
import { bar, shareAlone } from "./shares";
import { colour } from "./theme";

export interface Calibration {
  nominal: number;
  left_out: number;
  one_ahead: number;
}

interface Coverage {
  /** of all, where there is none */
  fidelity: string | null;
  observations: number;
  left_out: number;
  one_ahead: number;
}

export interface TaskTrust {
  task: string;
  trust: { width: keyof typeof WIDTHS; coverage: Coverage[]; told: number } | null;
  trouble: string | null;
}

const WIDTHS = { right: "right", too_narrow: "too narrow", too_wide: "too wide", unknown: "too few to tell" };

/** The calibration curve and the coverage. */
export class TrustView {
  readonly element: HTMLElement;
  private readonly chart: Chart;

  constructor(tasks: TaskTrust[], calibration: Calibration[], words: string) {
    const of = (share: (of: Calibration) => number) => calibration.map(share);
    const told = calibration.map(({ nominal, left_out, one_ahead }) => `${shareAlone(nominal)} hold ${shareAlone(left_out)} from others, ${shareAlone(one_ahead)} from before`);
    this.chart = new Chart(() => ({
      label: `Observations within intervals: those of ${told.join("; those of ")}.`,
      height: 240,
      x: "what intervals promise",
      y: "what they hold",
      lines: [
        { label: "as promised", stroke: colour("ink-soft"), width: 1, dash: [4, 4] },
        { label: "from others", stroke: colour("aim-optimum"), width: 2, points: 6 },
        { label: "from before", stroke: colour("aim-future"), width: 2, points: 6 },
      ],
      xRange: [0, 1],
      limits: () => [0, 1],
    }));
    const nominal = of((at) => at.nominal);
    // The diagonal goes from corner to corner.
    const gap = (values: number[]) => [null, ...values, null];
    if (calibration.length > 0) {
      const all = [0, ...nominal, 1];
      this.chart.update([all, all, gap(of((at) => at.left_out)), gap(of((at) => at.one_ahead))]);
    }
    const dot = (name: string, words: string) => h("span", {}, h("i", { class: `swatch round ${name}` }), words);
    const curve = [
      this.chart.element,
      h("div", { class: "key" }, dot("aim-optimum", "expected from all others"), dot("aim-future", "expected from those before"), h("span", {}, "dashed: as promised. Above it intervals are wider than they need be, below it too narrow.")),
    ];
    this.element = card(
      "How far to trust intervals",
      "Each observation is compared with what the model says of it from the others: of 90 % intervals, nine in ten are to hold it.",
      h("p", { class: "verdict", "data-insight": "trust" }, words),
      h("div", { class: "halves" }, calibration.length > 0 ? h("div", {}, curve) : null, coverageTable(tasks)),
    );
  }

  destroy(): void {
    this.chart.destroy();
  }
}

function coverageTable(tasks: TaskTrust[]): HTMLElement {
  const label = "Observations within their 90 % intervals, by task and fidelity";
  const head = ["task", "fidelity", "told", "from others", "from before", "intervals"].map((name) => h("th", { scope: "col" }, name));
  const table = h("table", { class: "plain", "aria-label": label }, h("thead", {}, h("tr", {}, head)), h("tbody", {}, tasks.flatMap(rows)));
  return h("div", {}, sideways(label, table), h("div", { class: "key" }, h("span", {}, h("i", { class: "swatch mark" }), "90 %, what is promised")));
}

function rows({ task, trust, trouble }: TaskTrust): HTMLElement[] {
  const name = h("th", { scope: "row" }, task);
  if (!trust) return [h("tr", {}, name, h("td", { colspan: 5, class: "soft" }, trouble ?? "nothing was told"))];
  // With one fidelity, that of all says the same.
  const shown = trust.coverage.length === 2 ? trust.coverage.slice(1) : trust.coverage;
  return shown.map(({ fidelity, observations, left_out, one_ahead }, i) => {
    const key = `coverage ${task} ${fidelity ?? "all"}`;
    const sampled = fidelity === null && observations < trust.told ? `, by a sample of ${trust.told}` : "";
    return h(
      "tr",
      { "data-insight": key, class: fidelity === null ? "sum" : "part" },
      i === 0 ? h("th", { scope: "rowgroup", rowspan: shown.length }, task) : null,
      h("td", {}, fidelity ?? "all"),
      h("td", { class: "number" }, observations),
      [left_out, one_ahead].map((inside) => held(inside, observations)),
      h("td", {}, fidelity === null ? WIDTHS[trust.width] + sampled : ""),
    );
  });
}

function held(inside: number, observations: number): HTMLElement {
  const share = inside / observations;
  return h("td", { class: "number" }, `${inside} (${shareAlone(share)})`, bar([{ share, colour: "aim-confirm" }], undefined, 0.9));
}
