
// ---- parallel coordinates --------------------------------------------------------------------

const brushes = new Map();
/** An axis needs so much room; many of them scroll. */
const AXIS = 84;

function parallel_axes(trials) {
  const values = range(trials.map(({ trial }) => trial.value), 0);
  const span = values[1] - values[0] || 1;
  const level = (l) => data.fidelities.length < 2 ? 0.5 : l / top_level;
  const parameters = data.parameters.map((parameter, p) => {
    const { place, x_ticks } = scale(parameter);
    return { name: parameter.name, place: (t) => place(t.point[p]), x_ticks };
  });
  return [
    ...parameters,
    { name: "fidelity", place: (t) => level(t.level), x_ticks: data.fidelities.map((f, l) => [level(l), f.name]) },
    { name: "value", place: (t) => (t.value - values[0]) / span, x_ticks: ticks(...values).map((t) => [(t - values[0]) / span, short(t)]) },
  ];
}

function parallel_label(trials, kept) {
  const values = range(trials.map(({ trial }) => trial.value), 0);
  const held = kept < trials.length ? `; ${kept} are kept by what is marked on the axes` : "";
  const names = [...data.parameters.map((p) => p.name), "fidelity", "value"].join(", ");
  return `Parallel coordinates of ${plural(trials.length, "trial")} through ${names}; values from ${short(values[0])} to ${short(values[1])}${held}.`;
}

function draw_parallel() {
  const trials = [];
  each_shown((task, i) => task.trials.forEach((trial) => trial.value !== null && trials.push({ task, i, trial })));
  const axes = parallel_axes(trials);
  const keeps = ({ trial }) => [...brushes].every(([a, [low, high]]) => axes[a].place(trial) >= low && axes[a].place(trial) <= high);
  const full = Math.max(room("parallel"), AXIS * axes.length);
  const svg = picture(full, 320, parallel_label(trials, trials.filter(keeps).length));
  svg.style.width = `${full}px`;
  const x = (a) => 24 + a * ((full - 84) / (axes.length - 1));
  const y = (u) => 300 - u * 260;
  for (const line of trials) {
    const keep = keeps(line);
    const path = element("polyline", {
      points: axes.map((axis, a) => `${x(a)},${y(axis.place(line.trial))}`).join(" "),
      fill: "none", stroke: keep ? colour(line.i) : "var(--line)", "stroke-width": 1.3, "stroke-opacity": keep ? (line.trial.level === top_level ? 0.85 : 0.4) : 0.6,
    });
    tip(path, `${line.task.name}, trial ${line.trial.id} at ${data.fidelities[line.trial.level].name}: ${short(line.trial.value)}\n${point_text(line.trial.point)}`);
    path.addEventListener("pointerenter", () => path.setAttribute("stroke-width", 4));
    path.addEventListener("pointerleave", () => path.setAttribute("stroke-width", 1.3));
    keep ? svg.append(path) : svg.prepend(path);
  }
  axes.forEach((axis, a) => draw_axis(svg, axis, a, x(a), y));
  byId("parallel").replaceChildren(svg);
}

function draw_axis(svg, axis, a, at, y) {
  svg.append(element("line", { x1: at, x2: at, y1: y(0), y2: y(1), stroke: "var(--soft)" }));
  svg.append(element("text", { x: at - 12, y: 24, class: "strong" }, axis.name));
  axis.x_ticks.forEach(([u, name]) => svg.append(element("text", { x: at + 6, y: y(u) + 4 }, name)));
  if (brushes.has(a)) {
    const [low, high] = brushes.get(a);
    svg.append(element("rect", { x: at - 7, y: y(high), width: 14, height: Math.max(2, y(low) - y(high)), fill: "var(--ink)", "fill-opacity": 0.25 }));
  }
  const grip = element("rect", { x: at - 12, y: 34, width: 24, height: 272, fill: "transparent", class: "grip" });
  grip.addEventListener("pointerdown", (down) => {
    const share = (event) => {
      const frame = svg.getBoundingClientRect();
      return Math.max(-0.01, Math.min(1.01, (300 - (event.clientY - frame.top) * 320 / frame.height) / 260));
    };
    const from = share(down);
    brushes.delete(a);
    addEventListener("pointerup", (event) => {
      const to = share(event);
      if (Math.abs(to - from) > 0.02) brushes.set(a, [Math.min(from, to), Math.max(from, to)]);
      draw_parallel();
    }, { once: true });
  });
  svg.append(grip);
}
