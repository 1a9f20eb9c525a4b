// Colours: of the page, of tasks in their order, of fidelities, and of what a trial is for.

const THEME = "baton-theme";

function kept(): string | null {
  try {
    return localStorage.getItem(THEME);
  } catch {
    return null; // a page from a file may have no storage
  }
}

/** Follows the system unless the user chose. */
export function isDark(): boolean {
  const chosen = kept();
  if (chosen) return chosen === "dark";
  return matchMedia("(prefers-color-scheme: dark)").matches;
}

export function applyTheme(): void {
  document.documentElement.dataset.theme = isDark() ? "dark" : "light";
}

export function toggleTheme(): void {
  localStorage.setItem(THEME, isDark() ? "light" : "dark");
  applyTheme();
  window.dispatchEvent(new Event("theme"));
}

/** A colour of the style sheet. */
export function colour(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
}

type Rgb = [number, number, number];

function parse(hex: string): Rgb {
  return [1, 3, 5].map((i) => Number.parseInt(hex.slice(i, i + 2), 16)) as Rgb;
}

function between(stops: string[], share: number): Rgb {
  const place = Math.min(Math.max(share, 0), 1) * (stops.length - 1);
  const i = Math.min(Math.floor(place), stops.length - 2);
  const [a, b] = [parse(stops[i]), parse(stops[i + 1])];
  return a.map((x, k) => Math.round(x + (b[k] - x) * (place - i))) as Rgb;
}

function css([r, g, b]: Rgb, alpha = 1): string {
  return `rgba(${r}, ${g}, ${b}, ${alpha})`;
}

// Grey for the task that started from nothing, then ever more vivid.
const TASKS = {
  light: ["#768192", "#2f8ac4", "#2563c9", "#7c3aad", "#d6336c"],
  dark: ["#8691a3", "#4db5ee", "#5b8def", "#b07cff", "#ff6b9d"],
};
const FIDELITIES = {
  light: ["#b87400", "#3b9255", "#0f7f8a"],
  dark: ["#f0b03f", "#6fcf8a", "#35c3cf"],
};
const VALUES = {
  light: ["#b7b09e", "#e08e0b", "#c2255c", "#4c1d7a"],
  dark: ["#5a5478", "#8a5bd4", "#ff6b9d", "#ffd479"],
};

const theme = (): "light" | "dark" => (isDark() ? "dark" : "light");

export function taskColour(i: number, count: number, alpha = 1): string {
  return css(between(TASKS[theme()], count > 1 ? i / (count - 1) : 0.5), alpha);
}

/** `level` from 1, the highest fidelity last. */
export function fidelityColour(level: number, count: number, alpha = 1): string {
  return css(between(FIDELITIES[theme()], count > 1 ? (level - 1) / (count - 1) : 1), alpha);
}

/** From the worst (0) to the best (1). */
export function valueColour(share: number, alpha = 1): string {
  return css(between(VALUES[theme()], share), alpha);
}

/** What trials are for, grouped as people think of it. */
export const AIMS: Record<string, { group: string; label: string }> = {
  design: { group: "look", label: "a look around" },
  random: { group: "look", label: "a look around" },
  survey: { group: "look", label: "a look around" },
  cover: { group: "look", label: "a look around" },
  fallback: { group: "look", label: "a look around" },
  warm_start: { group: "test", label: "testing what earlier tasks taught" },
  test: { group: "test", label: "testing what earlier tasks taught" },
  optimum: { group: "optimum", label: "this task's optimum" },
  confirm: { group: "confirm", label: "confirming the best point by the model" },
  both: { group: "both", label: "this task and later ones" },
  future: { group: "future", label: "what later tasks will use" },
  planned: { group: "future", label: "what later tasks will use" },
  explore: { group: "explore", label: "another basin" },
  given: { group: "given", label: "chosen by a person" },
};

export function aimColour(aim: string): string {
  return colour(`aim-${AIMS[aim]?.group ?? "look"}`);
}
