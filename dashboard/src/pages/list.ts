// The list of campaigns: how far each is and what it spent.

import { type Summary, get, listen } from "../api";
import { fill, h, heading, onceAFrame } from "../dom";
import { ago, plural, short } from "../format";
import { type Page, campaignLink } from "../page";

export function listPage(): Page {
  const body = h("div", { class: "card campaigns" }, h("p", { class: "soft" }, "Looking for campaigns…"));
  const stop = new AbortController();
  const read = async () => {
    const { campaigns } = await get<{ campaigns: Summary[] }>("/api/campaigns", stop.signal);
    campaigns.sort((a, b) => (b.active ?? 0) - (a.active ?? 0));
    fill(body, campaigns.length > 0 ? campaigns.map(line) : empty());
  };
  const again = onceAFrame(() => void read().catch(() => undefined));
  void read().catch((error) => fill(body, h("p", { class: "bad" }, String(error.message ?? error))));
  void listen("/api/events", null, again, () => undefined, stop.signal);
  const about = "Each campaign is a sequence of related tasks; what one task teaches is handed to the next.";
  return { element: h("div", { class: "page" }, heading("Campaigns", about), body), destroy: () => stop.abort() };
}

function line(campaign: Summary): HTMLElement {
  const share = campaign.budget > 0 ? campaign.spent / campaign.budget : 0;
  return h(
    "a",
    { class: "campaign-line", href: campaignLink(campaign.campaign) },
    h("strong", {}, campaign.campaign),
    h("span", { class: `chip ${campaign.state}` }, words(campaign)),
    h("span", { class: "soft" }, `${campaign.finished} of ${plural(campaign.tasks, "task")}`),
    h("span", { class: "soft" }, plural(campaign.trials, "trial")),
    h("span", { class: "meter" }, h("i", { style: { width: `${Math.min(100, 100 * share)}%` } })),
    h("span", { class: "soft" }, `${short(campaign.spent)} of ${short(campaign.budget)} spent, ${ago(campaign.active)}`),
  );
}

function words(campaign: Summary): string {
  switch (campaign.state) {
    case "open":
      return `at ${campaign.task}`;
    case "paused":
      return `${campaign.task} is paused`;
    case "finished":
      return "finished";
    default:
      return campaign.finished > 0 ? "between tasks" : "not begun";
  }
}

function empty(): HTMLElement {
  return h(
    "div",
    { class: "soft" },
    h("p", {}, "There is no campaign in this store yet. Any program can make one:"),
    h(
      "pre",
      {},
      `curl -X PUT ${location.origin}/api/campaigns/first -H 'Content-Type: application/json' \\\n` +
        `  -d '{"space": [{"name": "x", "low": 0, "high": 1}], "goal": "minimize",\n` +
        `       "tasks": [{"name": "monday", "budget": 20}]}'`,
    ),
  );
}
