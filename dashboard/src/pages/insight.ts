// What a campaign taught: computed when somebody looks, which takes seconds, and again when they wish.

import { campaignPath, get } from "../api";
import { fill, h, heading } from "../dom";
import { plural } from "../format";
import { type Insight, InsightView } from "../insight";
import type { CampaignModel } from "../model";
import type { Page } from "../page";

export function insightPage(model: CampaignModel): Page {
  const view = new InsightView();
  const status = h("p", { class: "soft", role: "status" });
  const since = h("span", {});
  const choice = h("select", { name: "task", id: "insight-task" });
  const path = `${campaignPath(model.campaign.campaign)}/insight`;
  let options = "";
  let turn = 0;
  let busy = false;
  let computed = -1;
  const meant = () => model.begun().filter(({ task }) => choice.value === "" || choice.value === task);
  const told = () => meant().reduce((sum, task) => sum + task.told, 0);

  const again = () => h("button", { type: "button", class: "small", name: "again", onclick: () => void read() }, "Compute again");
  const read = async () => {
    const mine = ++turn;
    busy = true;
    computed = told();
    status.className = "soft";
    fill(since);
    fill(status, "Computing what the campaign taught: this takes some seconds…");
    try {
      const found = await get<Insight>(path + (choice.value ? `?task=${encodeURIComponent(choice.value)}` : ""));
      if (mine !== turn) return;
      view.show(found);
      fill(status, `From ${plural(computed, "value")}.`);
      busy = false;
      say();
    } catch (error) {
      if (mine !== turn) return;
      busy = false;
      status.className = "bad";
      fill(status, (error as Error).message);
      fill(since, again());
    }
  };

  /** What it does not know yet: said without calling for attention, since it may change all the time. */
  const say = () => {
    const more = told() - computed;
    if (!busy && more > 0) fill(since, `${plural(more, "value")} since. `, again());
  };

  const update = () => {
    const names = model.begun().map(({ task }) => task);
    if (JSON.stringify(names) !== options) {
      options = JSON.stringify(names);
      const chosen = choice.value;
      fill(choice, h("option", { value: "" }, "the last with a value; trust of all"), names.map((name) => h("option", { value: name }, name)));
      choice.value = chosen;
    }
    if (computed < 0) void read();
    else say();
  };
  choice.addEventListener("change", () => void read());

  const element = h(
    "div",
    { class: "page" },
    heading("Insight", `What ${model.campaign.campaign} taught: which parameters matter, and how far to trust it.`),
    h("div", { class: "inline-choice" }, h("label", { for: "insight-task" }, "Task"), choice, h("div", { class: "soft" }, status, since)),
    view.element,
  );
  const destroy = () => {
    turn += 1;
    view.destroy();
  };
  return { element, update, destroy };
}
