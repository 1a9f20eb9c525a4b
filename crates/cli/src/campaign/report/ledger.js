
// ---- ledger ----------------------------------------------------------------------------------

let sorted = { column: null, down: false };
const COLUMNS = [
  ["trial", (l) => l.trial.id], ["task", (l) => l.task.name, true], ["fidelity", (l) => data.fidelities[l.trial.level].name, true],
  ["cost", (l) => l.trial.cost], ["aim", (l) => l.trial.aim.replace("_", " "), true],
  ["nats, this task", (l) => l.trial.nats_optimum], ["nats, later tasks", (l) => l.trial.nats_transfer],
  ["nats per cost", (l) => l.trial.nats_per_cost], ["value", (l) => l.trial.failed ? "failed" : l.trial.value],
];

function ledger_lines() {
  const lines = [];
  each_shown((task) => task.trials.forEach((trial) => lines.push({ task, trial })));
  if (sorted.column === null) return lines;
  const of = COLUMNS[sorted.column][1];
  const rank = (l) => { const v = of(l); return typeof v === "number" ? [0, v] : v === null ? [2, 0] : [1, v]; };
  return lines.sort((a, b) => { const [x, y] = [rank(a), rank(b)]; return (x[0] - y[0] || (x[1] < y[1] ? -1 : x[1] > y[1] ? 1 : 0)) * (sorted.down ? -1 : 1); });
}

function ledger_head() {
  const head = element("tr");
  COLUMNS.forEach(([name, , text], c) => {
    const here = sorted.column === c;
    const cell = element("th", { scope: "col", class: text ? "text" : "", ...(here ? { "aria-sort": sorted.down ? "descending" : "ascending" } : {}) });
    const button = element("button", { type: "button" }, name);
    button.append(element("span", { "aria-hidden": "true" }, here ? (sorted.down ? " \u25be" : " \u25b4") : ""));
    button.addEventListener("click", () => {
      sorted = { column: c, down: here && !sorted.down };
      draw_ledger();
      byId("ledger").querySelectorAll("thead button")[c].focus();
    });
    cell.append(button);
    head.append(cell);
  });
  return head;
}

/** Why a trial was chosen, in words above the table. */
function choose(row, { task, trial }) {
  for (const other of byId("ledger").querySelectorAll("tr.chosen")) other.classList.remove("chosen");
  row.classList.add("chosen");
  const ending = trial.failed ? `failed: ${trial.failed}` : trial.value === null ? "pending" : short(trial.value);
  const by = trial.by ? `, by ${trial.by}` : "";
  const title = element("strong", {}, `${task.name}, trial ${trial.id} at ${data.fidelities[trial.level].name}${by}: ${values_of(trial.point, ", ")} \u2192 ${ending}.`);
  byId("chosen").replaceChildren(title, ` ${trial.why}`);
}

function draw_ledger() {
  const body = element("tbody");
  ledger_lines().forEach((line, i) => {
    const row = element("tr");
    COLUMNS.forEach(([, of, text], c) => {
      const cell = element(c ? "td" : "th", { class: text ? "text" : "", ...(c ? {} : { scope: "row" }) }, c ? short(of(line)) : null);
      // One stop of the keyboard for all rows: the arrows go on from there.
      if (!c) cell.append(element("button", { type: "button", tabindex: i ? -1 : 0, "aria-label": `Trial ${line.trial.id} of ${line.task.name}, why it was chosen` }, line.trial.id));
      row.append(cell);
    });
    row.addEventListener("click", () => choose(row, line));
    body.append(row);
  });
  body.addEventListener("keydown", (event) => {
    const row = event.target.closest("tr");
    const next = { ArrowDown: row.nextSibling, ArrowUp: row.previousSibling, Home: body.firstChild, End: body.lastChild }[event.key];
    if (!next) return;
    event.preventDefault();
    event.target.tabIndex = -1;
    const button = next.querySelector("button");
    button.tabIndex = 0;
    button.focus();
  });
  const head = element("thead");
  head.append(ledger_head());
  byId("ledger").replaceChildren(byId("ledger").caption, head, body);
}
