"use strict";
// Draws the page from its data. No libraries: the page must open without network.

const data = JSON.parse(document.getElementById("data").textContent);
const COLOURS = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#7a5195", "#5b6770"];
const colour = (i) => COLOURS[i % COLOURS.length];
const shown = data.tasks.map(() => true);
const top_level = data.fidelities.length - 1;
const better = data.goal === "maximize" ? (a, b) => a > b : (a, b) => a < b;

// ---- small tools -----------------------------------------------------------------------------

const byId = (id) => document.getElementById(id);

function element(name, attributes = {}, text = null) {
  const svg = ["svg", "g", "path", "line", "circle", "rect", "text", "polyline"].includes(name);
  const node = svg ? document.createElementNS("http://www.w3.org/2000/svg", name) : document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  if (text !== null) node.textContent = text;
  return node;
}

function short(x) {
  if (x === null || x === undefined) return "-";
  if (typeof x !== "number") return String(x);
  if (x === 0) return "0";
  const size = Math.abs(x);
  return size < 1e-3 || size >= 1e6 ? x.toExponential(2) : String(Number(x.toPrecision(4)));
}

function tip(node, text) {
  const box = byId("tip");
  node.addEventListener("mousemove", (event) => {
    box.textContent = typeof text === "function" ? text(event) : text;
    box.style.opacity = box.textContent ? 1 : 0;
    box.style.left = Math.min(event.clientX + 14, innerWidth - box.offsetWidth - 8) + "px";
    box.style.top = Math.min(event.clientY + 14, innerHeight - box.offsetHeight - 8) + "px";
  });
  node.addEventListener("mouseleave", () => { box.style.opacity = 0; });
}

/** Round numbers that cover a range. */
function ticks(low, high, count = 5) {
  const raw = (high - low) / count || 1;
  const power = Math.pow(10, Math.floor(Math.log10(raw)));
  const step = [1, 2, 5, 10].map((k) => k * power).find((s) => s >= raw);
  const found = [];
  for (let x = Math.ceil(low / step - 1e-9) * step; x <= high + 1e-9 * step; x += step) found.push(Number(x.toPrecision(12)));
  return found;
}

/** A panel with two axes; returns where a pair of values lies. */
function panel(svg, box, x_range, y_range, labels) {
  const { left, top, width, height } = box;
  const x = (v) => left + (v - x_range[0]) / (x_range[1] - x_range[0] || 1) * width;
  const y = (v) => top + height - (v - y_range[0]) / (y_range[1] - y_range[0] || 1) * height;
  for (const t of labels.y_ticks ?? ticks(...y_range)) {
    const [at, name] = Array.isArray(t) ? t : [t, short(t)];
    svg.append(element("line", { class: "grid-line", x1: left, x2: left + width, y1: y(at), y2: y(at) }));
    svg.append(element("text", { x: left - 6, y: y(at) + 4, "text-anchor": "end" }, name));
  }
  for (const t of labels.x_ticks ?? ticks(...x_range)) {
    const [at, name] = Array.isArray(t) ? t : [t, short(t)];
    svg.append(element("text", { x: x(at), y: top + height + 16, "text-anchor": "middle" }, name));
  }
  svg.append(element("line", { class: "axis", x1: left, x2: left + width, y1: top + height, y2: top + height }));
  if (labels.x) svg.append(element("text", { x: left + width, y: top + height + 32, "text-anchor": "end" }, labels.x));
  if (labels.y) svg.append(element("text", { x: left, y: top - 8 }, labels.y));
  return { x, y };
}

function range(values, margin = 0.05) {
  const finite = values.filter(Number.isFinite);
  if (!finite.length) return [0, 1];
  const [low, high] = [Math.min(...finite), Math.max(...finite)];
  const room = (high - low || Math.abs(high) || 1) * margin;
  return [low - room, high + room];
}

const point_text = (point) => data.parameters.map((p, i) => `${p.name} = ${short(point[i])}`).join("\n");

// ---- summary and tasks -----------------------------------------------------------------------

