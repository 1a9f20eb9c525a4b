// What is expected along one parameter: means and 90 % bands at the fidelities of a slice.

import type { Band, Parameter, Point, Setting, Slice } from "./api";
import { Chart, type Line, type Spec } from "./chart";
import { percent, setting, short } from "./format";
import type { CampaignModel } from "./model";
import { colour, fidelityColour } from "./theme";

/** The values of a parameter as places along an axis. */
export function axis(
  parameter: Parameter,
  at: Setting[],
): { xs: number[]; xWords?: string[]; logX: boolean } {
  if (parameter.choices) return { xs: at.map((_, i) => i), xWords: at.map(String), logX: false };
  return { xs: at.map(Number), logX: parameter.log };
}

/** Where a value lies along the axis of a slice. */
export function place(parameter: Parameter, at: Setting[], value: Setting | undefined): number | null {
  if (value === undefined) return null;
  return parameter.choices ? at.indexOf(value) : Number(value);
}

/** A line per fidelity, the highest strongest. */
export function levelLines(model: CampaignModel, parameter: Parameter, bands: { fidelity: string }[], alpha = 1): Line[] {
  const levels = model.campaign.fidelities;
  return bands.map(({ fidelity }) => {
    const level = levels.findIndex((known) => known.name === fidelity) + 1;
    return { label: fidelity, stroke: fidelityColour(level, levels.length, alpha), width: level === levels.length ? 2.5 : 1.25, points: parameter.choices ? 6 : undefined };
  });
}

/** A slice as it is now, and the point that it goes through. */
export type Seen = () => { slice: Slice; through: Point } | null;

/** The chart of a slice; `update` it with `posteriorData`. */
export function posterior(model: CampaignModel, parameter: Parameter, first: Slice, seen: Seen, more: () => Partial<Spec>): Chart {
  const { xWords, logX } = axis(parameter, first.at);
  const edge = { stroke: "transparent", width: 0 };
  return new Chart(() => {
    const means = levelLines(model, parameter, first.bands);
    return {
      label: label(parameter, seen()),
      height: 170,
      x: parameter.name,
      y: "expected value",
      lines: [...means.flatMap((line) => [{ label: `${line.label} low`, ...edge }, { label: `${line.label} high`, ...edge }]), ...means],
      bands: levelLines(model, parameter, first.bands, 0.16).map((line, k) => ({ from: 2 * k, to: 2 * k + 1, fill: line.stroke })),
      upright: () => upright(parameter, seen()),
      xWords,
      logX,
      ...more(),
    };
  });
}

export function posteriorData(parameter: Parameter, { at, bands }: Slice): (number | null)[][] {
  const edges = bands.flatMap((band: Band) => [band.low, band.high]);
  return [axis(parameter, at).xs, ...edges, ...bands.map((band) => band.mean)];
}

/** How likely all constraints are to hold along a slice; `update` it with `feasibilityData`. */
export function feasibility(parameter: Parameter, first: Slice, seen: Seen, more: () => Partial<Spec>): Chart {
  const { xWords, logX } = axis(parameter, first.at);
  return new Chart(() => ({
    label: feasibilityLabel(parameter, seen()),
    height: 84,
    x: parameter.name,
    y: "feasible",
    lines: [{ label: "feasible", stroke: colour("good"), width: 1.5, fill: colour("good-soft"), points: parameter.choices ? 6 : undefined }],
    limits: () => [0, 1],
    upright: () => upright(parameter, seen()),
    xWords,
    logX,
    ...more(),
  }));
}

export function feasibilityData(parameter: Parameter, { at, feasible = [] }: Slice): (number | null)[][] {
  return [axis(parameter, at).xs, feasible];
}

function feasibilityLabel(parameter: Parameter, seen: ReturnType<Seen>): string {
  const feasible = seen?.slice.feasible;
  const at = seen?.through[parameter.name];
  if (!seen || !feasible || at === undefined) return "Probability that all constraints hold: nothing yet.";
  const here = feasible[nearest(parameter, seen.slice.at, at)];
  return `Probability that all constraints hold along ${parameter.name}: ${percent(here, 1)} at ${parameter.name} = ${setting(at)}; from ${percent(Math.min(...feasible), 1)} to ${percent(Math.max(...feasible), 1)} over its range.`;
}

/** The mark at the point that a slice goes through. */
export function upright(parameter: Parameter, seen: ReturnType<Seen>): { at: number; stroke: string; dash: number[] }[] {
  const at = seen && place(parameter, seen.slice.at, seen.through[parameter.name]);
  return at === null ? [] : [{ at, stroke: colour("ink-soft"), dash: [2, 3] }];
}

function label(parameter: Parameter, seen: ReturnType<Seen>): string {
  const top = seen?.slice.bands.at(-1);
  const at = seen?.through[parameter.name];
  if (!seen || !top || at === undefined) return "Expected value: nothing yet.";
  const k = nearest(parameter, seen.slice.at, at);
  const here = `${short(top.mean[k])}, 90 % between ${short(top.low[k])} and ${short(top.high[k])}, at ${parameter.name} = ${setting(at)}`;
  return `Expected value at ${top.fidelity} along ${parameter.name}: ${here}; from ${short(Math.min(...top.mean))} to ${short(Math.max(...top.mean))} over its range.`;
}

/** Which of the values of a slice is nearest to one. */
export function nearest(parameter: Parameter, at: Setting[], value: Setting): number {
  return closest(axis(parameter, at).xs, place(parameter, at, value) ?? 0);
}

export function closest(xs: number[], x: number): number {
  return xs.reduce((best, place, i) => (Math.abs(place - x) < Math.abs(xs[best] - x) ? i : best), 0);
}
