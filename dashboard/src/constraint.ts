// Constraints: the bounds as people write them, what breaks them, and how likely a point is to keep them.

import type { Constraint, Recommended, Task, Trial } from "./api";
import { percent, short } from "./format";

/** Whether it is that evaluations succeed: a trial tells that by its state, not by a number. */
const isSuccess = ({ name }: Constraint): boolean => name === "success";

/** The constraints of which a trial tells a number. */
export const measured = (constraints: Constraint[] = []): Constraint[] => constraints.filter((one) => !isSuccess(one));

/** A bound, as people write it. */
export function inWords(constraint: Constraint): string {
  const { name, min, max } = constraint;
  if (isSuccess(constraint)) return "evaluations succeed";
  if (min !== undefined && max === undefined) return `${name} >= ${short(min)}`;
  return `${min === undefined ? "" : `${short(min)} <= `}${name} <= ${short(max)}`;
}

/** All bounds of a task; nothing where there are none. */
export const bounds = (constraints: Constraint[] = []): string => constraints.map(inWords).join(", ");

/** The bound that a value breaks, with its sign: `> 45`; nothing, if it breaks none. */
function broken({ min, max }: Constraint, value: number): string {
  if (min !== undefined && value < min) return `< ${short(min)}`;
  return max !== undefined && value > max ? `> ${short(max)}` : "";
}

/** A measured value, with the bound that it breaks. */
export function told(constraint: Constraint, value: number): { text: string; breaks: boolean; words: string } {
  const bound = broken(constraint, value);
  const words = `${constraint.name} ${short(value)}, ${bound ? "which breaks" : "which keeps"} ${inWords(constraint)}`;
  return { text: [short(value), bound].filter(Boolean).join(" "), breaks: bound !== "", words };
}

/** What was measured in a trial besides its value, in words. */
export function others(trial: Trial, constraints: Constraint[] = []): string {
  const known = measured(constraints).filter(({ name }) => trial.constraints?.[name] !== undefined);
  return known.map((one) => `, ${told(one, trial.constraints?.[one.name] as number).words}`).join("");
}

/** How likely the point to use is to keep all bounds of a task; nothing where there are none. */
export function likely({ constraints = [] }: Task, { feasible }: Recommended): string {
  if (constraints.length === 0) return "";
  if (feasible === undefined) return "; not known whether it is feasible";
  return `; feasible with ${percent(feasible, 1)}${feasible < 0.5 ? ", nothing is known to be feasible" : ""}`;
}