function summary() {
  const trials = data.tasks.reduce((n, task) => n + task.trials.length, 0);
  const states = data.tasks.map((task) => task.state);
  const finished = states.filter((state) => state === "finished").length;
  const rest = data.to_come.length ? `, ${data.to_come.length} to come` : "";
  byId("summary").textContent =
    `${data.goal}, method ${data.method}, seed ${data.seed}: ${finished} of ${data.tasks.length} tasks finished${rest}; ${trials} trials.`;
  data.tasks.forEach((task, i) => {
    const chip = element("button", { "aria-pressed": "true", style: `border-left-color: ${colour(i)}` },
      `${task.name}: ${short(task.spent)} of ${short(task.budget)}${task.state === "finished" ? "" : ", " + task.state}`);
    chip.addEventListener("click", () => {
      shown[i] = !shown[i];
      chip.setAttribute("aria-pressed", shown[i]);
      draw();
    });
    if (task.reason) tip(chip, task.reason);
    byId("chips").append(chip);
  });
  byId("footer").textContent = `baton ${data.version}`;
}

const each_shown = (draw_task) => data.tasks.forEach((task, i) => shown[i] && draw_task(task, i));

// ---- best against cost -----------------------------------------------------------------------

// Where the top fidelity is hardly ever needed, its curve alone would say nothing.
const all_trials = data.tasks.flatMap((task) => task.trials);
let any_level = all_trials.filter((trial) => trial.level === top_level).length < 0.1 * all_trials.length;

const name_levels = () => { byId("levels").textContent = any_level ? "count the top fidelity only" : "count all fidelities"; };
name_levels();
byId("levels").addEventListener("click", () => {
  any_level = !any_level;
  name_levels();
  draw_best();
});

function curve(task) {
  let spent = 0, best = null;
  const steps = [];
  for (const trial of task.trials) {
    spent += trial.cost;
    if ((any_level || trial.level === top_level) && trial.value !== null && (best === null || better(trial.value, best.value))) best = trial;
    if (best) steps.push({ spent, best, trial });
  }
  return steps;
}

let log_scale = false;

byId("log").addEventListener("click", () => {
  log_scale = !log_scale;
  byId("log").textContent = log_scale ? "plain scale" : "log scale";
  draw_best();
});

function draw_best() {
  const svg = element("svg", { viewBox: "0 0 1040 360" });
  const curves = data.tasks.map(curve);
  const all = curves.filter((_, i) => shown[i]).flat();
  const budget = Math.max(...data.tasks.map((task) => Math.max(task.spent, 0)), 1e-9);
  // Early, poor values would flatten what matters: the axis ends at the 90th percentile of them.
  const positive = all.every((step) => step.best.value > 0);
  byId("log").hidden = !positive;
  const scaled = positive && log_scale ? Math.log10 : (v) => v;
  const values = all.map((step) => scaled(step.best.value)).sort((a, b) => a - b);
  const cut = values.length > 12 ? (data.goal === "minimize" ? values.slice(0, Math.ceil(values.length * 0.95)) : values.slice(Math.floor(values.length * 0.05))) : values;
  const limits = range(cut);
  const y_ticks = scaled === Math.log10 ? ticks(...limits).map((t) => [t, short(Math.pow(10, t))]) : undefined;
  const { x, y: place } = panel(svg, { left: 70, top: 24, width: 940, height: 280 }, [0, budget], limits,
    { x: "cost", y: any_level ? "best value at any fidelity" : `best value at ${data.fidelities[top_level].name}`, y_ticks });
  const y = (value) => place(scaled(value));
  const clamp = (v) => Math.max(24, Math.min(304, v));
  each_shown((task, i) => {
    const steps = curves[i];
    if (!steps.length) return;
    let path = `M${x(steps[0].spent)},${clamp(y(steps[0].best.value))}`;
    for (const step of steps.slice(1)) path += `H${x(step.spent)}V${clamp(y(step.best.value))}`;
    const line = element("path", { d: path, fill: "none", stroke: colour(i), "stroke-width": 2.5, "stroke-linejoin": "round" });
    svg.append(line);
    const last = steps[steps.length - 1];
    svg.append(element("circle", { cx: x(last.spent), cy: clamp(y(last.best.value)), r: 4, fill: colour(i) }));
    const wide = element("path", { d: path, fill: "none", stroke: "transparent", "stroke-width": 16 });
    tip(wide, (event) => {
      const at = (event.clientX - svg.getBoundingClientRect().left) * 1040 / svg.getBoundingClientRect().width;
      const step = steps.filter((s) => x(s.spent) <= at + 1).pop() ?? steps[0];
      return `${task.name}, cost ${short(step.spent)}\nbest ${short(step.best.value)} (trial ${step.best.id})\n${point_text(step.best.point)}`;
    });
    svg.append(wide);
  });
  byId("best").replaceChildren(svg);
}

