"use strict";
// What the page is made with. No libraries: it must open without network.

const data = JSON.parse(document.getElementById("data").textContent);
const colour = (i) => `var(--task-${i % 8})`;
const shown = data.tasks.map(() => true);
const top_level = data.fidelities.length - 1;
const better = data.goal === "maximize" ? (a, b) => a > b : (a, b) => a < b;
const each_shown = (draw_task) => data.tasks.forEach((task, i) => shown[i] && draw_task(task, i));

const byId = (id) => document.getElementById(id);
/** How wide a picture may be. */
const room = (id) => Math.max(280, byId(id).clientWidth);

function element(name, attributes = {}, text = null) {
  const svg = ["svg", "g", "path", "line", "circle", "rect", "text", "polyline"].includes(name);
  const node = svg ? document.createElementNS("http://www.w3.org/2000/svg", name) : document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  if (text !== null) node.textContent = text;
  return node;
}

/** A picture with words that say what is seen. */
function picture(width, height, label) {
  return element("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": label });
}

function short(x) {
  if (x === null || x === undefined) return "-";
  if (typeof x !== "number") return String(x);
  if (x === 0) return "0";
  const size = Math.abs(x);
  return size < 1e-3 || size >= 1e6 ? x.toExponential(2) : String(Number(x.toPrecision(4)));
}

/** "3 trials" */
const plural = (count, one) => `${count} ${one}${count === 1 ? "" : "s"}`;
const values_of = (point, separator) => data.parameters.map((p, i) => `${p.name} = ${short(point[i])}`).join(separator);
const point_text = (point) => values_of(point, "\n");

const hide_tip = () => { byId("tip").style.opacity = 0; };

/** Words beside what is pointed at or tapped. */
function tip(node, text) {
  const box = byId("tip");
  const show = (event) => {
    box.textContent = typeof text === "function" ? text(event) : text;
    box.style.opacity = box.textContent ? 1 : 0;
    box.style.left = Math.max(4, Math.min(event.clientX + 14, innerWidth - box.offsetWidth - 8)) + "px";
    box.style.top = Math.min(event.clientY + 14, innerHeight - box.offsetHeight - 8) + "px";
  };
  node.addEventListener("pointermove", show);
  node.addEventListener("pointerdown", show);
  // A finger leaves when it is lifted: its words stay until the next tap.
  node.addEventListener("pointerleave", (event) => event.pointerType === "mouse" && hide_tip());
}

addEventListener("pointerdown", hide_tip, true);
addEventListener("keydown", (event) => event.key === "Escape" && hide_tip());

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
  for (const t of labels.x_ticks ?? ticks(...x_range, width / 90)) {
    const [at, name] = Array.isArray(t) ? t : [t, short(t)];
    svg.append(element("text", { x: x(at), y: top + height + 16, "text-anchor": "middle" }, name));
  }
  svg.append(element("line", { class: "axis", x1: left, x2: left + width, y1: top + height, y2: top + height }));
  if (labels.x) svg.append(element("text", { x: left + width, y: top + height + 34, "text-anchor": "end" }, labels.x));
  if (labels.y) svg.append(element("text", { x: left, y: top - 8 }, labels.y));
  return { x, y };
}

function range(values, margin = 0.05) {
  const finite = values.filter(Number.isFinite);
  if (!finite.length) return [0, 1];
  const [low, high] = [finite.reduce((a, b) => Math.min(a, b)), finite.reduce((a, b) => Math.max(a, b))];
  const space = (high - low || Math.abs(high) || 1) * margin;
  return [low - space, high + space];
}

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
