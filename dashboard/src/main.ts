// The dashboard: which page is shown, the head of all pages, and the token where one is needed.

import "./style.css";
import { Problem, get, setToken } from "./api";
import { fill, h } from "./dom";
import { CampaignModel } from "./model";
import { type Page, campaignLink, insightLink, knowledgeLink, taskLink } from "./page";
import { campaignPage } from "./pages/campaign";
import { insightPage } from "./pages/insight";
import { knowledgePage } from "./pages/knowledge";
import { listPage } from "./pages/list";
import { taskPage } from "./pages/task";
import { applyTheme, isDark, toggleTheme } from "./theme";

let model: CampaignModel | null = null;
let page: Page | null = null;
let shown = 0;

/** The parts of the address after `#/`. */
function route(): string[] {
  return location.hash.replace(/^#\/?/, "").split("/").filter(Boolean).map(decodeURIComponent);
}

/** Pages of a campaign besides those of its tasks. */
const NAMED: Record<string, string> = { insight: "Insight", knowledge: "Knowledge" };

/** Where one is, the nearest first. */
function title(parts: string[]): string {
  const [campaign, kind, task] = parts;
  const here = kind === "task" ? task : NAMED[kind ?? ""];
  return [here, campaign ?? "Campaigns", "Baton"].filter(Boolean).join(" · ");
}

async function show(): Promise<void> {
  const turn = ++shown;
  const parts = route();
  document.title = title(parts);
  page?.destroy?.();
  page = null;
  const main = document.getElementById("main") as HTMLElement;
  try {
    await follow(parts[0]);
    if (turn !== shown) return;
    page = make(parts);
    fill(main, page.element);
    head(parts);
    page.update?.();
  } catch (error) {
    if (turn !== shown) return;
    head(parts);
    const needsToken = error instanceof Problem && error.status === 401;
    fill(main, needsToken ? tokenForm(error as Problem) : failure(error));
  }
}

/** Opens the campaign of a page, unless it is the one that is open. */
async function follow(name: string | undefined): Promise<void> {
  if (model && model.campaign.campaign !== name) {
    model.close();
    model = null;
  }
  if (model) return;
  if (name === undefined) {
    await get("/api/campaigns"); // whether a token is needed shows here, as it does below
    return;
  }
  const opened = await CampaignModel.open(name);
  model = opened;
  opened.onChange(() => {
    head(route());
    const began = performance.now();
    page?.update?.();
    performance.measure("redraw", { start: began, end: performance.now() });
  });
}

function make(parts: string[]): Page {
  if (!model) return listPage();
  if (parts[1] === "task" && parts[2] !== undefined) return taskPage(model, parts[2]);
  if (parts[1] === "insight") return insightPage(model);
  if (parts[1] === "knowledge") return knowledgePage(model);
  return campaignPage(model);
}

let headed = "";

/** Drawn anew only if something in it changed: whoever is there with the keyboard stays there. */
function head(parts: string[]): void {
  const key = JSON.stringify([parts, model?.begun().map((task) => task.task), model?.alive, isDark()]);
  if (key === headed) return;
  headed = key;
  const top = document.getElementById("top") as HTMLElement;
  const name = parts[0];
  const here = (page: string) => ({ "aria-current": (parts[1] ?? "") === page ? "page" : undefined });
  const tabs =
    name === undefined
      ? []
      : [
          h("a", { href: campaignLink(name), ...here("") }, "Campaign"),
          ...(model?.begun() ?? []).map((task) =>
            h(
              "a",
              { href: taskLink(name, task.task), "aria-current": parts[2] === task.task ? "page" : undefined },
              task.task,
            ),
          ),
          h("a", { href: insightLink(name), ...here("insight") }, "Insight"),
          h("a", { href: knowledgeLink(name), ...here("knowledge") }, "Knowledge"),
        ];
  const live = model
    ? h("span", { class: `live ${model.alive ? "on" : "off"}` }, model.alive ? "live" : "connecting…")
    : null;
  fill(
    top,
    h("a", { class: "brand", href: "#/" }, h("img", { src: "/assets/icon.svg", alt: "", width: 22, height: 22 }), "Baton"),
    name === undefined ? null : h("span", { class: "crumb" }, name),
    name === undefined ? null : h("nav", { "aria-label": "Pages of the campaign" }, tabs),
    live,
    h(
      "button",
      { class: "quiet theme", type: "button", name: "theme", onclick: toggleTheme, "aria-label": isDark() ? "Light theme" : "Dark theme" },
      isDark() ? "Light" : "Dark",
    ),
  );
}

function failure(error: unknown): HTMLElement {
  const problem = error instanceof Problem ? error : null;
  return h(
    "section",
    { class: "card" },
    h("h1", {}, problem?.title ?? "The service cannot be reached"),
    h("p", {}, problem?.detail ?? String(error)),
    problem?.hint ? h("p", { class: "soft" }, problem.hint) : null,
    h("p", {}, h("a", { href: "#/" }, "All campaigns")),
  );
}

function tokenForm(problem: Problem): HTMLElement {
  const input = h("input", { type: "password", name: "token", autocomplete: "off", required: true, id: "token" });
  const submit = (event: Event) => {
    event.preventDefault();
    setToken(input.value.trim());
    void show();
  };
  return h(
    "form",
    { class: "card narrow", onsubmit: submit },
    h("h1", {}, "A token is needed"),
    h("p", {}, `This service answers those who have a token: ${problem.detail}. It is kept until this tab is closed.`),
    h("label", { for: "token" }, "Token"),
    input,
    h("button", { type: "submit" }, "Go on"),
  );
}

function toContent(): void {
  document.getElementById("main")?.focus();
}

applyTheme();
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
  applyTheme();
  void show();
});
// Colours are in everything that was drawn: the page is made anew.
window.addEventListener("theme", () => void show());
// On a new page the keyboard begins at its content, as it does when a browser loads one.
window.addEventListener("hashchange", () => void show().then(toContent));
document.querySelector(".skip")?.addEventListener("click", (event) => {
  event.preventDefault(); // the address says which page is shown
  toContent();
});
void show();