// ---- queries per fidelity --------------------------------------------------------------------

let by_cost = false;

function draw_queries() {
  const rows = data.tasks.filter((_, i) => shown[i]);
  const height = 34 * rows.length + 56;
  const svg = element("svg", { viewBox: `0 0 1040 ${height}` });
  const amount = (task, level) => {
    const of_level = task.trials.filter((trial) => trial.level === level);
    return by_cost ? of_level.reduce((sum, trial) => sum + trial.cost, 0) : of_level.length;
  };
  const total = (task) => data.fidelities.reduce((sum, _, level) => sum + amount(task, level), 0);
  const most = Math.max(...rows.map(total), 1e-9);
  const shade = (level) => data.fidelities.length < 2 ? 1 : 0.25 + 0.75 * level / top_level;
  rows.forEach((task, row) => {
    let left = 150;
    svg.append(element("text", { x: 140, y: 34 * row + 21, "text-anchor": "end" }, task.name));
    data.fidelities.forEach((fidelity, level) => {
      const width = amount(task, level) / most * 850;
      const bar = element("rect", { x: left, y: 34 * row + 4, width, height: 26, fill: "#0072b2", "fill-opacity": shade(level) });
      tip(bar, `${task.name}: ${task.trials.filter((t) => t.level === level).length} trials at ${fidelity.name}, cost ${short(task.trials.filter((t) => t.level === level).reduce((s, t) => s + t.cost, 0))}`);
      svg.append(bar);
      if (width > 30) svg.append(element("text", { x: left + width / 2, y: 34 * row + 21, class: "on-bar", "text-anchor": "middle", style: `fill: ${shade(level) > 0.5 ? "#fff" : "#1d2530"}` }, short(amount(task, level))));
      left += width;
    });
  });
  let left = 150;
  data.fidelities.forEach((fidelity, level) => {
    const y = height - 34;
    svg.append(element("rect", { x: left, y: y + 8, width: 14, height: 14, fill: "#0072b2", "fill-opacity": shade(level) }));
    const label = `${fidelity.name}, cost ${short(fidelity.cost)}`;
    svg.append(element("text", { x: left + 20, y: y + 20 }, label));
    left += 40 + 7.2 * label.length;
  });
  byId("queries").replaceChildren(svg);
}

byId("share").addEventListener("click", () => {
  by_cost = !by_cost;
  byId("share").textContent = by_cost ? "show counts instead of cost" : "show cost instead of counts";
  draw_queries();
});

// ---- slices of the posterior -----------------------------------------------------------------

/** Where a value of a parameter lies between 0 and 1, and its ticks. */
function scale(parameter) {
  const [kind, domain] = Object.entries(parameter.domain)[0];
  if (domain.choices) {
    const places = domain.choices.map(String);
    const place = (v) => (places.indexOf(String(v)) + 0.5) / places.length;
    return { place, x_ticks: places.map((name, i) => [(i + 0.5) / places.length, name]), discrete: kind === "choice" };
  }
  const of = domain.log ? Math.log10 : (v) => v;
  const [low, high] = [of(domain.low), of(domain.high)];
  const place = (v) => high === low ? 0.5 : (of(v) - low) / (high - low);
  const marks = domain.log
    ? ticks(low, high, 4).map((t) => [Math.pow(10, t), short(Math.pow(10, t))])
    : ticks(low, high, 4).map((t) => [t, short(t)]);
  return { place, x_ticks: marks.map(([v, name]) => [place(v), name]), discrete: false };
}

