
// ---- best against cost -----------------------------------------------------------------------

let any_level = false;
let log_scale = true; // where all values are positive

byId("levels").addEventListener("click", () => {
  any_level = !any_level;
  byId("levels").textContent = any_level ? "count the highest fidelity only" : "count all fidelities";
  draw_best();
});

byId("log").addEventListener("click", () => {
  log_scale = !log_scale;
  byId("log").textContent = log_scale ? "plain scale" : "log scale";
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

function best_label(curves) {
  const ends = [];
  each_shown((task, i) => {
    const last = curves[i].at(-1);
    ends.push(last ? `${task.name} ${short(last.best.value)} after a cost of ${short(last.spent)}` : `${task.name} none yet`);
  });
  return `Best value at ${any_level ? "any" : "the highest"} fidelity against cost, a line per task: ${ends.join("; ")}.`;
}

function draw_best() {
  const curves = data.tasks.map(curve);
  const all = curves.filter((_, i) => shown[i]).flat();
  // Early, poor values would flatten what matters: the axis leaves out the worst twentieth of them.
  const positive = all.length > 0 && all.every((step) => step.best.value > 0);
  byId("log").hidden = !positive;
  if (!all.length) return byId("best").replaceChildren(element("p", { class: "note" }, "No value was seen at the highest fidelity yet."));
  const full = room("best");
  const [left, bottom] = [62, 304];
  const svg = picture(full, 350, best_label(curves));
  const budget = Math.max(...data.tasks.map((task) => Math.max(task.spent, 0)), 1e-9);
  const scaled = positive && log_scale ? Math.log10 : (v) => v;
  const values = all.map((step) => scaled(step.best.value)).sort((a, b) => a - b);
  const cut = values.length > 12 ? (data.goal === "minimize" ? values.slice(0, Math.ceil(values.length * 0.95)) : values.slice(Math.floor(values.length * 0.05))) : values;
  const limits = range(cut);
  const y_ticks = scaled === Math.log10 ? ticks(...limits).map((t) => [t, short(Math.pow(10, t))]) : undefined;
  const { x, y: place } = panel(svg, { left, top: 24, width: full - left - 16, height: bottom - 24 }, [0, budget], limits,
    { x: "cost", y: any_level ? "best value at any fidelity" : `best value at ${data.fidelities[top_level].name}`, y_ticks });
  const y = (value) => Math.max(24, Math.min(bottom, place(scaled(value))));
  each_shown((task, i) => {
    const steps = curves[i];
    if (!steps.length) return;
    let path = `M${x(steps[0].spent)},${y(steps[0].best.value)}`;
    for (const step of steps.slice(1)) path += `H${x(step.spent)}V${y(step.best.value)}`;
    svg.append(element("path", { d: path, fill: "none", stroke: colour(i), "stroke-width": 2.5, "stroke-linejoin": "round" }));
    const last = steps[steps.length - 1];
    svg.append(element("circle", { cx: x(last.spent), cy: y(last.best.value), r: 4, fill: colour(i) }));
    const wide = element("path", { d: path, fill: "none", stroke: "transparent", "stroke-width": 24 });
    tip(wide, (event) => {
      const frame = svg.getBoundingClientRect();
      const at = (event.clientX - frame.left) * full / frame.width;
      const step = steps.filter((s) => x(s.spent) <= at + 1).pop() ?? steps[0];
      return `${task.name}, cost ${short(step.spent)}\nbest ${short(step.best.value)} (trial ${step.best.id})\n${point_text(step.best.point)}`;
    });
    svg.append(wide);
  });
  byId("best").replaceChildren(svg);
}

// ---- trials per fidelity ---------------------------------------------------------------------

let by_cost = false;
const shade = (level) => data.fidelities.length < 2 ? 1 : 0.3 + 0.7 * level / top_level;
const swatch = (level, width) => element("i", { style: `width: ${width}; opacity: ${shade(level)}` });

function draw_queries() {
  const amounts = (task) => data.fidelities.map((_, level) => {
    const trials = task.trials.filter((trial) => trial.level === level);
    return { trials: trials.length, cost: trials.reduce((sum, trial) => sum + trial.cost, 0) };
  });
  const size = (amount) => by_cost ? amount.cost : amount.trials;
  const rows = data.tasks.filter((_, i) => shown[i]).map((task) => ({ task, levels: amounts(task) }));
  const total = ({ levels }) => levels.reduce((sum, amount) => sum + size(amount), 0);
  const most = Math.max(...rows.map(total), 1e-9);
  const lines = rows.map(({ task, levels }) => {
    const line = element("div", { class: "bar-line" });
    const bar = element("div", { class: "bar", "aria-hidden": "true" });
    levels.forEach((amount, level) => bar.append(swatch(level, `${100 * size(amount) / most}%`)));
    const words = levels.map((amount, level) => `${plural(amount.trials, "trial")} at ${data.fidelities[level].name} for ${short(amount.cost)}`);
    line.append(element("strong", {}, task.name), bar, element("small", {}, words.join(", ")));
    return line;
  });
  const key = element("p", { class: "key" });
  data.fidelities.forEach((fidelity, level) => {
    const entry = element("span");
    entry.append(swatch(level, "14px"), `${fidelity.name}, cost ${short(fidelity.cost)}`);
    key.append(entry);
  });
  byId("queries").replaceChildren(...lines, key);
}

byId("share").addEventListener("click", () => {
  by_cost = !by_cost;
  byId("share").textContent = by_cost ? "draw counts instead of cost" : "draw cost instead of counts";
  draw_queries();
});

// ---- slices of the posterior -----------------------------------------------------------------

function slice_label(slice, at) {
  const k = slice.at.reduce((near, _, j) => Math.abs(at(j)) < Math.abs(at(near)) ? j : near, 0);
  const here = `${short(slice.mean[k])}, 90 % between ${short(slice.low[k])} and ${short(slice.high[k])}, near the recommended point`;
  const [low, high] = range(slice.mean, 0);
  return `Expected value along ${slice.parameter}: ${here}; from ${short(low)} to ${short(high)} over its range.`;
}

function draw_slices() {
  const i = Number(byId("task").value);
  const task = data.tasks[i];
  const box = byId("slices");
  if (!task || !task.slices.length) return box.replaceChildren(element("p", { class: "note" }, task?.trouble ?? "Nothing was told yet."));
  const limits = range(task.slices.flatMap((s) => [...s.low, ...s.high]), 0.03);
  box.replaceChildren(...task.slices.map((slice, p) => {
    const { place, x_ticks, discrete } = scale(data.parameters[p]);
    const middle = place(task.recommended.point[p]);
    const svg = picture(340, 230, slice_label(slice, (k) => place(slice.at[k]) - middle));
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
    svg.append(element("line", { x1: x(middle), x2: x(middle), y1: 26, y2: 186, stroke: "var(--ink)", "stroke-dasharray": "4 3" }));
    for (const trial of task.trials) {
      if (trial.level !== top_level || trial.value === null) continue;
      const at = y(trial.value);
      if (at < 20 || at > 190) continue;
      const dot = element("circle", { cx: x(place(trial.point[p])), cy: at, r: 2.5, fill: "var(--ink)", "fill-opacity": 0.5 });
      tip(dot, `trial ${trial.id}: ${short(trial.value)}\n${point_text(trial.point)}`);
      svg.append(dot);
    }
    const cover = element("rect", { x: 52, y: 26, width: 276, height: 160, fill: "transparent" });
    tip(cover, (event) => {
      const frame = svg.getBoundingClientRect();
      const at = (event.clientX - frame.left) * 340 / frame.width;
      const k = xs.reduce((near, here, j) => Math.abs(here - at) < Math.abs(xs[near] - at) ? j : near, 0);
      return `${slice.parameter} = ${short(slice.at[k])}\nexpected ${short(slice.mean[k])}\n90 % between ${short(slice.low[k])} and ${short(slice.high[k])}`;
    });
    svg.insertBefore(cover, svg.firstChild);
    return svg;
  }));
}
