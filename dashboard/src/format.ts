// Numbers, times and points as people read them; the same rules as the command line's.

import type { Setting } from "./api";

/** A number with five significant digits and no more zeros than needed. */
export function short(number: number | null | undefined): string {
  if (number === null || number === undefined) return "–";
  if (number === 0 || !Number.isFinite(number)) return String(number);
  const magnitude = Math.floor(Math.log10(Math.abs(number)));
  if (magnitude < -4 || magnitude >= 9) return number.toExponential(4);
  const text = number.toFixed(Math.max(0, 4 - magnitude));
  return text.includes(".") ? text.replace(/0+$/, "").replace(/\.$/, "") : text;
}

/** The same with three digits, for axes and small places. */
export function brief(number: number | null | undefined): string {
  if (number === null || number === undefined) return "–";
  if (number === 0) return "0";
  const size = Math.abs(number);
  if (size < 1e-3 || size >= 1e6) return number.toExponential(1).replace("e+", "e");
  return String(Number(number.toPrecision(3)));
}

export function setting(value: Setting | undefined): string {
  return typeof value === "number" ? short(value) : String(value ?? "–"); // a yes or no, too
}

/** What is there at a point: a parameter may be there under a condition only. */
export function point(values: Record<string, Setting>, names: string[]): string {
  return names.filter((name) => name in values).map((name) => `${name} = ${setting(values[name])}`).join(",  ");
}

/** How long ago a time was. */
export function ago(seconds: number | null): string {
  if (seconds === null) return "never";
  const past = Math.max(0, Date.now() / 1000 - seconds);
  if (past < 60) return "just now";
  if (past < 3600) return `${Math.round(past / 60)} min ago`;
  if (past < 86_400) return `${Math.round(past / 3600)} h ago`;
  return `${Math.round(past / 86_400)} d ago`;
}

export function percent(part: number, whole: number): string {
  return whole > 0 ? `${Math.round((100 * part) / whole)} %` : "–";
}

export function plural(count: number, one: string): string {
  return `${count} ${one}${count === 1 ? "" : "s"}`;
}