function draw_slices() {
  const i = Number(byId("task").value);
  const task = data.tasks[i];
  const box = byId("slices");
  if (!task || !task.slices.length) return box.replaceChildren(element("p", { class: "note" }, "Nothing was told yet."));
  const limits = range(task.slices.flatMap((s) => [...s.low, ...s.high]), 0.03);
  box.replaceChildren(...task.slices.map((slice, p) => {
    const svg = element("svg", { viewBox: "0 0 340 230" });
    const { place, x_ticks, discrete } = scale(data.parameters[p]);
    const { x, y } = panel(svg, { left: 52, top: 26, width: 276, height: 160 }, [0, 1], limits, { x_ticks, y: slice.parameter });
    const xs = slice.at.map((v) => x(place(v)));
    if (discrete) {
      xs.forEach((at, k) => {
        svg.append(element("line", { x1: at, x2: at, y1: y(slice.low[k]), y2: y(slice.high[k]), stroke: colour(i), "stroke-width": 3, "stroke-opacity": 0.35 }));
        svg.append(element("circle", { cx: at, cy: y(slice.mean[k]), r: 4, fill: colour(i) }));
      });
    } else {
      const upper = xs.map((at, k) => `${at},${y(slice.high[k])}`);
      const lower = xs.map((at, k) => `${at},${y(slice.low[k])}`).reverse();
      svg.append(element("path", { d: "M" + upper.concat(lower).join("L") + "Z", fill: colour(i), "fill-opacity": 0.18 }));
      svg.append(element("polyline", { points: xs.map((at, k) => `${at},${y(slice.mean[k])}`).join(" "), fill: "none", stroke: colour(i), "stroke-width": 2 }));
    }
    const centre = x(place(task.recommended.point[p]));
    svg.append(element("line", { x1: centre, x2: centre, y1: 26, y2: 186, stroke: "#1d2530", "stroke-dasharray": "4 3" }));
    for (const trial of task.trials) {
      if (trial.level !== top_level || trial.value === null) continue;
      const at = y(trial.value);
      if (at < 20 || at > 190) continue;
      const dot = element("circle", { cx: x(place(trial.point[p])), cy: at, r: 2.5, fill: "#1d2530", "fill-opacity": 0.45 });
      tip(dot, `trial ${trial.id}: ${short(trial.value)}\n${point_text(trial.point)}`);
      svg.append(dot);
    }
    const cover = element("rect", { x: 52, y: 26, width: 276, height: 160, fill: "transparent" });
    tip(cover, (event) => {
      const at = (event.clientX - svg.getBoundingClientRect().left) * 340 / svg.getBoundingClientRect().width;
      const k = xs.reduce((near, here, j) => Math.abs(here - at) < Math.abs(xs[near] - at) ? j : near, 0);
      return `${slice.parameter} = ${short(slice.at[k])}\nexpected ${short(slice.mean[k])}\n90 % between ${short(slice.low[k])} and ${short(slice.high[k])}`;
    });
    svg.insertBefore(cover, svg.firstChild);
    return svg;
  }));
}

// ---- parallel coordinates --------------------------------------------------------------------

const brushes = new Map();

function draw_parallel() {
  const svg = element("svg", { viewBox: "0 0 1040 340", style: "touch-action: none; user-select: none" });
  const trials = [];
  each_shown((task, i) => task.trials.forEach((trial) => trial.value !== null && trials.push({ task, i, trial })));
  const values = range(trials.map(({ trial }) => trial.value), 0);
  const levels = { name: "fidelity", place: (t) => data.fidelities.length < 2 ? 0.5 : t.level / top_level, x_ticks: data.fidelities.map((f, l) => [data.fidelities.length < 2 ? 0.5 : l / top_level, f.name]) };
  const value = { name: "value", place: (t) => (t.value - values[0]) / (values[1] - values[0] || 1), x_ticks: ticks(...values).map((t) => [(t - values[0]) / (values[1] - values[0] || 1), short(t)]) };
  const axes = data.parameters.map((parameter, p) => {
    const { place, x_ticks } = scale(parameter);
    return { name: parameter.name, place: (t) => place(t.point[p]), x_ticks };
  }).concat([levels, value]);
  const x = (a) => 60 + a * (910 / (axes.length - 1));
  const y = (u) => 300 - u * 260;
  const kept = ({ trial }) => [...brushes].every(([a, [low, high]]) => axes[a].place(trial) >= low && axes[a].place(trial) <= high);
  for (const line of trials) {
    const keep = kept(line);
    const path = element("polyline", {
      points: axes.map((axis, a) => `${x(a)},${y(axis.place(line.trial))}`).join(" "),
      fill: "none", stroke: keep ? colour(line.i) : "#c8ced6", "stroke-width": 1.3, "stroke-opacity": keep ? (line.trial.level === top_level ? 0.75 : 0.3) : 0.35,
    });
    tip(path, `${line.task.name}, trial ${line.trial.id} at ${data.fidelities[line.trial.level].name}: ${short(line.trial.value)}\n${point_text(line.trial.point)}`);
    path.addEventListener("mouseenter", () => path.setAttribute("stroke-width", 4));
    path.addEventListener("mouseleave", () => path.setAttribute("stroke-width", 1.3));
    keep ? svg.append(path) : svg.prepend(path);
  }
  axes.forEach((axis, a) => {
    svg.append(element("line", { x1: x(a), x2: x(a), y1: y(0), y2: y(1), stroke: "#66707d" }));
    svg.append(element("text", { x: x(a), y: 24, "text-anchor": "middle", style: "fill: #1d2530; font-weight: 600" }, axis.name));
    axis.x_ticks.forEach(([u, name]) => svg.append(element("text", { x: x(a) + 6, y: y(u) + 4 }, name)));
    if (brushes.has(a)) {
      const [low, high] = brushes.get(a);
      svg.append(element("rect", { x: x(a) - 7, y: y(high), width: 14, height: Math.max(2, y(low) - y(high)), fill: "#1d2530", "fill-opacity": 0.25 }));
    }
    const grip = element("rect", { x: x(a) - 12, y: 34, width: 24, height: 272, fill: "transparent", style: "cursor: ns-resize" });
    grip.addEventListener("pointerdown", (down) => {
      const at = (event) => {
        const frame = svg.getBoundingClientRect();
        return Math.max(-0.01, Math.min(1.01, (300 - (event.clientY - frame.top) * 340 / frame.height) / 260));
      };
      const from = at(down);
      brushes.delete(a);
      const up = (event) => {
        removeEventListener("pointerup", up);
        const to = at(event);
        if (Math.abs(to - from) > 0.02) brushes.set(a, [Math.min(from, to), Math.max(from, to)]);
        draw_parallel();
      };
      addEventListener("pointerup", up);
    });
    svg.append(grip);
  });
  byId("parallel").replaceChildren(svg);
}

