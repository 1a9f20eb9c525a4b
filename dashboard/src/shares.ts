// Shares with their intervals: as text, and as bars that say in words what they show.

import { h } from "./dom";
import { brief, short } from "./format";

/** A number with a 90 % interval. */
export interface Estimate {
  value: number;
  interval: [number, number];
}

const whole = (share: number) => String(Math.round(100 * share) + 0); // no "-0"

/** As the command line shows it. */
export const shareText = ({ value, interval: [low, high] }: Estimate): string => `${whole(value)} % (${whole(low)} to ${whole(high)})`;
export const shareAlone = (share: number): string => `${whole(share)} %`;
export const numberText = ({ value, interval: [low, high] }: Estimate): string => `${short(value)} (${short(low)} to ${short(high)})`;
export const numberBrief = ({ value, interval: [low, high] }: Estimate): string => `${brief(value)} (${brief(low)} to ${brief(high)})`;

/** What lies on a bar: a share of it in a colour, the fainter where it lies under another. */
interface Layer {
  share: number;
  colour: string;
  faint?: boolean;
}

const at = (share: number) => `${(100 * Math.min(Math.max(share, 0), 1)).toFixed(2)}%`;

/** A bar with what lies on it, the interval of the last as a whisker, and a mark. What it says stands beside it. */
export function bar(layers: Layer[], interval?: [number, number], mark?: number): HTMLElement {
  return h(
    "div",
    { class: "bar layered", "aria-hidden": "true" },
    layers.map(({ share, colour, faint }) => h("i", { class: faint ? "faint" : "", style: { width: at(share), background: `var(--${colour})` } })),
    interval ? h("i", { class: "whisker", style: { left: at(interval[0]), width: at(interval[1] - interval[0]) } }) : null,
    mark === undefined ? null : h("i", { class: "mark", style: { left: at(mark) } }),
  );
}

/** A line with a name, bars and a number, and below in words all that is known. */
export function line(name: string, bars: HTMLElement[], number: string, words: string, key: string, quiet = false): HTMLElement {
  return h(
    "li",
    { class: `bar-line share${quiet ? " quiet" : ""}`, "data-insight": key },
    h("span", { title: name }, name),
    h("div", { class: "bar-stack" }, bars),
    h("span", { class: "number" }, number),
    h("small", { class: "soft number" }, words),
  );
}

/** Lines under each other, and what their colours mean. */
export function lines(label: string, all: HTMLElement[], key: [string, string][]): HTMLElement {
  const swatch = ([kind, words]: [string, string]) => h("span", {}, h("i", { class: `swatch ${kind}` }), words);
  return h("div", {}, h("ul", { class: "bars shares", "aria-label": label }, all), h("div", { class: "key" }, key.map(swatch)));
}