// ---- ledger ----------------------------------------------------------------------------------

let sorted = { column: null, down: false };
const COLUMNS = [
  ["task", (l) => l.task.name, true], ["trial", (l) => l.trial.id], ["fidelity", (l) => data.fidelities[l.trial.level].name, true],
  ["cost", (l) => l.trial.cost], ["aim", (l) => l.trial.aim.replace("_", " "), true],
  ["nats, this task", (l) => l.trial.nats_optimum], ["nats, later tasks", (l) => l.trial.nats_transfer],
  ["nats per cost", (l) => l.trial.nats_per_cost], ["value", (l) => l.trial.failed ? "failed" : l.trial.value],
];

function draw_ledger() {
  const lines = [];
  each_shown((task) => task.trials.forEach((trial) => lines.push({ task, trial })));
  if (sorted.column !== null) {
    const of = COLUMNS[sorted.column][1];
    const rank = (l) => { const v = of(l); return typeof v === "number" ? [0, v] : v === null ? [2, 0] : [1, v]; };
    lines.sort((a, b) => { const [x, y] = [rank(a), rank(b)]; return (x[0] - y[0] || (x[1] < y[1] ? -1 : x[1] > y[1] ? 1 : 0)) * (sorted.down ? -1 : 1); });
  }
  const head = element("tr");
  COLUMNS.forEach(([name, , text], c) => {
    const mark = sorted.column === c ? (sorted.down ? " \u25be" : " \u25b4") : "";
    const cell = element("th", { class: text ? "text" : "", tabindex: 0 }, name + mark);
    const sort = () => { sorted = { column: c, down: sorted.column === c && !sorted.down }; draw_ledger(); };
    cell.addEventListener("click", sort);
    cell.addEventListener("keydown", (event) => event.key === "Enter" && sort());
    head.append(cell);
  });
  const body = element("tbody");
  for (const line of lines) {
    const row = element("tr");
    COLUMNS.forEach(([, of, text]) => row.append(element("td", { class: text ? "text" : "" }, short(of(line)))));
    tip(row, `${line.trial.why}${line.trial.failed ? "\nfailed: " + line.trial.failed : ""}\n${point_text(line.trial.point)}`);
    body.append(row);
  }
  const thead = element("thead");
  thead.append(head);
  byId("ledger").replaceChildren(thead, body);
}

// ---- all of it -------------------------------------------------------------------------------

function draw() {
  draw_best();
  draw_queries();
  draw_parallel();
  draw_ledger();
}

summary();
data.tasks.forEach((task, i) => byId("task").append(element("option", { value: i }, task.name)));
byId("task").value = String(Math.max(0, data.tasks.length - 1));
byId("task").addEventListener("change", draw_slices);
draw();
draw_slices();
